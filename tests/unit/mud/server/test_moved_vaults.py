"""A vault that is moved, removed or replaced while its world runs: what was answered is in it, or nothing was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mud.server.wiring import opened
from tests.houses import house
from tests.processes import Running, loci, memories, texts
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import ledger

REFUSED = "The ledger cannot be written (the vault's folder was moved, removed or replaced"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def world(vault: Path, name: str = "Jonas") -> Running:
    running = Running(vault, "--no-agents", "--as", name, errors=vault.parent / "errors")
    running.say("say one1", "one1")
    return running


def said(vault: Path) -> list[str]:
    """Return what the ledger and Jonas have of what he said, when both have the same."""
    in_ledger = [left["text"] for step in ledger(vault) for left in step["left"] if left["kind"] == "said"]
    assert [text for text in texts(memories(vault, "jonas")) if text.startswith("You say")] == in_ledger
    return [text.split('"')[1] for text in in_ledger]


def test_two_never_write_into_the_vault_that_takes_the_place_of_one_that_runs(vault: Path) -> None:
    first, old = world(vault), vault.parent / "old"
    vault.rename(old)
    copy_vault(vault.parent)
    without_vectors(vault)
    first.say("say two2", REFUSED)
    second = world(vault, "Bob")
    first.say("say three3", REFUSED)
    second.say("say four4", "four4")
    second.type("quit")
    assert second.wait() == 0
    first.type("quit")
    assert first.wait() == 1
    assert "the vault's folder was moved" in (vault.parent / "errors").read_text(encoding="utf-8")
    assert not (vault / "agents/jonas").exists()
    assert [step["step"] for step in ledger(vault)] == list(range(1, len(ledger(vault)) + 1))
    assert not (old / "agents/bob").exists()
    assert said(old) == ["one1"]
    for one in (vault, old):
        done = loci("check", "--vault", one)
        assert done.returncode == 0, done.stdout


def test_a_vault_that_is_gone_is_not_made_again_and_every_line_is_refused(tmp_path: Path) -> None:
    vaults = []
    for gone in ("moved", "removed"):
        (tmp_path / gone).mkdir()
        vaults.append(without_vectors(copy_vault(tmp_path / gone)))
    moved, removed = vaults
    both, old = [world(vault) for vault in vaults], moved.parent / "old"
    moved.rename(old)
    shutil.rmtree(removed)
    for running in both:
        running.say("say two2", REFUSED)
    assert not both[0].ends_within(7)  # as long as it takes to save, sync, sweep and miss a file
    for running in both:
        running.say("say three3", REFUSED)
    assert not any(vault.exists() for vault in vaults)
    old.rename(moved)
    both[0].say("say four4", 'You say, "four4"')
    both[0].say("@save", "Saved;")
    moved.rename(old)
    for running in both:
        running.type("quit")
        assert running.wait() == 1
    assert not any(vault.exists() for vault in vaults)
    assert said(old) == ["one1", "four4"]
    done = loci("check", "--vault", old)
    assert done.returncode == 0, done.stdout


def test_a_players_folder_that_is_removed_is_made_anew_with_what_the_ledger_has(vault: Path) -> None:
    running = world(vault)
    before = memories(vault, "jonas")
    identity = (vault / "agents/jonas/agent.md").read_text(encoding="utf-8")
    shutil.rmtree(vault / "agents/jonas")
    running.say("say two2", "two2")
    running.say("say three3", "three3")
    running.type("quit")
    assert "agents/jonas was gone and is made anew, with the memories that the ledger has" in "\n".join(running.rest())
    assert running.wait() == 0
    assert said(vault) == ["one1", "two2", "three3"]
    assert memories(vault, "jonas")[: len(before)] == before
    assert (vault / "agents/jonas/agent.md").read_text(encoding="utf-8") == identity
    done = loci("check", "--vault", vault)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("saved", [False, True])
def test_a_players_folder_removed_just_before_a_kill_is_made_anew_when_they_come_back(vault: Path, saved: bool) -> None:
    running = world(vault)
    if saved:
        running.say("@save", "Saved;")
    identity = (vault / "agents/jonas/agent.md").read_text(encoding="utf-8")
    shutil.rmtree(vault / "agents/jonas")
    running.kill()
    done = loci("run", "--vault", vault, "--no-agents", "--as", "Jonas", stdin="say two2\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "agents/jonas was gone and is made anew, with the memories that the ledger has" in done.stderr
    assert said(vault) == ["one1", "two2"]
    assert (vault / "agents/jonas/agent.md").read_text(encoding="utf-8") == identity
    done = loci("check", "--vault", vault)
    assert done.returncode == 0, done.stdout


def test_the_name_of_an_agent_that_was_removed_is_free_and_its_life_is_not_given_to_a_player(vault: Path) -> None:
    running = Running(vault, "--as", "Jonas", errors=vault.parent / "errors")
    running.say("whisper to Eliza -> one1", "one1")
    running.say("@save", "Saved;")
    eliza = (vault / "agents/eliza/agent.md").read_text(encoding="utf-8").splitlines()[1]
    running.kill()
    shutil.rmtree(vault / "agents/eliza")
    done = loci("run", "--vault", vault, "--no-agents", "--as", "Eliza", stdin="say two2\nquit\n")
    assert done.returncode == 0, done.stderr
    assert eliza not in (vault / "agents/eliza/agent.md").read_text(encoding="utf-8")
    assert "one1" not in str(memories(vault, "eliza"))


def test_what_no_archive_can_take_is_not_called_saved_and_comes_back_at_the_next_start(vault: Path) -> None:
    running, aside = world(vault), vault.parent / "jonas"
    (vault / "agents/jonas").rename(aside)
    (vault / "agents/jonas").write_text("in the way", encoding="utf-8")
    running.say("say two2", "two2")
    running.say("@save", "It could not be saved (no archive has all that the ledger left with Jonas).")
    running.say("say three3", "three3")
    running.type("quit")
    assert running.wait() == 1
    told = (vault.parent / "errors").read_text(encoding="utf-8")
    assert "loci: no archive has all that the ledger left with Jonas; the next start gives it to them" in told
    (vault / "agents/jonas").unlink()
    aside.rename(vault / "agents/jonas")
    done = loci("run", "--vault", vault, "--no-agents", "--as", "Jonas", stdin="quit\n")
    assert done.returncode == 0, done.stderr
    assert said(vault) == ["one1", "two2", "three3"]


async def test_what_is_left_with_somebody_whose_folder_is_gone_at_the_start_is_told(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say hello")
    shutil.rmtree(ann.folder)
    with opened(home.parts.vault, writable=False) as parts:
        (told,) = parts.met
    assert f"left with Ann ({ann.id}) can be in no archive: the folder is gone; expected it here" in told.message
