"""A file of the world with a mistake in it: the running world stays as it is, and one mistake is told once."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.errors import Problem
from mud.server.wiring import opened
from mud.storage.files import write_atomic
from mud.storage.world_files import WorldFiles
from tests.unit.mud.server.stage import edited
from tests.vaults import SHIPPED, copy_vault
from tests.worlds import snapshot

LIBRARY = "world/locations/the-library.md"
FILES = sorted(path.relative_to(SHIPPED).as_posix() for path in (SHIPPED / "world").glob("*/*.md"))

MISTAKES: tuple[Callable[[str], str], ...] = (
    lambda text: text.replace('id: "', 'id: "x', 1),
    lambda text: re.sub(r'^id: ("#\d+)"', r"id: \1", text, flags=re.M),
    lambda text: re.sub(r'(\[\[[^]]+\]\])"', r"\1", text, count=1),
    lambda text: re.sub(r'"(\[\[[^]]+\]\])"', r"\1", text, count=1),
    lambda text: re.sub(r"^(type: \w+)$", r"\1: \1", text, flags=re.M),
    lambda text: re.sub(r"^type: ", "tipe: ", text, flags=re.M),
    lambda text: text.replace("---\n# ", "\n# "),
    lambda text: re.sub(r"^# .*$", "", text, flags=re.M),
    lambda text: "---\n\x00" + text.removeprefix("---\n"),
)


def with_mistake(vault: Path, file: str, mistake: Callable[[str], str]) -> bool:
    """Make a mistake in a file; return whether there was a place for it."""
    text = (vault / file).read_text(encoding="utf-8")
    write_atomic(vault / file, mistake(text))
    return mistake(text) != text


MEANWHILE = "until they are mended, the world goes by what can be read of these files"


def checked(vault: Path) -> list[Problem]:
    """Return what `check` finds in the files of the world, and what other files say of them."""
    with opened(vault, writable=False) as parts:
        return [one for one in parts.problems if one.file.startswith(("world/", "agents/"))]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [('"#1003"', '"#1003', 2), ("room]", "room", 4), ('Bindery]]"', "Bindery]]", 7), ("---\n# The Library", "", 1)],
)
async def test_a_file_that_cannot_be_read_takes_no_exit_out_of_the_running_world(
    tmp_path: Path, old: str, new: str, line: int
) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        before = snapshot(on.home.engine.world)
        on.replace(LIBRARY, old, new)
        (told,) = on.told
        assert told.startswith(f"(the vault) {LIBRARY}:{line}: ")
        on.replace("world/locations/the-lobby.md", "type: location", "type: location\ntags: [hall]")
        assert snapshot(on.home.engine.world) == before
        on.home.type(ann, "go north")
        assert "north" in on.home.type(ann, "look").reply
        assert on.home.type(ann, "go north").reply.startswith("You walk from The Lobby to The Library")
        assert {problem.file for problem in on.reloading.everything()} == {LIBRARY}
        assert {problem.file for problem in checked(on.vault)} == {LIBRARY}


async def test_an_edit_of_another_file_acts_while_one_it_leads_to_is_broken(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann", "The Lobby")
        on.replace(LIBRARY, '"#1003"', '"#1003')
        on.replace("world/locations/the-lobby.md", "exits:\n", 'exits:\n  ramp: "[[The Library]]"\n')
        assert "The Library" in on.home.type(ann, "go ramp").reply


async def test_a_file_that_takes_the_id_of_another_is_wrong_whichever_comes_first(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        before = snapshot(on.home.engine.world)
        own = re.compile(r'^id: "(#\d+)"$', re.M)
        files = ("world/items/bronze-fin.md", "world/items/wax-tablet.md")
        first, last = (own.search((on.vault / file).read_text(encoding="utf-8")) for file in files)
        assert first
        assert last
        on.replace(files[0], first[1], last[1])
        (told,) = on.told
        assert f"{files[0]}:2: id: " in told
        assert snapshot(on.home.engine.world) == before


def test_at_the_start_what_can_be_read_of_a_broken_file_is_there_and_it_is_said(
    tmp_path: Path,
) -> None:
    vault = copy_vault(tmp_path)
    whole = {one.file: one for one in WorldFiles(vault).load()[0]}
    assert with_mistake(vault, LIBRARY, lambda text: text.replace('Lobby]]"', "Lobby]]"))
    assert {one.file: one for one in WorldFiles(vault).load()[0]} == whole
    with opened(vault, writable=True) as parts:
        told = parts.told_at_start()
        assert [line.split(":")[0] for line in told] == [LIBRARY, MEANWHILE]
    (vault / "world/items/raw.md").write_bytes(b"\xff")
    with opened(vault, writable=True) as parts:
        *_, meanwhile, without = parts.told_at_start()
        assert meanwhile == MEANWHILE
        assert without == "what world/items/raw.md describes is not in the world until then"
        assert {one.file for one in parts.problems} == {LIBRARY, "world/items/raw.md"}


@pytest.mark.parametrize("text", ["", '---\nid: "#1003"\ntype: loca', "\ufffd"])
def test_a_file_that_was_cut_off_is_one_mistake(tmp_path: Path, text: str) -> None:
    vault = copy_vault(tmp_path)
    (vault / LIBRARY).write_bytes(text.encode("utf-8") if text != "\ufffd" else b"\xff\xfe")
    (problem,) = checked(vault)
    assert (problem.file, problem.line) == (LIBRARY, 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FILES), st.sampled_from(MISTAKES)), min_size=1, max_size=3))
def test_mistakes_in_some_files_change_nothing_and_are_told_of_these_files_alone(
    mistakes: list[tuple[str, Callable[[str], str]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = copy_vault(Path(folder))
        files = WorldFiles(vault)
        before, problems = files.load()
        assert problems == []
        wrong = {file for file, mistake in mistakes if with_mistake(vault, file, mistake)}
        after, problems = files.load()
        assert after == before
        assert {problem.file for problem in problems} == wrong
        assert all(problem.line > 0 for problem in problems)
        first, anew = WorldFiles(vault).load()
        assert {problem.file for problem in anew} == wrong
        untouched = {one.file for one in before} - wrong
        assert {one.file for one in first} >= untouched
