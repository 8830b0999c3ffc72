"""What every summarizer keeps, whoever writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.compaction.judge import SummaryEvidence, made_up, misquoted, taken_for_true, validate
from agents.compaction.summarizer import Summarizer, SummarySource, body_of
from agents.memory.entries import Entry, undreamt
from agents.memory.summaries import TIERS, SummaryFiles
from tests.benchmarks._compaction.summaries import LIVES
from tests.lives import PROMPTS, SUMMARIZERS, Life

EVERY = pytest.mark.parametrize("summarizer", list(SUMMARIZERS), ids=lambda summarizer: summarizer.name)
ENTRIES = tuple(
    Entry(seq, "", "heard", "Moss", "The Library", f'Moss says, "The wind has turned for the {seq}. time."')
    for seq in range(1, 66)
)
SOURCES = [
    SummarySource("Eliza", "recent", ENTRIES, max_sentences=4),
    SummarySource(
        "Eliza", "longterm", earlier=("I met Ada at the Kiln, who gave me plums.", "I sat with Moss in the Library.")
    ),
]
REPLIES = {"recent": "I sat in the Library with Moss.", "longterm": "I met Ada at the Kiln and sat with Moss."}


def written(summarizer: Summarizer, source: SummarySource) -> str:
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
def test_it_writes_a_summary_that_stands_up_to_the_checks(summarizer: Summarizer, source: SummarySource) -> None:
    text = written(summarizer, source)
    assert validate(text, source) == []


def test_one_of_them_needs_no_model() -> None:
    assert not SUMMARIZERS.get("extractive").needs_model


@pytest.mark.parametrize("strategy", ["waterfall", "hybrid", "layered"])
@pytest.mark.parametrize("path", sorted(LIVES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_rules_write_of_a_life_holds_up_against_its_memories(tmp_path: Path, path: Path, strategy: str) -> None:
    """The judge reads no summary by rules in a fold: this is where it does."""
    life = Life(tmp_path, name=path.stem.title())
    life.set(strategy=strategy, threshold_tokens=1200, min_saving_tokens=200)
    for line in path.read_text("utf-8").splitlines():
        life.memory.append_raw([json.loads(line)])
        life.compactor.fold_due_now()
    files = SummaryFiles(tmp_path / "summaries")
    made = [one for tier in TIERS for one in files.versions(tier)]
    assert len(made) > 2
    for one in made:
        assert one.method == "extractive"
        source = SummarySource(life.name, one.tier, undreamt(life.memory.read(*one.covers)))
        said = body_of(one.text) if "\n" in one.text else one.text
        assert made_up(said, SummaryEvidence(source)) == []
        assert misquoted(said, source) + taken_for_true(said, source) == []
        assert one.faithful
        assert one.retention is not None
        assert 0.1 < one.retention <= 1
