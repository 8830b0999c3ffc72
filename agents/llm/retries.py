"""What may pass if it is asked again in a moment, and how long that moment is. Pure: chance is an argument.

Backends say what may pass by raising `TransientError`: a connection that broke off, a host that is too busy (429),
still loads its model (503) or stumbled (500), a proxy that does not reach it (502). A refusal never passes, and neither
does silence: that costs the whole timeout already.
"""

from __future__ import annotations

from random import Random

from mud.errors import Unavailable

FIRST_PAUSE = 0.5
"""Seconds before the first further try; doubled before each one after it."""
LONGEST_PAUSE = 8.0
"""Seconds before a further try at most."""
JITTER = 0.5
"""Share by which a pause varies, so that everybody whom a host turned away does not come back at once."""
SHARE = 0.5
"""Share of the timeout within which a further try must begin, so that it gets a fair time itself."""
PERSON_PATIENCE = 1.5
"""Seconds after its first call within which a job that a person waits for is tried again; the instinct is quicker."""


class TransientError(Unavailable):
    """The host did not do it this time, but may in a moment.

    Args:
        message: what went wrong, for people.
        after: seconds after which the host itself asks to be tried again; None when it does not say.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def pause(tries: int, error: TransientError, chance: Random) -> float:
    """Return how many seconds to wait before a further try: exponential backoff with jitter.

    Args:
        tries: further tries that were made already.
        error: what went wrong; a host that names a time is not asked before.
        chance: makes the jitter.
    """
    usual = min(LONGEST_PAUSE, FIRST_PAUSE * float(2 ** min(tries, 10))) * chance.uniform(1 - JITTER, 1 + JITTER)
    return max(usual, error.after or 0.0)


def in_time(spent: float, timeout: float, patience: float | None = None) -> bool:
    """Say whether a further try may still begin.

    Args:
        spent: seconds from the first call to the further try.
        timeout: seconds that the profile gives a call.
        patience: seconds within which it must begin, when that is sooner.
    """
    return spent <= min(SHARE * timeout, timeout if patience is None else patience)
