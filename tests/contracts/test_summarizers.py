"""What every summarizer keeps, whoever writes."""

from __future__ import annotations

import pytest

from agents.compaction.receipts import validate
from agents.compaction.summarizers._summarizer import Source, Summarizer
from agents.memory.entries import Entry
from tests.lives import PROMPTS, SUMMARIZERS

EVERY = pytest.mark.parametrize("summarizer", list(SUMMARIZERS), ids=lambda summarizer: summarizer.name)
ENTRIES = tuple(
    Entry(seq, "", "heard", "Moss", "The Library", f'Moss says, "The wind has turned for the {seq}. time."')
    for seq in range(1, 66)
)
SOURCES = [
    Source("Eliza", "recent", ENTRIES, max_sentences=4),
    Source(
        "Eliza", "longterm", earlier=("I met Ada at the Kiln, who gave me plums.", "I sat with Moss in the Library.")
    ),
]
REPLIES = {"recent": "I sat in the Library with Moss.", "longterm": "I met Ada at the Kiln and sat with Moss."}


def written(summarizer: Summarizer, source: Source) -> str:
    writing = summarizer.write(source, PROMPTS.__getitem__)
    try:
        prompt = next(writing)
        while True:
            assert summarizer.needs_model
            assert prompt.endswith(">")
            prompt = writing.send(REPLIES[source.tier])
    except StopIteration as done:
        return str(done.value)


@EVERY
def test_it_says_what_it_is(summarizer: Summarizer) -> None:
    assert summarizer.help.endswith(".")


@EVERY
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.tier)
def test_it_writes_a_summary_that_stands_up_to_the_checks(summarizer: Summarizer, source: Source) -> None:
    text = written(summarizer, source)
    assert validate(text, source) == []


def test_one_of_them_needs_no_model() -> None:
    assert not SUMMARIZERS.get("extractive").needs_model
