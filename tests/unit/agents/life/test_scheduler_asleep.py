"""Agents that sleep: they think nothing and submit nothing, wake as they should, and their memory is put in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.agent import Agent
from agents.brains import Situation
from agents.life.prompting import Related
from agents.life.scheduler import QUIET, Scheduler
from agents.llm.backends.scripted import ScriptedModel
from agents.memory.journal import SYNTHESIS
from mud.world.events import Perception
from mud.world.roles import Role
from tests.examples import examples
from tests.houses import House, house, puppet, texts_of
from tests.settings import put, put_own
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault

HUMS = puppet(lambda here: "emote hums", wish=1.0)
FULL = "My head is getting full; what matters I had better note down."
WINDOW = 8192


class Evening:
    """Eliza lives in a house whose clock is moved by hand."""

    def __init__(self, home: House, clock: HandClock, living: Scheduler, eliza: Agent) -> None:
        self.home, self.clock, self.living, self.eliza = home, clock, living, eliza

    @property
    def asleep(self) -> bool:
        return self.eliza.id in self.home.engine.world.asleep

    async def pass_by(self, seconds: float, step: float = 10.0) -> None:
        """Let time go by, in steps that let everybody have their turn."""
        for _ in range(int(seconds / step)):
            self.clock.advance(step)
            await settle()

    def lines(self) -> list[str | None]:
        """Return what Eliza has submitted since this was asked last."""
        found = [step.line for step in self.home.submitted if step.who == self.eliza.id]
        self.home.submitted.clear()
        return found

    def live(self, share: float, what: str = "Tamsin hid {n} plums in the Boathouse") -> None:
        """Have Eliza hear so much that its view takes this share of the window, and a little more."""
        while self.eliza.compactor.view.state().tokens() <= share * WINDOW:
            number = self.eliza.memory.total + 1
            words = f'Moss says, "{what.format(n=number)}, and by the old wall another one stands in the rain."'
            self.eliza.actor.perceive(number, "2026-01-01T00:00:00.000Z", [
                Perception(self.eliza.id, "heard", words, "Moss", "The Garden")
            ])  # fmt: skip


@asynccontextmanager
async def evening(
    folder: Path, *, strategy: str = "sleep", run: bool = True, **own: str | float
) -> AsyncIterator[Evening]:
    vault = folder / "vault" if (folder / "vault").is_dir() else copy_vault(folder)
    put(vault, "memory_compaction", strategy=strategy, summarizer="extractive")
    put_own(vault, "eliza", **own)
    clock = HandClock()
    async with house(folder, clock) as home:
        living = home.living(brains=[HUMS], override="puppet")
        eliza = home.agent("Eliza")
        living.begin(eliza)
        running = asyncio.ensure_future(living.run()) if run else None
        await settle()
        yield Evening(home, clock, living, eliza)
        await living.stop()
        if running is not None:
            await running


def of_day(hours: float) -> str:
    """Return a time of day so many hours after the clock's beginning, where this machine stands."""
    return f"{(HandClock().now() + timedelta(hours=hours)):%H:%M}"


async def test_whoever_sleeps_thinks_nothing_and_wakes_when_called_by_name(tmp_path: Path) -> None:
    async with evening(tmp_path) as night:
        ann = night.home.enter("Ann")
        await night.pass_by(30)
        assert night.lines()
        night.home.type(night.eliza, "sleep", Role.AGENT)
        await night.pass_by(600)
        night.home.type(ann, "say nobody here? Never mind.")
        await night.pass_by(60)
        assert (night.asleep, night.lines()) == (True, [])
        assert await night.living.act(night.eliza, waiting=True) is None
        night.home.type(ann, "say Eliza, there you are!")
        assert not night.asleep
        await night.pass_by(10)
        assert night.lines() == ["emote hums"]
        lived = [text for text in texts_of(night.eliza) if not text.startswith("I dreamed: ")]
        assert lived[-4:] == [
            "You fall asleep.",
            'Ann says, "Eliza, there you are!"',
            "You wake up.",
            "Eliza hums.",
        ]


async def test_by_the_clock_it_falls_asleep_and_wakes(tmp_path: Path) -> None:
    async with evening(tmp_path, sleep_at=of_day(1), wake_at=of_day(3)) as night:
        await night.pass_by(3500, 50)
        assert not night.asleep
        await night.pass_by(200)
        assert night.asleep
        night.lines()
        await night.pass_by(6800, 50)
        assert (night.asleep, night.lines()) == (True, [])
        await night.pass_by(300)
        assert not night.asleep
        assert night.lines()[0] == "wake"


async def test_woken_in_the_night_it_stays_up_while_it_is_spoken_to(tmp_path: Path) -> None:
    async with evening(tmp_path, sleep_at=of_day(-1), wake_at=of_day(8)) as night:
        ann = night.home.enter("Ann")
        await night.pass_by(60)
        assert night.asleep
        night.home.type(ann, "wake Eliza")
        await night.pass_by(QUIET - 60)
        assert not night.asleep
        night.home.type(ann, "say Eliza, stay a while")
        await night.pass_by(QUIET - 60)
        assert not night.asleep
        await night.pass_by(120)
        assert night.asleep


async def test_a_restart_keeps_a_sleeper_asleep_and_its_night_ends_all_the_same(tmp_path: Path) -> None:
    async with evening(tmp_path, nap_hours=2) as night:
        night.home.type(night.eliza, "sleep", Role.AGENT)
        night.home.parts.save()
    async with evening(tmp_path, nap_hours=2) as night:
        await night.pass_by(7000, 50)
        assert (night.asleep, night.lines()) == (True, [])
        await night.pass_by(300)
        assert not night.asleep
    async with evening(tmp_path) as night:
        assert not night.asleep, "the ledger has it, although nothing was saved since"


async def test_asleep_memories_are_folded_from_seventy_percent_on_and_awake_they_are_not(tmp_path: Path) -> None:
    async with evening(tmp_path, think_interval=80000) as night:
        eliza = night.eliza
        night.live(0.71)
        await night.pass_by(60)
        assert eliza.memory.compactions == 0
        night.home.type(eliza, "sleep", Role.AGENT)
        await night.pass_by(30)
        assert eliza.memory.compactions == 1
        standing = eliza.compactor.view.state()
        assert standing.tokens() < 0.7 * WINDOW
        assert standing.unfolded >= 20
        entries = [line.entry for line in eliza.keeper.journal.lines()]
        assert entries[-1].type == SYNTHESIS
        assert any("plums" in one.text and one.consolidated for one in entries), "first the journal, then the fold"
        assert eliza.notes.read("Boathouse") is not None or eliza.notes.read("Tamsin") is not None
        assert night.asleep


async def test_under_seventy_percent_sleep_folds_nothing(tmp_path: Path) -> None:
    async with evening(tmp_path, think_interval=80000) as night:
        night.live(0.6)
        night.home.type(night.eliza, "sleep", Role.AGENT)
        await night.pass_by(60)
        assert night.eliza.memory.compactions == 0


async def test_awake_an_emergency_fold_is_made_at_once_by_rules_and_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with evening(tmp_path, run=False, emergency_threshold=0.75) as night:
        eliza = night.eliza
        with caplog.at_level(logging.WARNING):
            night.live(0.74)
            assert eliza.memory.compactions == 0
            for _ in range(12):
                number = eliza.memory.total + 1
                words = f'Moss says, "Corvin owes {number} barrels to whoever asks him at the Sundial."'
                eliza.memory.append(
                    [Perception(eliza.id, "heard", words, "Moss", "The Garden")], "2026-01-01T00:00:00.000Z", number
                )
            assert eliza.compactor.view.state().tokens() > 0.75 * WINDOW
            night.home.parts.prompting.build(eliza, Related(), thinks=True)
        assert eliza.memory.compactions == 1
        assert eliza.compactor.view.state().tokens() <= 0.75 * WINDOW
        assert eliza.memory.longterm is not None
        assert (eliza.memory.longterm.reason, eliza.memory.longterm.method) == ("emergency", "extractive")
        warning = next(one.getMessage() for one in caplog.records if one.levelno == logging.WARNING)
        assert warning.startswith("[Memory] Eliza: ")
        assert warning.endswith("emergency compaction")


async def test_other_strategies_fold_nothing_because_a_prompt_is_built(tmp_path: Path) -> None:
    async with evening(tmp_path, strategy="waterfall", run=False) as night:
        for number in range(1, 200):
            words = f'Moss says, "lamp {number}"'
            night.eliza.memory.append(
                [Perception(night.eliza.id, "heard", words, "Moss", None)], "2026-01-01T00:00:00.000Z", number
            )
        night.home.parts.prompting.build(night.eliza, Related(), thinks=True)
        assert night.eliza.memory.compactions == 0


async def test_a_full_head_is_told_once_until_the_next_fold_and_stands_in_the_prompt(tmp_path: Path) -> None:
    async with evening(tmp_path, run=False) as night:
        eliza = night.eliza

        async def told() -> int:
            await night.living.act(eliza, waiting=False)
            return sum(FULL in text for text in texts_of(eliza))

        def hinted() -> bool:
            return "Your head is getting full" in night.home.parts.prompting.build(eliza, Related(), thinks=True).text

        night.live(0.5)
        assert (await told(), hinted()) == (0, False)
        night.live(0.71)
        assert (await told(), hinted()) == (1, True)
        assert (await told(), await told()) == (1, 1)
        thought = next(one for one in eliza.memory.tail if FULL in one.text)
        assert (thought.kind, thought.place) == ("thought", "The Garden")
        await night.home.minds.fold(eliza)
        assert (await told(), hinted()) == (1, False)
        night.live(0.71)
        assert (await told(), hinted()) == (2, True)


async def test_a_restart_does_not_tell_again_what_is_remembered(tmp_path: Path) -> None:
    for _ in range(2):
        async with evening(tmp_path, run=False) as night:
            night.live(0.71)
            await night.living.act(night.eliza, waiting=False)
            assert sum(FULL in text for text in texts_of(night.eliza)) == 1


async def test_nobody_speaks_with_a_sleeper(tmp_path: Path) -> None:
    seen: list[tuple[str, ...]] = []

    def look(here: Situation) -> str:
        seen.append(tuple(one.name for one in here.people))
        return "emote looks around"

    async with house(tmp_path) as home:
        looks = puppet(look)
        living = home.living(brains=[looks], override="puppet")
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        living.begin(eliza)
        await living.act(eliza, waiting=False)
        home.type(ann, "sleep")
        await living.act(eliza, waiting=False)
        assert ["Ann" in people for people in seen] == [True, False]
        assert "Ann (asleep)" in home.parts.prompting.build(eliza, Related()).text


async def test_a_thought_that_ends_asleep_is_not_submitted(tmp_path: Path) -> None:
    async with house(tmp_path) as home:

        def drops_off(here: object) -> str:
            home.type(home.agent("Eliza"), "sleep", Role.AGENT)
            return "emote hums"

        living = home.living(ScriptedModel(), brains=[puppet(drops_off)], override="puppet")
        living.begin(home.agent("Eliza"))
        assert await living.act(home.agent("Eliza"), waiting=False) is None
        assert home.submitted == []


DOINGS = st.lists(
    st.one_of(st.sampled_from(["sleep", "wake", "say Eliza!", "say hm", "wake Eliza"]), st.integers(1, 40).map(float)),
    max_size=12,
)


@given(doings=DOINGS)
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whoever_sleeps_submits_no_line_but_wake(
    tmp_path_factory: pytest.TempPathFactory, doings: list[str | float]
) -> None:
    async def live() -> None:
        async with evening(tmp_path_factory.mktemp("night")) as night:
            ann = night.home.enter("Ann")
            for doing in doings:
                if isinstance(doing, float):
                    await night.pass_by(doing, 4)
                elif doing in ("sleep", "wake"):
                    night.home.type(night.eliza, doing, Role.AGENT)
                else:
                    night.home.type(ann, doing)
                if night.asleep:
                    night.lines()
                    await night.pass_by(20, 4)
                    assert night.lines() == []

    asyncio.run(live())
