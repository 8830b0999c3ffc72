"""A file that cannot be read, whatever a stranger's vault has in its place, is a problem of that file and no other."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.wiring import opened
from mud.storage.files import READ_LIMIT
from mud.storage.jsonl import LONGEST_LINE, JsonlWriter, read_jsonl
from mud.storage.paths import LONGEST_FILE
from mud.storage.watch import Watcher
from tests.unit.agents.llm.stage import HandClock
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault, without_vectors

HUGE = 30 * 1024**3
"""Bytes of a file without contents: more than there is memory."""
FILES = (
    "agents/moss/agent.md",
    "agents/moss/journal.md",
    "agents/moss/memories/school.md",
    "agents/moss/notes/key.md",
    "agents/moss/summaries/recent.md",
    "config/llm/think.md",
    "config/world.md",
    "prompts/summaries/base_v2.md",
    "prompts/think.md",
    "text/instinct/extra.md",
    "world/items/lamp.md",
    "world/locations/the-loft.md",
)


def huge(path: Path) -> None:
    """Put a file there that is longer than memory."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.truncate(HUGE)


def pipe(path: Path) -> None:
    """Put a pipe there, which blocks whoever opens it to read."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)


def folder(path: Path) -> None:
    """Put a folder there."""
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)


def told_by_check(vault: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what `check` prints."""
    assert main(["check", "--vault", str(vault)]) == 1
    return capsys.readouterr().out


def test_a_huge_file_is_told_by_name_with_its_size_and_the_bound_and_all_others_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    for file in FILES[1:]:
        huge(vault / file)
    told = told_by_check(vault, capsys)
    for file in FILES[1:]:
        bound = 16 * READ_LIMIT if "journal" in file else READ_LIMIT
        assert f"{file}: it is too long: {HUGE:,} bytes; expected at most {bound:,}" in told


@pytest.mark.parametrize("put", [huge, pipe, folder])
def test_who_has_no_file_to_be_read_is_out_and_the_world_has_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], put: Callable[[Path], None]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault / FILES[0])
    assert f"{FILES[0]}: " in told_by_check(vault, capsys)
    with opened(vault, writable=True) as parts:
        assert parts.minds.find("Moss") is None
        assert parts.minds.find("Eliza") is not None


@pytest.mark.parametrize("put", [huge, pipe, folder])
def test_whose_archive_cannot_be_read_stays_asleep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], put: Callable[[Path], None]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    archive = vault / "agents/moss/archive/0000000001.jsonl"
    archive.parent.mkdir()
    put(archive)
    assert "agents/moss: Moss stays asleep" in told_by_check(vault, capsys)
    assert main(["status", "moss", "--vault", str(vault)]) == 1
    assert main(["status", "eliza", "--vault", str(vault)]) == 0


def test_an_archive_that_leads_elsewhere_is_never_opened_and_hides_no_other_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    assert main(["remember", "moss", str(given(tmp_path)), "--no-wait", "--vault", str(vault)]) == 0
    archive = vault / "agents/moss/archive/0000000001.jsonl"
    archive.rename(tmp_path / "elsewhere.jsonl")
    archive.symlink_to("/dev/zero")
    (vault / "config/thinking.md").unlink()
    (vault / "config/thinking.md").symlink_to("nowhere.md")
    told = told_by_check(vault, capsys)
    assert "agents/moss/archive/0000000001.jsonl: this is a link" in told
    assert "config/thinking.md: this link leads nowhere" in told


@pytest.mark.parametrize("tool", ["status", "prompt", "compact"])
def test_a_vault_whose_words_are_elsewhere_borrows_none_and_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tool: str
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    shutil.rmtree(vault / "text")
    (vault / "text").symlink_to(tmp_path)
    assert main([tool, "moss", "--vault", str(vault)]) == 1
    assert "loci: text: this leads out of the vault through a link" in capsys.readouterr().err


def given(folder: Path) -> Path:
    """Return a file of memories."""
    file = folder / "given.jsonl"
    file.write_text('{"text": "The rain fell."}\n', encoding="utf-8")
    return file


@pytest.mark.parametrize("file", FILES)
async def test_a_file_that_becomes_huge_changes_nothing_and_other_edits_of_the_moment_count(
    tmp_path: Path, file: str
) -> None:
    async with edited(tmp_path) as on:
        huge(on.vault / file)
        garden = on.vault / "world/locations/the-garden.md"
        text = garden.read_text(encoding="utf-8")
        garden.write_text(text.replace("Four gravel paths", "Seven gravel paths"), encoding="utf-8")
        on.noticed(file, "world/locations/the-garden.md")
        assert any("it is too long" in one and Path(file).name in one for one in on.told)
        assert "Seven gravel paths" in on.home.engine.world.things[on.home.place("The Garden")].description
        assert on.home.agent("Moss").definition.name == "Moss"


async def test_the_watcher_tells_of_a_huge_file_without_reading_it(tmp_path: Path) -> None:
    told: list[frozenset[Path]] = []
    clock = HandClock()
    watcher = Watcher(told.append, clock, tmp_path)
    (tmp_path / "a.md").write_text("a")
    watcher.watch(tmp_path)
    task = asyncio.create_task(watcher.run())
    try:
        huge(tmp_path / "a.md")
        while not told:
            clock.advance(1)
            await asyncio.sleep(0)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert told[0] == {tmp_path / "a.md"}


def test_a_line_that_is_too_long_is_broken_and_its_neighbours_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n"' + b"x" * LONGEST_LINE + b'"\n{"a":2}\n')
    lines = list(read_jsonl(path))
    assert [(one.number, one.data) for one in lines] == [(1, {"a": 1}), (2, None), (3, {"a": 2})]
    assert path.read_bytes()[lines[2].offset :] == b'{"a":2}\n'
    assert len(lines[1].raw) < LONGEST_LINE


def test_no_line_is_written_that_could_not_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with JsonlWriter(path) as writer:
        with pytest.raises(OSError, match="a line is too long"):
            writer.append(["1", '"' + "x" * LONGEST_LINE + '"'])
        writer.append(["2"])
    assert path.read_text() == "2\n"


def test_a_file_of_the_program_has_a_bound_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    huge(path)
    wanted = f"it is too long: {HUGE:,} bytes; expected at most {LONGEST_FILE:,}"
    with pytest.raises(OSError, match=wanted):
        next(read_jsonl(path))
    with pytest.raises(OSError, match=wanted):
        JsonlWriter(path)
