"""What is noted of people and places: lines that cite their memories, beside what people wrote, and never too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Entry
from agents.reflection.note_taking import LINES, NOTES, NoteLine, lines_of, with_lines, worth_a_note
from mud.commands import Say
from mud.world.events import OWN_NOTES
from tests.unit.agents.reflection.telling import AT, SAY, heard, made, reworded

HEADING = "## What I have learned"
LAMP = made(9, "result", "Sundial: The fin is missing. Moss grows on it.", "The Garden")


def noted(raw: str, entries: list[Entry], name: str = "Moss", older: tuple[Entry, ...] = (), say: Say = SAY) -> str:
    by_seq = {entry.seq: entry for entry in (*older, *entries)}
    return with_lines(raw, name, lines_of(entries, "eliza", say).get(name, []), by_seq.get, "eliza", say)


def test_what_people_say_of_themselves_and_promise_and_what_is_found_in_a_place_is_noted() -> None:
    found = lines_of(
        [heard(1, "Moss", "Hello. I mend clocks."), heard(2, "Moss", "I will help you."), LAMP], "eliza", SAY
    )
    assert [line.text for line in found["Moss"]] == [
        "- 2026-11-20: Moss said: I mend clocks. [eliza#1]",
        "- 2026-11-20: Moss promised: I will help you. [eliza#2]",
    ]
    assert [line.text for line in found["The Garden"]] == [
        "- 2026-11-20: here is Sundial: The fin is missing. [eliza#9]"
    ]


def test_whispers_secrets_questions_and_what_others_are_said_to_be_are_not() -> None:
    whisper = Entry(1, AT, "told", "Moss", "The Garden", 'Moss whispers to you, "I am afraid."')
    secret = heard(2, "Moss", "I hate plums, but keep it a secret.")
    gossip = heard(3, "Moss", "Tamsin is a thief.")
    assert lines_of([whisper, secret, gossip, heard(4, "Moss", "Am I late?")], "eliza", SAY) == {}
    assert lines_of([made(5, "dream", "I dreamed: I am a heron")], "eliza", SAY) == {}


def test_the_latest_stands_on_top_and_nothing_is_noted_twice() -> None:
    first, second = heard(1, "Moss", "I mend clocks."), heard(5, "Moss", "I live in the mill.")
    note = noted(noted("", [first]), [second], older=(first,))
    assert note == (
        f"# Moss\n\n{HEADING}\n\n"
        "- 2026-11-20: Moss said: I live in the mill. [eliza#5]\n"
        "- 2026-11-20: Moss said: I mend clocks. [eliza#1]\n"
    )
    assert noted(note, [first, second]) == note
    assert noted(note, [heard(8, "Moss", "I mend clocks.")]) == note


HAND = "# Moss\n\nMy dear neighbour.\n\n## 2026-01-01T08:00:00.000Z, The Garden\n\nOwes me a spoon.\n"


def test_what_a_person_wrote_stays_byte_for_byte_above() -> None:
    note = noted(HAND, [heard(1, "Moss", "I mend clocks.")])
    assert note.startswith(HAND)
    assert note[len(HAND) :].strip().startswith(HEADING)


def test_what_a_person_wrote_among_the_lines_or_behind_them_stays_too() -> None:
    note = noted("", [heard(1, "Moss", "I mend clocks.")])
    edited = note.replace("I mend clocks.", "I mend clocks, badly.") + "\n## Later\n\nStill friends.\n"
    after = noted(edited, [heard(1, "Moss", "I mend clocks."), heard(7, "Moss", "I fear herons.")])
    assert "I mend clocks, badly. [eliza#1]" in after
    assert after.endswith("\n## Later\n\nStill friends.\n")
    assert after.index("I fear herons.") < after.index("badly")
    assert after.count("eliza#1]") == 1


def test_lines_are_bounded_and_only_its_own_ever_go() -> None:
    entries = [heard(seq, "Moss", f"I own {seq} lamps.") for seq in range(1, 3 * LINES)]
    note, older = "", list[Entry]()
    for start in range(0, len(entries), 10):
        part = entries[start : start + 10]
        note = noted(note, part, older=tuple(older))
        if start == 0:
            note = note.replace("[eliza#3]", "[eliza#3]\n- a lamp of these is mine!")
        older += part
    own = [line for line in note.splitlines() if line.endswith("]")]
    assert len(own) == LINES
    assert own[0].endswith(f"I own {3 * LINES - 1} lamps. [eliza#{3 * LINES - 1}]")
    assert "- a lamp of these is mine!" in note


@given(
    st.lists(st.sampled_from(["a", "# x", "## y", "- z [eliza#4]", "", "\t", HEADING, "```", "é"]), max_size=12),
    st.booleans(),
)
def test_no_line_of_a_person_is_ever_lost_or_moved(lines: list[str], crlf: bool) -> None:
    newline = "\r\n" if crlf else "\n"
    raw = newline.join(lines)
    after = noted(raw, [heard(1, "Moss", "I mend clocks.")])
    theirs = [line for line in raw.splitlines() if line.strip()]
    there = [line for line in after.splitlines() if line.strip()]
    added = [line for line in there if "[eliza#1]" in line or line in (HEADING, "# Moss")]
    assert len(added) >= 1
    rest = iter(there)
    assert all(any(line == one for one in rest) for line in theirs)


def test_a_note_is_begun_of_whom_one_knows_something_while_there_is_room() -> None:
    one, two = NoteLine(1, "a", "a"), NoteLine(2, "b", "b")
    found = {"Moss": [one, two], "Tamsin": [one], "Corvin": [one], "Eliza": [one, two]}
    assert worth_a_note(found, ["corvin"], ["Eliza"]) == {"Moss": [one, two], "Corvin": [one]}
    full = [f"note {n}" for n in range(NOTES)]
    assert worth_a_note(found, full, ["Eliza"]) == {}
    assert list(worth_a_note({"Moss": [one, two], "Ann": [one, two]}, full[1:], ["Eliza"])) == ["Moss"]


def test_in_other_words_and_under_another_heading_the_part_stays_one_and_nothing_is_noted_twice() -> None:
    first, second = heard(1, "Moss", "I mend clocks."), heard(5, "Moss", "I live in the mill.")
    german = reworded("minds", "learned", heading="Was ich erfuhr", said="{name} sagte: {words}")
    before = noted("", [first]) + "\n## Later\n\nStill friends.\n"
    after = noted(before, [first, second], older=(first,), say=german)
    assert after == before.replace("- 2026", "- 2026-11-20: Moss sagte: I live in the mill. [eliza#5]\n- 2026", 1)
    assert noted(after, [first, second], say=SAY) == after
    assert noted("", [first], say=german).startswith("# Moss\n\n## Was ich erfuhr\n\n- 2026-11-20: Moss sagte: ")


def test_what_a_note_shows_is_no_closer_look_in_whatever_words_it_is_shown() -> None:
    shown = made(9, "result", "Deine Notiz: Der Zeiger fehlt.", "The Garden")
    assert lines_of([shown], "eliza", SAY), "without the mark it would be taken for one"
    assert lines_of([shown._replace(mark=OWN_NOTES)], "eliza", SAY) == {}
