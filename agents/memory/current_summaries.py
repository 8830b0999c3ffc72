"""The two summaries in use: how a commit replaces them, an edit changes them, and a lost file is restored.

The last commit line of the archive names the summaries in use. A commit writes the versions, then that line, then the
two files; opening repairs the files when a kill came in between. A person's text is never overwritten before it is
kept as a version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from agents.memory.entries import Entry
from agents.memory.summaries import EDITED, TIERS, CommitLine, Summary, SummaryFiles, is_whole, parse_summary
from mud.errors import UnsafePath, VaultProblem
from mud.storage.paths import first_link, remove


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
        self._known: dict[str, str | None] = {}  # The files as last read or written, while they stay behind the commits

    def _hold(self, held: dict[str, _Held]) -> None:
        self._held = held
        self.watermark = _end(self.in_use)  # The last memory covered by a summary; 0 when none is

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
            messages += self.restore()
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
            return self._set_right(tier, raw, found) if self._writable else []
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
        """Restore a file with a wrong range; its text is kept unless a version holds it."""
        name = None
        if not self._files.is_kept(tier, raw):
            name = self._files.keep_edited(tier, raw, found.updated if found is not None else self._now())
        held = self._held.get(tier)
        if held is None:
            remove(self._files.current(tier))
            wrong = "there is no such summary yet"
        else:
            held.raw = self._files.write_current(held.summary)
            first, last = held.summary.covers
            wrong = f"it must say that it covers memories {first} to {last}"
        return [f"summaries/{tier}.md: {wrong}; the text is kept as {name}"] if name else []

    def restore(self) -> list[str]:
        """Write again each file that is missing, blank or outdated; return messages for the owner."""
        messages: list[str] = []
        for tier, held in self._held.items():
            try:
                missing = self._files.read_current(tier) is None
            except VaultProblem:
                missing = False
            if missing:
                held.raw = self._files.write_current(held.summary)
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

    def stay_behind(self) -> list[str]:
        """Let commits leave the files as they are until `catch_up` or the next opening; return messages."""
        messages = self.refresh()
        self._behind, self._late, self._files.hasty, self._known = True, False, True, {}
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
