"""What a character takes along to another world: who it is, and every memory, summary, note and fact of its life.

The archive that comes is a continuation of the one that is there, if any: it is only added to. Numbers of the ledger in
it are those of the world that took the character in, as each world knows its own steps alone.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from agents.directory import AGENT
from agents.memory.archive import numbered
from agents.memory.entries import Entry, is_number
from mud.errors import LociError, Refusal
from mud.sanitize import sanitize
from mud.storage.files import read_if_there, write_atomic
from mud.storage.paths import read_bytes
from mud.storage.zip_files import Member, packed_bytes, unpacked_bytes

PASSPORT = "passport.json"
"""File in the folder of who ever travelled: what it is known by in all worlds, and the tickets of its journeys."""
LETTER = "letter.json"
MOST_UNPACKED = 512 * 1024 * 1024  # bytes
MOST_TICKETS = 100_000
_TAKEN = re.compile(
    r"agent\.md|passport\.json|letter\.json|journal\.md|journal-history\.md|aliases\.md"
    r"|archive/\d{10,16}\.jsonl|(?:summaries|notes|notes/history)/[^/.][^/]*\.md"
)
_DRAWN = re.compile(r"[0-9a-f]{32}")
WRONG = "what was sent is no traveller as worlds send them"


def new_mark() -> str:
    """Return a ticket, or what somebody is known by; no two are the same."""
    return secrets.token_hex(16)


class Passport(NamedTuple):
    """What a character is known by in all worlds, and the tickets of all its journeys, in order.

    Args:
        home: in its folder in another world than its own, the address of the one that it came from; never sent.
    """

    being: str
    tickets: tuple[str, ...] = ()
    home: str = ""


def read_passport(folder: Path) -> Passport | None:
    """Return the passport of an agent or person; None for one that never travelled. Raises LociError."""
    text = read_if_there(folder / PASSPORT, file=f"agents/{folder.name}/{PASSPORT}", own=True)
    return _passport(text) if text else None


def write_passport(folder: Path, passport: Passport) -> None:
    """Raises OSError."""
    home = {"home": passport.home} if passport.home else {}
    write_atomic(folder / PASSPORT, json.dumps({"being": passport.being, "tickets": passport.tickets, **home}) + "\n")


def _passport(text: str) -> Passport:
    try:
        data = json.loads(text)
        being, tickets = data["being"], tuple(data["tickets"])
        if len(tickets) <= MOST_TICKETS and all(map(_is_mark, (being, *tickets))):
            return Passport(being, tickets, str(data.get("home", "")))
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise LociError(f"{WRONG}: its passport is not in order")


def _is_mark(value: object) -> bool:
    return isinstance(value, str) and _DRAWN.fullmatch(value) is not None


class Luggage(NamedTuple):
    """A character on its way.

    Args:
        ticket: of this journey.
        place: name of the place where it wants to arrive.
        person: somebody at a keyboard leads it.
        files: those of its folder, by name; the passport is the new one.
    """

    ticket: str
    place: str
    person: bool
    passport: Passport
    files: Mapping[str, bytes]

    @property
    def archive(self) -> dict[str, bytes]:
        return {name: data for name, data in self.files.items() if name.startswith("archive/")}

    def text(self, name: str) -> str:
        return sanitize(self.files[name].decode("utf-8", "replace"))


def pack(folder: Path, ticket: str, place: str, *, person: bool) -> bytes:
    """Return the letter with which a character is sent; its memory must be closed. Raises OSError and LociError.

    Its passport is made when it has none; that must be on disk before the letter leaves.
    """
    passport = read_passport(folder)
    if passport is None:
        write_passport(folder, passport := Passport(new_mark()))
    tickets = [*passport.tickets, ticket]
    letter = {"ticket": ticket, "place": place, "person": person}
    files = [Member(LETTER, json.dumps(letter).encode()), *_members(folder)]
    carried = json.dumps({"being": passport.being, "tickets": tickets}).encode()
    return packed_bytes([*files, Member(PASSPORT, carried)])


def _members(folder: Path) -> Iterator[Member]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if _TAKEN.fullmatch(name) and name not in (PASSPORT, LETTER) and path.is_file() and not path.is_symlink():
            yield Member(name, read_bytes(path, own=True))


def unpack(letter: bytes) -> Luggage:
    """Return who comes with a letter, all of it checked and made harmless. Raises LociError."""
    files = unpacked_bytes(letter, MOST_UNPACKED)
    if {LETTER, PASSPORT, AGENT} - files.keys():
        raise LociError(f"{WRONG}: {LETTER}, {PASSPORT} or {AGENT} is missing")
    if strange := sorted(name for name in files if not _TAKEN.fullmatch(name)):
        raise LociError(f"{WRONG}: {strange[0]!r} is no file of a character")
    try:
        said = json.loads(files.pop(LETTER))
        ticket, place, person = said["ticket"], said["place"], said["person"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise LociError(f"{WRONG}: {LETTER} is not in order") from None
    passport = _passport(files.pop(PASSPORT).decode("utf-8", "replace"))
    if not (isinstance(place, str) and isinstance(person, bool) and passport.tickets[-1:] == (ticket,)):
        raise LociError(f"{WRONG}: {LETTER} is not in order")
    return Luggage(ticket, sanitize(place), person, passport, files)


def continued(there: Mapping[str, bytes], come: Mapping[str, bytes], source: int) -> dict[str, bytes]:
    """Return the files of an archive that are to be written so that it becomes the one that comes, in order.

    Args:
        there: the archive's files as they are, by name.
        come: those of the archive that comes.
        source: the step that new memories are from.

    Raises Refusal when the one that comes does not begin with all memories that are there.
    """
    known = dict(_memories(there))
    lived = dict(_memories(come))
    if any(lived.get(seq) != entry for seq, entry in known.items()):
        raise Refusal("the life that comes is another than the one that left here")
    lines = {_line(one, 0) for data in there.values() for _, one in numbered(data) if one is not None}
    files: dict[str, bytes] = {}
    for name, data in sorted(come.items()):
        own = there.get(name, b"")
        own = own[: own.rfind(b"\n") + 1]
        read = (one for _, one in numbered(data) if one is not None and _is_sound(one))
        more = [_line(one, source) for one in read if not own or _line(one, 0) not in lines]
        if more:
            files[name] = own + b"\n".join(more) + b"\n"
    return files


def _memories(files: Mapping[str, bytes]) -> Iterator[tuple[int, Entry]]:
    for _, data in sorted(files.items()):
        for _, line in numbered(data):
            if line is not None and "seq" in line and (entry := Entry.from_json(line)) is not None:
                yield entry.seq, entry._replace(source=0)


def _is_sound(line: Mapping[str, Any]) -> bool:
    if "seq" in line:
        return is_number(line["seq"]) and Entry.from_json(line) is not None
    return isinstance(line.get("event"), str)


def _line(line: Mapping[str, Any], source: int) -> bytes:
    """Return a line as it is written into an archive, with another step in a memory."""
    entry = Entry.from_json(line) if "seq" in line else None
    return orjson.dumps(dict(line)) if entry is None else entry._replace(source=source).to_json().encode()
