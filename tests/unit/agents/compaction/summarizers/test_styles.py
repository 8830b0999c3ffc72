"""Prompt styles: the shipped ones word for word, and what is wrong with one that cannot be used."""

from __future__ import annotations

import pytest

from agents.compaction.summarizer import HEADINGS, parse_style
from mud.errors import VaultProblem
from tests.lives import PROMPTS
from tests.unit.agents.prompt.test_prompt import checked_golden

MEMORIES = 'Moss says, "The moss grows slowly."\nYou go north to The Garden.'
EARLIER = "I met Ada at the Kiln, who gave me 7 plums."
WHOLE = "{earlier}\n\n{memories}{again}\n>"


def test_the_styles_of_the_seeds_are_shipped() -> None:
    assert list(PROMPTS) == ["base_v1", "base_v2", "handover", "narrative", "sections"]
    assert [name for name, style in PROMPTS.items() if style.sections] == ["sections"]


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompts_of_a_style_are_the_golden_ones(name: str) -> None:
    style = PROMPTS[name]
    first = style.fill(name="Eliza", memories=MEMORIES)
    again = style.fill(name="Eliza", memories=MEMORIES, earlier=EARLIER, again=", asked differently")
    checked_golden(f"summary_{name}", f"{first}\n\n======== with an earlier summary, asked again ========\n\n{again}\n")


@pytest.mark.parametrize("name", PROMPTS)
def test_every_style_ends_with_its_cue_and_asks_differently_again(name: str) -> None:
    style = PROMPTS[name]
    prompt = style.fill(name="Eliza", memories=MEMORIES)
    assert prompt.endswith(style.cue)
    assert prompt == prompt.rstrip()
    assert style.fill(name="Eliza", memories=MEMORIES, again=", shorter") != prompt
    assert EARLIER not in prompt
    assert EARLIER in style.fill(name="Eliza", memories=MEMORIES, earlier=EARLIER)


def test_what_is_filled_in_is_never_searched_for_places() -> None:
    style = parse_style(WHOLE, "prompts/summaries/mine.md")
    assert style.fill(name="Eliza", memories="{name} {x}") == "{name} {x}\n>"


def test_front_matter_and_windows_line_ends_are_no_part_of_the_prompt() -> None:
    text = '\ufeff---\r\nabout: "{nothing}"\r\n---\r\n{earlier}\r\n\r\n{name}: {memories}{again}\r\n> \r\n'
    assert parse_style(text, "prompts/summaries/mine.md").fill(name="Eliza", memories="I sat.") == "Eliza: I sat.\n>"


def test_whoever_names_the_six_headings_asks_for_sections() -> None:
    assert parse_style(f"{', '.join(HEADINGS)}\n\n{WHOLE}", "mine.md").sections
    assert not parse_style(f"{', '.join(HEADINGS[1:])}\n\n{WHOLE}", "mine.md").sections


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            "---\nabout: mine\n---\nHello {names}\n{again}",
            [(4, "{names}", "unknown place"), (5, "{memories}", "missing"), (5, "{earlier}", "missing")],
        ),
        ("{earlier}\n\n{memories}\n>", [(4, "{again}", "missing")]),
        ("Older:\n{earlier}\n{memories}{again}\n>", [(1, "{earlier}", "no other place")]),
    ],
)
def test_every_wrong_or_missing_place_is_named_with_its_line(text: str, problems: list[tuple[int, str, str]]) -> None:
    with pytest.raises(VaultProblem) as wrong:
        parse_style(text, "prompts/summaries/mine.md")
    found = wrong.value.problems
    assert {problem.file for problem in found} == {"prompts/summaries/mine.md"}
    assert [(problem.line, problem.key) for problem in found] == [(line, key) for line, key, _ in problems]
    assert all(why in problem.message for problem, (_, _, why) in zip(found, problems, strict=True))
    if "{names}" in text:
        assert "did you mean name?" in found[0].message
