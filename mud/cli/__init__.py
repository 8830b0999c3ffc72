"""The command line, one file per command (but for `run`, which is `mud.server.app` itself).

To add one, write a module here with a function `@tool("name", "help", add_arguments)` that takes the parsed arguments,
prints to stdout what was asked for (with `--json` one object a line), and returns the exit code. Progress and logs go
to stderr; a `LociError` that it raises becomes one clear line and exit code 1.
"""

from __future__ import annotations

from mud.cli._tool import Tool, emit, folder, progress

__all__ = ["Tool", "emit", "folder", "progress"]
