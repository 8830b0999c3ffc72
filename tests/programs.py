"""Programs that some tests drive: a browser, a MUD client, Ray. Where one is missing its tests are named."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", ""), "/usr/bin", "/usr/games"])
"""Debian keeps games where few search; what was installed for the tests may stand beside Python only."""


def program(name: str) -> str | None:
    """Return the path of a program such as `chromium`, `tt++` or `tmux`; None when it is not on this machine.

    A test that needs one is marked `@pytest.mark.program(name)`, and is left out and named where it is missing.
    """
    return shutil.which(name, path=PATH)
