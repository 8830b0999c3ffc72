"""Who comes in by name and password, and what a stranger learns of it: nothing."""

from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from mud.clock import VirtualClock
from mud.errors import LociError, Refusal
from mud.portal.authentication import AT_ONCE, NETWORKS, WAITING, WRONG, Authenticator
from mud.portal.limits import Limits
from mud.portal.settings import DoorSettings
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role

HERE = "192.0.2.1"
QUICK = (1, 8, 1)
PASSWORD = "correct horse"


class Slow(PasswordHasher):
    """Hashes when it is let, and counts how many it does at once and how often it verified."""

    def __init__(self) -> None:
        super().__init__(*QUICK)
        self.go, self.begun = threading.Event(), threading.Event()
        self.at_once = self.most = self.verified = 0
        self._lock = threading.Lock()

    def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
        with self._lock:
            self.at_once, self.verified = self.at_once + 1, self.verified + 1
            self.most = max(self.most, self.at_once)
        self.begun.set()
        try:
            assert self.go.wait(60)
            return super().verify(hash, password)
        finally:
            with self._lock:
                self.at_once -= 1


class Gatehouse:
    def __init__(self, folder: Path, hasher: PasswordHasher | None = None, **settings: object) -> None:
        self.settings = replace(DoorSettings(), **settings)  # type: ignore[arg-type]
        self.clock = VirtualClock()
        self.accounts = AccountFiles(folder)
        limits = Limits(lambda: self.settings, self.clock)
        hasher = hasher or PasswordHasher(*QUICK)
        self.door = Authenticator(self.accounts, limits, lambda: self.settings, self.clock, str.strip, hasher)


async def test_name_and_password_together_let_in_and_everything_else_is_refused_alike(tmp_path: Path) -> None:
    gate = Gatehouse(tmp_path, free_logins=100)
    await gate.door.register(HERE, "Ann", PASSWORD)
    banned = await gate.door.register(HERE, "Ban", PASSWORD)
    gate.accounts.write(replace(banned, banned=True))
    gate.accounts.write(Account("Cid", Role.PLAYER, ""))
    gate.accounts.write(Account("Dan", Role.PLAYER, "$argon2id$broken"))
    assert (await gate.door.login(HERE, "ann", PASSWORD)).name == "Ann"
    told = set()
    for name, password in [
        ("Ann", "wrong horse"), ("Ann", ""), ("Nobody", PASSWORD), ("Ban", PASSWORD), ("Cid", ""), ("Dan", PASSWORD),
        ("Ann", "\ud800"), ("Ann", PASSWORD * 20_000), ("A" * 1_000_000, PASSWORD), ("", ""),
    ]:  # fmt: skip
        with pytest.raises(Refusal) as refused:
            await gate.door.login(HERE, name, password)
        told.add(str(refused.value))
    assert told == {WRONG}


async def test_an_unknown_name_costs_as_many_hashes_as_a_known_one(tmp_path: Path) -> None:
    hasher = Slow()
    hasher.go.set()
    gate = Gatehouse(tmp_path, hasher, free_logins=100)
    await gate.door.register(HERE, "Ann", PASSWORD)
    gate.accounts.write(Account("Cid", Role.PLAYER, ""))
    for count, name in enumerate(("Ann", "Nobody", "Cid"), 1):
        with pytest.raises(Refusal):
            await gate.door.login(HERE, name, "wrong horse")
        assert hasher.verified == count


async def test_few_are_checked_at_once_few_wait_and_the_others_are_told_at_once(tmp_path: Path) -> None:
    hasher = Slow()
    gate = Gatehouse(tmp_path, hasher, free_logins=100)
    await gate.door.register(HERE, "Ann", PASSWORD)
    tries = [asyncio.create_task(gate.door.login(f"10.0.0.{n}", "Ann", PASSWORD)) for n in range(WAITING + 10)]
    done, rest = await asyncio.wait(tries, return_when=asyncio.FIRST_EXCEPTION)
    while len(done) < 10:
        more, rest = await asyncio.wait(rest, return_when=asyncio.FIRST_COMPLETED)
        done |= more
    assert {str(task.exception()) for task in done} == {"Many people are coming in just now."}
    for task in list(rest)[:20]:
        task.cancel()  # a door whose connection is gone
    hasher.go.set()
    found = await asyncio.gather(*rest, return_exceptions=True)
    assert sum(isinstance(one, Account) for one in found) == WAITING - 20
    assert hasher.most <= AT_ONCE


async def test_a_password_is_in_no_file_no_log_and_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    gate = Gatehouse(tmp_path)
    account = await gate.door.register(HERE, "Ann", PASSWORD)
    for attempt in ("short", "long" * 99):
        with pytest.raises(Refusal) as refused:
            await gate.door.register(HERE, "Bob", attempt)
        assert attempt not in str(refused.value)
    with pytest.raises(Refusal):
        await gate.door.login(HERE, "Ann", "wrong horse")
    kept = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert PASSWORD not in kept + caplog.text + repr(account)
    assert "wrong horse" not in kept + caplog.text
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.rglob("*.json"))


async def test_a_password_is_the_same_however_its_letters_are_composed(tmp_path: Path) -> None:
    gate = Gatehouse(tmp_path)
    await gate.door.register(HERE, "Ann", "caf\u00e9 au lait")
    assert (await gate.door.login(HERE, "Ann", "cafe\u0301 au lait")).name == "Ann"


async def test_two_who_register_one_name_at_the_same_time_get_one_account(tmp_path: Path) -> None:
    gate = Gatehouse(tmp_path)
    both = await asyncio.gather(
        gate.door.register(HERE, "Ann", PASSWORD),
        gate.door.register(HERE, "ann", "another one"),
        return_exceptions=True,
    )
    [account], [error] = ([one for one in both if isinstance(one, kind)] for kind in (Account, LociError))
    assert "taken" in str(error)
    assert gate.accounts.find("ann") == account


async def test_asking_which_names_are_taken_is_slowed_as_guessing_is(tmp_path: Path) -> None:
    gate = Gatehouse(tmp_path, free_logins=3)
    await gate.door.register(HERE, "Ann", PASSWORD)
    told = []
    for _ in range(5):
        with pytest.raises(Refusal) as refused:
            await gate.door.register(HERE, "Ann", PASSWORD)
        told.append(str(refused.value).split(";")[0])
    assert told == ["The name Ann is taken."] * 3 + ["There were too many tries"] * 2


async def test_who_forgot_a_password_may_make_another_account_and_asks_for_names_at_every_door_alike(
    tmp_path: Path,
) -> None:
    gate = Gatehouse(tmp_path, free_logins=3)
    for _ in range(4):
        with pytest.raises(Refusal):
            await gate.door.login(HERE, "Ann", PASSWORD)
    for name in ("Ann", "Ben", "Cem", "Dora"):
        assert (await gate.door.register(HERE, name, PASSWORD)).name == name
    for _ in range(3):
        with pytest.raises(Refusal, match="taken"):
            gate.door.new_name(HERE, "Ann")
    with pytest.raises(Refusal, match="too many tries"):
        gate.door.new_name(HERE, "Eve")


async def test_what_changed_while_the_password_was_checked_counts(tmp_path: Path) -> None:
    hasher = Slow()
    gate = Gatehouse(tmp_path, hasher)
    account = await gate.door.register(HERE, "Ann", PASSWORD)
    entering = asyncio.create_task(gate.door.login(HERE, "Ann", PASSWORD))
    assert await asyncio.to_thread(hasher.begun.wait, 60)
    gate.accounts.write(replace(account, hash=PasswordHasher(*QUICK).hash("another one")))
    hasher.go.set()
    with pytest.raises(Refusal, match="do not belong together"):
        await entering


async def test_networks_that_an_account_came_from_are_kept_over_a_restart_so_that_strangers_cannot_shut_it_out(
    tmp_path: Path,
) -> None:
    gate = Gatehouse(tmp_path, free_logins=1)
    await gate.door.register(HERE, "Ann", PASSWORD)
    for number in range(NETWORKS):
        gate.clock.advance(3700)
        await gate.door.login(f"203.0.113.{number}", "Ann", PASSWORD)
    again = Gatehouse(tmp_path, free_logins=1)
    assert again.accounts.load() == []
    for number in range(20):
        with pytest.raises(Refusal):
            await again.door.login(f"198.51.100.{number}", "Ann", "wrong horse")
    assert (await again.door.login("203.0.113.0", "Ann", PASSWORD)).networks[-1] == "203.0.113.0"
    with pytest.raises(Refusal, match="wait"):
        await again.door.login(HERE, "Ann", PASSWORD)  # too long ago
