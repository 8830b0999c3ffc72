"""How much one address and one account may do over the network, on the world's clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mud.clock import Clock
from mud.portal.settings import DoorSettings


class Limits:
    """Counts connections, logins, new accounts and lines. Each method raises Refusal when it is too many."""

    def __init__(self, settings: Callable[[], DoorSettings], clock: Clock) -> None:
        self._settings, self._clock = settings, clock

    @contextmanager
    def connection(self, address: str) -> Iterator[None]:
        """Count a connection from an address for the length of the block."""
        yield

    def login(self, address: str, name: str) -> None:
        """Check that a password may be tried now."""

    def login_failed(self, address: str, name: str) -> None:
        """Count a wrong password; the next tries of the address and of the account have to wait longer."""

    def new_account(self, address: str) -> None:
        """Check that another account may be made from an address, and count it."""

    def line(self, address: str, account: str) -> float:
        """Count a typed line; return the seconds that the door waits before it reads the next one."""
        return 0.0
