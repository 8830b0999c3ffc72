"""The files of accounts: private, written whole, and shut when they are not as they should be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role

ANN = Account(
    "Ann", Role.PLAYER, "$argon2id$x", "#3001", "2026-01-01T00:00:00.000Z", seen="2026-01-02T00:00:00.000Z",
    networks=("192.0.2.1", "2001:db8::/64"),
)  # fmt: skip


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    files.write(ANN)
    files.write(replace(ANN, name="Ann!", character="#3002", role=Role.OWNER, banned=True))
    files.ban_addresses(frozenset({"192.0.2.1"}))
    again = AccountFiles(tmp_path)
    assert again.load() == []
    assert list(again) == list(files)
    assert [again.find("ANN"), again.find("the ann"), again.of("#3001")] == [ANN, ANN, ANN]
    assert again.banned_addresses == {"192.0.2.1"}


@pytest.mark.parametrize(
    "change",
    [
        {"role": "wizard"}, {"role": "agent"}, {"role": "guest"}, {"role": "OWNER"}, {"role": None}, {"role": 5},
        {"role": ["owner"]}, {"banned": "no"}, {"banned": None}, {"name": None}, {"hash": 1}, {"seen": 1},
        {"networks": "192.0.2.1"}, {"networks": [1]},
    ],
)  # fmt: skip
def test_nobody_comes_in_with_a_file_that_is_not_as_it_should_be(tmp_path: Path, change: dict[str, object]) -> None:
    files = AccountFiles(tmp_path)
    files.write(ANN)
    path = tmp_path / "accounts/ann.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert [problem.file for problem in files.load()] == ["accounts/ann.json"]
    assert list(files) == []
    files.write(replace(ANN, hash="another"))  # it takes another file
    assert json.loads(path.read_text()).items() >= change.items()


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "\ud800", "{" * 100_000, '{"name": "Ann"}'])
def test_rubbish_is_told_and_harms_nobody_else(tmp_path: Path, text: str) -> None:
    files = AccountFiles(tmp_path)
    files.write(ANN)
    (tmp_path / "accounts/bob.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    (tmp_path / "accounts/cid.json").symlink_to(tmp_path / "accounts/ann.json")
    problems = files.load()
    assert {"accounts/bob.json"} <= {problem.file for problem in problems} <= {"accounts/bob.json", "accounts/cid.json"}
    assert list(files) == [ANN]


def test_of_two_files_with_one_name_the_first_counts_and_the_other_is_told(tmp_path: Path) -> None:
    files = AccountFiles(tmp_path)
    files.write(ANN)
    copy = json.loads((tmp_path / "accounts/ann.json").read_text()) | {"role": "owner", "name": "ann"}
    (tmp_path / "accounts/zz.json").write_text(json.dumps(copy))
    assert [problem.file for problem in files.load()] == ["accounts/zz.json"]
    assert list(files) == [ANN]


@pytest.mark.parametrize("text", ["{", "[]", '{"addresses": 1}', '{"addresses": [1]}'])
def test_while_the_bans_cannot_be_read_nobody_comes_in_from_anywhere(tmp_path: Path, text: str) -> None:
    files = AccountFiles(tmp_path)
    files.write(ANN)
    (tmp_path / "accounts/.bans.json").write_text(text)
    assert [problem.file for problem in files.load()] == ["accounts/.bans.json"]
    assert all(files.is_banned(address) for address in ("127.0.0.1", "192.0.2.1", "::1", "2001:db8::1"))


@pytest.mark.parametrize(
    ("banned", "inside", "outside"),
    [
        ("192.0.2.1", ["192.0.2.1", "::ffff:192.0.2.1"], ["192.0.2.2", "", "unknown"]),
        ("192.0.2.0/24", ["192.0.2.1", "::ffff:192.0.2.200"], ["192.0.3.1", "2001:db8::1"]),
        ("2001:db8::/32", ["2001:db8:1::1"], ["2001:db9::1", "192.0.2.1"]),
    ],
)
def test_a_ban_holds_for_an_address_however_it_is_written(
    tmp_path: Path, banned: str, inside: list[str], outside: list[str]
) -> None:
    files = AccountFiles(tmp_path)
    files.ban_addresses(frozenset({banned}))
    assert all(map(files.is_banned, inside))
    assert not any(map(files.is_banned, outside))
