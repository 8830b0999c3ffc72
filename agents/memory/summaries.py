"""Summaries as values, the commit lines that name them, and their files: the two in use, and every version ever made.

People may edit the files in use (`recent.md`, `longterm.md`); versions are only added. Which summary is in use is
decided in `agents.memory.current_summaries`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.entries import Entry, Range, is_number, merged, reference
from mud.errors import Problem, VaultProblem
from mud.storage.documents import parse_document, render_document
from mud.storage.files import OWN_LIMIT, read_if_there, sha256_text, sync_files, write_atomic, write_unsynced
from mud.storage.front_matter import plain_front
from mud.storage.paths import move, remove

TIERS = ("longterm", "recent")  # Oldest first
COMMITS = frozenset({"auto_compact", "manual_compact", "rebuild"})
"""The events that name the summaries in use; the last one in the archive holds."""
EDITED = "edited"  # Method of a summary that a person edited
BETWEEN = "; "  # Separator of the parts of a sample in front matter; no part contains it
_TITLES = {"longterm": "# Long-term Memory Summary", "recent": "# Recent Memory Summary"}
_VERBATIM = "\n## The memories themselves\n"
_NUMBERED = re.compile(r"(.*-\d{8}-\d{6})(?:-(\d+))?\.md")
_RANGE = re.compile(r"\b([0-9]{1,18})-([0-9]{1,18})\b")
_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)")

Write = Callable[[Path, str], None]  # Replaces a whole file, or raises OSError and leaves it as it was


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary and how it was made."""

    tier: str  # `recent` or `longterm`
    covers: tuple[int, int]  # first and last memory
    text: str
    updated: str = ""
    strategy: str = ""  # what decided that it was due
    method: str = "extractive"  # `extractive`, `model` or `edited`
    model: str | None = None
    reason: str = ""
    depth: int = 1  # 1 when made from memories; one more for each summary of summaries
    # `source` and `summary` as estimated, `prompt` and `completion` as spent on the model
    tokens: Mapping[str, int] = field(default_factory=dict)
    compression_ratio: float | None = None  # share of the source's tokens that is gone
    # weighted share of facts kept, 0 to 1 (see `agents.compaction.judge.facts`); None without facts
    retention: float | None = None
    faithful: bool | None = True  # whether every name and number in it is in the source; None when a person wrote it
    sample: tuple[str, ...] = ()  # facts that the next summary is checked for too; none contains `BETWEEN`
    unread: tuple[Range, ...] = ()  # covered memories that could not be read

    @property
    def memory_count(self) -> int:
        return self.covers[1] - self.covers[0] + 1


class NamedSummary(NamedTuple):
    """A summary as named by a commit line. `covers`: first and last memory; `file`: its version."""

    covers: tuple[int, int]
    file: str


class CommitLine(NamedTuple):
    """A checked commit line. `number`: folds up to this one (0: unknown); `named`: at least one summary by tier."""

    line: Mapping[str, Any]
    number: int
    named: Mapping[str, NamedSummary]


def is_commit(line: Mapping[str, Any]) -> bool:
    """Return whether a line claims to be a commit; `parse_commit` checks it."""
    event = line.get("event")
    return "seq" not in line and isinstance(event, str) and event in COMMITS


def parse_commit(line: Mapping[str, Any]) -> CommitLine | None:
    """Return the checked commit line; None when it is none or malformed."""
    number = line.get("number", 0)
    if not is_commit(line) or not is_number(number) or number < 0:
        return None
    named: dict[str, NamedSummary] = {}
    for tier in TIERS:
        if (record := line.get(tier)) is None:
            continue
        covers = record.get("covers") if isinstance(record, dict) else None
        if not isinstance(covers, dict) or not isinstance(file := record.get("file"), str):
            return None
        first, last = covers.get("first"), covers.get("last")
        if not (is_number(first) and is_number(last) and 1 <= first <= last):
            return None
        named[tier] = NamedSummary((first, last), file)
    return CommitLine(line, number, named) if named else None


def unread(*summaries: Summary | None) -> list[Range]:
    """Return the covered memories that could not be read, of all these summaries."""
    return merged(one for summary in summaries if summary is not None for one in summary.unread)


def render_summary(summary: Summary, memories: Sequence[Entry] = (), owner: str = "") -> str:
    """Return a summary's file.

    `memories`: are appended word for word, for versions of a recent summary. `owner`: its folder, for the reference to
    the archive; none when empty.
    """
    front: dict[str, object] = {
        "type": "memory_summary",
        "summary_type": summary.tier,
        "covers": {"first": summary.covers[0], "last": summary.covers[1]},
        **({"reference": reference(owner, *summary.covers)} if owner else {}),
        "memory_count": summary.memory_count,
        "updated": summary.updated,
        "strategy": summary.strategy,
        "method": summary.method,
        **({"model": summary.model} if summary.model is not None else {}),
        "reason": summary.reason,
        "depth": summary.depth,
        "tokens": dict(summary.tokens),
        "compression_ratio": summary.compression_ratio,
        "retention": summary.retention,
        "faithful": summary.faithful,
        **({"retention_sample": BETWEEN.join(summary.sample)} if summary.sample else {}),
        **({"unread": ", ".join(f"{first}-{last}" for first, last in summary.unread)} if summary.unread else {}),
    }
    body = f"{_TITLES[summary.tier]}\n\n{summary.text}\n"
    if memories:
        lines = "".join(f"- {entry.seq}. {' '.join(entry.text.split())}\n" for entry in memories)
        body += f"{_VERBATIM}\n{lines}"
    return render_document(front, body)


def parse_summary(raw: str, tier: str, file: str, version: bool = False) -> Summary:
    """Parse a summary's file. `file` names it in problems; a `version` may end with the memories it covers.

    Raises VaultProblem when it cannot be parsed, or does not say what it covers.
    """
    plain = plain_front(raw)  # fast, for the thousands of unedited versions of a long life
    if plain is not None:
        (front, body), line = plain, 0
    else:
        document = parse_document(raw, file)
        front, body, line = document.front, document.body, document.lines.get("covers", 0)
    covers, given = front.get("covers"), front.get("tokens")  # people may have written anything
    tokens = given.items() if isinstance(given, Mapping) else ()
    first, last = (_count(covers.get(end)) if isinstance(covers, Mapping) else 0 for end in ("first", "last"))
    if not 0 < first <= last:
        expected = "expected the first and last memory it stands for, such as {first: 66, last: 129}"
        raise VaultProblem([Problem(file, line, "covers", f"missing or no range; {expected}")])
    if version and _VERBATIM in body:
        body = body[: body.rindex(_VERBATIM)]
    body = body.replace("\r\n", "\n").strip()
    ranges = [(int(one[1]), int(one[2])) for one in _RANGE.finditer(_text(front.get("unread")))]
    return Summary(
        tier=tier,
        covers=(first, last),
        text=(body.partition("\n")[2] if body.startswith("# ") else body).strip(),
        updated=_text(front.get("updated")),
        strategy=_text(front.get("strategy")),
        method=_text(front.get("method")) or EDITED,
        model=_text(front.get("model")) or None,
        reason=_text(front.get("reason")),
        depth=_count(front.get("depth")) or 1,
        tokens={str(key): number for key, number in tokens if isinstance(number, int)},
        compression_ratio=_share(front.get("compression_ratio")),
        retention=_share(front.get("retention")),
        faithful=faithful if isinstance(faithful := front.get("faithful", True), bool) else None,
        sample=tuple(filter(None, _text(front.get("retention_sample")).split(BETWEEN))),
        unread=tuple(merged(one for one in ranges if first <= one[0] <= one[1] <= last)),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _share(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


class SummaryFiles:
    """The summaries folder of one agent. `write` waits for the disk, `write_unsynced` does not."""

    def __init__(self, folder: Path, write: Write = write_atomic, write_unsynced: Write = write_unsynced) -> None:
        self.folder = folder
        self._write, self._write_unsynced = write, write_unsynced
        self._taken: dict[str, tuple[str, int]] = {}  # By tier: the last stem that `_free` gave out, and its number
        self.hasty = False  # Versions are not queued for `sync`; the caller syncs everything at the end
        self.unsynced: list[str] = []  # Names of the versions added since the last `sync`

    def current(self, tier: str) -> Path:
        """Return the path of the file in use."""
        return self.folder / f"{tier}.md"

    def read_current(self, tier: str) -> str | None:
        """Return the file in use; None when it is missing or blank (being edited). Raises VaultProblem."""
        raw = read_if_there(self.current(tier), file=f"summaries/{tier}.md", own=True)
        return raw if raw is not None and raw.strip() else None

    def write_current(self, summary: Summary) -> str:
        """Write the file in use; return its text."""
        raw, path = render_summary(summary, (), self.folder.parent.name), self.current(summary.tier)
        # On ext4 replacing a file waits 1 to 20 ms for the disk, so the old one is removed first. After a kill in
        # between the file is made again from its version, which readers use meanwhile.
        if not path.is_symlink():  # writing reports that
            remove(path)
        self._write_unsynced(path, raw)
        return raw

    def move_current(self, tier: str, now: str) -> str:
        """Rename a file in use that is no text to a version's name; return that name."""
        name = self._free(f"{tier}-{stamp(now)}-edited")
        move(self.current(tier), self.folder / name)
        return name

    def write_version(self, summary: Summary, memories: Sequence[Entry] = ()) -> tuple[str, str]:
        """Add a version; return its file name and the SHA-256 of its text. It is durable after `sync`."""
        raw = render_summary(summary, memories, self.folder.parent.name)
        name = self._free(f"{summary.tier}-{stamp(summary.updated)}")
        self._write_unsynced(self.folder / name, raw)
        if not self.hasty:
            self.unsynced.append(name)
        return name, sha256_text(raw)

    def sync(self) -> None:
        """Sync the added versions to disk. May run in a thread."""
        names = tuple(self.unsynced)
        sync_files([path for name in names if (path := self.folder / name).exists()])
        del self.unsynced[: len(names)]

    def keep_edited(self, tier: str, raw: str, updated: str) -> str:
        """Keep a person's text as a version; return its file name."""
        name = self._free(f"{tier}-{stamp(updated)}-edited")
        self._write(self.folder / name, raw)
        return name

    def is_kept(self, tier: str, raw: str) -> bool:
        """Return whether a version holds exactly this text. Checks only edited ones and those of the same moment."""
        try:
            updated = parse_summary(raw, tier, "").updated
        except VaultProblem:
            updated = ""
        begins = f"{tier}-{stamp(updated)}" if updated else "/"
        for name in self._names(tier):
            if "-edited" in name or name.startswith(begins):
                kept = self._read(name)
                with_memories = f"{raw.rstrip()}\n{_VERBATIM}"
                if kept is not None and (kept.strip() == raw.strip() or kept.startswith(with_memories)):
                    return True
        return False

    def version(self, tier: str, name: str) -> Summary | None:
        """Return a version by file name; None when it is missing, incomplete or cannot be parsed."""
        raw = self._read(name) if Path(name).name == name else None
        try:
            found = parse_summary(raw, tier, name, version=True) if raw is not None and is_whole(raw) else None
        except VaultProblem:
            return None
        return found if found is not None and found.text else None

    def version_names(self, tier: str) -> list[str]:
        """Return the file names of all versions except edited ones, oldest first."""
        return sorted((name for name in self._names(tier) if "-edited" not in name), key=_moment)

    def versions(self, tier: str, *, newest_first: bool = False) -> Iterator[Summary]:
        """Yield the versions that can be parsed and are not edited."""
        names = self.version_names(tier)
        found = (self.version(tier, name) for name in (reversed(names) if newest_first else names))
        return (summary for summary in found if summary is not None)

    def _read(self, name: str) -> str | None:
        try:
            return read_if_there(self.folder / name, OWN_LIMIT, own=True)
        except VaultProblem:
            return None

    def _names(self, tier: str) -> list[str]:
        try:
            names = os.listdir(self.folder)  # noqa: PTH208  (as many path objects take ten times as long)
        except OSError:
            return []
        return [name for name in names if name.startswith(f"{tier}-") and name.endswith(".md")]

    def _free(self, stem: str) -> str:
        """Return an unused file name, counting on from the last one of the same moment."""
        tier = stem.partition("-")[0]
        last, number = self._taken.get(tier, ("", 0))
        number = number if last == stem else 0
        while True:
            number += 1
            name = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
            if not os.path.lexists(f"{self.folder}/{name}"):
                self._taken[tier] = stem, number
                return name


def is_whole(raw: str) -> bool:
    """Return whether a file ends with a newline; one torn by a power cut hardly ever does."""
    return raw.endswith("\n")


def _moment(name: str) -> tuple[str, int]:
    """Return the moment in a version's file name, and the number within it."""
    found = _NUMBERED.fullmatch(name)
    return (found[1], int(found[2] or 1)) if found else (name, 0)


def stamp(updated: str) -> str:
    """Return `20261120-072137` for an ISO time; zeros for anything else."""
    found = _STAMP.match(updated)
    return "{}{}{}-{}{}{}".format(*found.groups()) if found else "00000000-000000"
