from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.commands.mind import HITS, LONGEST, LONGEST_KEPT, told_hit
from agents.memory.entries import Hit
from mud.clock import VirtualClock, iso
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import house

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
        commit = await home.minds.fold(ann, "manual")
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
            hits, _ = await home.minds.search(ann, query, 10)
            assert hits
            assert all("search your memory" not in hit.text for hit in hits)
            assert reply.count("search your memory") == 1
        assert any(hit.kind == "result" for hit in hits)  # other results are still found
