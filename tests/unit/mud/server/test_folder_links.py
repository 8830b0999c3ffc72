"""A folder of a vault that is a link out of it is told in one line, and nothing behind it is listed."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mud.command_line import main
from mud.errors import UnsafePath, VaultProblem
from mud.server.app import Options, run
from mud.server.logs import logging_into
from mud.server.wiring import opened
from mud.storage.paths import below
from tests.settings import put
from tests.unit.mud.storage.test_watch import watching
from tests.vaults import copy_vault, without_vectors

PEOPLES = ("config", "config/llm", "instinct", "text", "text/instinct", "prompts", "prompts/summaries")
OURS = ("agents", "agents/eliza", "agents/eliza/memories", "agents/eliza/notes", "log")
FOLDERS = (*PEOPLES, *OURS, "world/locations", "world/items")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the person's own, with files like those of a vault."""
    for name in ("plum.md", "sub/orchard.md", "eliza/agent.md", "plum.jsonl", "ledger-0000000001.jsonl"):
        path = tmp_path / "outside" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Plum orchard\n\n- **plum**: [\n", "utf-8")
    return tmp_path / "outside"


def replace(folder: Path, target: Path) -> None:
    """Put a link in the place of a folder, which may not be there."""
    if folder.exists():
        folder.rename(folder.parent / f".{folder.name}-before")
    folder.symlink_to(target)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_leads_out_of_the_vault_is_one_line_for_check_and_for_the_start(
    vault: Path, outside: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    replace(vault / name, outside)
    assert main(["check", "--json", "--vault", str(vault)]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["file"] for one in told] == [name]
    try:
        with opened(vault, writable=False) as parts:
            started = parts.problems
    except VaultProblem as nowhere:
        started = list(nowhere.problems)
    assert [one.file for one in started] == [name]


def test_of_an_archive_that_leads_out_of_the_vault_no_name_is_told(
    vault: Path, outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replace(vault / "agents/eliza/archive", outside)
    for argv in (["check"], ["status", "Moss"]):
        main([*argv, "--vault", str(vault)])
        out = capsys.readouterr().out
        assert "plum" not in out
        lines = [line.strip() for line in out.splitlines() if "eliza" in line]
        assert lines[0].startswith("agents/eliza/archive: this is a link")
        assert lines[1].startswith("agents/eliza: Eliza stays asleep: ")
        assert len(lines) == 2


def test_a_world_without_its_texts_says_that_they_lead_out_of_the_vault(vault: Path, outside: Path) -> None:
    replace(vault / "text", outside)
    with pytest.raises(UnsafePath, match=r"^text: this leads out of the vault through a link"):
        run(Options(vault, headless=True, seconds=0, agents=False))


async def test_what_is_behind_a_folder_that_becomes_a_link_is_not_reported(vault: Path, outside: Path) -> None:
    async with watching(vault, vault / "config", vault / "text", sweeps=True) as (_, reports):
        replace(vault / "config", outside)
        (vault / "text/new.md").write_text("# New", "utf-8")
        seen: set[Path] = set()
        while not {vault / "text/new.md", vault / "config/world.md"} <= seen:
            seen |= await reports.next()
        assert not any(path.name in {"plum.md", "orchard.md"} for path in seen)


def test_a_folder_that_leads_elsewhere_in_the_vault_or_may_lead_out_is_read(vault: Path, outside: Path) -> None:
    def found(folder: Path) -> Iterator[str]:
        return (entry.name for entry in below(folder) if isinstance(entry, os.DirEntry))

    replace(vault / "text/more", vault / "text")
    assert "instinct" in found(vault / "text/more")
    replace(vault / "instinct", outside)
    assert not list(found(vault / "instinct"))
    put(vault, "vault", follow_links=True)
    assert "plum.md" in found(vault / "instinct")


def test_a_link_from_a_folder_to_itself_has_an_end(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replace(vault / "instinct/again", vault / "instinct")
    replace(vault / "text/again", vault)
    put(vault, "vault", follow_links=True)
    assert main(["check", "--vault", str(vault)]) == 0, capsys.readouterr().out


def test_what_a_library_logs_is_not_shown_to_the_owner(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_into(vault / "log"):
        logging.getLogger("uvicorn.error").error("the thread is inactive")
        logging.getLogger("mud.server.app").warning("the disk is full")
    assert capsys.readouterr().err == "loci: the disk is full\n"
    assert "the thread is inactive" in (vault / "log/loci.log").read_text("utf-8")
