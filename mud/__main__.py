"""`python -m mud`: sets up signals and streams, then runs `command_line`."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` loads slowly; an interrupt then would show a traceback

if __name__ == "__main__":
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import sys

from mud import streams
from mud.signals import signals


def main(argv: list[str]) -> int:
    """Run one command; return 0 for success, 1 for an error, 2 for wrong usage."""
    # Imported here, after the signal handlers are set.
    from mud.command_line import main

    return main(argv)


def program() -> int:
    try:
        signals.heed()
        streams.hold()
        return main(sys.argv[1:])
    finally:
        signals.ignore()


if __name__ == "__main__":
    sys.exit(program())
