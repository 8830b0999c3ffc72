"""Files are opened where they stand: nothing is written through a link, and nothing from outside is read unasked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mud.errors import UnsafePath, VaultProblem
from mud.storage.files import copy_folder, read_text, sweep_leftovers, write_atomic, write_new, write_unsynced
from mud.storage.jsonl import JsonlWriter, read_jsonl
from mud.storage.paths import SETTINGS, make_folder, missing_in, move, open_own, remove

PRECIOUS = "alias ll='ls -l'\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file of the person's own, beside the vault."""
    (tmp_path / "home").mkdir()
    path = tmp_path / "home/bashrc.md"
    path.write_text(PRECIOUS)
    return path


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for name in ("world", "config", "agents/eliza/notes"):
        (tmp_path / "vault" / name).mkdir(parents=True)
    return tmp_path / "vault"


def follow(vault: Path, said: str = "true") -> None:
    (vault / SETTINGS).write_text(f"# Vault\n\n**follow_links**: {said}\n")


def append(path: Path, text: str) -> None:
    with JsonlWriter(path) as writer:
        writer.append([text])


def open_and_write(path: Path, text: str) -> None:
    os.close(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))


WRITERS = [write_atomic, write_unsynced, append, open_and_write]


@pytest.mark.parametrize("write", WRITERS)
def test_nothing_is_written_through_a_link(vault: Path, outside: Path, write: Callable[[Path, str], None]) -> None:
    link = vault / "agents/eliza/mind.md"
    link.symlink_to(outside)
    with pytest.raises(UnsafePath, match=r"^agents/eliza/mind\.md: this is a link"):
        write(link, "{}")
    assert outside.read_text() == PRECIOUS
    assert link.is_symlink()
    assert sorted(path.name for path in link.parent.iterdir()) == ["mind.md", "notes"]


@pytest.mark.parametrize("write", [*WRITERS, lambda path, text: write_new(path, b"")])
def test_nothing_is_written_below_a_folder_that_is_a_link(
    vault: Path, outside: Path, write: Callable[[Path, str], None]
) -> None:
    (vault / "agents/moss").symlink_to(outside.parent)
    (outside.parent / "notes").mkdir()
    for path in (vault / "agents/moss/mind.md", vault / "agents/moss/bashrc.md", vault / "agents/moss/notes/a.md"):
        with pytest.raises(UnsafePath, match=r"^agents/moss: this is a link"):
            write(path, "{}")
    assert sorted(path.name for path in outside.parent.rglob("*")) == ["bashrc.md", "notes"]
    assert outside.read_text() == PRECIOUS


def test_no_folder_is_made_and_no_file_removed_or_moved_behind_a_link(vault: Path, outside: Path) -> None:
    (vault / "log").symlink_to(outside.parent)
    (outside.parent / ".0123456789ab.tmp").write_text("theirs")
    with pytest.raises(UnsafePath, match=r"^log: this is a link"):
        make_folder(vault / "log")
    with pytest.raises(UnsafePath, match=r"^log: this is a link"):
        make_folder(vault / "log/traces/eliza", above=True)
    with pytest.raises(UnsafePath, match=r"^log: this is a link"):
        remove(vault / "log/bashrc.md")
    with pytest.raises(UnsafePath, match=r"^log: this is a link"):
        move(vault / "log/bashrc.md", vault / "bashrc.md")
    sweep_leftovers(vault / "log")
    assert sorted(path.name for path in outside.parent.iterdir()) == [".0123456789ab.tmp", "bashrc.md"]


def test_a_folder_that_becomes_a_link_while_the_world_runs_is_noticed(vault: Path, outside: Path) -> None:
    notes = vault / "agents/eliza/notes"
    with JsonlWriter(notes / "a.jsonl") as writer:
        writer.append(["{}"])
        write_unsynced(notes / "lamp.md", "A lamp.")
        notes.rename(notes.with_name("old"))
        notes.symlink_to(outside.parent)
        with pytest.raises(UnsafePath):
            writer.append(["{}"])
        with pytest.raises(UnsafePath):
            write_unsynced(notes / "lamp.md", "A lamp.")
        notes.unlink()
        notes.with_name("old").rename(notes)
        writer.append(["{}"])
    assert [line.raw for line in read_jsonl(notes / "a.jsonl")] == ["{}", "{}"]
    assert [path.name for path in outside.parent.iterdir()] == ["bashrc.md"]


def test_a_line_file_replaced_by_a_link_to_itself_elsewhere_is_not_written(vault: Path) -> None:
    path = vault / "a.jsonl"
    with JsonlWriter(path) as writer:
        writer.append(["{}"])
        path.rename(vault.parent / "moved.jsonl")
        path.symlink_to(vault.parent / "moved.jsonl")
        with pytest.raises(UnsafePath):
            writer.append(["{}"])
    assert (vault.parent / "moved.jsonl").read_text() == "{}\n"


@pytest.mark.parametrize("write", [*WRITERS, lambda path, text: read_text(path)])
def test_a_pipe_a_folder_or_a_device_where_a_file_should_be_is_a_problem_and_blocks_nobody(
    vault: Path, write: Callable[[Path, str], None]
) -> None:
    os.mkfifo(vault / "pipe.md")
    (vault / "folder.md").mkdir()
    for name in ("pipe.md", "folder.md"):
        with pytest.raises(VaultProblem, match=rf"{name}: this is no ordinary file"):
            write(vault / name, "{}")


def test_what_people_link_inside_the_vault_is_read(vault: Path) -> None:
    (vault / "shared").mkdir()
    (vault / "shared/lamp.md").write_text("A lamp.")
    (vault / "agents/eliza/notes/lamp.md").symlink_to(Path("../../../shared/lamp.md"))
    (vault / "agents/moss").symlink_to(vault / "agents/eliza")
    for who in ("eliza", "moss"):
        assert read_text(vault / f"agents/{who}/notes/lamp.md") == "A lamp."
        assert read_text(vault / f"agents/{who}/notes/lamp.md", inside=True) == "A lamp."


@pytest.mark.parametrize("folder", [True, False])
def test_what_leads_out_of_the_vault_is_read_only_where_links_are_followed(
    vault: Path, outside: Path, *, folder: bool
) -> None:
    link, path = vault / "agents/eliza/notes/linked.md", vault / "agents/eliza/notes/linked.md"
    if folder:
        link, path = vault / "agents/moss", vault / "agents/moss/bashrc.md"
    link.symlink_to(outside.parent if folder else outside)
    refused = r"^agents/x: this leads out of the vault through a link, and is read only with follow_links: true"
    with pytest.raises(VaultProblem, match=refused):
        read_text(path, file="agents/x")
    follow(vault)
    assert read_text(path) == PRECIOUS
    with pytest.raises(VaultProblem, match="and is never read"):
        read_text(path, inside=True)
    follow(vault, "perhaps")
    with pytest.raises(VaultProblem, match="follow_links"):
        read_text(path)
    with pytest.raises(UnsafePath):
        list(read_jsonl(path))


def test_only_the_vault_itself_says_that_links_are_followed(vault: Path, outside: Path, tmp_path: Path) -> None:
    link = vault / "agents/eliza/notes/linked.md"
    link.symlink_to(outside)
    (tmp_path / "yes.md").write_text("**follow_links**: true\n")
    (vault / SETTINGS).symlink_to(tmp_path / "yes.md")
    for name in ("world", "config"):  # a folder that looks like a vault, with words of its own
        (vault / "agents/eliza" / name).mkdir()
    follow(vault / "agents/eliza")
    with pytest.raises(VaultProblem, match="follow_links"):
        read_text(link)


def test_a_copy_has_no_link_that_is_not_followed_no_pipe_and_an_end(vault: Path, outside: Path, tmp_path: Path) -> None:
    notes = vault / "agents/eliza/notes"
    (notes / "lamp.md").write_text("A lamp.")
    (notes / "inside.md").symlink_to(notes / "lamp.md")
    (notes / "outside.md").symlink_to(outside)
    (notes / "nowhere.md").symlink_to(notes / "none.md")
    (notes / "round").symlink_to(vault / "agents")
    os.mkfifo(notes / "pipe.md")
    copy_folder(vault / "agents", tmp_path / "copy")
    names = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert names == {"eliza", "notes", "lamp.md", "inside.md", "round"}
    assert (tmp_path / "copy/eliza/notes/inside.md").read_text() == "A lamp."
    (vault / "text").symlink_to(outside.parent)
    copy_folder(vault / "text", tmp_path / "text")
    assert not (tmp_path / "text").exists()


def test_a_vault_is_known_by_its_folders(vault: Path, tmp_path: Path) -> None:
    assert missing_in(vault) == ""
    assert missing_in(tmp_path) == "world/ and any of agents/, config/, instinct/, prompts/, text/"
    assert missing_in(Path(__file__).parents[4] / "mud") == "any of agents/, config/, instinct/, prompts/, text/"
