"""The command `dream`: told to the dreamer alone; kept as a dream; with clear words when there is nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.commands._answer import excerpt
from agents.commands.mind import HITS, LONGEST, LONGEST_KEPT, best_section, told_hit
from agents.memory.entries import Hit
from agents.memory.note_form import NoteSection
from mud.clock import VirtualClock, iso
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import house, texts_of
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

HOUR, DAY = 3600.0, 86_400.0


async def test_what_was_lived_is_found_with_who_where_when_and_its_number(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(ann, "say the brass key is under the third flowerpot")
        clock.advance(3 * DAY)
        await home.minds.catch_up(eliza)
        answer = await home.ask(eliza, "recall brass key", Role.AGENT)
        line = '3 days ago, The Garden: Ann says, "the brass key is under the third flowerpot" [2]'
        assert answer.reply.startswith(f'You search your memory for "brass key" and find:\n  {line}')


async def test_what_is_remembered_of_a_search_is_compact_and_stays_true(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        for number in range(HITS + 2):
            home.type(ann, f"think the key {number} {'is somewhere in the garden ' * 30}")
        await home.minds.catch_up(ann)
        answer = await home.ask(ann, "recall key")
        shown = answer.reply.split("\n")[1:]
        assert len(shown) == HITS
        assert all(LONGEST < len(line) < LONGEST + 60 for line in shown)
        assert all('..." [' in line or "... [" in line for line in shown)
        kept = ann.memory.tail[-1]
        assert kept.kind == "result"
        assert all(line.startswith("on 1 January 2026, The Garden: ") for line in kept.text.split("\n")[1:])
        assert len(kept.text) < HITS * (LONGEST_KEPT + 60) + 60


async def test_a_passage_says_that_its_memory_goes_on_before_and_after(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        walk = "Then we walked on along the towpath and said nothing at all. " * 9
        ann.memory.append(
            [Perception(ann.id, "heard", f"{walk}The ferry sank at noon. {walk}", "Moss")], iso(clock.now()), 1
        )
        await home.minds.catch_up(ann)
        (line,) = [one for one in (await home.ask(ann, "recall ferry")).reply.split("\n") if "ferry sank" in one]
        assert "Moss: ..." in line
        assert "... [" in line


async def test_a_memory_without_its_speaker_or_place_still_says_who(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        clock.advance(HOUR)
        ann.memory.append([Perception(ann.id, "heard", "The ferry goes at noon.", "Moss")], iso(clock.now()), 1)
        await home.minds.catch_up(ann)
        reply = (await home.ask(ann, "recall ferry")).reply
        assert reply.endswith(f"\n  just now: Moss: The ferry goes at noon. [{ann.memory.total - 1}]")


async def test_a_summary_shows_its_time_and_the_memories_it_covers(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        home.type(ann, "say The first pear is ripe.")
        clock.advance(2 * DAY)
        for number in range(70):
            home.type(ann, f"say The pear {number} is ripe.")
        commit = await home.minds.fold(ann)
        assert commit is not None
        first, last = commit.newest.covers
        path = ann.folder / "summaries/recent.md"
        path.write_text(path.read_text("utf-8") + "\nI found a zeppelin ticket.\n", encoding="utf-8")
        ann.memory.reload_summary(path)
        await home.minds.catch_up(ann)
        reply = (await home.ask(ann, "recall zeppelin ticket")).reply
        (line,) = [line for line in reply.split("\n") if "in short" in line]
        assert re.match(r"  2 days ago - (just now|\d+ minutes ago), in short: ", line)
        assert line.endswith(f" [{first}-{last}]")


async def test_a_note_shows_its_title_and_the_entry_that_fits_with_its_time(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with house(tmp_path, clock) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "note Zeppelin -> It lands on Tuesdays. | so I know")
        clock.advance(DAY)
        await home.ask(ann, "note Zeppelin -> The ticket costs a penny.")
        await home.minds.catch_up(ann)
        reply = (await home.ask(ann, "recall zeppelin tuesdays")).reply
        assert '  your note "Zeppelin", yesterday: It lands on Tuesdays.' in reply.split("\n")


async def test_how_often_something_was_before_is_said(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "emote yawns")
        (entry,) = ann.memory.tail
        hits = [Hit("did", entry.text, 1.0, seq=1, entry=entry, times=times) for times in (1, 2, 13)]
        told = [told_hit(home.minds, ann, hit, "yawns", lambda at: "today", LONGEST) for hit in hits]
        assert told == [
            f"today, The Garden: Ann yawns.{more} [1]" for more in ("", " (and once before)", " (and 12 times before)")
        ]


async def test_a_summary_and_a_note_that_are_gone_meanwhile_are_told_without_their_time(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for hit in (Hit("summary", "Pears.", 1.0, covers=(7, 9)), Hit("note", "Pears.", 1.0, title="Pears")):
            assert "Pears." in told_hit(home.minds, ann, hit, "pears", lambda at: at or "undated", LONGEST)


async def test_nothing_found_is_said_and_a_long_question_is_not_repeated_whole(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        answer = await home.ask(ann, "recall zeppelin")
        assert not answer.failed
        assert "zeppelin" in answer.reply
        assert len((await home.ask(ann, f"recall {'airship ' * 500}")).reply) < 300


async def test_another_mind_is_never_searched(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(eliza, "think zeppelins are real", Role.AGENT)
        for agent in (ann, eliza):
            await home.minds.catch_up(agent)
        assert "are real" not in (await home.ask(ann, "recall zeppelins")).reply


@pytest.mark.parametrize("query", ["???", '"', "- -", "…"])
async def test_without_a_word_there_is_nothing_to_look_for(tmp_path: Path, query: str) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say the brass key is under the flowerpot")
        step = home.type(ann, f"recall {query}")
        assert step.failed
        assert step.requests == ()
        assert step.reply == f"There are no words to look for in {query}"


async def test_what_was_found_before_is_never_found_again(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say the brass key is under the flowerpot")
        home.type(ann, "examine sundial")
        for query in ("brass key", "brass key flowerpot", "the brass door", "sundial"):
            await home.minds.catch_up(ann)
            reply = (await home.ask(ann, f"recall {query}")).reply
            hits, _ = await home.parts.recall.search(ann.id, query, 10)
            assert hits
            assert all("search your memory" not in hit.text for hit in hits)
            assert reply.count("search your memory") == 1
        assert any(hit.kind == "result" for hit in hits)  # other results are still found


async def test_a_dream_is_told_to_the_dreamer_and_others_see_somebody_lost_in_thought(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with house(tmp_path) as home:
        ann, bob = home.enter("Ann"), home.enter("Bob")
        home.type(bob, "say The heron sleeps on one leg.")
        reply = (await home.ask(ann, "dream | I am tired", Role.GUEST)).reply
        assert reply.startswith("You dream: I was in ")
        kept = ann.memory.read(ann.memory.total, ann.memory.total)[0]
        assert (kept.kind, kept.text) == ("dream", reply.replace("You dream: ", "I dreamed: "))
        assert kept.reason == "I am tired"
        assert texts_of(bob)[-1] == "Ann is lost in thought."
        assert not any("dream" in text.casefold() for text in texts_of(bob))
        note = ann.notes.read("Dreams")
        assert note is not None
        assert reply.removeprefix("You dream: ") in note.text


async def test_who_lived_through_nothing_has_nothing_to_dream_of(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        step = await home.ask(home.enter("Ann"), "dream")
        assert step.failed
        assert step.reply.startswith("There is nothing to dream of yet")
        again = await home.ask(home.enter("Bob"), "dream")
        assert again.failed, "and no dream is made of dreams"


async def test_a_model_tells_it_where_there_is_one(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "llm/dream", backend="scripted", model="the heron had my face and asked for bread. / no")
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say Herons are odd.")
        assert (await home.ask(ann, "dream")).reply == "You dream: the heron had my face and asked for bread."
        assert (await home.ask(ann, "dream")).reply.startswith("You dream: I was in "), "a word is no dream"
        assert [row.task for row in home.parts.queue.budget.spending.rows()] == ["dreams"]


async def test_the_note_that_cannot_be_written_costs_nobody_the_dream(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "say Herons are odd.")
        (ann.folder / "notes").write_text("no folder")
        assert (await home.ask(ann, "dream")).reply.startswith("You dream: ")


async def test_a_thought_is_one_memory_of_ones_own_and_nobody_elses(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        step = home.type(ann, "think the lamps were lit early | who was it?")
        assert step.reply == 'You think, "the lamps were lit early"'
        (entry,) = ann.memory.tail
        assert (entry.kind, entry.text, entry.reason) == ("thought", step.reply, "who was it?")
        assert texts_of(home.agent("Eliza"))[-1:] != [step.reply]


@given(st.text(max_size=80), st.integers(1, 40))
def test_an_excerpt_is_the_beginning_and_ends_between_two_words_when_it_can(text: str, most: int) -> None:
    line = " ".join(text.split())
    cut = excerpt(text, most)
    assert len(cut) <= most + 3
    if cut == line:
        return
    begun = cut.removesuffix("...")
    assert line.startswith(begun)
    rest = line[len(begun) :]
    assert rest[0] in " ,;:-" or " " not in line[most // 2 : most + 1]


def test_an_excerpt_of_what_fits_is_all_of_it() -> None:
    assert excerpt("one\n two", 7) == "one two"
    assert excerpt("one two, three", 9) == "one two..."


@pytest.mark.parametrize(
    ("query", "heading"),
    [("where was the heron by the mill?", "a"), ("heron", "b"), ("zeppelin", "b")],
)
def test_the_part_that_has_most_of_the_words_fits_and_of_several_the_newest(query: str, heading: str) -> None:
    parts = [
        NoteSection("Old", ""),
        NoteSection("b", "The heron left."),
        NoteSection("a", "A heron stood by the mill."),
        NoteSection("", "Rain."),
    ]
    found = best_section(parts, query)
    assert found is not None
    assert found.heading == heading


def test_where_no_part_has_a_text_none_fits() -> None:
    assert best_section([], "heron") is best_section([NoteSection("Old", "")], "zeppelin") is None
