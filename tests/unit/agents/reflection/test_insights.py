"""What is seen by rules in what was lived: nothing that the memories do not say, and always where it comes from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry
from agents.reflection.insights import CITED, Insight, insights
from tests.unit.agents.reflection.telling import SAY, heard, made


def seen(*entries: Entry) -> list[Insight]:
    return list(insights(entries, "Eliza", SAY))


def test_who_did_what_they_promised_keeps_promises() -> None:
    promise = heard(1, "Moss", "I will mend your lantern tomorrow.")
    done = heard(5, "Moss", "I have mended the lantern, here it is.")
    assert Insight("Moss keeps promises.", (1, 5)) in seen(promise, done)
    other = heard(5, "Corvin", "I have mended the lantern.")
    assert [one for one in seen(promise, other) if "promises" in one.text] == []
    assert [one for one in seen(promise) if "promises" in one.text] == []


def test_a_thing_that_was_said_to_be_elsewhere_has_changed() -> None:
    old = heard(3, "Moss", "My key is under the bench.")
    new = heard(9, "Tamsin", "The key is now in the loft.")
    (change,) = [one for one in seen(old, new) if "Things changed" in one.text]
    assert change.cites == (3, 9)
    assert "the key is under the bench" in change.text
    assert "in the loft" in change.text
    assert [
        one for one in seen(old, heard(9, "Tamsin", "The key is under the old bench.")) if "changed" in one.text
    ] == []


def test_what_several_people_speak_of_again_and_again_is_what_people_come_back_to() -> None:
    lines = [heard(n, "Moss" if n % 2 else "Tamsin", f"I saw the lighthouse {n} times.") for n in range(1, 6)]
    assert Insight("People keep coming back to the lighthouse.", (1, 2, 3, 4, 5)) in seen(*lines)
    alone = [heard(n, "Moss", f"I saw the lighthouse {n} times.") for n in range(1, 6)]
    assert [one for one in seen(*alone) if "lighthouse" in one.text] == []


def test_where_one_mostly_is_needs_more_than_one_place() -> None:
    here = [made(n, "did", f"You hum {n}.", "The Library") for n in range(1, 6)]
    assert seen(*here) == []
    assert Insight("I am in The Library more than anywhere else.", (3, 4, 5)) in seen(
        *here, made(6, "did", "You hum.", "The Garden")
    )


def test_nobody_reflects_about_reflections_or_dreams() -> None:
    entries = [made(n, kind, "I saw the lighthouse.") for n, kind in enumerate(["thought", "dream", "note"] * 9, 1)]
    assert seen(*entries) == []


WORDS = ("the key is under the bench", "the key is in the loft", "I will mend the lantern", "I have mended the lantern")


@given(st.lists(st.tuples(st.sampled_from(["Moss", "Tamsin"]), st.sampled_from(WORDS)), max_size=30))
def test_every_insight_cites_a_few_memories_that_were_lived(told: list[tuple[str, str]]) -> None:
    entries = [heard(seq, actor, words) for seq, (actor, words) in enumerate(told, 7)]
    for one in seen(*entries):
        assert 0 < len(one.cites) <= CITED
        assert set(one.cites) <= {entry.seq for entry in entries}
        assert list(one.cites) == sorted(one.cites)
