"""An index that somebody broke while nobody looked: the next start is clean, answers by words, and becomes whole."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agents.memory.entries import Entry
from agents.recall.child import CleanShutdown
from agents.recall.documents import IndexedDocument
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from mud.clock import VirtualClock
from tests.live.indexed import name_of, talk

BOUND = 60.0
COUNT = 700
"""Memories: enough for chromadb to have written its graph down twice."""
ASKED = 35
"""Memories that are looked for, spread over the life."""
LONG = RecallSettings(embedder="hashing", patience=BOUND, exact_up_to=COUNT // 2)
"""With these the life is in chromadb."""
SHORT = replace(LONG, exact_up_to=COUNT)
"""With these it is in a file of its own."""
ENTRIES = [
    Entry(seq, "2026-01-01T00:00:00.000Z", "heard", None, None, text)
    for seq, text in enumerate(talk(COUNT, random.Random(7)), 1)
]
NOTES = [IndexedDocument(f"notes/{number}", "note", f"A note about {name_of(number)}.") for number in range(130)]

# Takes some vectors out as another program would, and ends cleanly.
TAKE_OUT = """
import sys, chromadb
client = chromadb.PersistentClient(sys.argv[1])
for one in client.list_collections():
    if sys.argv[2] in one.name:
        one.delete(ids=one.get(include=[])["ids"][::3])
client.close()
"""


async def _opened(folder: Path, settings: RecallSettings = LONG) -> RecallService:
    service = RecallService(folder, lambda: settings, VirtualClock())
    await service.start()
    await service.catch_up("#1", COUNT, _read, lambda: NOTES)
    return service


def _read(first: int, last: int) -> Sequence[Entry]:
    return ENTRIES[first - 1 : last]


async def _whole(service: RecallService) -> None:
    """See that memories and notes are found at once by words, and all of them by vectors soon."""
    hits, _ = await service.search("#1", name_of(17), 1, by="words")
    assert name_of(17) in hits[0].text
    assert await asyncio.wait_for(service.complete(), BOUND)
    assert service.status("#1")["vector_through"] == COUNT
    for entry in ENTRIES[:: COUNT // ASKED]:
        hits, behind = await service.search("#1", entry.text, 1, "memories", by="vectors")
        assert (hits[0].text, behind) == (entry.text, False)
    for note in NOTES:
        hits, behind = await service.search("#1", note.text, 3, "notes", by="vectors")
        assert (note.text in [hit.text for hit in hits], behind) == (True, False)


def _graphs(index: Path) -> list[Path]:
    found = sorted((index / "chroma").glob("*/*.bin"))
    assert found
    return found


def cut_graphs(index: Path) -> None:
    for file in _graphs(index):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def garbage_graphs(index: Path) -> None:
    for file in _graphs(index):
        file.write_bytes(random.Random(1).randbytes(file.stat().st_size))


def huge_links(index: Path) -> None:
    """What a kill during a flush was seen to leave: a sparse file of two terabytes."""
    for file in _graphs(index):
        if file.name == "link_lists.bin":
            with file.open("r+b") as opened:
                opened.truncate(1 << 41)


def empty_graphs(index: Path) -> None:
    for file in _graphs(index):
        file.write_bytes(b"")


def no_graphs(index: Path) -> None:
    for folder in (index / "chroma").iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


def garbage_pickles(index: Path) -> None:
    for file in (index / "chroma").glob("*/*.pickle"):
        file.write_bytes(b"garbage")


def garbage_database(index: Path) -> None:
    (index / "chroma/chroma.sqlite3").write_bytes(b"garbage" * 10_000)


def cut_database(index: Path) -> None:
    file = index / "chroma/chroma.sqlite3"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def no_database(index: Path) -> None:
    (index / "chroma/chroma.sqlite3").unlink()


def file_for_folder(index: Path) -> None:
    shutil.rmtree(index / "chroma")
    (index / "chroma").write_text("a file")


def fewer_memories(index: Path) -> None:
    subprocess.run([sys.executable, "-c", TAKE_OUT, index / "chroma", "life"], check=True, timeout=BOUND)


def fewer_notes(index: Path) -> None:
    subprocess.run([sys.executable, "-c", TAKE_OUT, index / "chroma", "shelf"], check=True, timeout=BOUND)


def no_chroma(index: Path) -> None:
    shutil.rmtree(index / "chroma")


def _file_of_the_life(index: Path) -> Path:
    (file,) = (index / "matrix").rglob("*.f32")
    return file


def cut_file(index: Path) -> None:
    file = _file_of_the_life(index)
    os.truncate(file, file.stat().st_size // 2 + 5)


def zeros_at_the_end(index: Path) -> None:
    """What a power cut can leave."""
    file = _file_of_the_life(index)
    size = file.stat().st_size
    os.truncate(file, size // 2)
    os.truncate(file, size)


def garbage_file(index: Path) -> None:
    file = _file_of_the_life(index)
    file.write_bytes(random.Random(1).randbytes(file.stat().st_size))


def empty_file(index: Path) -> None:
    _file_of_the_life(index).write_bytes(b"")


def no_files(index: Path) -> None:
    shutil.rmtree(index / "matrix")


def file_for_files(index: Path) -> None:
    shutil.rmtree(index / "matrix")
    (index / "matrix").write_text("a file")


def no_words(index: Path) -> None:
    (index / "lexical.sqlite3").unlink()


def garbage_words(index: Path) -> None:
    (index / "lexical.sqlite3").write_bytes(b"garbage" * 10_000)


def damaged_words(index: Path) -> None:
    _damage(index / "lexical.sqlite3")


def no_cache(index: Path) -> None:
    (index / "embeddings.sqlite3").unlink()


def garbage_cache(index: Path) -> None:
    (index / "embeddings.sqlite3").write_bytes(b"garbage" * 10_000)
    cut_graphs(index)


def damaged_cache(index: Path) -> None:
    _damage(index / "embeddings.sqlite3")
    no_chroma(index)


def _damage(file: Path) -> None:
    """Leave the first page, which alone is looked at when it is opened, and spoil the rest."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = file.read_bytes()
    file.write_bytes(data[:4096] + random.Random(2).randbytes(len(data) - 4096))


def nothing(index: Path) -> None:
    """Leave it as it is."""


DAMAGES = (
    nothing, cut_graphs, garbage_graphs, huge_links, empty_graphs, no_graphs, garbage_pickles, garbage_database,
    cut_database, no_database, file_for_folder, fewer_memories, fewer_notes, no_chroma, no_words, garbage_words,
    damaged_words, no_cache, garbage_cache, damaged_cache,
)  # fmt: skip
OF_FILES = (cut_file, zeros_at_the_end, garbage_file, empty_file, no_files, file_for_files, no_chroma)
"""Those of an index whose one life is in a file."""
QUICK = (garbage_graphs, fewer_memories)
"""Those that `make check` tries; `make torture` tries all."""
SAID = {garbage_words: "is broken", damaged_words: "is broken"}
"""What the log warns of, as it should: a database of ours that breaks by itself is worth a look at the disk."""

Damage = Callable[[Path], None]


def _tried(marked: bool) -> list[Damage]:
    return [damage for damage in DAMAGES if marked != (damage in QUICK)]


def _filled(folder: Path, settings: RecallSettings) -> Path:
    """Return an index that was filled and closed; the tests break copies of it."""

    async def fill() -> None:
        service = await _opened(folder, settings)
        assert await asyncio.wait_for(service.complete(), BOUND)
        await service.stop()

    asyncio.run(fill())
    assert (folder / ".index/chroma.closed").exists()
    return folder / ".index"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _filled(tmp_path_factory.mktemp("whole"), LONG)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _filled(tmp_path_factory.mktemp("short"), SHORT)


async def _breaks(
    whole: Path,
    folder: Path,
    damage: Damage,
    caplog: pytest.LogCaptureFixture,
    settings: RecallSettings = LONG,
    *,
    unseen: bool = True,
) -> None:
    """Break a copy of an index, and see that it becomes whole; with `unseen`, the seal does not tell of it."""
    shutil.copytree(whole, folder / ".index")
    damage(folder / ".index")
    if unseen:
        CleanShutdown(folder / ".index" / "chroma").close()
    caplog.set_level(logging.INFO)
    again = await _opened(folder, settings)
    try:
        await _whole(again)
    finally:
        await again.stop()
    warned = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert [line for line in warned if damage not in SAID or SAID[damage] not in line] == []
    wasted = [record for record in caplog.records if "The vectors are made anew" in record.message]
    assert len(wasted) <= 1


@pytest.mark.parametrize("damage", OF_FILES)
async def test_whatever_is_broken_of_the_files_of_vectors_is_made_anew(
    short: Path, tmp_path: Path, damage: Damage, caplog: pytest.LogCaptureFixture
) -> None:
    await _breaks(short, tmp_path, damage, caplog, SHORT)


@pytest.mark.parametrize("damage", _tried(marked=False))
async def test_whatever_is_broken_is_made_anew(
    whole: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Damage
) -> None:
    await _breaks(whole, tmp_path, damage, caplog)


async def test_what_the_seal_tells_of_crashes_nobody(
    whole: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await _breaks(whole, tmp_path, garbage_graphs, caplog, unseen=False)
    assert "begin again" not in caplog.text


@pytest.mark.torture
@pytest.mark.parametrize("damage", _tried(marked=True))
async def test_whatever_else_is_broken_is_made_anew(
    whole: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Damage
) -> None:
    await _breaks(whole, tmp_path, damage, caplog)
