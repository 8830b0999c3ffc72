from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.recall.question import MAX_WORDS, content_words, read_question

NOW = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)  # a Friday


def fits(question: str, at: str) -> float:
    """Return how well a moment fits the time that a question asks about."""
    return read_question(question, NOW).fits_time(datetime.fromisoformat(at).replace(tzinfo=UTC))


def test_the_words_that_every_question_has_are_left_out() -> None:
    assert content_words("Where did you tell me that the Brass Key is?") == ["brass", "key"]
    assert content_words("Wo ist der Schlüssel, Éloïse?") == ["wo", "ist", "der", "schlüssel", "éloïse"]


def test_a_question_of_common_words_alone_keeps_them() -> None:
    assert content_words("Who are you?") == ["who", "are", "you"]
    assert content_words("?!") == []


@given(st.text(max_size=3000))
def test_words_are_few_lower_case_and_each_once(text: str) -> None:
    words = content_words(text)
    assert len(words) <= MAX_WORDS
    assert len(set(words)) == len(words)
    assert all(word.isalnum() and '"' not in word for word in words)


@pytest.mark.parametrize(
    ("question", "within", "beyond"),
    [
        ("What did Moss say yesterday?", "2026-11-19T09:00", "2026-11-20T09:00"),
        ("Whom did I meet the day before yesterday?", "2026-11-18T09:00", "2026-11-19T13:00"),
        ("Who was here this morning?", "2026-11-20T08:00", "2026-11-20T20:00"),
        ("What happened last night?", "2026-11-19T23:00", "2026-11-20T12:30"),
        ("Who came last week?", "2026-11-12T09:00", "2026-11-20T09:00"),
        ("What was said last month?", "2026-10-12T09:00", "2026-12-01T09:00"),
        ("What was built last year?", "2025-03-01T09:00", "2024-03-01T09:00"),
        ("What did she sing 3 days ago?", "2026-11-17T23:00", "2026-11-19T09:00"),
        ("Who knocked two hours ago?", "2026-11-20T13:20", "2026-11-20T09:00"),
        ("Where were we on Monday?", "2026-11-16T12:00", "2026-11-18T12:00"),
        ("What did we plant in May?", "2023-05-30T12:00", "2023-06-01T12:00"),
        ("Who left in May 2025?", "2025-05-02T12:00", "2026-05-02T12:00"),
        ("What was burnt on 7 May, 2025?", "2025-05-07T12:00", "2025-06-07T12:00"),
        ("What was burnt on May 7th 2025?", "2025-05-07T12:00", "2024-05-07T12:00"),
        ("Who came on the 3rd of August?", "2024-08-03T12:00", "2024-09-03T12:00"),
        ("What happened on 2025-05-07?", "2025-05-07T00:00", "2025-06-01T00:00"),
        ("What was traded in 2024?", "2024-01-01T00:00", "2025-01-01T00:00"),
        ("Who came last weekend?", "2026-11-15T12:00", "2026-11-18T12:00"),
        ("What was sung nine days ago?", "2026-11-11T12:00", "2026-11-15T12:00"),
        ("Who called a couple of days ago?", "2026-11-18T12:00", "2026-11-20T12:00"),
        ("Who left on 3 Nov?", "2026-11-03T12:00", "2026-10-03T12:00"),
        ("What was bought in Sept?", "2026-09-03T12:00", "2026-10-03T12:00"),
        ("What happened between May and July?", "2026-07-03T12:00", "2026-06-03T12:00"),
        ("Who has come since May?", "2026-11-03T12:00", "2026-04-03T12:00"),
        ("Who lived here before 2025?", "2024-11-03T12:00", "2025-01-03T12:00"),
        ("Who came in May, 2025?", "2025-05-03T12:00", "2026-05-03T12:00"),
    ],
)
def test_a_question_names_its_time(question: str, within: str, beyond: str) -> None:
    assert fits(question, within) == 1.0
    assert fits(question, beyond) == 0.0


def test_what_is_close_to_the_time_fits_half() -> None:
    assert fits("What was burnt on 7 May 2025?", "2025-05-09T12:00") == 0.5
    assert fits("What did Moss say yesterday?", "2026-11-20T01:00") == 0.5


def test_what_says_when_is_not_looked_for_as_a_word() -> None:
    assert read_question("What did Moss plant yesterday?", NOW).words == ("moss", "plant")
    assert read_question("What was the first thing that Moss planted?", NOW).words == ("moss", "planted")
    assert read_question("Yesterday?", NOW).words == ("yesterday",)


@pytest.mark.parametrize("moment", ["in May", "in 2024", "on 7 May", "on 7 May 2024", "yesterday", "since March"])
def test_the_stretches_of_a_life_that_are_meant_fit(moment: str) -> None:
    (meant,) = read_question(f"What was sung {moment}?", NOW).moments
    spans = list(meant.within(datetime(2023, 1, 1, tzinfo=UTC), NOW))
    assert spans
    for span in spans:
        assert meant.fits(span.first) == meant.fits(span.last - timedelta(seconds=1)) == 1.0


@pytest.mark.parametrize(
    "question",
    [
        *(
            "May I come in?",
            "What may be in the box?",
            "Did they march to the mill?",
            "Who has 2000 pennies?",
            "May 99",
        ),
        *("I may 3 times.", "We march 5 miles.", "the weight of 2000 pounds", "It was 2026-00-00."),
    ],
)
def test_what_only_looks_like_a_time_is_none(question: str) -> None:
    assert read_question(question, NOW).moments == ()


def test_what_was_first_and_what_was_last_are_told_apart() -> None:
    assert read_question("Who taught me when I first arrived?", NOW).order == -1
    assert read_question("When did the bell first ring?", NOW).order == -1
    assert read_question("What did she call her first dog?", NOW).order == 0
    assert read_question("What was the last thing that Moss said?", NOW).order == 1
    assert read_question("What did Moss say last?", NOW).order == 1
    assert read_question("What was Moss's last word?", NOW).order == 1
    assert read_question("What is her first name, and who lives on the first floor?", NOW).order == 0
    assert read_question("What did Moss say?", NOW).order == 0


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("How many steps are there?", "There are 92 steps.", "There are steps."),
        ("What is the code of the gate?", "It opens to seven, four, one.", "It opens to whoever knocks."),
        ("When does the ship leave?", "It sails at the ninth bell.", "It sails with the glass key."),
    ],
)
def test_the_kind_of_thing_that_is_asked_for_is_known_when_seen(question: str, answer: str, other: str) -> None:
    read = read_question(question, NOW)
    assert read.answered_by(answer)
    assert not read.answered_by(other)
    assert not read_question("Who has the key?", NOW).answered_by(answer)


def test_names_are_found_in_any_case_and_never_within_a_word() -> None:
    question = read_question("what did old moss tell Anna?", NOW)
    assert question.names("Old Moss")
    assert question.names("Anna")
    assert not question.names("Ann")
    assert not question.names("")


def test_a_question_about_ones_own_words_is_known() -> None:
    assert read_question("What did I promise Moss?", NOW).own_words
    assert not read_question("What did Moss promise me?", NOW).own_words


@given(st.text(max_size=300), st.datetimes(timezones=st.just(UTC)))
def test_anything_can_be_asked_at_any_time(text: str, now: datetime) -> None:
    question = read_question(f"{text} yesterday, last week, last year, on Monday, 9999 years ago", now)
    assert 0.0 <= question.fits_time(now) <= 1.0


@given(st.integers(0, 9999), st.sampled_from(["minute", "hour", "day", "week", "month", "year"]))
def test_ago_is_counted_from_now(count: int, unit: str) -> None:
    moments = read_question(f"Who came {count} {unit}s ago?", NOW).moments
    lengths = {"minute": 1, "hour": 60, "day": 1440, "week": 10080, "month": 43200, "year": 525600}
    back = timedelta(minutes=count * lengths[unit])
    if back < timedelta(days=700_000):
        assert moments[0].fits(NOW - back) == 1.0
