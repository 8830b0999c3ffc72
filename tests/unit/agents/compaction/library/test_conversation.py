"""The memory of a conversation: every turn is kept, and in a context none is missing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction import CompactionConfig, ConversationMemory, MemoryCompactor
from tests.unit.agents.compaction.library.histories import Model, Repl


def talked(turns: int, max_turns: int = 20, length: int = 0) -> ConversationMemory:
    memory = ConversationMemory(max_turns=max_turns)
    for number in range(turns):
        memory.add_turn(f"question <{number}> {'q' * length}", f"answer <{number}> {'a' * length}")
    return memory


def counted(context: str) -> int:
    """Return how many turns the brackets of a context stand for."""
    found = re.match(r"\[Previous conversation \((\d+) turns\): ", context)
    return int(found[1]) if found else 0


def test_a_conversation_of_few_turns_is_shown_word_for_word() -> None:
    memory = ConversationMemory(max_turns=20)
    memory.add_turn("What's in the dataset?", "1000 records\nin 5 columns.", task="Analyze dataset")
    memory.add_turn(user_message="Find the outliers", assistant_response="I found 12.")
    assert memory.get_context() == (
        "User: What's in the dataset?\nAssistant: 1000 records\nin 5 columns.\n\n"
        "User: Find the outliers\nAssistant: I found 12."
    )
    assert memory.turns[0].task == "Analyze dataset"


def test_older_turns_stand_in_brackets_before_the_last_five() -> None:
    context = talked(7).get_context()
    assert context.startswith(
        "[Previous conversation (2 turns): Q: question <0> A: answer <0> | Q: question <1> A: answer <1>]\n\nUser: "
    )
    assert context.count("User: ") == 5


def test_previews_have_a_hundred_characters() -> None:
    context = talked(6, length=200).get_context()
    assert f"Q: question <0> {'q' * 87}... A: answer <0> {'a' * 89}...]" in context


def test_more_than_max_turns_folds_the_older_half() -> None:
    assert talked(4, max_turns=4).get_context().count("User: ") == 4
    context = talked(5, max_turns=4, length=200).get_context()
    assert (counted(context), context.count("User: ")) == (3, 2)
    folded = talked(16, max_turns=8, length=200).get_context().partition("]")[0].split(" | ")
    assert [len(one) > 150 for one in folded[:5]] == [True, True, True, False, False]


def test_fault_7_no_turn_is_ever_invisible() -> None:
    for turns in range(1, 70):
        context = talked(turns).get_context()
        assert all(f"question <{number}>" in context and f"answer <{number}>" in context for number in range(turns))
        assert counted(context) + context.count("User: ") == turns


def test_of_a_very_long_conversation_the_middle_is_counted() -> None:
    context = talked(1000).get_context()
    brackets, _, rest = context.partition("]")
    shown = brackets.count("Q: ")
    assert len(brackets) < 8000 + 4 * 1000
    assert f" | ({995 - shown} more) | " in brackets
    assert (counted(context), rest.count("User: ")) == (995, 5)
    assert "question <0>" in brackets
    assert "question <994>" in brackets


def test_clearing_forgets_turns_and_summary() -> None:
    memory = talked(50)
    memory.clear()
    assert (memory.turns, memory.get_context()) == ([], "")
    memory.add_turn("Hello?", "Hello.")
    assert memory.get_context() == "User: Hello?\nAssistant: Hello."


def test_the_steps_of_a_turn_are_compacted_and_their_summary_is_shown() -> None:
    memory = ConversationMemory()
    steps = [Repl("I search on", "search()", f"found: {number} coins in the drawer") for number in range(10)]
    memory.add_turn("How many?", "Many.", history=steps, task="Count coins")
    memory.add_turn("And now?", "As many.", history=steps[:3])
    first, second = memory.turns
    assert (len(first.history), first.history[1:]) == (3, tuple(steps[-2:]))
    assert (second.history, second.summary) == (tuple(steps[:3]), "")
    assert f"User: How many?\nAssistant: Many.\nSteps: {first.summary}\n\nUser: And now?" in memory.get_context()
    assert first.summary.startswith("Working on: Count coins.")


def test_a_turn_whose_steps_cannot_be_compacted_changes_nothing() -> None:
    config = CompactionConfig(fallback_to_deterministic=False)
    memory = ConversationMemory(MemoryCompactor(config, Model(RuntimeError("the model is away"))))
    with pytest.raises(RuntimeError, match="away"):
        memory.add_turn("How many?", "Many.", history=["I count the coins of the drawer."] * 12)
    with pytest.raises(TypeError, match="a history is a list"):
        memory.add_turn("How many?", "Many.", history=7)
    assert memory.turns == []


def test_less_than_one_turn_is_refused() -> None:
    with pytest.raises(ValueError, match="max_turns is 0; the least is 1"):
        ConversationMemory(max_turns=0)


@given(st.lists(st.tuples(st.text(max_size=300), st.text(max_size=300)), max_size=60), st.integers(1, 25))
def test_what_is_in_brackets_and_what_is_shown_are_all_turns(said: list[tuple[str, str]], most: int) -> None:
    memory = ConversationMemory(max_turns=most)
    for at, (user, assistant) in enumerate(said):
        memory.add_turn(user, assistant)
        whole = memory.turns[counted(memory.get_context()) :]
        assert memory.get_context().endswith("\n\n".join(f"User: {one[0]}\nAssistant: {one[1]}" for one in whole))
        assert min(5, at + 1, max(1, most // 2)) <= len(whole) <= 5
    assert [(turn.user_message, turn.assistant_response) for turn in memory.turns] == said
