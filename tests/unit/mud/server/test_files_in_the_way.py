"""What stands in the place of a file of the program's, or of a prompt, closes nothing that can go on without it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.compaction.summarizer import parse_style
from mud.command_line import main
from mud.errors import Problem
from mud.server.opening import saved_state
from mud.server.wiring import opened
from mud.storage.paths import LINK, LONGEST_FILE
from mud.storage.world_files import STATE
from tests.unit.mud.server.test_unreadable_files import HUGE, folder, huge, pipe
from tests.unit.mud.storage.test_watch import watching
from tests.vaults import SHIPPED, copy_vault, without_vectors

SUMMARIES = "agents/moss/summaries"
SECRET = "The stranger keeps a diary about pears."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


@pytest.fixture(scope="module")
def folded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault in which Moss has both summaries, each with several versions."""
    folder = tmp_path_factory.mktemp("folded")
    vault, given = without_vectors(copy_vault(folder)), folder / "given.jsonl"
    for month in range(2):
        said = (f"On day {day} the miller Anna Berg brought {day + month} sacks of flour." for day in range(80))
        given.write_text("".join(json.dumps({"text": text}) + "\n" for text in said), "utf-8")
        for args in (["remember", "moss", str(given), "--no-wait"], ["compact", "moss"]):
            assert main([*args, "--vault", str(vault)]) == 0
    return vault


@pytest.fixture
def folded(folded_once: Path, tmp_path: Path) -> Path:
    """A copy of that vault."""
    return shutil.copytree(folded_once, tmp_path / "vault")


def link(path: Path) -> None:
    """Put a link out of the vault in a file's place, with other words behind it."""
    text = path.read_text("utf-8") if path.is_file() else ""
    target = path.parents[len(path.parts) - path.parts.index("vault") - 1] / f"{path.name}.elsewhere"
    target.write_text(f"{text}\n{SECRET}\n", "utf-8")
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def inner_link(path: Path) -> None:
    """Put a link in a file's place that leads to another file of the vault."""
    target = path.with_name("beside.txt")
    target.write_text(f"{path.read_text('utf-8')}\n{SECRET}\n", "utf-8")
    path.unlink()
    path.symlink_to(target)


def dead_link(path: Path) -> None:
    """Put a link to nothing in a file's place."""
    path.unlink(missing_ok=True)
    path.symlink_to("nowhere.md")


def nothing(path: Path) -> None:
    """Take a file away."""
    path.unlink()


def places(vault: Path, which: str) -> list[Path]:
    """Return the summaries of Moss that are meant."""
    found = sorted((vault / SUMMARIES).glob("*.md"))
    in_use = [one for one in found if one.stem in ("recent", "longterm")]
    versions = [one for one in found if one not in in_use]
    chosen = {"versions": versions, "the last version": versions[-1:], "all": found}
    return chosen.get(which) or [one for one in in_use if one.stem == which]


@pytest.mark.parametrize(
    ("which", "put"),
    [
        *((which, link) for which in ("recent", "longterm", "the last version", "versions", "all")),
        *((which, inner_link) for which in ("longterm", "versions")),
        ("recent", dead_link),
    ],
)
def test_a_summary_that_is_a_link_is_told_and_not_read_and_its_agent_stays_open(
    folded: Path, capsys: pytest.CaptureFixture[str], which: str, put: Callable[[Path], None]
) -> None:
    config = folded / "config/vault.md"
    off = config.read_text("utf-8")
    assert "**follow_links**: false" in off
    config.write_text(off.replace("**follow_links**: false", "**follow_links**: true"), "utf-8")
    meant = places(folded, which)
    assert meant
    for path in meant:
        put(path)
    for args in (["prompt", "moss"], ["recall", "moss", "flour"], ["compact", "moss"]):
        assert main([*args, "--vault", str(folded)]) == 0
        assert SECRET not in capsys.readouterr().out
    assert main(["check", "--vault", str(folded)]) == 1
    told = capsys.readouterr().out.splitlines()
    for path in meant:
        assert path.is_symlink()
        assert [one for one in told if f"{SUMMARIES}/{path.name}:" in one] == [f"{SUMMARIES}/{path.name}: {LINK}"]


def test_a_summary_whose_file_in_use_is_a_link_is_read_from_its_version(
    folded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(folded, writable=False) as parts:
        before = parts.minds.get("moss").memory.view()
    assert before.recent is not None
    assert before.longterm is not None
    for which in ("recent", "longterm"):
        link(*places(folded, which))
    with opened(folded, writable=True) as parts:
        after = parts.minds.get("moss").memory.view()
    assert (after.recent, after.longterm) == (before.recent, before.longterm)


def test_a_folder_of_summaries_that_is_a_link_leaves_the_agent_open(folded: Path, tmp_path: Path) -> None:
    (folded / SUMMARIES).rename(tmp_path / "elsewhere")
    (folded / SUMMARIES).symlink_to(tmp_path / "elsewhere")
    held = {path.name: path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()}
    with opened(folded, writable=True) as parts:
        view = parts.minds.get("moss").memory.view()
        assert (view.recent, view.longterm) == (None, None)
        assert view.tail[0].seq == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()} == held


PROMPTS = ("think.md", "think_classic.md", "importance.md", "reflect.md", "dream.md", "summaries/base_v2.md")


@pytest.mark.parametrize("put", [link, dead_link, folder, pipe, huge, nothing])
def test_the_prompt_that_came_with_the_program_stands_in_for_one_that_cannot_be_read(
    vault: Path, capsys: pytest.CaptureFixture[str], put: Callable[[Path], None]
) -> None:
    assert main(["prompt", "moss", "--vault", str(vault)]) == 0
    words = capsys.readouterr().out
    for name in PROMPTS:
        put(vault / "prompts" / name)
    assert main(["prompt", "moss", "--vault", str(vault)]) == 0
    assert capsys.readouterr().out == words
    assert main(["status", "moss", "--vault", str(vault)]) == 0
    told = capsys.readouterr().out.splitlines()
    for name in PROMPTS if put is not nothing else PROMPTS[:-1]:
        assert len([one for one in told if one.startswith(f"  prompts/{name}: ")]) == 1
    with opened(vault, writable=False) as parts:
        shipped = parse_style(
            (SHIPPED / "prompts/summaries/base_v2.md").read_text("utf-8"), "prompts/summaries/base_v2.md"
        )
        assert parts.summary_prompts.named("base_v2") == shipped


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_of_whose_memory_cannot_be_opened_status_tells_what_is_wrong_in_the_vault(
    folded: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    huge(folded / "agents/moss/archive/0000000001.jsonl")
    (folded / "world/items/lamp.md").write_text("---\nwight: 3\n---\n# Lamp\n", "utf-8")
    assert main(["status", "moss", *flags, "--vault", str(folded)]) == 1
    said = capsys.readouterr()
    wanted = (
        f"the memory of Moss cannot be opened: agents/moss/archive/0000000001.jsonl: it is too long: {HUGE:,} bytes"
    )
    assert said.err == f"loci: {wanted}; expected at most {LONGEST_FILE:,}\n"
    if flags:
        problems = json.loads(said.out)["problems"]
        assert {"world/items/lamp.md", "agents/moss"} <= {one["file"] for one in problems}
    else:
        assert "  world/items/lamp.md:2: wight: unknown key" in said.out
        assert f"  agents/moss: Moss stays asleep: {wanted}" in said.out
    assert main(["status", "nobody", *flags, "--vault", str(folded)]) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("tool", [["prompt"], ["recall"], ["check"]])
def test_an_archive_longer_than_memory_is_told_as_a_sentence(
    folded: Path, capsys: pytest.CaptureFixture[str], tool: list[str]
) -> None:
    huge(folded / "agents/moss/archive/0000000001.jsonl")
    args = {"check": [], "recall": ["moss", "flour"]}.get(tool[0], ["moss"])
    assert main([*tool, *args, "--vault", str(folded)]) == 1
    said = capsys.readouterr()
    assert "agents/moss/archive/0000000001.jsonl: it is too long: " in said.out + said.err
    assert "[Errno" not in said.out + said.err


def test_a_saved_state_that_is_a_link_is_said_to_stay(vault: Path, caplog: pytest.LogCaptureFixture) -> None:
    with opened(vault, writable=True) as parts:
        parts.save()
    link(vault / STATE)
    target = (vault / STATE).resolve()
    before = target.read_bytes()
    for _ in range(2):
        caplog.clear()
        with opened(vault, writable=True) as parts:
            assert "overwritten" not in caplog.text
            assert "made again from the ledger at every start, and saved there only when this is taken away" in (
                caplog.text
            )
            with pytest.raises(OSError, match="this is a link"):
                parts.save()
    assert ((vault / STATE).is_symlink(), target.read_bytes()) == (True, before)


def test_a_saved_state_that_cannot_be_set_aside_is_replaced_and_said_to_be(
    vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (vault / STATE).write_text("---\nstep: many\n---\n", "utf-8")
    (vault / "log").write_text("no folder")
    problems: list[Problem] = []
    assert saved_state(vault, problems, writable=True) is None
    assert "made again from the ledger, and saving it replaces this file" in caplog.text
    assert problems[0].file == STATE


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
