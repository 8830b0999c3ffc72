"""The summarizer that asks a model: what a prompt holds, how replies are tidied, what is too much for one prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import HEADINGS, SummarySource, parse_style, sections_of
from agents.compaction.summarizers.model import PREVIEW, PREVIEWS, style_of, tidy, write
from agents.llm.tokens import estimate
from agents.memory.entries import KINDS, Entry
from mud.errors import Unavailable
from tests.examples import examples
from tests.lives import PROMPTS

V2 = PROMPTS["base_v2"]
BARE = {"mine": parse_style("{earlier}\n\n{memories}{again}\n>", "mine.md")}
"""A style of hardly any words, to weigh what is filled in."""


def entries(count: int) -> tuple[Entry, ...]:
    return tuple(Entry(seq, "", "heard", "Moss", None, f'Moss says, "word\n{seq}"') for seq in range(1, count + 1))


def asked(
    source: SummarySource, reply: str = "I met Moss again.", styles: dict[str, object] | None = None
) -> tuple[list[str], str]:
    """Return the prompts that a summarizer asked, each answered alike, and what it wrote."""
    writing = write(source, (styles or PROMPTS).__getitem__)  # type: ignore[arg-type]
    prompts = []
    try:
        prompts.append(next(writing))
        while True:
            prompts.append(writing.send(reply))
    except StopIteration as done:
        return prompts, str(done.value)


def test_memories_are_asked_for_in_the_style_that_is_wanted() -> None:
    for name in PROMPTS:
        (prompt,), _ = asked(SummarySource("Eliza", "recent", entries(2), style=name))
        assert prompt == PROMPTS[name].fill(name="Eliza", memories='Moss says, "word 1"\nMoss says, "word 2"')


def test_a_rolling_summary_takes_up_the_earlier_one_and_the_memories_in_one_prompt() -> None:
    (prompt,), _ = asked(SummarySource("Eliza", "longterm", entries(2), earlier=("I met Ada.",)))
    assert prompt == V2.fill(name="Eliza", earlier="I met Ada.", memories='Moss says, "word 1"\nMoss says, "word 2"')


def test_a_second_try_asks_differently() -> None:
    source = SummarySource("Eliza", "recent", entries(2))
    (first,), _ = asked(source)
    (second,), _ = asked(SummarySource("Eliza", "recent", entries(2), again=True))
    assert first != second
    assert "only names and numbers that stand above" in second


def test_what_is_wanted_in_sections_is_asked_for_in_sections() -> None:
    assert style_of(SummarySource("Eliza", "longterm", shape=SECTIONS), PROMPTS.__getitem__) is PROMPTS["sections"]
    assert style_of(SummarySource("Eliza", "longterm"), PROMPTS.__getitem__) is V2
    own = {"mine": parse_style(f"{HEADINGS}\n\n{{earlier}}\n\n{{memories}}{{again}}\n>", "mine.md")}
    assert style_of(SummarySource("Eliza", "longterm", shape=SECTIONS, style="mine"), own.__getitem__) is own["mine"]


def test_too_much_for_one_prompt_is_taken_up_piece_by_piece() -> None:
    prompts, text = asked(SummarySource("Eliza", "recent", entries(100), max_source_tokens=200))
    assert len(prompts) > 3
    assert sum(prompt.count("Moss says") for prompt in prompts) == 100
    assert "# Older memories" not in prompts[0]
    assert all("# Older memories:\nI met Moss again.\n" in prompt for prompt in prompts[1:])
    assert text == "I met Moss again."


@settings(max_examples=examples(150), deadline=None)
@given(
    lengths=st.lists(
        st.tuples(st.sampled_from(KINDS), st.integers(0, 4000), st.sampled_from("a7林. ")), min_size=1, max_size=30
    ),
    most=st.integers(200, 3000),
    earlier=st.integers(0, 120),
)
def test_a_prompt_never_holds_more_than_it_may(lengths: list[tuple[str, int, str]], most: int, earlier: int) -> None:
    memories = tuple(Entry(1, "", kind, None, None, sign * length) for kind, length, sign in lengths)
    source = SummarySource(
        "Eliza", "longterm", memories, earlier=("a" * earlier,), max_source_tokens=most, style="mine"
    )
    prompts, _ = asked(source, styles=BARE)  # type: ignore[arg-type]
    assert all(estimate(prompt) <= most + 4 for prompt in prompts)


def test_a_memory_is_shown_as_a_preview_and_what_was_said_at_greater_length() -> None:
    assert PREVIEWS["heard"] > PREVIEW > PREVIEWS["result"]
    for kind in KINDS:
        (prompt,), _ = asked(SummarySource("Eliza", "recent", (Entry(1, "", kind, None, None, "x" * 5000),)))
        assert prompt.count("x") == PREVIEWS.get(kind, PREVIEW) - 1, kind
        assert "x…\n" in prompt


def test_a_summary_so_far_that_leaves_no_room_is_said_and_not_sent() -> None:
    source = SummarySource("Eliza", "longterm", entries(3), earlier=("I met Moss. " * 60,), max_source_tokens=200)
    with pytest.raises(Unavailable, match="of the 200 tokens that a prompt may hold"):
        next(write(source, PROMPTS.__getitem__))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (" I met Moss.\n\n# Memories:\nMoss says", "I met Moss."),
        ("> I met Moss. I left", "I met Moss."),
        ("I met Moss.<|im_end|>junk", "I met Moss."),
        ("\n\nI met Moss.\n\nI left.\n", "I met Moss.\nI left."),
        ('"I met Moss."', "I met Moss."),
        ('"Come," I said.', '"Come," I said.'),
        ("I met Moss. I sat. I ate. I slept. I woke.", "I met Moss. I sat. I ate. I slept."),
        ("", ""),
    ],
)
def test_a_reply_is_tidied(raw: str, text: str) -> None:
    assert tidy(raw, SummarySource("Eliza", "recent", entries(1), max_sentences=4), V2) == text


def test_a_reply_ends_where_it_repeats_the_words_of_its_prompt() -> None:
    source = SummarySource("Eliza", "recent", entries(1))
    assert tidy("SUMMARY: I met Moss.\nSUMMARY:\nI met Ada.", source, PROMPTS["base_v1"]) == "I met Moss."
    told = tidy("- I sat\n\nMemories:\nMoss says", source, PROMPTS["sections"])
    assert told == "User Goal:\n- I sat"


def test_a_reply_is_cut_at_a_sentence_s_end_when_it_is_too_long() -> None:
    text = tidy("I met Moss in the Library. " * 50, SummarySource("Eliza", "longterm", max_tokens=60), V2)
    assert text.endswith("Library.")
    assert len(text) < 200


def test_a_reply_in_sections_goes_on_after_the_cue_or_begins_anew() -> None:
    style, source = PROMPTS["sections"], SummarySource("Eliza", "longterm", shape=SECTIONS)
    rest = "".join(f"\n\n**{heading}**\n1. none" for heading in HEADINGS[1:])
    plain = "User Goal:\n- to find the ring" + "".join(f"\n{heading}:\n- none" for heading in HEADINGS[1:])
    assert tidy(f" to find the ring{rest}", source, style) == plain
    assert tidy(f"\n- to find the ring{rest}\n---\nAnything else?", source, style) == plain
    assert tidy(f"## User Goal\n* to find the ring{rest}", source, style) == plain


def test_of_sections_that_are_too_long_the_longest_lists_are_cut() -> None:
    lines = "\n".join(f"- I met Moss and we spoke of the {at}. rope" for at in range(60))
    text = tidy(
        f"- rest\nConfirmed Facts:\n{lines}", SummarySource("Eliza", "longterm", max_tokens=120), PROMPTS["sections"]
    )
    assert estimate(text) <= 120
    found = dict(sections_of(text))
    assert found["User Goal"] == ["rest"]
    assert found["Confirmed Facts"][0].endswith("the 0. rope")
