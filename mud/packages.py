"""Checks before the rest of the program is imported.

Only the standard library is imported here, so that a missing package gives a clear message.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from mud.errors import LociError

NEEDED = {
    "pyyaml": "yaml",
    "python-frontmatter": "frontmatter",
    "httpx": "httpx",
    "orjson": "orjson",
    "chromadb": "chromadb",
    "watchdog": "watchdog",
    "numpy": "numpy",
    "tokenizers": "tokenizers",
    "onnx": "onnx",
    "onnxruntime": "onnxruntime",
    "prompt_toolkit": "prompt_toolkit",
}
"""The packages in pyproject.toml, with their import names."""


ROOM = 16
"""Files that must be free to open; an event loop alone needs several."""


def check_room() -> None:
    """Check that `ROOM` more files can be opened. Raises LociError."""
    with ExitStack() as opened:
        try:
            for _ in range(ROOM):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            raise LociError(f"{error.strerror}: expected room for {ROOM} more (ulimit -n)") from None


def check_packages() -> None:
    """Check that all packages can be imported, and that `agents` is not another one's. Raises LociError."""
    if sys.flags.optimize > 1:
        raise LociError(
            "Python was told to drop docstrings (-OO, PYTHONOPTIMIZE=2), which are Loci's help; use -O at most"
        )
    missing = [name for name, module in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise LociError(
            f"{sys.executable} lacks packages that Loci needs ({', '.join(missing)}); "
            "make run installs them once, into .venv; then start it with .venv/bin/python -m mud"
        )
    ours = Path(__file__).resolve().parent.parent / "agents"
    spec = find_spec("agents")
    found = Path(spec.origin or "").resolve().parent if spec is not None else None
    if found != ours:
        raise LociError(
            f"Python found another package called agents, in {found}; Loci's own is {ours}. "
            "Start it with python -m mud from its own folder, without -P and PYTHONSAFEPATH."
        )
