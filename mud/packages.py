"""What has to be installed before the rest of the program can be imported, and whether Python finds it.

It imports nothing but Python's own library, so that it can speak where all else would end in a traceback.
"""

from __future__ import annotations

import sys
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


def check_packages() -> None:
    """Make sure that all packages are there, and that `agents` is ours: one of the public index would shadow it.

    Raises:
        LociError: says what is missing and how Loci is started, or which other package Python found.
    """
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
