"""Summaries as values, the commit lines that name them, and their files: the two in use, and every version ever made.

The last commit line of the archive names the summaries in use. A commit writes the versions, then that line, then the
two files (`recent.md`, `longterm.md`); opening repairs the files when a kill came in between. People may edit the files
in use; a person's text is never overwritten before it is kept as a version. Versions are only added.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.entries import Entry, Range, is_number, merged, reference
from mud.errors import Problem, UnsafePath, VaultProblem
from mud.storage.documents import parse_document, render_document
from mud.storage.files import OWN_LIMIT, read_if_there, sha256_text, sync_files, write_atomic, write_unsynced
from mud.storage.front_matter import plain_front
from mud.storage.paths import first_link, move, remove

TIERS = ("longterm", "recent")  # oldest first
COMMITS = frozenset({"auto_compact", "manual_compact", "rebuild"})
"""The events that name the summaries in use; the last one in the archive holds."""
EDITED = "edited"  # method of a summary that a person edited
BETWEEN = "; "  # separator of the parts of a sample in front matter; no part contains it
_TITLES = {"longterm": "# Long-term Memory Summary", "recent": "# Recent Memory Summary"}
_VERBATIM = "\n## The memories themselves\n"
_NUMBERED = re.compile(r"(.*-\d{8}-\d{6})(?:-(\d+))?\.md")
_RANGE = re.compile(r"\b([0-9]{1,18})-([0-9]{1,18})\b")
_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)")

Write = Callable[[Path, str], None]  # replaces a whole file, or raises OSError and leaves it as it was


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
    corrections: int = 0  # number of the last correction that its text has; see `agents.memory.corrections`

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
        **({"corrections": summary.corrections} if summary.corrections else {}),
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
        corrections=_count(front.get("corrections")),
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
        self._taken: dict[str, tuple[str, int]] = {}  # by tier: the last stem that `_free` gave out, and its number
        self.hasty = False  # versions are not queued for `sync`; the caller syncs everything at the end
        self.unsynced: list[str] = []  # names of the versions added since the last `sync`

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


@dataclass(slots=True)
class _Held:
    """A summary in use. `committed`: without edits; `raw`: the file as last seen, None when it must be read."""

    summary: Summary
    committed: Summary
    raw: str | None = None


class CurrentSummaries:
    """The long-term and the recent summary of one agent. `now` returns the time as text."""

    def __init__(self, files: SummaryFiles, now: Callable[[], str]) -> None:
        self._files, self._now = files, now
        self._writable = False
        self._hold({})
        self._behind = self._late = False
        self._commit: Mapping[str, Any] = {}
        """The commit line in force; empty when the summaries were found without one."""
        self._known: dict[str, str | None] = {}  # the files as last read or written, while they stay behind the commits

    def _hold(self, held: dict[str, _Held]) -> None:
        self._held = held
        self.watermark = _end(self.in_use)  # the last memory covered by a summary; 0 when none is

    @property
    def in_use(self) -> dict[str, Summary]:
        """The summaries by tier."""
        return {tier: held.summary for tier, held in self._held.items()}

    def open(self, commit: CommitLine | None, total: int, writable: bool) -> list[str]:
        """Load the summaries that the last commit line names, and repair the files; return messages for the owner.

        `commit`: None when nothing was folded yet. `total`: memories in the archive; no summary may reach beyond.
        `writable`: a reader changes nothing, and reads what a writer would restore.
        """
        self._writable = writable
        messages: list[str] = []
        if commit is None and not os.path.lexists(self._files.folder):  # a young life
            self._commit = {}
            self._hold({})
            return messages
        reach = self._reach(total)
        if reach > total:
            messages.append(
                f"archive: the summaries reach to memory {reach}, the archive to {total}; a part of it is gone"
            )
        found = self._committed(commit, total) if commit else {}
        self._commit = commit.line if commit and found is not None else {}
        if found is None:
            found = self._older(total)
            messages.append(
                f"summaries: what the last fold wrote is gone; older summaries reach to memory {_end(found)}, "
                "the rest is shown word for word until it is folded again"
            )
        self._hold({tier: _Held(summary, summary) for tier, summary in found.items()})
        for tier in TIERS:
            messages += self.examine(tier, opening=True)
        if writable:
            messages += self.restore(opening=True)
        return messages

    def _reach(self, total: int) -> int:
        """Return how far the summaries on disk reach; a file in use that claims more than `total` is not trusted."""
        recent = self._read("recent")
        if recent is not None and recent.covers[1] <= total:
            return recent.covers[1]
        longterm = self._read("longterm")  # the only one, with some strategies
        if longterm is None or longterm.covers[1] > total:
            longterm = self._newest("longterm")
        found = {"recent": self._newest("recent"), "longterm": longterm}
        return _end({tier: summary for tier, summary in found.items() if summary is not None})

    def _newest(self, tier: str) -> Summary | None:
        return next(self._files.versions(tier, newest_first=True), None)

    def _committed(self, commit: CommitLine, total: int) -> dict[str, Summary] | None:
        """Return the summaries that a commit names; None when they are missing or do not tile."""
        found: dict[str, Summary] = {}
        for tier, named in commit.named.items():
            for candidate in (self._files.version(tier, named.file), self._read(tier)):
                if candidate is not None and candidate.covers == named.covers and candidate.text:
                    found[tier] = candidate
                    break
            else:
                return None
        covered = sorted(summary.covers for summary in found.values())
        tiled = all(first == end + 1 for (_, end), (first, _) in pairwise([(0, 0), *covered]))
        return found if tiled and _end(found) <= total else None

    def _read(self, tier: str) -> Summary | None:
        try:
            raw = self._files.read_current(tier)
            return parse_summary(raw, tier, f"summaries/{tier}.md") if raw is not None and is_whole(raw) else None
        except VaultProblem:
            return None

    def _older(self, total: int) -> dict[str, Summary]:
        """Return the summaries that reach furthest and tile; used when the committed ones are lost."""
        pools: dict[str, list[Summary]] = {}
        for tier in TIERS:
            used = self._read(tier)
            pools[tier] = [*self._files.versions(tier), *([used] if used is not None and used.text else [])]
        longs = {summary.covers: summary for summary in pools["longterm"]}
        alone = max((last for first, last in longs if first == 1 and last <= total), default=0)
        for recent in sorted(pools["recent"], key=lambda summary: summary.covers[1], reverse=True):
            first, last = recent.covers
            if last < alone:
                break
            if last <= total and first == 1:
                return {"recent": recent}
            if last <= total and (1, first - 1) in longs:
                return {"longterm": longs[1, first - 1], "recent": recent}
        return {"longterm": longs[1, alone]} if alone else {}

    def refresh(self) -> list[str]:
        """Read both files and take up edits; return messages for the owner.

        Between `stay_behind` and `catch_up` nothing is taken up; `catch_up` keeps edits made meanwhile.
        """
        return [] if self._behind else [message for tier in TIERS for message in self.examine(tier)]

    def examine(self, tier: str, *, opening: bool = False) -> list[str]:
        """Read one file in use and take up edits; return messages for the owner."""
        held, file = self._held.get(tier), f"summaries/{tier}.md"
        try:
            raw = self._files.read_current(tier)
        except VaultProblem as error:
            return self._set_aside(tier, error)
        if raw is None or (held is not None and raw == held.raw):
            return []
        try:
            found = parse_summary(raw, tier, file)
        except VaultProblem:
            found = None
        if held is None or found is None or found.covers != held.summary.covers:
            return self._set_right(tier, raw, found)
        if opening and not is_whole(raw) and held.committed.text.startswith(found.text):
            return self._mend(held, raw) if self._writable else []
        held.raw = raw if found.text else held.raw  # a blank text is an edit in progress
        if found.text in ("", held.summary.text):
            return []
        held.summary = held.committed
        if found.text != held.committed.text:  # the measures of the old text do not hold
            held.summary = replace(
                held.committed, text=found.text, method=EDITED, model=None, retention=None, faithful=None
            )
        return [] if opening else [f"{file} was edited; its text is used from now on"]

    def _set_aside(self, tier: str, error: VaultProblem) -> list[str]:
        """Rename a file that is no text, and restore the summary."""
        if isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, UnsafePath):
            return [f"{error}; what was folded holds"]  # a failing disk must not move a person's text
        if not self._writable or first_link(self._files.current(tier)) is not None:  # links are reported elsewhere
            return []
        name = self._files.move_current(tier, self._now())
        if (held := self._held.get(tier)) is not None:
            held.raw = self._files.write_current(held.summary)
        return [f"summaries/{tier}.md: it cannot be read as text; it is kept as {name}"]

    def _mend(self, held: _Held, raw: str) -> list[str]:
        """Restore a file torn by a power cut; its text is kept too, as a person may have cut it."""
        tier = held.summary.tier
        name = self._files.keep_edited(tier, raw, held.committed.updated)
        held.raw = self._files.write_current(held.summary)
        return [f"summaries/{tier}.md: it broke off, and is restored; what stood there is kept as {name}"]

    def _set_right(self, tier: str, raw: str, found: Summary | None) -> list[str]:
        """Restore a file with a wrong range; its text is kept unless a version holds it. A reader only says so."""
        name, held, file = "", self._held.get(tier), f"summaries/{tier}.md"
        wrong = "there is no such summary yet"
        if held is not None:
            wrong = "it must say that it covers memories {} to {}".format(*held.summary.covers)
        if not self._writable:
            return [] if self._files.is_kept(tier, raw) else [f"{file}: {wrong}"]
        if not self._files.is_kept(tier, raw):
            name = self._files.keep_edited(tier, raw, found.updated if found is not None else self._now())
        if held is None:
            remove(self._files.current(tier))
        else:
            held.raw = self._files.write_current(held.summary)
        return [f"{file}: {wrong}; the text is kept as {name}"] if name else []

    def restore(self, *, opening: bool = False) -> list[str]:
        """Write again each file that is missing, blank or outdated; return messages for the owner."""
        messages: list[str] = []
        for tier, held in self._held.items():
            try:
                missing = self._files.read_current(tier) is None
            except VaultProblem:
                missing = False
            if missing:
                rolled_forward = opening and not self._files.current(tier).exists()  # a fold that a kill cut short
                held.raw = self._files.write_current(held.summary)
                if rolled_forward:
                    continue
                messages.append(f"summaries/{tier}.md was gone and is written again")
            else:
                messages += self.examine(tier)
        return messages

    def commit(
        self,
        longterm: Summary | None,
        recent: Summary | None,
        memories: Sequence[Entry],
        event: Mapping[str, Any],
        seal: Callable[[dict[str, Any]], None],
    ) -> list[str]:
        """Put new summaries in use; return messages about files that will be written later.

        `longterm`, `recent`: without a new long-term summary the old one stays, with its edits, if `recent` begins
        after it. `memories`: the entries that `recent` covers, for its version. `event`: the commit line without its
        `longterm` and `recent`. `seal`: writes the line, which puts the summaries in use; raises OSError when it fails.
        Raises OSError when a version or the line cannot be written; then nothing has changed.
        """
        new = {summary.tier: summary for summary in (longterm, recent) if summary is not None}
        old = self._held.get("longterm")
        stays: dict[str, _Held] = {}
        if longterm is None and recent and old is not None and old.summary.covers[1] + 1 == recent.covers[0]:
            stays = {"longterm": old}
        for tier, held in self._held.items():  # edited texts are kept as versions before they are replaced
            edited = tier not in stays and held.summary.text != held.committed.text
            if edited and held.raw is not None and not self._files.is_kept(tier, held.raw):
                self._files.keep_edited(tier, held.raw, held.committed.updated)
        line = {**event, "longterm": self._commit.get("longterm") if stays else None, "recent": None}
        again = {tier: held.committed for tier, held in stays.items() if not line[tier]}
        written: list[str] = []
        try:
            for tier, summary in {**again, **new}.items():
                name, digest = self._files.write_version(summary, memories if tier == "recent" else ())
                written.append(name)
                first, last = summary.covers
                line[tier] = {"covers": {"first": first, "last": last}, "file": name, "sha256": digest}
        except OSError:
            for name in written:
                remove(self._files.folder / name)
            raise
        seal(line)
        self._commit = line
        raws = {tier: held.raw for tier, held in self._held.items()}
        if self._behind:
            self._late, self._known = True, {**self._known, **raws}
            self._hold(stays | {tier: _Held(one, one, self._known.get(tier)) for tier, one in new.items()})
            return []
        self._hold(stays | {tier: _Held(one, one) for tier, one in new.items()})
        return [message for tier in TIERS if tier not in stays for message in self._install(tier, raws.get(tier))]

    @property
    def behind(self) -> bool:
        """Whether commits leave the files as they are."""
        return self._behind

    def stay_behind(self, *, hasty: bool = True) -> list[str]:
        """Let commits leave the files as they are until `catch_up` or the next opening; return messages.

        With `hasty` the caller syncs everything at the end.
        """
        messages = self.refresh()
        self._behind, self._late, self._files.hasty, self._known = True, False, hasty, {}
        return messages

    def catch_up(self) -> list[str]:
        """Bring the files in use up to the last commit; return messages for the owner."""
        self._behind = self._files.hasty = False
        known = {**self._known, **{tier: held.raw for tier, held in self._held.items()}}
        return [message for tier in TIERS if self._late for message in self._install(tier, known.get(tier))]

    def _install(self, tier: str, known: str | None) -> list[str]:
        """Write a file in use after a commit. An edit saved since the last look is kept first."""
        held = self._held.get(tier)
        try:
            raw = self._files.read_current(tier)
            if raw is not None and raw != known:
                return self.examine(tier)
            if held is not None:
                held.raw = self._files.write_current(held.summary)
            elif raw is not None:
                remove(self._files.current(tier))
        except (OSError, VaultProblem) as error:
            return [f"summaries/{tier}.md cannot be written ({error}); it is tried again"]
        return []


def _end(found: Mapping[str, Summary]) -> int:
    return max((summary.covers[1] for summary in found.values()), default=0)
