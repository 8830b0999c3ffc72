"""Drafts: one more try asked differently, then the rules; the form that a style or a strategy wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from agents.compaction.folds import CompactionServices, SummaryDraft, SummaryWriter
from agents.compaction.judge import validate
from agents.compaction.judge.facts import asked_of
from agents.compaction.settings import SECTIONS, CompactionSettings
from agents.compaction.summarizer import HEADINGS, Style, SummarySource, sections_of
from agents.llm.backend import Completion
from agents.memory.entries import Entry
from agents.mind.templates import Templates
from mud.clock import VirtualClock
from tests.lives import PROMPTS, STRATEGIES, SUMMARIZERS
from tests.vaults import SHIPPED

ENTRIES = (
    Entry(1, "", "heard", "Petra", "The Library", 'Petra says, "Eliza, bring me the silver ring from the old well."'),
    Entry(2, "", "said", None, "The Library", 'You say, "I promise to bring you the ring on the 4th day."'),
    Entry(3, "", "saw", "Ulric", "The Library", "Ulric counts 12 coins and buries them under a rose bush."),
    Entry(4, "", "heard", "Ulric", "The Library", 'Ulric says, "Meet me at the Mill in two days, tell nobody."'),
)
GOOD = " I promised Petra in the Library to bring her the silver ring."
BAD = " I met Petra and Cadfael in the Library."
IN_SECTIONS = " to bring Petra the ring" + "".join(f"\n{heading}:\n- none" for heading in HEADINGS[1:])
SOURCE = SummarySource("Eliza", "recent", ENTRIES, max_sentences=4)


def answering(*replies: str) -> tuple[SummaryWriter, list[str]]:
    """Return a scribe whose model gives these replies, and the prompts that it was asked with."""
    return scribe_of(PROMPTS.__getitem__, *replies)


def scribe_of(prompts: Callable[[str], Style], *replies: str) -> tuple[SummaryWriter, list[str]]:
    left, asked = list(replies), list[str]()

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        return Completion(left.pop(0), None, None, 0.0, "tiny")

    services = CompactionServices(STRATEGIES, SUMMARIZERS, VirtualClock(), print, model, prompts)
    return SummaryWriter(services), asked


async def drafted(scribe: SummaryWriter, source: SummarySource) -> tuple[SummaryDraft, list[str]]:
    (draft,), rejected = await scribe.ask([source], CompactionSettings())
    return draft, rejected


async def test_a_good_reply_becomes_the_draft_and_its_receipt_says_what_it_kept() -> None:
    scribe, asked = answering(GOOD)
    draft, rejected = await drafted(scribe, SOURCE)
    assert (draft.text, draft.method, rejected, len(asked)) == (GOOD.strip(), "model", [], 1)
    summary = draft.summary((1, 4), "2026-11-20T07:21:37.123Z", 100, 20)
    assert summary.faithful
    assert summary.retention is not None
    assert 0.2 < summary.retention < 0.9


async def test_a_rejected_reply_is_asked_for_once_more_and_differently() -> None:
    scribe, asked = answering(BAD, GOOD)
    draft, rejected = await drafted(scribe, SOURCE)
    assert (draft.text, draft.method) == (GOOD.strip(), "model")
    assert rejected == ["the recent summary was rejected: the name Cadfael is not in the source"]
    assert len(asked) == 2
    assert asked[0] != asked[1]
    assert scribe.trouble is not None


async def test_after_two_rejected_replies_the_rules_write() -> None:
    scribe, asked = answering(BAD, BAD, GOOD)
    draft, rejected = await drafted(scribe, SOURCE)
    assert (draft.method, draft.fell_back, len(asked), len(rejected)) == ("extractive", True, 2, 2)
    assert "Cadfael" not in draft.text
    assert draft.cost.model == "tiny"


VAGUE = " I sat in the Library and thought about this and that."


async def test_a_reply_that_keeps_too_little_is_refused_like_any_other_bad_one() -> None:
    assert validate(VAGUE.strip(), SOURCE) == []
    scribe, asked = answering(VAGUE, GOOD)
    draft, rejected = await drafted(scribe, SOURCE)
    assert (draft.text, len(asked), len(rejected)) == (GOOD.strip(), 2, 1)
    assert "it keeps 10% of names, numbers, places and promises, where rules keep " in rejected[0]
    scribe, _ = answering(VAGUE, VAGUE)
    draft, rejected = await drafted(scribe, SOURCE)
    assert (draft.method, draft.fell_back, len(rejected)) == ("extractive", True, 2)


async def test_where_nothing_is_asked_for_a_reply_may_keep_little() -> None:
    scribe, _ = answering(VAGUE)
    ((draft,), rejected) = await scribe.ask([SOURCE], CompactionSettings(least_retention=0.0))
    assert (draft.text, rejected) == (VAGUE.strip(), [])


async def test_a_long_term_reply_is_held_to_what_the_memories_told_and_not_to_the_summaries_alone() -> None:
    told = asked_of(SOURCE).sample()
    source = SummarySource(
        "Eliza", "longterm", earlier=(GOOD.strip(), "I met Ulric in the Library, who left for the Mill.")
    )
    scribe, _ = answering(" I was in the Library, where I met Petra.")
    draft, _ = await drafted(scribe, replace(source, sample=told))
    made = draft.summary((1, 4), "", 100, 20)
    assert made.retention == asked_of(SOURCE).share(draft.text)


async def test_a_style_with_headings_makes_sections_and_keeps_their_lines() -> None:
    scribe, asked = answering(IN_SECTIONS)
    draft, rejected = await drafted(scribe, replace(SOURCE, style="sections"))
    assert rejected == []
    assert draft.source.shape == SECTIONS
    assert [heading for heading, _ in sections_of(draft.text)] == list(HEADINGS)
    assert draft.text.count("\n") == 11
    assert asked[0].endswith("User Goal:")


async def test_a_strategy_that_wants_sections_gets_them_whatever_the_style() -> None:
    scribe, asked = answering(GOOD, IN_SECTIONS)
    draft, rejected = await drafted(scribe, replace(SOURCE, shape=SECTIONS))
    assert len(asked) == 2
    assert "six headings" in rejected[0]
    assert draft.method == "model"
    assert validate(draft.text, draft.source) == []


async def test_the_rules_keep_to_the_headings_too_when_the_model_did_not() -> None:
    scribe, _ = answering(GOOD, GOOD)
    draft, _ = await drafted(scribe, replace(SOURCE, shape=SECTIONS))
    assert draft.method == "extractive"
    assert [heading for heading, _ in sections_of(draft.text)] == list(HEADINGS)


async def test_without_the_style_that_is_wanted_the_rules_write_and_it_is_said() -> None:
    styles: Templates[Style] = Templates(SHIPPED / "prompts/none", None, lambda text, file: PROMPTS["base_v2"])
    scribe, asked = scribe_of(styles.named)
    draft, rejected = await drafted(scribe, replace(SOURCE, style="mine"))
    assert (draft.method, asked) == ("extractive", [])
    assert "there is no usable template of this name" in rejected[0]


@pytest.mark.parametrize("style", [name for name in PROMPTS if name != "sections"])
async def test_every_style_that_is_told_may_be_used(style: str) -> None:
    scribe, asked = answering(GOOD)
    draft, _ = await drafted(scribe, replace(SOURCE, style=style))
    assert draft.text == GOOD.strip()
    assert asked[0].endswith(PROMPTS[style].cue)
