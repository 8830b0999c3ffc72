"""Conversations with minds that have no model, in the real world: each absurdity a player met once, met no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.mind.interpreter import shipped_interpreter
from tests.evening.stage import Stage, staged

is_ignorant = shipped_interpreter().words.is_ignorant
SEEDS = (0, 1)


async def tell(stage: Stage, who: str, *lines: str) -> None:
    for line in lines:
        await stage.type(who, f"say {line}")


async def ask(stage: Stage, who: str, words: str, wait: float = 5.0) -> list[str]:
    """Ask aloud; return what is said to it, without a greeting of somebody newly come."""
    return await stage.type(who, f"say {words}", wait)


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_question_of_taste_is_answered_from_what_is_here_and_never_from_ones_own_greeting(
    tmp_path: Path, seed: int
) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        await stage.live(6)
        await tell(stage, "Jonas", "Hello Eliza")
        (answer,) = await ask(stage, "Jonas", "What do you like about this garden?")
        assert "Welcome" not in answer
        assert any(word in answer for word in ("sundial", "pear", "labels", "gravel", "arden"))


@pytest.mark.parametrize("seed", SEEDS)
async def test_of_two_minds_one_answers_and_nobody_quotes_a_quotation(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        stage.place("Moss", "The Garden")
        await stage.live(60)
        await tell(stage, "Jonas", "My sister Anna lost a silver thimble in the boathouse last May.")
        asked = ("Who lost a thimble?", "Anna"), ("What did Anna lose?", "thimble"), ("Where was it lost?", "boathouse")
        for question, answer in asked:
            answers = await ask(stage, "Jonas", question)
            told = [one for one in answers if answer in one]
            assert len(told) == 1, answers
            assert told[0].count(": '") <= 1


@pytest.mark.parametrize("seed", SEEDS)
async def test_where_somebody_is_who_stands_here_or_is_asked_or_is_nobody_met(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        stage.place("Moss", "The Garden")
        await stage.live(40)
        here = await ask(stage, "Jonas", "Eliza, do you know where Moss is?", 20)
        assert any("Moss" in one.partition(": ")[2] and not is_ignorant(one) for one in here), here
        own = await ask(stage, "Jonas", "Eliza, where is Eliza?", 20)
        assert any("here" in one.casefold() for one in own), own
        away = await ask(stage, "Jonas", "Eliza, where is Tamsin?", 20)
        assert any("Tamsin" in one and is_ignorant(one) for one in away), away
        stage.place("Moss", "The Library")
        await stage.live(20)
        gone = await ask(stage, "Jonas", "Eliza, where is Moss?", 20)
        assert any("Garden" in one or "Lobby" in one for one in gone), gone


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_newest_word_of_one_person_wins_and_two_who_differ_are_both_named(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        stage.enter("Anna")
        await stage.live(12)
        await tell(stage, "Jonas", "Eliza, the brass key is under the third flowerpot.")
        await tell(stage, "Jonas", "No, the key is in the shed now.")
        (answer,) = await ask(stage, "Jonas", "Eliza, where is the brass key?")
        assert "in the shed" in answer.casefold()
        assert "flowerpot" not in answer
        await tell(stage, "Anna", "Eliza, the ferry leaves at nine.")
        await tell(stage, "Jonas", "Eliza, the ferry leaves at ten.")
        (answer,) = await ask(stage, "Anna", "Eliza, when does the ferry leave?")
        assert "nine" in answer
        assert "ten" in answer
        assert "Jonas" in answer


@pytest.mark.parametrize("seed", SEEDS)
async def test_my_sister_and_yours_are_two(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        stage.enter("Anna")
        await stage.live(12)
        await tell(stage, "Jonas", "Eliza, my sister sells honey in Elm Street.")
        await tell(stage, "Anna", "Eliza, my sister works in the bakery at Harrow.")
        assert "honey" in (await ask(stage, "Jonas", "Eliza, what does my sister do?"))[0]
        assert "bakery" in (await ask(stage, "Anna", "Eliza, what does my sister do?"))[0]
        answer = (await ask(stage, "Jonas", "Eliza, where does Anna's sister work?"))[0]
        assert "bakery" in answer
        assert "Anna" in answer


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_was_whispered_or_told_in_confidence_reaches_nobody_else(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        stage.enter("Anna")
        await stage.live(12)
        await stage.type("Jonas", "whisper Eliza The ruby lies in the chimney.")
        await tell(stage, "Jonas", "Eliza, it is red as blood.")
        for question in ("Eliza, where is the ruby?", "Eliza, what did Jonas tell you?", "What do you know of Jonas?"):
            assert not any("chimney" in one for one in await ask(stage, "Anna", question))
        told = await ask(stage, "Jonas", "Eliza, where is the ruby?")
        assert any("chimney" in one for one in told)
        heard = [line for line in stage.script if " -> Anna: " in line]
        assert not any("chimney" in line for line in heard)


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_thing_here_that_is_asked_for_is_looked_at_and_told_of(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        await stage.live(1)
        answers = await ask(stage, "Jonas", "Eliza, what is the sundial?", 25)
        assert any("slate" in one for one in answers)


@pytest.mark.parametrize("seed", SEEDS)
async def test_asked_to_come_along_she_follows(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        await stage.live(12)
        await tell(stage, "Jonas", "Eliza, come with me.")
        await stage.type("Jonas", "go north", 6)
        where = stage.parts.engine.world.location_of(stage.mind("Eliza").id)
        assert where is not None
        assert where.name == "The Lobby"


@pytest.mark.parametrize("seed", SEEDS)
async def test_news_goes_from_mind_to_mind_and_keeps_who_told_it(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        await stage.live(8)
        await tell(stage, "Jonas", "Eliza, the mill at Harrow has burned down.")
        stage.leave("Jonas")
        stage.enter("Anna")
        stage.place("Moss", "The Garden")
        await stage.live(40)
        answers = await ask(stage, "Anna", "Eliza, what do you know about the mill?")
        assert [one for one in answers if one.startswith("Eliza: ") and "Jonas" in one]
        stage.place("Eliza", "The Lobby")
        await stage.live(5)
        answers = await ask(stage, "Anna", "Moss, what happened to the mill at Harrow?")
        assert any("Jonas" in one and "burned down" in one for one in answers), answers


@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_that_was_asked_is_answered_with_what_has_nothing_to_do_with_it(
    tmp_path: Path, seed: int
) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        await stage.live(8)
        await tell(
            stage, "Jonas", "I walked a long way.", "My shoes are full of sand.", "Tomorrow is my birthday.",
            "I could eat a pie now.",
        )  # fmt: skip
        for question in (
            "Who stole the silver spoon?",
            "How old is the mayor?",
            "Why did the bells ring?",
            "When does the circus come?",
            "What do you know about dragons?",
        ):
            (answer,) = await ask(stage, "Jonas", f"Eliza, {question[0].lower()}{question[1:]}")
            assert is_ignorant(answer), (question, answer)


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_she_has_read_of_the_sundial_answers_what_is_missing_from_it(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        stage.enter("Jonas")
        await stage.live(8)
        await ask(stage, "Jonas", "Eliza, what is the sundial?", 25)
        (answer,) = await ask(stage, "Jonas", "Eliza, what is missing from the sundial?")
        assert "fin" in answer
        assert "gone" in answer
