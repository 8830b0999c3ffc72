"""The limits of the doors, on a clock that is moved by hand."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.clock import VirtualClock
from mud.errors import Refusal
from mud.portal.limits import DAY, MOST_KEPT, FailureTable, Limits, describe_wait, network_of
from mud.portal.settings import DoorSettings

HERE, THERE = "192.0.2.1", "198.51.100.1"


class Gate:
    """Limits with settings that a test chooses."""

    def __init__(self, **settings: object) -> None:
        self.clock = VirtualClock()
        self.settings = replace(DoorSettings(), **settings)  # type: ignore[arg-type]
        self.limits = Limits(lambda: self.settings, self.clock)

    def tries(self, seconds: float, address: str = HERE, name: str = "Ann", every: float = 0.1) -> int:
        """Try wrong passwords for some time, and return how many were looked at."""
        looked_at, end = 0, self.clock.monotonic() + seconds
        while self.clock.monotonic() < end:
            try:
                self.limits.login(address, name)
                looked_at += 1
            except Refusal:
                pass  # it has to wait
            self.clock.advance(every)
        return looked_at


def test_an_address_has_so_many_connections_and_all_together_so_many() -> None:
    gate = Gate(connections=3, connections_per_address=2)
    with ExitStack() as inside:
        for _ in range(2):
            inside.enter_context(gate.limits.connection(HERE))
        with pytest.raises(Refusal, match="from your address"), gate.limits.connection(f"::ffff:{HERE}"):
            pass
        with gate.limits.connection(THERE), pytest.raises(Refusal, match="full"), gate.limits.connection("203.0.113.1"):
            pass
        with gate.limits.connection(THERE):
            pass  # the ones before are closed
    with gate.limits.connection(HERE):
        pass


def test_guessing_passwords_takes_ever_longer() -> None:
    gate = Gate(free_logins=3, login_wait=2.0, longest_login_wait=300.0)
    assert gate.tries(1.9) == 3
    assert gate.tries(3600) < 8 + 3600 / 300 + 1
    assert gate.tries(DAY - 3600, every=1.0) < DAY / 300 + 1


def test_many_guesses_at_once_are_no_way_around() -> None:
    gate = Gate(free_logins=3)
    for _ in range(3):
        gate.limits.login(HERE, "Ann")
    with pytest.raises(Refusal, match=r"wait \d+ second"):
        gate.limits.login(HERE, "Ann")


def test_other_names_and_other_addresses_are_no_way_around() -> None:
    gate = Gate()
    assert sum(gate.tries(1, name=f"name {n}", every=1.0) for n in range(60)) < 10
    gate = Gate()
    assert sum(gate.tries(1, address=f"192.0.2.{n}", every=1.0) for n in range(60)) < 10
    gate = Gate()
    assert sum(gate.tries(1, address=f"2001:db8::{n:x}", name=f"{n}", every=1.0) for n in range(60)) < 10


def test_one_stranger_keeps_nobody_out_and_guesses_slowly() -> None:
    gate, hours, looked_at, came_in = Gate(), 6, 0, 0
    for second in range(hours * 3600):
        looked_at += gate.tries(1, address=THERE, name="ANN", every=1.0)
        if second % 60 == 30:  # whoever has the password, each time from another address
            gate.limits.login(f"10.0.{second // 15360}.{second // 60 % 256}", "Ann")
            gate.limits.login_succeeded(f"10.0.{second // 15360}.{second // 60 % 256}", "Ann")
            came_in += 1
    assert came_in == hours * 60
    assert looked_at < 10 + hours * 3600 / 300


def test_many_strangers_guess_slowly_too_and_keep_nobody_out_who_came_in_there_before() -> None:
    gate = Gate()
    for _ in range(3600):
        gate.limits.login(HERE, "Ann", [HERE])
        gate.limits.login_succeeded(HERE, "Ann", [HERE])
    looked_at = sum(gate.tries(1, address=f"10.{n // 256}.{n % 256}.1", every=1.0) for n in range(6 * 3600))
    assert looked_at < 20 + 2 * 6 * 3600 / 300
    gate.limits.login(HERE, "Ann", [HERE])
    with pytest.raises(Refusal):
        gate.limits.login("203.0.113.9", "Ann", [HERE])


def test_an_own_account_between_two_guesses_wipes_nothing_out() -> None:
    gate = Gate(free_logins=3, login_wait=2.0)
    looked_at = 0
    for _ in range(1000):
        gate.clock.advance(0.1)
        try:
            gate.limits.login(HERE, "Ann")
            looked_at += 1
            gate.limits.login(HERE, "Mallory")
            gate.limits.login_succeeded(HERE, "Mallory")
        except Refusal:
            pass  # it has to wait
    assert looked_at < 10


def test_after_an_hour_without_tries_all_is_forgotten() -> None:
    gate = Gate()
    gate.tries(100)
    gate.clock.advance(3601)
    assert gate.tries(0.25) == 3


def test_many_addresses_and_names_fill_no_memory_and_wash_nobody_out() -> None:
    table, settings = FailureTable(), DoorSettings()
    for _ in range(20):
        table.count("ann", 0.0, settings)
    wait = table.wait("ann", 0.0)
    for n in range(3 * MOST_KEPT):
        table.count(f"stranger {n}", 1.0, settings)
    assert len(table) <= MOST_KEPT
    assert table.wait("ann", 0.0) == wait > 0


def test_an_address_makes_so_many_accounts_a_day_and_all_together_so_many() -> None:
    gate = Gate(new_accounts_per_address=2, new_accounts_per_day=3)
    gate.limits.new_account(HERE)
    gate.limits.new_account(HERE)
    with pytest.raises(Refusal, match="12 hours"):
        gate.limits.new_account(HERE)
    gate.limits.new_account(THERE)
    with pytest.raises(Refusal, match="8 hours"):
        gate.limits.new_account("203.0.113.1")
    gate.clock.advance(DAY / 2)
    gate.limits.new_account(HERE)


def test_guests_are_counted_as_new_accounts_are_but_for_themselves() -> None:
    gate = Gate(guests_per_address=1, guests_per_day=2)
    gate.limits.guest(HERE)
    gate.limits.new_account(HERE)
    with pytest.raises(Refusal, match="guests"):
        gate.limits.guest(HERE)
    gate.limits.guest(THERE)
    with pytest.raises(Refusal, match="guests"):
        gate.limits.guest("203.0.113.1")


@given(gaps=st.lists(st.floats(0, 3), min_size=1, max_size=200), burst=st.integers(1, 20), rate=st.floats(0.5, 50))
def test_lines_wait_so_that_no_stretch_of_time_has_too_many(gaps: list[float], burst: int, rate: float) -> None:
    gate = Gate(line_burst=burst, lines_per_second=rate, address_lines_per_second=100_000.0)
    done = []
    for gap in gaps:
        gate.clock.advance(gap)
        gate.clock.advance(gate.limits.line(HERE, "Ann"))  # as a door waits
        done.append(gate.clock.monotonic())
    for first in range(len(done)):
        for last in range(first, len(done)):
            assert last - first + 1 <= burst + (done[last] - done[first]) * rate + 1.001


def test_an_address_with_many_accounts_is_slowed_too_and_others_are_not() -> None:
    gate = Gate(line_burst=10, lines_per_second=5.0, address_lines_per_second=5.0)
    waits = [gate.limits.line(HERE, f"account {n}") for n in range(20)]
    assert waits[:10] == [0.0] * 10
    assert waits[-1] == pytest.approx(2.0)
    assert gate.limits.line(THERE, "Ann") == 0.0
    assert gate.limits.line(THERE, "") == 0.0


def test_lines_of_many_addresses_fill_no_memory() -> None:
    gate = Gate()
    for n in range(50_000):
        gate.limits.line(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", "")
        gate.clock.advance(0.1)
    assert gate.limits.kept < 5000


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"), ("", ""), ("x" * 999, "x" * 64),
    ],
)  # fmt: skip
def test_an_address_is_counted_by_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 second"), (59.1, "60 seconds"), (61, "2 minutes"), (7300, "3 hours")]
)
def test_a_wait_is_told_in_words(seconds: float, words: str) -> None:
    assert describe_wait(seconds) == words
