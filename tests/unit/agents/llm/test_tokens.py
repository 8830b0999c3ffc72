from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.tokens import at_most, estimate
from tests.scripts import SCRIPTS
from tests.vaults import ROOT


@given(st.text())
def test_the_estimate_is_between_a_third_of_the_bytes_and_all_of_them_with_one_more_a_word(text: str) -> None:
    size = len(text.encode())
    assert size / 3 <= estimate(text) <= size + len(text.split())


@given(st.text(), st.text())
def test_more_text_never_takes_fewer_tokens(text: str, more: str) -> None:
    assert estimate(text + more) >= estimate(text)


def test_half_a_surrogate_pair_is_counted_too() -> None:
    assert estimate("\ud800") > 0


@given(st.lists(st.text()))
def test_a_text_takes_as_many_tokens_as_its_lines_and_their_ends(lines: list[str]) -> None:
    lines = [part for line in lines for part in line.split("\n")]
    assert at_most("\n".join(lines)) == sum(map(at_most, lines)) + max(0, len(lines) - 1)


@pytest.mark.parametrize("word", ["x" * 1000, "ἀγορά" * 30, "Zbigniewowicz"])
def test_a_word_that_the_tokenizer_has_no_pieces_for_takes_several_tokens(word: str) -> None:
    assert at_most(word) >= len(word) / 3


def test_without_the_tokenizer_the_count_is_higher_and_never_fails() -> None:
    code = (
        "import sys; sys.modules['tokenizers'] = None\n"
        "from agents.llm.tokens import at_most; from tests.scripts import SCRIPTS\n"
        "print(*(at_most(text) for text in SCRIPTS.values()))"
    )
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    without = dict(zip(SCRIPTS, map(int, made.stdout.split()), strict=True))
    assert without["English"] >= at_most(SCRIPTS["English"])
    assert without["Armenian"] == at_most(SCRIPTS["Armenian"])
