"""A server embeds: words go on whatever it does, vectors catch up when it is back, and nobody's limit is passed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from agents.llm.profiles import LLMProfile
from agents.llm.spending import BudgetSettings, ModelBudget, Notice
from agents.recall.documents import IndexedDocument
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from agents.recall.vectors import EmbeddingBudget
from mud.clock import Clock
from mud.server.wiring import RealClock
from tests.embedding_servers import Answer, Fickle, listening, profile
from tests.unit.agents.recall.lives import entry

BOUND = 60.0
SOON = 0.005
NOTES = ("The storm broke the mill.", "Tamsin lit the lamp of the heron.", "The pears are ripe in autumn.")
NAMES = {"#1": "Eliza", "#2": "Moss"}


class Swift(RealClock):
    """A clock on which a pause is over at once; nothing is slept through in these tests."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.ahead += seconds
        await asyncio.sleep(min(seconds, SOON))  # not at once: whoever asks again and again delays the answer


@dataclass
class Stage:
    """Recall over a fickle server, with a budget."""

    folder: Path
    server: LLMProfile
    fickle: Fickle
    limits: BudgetSettings = field(default_factory=BudgetSettings)
    settings: RecallSettings = field(default_factory=lambda: RecallSettings(embedder="openai_compatible", patience=30))
    clock: Clock = field(default_factory=Swift)
    told: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = ModelBudget(lambda: self.limits, self.clock)
        self.budget.tell = self.told.append
        self.recall = RecallService(
            self.folder,
            lambda: self.settings,
            self.clock,
            by=lambda: self.server,
            budget=EmbeddingBudget(self.budget, lambda who: NAMES.get(who, who), self.clock),
        )

    def notes(self, who: str = "#1", *texts: str) -> None:
        """Give somebody these notes."""
        made = [IndexedDocument(f"notes/{n}", "note", text) for n, text in enumerate(texts or NOTES)]
        self.recall.sync_documents(who, lambda: made)

    async def complete(self) -> bool:
        async with asyncio.timeout(BOUND):
            return await self.recall.complete()

    async def vector_of(self, text: str, who: str = "#1") -> float | None:
        """Return the cosine that a note was found with by its own words; None when words alone found it."""
        async with asyncio.timeout(BOUND):
            hits, _ = await self.recall.search(who, text, 1)
        assert hits[0].text == text
        return hits[0].vector

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(BOUND):
            while not done():
                await asyncio.sleep(min(SOON, BOUND))

    def sent(self, text: str) -> int:
        """Return how often a text was sent to be embedded."""
        return sum(text in body["input"] for _, body in self.fickle.asked)


@pytest.fixture
def fickle() -> Iterator[tuple[Fickle, str]]:
    made = Fickle()
    with listening(made.answer) as host:
        yield made, host


@asynccontextmanager
async def stage(folder: Path, fickle: tuple[Fickle, str], **parts: Any) -> AsyncIterator[Stage]:
    made = Stage(folder, profile(fickle[1]), fickle[0], **parts)
    await made.recall.start()
    try:
        yield made
    finally:
        await made.recall.stop()


def loading(body: dict[str, Any]) -> Answer:
    return 503, {"error": {"message": "Loading model"}}


async def test_a_server_gives_the_vectors_and_its_price_is_counted(tmp_path: Path, fickle: tuple[Fickle, str]) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        one.recall.remember("#2", [entry(1, "A heron stands in the reeds.")])
        assert await one.complete()
        assert (await one.vector_of(NOTES[0]) or 0) > 0.9
        rows = {(row.owner, row.task): row.total for row in one.budget.spending.rows()}
        assert set(rows) == {("Eliza", "embeddings"), ("Moss", "embeddings"), ("", "embeddings")}
        sent = [sum(len(text.split()) for text in body["input"]) for _, body in one.fickle.asked]
        assert sum(row.calls for row in rows.values()) == len(sent) - 2  # but for the two of the greeting
        assert sum(row.prompt for row in rows.values()) == sum(sent[2:])
        assert one.recall.trouble == ""


async def test_what_a_failed_call_took_is_paid_for_by_whose_texts_they_are(
    tmp_path: Path, fickle: tuple[Fickle, str]
) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        before = {row.owner: row.total for row in one.budget.spending.rows()}
        taken: list[int] = []

        def breaks_off(body: dict[str, Any]) -> Answer | None:
            if not any("heron" in text for text in body["input"]) or taken:
                return 503, {}
            taken.append(sum(len(text.split()) for text in body["input"]))
            return one.fickle.vectors(body)

        one.fickle.wrong = breaks_off
        one.notes("#2", *(f"{number} herons stand in the reeds. " * 600 for number in range(6)))
        assert not await one.complete()
        assert taken
        after = {row.owner: row.total for row in one.budget.spending.rows()}
        assert after["Eliza"] == before["Eliza"]
        assert (after["Moss"].calls, after["Moss"].prompt) == (1, taken[0])
        one.fickle.wrong = None
        await one.until(lambda: one.recall.trouble == "")
        assert await one.complete()
        assert {row.owner: row.total for row in one.budget.spending.rows()}["Eliza"] == before["Eliza"]


async def test_what_was_embedded_once_costs_nothing_again(tmp_path: Path, fickle: tuple[Fickle, str]) -> None:
    for _ in range(2):
        async with stage(tmp_path, fickle) as one:
            one.notes()
            assert await one.complete()
    assert [row.owner for row in one.budget.spending.rows()] == []
    assert one.sent(NOTES[0]) == 1


async def test_a_server_that_is_away_at_the_start_is_waited_for(tmp_path: Path, fickle: tuple[Fickle, str]) -> None:
    fickle[0].wrong = loading
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert not await one.complete()
        assert "answered 503: it is still loading its model, or too busy; Loading model" in one.recall.trouble
        assert await one.vector_of(NOTES[1]) is None
        fickle[0].wrong = None
        await one.until(lambda: one.recall.trouble == "")
        assert await one.complete()
        assert await one.vector_of(NOTES[1]) is not None


async def test_a_server_that_goes_away_costs_no_vector_that_was_there(
    tmp_path: Path, fickle: tuple[Fickle, str]
) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        fickle[0].wrong = loading
        one.recall.remember("#1", [entry(1, "Corvin sold the boat for twelve plums.")])
        assert not await one.complete()
        assert await one.vector_of(NOTES[2]) is None
        hits, behind = await one.recall.search("#1", "who sold the boat", 1)
        assert (hits[0].text, behind) == ("Corvin sold the boat for twelve plums.", True)
        fickle[0].wrong = None
        await one.until(lambda: one.recall.trouble == "")
        assert await one.complete()
        assert await one.vector_of(NOTES[2]) is not None
        assert one.recall.status("#1")["vector_through"] == 1
        assert one.sent(NOTES[2]) == 2  # once kept and once as the question


async def test_a_question_finds_out_that_the_server_is_away_and_the_next_ones_do_not_wait(
    tmp_path: Path, fickle: tuple[Fickle, str]
) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        fickle[0].wrong = loading
        assert await one.vector_of(NOTES[0]) is None
        assert "503" in one.recall.trouble
        await asyncio.gather(*(one.vector_of(text) for text in NOTES))
        fickle[0].wrong = None
        await one.until(lambda: one.recall.trouble == "")
        assert await one.vector_of(NOTES[0]) is not None


async def test_while_a_server_hangs_only_one_question_waits_for_it(tmp_path: Path, fickle: tuple[Fickle, str]) -> None:
    free, hung = threading.Event(), threading.Event()

    def hang(body: dict[str, Any]) -> Answer:
        hung.set()
        free.wait(BOUND)
        return fickle[0].vectors(body)

    settings = RecallSettings(embedder="openai_compatible", patience=0.5)
    async with stage(tmp_path, fickle, settings=settings) as one:
        one.notes()
        assert await one.complete()
        fickle[0].wrong = hang
        try:
            assert await one.vector_of(NOTES[0]) is None
            assert hung.is_set()
            one.settings = replace(settings, patience=60)  # whoever waited now would wait beyond the bound of this test
            for text in NOTES:
                assert await one.vector_of(text) is None
        finally:
            free.set()
        fickle[0].wrong = None
        found: list[float | None] = [None]
        while found[-1] is None:
            found.append(await one.vector_of(NOTES[1]))


async def test_another_model_means_that_all_vectors_are_made_anew(tmp_path: Path, fickle: tuple[Fickle, str]) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
    fickle[0].shift = 1  # under the same name; how else it is known, embedders/test_served.py tries
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        assert await one.vector_of(NOTES[0]) is not None
    assert one.sent(NOTES[1]) == 2


async def test_a_server_that_comes_back_with_another_length_has_all_vectors_made_anew(
    tmp_path: Path, fickle: tuple[Fickle, str]
) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        fickle[0].width = 128
        one.recall.remember("#1", [entry(1, "Corvin sold the boat for twelve plums.")])
        await one.until(lambda: one.recall.status("#1")["vector_through"] == 1)
        assert await one.complete()
        assert one.recall.trouble == ""
        assert await one.vector_of(NOTES[0]) is not None


async def test_a_question_finds_out_that_another_model_is_there_and_the_vectors_are_made_anew(
    tmp_path: Path, fickle: tuple[Fickle, str]
) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        fickle[0].width = 128
        assert await one.vector_of(NOTES[0]) is None
        assert await one.complete()
        assert await one.vector_of(NOTES[0]) is not None


async def test_another_model_in_the_profile_is_taken_up_at_once(tmp_path: Path, fickle: tuple[Fickle, str]) -> None:
    async with stage(tmp_path, fickle) as one:
        one.notes()
        assert await one.complete()
        one.server = replace(one.server, model="named")
        one.recall.look_again()
        assert await one.complete()
        assert await one.vector_of(NOTES[0]) is not None
        assert {body.get("model") for _, body in one.fickle.asked} == {None, "named"}


@contextmanager
def counted(one: Stage) -> Iterator[None]:
    """Hold what was spent in it to the limits, and what was told to once each."""
    yield
    for name in NAMES.values():
        hour = one.budget.spending.sum(name).hour
        assert not one.limits.agent_calls_per_hour or hour.calls <= one.limits.agent_calls_per_hour
        assert not one.limits.agent_tokens_per_hour or hour.tokens <= one.limits.agent_tokens_per_hour
    world = one.budget.spending.sum().hour
    assert not one.limits.world_calls_per_hour or world.calls <= one.limits.world_calls_per_hour
    assert not one.limits.world_tokens_per_hour or world.tokens <= one.limits.world_tokens_per_hour
    told = [(notice.limit.scope, notice.limit.owner, notice.limit.unit) for notice in one.told if notice.over]
    assert len(told) == len(set(told))


@pytest.mark.parametrize(
    "limits",
    [
        BudgetSettings(agent_calls_per_hour=2),
        BudgetSettings(world_tokens_per_hour=90),
    ],
)
async def test_at_a_limit_vectors_wait_and_words_go_on(
    tmp_path: Path, fickle: tuple[Fickle, str], limits: BudgetSettings
) -> None:
    async with stage(tmp_path, fickle, limits=limits) as one:
        one.notes("#1", *(f"{text} It was day {day}." for text in NOTES for day in range(10)))
        one.notes("#2", "A heron stands in the reeds.")
        with counted(one):
            assert not await one.complete()
            assert "what is new gets no vectors: " in one.recall.trouble
            assert "for this hour" in one.recall.trouble
            for question in ("who lit the lamp", "what broke the mill", "which pears"):
                hits, _ = await one.recall.search("#1", question, 1)
                assert hits
        if limits.agent_calls_per_hour:
            assert one.sent("A heron stands in the reeds.") == 1  # another's limit is not its own
        one.limits = BudgetSettings()
        await one.until(lambda: one.recall.trouble == "")
        assert await one.complete()
        assert await one.vector_of(f"{NOTES[0]} It was day 7.") is not None
