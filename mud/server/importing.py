"""Takes a Miniworld vault into a vault: locations, characters, memories, notes and summaries.

Whatever is there already stays as it is, so that an import can be repeated after a failure, a kill, or a year: a
location or a character by its name, a memory by the id it was given, a note's part and a summary by its text. The old
vault is kept beside as it was, in a zip file, since it may say what has no place here.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from agents.agent import Agent
from agents.compaction.folds import ModelCost, SummaryDraft
from agents.compaction.judge import SummaryEvidence, made_up
from agents.compaction.summarizer import SummarySource
from agents.definition import LONGEST_NAME, check_free, check_name
from agents.llm.tokens import estimate
from agents.memory.entries import Range
from agents.memory.history import numbers_of
from agents.memory.note_form import entry_text
from agents.memory.summaries import SummaryFiles
from mud.clock import iso
from mud.engine.engine import WorldSettings
from mud.errors import LociError, Refusal
from mud.sanitize import sanitize
from mud.server.bulk import by_rules, live_through, newcomer
from mud.server.new_vaults import EMPTY, fill_from_example, new_vault
from mud.server.wiring import Parts
from mud.storage.documents import render_document
from mud.storage.files import free_stem, read_text, slugify, write_atomic
from mud.storage.miniworld import OldCharacter, OldLocation, OldNote, OldSummary, OldVault
from mud.storage.paths import below, make_folder, matching, move, read_bytes, remove
from mud.storage.settings import replace_setting
from mud.storage.world_files import WorldFiles
from mud.storage.zip_files import Member, write_zip
from mud.world.changes import Define
from mud.world.matching import plain
from mud.world.things import Kind

KEPT = "imports"
"""The folder of a vault in which old vaults are kept as they were."""
STRATEGY = "miniworld"
"""Who decided that an old summary was due, in its receipt."""
UNPLACED = "Summaries from Miniworld"
"""Title of the note with old summaries of memories that are not there."""
MOST_ALIKE = 99
"""How many names are tried for one character."""
LEAST_INTERVAL, MOST_INTERVAL = 1.0, 86400.0
_CANNOT_BE_NAMED = re.compile(r'["|\[\]{}/\\]')
_MARKUP = re.compile(r"(?m)^ {0,3}(?:#{1,6}[ \t]+|#{1,6}$|-{3,}[ \t]*$)")


class TakenLife(NamedTuple):
    """What was taken of one character; `known`: memories that were there before."""

    name: str
    read: int
    new: int
    known: int
    notes: int
    summaries: int
    compactions: int


# ---- the place ----


def prepare(old: OldVault, vault: Path) -> None:
    """Make a vault for an import, with its locations; the first with somebody in it is where people arrive."""
    with new_vault(vault) as made:
        fill_from_example(made, EMPTY, texts=False)
        if old.locations:
            for path in matching(made / "world/locations", "*.md"):
                remove(path)
            start = add_locations(old, made)[next(iter(old.placed()), old.locations[0].name)]
            file = made / "config/world.md"
            write_atomic(file, replace_setting(read_text(file), WorldSettings, "start_location", start, file.name))


def add_locations(old: OldVault, vault: Path) -> dict[str, str]:
    """Write the locations whose names are not in a vault yet, which must be locked.

    Returns the names of all locations here by their old names.
    """
    folder = vault / "world/locations"
    make_folder(folder, above=True)
    names = _own_names(old.locations)
    known, taken = {plain(one) for one in _locations(vault)}, {path.stem for path in folder.glob("*.md")}
    for one in old.locations:
        if plain(names[one.file]) not in known:
            stem = free_stem(taken, slugify(names[one.file]))
            ways = {sanitize(way): f"[[{names[to]}]]" for way, to in old.exits[one.file].items()}
            front = {"type": "location", "aliases": list(one.aliases), "exits": ways}
            body = f"# {names[one.file]}\n\n{_prose(one.description)}\n"
            write_atomic(folder / f"{stem}.md", render_document(front, body))
            taken.add(stem)
    return {one.name: names[one.file] for one in reversed(old.locations)}


def _own_names(locations: Iterable[OldLocation]) -> dict[str, str]:
    """Return a name of its own for each location, by file."""
    found: dict[str, str] = {}
    for one in locations:
        claimed = {plain(name) for name in found.values()}
        found[one.file] = next(name for name in _candidates(one.name) if plain(name) not in claimed)
    return found


def _candidates(name: str) -> Iterator[str]:
    """Yield a name without what no name may hold here, then the same with a number."""
    clean = " ".join(_CANNOT_BE_NAMED.sub(" ", sanitize(name)).split()).lstrip("#- ")[: LONGEST_NAME - 4].strip()
    yield clean or "Unnamed"
    yield from (f"{clean or 'Unnamed'} {number}" for number in count(2))


def _locations(vault: Path) -> Iterator[str]:
    files = WorldFiles(vault)
    files.load()
    return (one.name for one in files.named if one.kind is Kind.LOCATION)


def _prose(text: str) -> str:
    """Return a text without the marks of headings and rules, which would end it in a file of this program."""
    return _MARKUP.sub("", text).strip()


# ---- a life ----


async def take_lives(parts: Parts, old: OldVault, places: Mapping[str, str]) -> AsyncIterator[TakenLife]:
    """Take every character's life into an opened vault, one after the other. The recall service must be running.

    `places`: the names of locations here by their old names. Raises LociError when an archive cannot be written.
    """
    claimed: set[str] = set()
    for one in old.characters:
        agent = _somebody(parts, one, places, claimed)
        claimed.add(agent.slug)
        if agent.name != one.name:
            old.skipped.append((one.file, f"{one.name} is called {agent.name} here, as the name cannot be used"))
        yield await _take(parts, agent, one, old)


def _somebody(parts: Parts, one: OldCharacter, places: Mapping[str, str], claimed: Container[str]) -> Agent:
    """Return who has this character's name, or a new agent or person."""
    for name in islice(_candidates(one.name), MOST_ALIKE):
        agent = parts.minds.find(name)
        if agent is None:
            with suppress(LociError):
                check_free(check_name(name), parts.engine.world)
                break
        elif agent.slug not in claimed:
            return agent
    else:
        raise LociError(f"{one.name} ({one.file}) can have no name here: {MOST_ALIKE} like it are taken")
    agent = _newcomer(parts, one, name, places)
    parts.engine.world.apply([Define(agent.definition.thing())])  # so that the next one has another id and another name
    return agent


def _newcomer(parts: Parts, one: OldCharacter, name: str, places: Mapping[str, str]) -> Agent:
    start = parts.configuration.get(WorldSettings).start_location
    more: dict[str, object] = {"aliases": list(one.aliases)} if one.aliases else {}
    if not one.thinks:
        return newcomer(parts, name, person=True, description=_prose(one.description), more=more)
    if one.interval is not None:
        more["think_interval"] = min(max(one.interval, LEAST_INTERVAL), MOST_INTERVAL)
    place = places.get(one.location or "", start)
    looks, profile = _prose(one.description), _prose(one.profile)
    return newcomer(parts, name, location=place, description=looks, profile=profile, more=more)


async def _take(parts: Parts, agent: Agent, one: OldCharacter, old: OldVault) -> TakenLife:
    memory, archive = agent.memory, agent.folder / "archive"
    before, folds, ids = memory.total, memory.compactions, numbers_of(archive)
    await by_rules(agent)  # an earlier import may have ended between writing and folding
    new = [each.record for each in one.memories if each.id not in ids]
    if new:
        await live_through(parts, agent, new)
    seqs = numbers_of(archive)
    covered = [(each, _covers(each, one, seqs)) for each in one.summaries]
    notes = [*one.notes, *_unplaced(each for each, covers in covered if covers is None)]
    written = sum(_take_note(agent, note, old, iso(parts.clock.now())) for note in notes)
    kept = sum(_keep_summary(agent, each, covers) for each, covers in covered if covers is not None)
    if written or kept:
        parts.minds.index_documents(agent)
    known, added = len(one.memories) - len(new), memory.total - before
    return TakenLife(agent.name, len(one.memories), added, known, written, kept, memory.compactions - folds)


def _take_note(agent: Agent, note: OldNote, old: OldVault, now: str) -> int:
    """Add the parts of a note that are neither in it nor in its earlier texts; return 1 when there were any."""
    here = agent.notes.read(note.title)
    texts = [one.text for one in (here, *(version.note for version in agent.notes.versions(note.title))) if one]
    new = [(text, at) for text, at in note.parts if not any(_stands_in(text, known) for known in texts)]
    try:
        for text, at in new:
            agent.notes.add(note.title, text, at or now, note.reason, note.place)
    except Refusal as refusal:
        old.skipped.append((f"{agent.name}: note {note.title}", refusal.text))
        return 0
    return bool(new)


def _stands_in(text: str, note: str) -> bool:
    return entry_text(text, "", None, None).partition("\n\n")[2].strip() in note


def _unplaced(summaries: Iterable[OldSummary]) -> Iterator[OldNote]:
    parts = tuple((one.text, one.at) for one in summaries)
    if parts:
        yield OldNote(UNPLACED, parts, None, None)


# ---- summaries ----


def _covers(one: OldSummary, whose: OldCharacter, seqs: Mapping[str, int]) -> Range | None:
    """Return the memories that a summary stands for: those Miniworld had folded at its time; None when there are none.

    It folds what is neither among the newest `window` memories nor, for the long-term summary, the `window` before.
    """
    until = sum(memory.written <= one.written for memory in whose.memories)
    first, last = (
        (1, until - 2 * whose.window)
        if one.tier == "longterm"
        else (until - 2 * whose.window + 1, until - whose.window)
    )
    numbers = [seqs[memory.id] for memory in whose.memories[max(0, first - 1) : max(0, last)] if memory.id in seqs]
    return (min(numbers), max(numbers)) if numbers else None


def _keep_summary(agent: Agent, one: OldSummary, covers: Range) -> int:
    """Add a summary to the versions, with a receipt of what it kept; return 0 when it is there already."""
    files = SummaryFiles(agent.folder / "summaries")
    if any(known.text == one.text for known in files.versions(one.tier)):
        return 0
    entries = tuple(agent.memory.read(*covers))
    source = SummarySource(agent.name, one.tier, entries, begins=covers[0] == 1, covers=covers)
    draft = SummaryDraft(source, one.text, "model", ModelCost())
    tokens = sum(estimate(entry.text) for entry in entries)
    made = draft.summary(covers, one.at, tokens, estimate(one.text))
    faithful = not made_up(one.text, SummaryEvidence(source))
    made = replace(made, strategy=STRATEGY, reason="import", faithful=faithful)
    make_folder(files.folder)
    files.write_version(made, entries if one.tier == "recent" else ())
    files.sync()
    return 1


# ---- the old vault ----


def keep_whole(root: Path, vault: Path) -> str:
    """Keep an old vault as it is in a zip file, unless the same is kept already; return its name in the vault.

    The vault must be locked.
    """
    folder = vault / KEPT
    make_folder(folder)
    beside = folder / f".{secrets.token_hex(6)}.tmp"
    try:
        write_zip(beside, _files(root))
        digest = hashlib.sha256(read_bytes(beside, own=True)).hexdigest()
        kept = folder / f"miniworld-{digest[:12]}.zip"
        if not kept.exists():
            move(beside, kept)
    finally:
        remove(beside)
    return kept.relative_to(vault).as_posix()


def _files(root: Path) -> Iterator[Member]:
    for entry in below(root):
        if isinstance(entry, OSError):
            raise entry
        if entry.is_file(follow_symlinks=False):
            yield Member(Path(entry.path).relative_to(root).as_posix(), read_bytes(entry.path, own=True))
