"""`python -m mud`: `command_line`, ending in order from its first moment to its last."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` takes a while, in which an interrupt would be a traceback

if __name__ == "__main__":
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import sys

from mud import streams
from mud.signals import signals


def main(argv: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 a clear error, 2 wrong usage."""
    # Here, and not above: the signals are heeded first.
    from mud.command_line import main

    return main(argv)


def program() -> int:
    """Run the command that was typed, and return its exit code."""
    try:
        signals.heed()
        streams.hold()
        return main(sys.argv[1:])
    finally:
        signals.ignore()


if __name__ == "__main__":
    sys.exit(program())
