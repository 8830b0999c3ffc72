from __future__ import annotations

from pathlib import Path

from agents.agent import Agent
from agents.memory.corrections import MOST_MEMORIES, NOTHING
from mud.world.roles import Role
from tests.houses import House, house

WRONG = '"Monday" -> "Tuesday"'


def shown(agent: Agent) -> str:
    """Return all that a prompt could show of a memory, and its files in use."""
    memory = agent.memory
    files = [path.read_text("utf-8") for path in sorted(agent.folder.glob("summaries/*.md")) if "-" not in path.stem]
    notes = [note.text for note in agent.notes.all()]
    summaries = [one.text for one in (memory.longterm, memory.recent) if one]
    return "\n".join([*summaries, *(one.text for one in memory.tail), *files, *notes])


async def recalled(home: House, agent: Agent, query: str) -> str:
    hits, _ = await home.minds.means.recall.search(agent.id, query, 20)
    return "\n".join(hit.text for hit in hits)


async def lived(home: House, *lines: str, more: int = 0) -> Agent:
    """Let Ann in, who thinks these lines and so many others, and have her memories indexed."""
    ann = home.enter("Ann")
    for line in (*lines, *(f"pear {number} is ripe" for number in range(more))):
        home.type(ann, f"think {line}")
    await home.minds.catch_up(ann)
    return ann


async def test_a_corrected_memory_is_shown_found_and_told_in_the_right_words(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "the market is on Monday", "the fin is gone")
        answer = await home.ask(ann, f"@correct {WRONG}")
        assert answer.reply == (
            'Ann remembers "Tuesday" instead of "Monday" from now on: in 1 memory (ann#1). '
            "The archive keeps what was there.\n"
            "It is number 1 of @corrections Ann; @undo-correction Ann 1 takes it back."
        )
        assert ann.memory.read(1, 1)[0].text == 'You think, "the market is on Tuesday"'
        assert "Monday" not in await recalled(home, ann, "market Monday")
        assert "Tuesday" in await recalled(home, ann, "Tuesday")
        assert ann.memory.total == 2, "putting right leaves no memory"


async def test_the_archive_says_what_was_put_right_and_to_the_owner_what_it_was(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "the market is on Monday")
        await home.ask(ann, f"@correct {WRONG}")
        lines = (await home.ask(ann, "@archive 1")).reply.splitlines()
        assert "(thought): You think, " in lines[1]
        assert "on Tuesday" in lines[1]
        assert lines[2].startswith("    put right 20")
        assert lines[2].endswith(' by Ann: "Tuesday" instead of "Monday"')
        assert lines[3].startswith("    it was: 1. ")
        assert lines[3].endswith('You think, "the market is on Monday"')
        assert "it was" not in (await home.ask(ann, "@archive 1", Role.GUEST)).reply


async def test_summaries_are_put_right_with_a_receipt_and_keep_what_people_wrote(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "Moss promised to come on Monday with 12 pears", more=150)
        assert "Monday" in shown(ann)
        path = ann.folder / "summaries" / ("longterm.md" if ann.memory.longterm else "recent.md")
        path.write_text(path.read_text("utf-8").rstrip() + " On Monday I laughed.\n", "utf-8")
        answer = await home.ask(ann, f"@correct {WRONG}")
        assert "and the summaries" in answer.reply
        assert "Monday" not in shown(ann)
        text = path.read_text("utf-8")
        assert "On Tuesday I laughed." in text
        assert "corrections: 1" in text
        assert "reason: correction" in text
        assert any("On Monday I laughed." in one.read_text("utf-8") for one in path.parent.glob("*-edited*.md"))
        await home.minds.means.recall.complete()
        assert "Monday" not in await recalled(home, ann, "Moss promised Monday")


async def test_a_correction_holds_after_a_new_start_and_with_an_index_made_anew(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "the market is on Monday", more=3)
        await home.ask(ann, f"@correct {WRONG}")
    for lost in ((), sorted((tmp_path / "vault/.index").glob("*"))):
        for path in lost:
            path.unlink()
        async with house(tmp_path) as home:
            ann = home.enter("Ann")
            assert "Monday" not in shown(ann)
            assert "Monday" not in await recalled(home, ann, "market Monday"), "before the index has caught up, too"
            await home.minds.catch_up(ann)
            assert "Monday" not in await recalled(home, ann, "market Monday")
            assert "Tuesday" in await recalled(home, ann, "market")


async def test_what_the_index_missed_when_the_program_was_killed_is_made_up_for(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "the market is on Monday", "the market is on Monday too", more=3)
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.minds.catch_up(ann)
        index = (tmp_path / "vault/.index/lexical.sqlite3").read_bytes()
        wal = Path(f"{tmp_path}/vault/.index/lexical.sqlite3-wal")
        kept = wal.read_bytes() if wal.exists() else b""
        await home.ask(ann, f"@correct {WRONG}")
    (tmp_path / "vault/.index/lexical.sqlite3").write_bytes(index)
    wal.write_bytes(kept) if kept else wal.unlink(missing_ok=True)
    async with house(tmp_path) as home:
        assert "Monday" not in await recalled(home, home.enter("Ann"), "market Monday")


async def test_a_forgotten_memory_is_told_of_nowhere_but_in_the_archive_for_the_owner(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "my zorbanium ring lies under the oldest willow", "the fin is gone")
        await home.ask(ann, "recall ring")
        home.type(ann, "note Ring -> It lies under the oldest willow, my zorbanium ring.")
        await home.ask(ann, "note Ring -> It is zorbanium.")
        assert "zorbanium" in shown(ann)
        answer = await home.ask(ann, "@forget-memory 1")
        assert answer.reply.startswith("ann#1 is forgotten")
        assert "zorbanium" not in shown(ann)
        assert "zorbanium" not in await recalled(home, ann, "zorbanium ring willow")
        for line in ("@memory-history", "recall zorbanium ring", "notes Ring", "@note-history Sundial"):
            home_says = (await home.ask(ann, line)).reply
            assert "oldest willow" not in home_says, line
        guest = (await home.ask(ann, "@archive 1-3", Role.GUEST)).reply
        assert "(forgotten)" in guest
        assert "zorbanium" not in guest
        owner = (await home.ask(ann, "@archive 1")).reply
        assert "it was: 1. " in owner
        assert "zorbanium" in owner


async def test_summaries_tell_no_more_of_what_is_forgotten_and_folds_go_on(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "Moss promised me 12 zorbanium rings", more=150)
        assert "zorbanium" in shown(ann)
        await home.ask(ann, "@forget-memory 1")
        assert "zorbanium" not in shown(ann)
        for number in range(150):
            home.type(ann, f"think plum {number} is ripe")
        await home.ask(ann, "@compact-memories")
        await home.ask(ann, "@rebuild-summaries")
        assert "zorbanium" not in shown(ann)
        status = home.minds.status(ann)
        assert (status["gaps"], status["overlaps"], status["unreadable"]) == ([], [], [])


async def test_a_summary_of_forgotten_memories_alone_says_that_nothing_is_left(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "Moss promised me 12 zorbanium rings", more=80)
        await home.ask(ann, "@compact-memories")
        assert ann.memory.recent is not None
        path = ann.folder / "summaries/recent.md"
        path.write_text(path.read_text("utf-8").replace(ann.memory.recent.text, "I have zorbanium rings."), "utf-8")
        await home.ask(ann, "@forget-memory 1")
        assert ann.memory.recent.text == NOTHING


async def test_taking_a_correction_back_brings_back_what_was_there(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "the market is on Monday", "the gate is green", more=150)
        await home.ask(ann, f"@correct {WRONG}")
        await home.ask(ann, "@forget-memory 2")
        assert "taken back" in (await home.ask(ann, "@undo-correction 1")).reply
        assert "taken back" in (await home.ask(ann, "@undo-correction Ann 2")).reply
        assert "Monday" in ann.memory.read(1, 1)[0].text
        assert "green" in ann.memory.read(2, 2)[0].text
        assert "Monday" in await recalled(home, ann, "market")
        assert "green" in await recalled(home, ann, "green gate")
        assert "Tuesday" not in shown(ann)
        told = (await home.ask(ann, "@corrections")).reply.splitlines()
        assert told[1].endswith("in 1 memory (ann#1) (taken back)")
        assert told[2].endswith("ann#2 is forgotten (taken back)")
        assert told[3].endswith("number 1 is taken back")
        assert "taken back already" in (await home.ask(ann, "@undo-correction 1")).reply
        await home.ask(ann, "@undo-correction 3")
        assert "Tuesday" in ann.memory.read(1, 1)[0].text, "what takes back can be taken back"


REFUSED = [
    ("@correct Zeppelin -> Balloon", 'Nothing that Ann remembers says "Zeppelin".'),
    ('@correct "" -> "x"', "What is to be put right?"),
    ('@correct "pear" -> ""', "What is right instead?"),
    ('@correct "pear" -> "pear"', "These are the same words."),
    ("@correct pear -> " + "x" * 301, "A correction has at most 300 characters"),
    ('@correct "pear" -> "plum"', f'More than {MOST_MEMORIES} memories say "pear"'),
    ('@correct Zeppelin: "pear 3" -> "plum"', 'Nobody called "Zeppelin" has a mind here.'),
    ("@forget-memory pears", '"pears" names no single memory.'),
    ("@forget-memory 3-5", '"3-5" names no single memory.'),
    ("@forget-memory 999", "There is no memory ann#999"),
    ("@forget-memory Zeppelin 3", 'Nobody called "Zeppelin" has a mind here.'),
    ("@undo-correction 7", "There is no correction 7 of Ann"),
    ("@undo-correction the first", '"the first" is no number of @corrections.'),
]


async def test_what_cannot_be_put_right_is_said_in_a_sentence_and_changes_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, more=70)
        before = (ann.folder / "archive/0000000001.jsonl").read_bytes()
        for line, told in REFUSED:
            answer = await home.ask(ann, line)
            assert answer.failed, line
            assert answer.reply.startswith(told), line
        assert (ann.folder / "archive/0000000001.jsonl").read_bytes() == before


async def test_others_minds_and_forgetting_are_for_the_owner_alone_and_agents_put_nothing_right(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = await lived(home, "the market is on Monday"), home.agent("Eliza")
        home.type(eliza, "think the market is on Monday", Role.AGENT)
        for line in (f"@correct eliza: {WRONG}", "@corrections Eliza", "@undo-correction Eliza 1"):
            refused = await home.ask(ann, line, Role.PLAYER)
            assert refused.failed
            assert refused.reply == "Only the owner of this world may look into another's mind."
        for line in (
            f"@correct {WRONG}",
            f"@correct Ann: {WRONG}",
            "@forget-memory 1",
            "@undo-correction 1",
            "@corrections",
        ):
            step = home.type(eliza, line, Role.AGENT)
            assert step.failed
            assert not step.requests
        assert home.type(ann, "@forget-memory 1", Role.BUILDER).failed
        assert not (await home.ask(ann, f"@correct {WRONG}", Role.GUEST)).failed
        assert "Monday" in shown(eliza)
        assert "in 3 memories (eliza#2-4)" in (await home.ask(ann, f"@correct ELIZA: {WRONG}")).reply
        assert "Monday" not in shown(eliza)
        await home.ask(ann, "@forget-memory 1")
        owners = await home.ask(ann, "@undo-correction 2", Role.GUEST)
        assert owners.reply == "Only the owner of this world brings back what was forgotten."


async def test_a_colon_in_unquoted_words_names_nobody(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "tea at four: yes")
        assert not (await home.ask(ann, "@correct tea at four: yes -> tea at five: yes")).failed
        assert "tea at five: yes" in ann.memory.read(1, 1)[0].text


async def test_the_page_of_the_past_names_a_forgotten_memory_without_its_words(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = await lived(home, "the market is on Monday", "the gate is green")
        await home.ask(ann, "@forget-memory 2")
        lines = (await home.ask(ann, "@memory-history")).reply.splitlines()
        assert lines[2].endswith("(forgotten)")
        assert "correction" in lines[3]


async def test_the_prompt_of_an_agent_holds_corrected_words_only(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(ann, "say Eliza, the market is on Monday.")
        home.type(ann, "say My zorbanium ring is gone.")
        await home.minds.catch_up(eliza)
        assert "Monday" in (await home.parts.prompting.next_prompt(eliza)).text
        await home.ask(ann, f"@correct Eliza: {WRONG}")
        last = eliza.memory.total
        await home.ask(ann, f"@forget-memory Eliza {last}")
        prompt = (await home.parts.prompting.next_prompt(eliza)).text
        assert "on Tuesday" in prompt
        assert "Monday" not in prompt
        assert "zorbanium" not in prompt
        assert "on Monday" in ann.memory.tail[0].text, "what others remember is theirs"
