from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.archive import PER_FILE
from agents.memory.history import events
from agents.memory.memory import Memory
from agents.memory.seeds import BATCH, FOLDER, IMPORT, Seeds, fresh, read_seed
from mud.clock import VirtualClock
from mud.errors import VaultProblem
from mud.server.bulk import newcomer
from mud.server.reloading import Reloading
from mud.server.wiring import opened
from tests.examples import examples
from tests.houses import house, texts_of
from tests.lives import Disk, PowerCut, heard
from tests.vaults import copy_vault

MINIWORLD = """---
timestamp: 2025-10-12T16:09:51Z
type: memory
location: Clock Tower
location_id: #1003
occupants: ["Ben"]
event_type: speech
---
# Memory

Ben says, "The bell is cracked."
"""


class Lived:
    """A life with hand-written memories.

    Args:
        folder: its folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.disk, self.clock = folder, Disk(), VirtualClock()
        self.start()

    def start(self) -> None:
        """Open it, as if for the first time."""
        self.memory = Memory(
            "Wren", self.folder, self.clock, write=self.disk.write, open_writer=self.disk.open, in_ram=64
        )
        self.memory.open(writable=True)
        self.seeds = Seeds(self.memory, self.clock)
        self.seeds.finish()

    def write(self, name: str, text: str) -> None:
        """Write a memory by hand."""
        (self.folder / FOLDER).mkdir(parents=True, exist_ok=True)
        (self.folder / FOLDER / name).write_text(text, encoding="utf-8")

    def texts(self) -> list[str]:
        """Return what is remembered."""
        return [entry.text for entry in self.memory.read(1, self.memory.total)]


@pytest.fixture
def wren(tmp_path: Path) -> Lived:
    return Lived(tmp_path / "agents/wren")


def test_files_become_the_first_memories_in_the_order_of_their_names_and_stay_as_they_are(wren: Lived) -> None:
    wren.write("02.md", "I learned to swim.")
    wren.write("01.md", "I was born by the sea.")
    wren.write("notes.txt", "This is no memory.")
    wren.write(".hidden.md", "Neither is this.")
    files = {path: path.read_bytes() for path in (wren.folder / FOLDER).iterdir()}
    entries, problems = wren.seeds.take_up()
    assert problems == []
    assert [(entry.seq, entry.text, entry.kind) for entry in entries] == [
        (1, "I was born by the sea.", "told"),
        (2, "I learned to swim.", "told"),
    ]
    assert {path: path.read_bytes() for path in (wren.folder / FOLDER).iterdir()} == files
    ((after, event),) = events(wren.folder / "archive", 1, 2)
    assert (after, event["event"], event["covers"]) == (0, IMPORT, {"first": 1, "last": 2})
    assert [one["file"] for one in event["files"]] == ["01.md", "02.md"]


def test_nothing_is_imported_twice_and_what_is_added_later_becomes_a_new_memory(wren: Lived) -> None:
    wren.write("01.md", "One.")
    wren.seeds.take_up()
    wren.memory.append([heard("Good morning.")], "2026-11-20T07:21:37.123Z", 7)
    wren.write("00.md", "Nought.")
    assert [entry.text for entry in wren.seeds.take_up()[0]] == ["Nought."]
    for _ in range(2):
        wren.start()
        assert wren.seeds.take_up() == ([], [])
    assert wren.texts() == ["One.", 'Moss says, "Good morning."', "Nought."]
    assert wren.memory.last_source == 7


def test_an_edited_or_renamed_file_changes_no_memory_and_two_alike_are_two_memories(wren: Lived) -> None:
    wren.write("01.md", "The bell rings.")
    wren.write("02.md", "The bell rings.")
    wren.seeds.take_up()
    wren.write("01.md", "The bell does not ring.")
    (wren.folder / FOLDER / "02.md").rename(wren.folder / FOLDER / "03.md")
    assert wren.seeds.take_up() == ([], [])
    assert wren.texts() == ["The bell rings.", "The bell rings."]


def test_a_folder_of_miniworld_works_as_it_is(wren: Lived) -> None:
    wren.write("20251012-160951-memory.md", MINIWORLD)
    wren.write("20251012-160952-memory.md", MINIWORLD.replace("Ben says", "> look | to see\nBen says"))
    wren.write("20251012-160953-memory.md", MINIWORLD.replace('Ben says, "The bell is cracked."', "> look"))
    entries, problems = wren.seeds.take_up()
    assert problems == []
    assert [(one.at, one.place, one.kind) for one in entries] == [
        ("2025-10-12T16:09:51.000Z", "Clock Tower", "told")
    ] * 3
    assert [one.text for one in entries] == ['Ben says, "The bell is cracked."'] * 2 + ["> look"]


def test_front_matter_says_when_where_and_what_kind(wren: Lived) -> None:
    front = "at: 2020-05-01T08:00:00Z\nkind: heard\nactor: Moss\nplace: '[[The Garden]]'\nimportance: 9"
    wren.write("01.md", f"---\n{front}\n---\n# The frost\n\nThe frost took the pears.\nAll of them.\n")
    ((entry,), _) = wren.seeds.take_up()
    assert (entry.at, entry.kind, entry.actor, entry.place, entry.importance) == (
        "2020-05-01T08:00:00.000Z", "heard", "Moss", "The Garden", 9,
    )  # fmt: skip
    assert entry.text == "The frost took the pears.\nAll of them."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "agents/wren/memories/bad.md:1: text: it is blank"),
        ("---\nkind: heard\n---\n\n", "bad.md:4"),
        ("---\nplace: x\nkind: sung\n---\nLa.\n", "agents/wren/memories/bad.md:3: kind"),
        ("---\ntype: memory\ntimestamp: noon\n---\n# Memory\n\nLa.\n", "agents/wren/memories/bad.md:3: timestamp"),
        ("---\nimportance: 11\n---\nLa.\n", "bad.md:2: importance"),
        ("---\nkind: heard\nkind: said\n---\nLa.\n", "bad.md:3"),
    ],
)
def test_a_file_that_is_wrong_is_named_with_its_line_and_left_out(wren: Lived, text: str, told: str) -> None:
    wren.write("bad.md", text)
    wren.write("good.md", "All is well.")
    entries, (problem, *more) = wren.seeds.take_up()
    assert [entry.text for entry in entries] == ["All is well."]
    assert more == []
    assert told.replace(": text", "") in str(problem) or told in str(problem)
    wren.write("bad.md", "It is mended.")
    assert [entry.text for entry in wren.seeds.take_up()[0]] == ["It is mended."]


def test_bytes_that_are_no_text_are_a_problem_and_no_memory(wren: Lived) -> None:
    wren.write("01.md", "")
    (wren.folder / FOLDER / "01.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(VaultProblem):
        read_seed(wren.folder, "01.md")
    assert len(fresh(wren.folder)[1]) == 1


def test_a_reader_imports_nothing(wren: Lived) -> None:
    wren.write("01.md", "One.")
    reader = Memory("Wren", wren.folder, wren.clock)
    reader.open(writable=False)
    assert Seeds(reader, wren.clock, writable=False).take_up() == ([], [])
    assert reader.total == 0


def test_nothing_is_imported_while_other_memories_wait_and_a_full_disk_only_puts_it_off(wren: Lived) -> None:
    wren.write("01.md", "One.")
    wren.disk.full = True
    assert wren.seeds.take_up() == ([], [])
    wren.memory.append([heard("Good morning.")], "2026-11-20T07:21:37.123Z", 7)
    wren.disk.full = False
    assert wren.seeds.take_up() == ([], [])
    wren.memory.retry()
    wren.seeds.take_up()
    assert wren.texts() == ['Moss says, "Good morning."', "One."]


def test_more_files_than_one_line_names_are_imported_in_order(wren: Lived) -> None:
    meant = [f"Thing {number}." for number in range(BATCH + 3)]
    for number, text in enumerate(meant):
        wren.write(f"{number:05d}.md", text)
    wren.seeds.take_up()
    wren.start()
    assert wren.texts() == meant
    assert len(events(wren.folder / "archive", 1, len(meant))) == 2


def test_what_was_lived_since_the_import_is_not_read_again(wren: Lived) -> None:
    wren.write("01.md", "One.")
    wren.seeds.take_up()
    wren.memory.append([heard("Good morning.")] * PER_FILE, "2026-11-20T07:21:37.123Z", 7)
    _, later = sorted((wren.folder / "archive").iterdir())
    later.rename(later.with_suffix(".away"))
    later.mkdir()  # reading it is an error
    assert fresh(wren.folder, wren.memory.total) == ([], [])
    wren.write("02.md", "Two.")
    assert "nothing is imported while the archive cannot be read" in str(fresh(wren.folder)[1][0])


@settings(max_examples=examples(60), deadline=None)
@given(
    files=st.integers(1, 6),
    lived=st.integers(0, 3),
    cut=st.integers(0, 4),
    half=st.booleans(),
    kills=st.integers(1, 3),
    gone=st.booleans(),
)
def test_a_power_cut_at_any_write_imports_every_file_once_and_in_order(
    files: int, lived: int, cut: int, half: bool, kills: int, gone: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wren = Lived(Path(folder) / "agents/wren")
        for number in range(lived):
            wren.memory.append([heard(f"{number}")], "2026-11-20T07:21:37.123Z", number + 1)
        for number in range(files):
            wren.write(f"{number}.md", f"Seed {number}.")
        for _ in range(kills):
            wren.disk.cut_after(cut, half)
            try:
                wren.start()
                wren.seeds.take_up()
            except PowerCut:
                continue
        wren.disk.cut = 0
        wren.start()
        if gone:  # a file is taken away after the import
            wren.seeds.take_up()
            (wren.folder / FOLDER / "0.md").unlink()
        wren.memory.append([heard("Later.")], "2026-11-20T07:21:37.123Z", 90)
        wren.start()
        wren.seeds.take_up()
        assert sorted(text for text in wren.texts() if text.startswith("Seed")) == [f"Seed {n}." for n in range(files)]
        assert wren.texts()[:lived] == [f'Moss says, "{number}"' for number in range(lived)]


def test_of_whom_a_file_names_it_was_heard_unless_it_says_otherwise(wren: Lived) -> None:
    for name, kind in (("1.md", ""), ("2.md", "kind: told\n")):
        wren.write(name, f"---\nactor: Ulric\n{kind}---\nThe mill is sold.\n")
    wren.write("3.md", "The mill is sold.\n")
    taken, problems = wren.seeds.take_up()
    assert problems == []
    assert [entry.kind for entry in taken] == ["heard", "told", "told"]


AGENT = """---
location: "[[The Library]]"
brain: instinct
voice: moss
---
# Wren

## Description
Quick.

## Profile
You are quick.
"""


def seeded(vault: Path, slug: str, *texts: str) -> None:
    """Write memories by hand."""
    folder = vault / "agents" / slug / "memories"
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts, 1):
        (folder / f"{number:02d}.md").write_text(text, encoding="utf-8")


async def test_a_life_begins_with_what_was_written_for_it_and_only_once(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    seeded(vault, "eliza", "I was born by the sea.", "I promised Moss 7 pears.")
    for _ in range(2):
        async with house(tmp_path) as home:
            eliza = home.agent("Eliza")
            assert texts_of(eliza)[:2] == ["I was born by the sea.", "I promised Moss 7 pears."]
            assert texts_of(eliza).count("I was born by the sea.") == 1
            await home.minds.catch_up(eliza)
            hits, _ = await home.parts.recall.search(eliza.id, "born by the sea", 3)
            assert hits[0].seq == 1
            home.type(eliza, "think of the tide")


async def test_what_the_ledger_gives_back_is_neither_lost_nor_doubled_beside_them(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        home.type(home.enter("Ann", home.engine.world.location_of(eliza.id).name), "say Good morning.")  # type: ignore[union-attr]
        lived = texts_of(eliza)
        assert len(lived) >= 2
    shutil.rmtree(vault / "agents/eliza/archive")  # nothing was saved, so the ledger has it all
    seeded(vault, "eliza", "I was born by the sea.")
    for _ in range(2):
        async with house(tmp_path) as home:
            found = texts_of(home.agent("Eliza"))
            assert found.count("I was born by the sea.") == 1
            assert [text for text in found if text in lived] == lived


async def test_somebody_dropped_in_brings_them_along_and_later_ones_are_taken_up_while_it_runs(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        reloading = Reloading(home.parts, lambda text: told.append(text))
        told: list[str] = []
        try:
            vault = home.parts.vault
            seeded(vault, "wren", "I was born by the sea.")
            (vault / "agents/wren/agent.md").write_text(AGENT, encoding="utf-8")
            reloading.changed(frozenset({vault / "agents/wren/agent.md"}))
            assert texts_of(home.agent("Wren"))[0] == "I was born by the sea."
            late, bad = vault / "agents/wren/memories/09.md", vault / "agents/wren/memories/10.md"
            late.write_text("The tide came in.", encoding="utf-8")
            bad.write_text("---\nkind: sung\n---\nLa.\n", encoding="utf-8")
            reloading.changed(frozenset({late, bad}))
            assert texts_of(home.agent("Wren")).count("The tide came in.") == 1
            assert any("agents/wren/memories/10.md:2" in text for text in told)
            reloading.changed(frozenset({late}))
            assert texts_of(home.agent("Wren")).count("The tide came in.") == 1
        finally:
            await reloading.stop()


def test_a_bad_file_is_a_problem_of_the_vault_for_a_reader_too_and_keeps_nobody_out(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    seeded(vault, "eliza", "---\nkind: sung\n---\nLa.\n", "All is well.")
    for writable in (False, True):
        with opened(vault, clock=VirtualClock(), writable=writable) as parts:
            (problem,) = parts.problems
            assert str(problem).startswith("agents/eliza/memories/01.md:2: kind: there is no kind 'sung'")
            assert texts_of(parts.minds.get("Eliza")) == (["All is well."] if writable else [])


def test_an_agent_that_is_made_takes_up_the_folder_in_which_memories_wait_for_it(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    seeded(vault, "wren", "I was born by the sea.")
    with opened(vault, clock=VirtualClock(), writable=True) as parts:
        agent = newcomer(parts, "Wren", location="The Garden")
        assert (agent.slug, texts_of(agent)) == ("wren", ["I was born by the sea."])
