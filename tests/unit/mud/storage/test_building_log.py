from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.errors import LociError
from mud.storage.building_log import FOLDER, MOST, BuildingChange, BuildingLog, FileChange
from mud.storage.trash import TRASH

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
ANN = "#2005"
LAMP, WELL, INN = "world/items/lamp.md", "world/items/well.md", "world/locations/inn.md"


def vault_with(folder: Path, **files: str) -> Path:
    for kind in ("items", "locations"):
        (folder / "world" / kind).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / "world" / "items" / f"{name}.md").write_bytes(text.encode())
    return folder


def texts(vault: Path) -> dict[str, bytes]:
    return {path.relative_to(vault).as_posix(): path.read_bytes() for path in (vault / "world").rglob("*.md")}


def change(number: int = 1, *files: tuple[str, str | None, str | None], undoes: int = 0) -> BuildingChange:
    return BuildingChange(ANN, number, f"@do {number}", tuple(FileChange(*one) for one in files), {"#1": "#2"}, undoes)


def test_a_change_writes_its_files_and_is_kept(tmp_path: Path) -> None:
    vault = vault_with(tmp_path, lamp="old\r\n", well="deep")
    made = change(1, (LAMP, "old\r\n", "new"), (WELL, "deep", None), (INN, None, "warm"))
    log = BuildingLog(vault)
    log.carry_out(made, NOW)
    assert texts(vault) == {LAMP: b"new", INN: b"warm"}
    assert (vault / TRASH / "well-20260101-120000.md").read_text() == "deep"
    assert log.last(ANN) == BuildingLog(vault).last(ANN) == made
    assert log.next_number(ANN) == 2
    assert log.last("#2006") is None


def test_what_takes_a_change_back_is_none_itself(tmp_path: Path) -> None:
    vault, log = vault_with(tmp_path, lamp="a"), BuildingLog(tmp_path)
    first, second = change(1, (LAMP, "a", "b")), change(2, (LAMP, "b", None))
    log.carry_out(first, NOW)
    log.carry_out(second, NOW)
    log.carry_out(change(3, (LAMP, None, "b"), undoes=2), NOW)
    assert texts(vault) == {LAMP: b"b"}
    assert list((vault / TRASH).iterdir()) == []  # it was moved back
    assert log.last(ANN) == first
    assert log.next_number(ANN) == 4


def test_a_disk_that_takes_one_file_less_takes_none(tmp_path: Path) -> None:
    vault, log = vault_with(tmp_path, lamp="a", well="b"), BuildingLog(tmp_path)
    (vault / "outside").mkdir()
    (vault / "world" / "locations").rmdir()
    (vault / "world" / "locations").symlink_to(vault / "outside")
    with pytest.raises((OSError, LociError)):
        log.carry_out(change(1, (LAMP, "a", "A"), (WELL, "b", None), (INN, None, "c")), NOW)
    assert texts(vault) == {LAMP: b"a", "world/items/well.md": b"b"}
    assert log.last(ANN) is None
    assert list((vault / FOLDER).rglob("*.json")) == []


def test_only_so_many_changes_are_kept(tmp_path: Path) -> None:
    vault, log = vault_with(tmp_path, lamp="0"), BuildingLog(tmp_path)
    for number in range(1, MOST + 3):
        log.carry_out(change(number, (LAMP, str(number - 1), str(number))), NOW)
    assert len(list((vault / FOLDER).rglob("*.json"))) == MOST
    found = log.last(ANN)
    assert found is not None
    assert found.number == MOST + 2


TEXT = st.none() | st.sampled_from(["", "a", "b\r\n", "\ufeffc", "ü"])


@given(st.tuples(TEXT, TEXT, TEXT), st.tuples(TEXT, TEXT, TEXT), st.integers(0, 3))
def test_whenever_a_kill_comes_a_change_is_whole_after_the_next_start(
    before: tuple[str | None, ...], after: tuple[str | None, ...], written: int
) -> None:
    """The files that a kill let through are written here by hand; which ones those are depends on nothing."""
    with tempfile.TemporaryDirectory() as folder:
        vault, names = vault_with(Path(folder)), (LAMP, WELL, INN)
        made = change(1, *zip(names, before, after, strict=True))
        begun = vault / FOLDER / "2005" / "0000000001-begun.json"
        begun.parent.mkdir(parents=True)
        data = {**made._asdict(), "files": [one._asdict() for one in made.files], "where": {}, "states": {}}
        begun.write_text(json.dumps(data))
        for at, (name, old, new) in enumerate(zip(names, before, after, strict=True)):
            if (text := new if at < written else old) is not None:
                (vault / name).write_bytes(text.encode())
        BuildingLog(vault).complete(NOW)
        wanted = {name: text.encode() for name, text in zip(names, after, strict=True) if text is not None}
        assert texts(vault) == wanted
        assert [path.name for path in begun.parent.iterdir()] == ["0000000001.json"]
        BuildingLog(vault).complete(NOW)
        assert texts(vault) == wanted


def test_a_file_that_people_changed_since_a_kill_stays_theirs(tmp_path: Path) -> None:
    vault = vault_with(tmp_path, lamp="theirs")
    begun = vault / FOLDER / "2005" / "0000000001-begun.json"
    begun.parent.mkdir(parents=True)
    made = change(1, (LAMP, "a", "b"))
    begun.write_text(json.dumps({**made._asdict(), "files": [made.files[0]._asdict()], "where": {}, "states": {}}))
    BuildingLog(vault).complete(NOW)
    assert texts(vault) == {LAMP: b"theirs"}


@pytest.mark.parametrize(
    ("builder", "file"),
    [
        (ANN, "../lamp.md"),
        (ANN, "world/items/../../../lamp.md"),
        (ANN, "agents/.git/agent.md"),
        (ANN, "accounts/ann.md"),
        (ANN, "config/llm/think.md"),
        ("#../..", LAMP),
    ],
)
def test_the_log_of_a_stranger_reaches_no_other_file(tmp_path: Path, builder: str, file: str) -> None:
    vault = vault_with(tmp_path / "vault")
    begun = vault / FOLDER / "2005" / "0000000001-begun.json"
    begun.parent.mkdir(parents=True)
    data = {"builder": builder, "number": 1, "what": "", "where": {}, "undoes": 0}
    begun.write_text(json.dumps({**data, "files": [{"file": file, "before": None, "after": "x"}]}))
    BuildingLog(vault).complete(NOW)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [begun.name]


def test_a_change_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    vault, log = vault_with(tmp_path, lamp="a"), BuildingLog(tmp_path)
    first = change(1, (LAMP, "a", "b"))
    log.carry_out(first, NOW)
    (vault / FOLDER / "2005" / "0000000002.json").write_text("{}")
    assert log.last(ANN) == first
