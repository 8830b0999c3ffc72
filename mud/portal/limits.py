"""How much one address and one account may do over the network, on the world's clock.

Addresses are counted by network: of IPv6 by its first 64 bits, as who has one address there has all of them. What is
kept is bounded: tables forget what no longer counts and, when they are full, who failed least.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from mud.clock import Clock
from mud.errors import Refusal
from mud.portal.settings import DoorSettings
from mud.world.matching import plain

NOT_FROM_THERE = "You cannot come in from there."
DAY = 86_400.0
IPV6_PREFIX = 64
MOST_KEPT = 10_000
"""Addresses, and names, whose failures are remembered at the same time."""
FIRST_TRIES = 5
"""First tries of new addresses for one name that may be made at once although others made that name wait."""
FORGOTTEN = 3600.0
"""Seconds after the last try after which wrong passwords are forgotten; no wait is longer."""
_LONGEST_KEY = 64  # characters; longer than any name


def network_of(address: str) -> str:
    """Return what an address is counted as; a text that is none is returned as it is, cut."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:_LONGEST_KEY]
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((found.packed, IPV6_PREFIX), strict=False))


@dataclass(slots=True)
class _Tries:
    wrong: int
    next: float  # when the next try may be made
    last: float


class FailureTable:
    """Counts failed tries by key, each of which makes the next one wait longer.

    A try is counted before its result is known, so that many at the same time are no way around the wait.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._tries: dict[str, _Tries] = {}

    def __len__(self) -> int:
        return len(self._tries)

    def wait(self, key: str, now: float) -> float:
        """Return the seconds until the next try."""
        found = self._tries.get(key)
        return max(0.0, found.next - now) if found else 0.0

    def wrong(self, key: str, now: float) -> int:
        """Return how many tries of a key are remembered."""
        found = self._tries.get(key)
        return found.wrong if found and now - found.last <= FORGOTTEN else 0

    def count(self, key: str, now: float, settings: DoorSettings) -> None:
        found = self._tries.get(key)
        if found is None or now - found.last > FORGOTTEN:
            if len(self._tries) >= self._most:
                self._shrink(now)
            found = self._tries[key] = _Tries(0, now, now)
        found.wrong += 1
        found.last = now
        over = found.wrong - settings.free_logins
        if over >= 0:
            found.next = now + min(settings.longest_login_wait, settings.login_wait * 2.0 ** min(over, 60))

    def take_back(self, key: str) -> None:
        """Undo the last count of a key, as that try was right."""
        found = self._tries.get(key)
        if found is None:
            return
        found.wrong, found.next = found.wrong - 1, found.last
        if not found.wrong:
            del self._tries[key]

    def _shrink(self, now: float) -> None:
        kept = [one for one in self._tries.items() if now - one[1].last <= FORGOTTEN]
        kept.sort(key=lambda one: one[1].wrong, reverse=True)
        self._tries = dict(kept[: self._most // 2])


class RateTable:
    """How often a key may do something: some times at once, and then one more whenever so many seconds have gone by."""

    def __init__(self) -> None:
        self._full: dict[str, float] = {}
        """When each key may do all of its times at once again."""
        self._swept = 0

    def __len__(self) -> int:
        return len(self._full)

    def wait(self, key: str, now: float, every: float, at_once: float) -> float:
        """Return the seconds until a key may do it the next time."""
        return max(0.0, round(max(now, self._full.get(key, now)) + every - now - every * at_once, 6))

    def count(self, key: str, now: float, every: float) -> None:
        if len(self._full) > 2 * self._swept + 1000:
            self._full = {one: full for one, full in self._full.items() if full > now}
            self._swept = len(self._full)
        self._full[key] = max(now, self._full.get(key, now)) + every


class Limits:
    """Counts connections, logins, new accounts, guests and lines; what is too many raises Refusal or has to wait."""

    def __init__(self, settings: Callable[[], DoorSettings], clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._open: dict[str, int] = {}
        self._by_address, self._by_name, self._by_both = FailureTable(), FailureTable(), FailureTable()
        self._names_asked = FailureTable()
        self._first_tries = RateTable()
        self._lines, self._newcomers = RateTable(), RateTable()

    @property
    def kept(self) -> int:
        """How many entries are held in RAM."""
        failures = sum(map(len, (self._by_address, self._by_name, self._by_both, self._names_asked)))
        rates = len(self._first_tries) + len(self._lines) + len(self._newcomers)
        return len(self._open) + failures + rates

    @contextmanager
    def connection(self, address: str) -> Iterator[None]:
        """Count a connection from an address for the length of the block. Raises Refusal."""
        settings, network = self._settings(), network_of(address)
        if sum(self._open.values()) >= settings.connections:
            raise Refusal("This world is full; try again later.")
        if self._open.get(network, 0) >= settings.connections_per_address:
            raise Refusal("Too many connections come from your address; close another one first.")
        self._open[network] = self._open.get(network, 0) + 1
        try:
            yield
        finally:
            self._open[network] -= 1
            if not self._open[network]:
                del self._open[network]

    def login(self, address: str, name: str, known: Collection[str] = ()) -> None:
        """Count a password that is tried now; `login_succeeded` takes it back. Raises Refusal with the time to wait.

        The first tries of an address need not wait for what other addresses did to that name, unless many addresses do
        so: else one stranger could keep everybody out of an account that they come to from a new address.

        Args:
            known: networks from which the account came in before; strangers' failures do not make these wait.
        """
        now, settings, network, key = self._clock.monotonic(), self._settings(), network_of(address), _key(name)
        wait, both, refill = self._by_address.wait(network, now), f"{network} {key}", settings.longest_login_wait
        stranger = network not in known
        named = self._by_name.wait(key, now) if stranger else 0.0
        if not wait and named and self._by_both.wrong(both, now) < settings.free_logins:
            named = min(named, self._first_tries.wait(key, now, refill, FIRST_TRIES))
            if not named:
                self._first_tries.count(key, now, refill)
        _refuse_wait(max(wait, named))
        for table, counted in self._counted(network, key, stranger=stranger):
            table.count(counted, now, settings)

    def login_succeeded(self, address: str, name: str, known: Collection[str] = ()) -> None:
        network = network_of(address)
        for table, counted in self._counted(network, _key(name), stranger=network not in known):
            table.take_back(counted)

    def _counted(self, network: str, key: str, *, stranger: bool) -> list[tuple[FailureTable, str]]:
        counted = [(self._by_address, network), (self._by_both, f"{network} {key}")]
        return [*counted, (self._by_name, key)] if stranger else counted

    def name_asked(self, address: str) -> None:
        """Count a name that somebody asks for as a new one; `name_given` takes it back. Raises Refusal."""
        network, now = network_of(address), self._clock.monotonic()
        _refuse_wait(self._names_asked.wait(network, now))
        self._names_asked.count(network, now, self._settings())

    def name_given(self, address: str) -> None:
        self._names_asked.take_back(network_of(address))

    def new_account(self, address: str) -> None:
        """Count a new account from an address. Raises Refusal when it is one too many."""
        settings = self._settings()
        self._newcomer("account", address, settings.new_accounts_per_address, settings.new_accounts_per_day)

    def guest(self, address: str) -> None:
        """Count a guest from an address, whose character is a new one each time. Raises Refusal when it is too many."""
        settings = self._settings()
        self._newcomer("guest", address, settings.guests_per_address, settings.guests_per_day)

    def _newcomer(self, kind: str, address: str, own: int, all: int) -> None:
        now = self._clock.monotonic()
        rates = [(f"{kind} {network_of(address)}", own), (kind, all)]
        wait = max(self._newcomers.wait(key, now, DAY / most, most) for key, most in rates)
        if wait > 0:
            raise Refusal(f"There were too many new {kind}s today; wait {describe_wait(wait)}.")
        for key, most in rates:
            self._newcomers.count(key, now, DAY / most)

    def line(self, address: str, account: str) -> float:
        """Count a typed line; return the seconds that the door waits before it carries it out, so that none is lost.

        `account` is empty before somebody has come in, and for a guest.
        """
        settings, now = self._settings(), self._clock.monotonic()
        rates = [(network_of(address), settings.address_lines_per_second)]
        if account:
            rates.append((f"{_key(account)}'s", settings.lines_per_second))
        wait = 0.0
        for key, each_second in rates:
            wait = max(wait, self._lines.wait(key, now, 1 / each_second, settings.line_burst))
            self._lines.count(key, now, 1 / each_second)
        return wait

    def idle(self, since: float) -> bool:
        """Return whether a person who last typed at this monotonic time has been silent for too long."""
        return self._clock.monotonic() - since >= self._settings().idle_minutes * 60

    def unnamed(self, since: float) -> bool:
        """Return whether a connection from this monotonic time has been there too long without coming in."""
        return self._clock.monotonic() - since >= self._settings().login_seconds

    def too_slow(self, waiting: int) -> bool:
        """Return whether a reader for whom so many bytes wait is cut off."""
        return waiting > self._settings().waiting_kilobytes * 1024

    @property
    def line_bytes(self) -> int:
        """Bytes of a line that a door keeps; a longer line is refused, but the connection stays."""
        return self._settings().line_kilobytes * 1024


def _key(name: str) -> str:
    return plain(name[:_LONGEST_KEY])


def _refuse_wait(seconds: float) -> None:
    if seconds > 0:
        raise Refusal(f"There were too many tries; wait {describe_wait(seconds)}.")


def describe_wait(seconds: float) -> str:
    """Return a time to wait for people, rounded up."""
    for unit, size in (("hour", 3600), ("minute", 60)):
        if seconds > size:
            count = int(-(-seconds // size))
            return f"{count} {unit}s"
    count = max(1, int(-(-seconds // 1)))
    return f"{count} second{'s' * (count > 1)}"
