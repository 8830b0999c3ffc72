"""A folder whose path is longer than the system takes is one problem, wherever somebody put it, and stops nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mud.command_line import main
from tests.unit.mud.storage.test_watch import watching
from tests.vaults import copy_vault, without_vectors

PLACES = ("", "world/locations", "text", "config/llm", "prompts", "agents/moss", "agents/moss/notes")
HIDDEN = (".git", ".obsidian", "agents/moss/.git", "text/.git")


@contextmanager
def deep(folder: Path, name: str = "d" * 200, depth: int = 30) -> Iterator[None]:
    """Put folders into one another there, deeper than a path can say, and take them away again."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = [os.open(folder, os.O_RDONLY)]
    try:
        for _ in range(depth):
            os.mkdir(name, dir_fd=opened[-1])
            opened.append(os.open(name, os.O_RDONLY, dir_fd=opened[-1]))
        yield
    finally:
        for at in reversed(opened[:-1]):
            os.rmdir(name, dir_fd=at)
        for at in opened:
            os.close(at)


def checked(vault: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    main(["check", "--vault", str(vault)])
    told = capsys.readouterr()
    assert "File name too long" not in told.err
    return told.out.splitlines()


@pytest.mark.parametrize("place", PLACES)
def test_a_folder_too_deep_is_one_problem_under_a_short_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    before = checked(vault, capsys)
    with deep(vault / place):
        told = [line for line in checked(vault, capsys) if line not in before and "dddd" in line]
        assert main(["status", "eliza", "--vault", str(vault)]) == 0
    assert len(told) == 1
    assert told[0].startswith(f"{place}/ddd".lstrip("/"))
    assert len(told[0]) < 250


@pytest.mark.parametrize("place", HIDDEN)
def test_hidden_folders_are_not_looked_into(tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    before = checked(vault, capsys)
    with deep(vault / place):
        (vault / place / "out.md").symlink_to("/etc/hostname")
        os.mkfifo(vault / place / "pipe")
        assert checked(vault, capsys) == before


def test_many_small_folders_in_one_another_are_looked_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with deep(vault / "text", "d", 1_200):
        assert not [line for line in checked(vault, capsys) if "text/" in line]


async def test_the_watcher_sees_what_is_beside_a_folder_too_deep(tmp_path: Path) -> None:
    made, folder = tmp_path / "made", tmp_path / "watched" / "notes"
    folder.parent.mkdir()
    (made / "z").mkdir(parents=True)
    (made / "z/key.md").write_text("It is under the mat.", encoding="utf-8")
    async with watching(tmp_path, folder.parent, sweeps=True) as (_, reports):
        with deep(made):
            made.rename(folder)
            await reports.until({folder / "z/key.md"})
            (folder / "z/key.md").write_text("It is on the shelf.", encoding="utf-8")
            assert await reports.next() == {folder / "z/key.md"}
