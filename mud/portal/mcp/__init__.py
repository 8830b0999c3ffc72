"""The way in for programs that speak the Model Context Protocol, at `/mcp` of the web door. See docs/mcp.md.

A program brings the token of an account and plays its character: `tools.py` says which commands are possible now,
`resources.py` what can be read, and each of them is a line that `player.py` types into the character's session.
`endpoint.py` lets programs in; `serving.py` and `bridge.py` alone know the package mcp, which is optional.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from mud.errors import LociError

PATH = "/mcp"
"""Where programs come in, at the address of the web pages."""
MISSING = "MCP needs the package mcp, of version 2, which is not installed; make mcp installs it"


def missing() -> bool:
    """Return whether the package mcp is not installed."""
    return find_spec("mcp") is None


def optional(name: str) -> ModuleType:
    """Import a module that needs the package mcp, which takes a second. Raises LociError when that is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        if (error.name or "").partition(".")[0] in ("mud", "agents"):
            raise
        raise LociError(MISSING) from None
