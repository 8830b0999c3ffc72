from __future__ import annotations

import pytest

from agents.brains.instinct.interpreter import parse_interpreter
from agents.brains.instinct.meaning import Meaning, Names
from agents.text.addressing import asks
from tests.unit.agents.brains.instinct.shipped import FILES, INTERPRETER, PROBLEMS
from tests.unit.agents.brains.instinct.wordings import rows

NAMES = Names(
    "Loci", ("Moss", "Eliza", "Corvin", "Tamsin", "Ann"), ("The Library", "The Bee Yard"), ("sundial", "oil lamp")
)
EXAMPLES = [(intent.name, text) for intent in INTERPRETER.intents.values() for text, _ in intent.examples]
COUNTEREXAMPLES = [(intent.name, text) for intent in INTERPRETER.intents.values() for text, _ in intent.counterexamples]


def test_the_shipped_intents_and_words_have_no_mistake() -> None:
    assert PROBLEMS == []
    assert len(INTERPRETER.intents) >= 60
    assert len(EXAMPLES) >= 400


def test_every_example_finds_its_own_intent() -> None:
    wrong = [(name, text, found) for name, text in EXAMPLES if (found := INTERPRETER.read(text, NAMES).intent) != name]
    assert wrong == []


def test_all_that_is_worked_out_beforehand_reads_as_what_is_worked_out_when_it_is_needed() -> None:
    prepared, _ = parse_interpreter(FILES)
    prepared.prepare()
    assert all(prepared.read(text, NAMES) == INTERPRETER.read(text, NAMES) for _, text in EXAMPLES[::20])


def test_no_pattern_of_another_intent_takes_an_example() -> None:
    read = [(name, text, INTERPRETER.pattern(text, NAMES)) for name, text in EXAMPLES]
    assert [(name, text, found) for name, text, found in read if found and found.intent != name] == []


def test_every_example_is_nearest_to_its_own_intent_by_its_words() -> None:
    read = [(name, text, dict(INTERPRETER.near(text, Names("Loci", NAMES.people)))) for name, text in EXAMPLES]
    assert [(name, text) for name, text, near in read if near and near.get(name, 0.0) < max(near.values())] == []


def test_every_example_is_nearest_to_its_own_intent_by_vectors_of_which_each_is_its_own() -> None:
    masked = INTERPRETER.masked_examples
    for number, (name, _) in enumerate(EXAMPLES):
        near = INTERPRETER.nearest([1.0 if one == masked[number] else 0.0 for one in masked])
        assert dict(near)[name] == max(dict(near).values())


def test_no_counterexample_finds_its_intent() -> None:
    assert [(name, text) for name, text in COUNTEREXAMPLES if INTERPRETER.read(text, NAMES).intent == name] == []


def test_every_intent_can_be_read_with_its_own_kind_of_sentence() -> None:
    kinds = {name: {asks(text) for text, _ in intent.examples} for name, intent in INTERPRETER.intents.items()}
    assert [name for name, found in kinds.items() if not found] == []


def test_a_sentence_is_read_once_for_all_who_hear_it_whomever_else_they_know() -> None:
    said = "Tell Ann that the bees swarm."
    assert INTERPRETER.pattern(said, NAMES) is INTERPRETER.pattern(said, Names("Old Ned", ("Ann", "Ned"), ("Mill",)))
    unlike = [
        text
        for _, text in EXAMPLES
        if INTERPRETER.read(text, NAMES) != INTERPRETER.read(text, NAMES._replace(people=(*NAMES.people, "Zebulon Yk")))
    ]
    assert unlike == []


@pytest.mark.parametrize(
    ("said", "intent", "slots"),
    [
        ("Where is Eliza?", "where_is", {"person": "Eliza"}),
        ("hello Loci, where's eliza?", "where_is", {"person": "eliza"}),
        ("Have you seen Mrs Hale?", "where_is", {"person": "Mrs Hale"}),
        ("What did Corvin say about the old bridge?", "what_said", {"person": "Corvin", "topic": "the old bridge"}),
        ("Tell Ann that the bees swarm.", "errand", {"person": "Ann", "text": "the bees swarm"}),
        ("How do I get to the Library, please?", "way", {"place": "the Library"}),
        ("My name is Jonas.", "name_given", {"name": "Jonas"}),
        ("Who's my business partner?", "who", {"topic": "is my business partner"}),
        ("How many steps does the tower have?", "how_many", {"topic": "steps does the tower have"}),
    ],
)
def test_names_and_words_are_found_in_their_places(said: str, intent: str, slots: dict[str, str]) -> None:
    meaning = INTERPRETER.read(said, NAMES)
    assert (meaning.intent, meaning.slots) == (intent, slots)


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("waht is your name?", "who_are_you"),
        ("how are yuo?", "how_are_you"),
        ("where are we nwo?", "where_are_we"),
        ("thnak you", "thanks"),
        ("good mornig", "greeting"),
        ("whats your nmae", "who_are_you"),
    ],
)
def test_a_word_that_is_wrong_by_a_letter_is_understood(said: str, intent: str) -> None:
    assert INTERPRETER.read(said, NAMES).intent == intent


def wanted(meaning: Meaning) -> tuple[object, ...]:
    """What a meaning wants; of what is answered from memory the texts are but for when nothing is found."""
    return (meaning.wants, meaning.asks) + (() if meaning.wants == "memory" else meaning.texts)


def test_everyday_wordings_want_what_plain_sentences_want() -> None:
    read = [
        (said, wanted(INTERPRETER.read(said, NAMES)), {wanted(INTERPRETER.read(one, NAMES)) for one in plain})
        for plain, said in rows()
    ]
    wrong = [(said, found) for said, found, meant in read if found not in meant]
    assert len(read) >= 900
    assert len(wrong) <= 0.07 * len(read), wrong


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("Hey, do you happen to know where Moss is?", "Where is Moss?"),
        ("So, would you mind telling me what time it is?", "What time is it?"),
        ("I was wondering if the gate is open.", "Is the gate open?"),
        ("Could you tell me whether he's asleep?", "Is he asleep?"),
        ("how late is it", "How late is it?"),
        ("Where on earth is Moss?", "Where is Moss?"),
        ("Who'd you hear that from?", "Who did you hear that from?"),
        ("What've you got there?", "What have you got there?"),
        ("what's your favorite color", "What is your favourite colour?"),
    ],
)
def test_what_stands_around_a_question_changes_nothing(said: str, plain: str) -> None:
    assert wanted(INTERPRETER.read(said, NAMES)) == wanted(INTERPRETER.read(plain, NAMES))


@pytest.mark.parametrize(
    ("said", "intent", "slots"),
    [
        ("I need Moss, where can I find him?", "where_is", {"person": "Moss"}),
        ("I wonder where Eliza has gone?", "where_is", {"person": "Eliza"}),
        ("Who is Ruth?", "who_is", {"person": "Ruth"}),
    ],
)
def test_a_person_is_found_in_another_clause_and_by_a_capital(said: str, intent: str, slots: dict[str, str]) -> None:
    meaning = INTERPRETER.read(said, NAMES)
    assert (meaning.intent, meaning.slots) == (intent, slots)


@pytest.mark.parametrize(
    "said", ["The gate is closed.", "I was wrong about nothing.", "When I was young we lived here."]
)
def test_what_tells_something_is_no_question(said: str) -> None:
    assert INTERPRETER.read(said, NAMES).wants == "nothing"


def test_a_small_word_behind_an_article_is_a_thing() -> None:
    assert INTERPRETER.words.content("Where is the well?") == ("well",)
    assert INTERPRETER.words.content("I know it well.") == ("know",)


@pytest.mark.parametrize(
    "said",
    [
        "Wo ist meine Schwester?",
        "Où est ma sœur ?",
        "¿Dónde está mi hermana?",
        "Где моя сестра?",
        "Ich habe zwei Katzen.",
    ],
)
def test_another_language_is_told_from_this_one(said: str) -> None:
    assert INTERPRETER.read(said, NAMES).intent == "foreign"


@pytest.mark.parametrize("said", ["Biscuit barked.", "My sister Ilse lives in Bergen.", "The zephyr rattled shutters."])
def test_strange_words_alone_make_no_other_language(said: str) -> None:
    assert INTERPRETER.read(said, NAMES).intent == "statement"


def test_courtesies_and_names_called_are_no_part_of_the_words() -> None:
    assert INTERPRETER.read("Oh, excuse me, Loci, where is the key?", NAMES).words == "where is the key?"


def test_a_vector_decides_where_no_pattern_fits() -> None:
    said = "Would there be a soul in these parts?"
    assert INTERPRETER.read(said, NAMES, (("hail", 0.9),)).intent == "hail"
    assert INTERPRETER.read(said, NAMES, (("hail", 0.1),)).intent == "yes_no"


def test_a_question_about_who_asks_is_none_about_who_is_asked() -> None:
    near = (("your_home", 0.9), ("where", 0.7))
    assert INTERPRETER.read("Where did I spend my childhood?", NAMES, near).intent == "where"
    assert INTERPRETER.read("Where did Corvin spend the war?", NAMES, near).intent == "where"
    assert INTERPRETER.read("Where did you spend your childhood?", NAMES, near).intent == "your_home"


def test_what_an_example_is_about_does_not_decide() -> None:
    one, other = (
        INTERPRETER.masked("Does Eliza mind the sundial?", NAMES),
        INTERPRETER.masked("Does Corvin mind the oil lamp?", NAMES),
    )
    assert one == other


@pytest.mark.parametrize(
    ("file", "text", "line", "message"),
    [
        ("intents/x.md", "---\ntype: intent\nwants: memry\n---\n## Examples\n- hi\n", 3, "did you mean memory?"),
        ("intents/x.md", "---\ntype: intent\nwant: self\n---\n## Examples\n- hi\n", 3, "did you mean wants?"),
        ("intents/x.md", "---\ntexts: [reply.hwo]\n---\n## Examples\n- hi\n", 2, "did you mean reply.how?"),
        ("intents/x.md", "---\nasks: whre\n---\n## Examples\n- hi\n", 2, "did you mean where?"),
        ("intents/x.md", "---\nwants: self\n---\n## Exampels\n- hi\n", 4, "did you mean examples?"),
        ("intents/x.md", "---\nwants: self\n---\n## Patterns\n- hi (you\n", 5, "a bracket is not closed"),
        ("intents/x.md", "---\nwants: self\n---\nNothing.\n", 0, "neither patterns nor examples"),
        ("words/x.md", "# Words\n\n## short\n- dont\n", 4, "a word, a colon and its forms"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_may_be_meant(file: str, text: str, line: int, message: str) -> None:
    _, problems = parse_interpreter({**FILES, file: text})
    assert [(one.file, one.line) for one in problems] == [(f"instinct/{file}", line)]
    assert message in str(problems[0])


def test_a_list_of_words_that_is_missing_is_looked_for_among_those_that_nothing_reads() -> None:
    text = FILES["words/words.md"]
    _, problems = parse_interpreter({**FILES, "words/words.md": text.replace("## stop", "## stpo")})
    line = text[: text.index("## stop")].count("\n") + 1
    assert [str(one) for one in problems] == [
        f"instinct/words/words.md:{line}: stpo: nothing reads such a list; did you mean stop?"
    ]


def test_a_world_without_any_intent_reads_questions_and_statements() -> None:
    interpreter, problems = parse_interpreter({})
    assert problems == []
    assert interpreter.read("Where is the key?", NAMES).intent == "question"
    assert interpreter.read("The key is here.", NAMES).intent == "statement"


def test_words_confess_and_ask_for_silence() -> None:
    assert INTERPRETER.words.is_ignorant("I don't know anything about that.")
    assert not INTERPRETER.words.is_ignorant("I know the bees.")
    assert not INTERPRETER.words.is_ignorant("I can't find my spectacles.")
    assert not INTERPRETER.words.is_ignorant("He will tell you.")
    assert INTERPRETER.words.is_secret("Please don't tell anybody.")
    assert not INTERPRETER.words.is_secret("Tell everybody.")
