"""What somebody said is turned into a sentence about them, or left as it is; the part asked for is found in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains.instinct.retell import own_words, part, retell
from tests.unit.agents.brains.instinct.shipped import INTERPRETER

WORDS = INTERPRETER.words

TURNED: list[tuple[str, str | None, str | None]] = [
    ("my uncle keeps a lighthouse", "your uncle keeps a lighthouse", "Ann's uncle keeps a lighthouse"),
    ("I am learning the cello", "you are learning the cello", "Ann is learning the cello"),
    ("I'm afraid of spiders", "you are afraid of spiders", "Ann is afraid of spiders"),
    ("I've lost my ring in my hut", "you have lost your ring in your hut", "Ann has lost their ring in their hut"),
    ("I never drink tea", "you never drink tea", "Ann never drinks tea"),
    ("I don't like onions", "you don't like onions", "Ann doesn't like onions"),
    ("I'd better go", "you had better go", "Ann had better go"),
    ("thunder frightens me", "thunder frightens you", "thunder frightens Ann"),
    ("I keep bees and sell honey", "you keep bees and sell honey", "Ann keeps bees and sells honey"),
    ("I was born in Wend and was baptised there", "you were born in Wend and were baptised there",
     "Ann was born in Wend and was baptised there"),
    ("I bake bread and I sell it", "you bake bread and you sell it", "Ann bakes bread and sells it"),
    ("I work at the mill because I need the money", "you work at the mill because you need the money",
     "Ann works at the mill because they need the money"),
    ("I gave Tamsin my old map", "you gave Tamsin your old map", "Ann gave Tamsin Ann's old map"),
    ("I bought this lantern in Dover", "you bought that lantern in Dover", "Ann bought that lantern in Dover"),
    ("this morning I saw a heron", "this morning you saw a heron", "this morning Ann saw a heron"),
    ("You owe me three coins", "I owe you three coins", "I owe Ann three coins"),
    ("I'll bring you a cake", "you will bring me a cake", "Ann will bring me a cake"),
    ("Mum is in hospital", "your mum is in hospital", "Ann's mum is in hospital"),
    ("by the way, my dog is called Biscuit!", "your dog is called Biscuit", "Ann's dog is called Biscuit"),
    ("Ann's the one whom you had it from", None, None),
    ("my sister knows whom you had it from", "your sister knows whom I had it from",
     "Ann's sister knows whom I had it from"),
    ("I lent the book you have to Moss", "you lent the book I have to Moss", "Ann lent the book I have to Moss"),
    ("we have three hens", "you have three hens", None),
    ("the market opens at seven", "the market opens at seven", "the market opens at seven"),
    ("so am I", None, None),
    ("this is my sister", None, None),
    ("you can see the sea from there", None, None),
    ('my brother said "I am tired"', None, None),
]  # fmt: skip

PARTS: list[tuple[str, str, str, str | None]] = [
    ("number", "how many hives does Moss keep", "Moss keeps twelve hives", "twelve hives"),
    ("number", "how many sisters do I have", "you have three brothers and two sisters", "two sisters"),
    ("number", "how old is my sister", "your sister is forty years old", "forty years old"),
    ("number", "how much was the mill", "the mill cost two hundred and six pounds", "two hundred and six pounds"),
    ("when", "when does the market open", "the market opens at seven on Saturdays", "at seven on Saturdays"),
    ("when", "when does the boat leave", "the boat leaves at half past six", "at half past six"),
    ("when", "when is my birthday", "your birthday is on the ninth of May", "on the ninth of May"),
    ("when", "when did my father die", "your father died three years ago", "three years ago"),
    ("when", "when did I meet my wife", "you met your wife when you were six", "when you were six"),
    ("where", "where did I grow up", "you grew up in a house by the canal", "in a house by the canal"),
    ("where", "where is the key", "Moss hid the key in the loft to save it", "in the loft"),
    ("where", "where did my brother go", "your brother went to the coast on Monday", "to the coast"),
    ("where", "where is the key to the cellar", "the key to the cellar hangs behind the clock", "behind the clock"),
    ("where", "where was I stung", "you were stung by a bee on your thumb", "on your thumb"),
    ("who", "who keeps a lighthouse", "your uncle keeps a lighthouse", "your uncle"),
    ("who", "who has my map", "you gave Tamsin your old map", "Tamsin"),
    ("who", "who stole the bell", "the bell was stolen by the miller's boy", "the miller's boy"),
    ("who", "whom do I owe money", "you owe Hollis five shillings", "Hollis"),
    ("who", "who is Mia", "your daughter Mia is allergic to nuts", "your daughter"),
    ("who", "who is my boss", "your boss is called Mr. Trench", "Mr. Trench"),
    ("why", "why do I work at the mill", "you work at the mill because you must", "because you must"),
    ("why", "why don't I eat cake", "you are allergic to nuts, so you never eat cake", "you are allergic to nuts"),
    ("colour", "what colour is the door", "the door is painted dark green", "dark green"),
    ("colour", "what colour is my cat", "your cat is black and white", "black and white"),
    ("name", "what is my dog called", "your dog is called Biscuit", "Biscuit"),
    ("name", "what are my cats called", "you have two cats, Milo and Otis", "Milo and Otis"),
    ("where", "where does my sister work", "your sister no longer works in Delft, she works in Leiden", "in Leiden"),
    ("where", "where is the key", "the key is not under the pot but on the hook", "on the hook"),
    ("where", "where is the key", "the key is on the hook, not under the pot", "on the hook"),
    ("where", "where does my sister work", "your sister does not work in Delft", None),
    ("where", "where does my sister not work", "your sister does not work in Delft", "in Delft"),
    ("who", "who rang the bell", "not Tom but Mia rang the bell", "Mia"),
    ("when", "when is the fair", "the fair isn't on Friday, it is on Saturday", "on Saturday"),
    ("why", "why do I not sleep", "you don't sleep because the dog barks", "because the dog barks"),
    ("number", "how many hives are there", "Moss keeps bees", None),
    ("when", "when does it open", "the market opens", None),
    ("colour", "what colour is it", "the door is old", None),
]  # fmt: skip


@pytest.mark.parametrize(("said", "to_teller", "to_others"), TURNED)
def test_what_ann_said_is_told_to_ann_as_you_and_to_others_by_her_name(
    said: str, to_teller: str | None, to_others: str | None
) -> None:
    assert retell(said, "Ann", "Ann", WORDS) == to_teller
    assert retell(said, "Ann", "Bob", WORDS) == to_others


@pytest.mark.parametrize(("asks", "question", "statement", "wanted"), PARTS)
def test_the_part_that_is_asked_for_is_found_in_a_statement(
    asks: str, question: str, statement: str, wanted: str | None
) -> None:
    assert part(statement, asks, tuple(question.split()), WORDS) == wanted


def test_who_is_named_in_what_was_said_hears_it_quoted() -> None:
    assert retell("Bob stole my umbrella", "Ann", "Bob", WORDS) is None


def test_a_profile_is_told_in_the_first_person() -> None:
    assert own_words("You keep bees. The hives are old. You love your garden.", WORDS) == (
        "I keep bees.",
        "I love my garden.",
    )


STARTS = (
    "I keep",
    "I lost",
    "my sister wants",
    "our dog found",
    "the baker gave me",
    "I am",
    "I was near",
    "Mum likes",
)
ENDS = (
    "a red kite",
    "my old hat in the garden",
    "two of your pears",
    "what I need",
    "the mill and my horse",
    "nothing",
)


@given(st.sampled_from(STARTS), st.sampled_from(ENDS))
def test_no_i_or_my_is_left_when_a_statement_is_told_to_its_teller(start: str, end: str) -> None:
    told = retell(f"{start} {end}", "Ann", "Ann", WORDS)
    if told is not None and "your pears" not in end:
        assert not {"i", "my", "me", "mine", "am", "our"} & set(told.casefold().split())


@given(st.text(alphabet="Iimyouwe 'asntr.,?\"bdlkeghc", max_size=60), st.sampled_from(("Ann", "Bob")))
def test_any_text_is_turned_or_left_and_every_part_stands_in_it(text: str, listener: str) -> None:
    told = retell(text, "Ann", listener, WORDS)
    assert told is None or told.strip()
    for asks in ("number", "when", "where", "who", "why", "colour", "name"):
        found = part(text, asks, ("dog",), WORDS)
        assert found is None or found in text
