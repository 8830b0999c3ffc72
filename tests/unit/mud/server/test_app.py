from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.engine.engine import Step
from mud.engine.ledger import Ledger
from mud.errors import LociError, UnknownName
from mud.process import Signals
from mud.server.app import SYNC_EVERY, App, Options, run
from mud.server.bulk import newcomer
from mud.server.checks import check_vault
from mud.server.wiring import opened
from mud.storage.paths import SHIPPED
from mud.storage.world_files import read_state
from mud.world.roles import Role
from tests.houses import house
from tests.processes import Running, loci, memories, texts
from tests.unit.mud.server.test_unreadable_files import pipe
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


async def test_agents_act_without_a_model_until_it_is_told_to_end_and_all_is_saved(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    actors: set[str] = set()
    heard = Signals()

    def seen(step: Step) -> None:
        actors.add(step.who)
        if len(actors) > 1:
            assert heard.end()

    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        parts.engine.observe(seen)
        await App(parts, Options(vault, headless=True, seed=1), "Ann", heard).live()
        number = parts.engine.number
        assert all(agent.thinker is None or not agent.thinker.busy for agent in parts.minds.opened())
    said = capsys.readouterr()
    assert "No language model answers" in said.err
    state = read_state(vault)
    assert state is not None
    assert state.step == number
    assert (vault / "log/chronicle.md").exists()
    steps = [record["step"] for record in Ledger(vault / "log").after(0)]
    assert steps == list(range(1, number + 1))
    assert said.out.count("\n") == (vault / "log/chronicle.md").read_text(encoding="utf-8").count("\n")


async def test_a_mind_that_nobody_leads_is_closed_while_the_world_runs(vault: Path) -> None:
    heard = Signals()
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        away = newcomer(parts, "Ann", person=True)
        still_open: list[bool] = []

        def seen(step: Step) -> None:
            still_open.append(parts.minds.by_id(away.id) is not None)
            if not still_open[-1] or len(still_open) > 500:
                heard.end()

        parts.engine.observe(seen)
        await App(parts, Options(vault, headless=True, seed=1), None, heard).live()
        assert not still_open[-1]


async def test_what_rules_want_to_happen_later_happens_while_the_world_runs(vault: Path) -> None:
    fin, heard = vault / "world/items/bronze-fin.md", Signals()
    fin.write_text(fin.read_text("utf-8").replace("The Boathouse", "The Garden"), "utf-8")
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        ann, sundial, eliza = newcomer(parts, "Ann", person=True), "#1101", "#2001"
        told: list[str] = []

        def seen(step: Step) -> None:
            told.extend(perceived.text for perceived in step.left if perceived.who == eliza)
            if step.who == sundial and not parts.engine.world.live.timers:
                heard.end()

        parts.engine.enter(ann.definition.thing(), "#1001")
        parts.engine.step(ann.id, "take fin", Role.PLAYER)
        assert not parts.engine.step(ann.id, "put fin on sundial", Role.PLAYER).failed
        parts.engine.observe(seen)
        await App(parts, Options(vault, headless=True, agents=False), None, heard).live()
    assert any("zinc label comes up" in one for one in told)


class Unconfirmed(Ledger):
    """A ledger on a disk that confirms nothing, until it is well."""

    well = False
    asked = 0

    def sync(self) -> None:
        self.asked += 1
        if not self.well:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def close(self) -> None:
        self.sync()


async def test_a_disk_that_confirms_nothing_is_told_of_once_and_again_when_it_is_well(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard, ledger = Signals(), Unconfirmed(vault / "log")
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        parts.ledger = ledger
        app = asyncio.create_task(App(parts, Options(vault, headless=True, seed=1), "Ann", heard).live())
        for wanted in (20, 40):
            while ledger.asked < wanted:
                await asyncio.sleep(0)
            ledger.well = True
        assert heard.end()
        await app
    said = capsys.readouterr().err
    assert said.count("(the disk) It does not confirm what is written down (Input/output error).") == 1
    assert said.count("(the disk) It confirms again what is written down.") == 1
    assert "failed" not in said


class Watched(Ledger):
    """A ledger that knows which threads waited for its disk."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.threads: list[threading.Thread] = []

    def sync(self) -> None:
        self.threads.append(threading.current_thread())
        super().sync()


async def test_nobody_waits_for_the_disk_while_the_state_is_saved(vault: Path) -> None:
    heard = Signals()
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        parts.ledger = ledger = Watched(vault / "log")
        app = asyncio.create_task(App(parts, Options(vault, headless=True, seed=1), "Ann", heard).live())
        while not (state := read_state(vault)) or state.step < 5:
            await asyncio.sleep(0)
        assert threading.current_thread() not in ledger.threads
        assert heard.end()
        await app
    assert threading.current_thread() in ledger.threads  # there is nobody left


def test_the_second_that_a_power_cut_may_cost_is_the_pause_between_two_syncs() -> None:
    readme = (SHIPPED.parent / "README.md").read_text(encoding="utf-8")
    assert "**The power goes**: at most about the last second is lost" in readme
    assert SYNC_EVERY == 1.0


def test_a_disk_that_confirms_nothing_at_the_end_lets_go_of_the_vault_all_the_same(vault: Path) -> None:
    with ExitStack() as end:
        parts = end.enter_context(opened(vault, writable=True))
        parts.ledger = Unconfirmed(vault / "log")
        with pytest.raises(OSError, match="Input/output error"):
            end.close()
    with opened(vault, writable=True) as parts:
        assert parts.engine.number == 0


async def test_a_disk_that_refuses_an_archive_is_told_of_and_the_state_is_not_saved(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert home.parts.sync() == ""
        home.type(ann, "say I counted the pears.")
        archives = [int(one.name) for one in Path("/proc/self/fd").iterdir() if "/archive/" in os.path.realpath(one)]
        held = [os.dup(one) for one in archives]
        with Path(os.devnull).open("ab") as nothing:  # which cannot be synced
            for one in archives:
                os.dup2(nothing.fileno(), one)
        assert home.parts.sync() == home.parts.save() == "it refuses an archive"
        assert read_state(home.parts.vault) is None
        for one, kept in zip(archives, held, strict=True):
            os.dup2(kept, one)
            os.close(kept)
        assert home.parts.sync() == home.parts.save() == ""


async def test_its_time_is_over_after_so_many_seconds(vault: Path) -> None:
    clock = VirtualClock()
    with opened(vault, writable=True, clock=clock) as parts:
        await App(parts, Options(vault, headless=True, seconds=20, agents=False), "Ann").live()
        assert clock.monotonic() >= 20
        assert all(agent.thinker is None for agent in parts.minds.opened())
        assert parts.engine.number == 0


def test_a_person_comes_in_is_answered_in_order_and_comes_back_to_where_it_left(vault: Path) -> None:
    typed = "note Sundial -> No fin.\nrecall fin\n@memory-status\ngo north\nquit\n"
    done = loci("run", "--vault", vault, "--no-agents", "--as", "Ann", stdin=typed)
    assert done.returncode == 0, done.stderr
    told = [done.stdout.index(mark) for mark in ("Exits:", "No fin.", "Memory of Ann", "The Lobby\n")]
    assert told == sorted(told)
    again = loci("run", "--vault", vault, "--no-agents", "--as", "ann", stdin="who\n")
    assert again.stdout.startswith("The Lobby\n")
    assert len(list(vault.glob("agents/ann*"))) == 1


def test_one_cannot_be_an_agent_nor_have_a_brain_there_is_not(vault: Path) -> None:
    with pytest.raises(UnknownName, match="there is no brain"):
        run(Options(vault, brain="clever"))
    done = loci("run", "--vault", vault, "--as", "moss", stdin="look\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert "take another name with --as" in done.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Sundial", "the item sundial has the name Sundial already; take another name"),
        ("The Garden", "the location The Garden has the name The Garden already; take another name"),
        ("margery", "somebody is called margery already, and has no memory: margery is one of the world's own"),
    ],
)
def test_one_cannot_be_what_is_in_the_world(vault: Path, name: str, told: str) -> None:
    done = loci("run", "--vault", vault, "--no-agents", "--as", name, stdin="look\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert told in done.stderr
    assert sorted(path.name for path in (vault / "agents").iterdir()) == ["corvin", "eliza", "moss", "tamsin"]


@pytest.mark.parametrize("name", ["auto", "Auto", "instinct", "INSTINCT"])
def test_every_brain_that_a_command_can_choose_can_be_chosen_at_the_start(vault: Path, name: str) -> None:
    done = loci("run", "--vault", vault, "--brain", name, "--headless", "--seconds", "0.1")
    assert done.returncode == 0, done.stderr
    with pytest.raises(UnknownName, match="there is: auto, instinct, language, remote; did you mean auto"):
        run(Options(vault, brain="aut"))


def test_a_vault_without_words_for_something_is_lent_them_and_told_so(vault: Path) -> None:
    path = vault / "text/app.md"
    path.write_text(path.read_text(encoding="utf-8").replace("**saved**", "**svaed**"), encoding="utf-8")
    done = loci("run", "--vault", vault, "--no-agents", stdin="@save\n")
    assert done.returncode == 0
    assert "text/app.md: it has no words for app.save.saved; those that came with the program are used" in done.stderr
    assert "Saved; step" in done.stdout


def test_a_vault_without_texts_prompts_and_instinct_borrows_the_shipped_ones(vault: Path) -> None:
    for folder in ("text", "prompts", "instinct"):
        shutil.rmtree(vault / folder)
    done = loci("run", "--vault", vault, "--no-agents", stdin="say hello\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert 'You say, "hello"' in done.stdout
    assert check_vault(vault) == []


def test_a_wrong_start_location_is_told_and_one_starts_elsewhere(vault: Path) -> None:
    path = vault / "config/world.md"
    path.write_text(path.read_text(encoding="utf-8").replace("The Garden", "The Gaden"), encoding="utf-8")
    done = loci("run", "--vault", vault, "--no-agents", stdin="look\n")
    assert done.returncode == 0
    assert "start_location: there is no 'The Gaden'" in done.stderr
    assert "Exits:" in done.stdout


def test_what_is_said_before_agents_begin_to_live_is_answered_as_what_a_person_waits_for(vault: Path) -> None:
    world = Running(vault, "--as", "Ann", "--seed", "1")
    world.type("say Eliza, where are you?")
    world.read_until("Eliza says")
    assert world.terminate() == 0
    traces = [line for path in (vault / "log/traces/eliza").iterdir() for line in path.read_text("utf-8").splitlines()]
    spoken = [one for one in map(json.loads, traces) if str(one.get("line", "")).startswith("say ")]
    assert spoken[0]["waiting"] is True


def test_a_new_agent_dropped_in_while_it_runs_is_met_in_the_garden(vault: Path) -> None:
    world = Running(vault, "--as", "Ann", "--seed", "1")
    world.read_until("Exits:")
    (vault / "agents/wren").mkdir()
    (vault / "agents/wren/agent.md").write_text('---\nlocation: "[[The Garden]]"\nvoice: moss\n---\n# Wren\n')
    world.read_until("Wren")
    world.say("say Wren, do you hear me?", "Wren says")
    assert world.terminate() == 0
    assert any("do you hear me" in text for text in texts(memories(vault, "wren")))


@pytest.mark.parametrize("put", [pipe, lambda path: path.symlink_to("elsewhere")])
def test_what_stands_in_the_place_of_the_chronicle_is_told_once(vault: Path, put: Callable[[Path], None]) -> None:
    (vault / "log").mkdir()
    put(vault / "log/chronicle.md")
    done = loci("run", "--vault", vault, "--headless", "--seconds", "0.1")
    assert done.returncode == 1
    assert [line.partition(": this is ")[0] for line in done.stderr.splitlines()] == ["loci: log/chronicle.md"]


def test_a_name_that_is_none_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(LociError):
        run(Options(tmp_path / "vault", name="\x07"))
    assert list(tmp_path.iterdir()) == []
