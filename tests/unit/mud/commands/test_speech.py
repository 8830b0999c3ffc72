"""Say, whisper, emote, shout."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mud.world.changes import Define, Put
from mud.world.events import DISTANT
from mud.world.things import Exit, Kind, Thing
from tests.worlds import ANN, ELIZA, GARDEN, LOBBY, MOSS, do, left_with, make_engine, refused


@pytest.mark.parametrize(
    ("line", "words"),
    [("say hello", "hello"), ("'hello", "hello"), ('"hello', "hello"), ("SAY  a  b ", "a  b"),
     ("say {words}", "{words}"), (r"say a \| b", "a | b"), ("say Γειά σου", "Γειά σου"), ("say 👋🏽", "👋🏽"),
     ("say \\n", "\\n")],
)  # fmt: skip
def test_what_is_said_is_heard_as_typed(line: str, words: str) -> None:
    step = do(make_engine(), line)
    assert step.reply == f'You say, "{words}"'
    assert left_with(step, ELIZA) == [f'Ann says, "{words}"']
    assert [(event.kind, event.words) for event in step.events] == [("speech", words)]


def test_nobody_hears_what_is_said_elsewhere() -> None:
    assert left_with(do(make_engine(), "say hello"), MOSS) == []


@pytest.mark.parametrize("line", ["emote waves", ":waves", ": waves", "me waves"])
def test_an_emote_reads_alike_for_everybody(line: str) -> None:
    step = do(make_engine(), line)
    assert step.reply == "Ann waves."
    assert left_with(step, ELIZA) == ["Ann waves."]


@pytest.mark.parametrize("words", ["waves!", "waves.", "waves…", "asks, 'Why?'", 'says "no."', "waits --", "hums ~"])
def test_an_emote_that_ends_in_a_mark_is_left_as_it_is(words: str) -> None:
    assert do(make_engine(), f"emote {words}").reply == f"Ann {words}"


@pytest.mark.parametrize("words", ["counts to 3", 'reads "no"', "waves (slowly)", "сміється", "looks at Eliza's hat"])
def test_any_other_emote_gets_a_full_stop(words: str) -> None:
    assert do(make_engine(), f"emote {words}").reply == f"Ann {words}."


@pytest.mark.parametrize(
    "line", ["whisper Eliza the key", "tell eliza the key", "whisper to Eliza the key", "tell El, the key"]
)
def test_a_whisper_reaches_only_whom_it_is_for(line: str) -> None:
    engine = make_engine()
    do(engine, "go garden", MOSS)
    step = do(engine, line)
    assert step.reply == 'You whisper to Eliza, "the key"'
    assert left_with(step, ELIZA) == ['Ann whispers to you, "the key"']
    assert {one.who for one in step.left} == {ANN, ELIZA}
    assert [one.kind for one in step.left] == ["said", "told"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("whisper Eliza", "What do you want to whisper to Eliza?"),
        ("whisper moss hello", 'You do not see "moss" here.'),
        ("whisper lamp hello", 'You do not see "lamp" here.'),
        ("whisper Ann hello", "That is what think is for."),
        ("whisper", "whisper needs more: person."),
        ("say", "say needs more: words."),
        (":", "emote needs more: words."),
    ],
)
def test_what_cannot_be_said_is_refused(line: str, told: str) -> None:
    assert told in refused(make_engine(), line).reply


def test_a_whisper_to_one_of_several_asks_which() -> None:
    engine = make_engine()
    engine.world.apply([Define(Thing("#2099", Kind.CHARACTER, "Elias")), Put("#2099", GARDEN)])
    assert refused(engine, "whisper eli psst").reply == '"eli" could be Eliza and Elias. Say which.'
    assert left_with(do(engine, "whisper eliza psst"), ELIZA) == ['Ann whispers to you, "psst"']


def test_a_whisper_to_somebody_without_a_memory_is_said_all_the_same() -> None:
    step = do(make_engine(), "whisper margery hello")
    assert [one.who for one in step.left] == [ANN]


def test_who_speaks_to_nobody_is_told_so_and_remembers_the_words_alone() -> None:
    engine = make_engine()
    do(engine, "go lobby")
    step = do(engine, "say is anybody there?")
    assert step.reply == 'You say, "is anybody there?"\n(Nobody is here to hear it.)'
    assert left_with(step, ANN) == ['You say, "is anybody there?"']


@pytest.mark.parametrize(
    "words",
    ["Moss, where are you?", "moss the slow: hello", "Hi Moss, I'm Ann", "hello Moss", "Hello, Moss!", "Moss",
     "good morning moss the slow", "Hey there, Moss. Come here", "Hello Moss how are you?"],
)  # fmt: skip
def test_who_calls_somebody_absent_is_told_so_and_how_to_find_them(words: str) -> None:
    step = do(make_engine(), f"say {words}")
    assert step.reply == f'You say, "{words}"\n(Moss the Slow is not here; "who" tells where everybody is.)'
    assert left_with(step, ELIZA) == [f'Ann says, "{words}"']


@pytest.mark.parametrize(
    "words",
    ["Eliza, good morning", "Well, moss grows here", "Ann, I say to myself", "hello", "Hello!", "Hi mossy stones",
     "Hi Eliza, where is Moss?", "Hello Moss's friend", "Highmoss", "Moss grows here"],
)  # fmt: skip
def test_whoever_calls_nobody_absent_is_told_nothing(words: str) -> None:
    assert do(make_engine(), f"say {words}").reply == f'You say, "{words}"'


def test_a_name_that_somebody_here_shares_with_somebody_absent_is_theirs() -> None:
    engine = make_engine()
    engine.world.apply([Define(Thing("#2099", Kind.CHARACTER, "Moss the Quick", aliases=("moss",)))])
    engine.world.apply([Put("#2099", GARDEN)])
    assert do(engine, "say hello Moss the Quick").reply == 'You say, "hello Moss the Quick"'


def test_what_is_yours_does_something_after_an_apostrophe() -> None:
    step = do(make_engine(), "emote 's eyes glitter")
    assert step.reply == "Ann's eyes glitter."
    assert left_with(step, ELIZA) == ["Ann's eyes glitter."]
    assert do(make_engine(), ":’s hat falls off!").reply == "Ann’s hat falls off!"
    assert do(make_engine(), "emote 'tis late, she hums").reply == "Ann 'tis late, she hums."


def test_a_shout_is_heard_here_and_next_door_with_the_way_it_comes_from() -> None:
    engine = make_engine()
    do(engine, "go lobby", MOSS)
    step = do(engine, "shout is anybody there?")
    assert step.reply == 'You shout, "is anybody there?"'
    assert left_with(step, ELIZA) == ['Ann shouts, "is anybody there?"']
    assert left_with(step, MOSS) == ['From the south, faintly, Ann is heard to shout, "is anybody there?"']
    assert [(one.who, one.kind, one.place, one.mark) for one in step.left] == [
        (ANN, "said", "The Garden", None),
        (ELIZA, "heard", "The Garden", None),
        (MOSS, "heard", "The Lobby", DISTANT),
    ]


def test_a_shout_is_heard_no_farther_than_next_door() -> None:
    assert left_with(do(make_engine(), "shout hello"), MOSS) == []  # two rooms away


def test_where_no_way_leads_back_a_shout_comes_from_somewhere() -> None:
    engine = make_engine()
    do(engine, "go gate", ELIZA)
    heard = left_with(do(engine, "yell hello"), ELIZA)
    assert heard == ['From somewhere near, faintly, Ann is heard to shout, "hello"']


@pytest.mark.parametrize(
    ("way", "heard"), [("u", "above"), ("down", "below"), ("ne", "the northeast"), ("gate", "the gate")]
)
def test_the_way_of_a_shout_is_told_as_people_say_it(way: str, heard: str) -> None:
    engine = make_engine()
    lobby = engine.world.things[LOBBY]
    engine.world.apply([Define(replace(lobby, exits=(Exit(way, GARDEN),))), Put(MOSS, LOBBY)])
    assert left_with(do(engine, "shout oi"), MOSS) == [f'From {heard}, faintly, Ann is heard to shout, "oi"']


def test_a_shouted_name_wakes_its_sleeper_here() -> None:
    engine = make_engine()
    do(engine, "sleep", ELIZA)
    step = do(engine, "shout Eliza, get up!")
    assert step.reply == 'You shout, "Eliza, get up!"\nEliza wakes up.'
    assert ELIZA not in engine.world.asleep
