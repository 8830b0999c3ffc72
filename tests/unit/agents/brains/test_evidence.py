"""Which memories answer a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains.instinct.answers import from_memory
from agents.brains.instinct.evidence import Evidence, EvidenceRequest, weigh
from agents.brains.instinct.questions import read
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance
from mud.world.events import OWN_SELF

AT = "2026-05-01T09:00:00.000Z"


def entry(seq: int, kind: str, actor: str | None, text: str) -> Entry:
    return Entry(seq, AT, kind, actor, "The Garden", text)


def heard(seq: int, actor: str, words: str, kind: str = "heard") -> Entry:
    return entry(seq, kind, actor, f'{actor} says, "{words}"')


def bearing(words: str, *entries: Entry, hits: tuple[Hit, ...] = (), minds: tuple[str, ...] = ()) -> list[Evidence]:
    line = read(Utterance("Visitor", words), "Eliza", ("Visitor", "Anna", "Moss"))
    assert line.question is not None
    return weigh(EvidenceRequest(line.question, "Visitor", "Eliza", minds, ("Visitor", "Anna", "Moss")), hits, entries)


SPOKEN = (
    "The soup was good.",
    "It is in the pot.",
    "I like it when it snows on Sundays.",
    "Bruno is my friend. Do you know him? He sells soup.",
    "He likes snow. It is cold.",
    "They are late.",
)

KEY = heard(1, "Anna", "The brass key is under the third flowerpot.")


def test_a_question_is_never_evidence() -> None:
    assert (
        bearing(
            "Where is the key?", heard(1, "Anna", "Where is the key?"), heard(2, "Anna", "tell me where the key is")
        )
        == []
    )


def test_somebody_who_does_not_know_is_no_evidence() -> None:
    assert bearing("Where is the key?", heard(1, "Anna", "I don't know where the key is, in the garden perhaps.")) == []


def test_ones_own_words_are_never_evidence() -> None:
    own = entry(3, "said", None, 'You say, "The brass key is in the old boathouse."')
    greeting = entry(4, "said", None, 'You say, "Welcome to The Garden, Visitor."')
    assert bearing("Where is the brass key?", own) == []
    assert bearing("What do you know about the garden?", own, greeting) == []


def test_what_people_told_goes_before_what_minds_say() -> None:
    mind = heard(4, "Moss", "The brass key is in the old boathouse.")
    found = bearing("Where is the brass key?", KEY, mind, minds=("Moss",))
    assert [one.actor for one in found] == ["Anna", "Moss"]


def test_what_a_mind_quotes_is_unwrapped_to_who_first_said_it() -> None:
    nested = "It went like this, Visitor, when Moss said it: 'Anna told me in The Library: 'My boat leaks.''"
    (found,) = bearing("What about the boat?", heard(5, "Moss", nested), minds=("Moss",))
    assert (found.words, found.actor, found.via) == ("My boat leaks.", "Anna", "Moss")


def test_a_statement_that_was_heard_and_passed_on_counts_once_from_who_said_it() -> None:
    passed = heard(9, "Moss", "Anna told me in The Garden: the brass key is under the third flowerpot.")
    found = bearing("Where is the brass key?", KEY, passed, minds=("Moss",))
    assert [(one.actor, one.via) for one in found] == [("Anna", "")]


def test_a_correction_outdoes_what_fits_the_question_better() -> None:
    moved = heard(9, "Anna", "No, the key is in the shed now.")
    assert bearing("Where is the brass key?", KEY, moved)[0].seq == 9


def test_my_sister_is_not_somebody_elses() -> None:
    mine = heard(1, "Visitor", "My sister lives in Bergen.")
    theirs = heard(2, "Anna", "My sister lives in Rome.")
    assert [one.seq for one in bearing("Where does my sister live?", mine, theirs)] == [1]


def test_a_line_that_leans_on_the_one_before_is_read_with_it() -> None:
    box = (heard(1, "Anna", "I own a small box."), heard(2, "Anna", "It lies behind the shed."))
    found = bearing("Where is the box?", *box)[0]
    assert (found.words, found.about) == ("It lies behind the shed.", "the small box")


def test_a_name_is_what_he_means_in_the_very_next_line() -> None:
    bruno = (heard(1, "Anna", "Bruno is my friend."), heard(2, "Anna", "He sells umbrellas at the harbour."))
    found = bearing("What does Bruno sell?", *bruno)[0]
    assert (found.words, found.about) == ("He sells umbrellas at the harbour.", "Bruno")


@pytest.mark.parametrize(
    "words",
    [
        "I like it when it snows on Sundays.",
        "It snows on Sundays.",
        "It is late for snow.",
        "It seems that snow is near.",
        "It was I who swept the snow.",
        "I said it: the snow is deep.",
    ],
)
def test_an_it_that_means_nothing_said_before_leans_on_nothing(words: str) -> None:
    found = bearing("What about the snow?", heard(1, "Visitor", "The soup was good."), heard(2, "Visitor", words))
    assert all("soup" not in f"{one.words} {one.about}" for one in found)


def test_a_pronoun_leans_on_the_last_line_only_and_on_no_line_that_is_missing() -> None:
    first, last = heard(1, "Anna", "Bruno is my friend."), heard(3, "Anna", "He sells umbrellas at the harbour.")
    for between in (heard(2, "Anna", "I met Carl in Rome."), heard(2, "Anna", "Do you know Carl?")):
        assert all(one.about != "Bruno" for one in bearing("Who sells umbrellas?", first, between, last))
    assert all(not one.about for one in bearing("Who sells umbrellas?", first, last))
    assert bearing("Who sells umbrellas?", first, heard(2, "Moss", "Carl is late."), last)[0].about == "Bruno"


@given(st.lists(st.sampled_from(SPOKEN), min_size=1, max_size=8))
def test_what_is_quoted_was_said_in_one_breath(lines: list[str]) -> None:
    memories = [heard(number, "Anna", words) for number, words in enumerate(lines, 1)]
    for one in bearing("What about the soup, the snow and Bruno?", *memories):
        assert any(one.words in words for words in lines)


def test_a_summary_answers_only_what_it_shares_the_telling_words_of() -> None:
    summary = Hit("summary", "My first memories are of the Bindery, and of Visitor.", 1.0)
    assert bearing("What is Visitor's password?", hits=(summary,)) == []
    assert bearing("What do you remember of the Bindery?", hits=(summary,))


def test_where_something_happened_to_somebody_is_not_where_they_are() -> None:
    lost = heard(1, "Visitor", "My sister Clara lost a ring in the boathouse.")
    lives = heard(2, "Visitor", "Clara lives in Rome.")
    assert not bearing("Where is Clara?", lost)[0].sure
    assert bearing("Where is Clara?", lives, lost)[0].seq == 2


def test_of_two_that_answer_alike_the_newer_holds() -> None:
    moved = heard(9, "Anna", "The brass key is in the boathouse now.")
    assert bearing("Where is the brass key?", KEY, moved)[0].seq == 9


def test_what_says_where_goes_before_what_only_names_the_thing() -> None:
    praise = heard(9, "Anna", "I polished that brass key until it shone.")
    assert bearing("Where is the brass key?", praise, KEY)[0].seq == 1


def test_a_whisper_or_a_confidence_is_evidence_only_for_who_gave_it() -> None:
    whispered = heard(1, "Anna", "The ruby is in the chimney.", kind="told")
    secret = heard(2, "Anna", "The ruby is in the chimney, but don't tell anybody.")
    assert bearing("Where is the ruby?", whispered, secret) == []
    assert bearing("Where is the ruby?", heard(3, "Visitor", "The ruby is in the chimney.", kind="told"))[0].sure


@pytest.mark.parametrize(
    "frame",
    [
        'Anna whispered to me, "The ruby is in the chimney. It is worth 400 crowns."',
        'I whispered to Anna, "The ruby is in the chimney. It is worth 400 crowns."',
        'Anna said, "The ruby is in the chimney. It is worth 400 crowns. Tell nobody."',
        "Whispering, Anna spoke of a ruby. It is in the chimney, and worth 400 crowns.",
        "Anna confided in me about the ruby. It is in the chimney, and worth 400 crowns.",
        'Anna whispered to me, "The ruby is in the chimney. It is worth 400 crowns.',
    ],
)
def test_of_a_confidence_in_a_summary_no_sentence_is_told(frame: str) -> None:
    for text in (frame, f"The sun shone. {frame} Moss came later."):
        summary = Hit("summary", text, 1.0, covers=(1, 64))
        for question in ("Where is the ruby?", "What is worth 400 crowns?", "How much is the ruby worth?"):
            assert bearing(question, hits=(summary,)) == []


def test_what_a_summary_says_the_agent_did_answers_who_asks_it_of_that() -> None:
    told = 'I hid the golden key under the third flagstone. Anna said, "I hid the silver spoon in the well."'
    summary = Hit("summary", told, 1.0, covers=(1, 64))
    assert "flagstone" in bearing("Where did you hide the golden key?", hits=(summary,))[0].words
    found = bearing("Where did you hide the silver spoon?", hits=(summary,))
    assert not [one for one in found if one.kind == "summary"]


def test_what_stands_beside_a_confidence_in_a_summary_is_told() -> None:
    told = 'Anna whispered to me, "The ruby is in the chimney." Bruno said, "The lamp is in the shed. It is red."'
    found = bearing("Where is the lamp?", hits=(Hit("summary", told, 1.0, covers=(1, 64)),))
    assert "shed" in found[0].words


@pytest.mark.parametrize(
    "text",
    [
        'I walked north, because "the ruby is in the chimney".',
        'I walked north, because "it is dark. The ruby is in the chimney. It is mine".',
        "I walked north because the ruby is in the chimney.",
        'I thought, "The ruby is in the chimney."',
        'I thought, "It is dark. The ruby is in the chimney."',
        'I dreamed, "The ruby is in the chimney."',
        "I often wondered whether the ruby is in the chimney.",
    ],
)
def test_a_private_reason_and_a_thought_in_a_summary_are_told_to_nobody(text: str) -> None:
    for told in (text, f"The sun shone. {text} Moss came later."):
        assert bearing("Where is the ruby?", hits=(Hit("summary", told, 1.0, covers=(1, 64)),)) == []


def test_what_was_done_for_a_private_reason_is_told_without_it() -> None:
    told = 'I hid the golden key under the flagstone, because "Anna is a thief. She took the spoon".'
    found = bearing("Where did you hide the golden key?", hits=(Hit("summary", told, 1.0, covers=(1, 64)),))
    assert found[0].words == "I hid the golden key under the flagstone."


def test_the_private_reason_of_a_note_is_told_to_nobody() -> None:
    text = "## 2026-05-01T09:00:00.000Z, The Garden\n\nIt is made of tin.\n\n*Because: The whistle is for Moss alone.*"
    found = bearing("What do you know about the whistle?", hits=(Hit("note", text, 1.0, title="Whistle"),))
    assert found
    assert not [one for one in found if "Moss" in one.words]


def test_what_one_asked_of_oneself_is_no_look_at_anything() -> None:
    shown = entry(1, "result", None, "Who you are: The silver whistle lies under the loose tile.")
    assert bearing("Where is the silver whistle?", shown)
    assert bearing("Where is the silver whistle?", shown._replace(mark=OWN_SELF)) == []


def test_where_a_thing_is_is_told_by_where_it_was_looked_at() -> None:
    hand = entry(1, "result", None, "gilt hand: A left hand, plaster under the gold.")
    line = read(Utterance("Visitor", "Where is the gilt hand?"), "Eliza", ("Visitor",))
    assert line.question is not None
    found = bearing("Where is the gilt hand?", hand)
    answer = from_memory(line.question, "Visitor", "gilt hand", found, AT, lambda key, number: "lately")
    assert answer.keys[0] == "answer.looked_there"
    assert answer.places["place"] == "The Garden"


def test_a_sentence_that_leans_on_the_one_before_stays_with_it() -> None:
    box = heard(1, "Anna", "I own a small box. It lies behind the shed. Bees sleep at night.")
    assert bearing("Where is the box?", box)[0].words == "I own a small box. It lies behind the shed."


def test_notes_and_summaries_answer_by_their_best_sentence() -> None:
    note = Hit("note", "Grey today.\nAnna told me the brass key is under the third flowerpot.", 1.0, title="Anna")
    found = bearing("Where is the brass key?", hits=(note,))
    assert found[0].words == "Anna told me the brass key is under the third flowerpot."
    assert found[0].title == "Anna"


def test_an_attempt_that_failed_is_no_evidence() -> None:
    failed = Entry(1, AT, "result", None, "The Garden", "brass key: it is in the chest", failed=True)
    assert bearing("Where is the brass key?", failed) == []


def test_what_was_looked_at_tells_of_itself() -> None:
    tags = entry(4, "result", None, 'paper tags: They turn on their strings. "Butter." "Gloves."')
    assert bearing("What are the paper tags?", tags)[0].words == 'They turn on their strings. "Butter." "Gloves."'
    assert bearing("Which day does the butter come?", tags) == []


def test_a_confidence_cannot_be_leant_on() -> None:
    secret = heard(1, "Anna", "Tell nobody, the ruby is in the chimney.")
    after = heard(2, "Anna", "It is red as blood.")
    assert not any("chimney" in one.words for one in bearing("What colour is the ruby?", secret, after))


@pytest.mark.parametrize(
    ("asked", "seq"),
    [
        ("How is my brother's arm?", 9),
        ("How is Tomas?", 9),
        ("What happened to my brother?", 1),
        ("When did my brother break his arm?", 1),
        ("Where did Tomas break his arm?", 1),
    ],
)
def test_a_correction_holds_for_what_it_is_of_though_it_names_it_otherwise(asked: str, seq: int) -> None:
    broken = heard(1, "Visitor", "My brother Tomas broke his left arm skiing in Zermatt on Tuesday.")
    healed = heard(9, "Visitor", "Tomas's arm has healed now.")
    assert bearing(asked, broken, healed)[0].seq == seq
