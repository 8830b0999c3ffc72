"""`python -m mud`: `command_line`, ending in order from its first moment to its last."""

from __future__ import annotations

import sys

from mud import streams
from mud.signals import signals


def main(argv: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 a clear error, 2 wrong usage."""
    # Here, and not above: a signal that comes while this is being imported ends in order too.
    from mud.command_line import main

    return main(argv)


def program() -> int:
    """Run the command that was typed, and return its exit code; that of a signal is 128 and its number."""
    try:
        signals.heed()
        streams.hold()
        return main(sys.argv[1:])
    except KeyboardInterrupt:
        streams.unwritten()
        return signals.exit_code
    except SystemExit:  # wrong usage, or help
        streams.unwritten()
        raise
    finally:
        signals.end = lambda: None  # there is nothing left to interrupt


if __name__ == "__main__":
    sys.exit(program())
