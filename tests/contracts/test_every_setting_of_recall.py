"""Every setting of recall does what it says, tried on the vault's own parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.memory.entries import Hit
from agents.recall.embedders import EmbedderKind
from mud.clock import VirtualClock
from mud.registry import load
from mud.server.wiring import Parts, opened
from tests.chroma_server import ChromaServer
from tests.pasts import talks
from tests.settings import proves, put
from tests.vaults import copy_vault

NOW, YESTERDAY = "2026-01-01T00:00:00.000Z", "2025-12-31T00:00:00.000Z"
BOUND = 60.0
"""Seconds after which a test that waits for the child process has failed."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    copy = copy_vault(tmp_path)
    put(copy, "recall", embedder="hashing", patience=BOUND, recency=0.0, importance=0.0)
    return copy


@asynccontextmanager
async def recalling(vault: Path, *, vectors: bool = False) -> AsyncIterator[tuple[Parts, Agent]]:
    """Open a vault and its recall; give Eliza."""
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        await parts.recall.start(vectors=vectors)
        agent = parts.minds.get("Eliza")
        try:
            await parts.minds.catch_up(agent)
            yield parts, agent
        finally:
            await parts.recall.stop()


def remember(parts: Parts, agent: Agent, *records: Mapping[str, object]) -> None:
    parts.recall.remember(agent.id, agent.memory.append_raw([{"kind": "heard", "at": NOW, **one} for one in records]))


async def hits(vault: Path, question: str, *records: Mapping[str, object]) -> list[Hit]:
    """Return what Eliza finds by words after she remembered this."""
    async with recalling(vault) as (parts, agent):
        remember(parts, agent, *records)
        found, _ = await parts.recall.search(agent.id, question, 10)
        return found


def note(parts: Parts, agent: Agent, *titles: str) -> None:
    for title in titles:
        parts.minds.add_note(agent, title, f"{title} belongs to the boathouse and its oars.", None)


async def complete(parts: Parts) -> None:
    assert await asyncio.wait_for(parts.recall.complete(), BOUND)


@proves("recall.neighbours")
@pytest.mark.parametrize(("share", "found"), [(0.0, 1), (0.5, 2)])
async def test_a_memory_lends_to_its_neighbours(vault: Path, share: float, found: int) -> None:
    put(vault, "recall", neighbours=share)
    asked = {"text": 'Petra says, "Where is the lute?"'}
    assert len(await hits(vault, "lute", asked, {"text": 'Silas says, "Up in the mill."'})) == found


TWICE = ({"text": "The lamp is lit today.", "importance": 1}, {"text": "The lamp is lit again.", "importance": 10})


@proves("recall.who", "recall.when", "recall.answer")
@pytest.mark.parametrize(
    ("key", "question", "wanted"),
    [
        ("who", "What lamp does Petra have?", {"text": "The lamp is lit once.", "actor": "Petra"}),
        ("when", "Which lamp was lit yesterday?", {"text": "The lamp is lit once.", "at": YESTERDAY}),
        ("answer", "How many lamps are there?", {"text": "The lamp is lit 40 times.", "actor": "Silas"}),
    ],
)
async def test_what_fits_the_question_in_another_way_gets_so_much(
    vault: Path, key: str, question: str, wanted: Mapping[str, object]
) -> None:
    other = {"text": "The lamp is lit twice.", "actor": "Silas", "at": "2025-06-01T00:00:00.000Z"}
    for share in (0.0, 0.25):
        put(vault, "recall", neighbours=0.0, who=0.0, when=0.0, answer=0.0)
        put(vault, "recall", **{key: share})
        found = {hit.text: hit for hit in await hits(vault, question, {"actor": "Moss"} | dict(wanted), other)}
        assert getattr(found[str(wanted["text"])], key) == share
        if key != "answer":
            assert getattr(found[other["text"]], key) == 0.0


@proves("recall.alike")
@pytest.mark.parametrize(("weight", "found"), [(0.0, 0), (0.5, 1)])
async def test_a_word_that_is_like_one_of_the_question_counts(vault: Path, weight: float, found: int) -> None:
    put(vault, "recall", alike=weight, vector_weight=0.0, neighbours=0.0)
    async with recalling(vault, vectors=True) as (parts, agent):
        remember(parts, agent, {"text": "The lighthousekeeper is old."}, {"text": "The key is lost."})
        await complete(parts)
        hits, _ = await parts.recall.search(agent.id, "the lighthouse", 10)
        assert len([hit for hit in hits if hit.lexical is not None]) == found


@proves("recall.embed")
@pytest.mark.parametrize(("what", "memory"), [("everything", True), ("summaries", False)])
async def test_what_is_set_gets_its_vectors(vault: Path, what: str, memory: bool) -> None:
    put(vault, "recall", embed=what)
    async with recalling(vault, vectors=True) as (parts, agent):
        remember(parts, agent, {"text": "The oars are split."})
        note(parts, agent, "First oar")
        await complete(parts)
        found, behind = await parts.recall.search(agent.id, "oars", 5)
        assert not behind
        assert {hit.kind: hit.vector is not None for hit in found} == {"heard": memory, "note": True}


@proves("recall.chroma")
async def test_the_vectors_are_kept_where_it_is_set(vault: Path, tmp_path: Path) -> None:
    with ChromaServer(tmp_path / "server") as server:
        put(vault, "recall", chroma=server.address)
        async with recalling(vault, vectors=True) as (parts, agent):
            remember(parts, agent, {"text": "The oars are split."})
            await complete(parts)
            (hit,), behind = await parts.recall.search(agent.id, "oars", 5)
            assert (hit.vector is not None, behind) == (True, False)
            server.kill()
            (hit,), behind = await parts.recall.search(agent.id, "oars", 5)
            assert (hit.text, hit.vector, behind) == ("The oars are split.", None, True)


@proves("recall.exact_up_to")
@pytest.mark.parametrize(("limit", "in_a_file"), [(0, False), (1, True)])
async def test_a_life_is_searched_in_its_file_up_to_the_limit(vault: Path, limit: int, in_a_file: bool) -> None:
    put(vault, "recall", exact_up_to=limit)
    async with recalling(vault, vectors=True) as (parts, agent):
        remember(parts, agent, {"text": "The oars are split."})
        await complete(parts)
        assert any((vault / ".index" / "matrix").rglob("*.f32")) == in_a_file
        (hit,), behind = await parts.recall.search(agent.id, "oars", 5)
        assert (hit.vector is not None, behind) == (True, False)


@proves("recall.recency")
async def test_recency_raises_what_is_new(vault: Path) -> None:
    put(vault, "recall", neighbours=0.0)
    lamps = [TWICE[0] | {"at": YESTERDAY}, TWICE[1]]
    plain = await hits(vault, "lamp", *lamps)
    assert plain[0].score == plain[1].score
    put(vault, "recall", recency=1.0)
    async with recalling(vault) as (parts, agent):
        raised, _ = await parts.recall.search(agent.id, "lamp", 10)
    assert [hit.text for hit in raised] == [lamps[1]["text"], lamps[0]["text"]]
    assert raised[0].score == pytest.approx(2 * plain[0].score)


@proves("recall.recency_half_life")
@pytest.mark.parametrize(("days", "left"), [(1.0, 0.5), (0.5, 0.25)])
async def test_recency_is_halved_after_its_half_life(vault: Path, days: float, left: float) -> None:
    put(vault, "recall", recency_half_life=days)
    (hit,) = await hits(vault, "lamp", {"text": "The lamp is lit.", "at": YESTERDAY})
    assert hit.recency == pytest.approx(left)


@proves("recall.importance")
@pytest.mark.parametrize(("share", "times"), [(0.0, 1.0), (1.0, 2.0)])
async def test_importance_raises_what_matters(vault: Path, share: float, times: float) -> None:
    put(vault, "recall", importance=share, neighbours=0.0)
    found = {hit.text: hit.score for hit in await hits(vault, "lamp", *TWICE)}
    assert found["The lamp is lit again."] == pytest.approx(times * found["The lamp is lit today."])


@proves("recall.related_notes", "recall.related_summaries")
@pytest.mark.parametrize(("notes", "summaries"), [(0, 2), (2, 0), (1, 1), (3, 2)])
async def test_a_prompt_shows_as_many_related_texts_as_set(vault: Path, notes: int, summaries: int) -> None:
    put(vault, "recall", related_notes=notes, related_summaries=summaries, related_least=0.0)
    put(vault, "memory_compaction", immediate_window=2, recent_window=16)
    put(vault, "thinking", related_tokens=1000)
    async with recalling(vault) as (parts, agent):
        remember(parts, agent, *talks(160))
        agent.compactor.fold_due_now()
        note(parts, agent, "First oar", "Second oar", "Third oar", "Fourth oar")
        prompt = parts.prompting.build(agent, await parts.prompting.related(agent))
    shown = {section.name: section.text for section in prompt.sections}
    assert shown.get("notes", "").count("belongs to the boathouse") == notes
    assert shown.get("experiences", "").count("(memories ") == summaries


@proves("recall.related_least")
@pytest.mark.parametrize(("least", "shown"), [(0.0, 1), (2.0, 0)])
async def test_what_fits_less_than_set_is_not_shown(vault: Path, least: float, shown: int) -> None:
    put(vault, "recall", related_least=least)
    async with recalling(vault) as (parts, agent):
        remember(parts, agent, {"text": 'Moss says, "An oar of the boathouse is split."'})
        note(parts, agent, "First oar")
        assert len((await parts.prompting.related(agent)).notes) == shown


@proves("recall.summary_least")
@pytest.mark.parametrize(("least", "shown"), [(0.0, True), (2.0, False)])
async def test_a_past_time_that_fits_less_than_set_is_not_shown(vault: Path, least: float, shown: bool) -> None:
    put(vault, "recall", summary_least=least)
    put(vault, "memory_compaction", immediate_window=2, recent_window=16)
    async with recalling(vault) as (parts, agent):
        remember(parts, agent, *talks(160))
        agent.compactor.fold_due_now()
        note(parts, agent, "First oar")
        prompt = parts.prompting.build(agent, await parts.prompting.related(agent))
    assert ("RELATED PAST EXPERIENCES" in prompt.text) == shown


@proves("recall.embedder")
async def test_the_embedder_is_the_one_chosen_also_while_it_runs(vault: Path) -> None:
    names = load("agents.recall.embedders", EmbedderKind, "embedder").names()
    put(vault, "recall", embedder="none")
    async with recalling(vault, vectors=True) as (parts, agent):
        note(parts, agent, "First oar")
        await complete(parts)
        (plain,), behind = await parts.recall.search(agent.id, "oars", 1)
        assert (plain.vector, behind) == (None, False)
        assert "hashing" in names
        put(vault, "recall", embedder="hashing")
        parts.configuration.load()
        parts.recall.look_again()
        await complete(parts)
        (near,), behind = await parts.recall.search(agent.id, "oars", 1)
        assert near.vector is not None
        assert not behind


@proves("recall.vector_weight", "recall.patience")
async def test_vectors_have_their_weight_and_are_waited_for(vault: Path) -> None:
    async with recalling(vault, vectors=True) as (parts, agent):
        note(parts, agent, "First oar")
        await complete(parts)
        for weight in (0.0, 1.0):
            put(vault, "recall", vector_weight=weight)
            parts.configuration.load()
            (hit,), behind = await parts.recall.search(agent.id, "oars boat", 1)
            assert not behind
            assert hit.lexical is not None
            assert hit.vector is not None
            assert hit.score == pytest.approx(weight * hit.vector + (1 - weight) * hit.lexical)
        put(vault, "recall", patience=0.0)
        parts.configuration.load()
        (hit,), behind = await parts.recall.search(agent.id, "oars boat", 1)
        assert (hit.vector, behind) == (None, True)
