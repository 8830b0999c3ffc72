"""Labels in the transcript where time passed: what they say, and that they change nothing but what is read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.tokens import estimate
from agents.prompt.prompt import MINIMUM, Prompt, PromptParts, build_prompt, parse_template
from agents.text.daytime import labels, passed
from mud.clock import VirtualClock, iso
from mud.commands import Outcome
from mud.storage.texts import TextStore
from mud.world.changes import Put
from mud.world.roles import Role
from tests.houses import house
from tests.settings import put
from tests.vaults import SHIPPED, copy_vault, without_vectors

TEXTS = TextStore(SHIPPED / "text")
assert TEXTS.load() == []
THINK = parse_template((SHIPPED / "prompts/think.md").read_text("utf-8"), "prompts/think.md")
WAKE = datetime(2026, 11, 24, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (timedelta(minutes=29, seconds=59), ""),
        (timedelta(minutes=30), "A while later."),
        (timedelta(hours=1, minutes=29), "An hour later."),
        (timedelta(hours=1, minutes=31), "Two hours later."),
        (timedelta(hours=20), "The next morning."),
        (timedelta(hours=38), "The next night."),
        (timedelta(days=2), "Two days later, in the morning."),
        (timedelta(days=3, hours=10), "Three days later, in the evening."),
        (timedelta(days=13), "Thirteen days later, in the morning."),
        (timedelta(days=14), "Two weeks later."),
        (timedelta(days=63), "Two months later."),
        (timedelta(days=729), "Twenty-four months later."),
        (timedelta(days=730), "Two years later."),
        (timedelta(days=365 * 40), "40 years later."),
        (timedelta(hours=-3), ""),
    ],
)
def test_what_passed_is_told_in_plain_words(later: timedelta, told: str) -> None:
    assert passed(TEXTS.render, iso(WAKE), iso(WAKE + later), UTC) == told


def test_days_are_counted_by_the_clocks_zone_and_hours_are_not() -> None:
    evening, morning = "2026-11-24T20:00:00.000Z", "2026-11-25T06:00:00.000Z"
    assert passed(TEXTS.render, evening, morning, UTC) == "The next morning."
    assert passed(TEXTS.render, evening, morning, timezone(timedelta(hours=-8))) == "Ten hours later."


def test_what_is_no_time_has_no_label() -> None:
    assert labels(TEXTS.render, ["", "once", iso(WAKE), iso(WAKE + timedelta(days=1))], UTC) == (
        *("", "", ""),
        "The next morning.",
    )


pauses = st.lists(st.floats(-9e3, 3e7) | st.floats(0, 7e3), min_size=1, max_size=40)


def times(seconds: list[float]) -> list[str]:
    return [iso(WAKE + timedelta(seconds=one)) for one in accumulate(seconds)]


def parts_of(at: list[str], first: int = 1) -> PromptParts:
    lines = tuple(f"The {number}. pear fell into the long grass." for number in range(first, first + len(at)))
    told = labels(TEXTS.render, at, UTC)
    return PromptParts("Eliza", transcript=lines, passed=told, transcript_range=(first, first + len(at) - 1))


def built(parts: PromptParts, window: int) -> Prompt:
    return build_prompt(parts, THINK, window=window, reserve=96, count=estimate)


def transcript(prompt: Prompt) -> list[str]:
    (text,) = [one.text for one in prompt.sections if one.name == "transcript"]
    return text.removeprefix("---\n").removesuffix("\n---").split("\n")


@settings(max_examples=60, deadline=None)
@given(pauses, pauses)
def test_a_line_that_was_shown_with_its_label_is_never_changed_by_what_comes(
    before: list[float], after: list[float]
) -> None:
    at = times([*before, *after])
    old = transcript(built(parts_of(at[: len(before)]), 131_072))
    assert transcript(built(parts_of(at), 131_072))[: len(old)] == old


@settings(max_examples=60, deadline=None)
@given(pauses, st.data())
def test_when_the_oldest_leave_only_the_first_label_goes(seconds: list[float], data: st.DataObject) -> None:
    at = times(seconds)
    gone = data.draw(st.integers(0, len(at) - 1))
    rest = transcript(built(parts_of(at[gone:], gone + 1), 131_072))
    assert transcript(built(parts_of(at), 131_072))[-len(rest) :] == rest


@settings(max_examples=60, deadline=None)
@given(pauses, st.integers(MINIMUM + 96, 1600))
def test_labels_take_tokens_and_are_no_memories(seconds: list[float], window: int) -> None:
    parts = parts_of(times(seconds))
    prompt = built(parts, window)
    assert prompt.shown is not None
    first, last = prompt.shown
    lines = [line for line in transcript(prompt) if line not in parts.passed]
    assert last == len(seconds)
    assert len(lines) == last - first + 1
    assert prompt.tokens == estimate(prompt.text) <= window - 96
    shed = [one for one in prompt.shed if "oldest line" in one]
    counted = f"{first - 1} oldest line{'s' if first > 2 else ''} (memor{'ies 1-' if first > 2 else 'y '}{first - 1})"
    assert shed == ([counted] if first > 1 else [])
    assert transcript(prompt)[0] == parts.transcript[first - 1]


async def test_an_agent_reads_that_it_is_the_next_morning_and_archive_and_status_count_no_label(tmp_path: Path) -> None:
    clock = VirtualClock(WAKE)
    async with house(tmp_path, clock) as home:
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        home.type(ann, "say good night")
        before = eliza.memory.total
        clock.advance(22 * 3600)
        home.type(ann, "say good morning")
        assert home.minds.prompt_of is not None
        text = (await home.minds.prompt_of(eliza)).text
        assert 'Ann says, "good night"\nThe next morning.\nAnn says, "good morning"\n' in text
        assert "\nIt is Wednesday, 25 November, in the morning.\n" in text
        assert eliza.memory.total == before + 1
        assert not any("next morning" in entry.text for entry in eliza.memory.read(1, eliza.memory.total))


async def test_labels_stand_between_masked_results_and_after_a_marker_too(tmp_path: Path) -> None:
    clock = VirtualClock(WAKE)
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", strategy="sliding_window", sliding_entries=3)
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        for number in range(6):
            clock.advance(3 * 3600 if number == 5 else 1)
            home.type(eliza, f"think of pear {number}", Role.AGENT)
        total = eliza.memory.total
        assert home.minds.prompt_of is not None
        prompt = await home.minds.prompt_of(eliza)
        assert prompt.shown == (total - 2, total)
        marker, *lines = transcript(prompt)
        assert marker.endswith(f"@archive 1-{total - 3}]")
        assert [line for line in lines if "pear" not in line] == ["Three hours later."]
        put(vault, "memory_compaction", strategy="masking", mask_keep=0, mask_block=1, mask_chars=0)
        assert home.parts.configuration.load() == []
        for line in ("look", "look", "think of rain"):
            clock.advance(7200)
            home.type(eliza, line, Role.AGENT)
        shown = transcript(await home.minds.prompt_of(eliza))
        masks = [number for number, line in enumerate(shown) if "whole in eliza#" in line]
        assert len(masks) > 0
        assert [shown[number - 1] for number in (*masks, len(shown) - 1)] == ["Two hours later."] * (len(masks) + 1)


async def test_a_prompt_says_what_one_carries_and_who_is_asleep(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza, ann = home.agent("Eliza"), home.enter("Ann")
        assert home.minds.prompt_of is not None
        assert "You carry:" not in (await home.minds.prompt_of(eliza)).text
        item = home.engine.world.called("lamp glass")
        assert item is not None
        home.engine.happen(item, Outcome("", changes=(Put(item.id, eliza.id),)))
        home.type(ann, "sleep")
        text = (await home.minds.prompt_of(eliza)).text
        assert f"\nYou carry: {item.name}\n" in text
        assert "Ann (asleep)" in text
