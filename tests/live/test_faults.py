"""A world whose disk fails, that is killed, or that loses its power at any system call: what was promised is there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.memory.summaries import parse_summary
from tests.live.test_fold_kills import TINY
from tests.power import LEFT_OUT, Recording
from tests.processes import Running, loci, memories, texts
from tests.settings import put
from tests.syscalls import CALLS, FAULTS, Spec, calls
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import answered, check_ledger, check_whole, go_on, ledger

FIRST = (
    "say lantern {0}.0 hangs in the Lobby",
    "note Sundial -> The fin is missing, {0}.",
    "say lantern {0}.1 is for Moss",
    "@compact-memories Eliza",
    "say lantern {0}.2 is yours, Eliza",
)
LATER = ("go north", "@memory-status Eliza", "go south", "say lantern {0}.3 burns no more", "quit")
"""What is typed before and after Eliza is heard to speak."""
HEARD_WITHIN = 3.0
"""Seconds that nobody waits longer for her: she may have no memory, or no world to speak in."""
GIVEN = 40
"""Memories that `remember` gives."""

Life = Callable[[Path, Spec | None, int, Path], list[str]]
"""Lives in a vault, traced or not, the n-th time, with a file for errors; returns what was answered."""


def talk(vault: Path, traced: Spec | None, number: int, errors: Path, *options: str) -> list[str]:
    """Have Ann talk to agents that live by instinct, fold memories, and leave."""
    world = Running(vault, "--as", "Ann", "--seed", "1", *options, errors=errors, traced=traced)
    for line in FIRST:
        world.type(line.format(number))
    shown = world.read_as_far_as("Eliza says" if not options else "Lobby", HEARD_WITHIN)
    for line in LATER:
        world.type(line.format(number))
    shown += world.rest()
    world.wait()
    assert "Traceback" not in "\n".join(shown)
    return answered(shown)


def remember(vault: Path, traced: Spec | None, number: int, errors: Path) -> list[str]:
    """Give Eliza memories in bulk."""
    file = vault.parent / "given.jsonl"
    file.write_text(
        "".join(f"{json.dumps({'text': f'barrel {number}.{one} stands by the Cistern'})}\n" for one in range(GIVEN))
    )
    return _command(traced, errors, "remember", "eliza", file, "--no-wait", "--vault", vault)


def compact(vault: Path, traced: Spec | None, number: int, errors: Path) -> list[str]:
    """Have Eliza's memories folded."""
    return _command(traced, errors, "compact", "eliza", "--vault", vault)


def _command(traced: Spec | None, errors: Path, *args: object) -> list[str]:
    done = loci(*args, traced=traced)
    assert "Traceback" not in done.stdout
    with errors.open("a", encoding="utf-8") as file:
        file.write(done.stderr)
    return []


LIVES: tuple[Life, ...] = (talk, remember, compact)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault in which somebody has lived already."""
    folder = tmp_path_factory.mktemp("lived")
    vault = without_vectors(copy_vault(folder))
    put(vault, "memory_compaction", **TINY)
    put(vault, "world", state_interval=0.5)
    put(vault, "thinking", think_interval=1)
    talk(vault, None, 0, folder / "errors", "--no-agents")
    remember(vault, None, 0, folder / "errors")
    return vault


def spoken(vault: Path) -> list[str]:
    """Return what a vault's player was answered before."""
    left = (left["text"] for step in ledger(vault) for left in step["left"] if left["kind"] == "said")
    return [text for text in left if text.startswith('You say, "lantern')]


def strike(lived: Path, folder: Path, life: Life, fault: str, at: int, *, lasting: bool = False) -> bool:
    """Live in a copy of a vault while its disk fails, hold it to what must hold, and return whether it did fail."""
    shutil.rmtree(folder, ignore_errors=True)
    vault, errors = folder / "vault", folder / "errors"
    shutil.copytree(lived, vault)
    spec = Spec(str(vault), str(folder / "calls"), (".index",), fault, at, lasting)
    said = spoken(vault) + life(vault, spec, 1, errors)
    assert "Traceback" not in errors.read_text("utf-8")
    check_ledger(vault, said)
    go_on(vault, "the roof holds")
    check_whole(vault, said)
    return any(call.get("fault") for call in calls(spec))


def test_whoever_plays_is_told_in_the_game_that_the_disk_confirms_nothing(lived: Path, tmp_path: Path) -> None:
    vault, errors = tmp_path / "vault", tmp_path / "errors"
    shutil.copytree(lived, vault)
    spec = Spec(str(vault), str(tmp_path / "calls"), (".index",), "unsynced", 1, True)
    world = Running(vault, "--as", "Ann", "--no-agents", errors=errors, traced=spec)
    world.type("say lantern 1.0 is lit")
    world.read_until("(the disk) It does not confirm what is written down (Input/output error).")
    world.type("quit")
    world.rest()
    world.wait()


FEW = [
    (life, fault, lasting, at)
    for life, fault, lasting, places in (
        (talk, "broken", False, (150,)),
        (talk, "broken", True, (170,)),
        (talk, "full", True, (60,)),
        (talk, "unsynced", True, (3,)),
        (talk, "short", False, (11,)),
        (remember, "broken", False, (2, 100, 160)),
        (remember, "broken", True, (100,)),
        (remember, "full", True, (30,)),
        (remember, "refused", False, (70,)),
        (remember, "short", False, (20,)),
        (compact, "broken", False, (30, 85, 110)),
        (compact, "broken", True, (90,)),
        (compact, "full", True, (9,)),
        (compact, "refused", False, (60,)),
        (compact, "unsynced", True, (2,)),
        (compact, "short", False, (5,)),
    )
    for at in places
]
"""Some of all faults there are, each at some call in each life; `make torture` has them at every call."""


@pytest.mark.parametrize(("life", "fault", "lasting", "at"), FEW)
def test_whatever_a_disk_fails_at_nobody_sees_a_traceback_and_what_was_answered_is_kept(
    lived: Path, tmp_path: Path, life: Life, fault: str, lasting: bool, at: int
) -> None:
    assert strike(lived, tmp_path / "struck", life, fault, at, lasting=lasting), "it had no such call"


@pytest.mark.torture
@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize(
    ("fault", "lasting"),
    [*((name, False) for name, fault in FAULTS.items() if fault.of <= CALLS), ("broken", True), ("full", True)],
)
def test_whichever_call_a_disk_fails_at_what_was_answered_is_kept(
    lived: Path, tmp_path: Path, life: Life, fault: str, lasting: bool
) -> None:
    at = 1
    while strike(lived, tmp_path / "struck", life, fault, at, lasting=lasting):
        at += 1
    assert at > 1


def _killed_again_and_again(lived: Path, folder: Path, kills: int, chance: Random) -> None:
    """Kill one world at one call after the other while its agents live; each goes on from what the last one left."""
    vault, errors = folder / "vault", folder / "errors"
    shutil.copytree(lived, vault)
    said, killed = spoken(vault), 0
    for kill in range(1, kills + 1):
        fault, most = (("killed", 330), ("torn", 45))[kill % 2]
        spec = Spec(str(vault), str(folder / "calls"), (".index",), fault, chance.randint(1, most))
        said += talk(vault, spec, kill, errors)
        killed += any(call.get("fault") for call in calls(spec))
        check_ledger(vault, said)
    assert killed > kills // 2
    assert "Traceback" not in errors.read_text("utf-8")
    go_on(vault, "the roof holds")
    check_whole(vault, said)


def test_a_world_killed_five_times_while_its_agents_live_is_what_its_ledger_says(lived: Path, tmp_path: Path) -> None:
    _killed_again_and_again(lived, tmp_path, 5, Random(5))


@pytest.mark.torture
def test_a_world_killed_sixty_times_while_its_agents_live_is_what_its_ledger_says(lived: Path, tmp_path: Path) -> None:
    _killed_again_and_again(lived, tmp_path, 60, Random(60))


# -- power -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recording(lived: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, int]:
    """Return what a life did to its files, and the number of the call after which `remember` had ended."""
    folder = tmp_path_factory.mktemp("recording")
    vault, made, given = folder / "vault", list[dict[str, Any]](), 0
    shutil.copytree(lived, vault)
    for number, life in enumerate((talk, remember, compact, talk), 1):
        spec = Spec(str(vault), str(folder / "calls"), LEFT_OUT, contents=True)
        life(vault, spec, number, folder / "errors")
        made += calls(spec)
        given = given or (len(made) + 1 if life is remember else 0)
    found = Recording(lived, made)
    there = {path: (vault / path).read_bytes() for path in found.files(len(made) + 1)}
    assert found.files(len(made) + 1) == there
    return found, given


def lose_power(lived: Path, recording: tuple[Recording, int], vault: Path, seed: int) -> None:
    """Start a world on what a power cut left of it, and hold it to what must hold.

    What was answered before the ledger's last sync is there, and all that `remember` gave when it had ended; archives
    have neither gap nor twin; what is summed up is told in whole summaries or in none.
    """
    found, given = recording
    chance = Random(seed)
    at = chance.randint(1, len(found.calls) + 1)
    found.cut(at, chance, vault)
    whole = {
        parse_summary(raw, "recent", "a version", version=True).text
        for raw in found.finished("agents/*/summaries/*.md")
    }
    said = spoken(lived) + answered(found.said(at, "log/ledger-").splitlines())
    go_on(vault, "the roof holds", whole)
    check_whole(vault, said, power_lost=True)
    if at >= given:
        kept = set(texts(memories(vault, "eliza")))
        assert {f"barrel 2.{number} stands by the Cistern" for number in range(GIVEN)} <= kept


@pytest.mark.parametrize("seed", range(6))
def test_after_a_power_cut_what_was_synced_is_there_and_no_summary_is_torn(
    lived: Path, recording: tuple[Recording, int], tmp_path: Path, seed: int
) -> None:
    lose_power(lived, recording, tmp_path / "vault", seed)


@pytest.mark.torture
def test_after_two_thousand_power_cuts_what_was_synced_is_there_and_no_summary_is_torn(
    lived: Path, recording: tuple[Recording, int], tmp_path: Path
) -> None:
    for seed in range(1000, 3000):
        lose_power(lived, recording, tmp_path / "vault", seed)
