"""A model that opens its replies with an empty line or a thought is heard all the same, whoever keeps the stops."""

from __future__ import annotations

import itertools

import pytest

from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import MUTE, Task, Urgency
from agents.llm.spending import BudgetSettings, ModelBudget
from agents.text.unwrapping import past_thoughts
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Stage

OPENING = "\n\nsay good morning\nMoss> Good morning."


def never(so_far: str) -> bool:
    return False


def stage(*texts: str, stop: tuple[str, ...] = ("\n",)) -> tuple[Stage, ScriptedModel]:
    """Return a queue over a model that says these texts in turn, and keeps stops as a server does."""
    model = ScriptedModel(itertools.cycle(texts))
    profile = LLMProfile(backend="scripted", host="a", timeout=60, stop=stop)
    return Stage({"a": model}, {"think": profile}), model


async def replied(play: Stage) -> str:
    return (await play.queue.ask(lambda: "~Eliza>", "think", Urgency.THINK, "Eliza", never)).text


async def test_what_stands_behind_the_empty_lines_is_the_reply_and_ends_where_its_line_does() -> None:
    play, model = stage(OPENING)
    assert await replied(play) == "say good morning"
    assert len(model.prompts) == 2
    assert await replied(play) == "say good morning"
    assert len(model.prompts) == 3, "who opens so is asked past it at once from then on"


THOUGHT = "<think>\nShe greets me.\n\nI greet her.\n</think>\n\n"


@pytest.mark.parametrize("opening", [THOUGHT, f"\n{THOUGHT}", "<think></think>\n\n", "<think>Hm,\nwell.</think>\n"])
async def test_what_stands_behind_a_thought_is_the_reply_and_ends_where_its_line_does(opening: str) -> None:
    play, model = stage(f"{opening}say good morning\nMoss> Good morning.")
    for asked in (2, 3):
        assert (past_thoughts(await replied(play)) or "").strip() == "say good morning"
        assert len(model.prompts) == asked


async def test_a_thought_without_end_is_asked_for_past_its_line_only_once() -> None:
    play, model = stage("<think>\nShe greets me.\n\nAnd then")
    for asked in (2, 3):
        assert (await replied(play)).endswith("And then"), "whoever looks for the reply sees why there is none"
        assert len(model.prompts) == asked


@pytest.mark.parametrize("text", ["say hello", "<think>She waits.</think>say hello", "Hello.\n\nsay hello"])
async def test_a_reply_that_begins_with_a_word_is_asked_for_once_and_cut_as_ever(text: str) -> None:
    play, model = stage(text)
    assert await replied(play) == text.partition("\n")[0]
    assert len(model.prompts) == 1


async def test_a_model_that_stays_silent_is_asked_only_once_until_it_says_something() -> None:
    play, model = stage(*[""] * (2 * MUTE + 1), "say hello", "", OPENING)
    for _ in range(MUTE):
        await replied(play)
    assert len(model.prompts) == 2 * MUTE
    assert not await replied(play)
    assert len(model.prompts) == 2 * MUTE + 1
    assert await replied(play) == "say hello"
    assert await replied(play) == "say good morning"


@pytest.mark.parametrize(
    ("text", "stop", "asked"), [("", ("\n",), 2), (" \n ", ("\n",), 2), ("", ("END",), 1), ("", (), 1)]
)
async def test_a_model_that_has_nothing_to_say_is_asked_twice_at_most_and_only_where_a_stop_may_be_why(
    text: str, stop: tuple[str, ...], asked: int
) -> None:
    play, model = stage(text, stop=stop)
    for number in (1, 2):
        assert not (await replied(play)).strip()
        assert len(model.prompts) == number * asked


async def test_other_stops_hold_from_the_beginning_on() -> None:
    play, _ = stage("\n\nA summary of the day.\n\n## Next\nmore", stop=("\n\n", "\n#"))
    assert (await replied(play)).strip() == "A summary of the day."
    play, _ = stage("\n# Title\nA summary.", stop=("\n\n", "\n#"))
    assert await replied(play) == ""


async def test_both_times_are_paid_for_and_a_budget_without_room_for_the_second_keeps_it_from_being_asked() -> None:
    play, model = stage(OPENING)
    await replied(play)
    (row,) = play.queue.budget.spending.rows()
    assert (row.owner, row.task, row.total.calls) == ("Eliza", Task.THINKING, 2)
    play, model = stage(OPENING)
    play.queue.budget = ModelBudget(lambda: BudgetSettings(agent_calls_per_hour=1), play.clock)
    with pytest.raises(Unavailable, match="1 call"):
        await replied(play)
    assert len(model.prompts) == 1
