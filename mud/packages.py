"""What has to be there before the rest of the program can be imported: packages, docstrings, and room for open files.

It imports nothing but Python's own library, so that it can speak where all else would end in a traceback.
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
"""The packages that pyproject.toml names, each with what it is imported as."""


ROOM = 16
"""Files that must be free to be opened; with fewer not even a loop for events can be made."""


def check_room() -> None:
    """Make sure that a few more files can be opened than are open.

    Raises:
        LociError: they cannot.
    """
    with ExitStack() as opened:
        try:
            for _ in range(ROOM):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            raise LociError(f"{error.strerror}: expected room for {ROOM} more (ulimit -n)") from None


def check_packages() -> None:
    """Make sure that all packages are there, and that `agents` is ours: one of the public index would shadow it.

    Raises:
        LociError: says what is missing and how Loci is started, or which other package Python found.
    """
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
