"""Reads a vault of Miniworld, the ancestor of this program, into values; nothing is written.

Its files look like markdown with front matter, but follow rules of their own: front matter is lines `key: value` in
which everything is text, a property may run over several lines, and times are local times that end with a `Z`. Whatever
cannot be taken is listed with the reason. Two exits of one location may be kept in either of two forms.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from mud.clock import iso
from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.documents import link_name
from mud.storage.files import OWN_LIMIT, encode, read_text

ROOMS, LEGACY, AGENTS = "world/locations", "world/objects/characters", "agents"
STATE = "world/world_state.md"
_OURS = ("world/state.md", "config/llm")  # what a vault of this program has, and Miniworld's never
_SECTIONS = "Description|Aliases|Properties|Flags|Components|Connections|Exits|Contents"
_HEADING = re.compile(rf"^## ({_SECTIONS})[ \t]*$", re.M)
"""Only headings that Miniworld writes itself end a section, as a description may hold others."""
_TITLE = re.compile(r"\A\s*# ([^\n]*)(?:\n|\Z)")
_PROPERTY = re.compile(r"- ([a-z_]+(?:\.[a-z_]+)+): ?(.*)")
_ROW = re.compile(r"^\| *\[\[(.+?)\]\] *\| *\[\[(.+?)\]\] *\|", re.M)
_ECHO = re.compile(r"\A>[ \t]*(?P<line>[^\n]*)\n+(?P<failed>[❌✗✘×][ \t]*)?(?P<text>.*)\Z", re.S)
"""A memory in the old form: the command line, maybe with a private reason, and the cross of a failure."""
_STAMP = re.compile(r"(\d{8}-\d{6})")
_SAID = re.compile(r'(.+?) says, "')
_RESULT = re.compile(r"\b(?:Exits|Occupants): |There are no obvious exits")
_OWN = (
    ("said", "You say"),
    ("said", "You whisper"),
    ("thought", "You think"),
    ("dream", "You dream"),
    ("moved", "You go"),
)
_SEEN = {"speech": "heard"}
_LONGEST_STEM = 120  # characters of a file's name that are kept in the id of its memory


class OldLocation(NamedTuple):
    """A location. `exits`: names and the names of the locations they lead to, as written."""

    file: str
    name: str
    description: str
    aliases: tuple[str, ...]
    exits: tuple[tuple[str, str], ...]


class OldMemory(NamedTuple):
    """A memory. `id`: the same for the same file with the same content; `written`: the time as it stands there."""

    id: str
    written: str
    record: dict[str, object]


class OldNote(NamedTuple):
    """A note. `parts`: oldest first, each with its time; only those of the first and the last are known."""

    title: str
    parts: tuple[tuple[str, str], ...]
    reason: str | None
    place: str | None


class OldSummary(NamedTuple):
    """A summary; `written`: the time as it stands there, `at` the same in UTC."""

    tier: str
    text: str
    written: str
    at: str


class OldCharacter(NamedTuple):
    """Somebody with a memory. `thinks`: an agent; `window`: memories that stayed word for word."""

    file: str
    name: str
    description: str
    profile: str
    aliases: tuple[str, ...]
    thinks: bool
    interval: float | None
    window: int
    location: str | None
    memories: tuple[OldMemory, ...]
    notes: tuple[OldNote, ...]
    summaries: tuple[OldSummary, ...]


class _Page(NamedTuple):
    """A file: front matter, title, all below it, and of that the text before the first section, and the sections."""

    front: Mapping[str, str]
    title: str
    whole: str
    body: str
    sections: Mapping[str, str]

    def lines(self, section: str) -> list[str]:
        found = (line.strip() for line in self.sections.get(section, "").split("\n"))
        return [line[2:].strip() for line in found if line.startswith("- ")]


class _Definition(NamedTuple):
    """What one of the two files of a character says."""

    file: str
    page: _Page
    properties: Mapping[str, str]

    @property
    def modified(self) -> str:
        return self.page.front.get("modified", "")


def old_root(folder: Path) -> Path | None:
    """Return the folder of Miniworld's vault: this one, or `vault` in it; None when it is none, or one of ours."""
    for root in (folder, folder / "vault"):
        if any((root / name).exists() for name in _OURS):
            continue
        if (root / ROOMS).is_dir() or any(root.glob("agents/**/memories")):
            return root.resolve()
    return None


class OldVault:
    """A Miniworld vault, read whole.

    Args:
        root: its folder.
        zone: in which its times were written; None for that of this machine.

    Attributes:
        exits: of each location, all by file; see `links`.
        skipped: files and entries that were not taken, each with the reason.
    """

    def __init__(self, root: Path, zone: tzinfo | None = None) -> None:
        self._root, self._zone = root, zone
        self.skipped: list[tuple[str, str]] = []
        self._where = self._places()
        self.locations = [one for path in self._markdown(root / ROOMS) if (one := self._location(path)) is not None]
        found = ((folder, self._definitions(folder)) for folder in self._folders())
        self.exits, lost = links(self.locations)
        self.skipped += lost
        self.characters = [self._character(folder, definitions) for folder, definitions in found if definitions]
        self._name_the_rest()

    def placed(self) -> list[str]:
        """Return the locations in which somebody is, persons first, as names."""
        known = {one.name for one in self.locations}
        people = sorted(self.characters, key=lambda one: one.thinks)
        return [one.location for one in people if one.location in known]

    def _skip(self, file: str, why: str) -> None:
        self.skipped.append((file, why))

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def _markdown(self, folder: Path) -> list[Path]:
        """Return the markdown files of a folder in order; one whose name was dropped is called `.md`."""
        return sorted(path for path in folder.glob("*.md") if path.is_file()) if folder.is_dir() else []

    def _read(self, path: Path) -> tuple[str, _Page] | None:
        try:
            text = read_text(path, OWN_LIMIT, self._shown(path))
        except VaultProblem as wrong:
            self._skip(self._shown(path), wrong.problems[0].message)
            return None
        return text, _page(text)

    def _places(self) -> dict[str, str]:
        """Return where everybody is, by the table of the saved state."""
        read = self._read(self._root / STATE) if (self._root / STATE).is_file() else None
        return dict(_ROW.findall(read[0])) if read else {}

    # ---- locations ----

    def _location(self, path: Path) -> OldLocation | None:
        if (read := self._read(path)) is None:
            return None
        page = read[1]
        name = page.title or path.stem.replace("_", " ").strip(". ")
        if not name:
            self._skip(self._shown(path), "it has no name")
            return None
        exits = [(to.lower(), to) for line in page.lines("Connections") if (to := link_name(line) or line)]
        for line in page.lines("Exits"):
            target, *names = (part.strip() for part in line.split("|"))
            to = link_name(target) or target
            exits += [(one.lower(), to) for one in names if one] or [(to.lower(), to)]
        description = page.sections.get("Description", page.body).strip()
        return OldLocation(self._shown(path), name, description, tuple(page.lines("Aliases")), tuple(exits))

    # ---- characters ----

    def _folders(self) -> list[Path]:
        """Return the agents' folders; names that Miniworld cannot write share `agents/` itself."""
        top = self._root / AGENTS
        inner = sorted(path for path in top.iterdir() if path.is_dir()) if top.is_dir() else []
        own = [] if not _is_life(top) else [top]
        lives = [*own, *(path for path in inner if not own or path.name not in _PARTS)]
        known = {path.name for path in lives}
        legacy = (path.stem for path in self._markdown(self._root / LEGACY))
        return [*lives, *(top / stem for stem in legacy if stem not in known)]

    def _definitions(self, folder: Path) -> list[_Definition]:
        """Return what is said of a character, in its own file and in the older place, the newer first."""
        stem = "" if folder.name == AGENTS else folder.name
        found = []
        for path in (folder / "agent.md", self._root / LEGACY / f"{stem}.md"):
            read = self._read(path) if path.is_file() else None
            if read is not None:
                found.append(
                    _Definition(self._shown(path), read[1], _properties(read[1].sections.get("Properties", "")))
                )
        if not found and _is_life(folder):
            return [_Definition(self._shown(folder), _Page({}, "", "", "", {}), {})]
        if not found:
            self._skip(self._shown(folder), "nothing in it says who this is")
        return sorted(found, key=lambda one: one.modified, reverse=True)

    def _character(self, folder: Path, definitions: Sequence[_Definition]) -> OldCharacter:
        first, texts = definitions[0], [one.properties.get("thinker.profile", "").strip() for one in definitions]
        page, properties = first.page, first.properties
        name = page.title or folder.name.replace("_", " ").strip() or "Unnamed"
        thinks = any("thinker" in one.page.lines("Components") or _thinks(one.properties) for one in definitions)
        thinks = thinks or not page.title  # only its memories are there
        for key in sorted(properties.keys() - {"thinker.profile", "thinker.think_interval", "thinker.memory_count"}):
            self._skip(f"{first.file}: {key}", "there is no such setting here")
        return OldCharacter(
            first.file,
            name,
            page.sections.get("Description", page.body).strip(),
            _longest(texts),
            tuple(page.lines("Aliases")),
            thinks,
            _number(properties.get("thinker.think_interval")),
            int(_number(properties.get("thinker.memory_count")) or (24 if thinks else 64)),
            self._where.get(name) or link_name(page.front.get("location", "")) or None,
            tuple(self._memories(folder / "memories", name)),
            tuple(self._notes(folder / "notes")),
            tuple(self._summaries(folder / "summaries")),
        )

    def _memories(self, folder: Path, name: str) -> Iterator[OldMemory]:
        """Yield the memories in the order of their files' names; one without a time has that of the one before."""
        before: datetime | None = None
        for path in self._markdown(folder):
            if (read := self._read(path)) is None:
                continue
            raw, page = read
            record = _memory(page, name)
            if not record["text"]:
                self._skip(self._shown(path), "there is nothing in it")
                continue
            written = page.front.get("timestamp") or _stamped(path.stem)
            before = self._moment(written, before) or before
            record["at"] = iso(before) if before is not None else None
            digest = hashlib.sha256(encode(raw)).hexdigest()[:16]
            id = f"miniworld {sanitize(path.stem)[:_LONGEST_STEM]} {digest}"
            yield OldMemory(id, written, {**record, "id": id})

    def _notes(self, folder: Path) -> Iterator[OldNote]:
        for path in self._markdown(folder):
            if (read := self._read(path)) is None:
                continue
            front, page = read[1].front, read[1]
            parts = [part.strip() for part in re.split(r"\n\n---\n\n", page.whole)]
            if not any(parts):
                self._skip(self._shown(path), "there is nothing in it")
                continue
            title = page.title or front.get("title") or path.stem.replace("_", " ").strip(". ") or "Unnamed"
            created, updated = (self._utc(front.get(key, "")) for key in ("created", "updated"))
            times = [created or updated, *([updated or created] * (len(parts) - 1))]
            dated = tuple((text, at) for text, at in zip(parts, times, strict=True) if text)
            yield OldNote(title, dated, front.get("reason") or None, front.get("location") or None)

    def _summaries(self, folder: Path) -> Iterator[OldSummary]:
        """Yield each text once, the oldest first: the summary in use is among the earlier ones too."""
        found: dict[tuple[str, str], OldSummary] = {}
        for path in self._markdown(folder):
            tier = path.stem.partition("-")[0]
            read = self._read(path) if tier in ("recent", "longterm") else None
            if read is None:
                continue
            text, written = read[1].whole, read[1].front.get("updated") or _stamped(path.stem)
            if not text:
                self._skip(self._shown(path), "there is nothing in it")
                continue
            one = OldSummary(tier, text, written, self._utc(written))
            if (earlier := found.get((tier, text))) is None or written < earlier.written:
                found[tier, text] = one
        yield from sorted(found.values(), key=lambda one: (one.written, one.tier))

    # ---- times ----

    def _utc(self, written: str) -> str:
        moment = self._moment(written, None)
        return iso(moment) if moment is not None else ""

    def _moment(self, written: str, before: datetime | None) -> datetime | None:
        """Return a local time as UTC; of two that it may be in autumn, the one that does not go back. None for none."""
        try:
            local = datetime.fromisoformat(written.strip().removesuffix("Z")).replace(tzinfo=None)
            first, second = (self._in_zone(local.replace(fold=fold)) for fold in (0, 1))
        except (ValueError, OverflowError, OSError):
            return None
        return second if before is not None and first < before <= second else first

    def _in_zone(self, local: datetime) -> datetime:
        return (local if self._zone is None else local.replace(tzinfo=self._zone)).astimezone(UTC)

    # ---- what is left ----

    def _name_the_rest(self) -> None:
        for name, why in _NOT_TAKEN.items():
            if (self._root / name).exists():
                self._skip(name, why)
        for path in sorted(self._root.glob("agents/**/notes_vectors.json")):
            self._skip(self._shown(path), "vectors are made anew")


_PARTS = ("memories", "notes", "summaries")
_NOT_TAKEN = {
    "config": "settings have other names here",
    "text": "texts have other names here",
    "templates": "Miniworld never used them",
    "narrative": "it tells what the memories tell",
    "world/objects/items": "Miniworld never used them",
}


def _is_life(folder: Path) -> bool:
    return (folder / "agent.md").is_file() or (folder / "memories").is_dir()


def _thinks(properties: Mapping[str, str]) -> bool:
    return any(key.startswith("thinker.") for key in properties)


def _longest(texts: Sequence[str]) -> str:
    """Return the newest text, or one of which it is but the beginning: Miniworld cuts a text after its first line."""
    newest = next((text for text in texts if text), "")
    return max((text for text in texts if text.startswith(newest)), key=len, default=newest)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text and float(text) > 0 else None
    except ValueError:
        return None


def _stamped(stem: str) -> str:
    """Return the time in a file's name; empty without one."""
    found = _STAMP.search(stem)
    return f"{found[1][:8]}T{found[1][9:]}" if found else ""


def _page(text: str) -> _Page:
    text = sanitize(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    front, body = {}, text
    if text.startswith("---\n") and (end := text.find("\n---", 3)) >= 0:
        pairs = (line.partition(":") for line in text[4 : end + 1].split("\n"))
        front = {key.strip(): value.strip() for key, colon, value in pairs if colon and not key.startswith(" ")}
        body = text[text.find("\n", end + 1) + 1 or len(text) :]
    title = _TITLE.match(body)
    whole = (body[title.end() :] if title else body).strip()
    parts = _HEADING.split(whole)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return _Page(front, " ".join(title[1].split()) if title else "", whole, parts[0].strip(), sections)


def _properties(text: str) -> dict[str, str]:
    """Return the properties; a line that begins none of them continues the one before."""
    found: dict[str, str] = {}
    key = ""
    for line in text.strip("\n").split("\n"):
        if begun := _PROPERTY.fullmatch(line):
            key = begun[1]
            found[key] = begun[2]
        elif key:
            found[key] += f"\n{line}"
    return {key: value.strip() for key, value in found.items()}


def _memory(page: _Page, name: str) -> dict[str, object]:
    """Return a memory as a record, without its time."""
    front, text = (
        page.front,
        page.whole if page.title in ("", "Memory") else f"{page.title}\n\n{page.whole}".strip(),
    )
    reason, failed = None, False
    if (echo := _ECHO.match(text)) and echo["text"].strip():
        text, failed = echo["text"].strip(), bool(echo["failed"])
        reason = echo["line"].partition("|")[2].strip() or None
    event = front.get("event_type")
    kind, actor = _seen(event, text, front.get("occupants", "")) if event else (_own(text, name, front), None)
    place = front.get("location") or None
    return {"text": text, "kind": kind, "actor": actor, "place": place, "reason": reason, "failed": failed}


def _seen(event: str, text: str, occupants: str) -> tuple[str, str | None]:
    """Return the kind of what was perceived, and who acted: by the words, or the longest name of those present."""
    if said := _SAID.match(text):
        return _SEEN.get(event, "saw"), said[1]
    present = [one for one in re.findall(r'"([^"]+)"', occupants) if text.startswith(f"{one} ")]
    return _SEEN.get(event, "saw"), max(present, key=len, default=None)


def _own(text: str, name: str, front: Mapping[str, str]) -> str:
    """Return the kind of an own memory; one that a person wrote by hand is `told`."""
    if front.get("type") != "memory":
        return "told"
    if _RESULT.search(text):
        return "result"
    return next((kind for kind, start in _OWN if text.startswith(start)), "did")


def links(locations: Iterable[OldLocation]) -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """Return the exits of each location, all by file, and what leads nowhere, as file and reason.

    Of two locations of one name links mean the first. Miniworld shows every exit from the other end too, under the name
    of where it leads, unless there is one already.
    """
    known = list(locations)
    files = {one.name: one.file for one in reversed(known)}
    exits: dict[str, dict[str, str]] = {one.file: {} for one in known}
    lost: list[tuple[str, str]] = []
    for one in known:
        for name, to in one.exits:
            if to not in files:
                lost.append((one.file, f"its exit {name} leads to {to}, which has no file"))
            elif files[to] != one.file:
                own = exits[one.file]
                own.setdefault(name if own.get(name, files[to]) == files[to] else to.lower(), files[to])
    for one in known:
        for file in dict.fromkeys(exits[one.file].values()):
            if one.file not in exits[file].values():
                exits[file].setdefault(one.name.lower(), one.file)
    return exits, lost
