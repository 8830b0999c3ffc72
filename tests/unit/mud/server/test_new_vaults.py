from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mud.errors import LociError
from mud.server.checks import check_vault
from mud.server.new_vaults import EMPTY, LENT, examples, fill_from_example, new_vault
from mud.simulation.run import SimulationPlan, simulate
from tests.vaults import SHIPPED


def made(folder: Path, example: str, *, texts: bool = False) -> Path:
    """Make a vault of an example in a folder."""
    with new_vault(folder / "new") as inside:
        fill_from_example(inside, example, texts=texts)
    return folder / "new"


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("example", examples())
def test_nothing_is_wrong_in_an_example_which_borrows_words_or_has_its_own(
    tmp_path: Path, example: str, texts: bool
) -> None:
    vault = made(tmp_path, example, texts=texts)
    assert check_vault(vault) == []
    assert [name for name in LENT if texts and not (vault / name).is_dir()] == []
    assert list(tmp_path.iterdir()) == [vault]


@pytest.mark.parametrize("example", [name for name in examples() if name != EMPTY])
def test_an_example_lives_for_ten_minutes_and_nothing_goes_wrong(tmp_path: Path, example: str) -> None:
    vault = made(tmp_path, example)
    lived = simulate(SimulationPlan(vault, 200, None, 1, keep=True), lambda text: None)
    assert lived["world_seconds"] >= 600
    assert lived["lines_spoken"] > 20
    assert lived["repetition_rate"] < 0.05
    assert lived["silent_at_the_end"] == 0
    assert check_vault(vault) == []


def test_settings_of_an_example_stand_in_the_shipped_files_with_their_help(tmp_path: Path) -> None:
    text = (made(tmp_path, "research") / "config/memory_compaction.md").read_text("utf-8")
    shipped = (SHIPPED / "config/memory_compaction.md").read_text("utf-8")
    assert "**immediate_window**: 16\n" in text
    assert text.count("\n_") == shipped.count("\n_") > 0


def test_an_example_of_which_something_is_written_in_the_vault_is_all_there(tmp_path: Path) -> None:
    vault = made(tmp_path, "shipped")
    written = [path.relative_to(SHIPPED) for path in (SHIPPED / "world").rglob("*.md") if path.name != "state.md"]
    assert [str(file) for file in written if (vault / file).read_bytes() != (SHIPPED / file).read_bytes()] == []


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("file", "is there already and is no folder"),
        ("full", "is there already and is not empty"),
        ("link", "is there already and is no folder"),
        ("none/new", "there is no folder .* to make new in"),
        ("file/new", "there is no folder .* to make new in"),
        ("vault/world/new", "is inside the vault"),
    ],
)
def test_where_no_vault_can_be_nothing_is_made_and_one_sentence_says_why(tmp_path: Path, place: str, told: str) -> None:
    made(tmp_path, EMPTY).rename(tmp_path / "vault")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(LociError, match=told), new_vault(tmp_path / place):
        pytest.fail("it was begun")
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_becomes_the_vault(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    assert check_vault(made(tmp_path, EMPTY)) == []


def _fail(inside: Path) -> None:
    fill_from_example(inside, EMPTY, texts=False)
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_fails_half_way_and_what_is_no_vault_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(LociError, match="this makes no vault: it lacks world/"), new_vault(tmp_path / "new") as inside:
        (inside / "letter.md").write_text("no vault")
    with pytest.raises(LociError, match="cannot be made: No space left"), new_vault(tmp_path / "new") as inside:
        _fail(inside)
    assert list(tmp_path.iterdir()) == []
