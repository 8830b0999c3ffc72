"""The summarizer that asks a model: prompts and the tidying of replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.summarizers._summarizer import Source
from agents.compaction.summarizers.model import parse_prompt, tidy, write
from agents.memory.entries import Entry
from mud.errors import VaultProblem
from mud.storage.files import read_text

SHIPPED = Path(__file__).parents[5] / "vault" / "prompts"


def entries(count: int) -> tuple[Entry, ...]:
    return tuple(Entry(seq, "", "heard", "Moss", None, f'Moss says, "word\n{seq}"') for seq in range(1, count + 1))


def shipped(name: str) -> str:
    return parse_prompt(read_text(SHIPPED / name), f"prompts/{name}")


def test_the_prompt_has_the_form_of_seed_002() -> None:
    writing = write(Source("Eliza", "recent", entries(2)), shipped)
    assert next(writing) == (
        '# Memories:\nMoss says, "word 1"\nMoss says, "word 2"\n\n'
        "# Summary (first-person perspective, I/me/my, no meta-commentary):\n>"
    )
    with pytest.raises(StopIteration) as done:
        writing.send(" I met Moss.")
    assert done.value.value == "I met Moss."


def test_two_summaries_are_combined_in_one_prompt_and_one_is_not_asked_for() -> None:
    prompt = next(write(Source("Eliza", "longterm", earlier=("I met Ada.", "I met {moss}.")), shipped))
    assert "# Older memories:\nI met Ada.\n" in prompt
    assert "I met {moss}." in prompt
    with pytest.raises(StopIteration) as done:
        next(write(Source("Eliza", "longterm", earlier=("I met Ada.",)), shipped))
    assert done.value.value == "I met Ada."


def test_too_many_memories_are_summarized_in_parts() -> None:
    writing = write(Source("Eliza", "recent", entries(100), max_source_tokens=200), shipped)
    prompts = [next(writing)]
    try:
        while True:
            prompts.append(writing.send("I met Moss again."))
    except StopIteration:
        pass
    parts = [prompt for prompt in prompts if prompt.startswith("# Memories:")]
    assert len(parts) > 3
    assert sum(prompt.count("Moss says") for prompt in parts) == 100
    assert len(prompts) == 2 * len(parts) - 1


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
    assert tidy(raw, Source("Eliza", "recent", entries(1), max_sentences=4)) == text


def test_a_reply_is_cut_at_a_sentence_s_end_when_it_is_too_long() -> None:
    text = tidy("I met Moss in the Library. " * 50, Source("Eliza", "longterm", max_tokens=60))
    assert text.endswith("Library.")
    assert len(text) < 200


def test_a_prompt_with_a_wrong_or_missing_place_names_every_problem() -> None:
    with pytest.raises(VaultProblem) as wrong:
        parse_prompt("Hello {names}\n{again}", "prompts/combine.md")
    assert [(problem.line, problem.key) for problem in wrong.value.problems] == [
        (1, "names"),
        (0, "longterm"),
        (0, "recent"),
    ]
