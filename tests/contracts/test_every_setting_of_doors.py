"""Every setting of the doors does what it says, as long as it is no address of a door."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.errors import Refusal
from mud.portal.limits import Limits
from mud.portal.settings import DoorSettings
from mud.server.checks import FAMILIES, SCHEMAS
from mud.storage.configuration import Configuration
from mud.storage.settings import Scalar
from tests.settings import proves, put
from tests.unit.mud.server.lobby import lobby
from tests.vaults import copy_vault

HERE, THERE = "192.0.2.1", "198.51.100.1"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return copy_vault(tmp_path)


def limits(vault: Path, **values: Scalar) -> tuple[Limits, VirtualClock]:
    """Return limits that go by the settings of a vault, and their clock."""
    put(vault, "doors", **values)
    configuration, clock = Configuration(vault, SCHEMAS, FAMILIES), VirtualClock()
    assert configuration.load() == []
    return Limits(lambda: configuration.get(DoorSettings), clock), clock


def times(act: Callable[[], object], most: int = 400) -> int:
    """Return how often something can be done until it is refused."""
    for count in range(most):
        try:
            act()
        except Refusal:
            return count
    return most


@proves("doors.guests", "doors.new_accounts")
async def test_guests_and_new_accounts_come_in_only_where_they_may(vault: Path) -> None:
    for allowed in (False, True):
        put(vault, "doors", guests=allowed, new_accounts=allowed)
        async with lobby(vault.parent) as hall:
            door = hall.people.authenticator
            assert times(partial(door.guest, HERE), 1) == int(allowed)
            if allowed:
                assert (await door.register(HERE, "Ann", "long enough")).name == "Ann"
                continue
            with pytest.raises(Refusal, match="no new accounts"):
                await door.register(HERE, "Ann", "long enough")


@proves("doors.connections", "doors.connections_per_address")
def test_connections_are_counted_in_all_and_by_address(vault: Path) -> None:
    found, _ = limits(vault, connections=7, connections_per_address=4)
    with ExitStack() as inside:
        assert times(lambda: inside.enter_context(found.connection(HERE))) == 4
        assert times(lambda: inside.enter_context(found.connection(THERE))) == 3


@proves("doors.sessions_per_account")
async def test_an_account_is_in_the_world_from_so_many_places(vault: Path) -> None:
    put(vault, "doors", sessions_per_account=2)
    async with lobby(vault.parent) as hall:
        assert times(lambda: hall.enter("Ann"), 5) == 2


@proves("doors.free_logins", "doors.login_wait", "doors.longest_login_wait")
def test_so_many_passwords_are_free_and_then_each_waits_twice_as_long(vault: Path) -> None:
    found, clock = limits(vault, free_logins=4, login_wait=3.0, longest_login_wait=10.0)
    assert times(lambda: found.login(HERE, "Ann")) == 4
    for wait in (3.0, 6.0, 10.0, 10.0):
        clock.advance(wait - 0.1)
        assert times(lambda: found.login(HERE, "Ann")) == 0
        clock.advance(0.2)
        assert times(lambda: found.login(HERE, "Ann")) == 1


@proves("doors.new_accounts_per_address", "doors.new_accounts_per_day")
def test_so_many_accounts_are_made_in_a_day(vault: Path) -> None:
    found, _ = limits(vault, new_accounts_per_address=3, new_accounts_per_day=5)
    assert [times(partial(found.new_account, one)) for one in (HERE, THERE)] == [3, 2]


@proves("doors.guests_per_address", "doors.guests_per_day")
def test_so_many_guests_come_in_a_day(vault: Path) -> None:
    found, _ = limits(vault, guests_per_address=3, guests_per_day=5)
    assert [times(partial(found.guest, one)) for one in (HERE, THERE)] == [3, 2]


@proves("doors.lines_per_second", "doors.address_lines_per_second", "doors.line_burst")
def test_lines_of_an_account_and_of_an_address_wait_when_they_are_too_fast(vault: Path) -> None:
    found, _ = limits(vault, lines_per_second=2.0, address_lines_per_second=4.0, line_burst=6)
    assert [found.line(HERE, "Ann") for _ in range(8)] == [0, 0, 0, 0, 0, 0, 0.5, 1.0]
    assert [found.line(THERE, "") for _ in range(8)] == [0, 0, 0, 0, 0, 0, 0.25, 0.5]


@proves("doors.login_seconds", "doors.idle_minutes", "doors.waiting_kilobytes", "doors.line_kilobytes")
def test_who_is_silent_too_long_or_reads_too_slowly_is_let_go(vault: Path) -> None:
    values = {"login_seconds": 30.0, "idle_minutes": 2.0, "waiting_kilobytes": 64, "line_kilobytes": 4}
    found, clock = limits(vault, **values)
    clock.advance(29.9)
    assert not found.unnamed(0.0)
    clock.advance(0.1)
    assert found.unnamed(0.0)
    assert not found.idle(0.0)
    clock.advance(90)
    assert found.idle(0.0)
    assert not found.too_slow(64 * 1024)
    assert found.too_slow(64 * 1024 + 1)
    assert found.line_bytes == 4096
