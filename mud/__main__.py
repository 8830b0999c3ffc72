"""`python -m mud`: sets up signals and streams, then runs `command_line`."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` loads slowly; an interrupt then would show a traceback

if __name__ == "__main__":
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import sys

from mud.process import hold_streams, signals


def program() -> int:
    try:
        signals.heed()
        hold_streams()
        from mud.command_line import main  # not before the signal handlers are set

        return main(sys.argv[1:])
    finally:
        signals.ignore()


if __name__ == "__main__":
    sys.exit(program())
