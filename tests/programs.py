"""Programs that some tests drive: a browser, a MUD client, a terminal. Where one is missing its tests are named."""

from __future__ import annotations

import os
import shutil

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/bin", "/usr/games"])
"""Debian keeps games where few search."""


def program(name: str) -> str | None:
    """Return the path of a program such as `chromium`, `tt++` or `tmux`; None when it is not on this machine.

    A test that needs one is marked `@pytest.mark.program(name)`, and is left out and named where it is missing.
    """
    return shutil.which(name, path=PATH)
