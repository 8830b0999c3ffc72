"""The two summaries in use: how a commit replaces them, an edit changes them, and a lost file is restored.

The last commit line of the archive names the summaries in use. A commit writes the versions, then that line, then the
two files; opening repairs the files when a kill came in between. A person's text is never overwritten before it is
kept as a version.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.memory.entries import Entry
from agents.memory.lines import CommitLine
from agents.memory.summaries import TIERS, Summary, SummaryFiles, edited, is_whole, parse_summary
from mud.errors import UnsafePath, VaultProblem


@dataclass(slots=True)
class _Held:
    """A summary in use. `committed`: without edits; `raw`: the file as last seen, None when it must be read."""

    summary: Summary
    committed: Summary
    raw: str | None = None


Seal = Callable[[dict[str, Any]], None]
"""Writes the commit line, which puts the new summaries in use. Raises OSError when it fails."""


class CurrentSummaries:
    """The long-term and the recent summary of one agent. `now` returns the time as text."""

    def __init__(self, files: SummaryFiles, now: Callable[[], str]) -> None:
        self._files = files
        self._now = now
        self._hold({})
        self._writable = False
        self._behind = self._late = False
        self._sealed: Mapping[str, Any] = {}
        """The commit line in force; empty when the summaries were found without one."""
        self._known: dict[str, str | None] = {}
        """The files as last read or written, while they stay behind the commits."""

    @property
    def longterm(self) -> Summary | None:
        return self._held["longterm"].summary if "longterm" in self._held else None

    @property
    def recent(self) -> Summary | None:
        return self._held["recent"].summary if "recent" in self._held else None

    @property
    def watermark(self) -> int:
        """The last memory covered by a summary; 0 when none is."""
        return self._watermark

    def _hold(self, held: dict[str, _Held]) -> None:
        self._held = held
        self._watermark = max((one.summary.covers[1] for one in held.values()), default=0)

    def open(self, commit: CommitLine | None, total: int, writable: bool) -> list[str]:
        """Load the summaries that the last commit line names, and repair the files; return messages for the owner.

        Args:
            commit: None when nothing was folded yet.
            total: memories in the archive; no summary may reach beyond.
            writable: a reader changes nothing, and reads what a writer would restore.
        """
        self._writable = writable
        messages: list[str] = []
        reach = self._reach(total)
        if reach > total:
            messages.append(
                f"archive: the summaries reach to memory {reach}, the archive to {total}; a part of it is gone"
            )
        found = self._committed(commit, total) if commit else {}
        if found is None:
            found = self._older(total)
            end = max((summary.covers[1] for summary in found.values()), default=0)
            messages.append(
                f"summaries: what the last fold wrote is gone; older summaries reach to memory {end}, "
                "the rest is shown word for word until it is folded again"
            )
        else:
            self._sealed = commit.line if commit else {}
        self._hold({tier: _Held(summary, summary) for tier, summary in found.items()})
        for tier in TIERS:
            messages += self._examine(tier, opening=True)
        if writable:
            messages += self.restore()
        return messages

    def _reach(self, total: int) -> int:
        """Return how far the summaries on disk reach; a file in use that claims more than `total` is not trusted."""
        recent = self._in_use("recent")
        if recent is not None and recent.covers[1] <= total:
            return recent.covers[1]
        longterm = self._in_use("longterm")  # the only one, with some strategies
        if longterm is None or longterm.covers[1] > total:
            longterm = self._files.newest("longterm")
        found = (self._files.newest("recent"), longterm)
        return max((summary.covers[1] for summary in found if summary is not None), default=0)

    def _committed(self, commit: CommitLine, total: int) -> dict[str, Summary] | None:
        """Return the summaries that a commit names; None when they are missing or do not tile."""
        found: dict[str, Summary] = {}
        for tier, named in commit.named.items():
            for candidate in (self._files.version(tier, named.file), self._in_use(tier)):
                if candidate is not None and candidate.covers == named.covers and candidate.text:
                    found[tier] = candidate
                    break
            else:
                return None
        return found if _tile(found) and _end(found) <= total else None

    def _in_use(self, tier: str) -> Summary | None:
        try:
            raw = self._files.read_current(tier)
            return parse_summary(raw, tier, f"summaries/{tier}.md") if raw is not None and is_whole(raw) else None
        except VaultProblem:
            return None

    def _older(self, total: int) -> dict[str, Summary]:
        """Return the summaries that reach furthest and tile; used when the committed ones are lost."""
        pools: dict[str, list[Summary]] = {}
        for tier in TIERS:
            used = self._in_use(tier)
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
        return [] if self._behind else [message for tier in TIERS for message in self._examine(tier)]

    def examine(self, tier: str) -> list[str]:
        """Read one file in use and take up edits; return messages for the owner."""
        return self._examine(tier)

    def _examine(self, tier: str, opening: bool = False) -> list[str]:
        held = self._held.get(tier)
        try:
            raw = self._files.read_current(tier)
        except VaultProblem as error:
            if isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, UnsafePath):
                return [f"{error}; what was folded holds"]  # a failing disk must not move a person's text
            if self._files.leads_elsewhere(tier):  # links are reported elsewhere
                return []
            return self._set_aside(tier) if self._writable else []
        if raw is None or (held is not None and raw == held.raw):
            return []
        try:
            found = parse_summary(raw, tier, f"summaries/{tier}.md")
        except VaultProblem:
            found = None
        if held is not None and found is not None and found.covers == held.summary.covers:
            if opening and not is_whole(raw) and held.committed.text.startswith(found.text):
                return self._mend(held, raw) if self._writable else []
            return self._take(held, found, raw, opening)
        return self._set_right(tier, raw, found) if self._writable else []

    def _take(self, held: _Held, found: Summary, raw: str, opening: bool) -> list[str]:
        """Use the text of a file with the right range. A blank text is an edit in progress."""
        if not found.text:
            return []
        held.raw = raw
        if found.text == held.summary.text:
            return []
        ours = found.text == held.committed.text
        held.summary = held.committed if ours else edited(held.committed, found.text)
        return [] if opening else [f"summaries/{found.tier}.md was edited; its text is used from now on"]

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
            self._files.remove_current(tier)
            wrong = "there is no such summary yet"
        else:
            held.raw = self._files.write_current(held.summary)
            first, last = held.summary.covers
            wrong = f"it must say that it covers memories {first} to {last}"
        return [f"summaries/{tier}.md: {wrong}; the text is kept as {name}"] if name else []

    def _set_aside(self, tier: str) -> list[str]:
        """Rename a file that is no text, and restore the summary."""
        name = self._files.move_current(tier, self._now())
        held = self._held.get(tier)
        if held is not None:
            held.raw = self._files.write_current(held.summary)
        return [f"summaries/{tier}.md: it cannot be read as text; it is kept as {name}"]

    def restore(self) -> list[str]:
        """Write again each file that is missing, blank or outdated; return messages for the owner."""
        messages: list[str] = []
        for tier, held in self._held.items():
            if self._missing(tier):
                held.raw = self._files.write_current(held.summary)
            else:
                messages += self._examine(tier)
        return messages

    def _missing(self, tier: str) -> bool:
        try:
            return self._files.read_current(tier) is None
        except VaultProblem:
            return False

    def commit(
        self,
        longterm: Summary | None,
        recent: Summary | None,
        memories: Sequence[Entry],
        event: Mapping[str, Any],
        seal: Seal,
    ) -> list[str]:
        """Put new summaries in use; return messages about files that will be written later.

        Args:
            longterm, recent: without a new long-term summary the old one stays, with its edits, if `recent` begins
                after it.
            memories: the entries that `recent` covers, for its version.
            event: the commit line without its `longterm` and `recent`.
            seal: writes the line.

        Raises:
            OSError: when a version or the line cannot be written; then nothing has changed.
        """
        new = {summary.tier: summary for summary in (longterm, recent) if summary is not None}
        stays = self._staying(longterm, recent)
        self._keep_edits(stays)
        written: dict[str, str] = {}
        line = {**event, "longterm": self._sealed.get("longterm") if stays else None, "recent": None}
        again = {tier: held.committed for tier, held in stays.items() if not line[tier]}
        try:
            for tier, summary in {**again, **new}.items():
                name, digest = self._files.write_version(summary, memories if tier == "recent" else ())
                written[tier] = name
                line[tier] = {"covers": _range(summary.covers), "file": name, "sha256": digest}
        except OSError:
            for name in written.values():
                self._files.remove_version(name)
            raise
        seal(line)
        self._sealed = line
        raws = {tier: held.raw for tier, held in self._held.items()}
        if self._behind:
            self._late, self._known = True, {**self._known, **raws}
            made = {tier: _Held(summary, summary, self._known.get(tier)) for tier, summary in new.items()}
            self._hold({**stays, **made})
            return []
        self._hold({**stays, **{tier: _Held(summary, summary) for tier, summary in new.items()}})
        return [message for tier in TIERS if tier not in stays for message in self._install(tier, raws.get(tier))]

    def _staying(self, longterm: Summary | None, recent: Summary | None) -> dict[str, _Held]:
        """Return the long-term summary if a commit leaves it as it is."""
        held = self._held.get("longterm")
        if longterm is not None or recent is None or held is None or held.summary.covers[1] + 1 != recent.covers[0]:
            return {}
        return {"longterm": held}

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

    def _keep_edits(self, stays: Container[str]) -> None:
        """Keep edited texts as versions before they are replaced; the tiers in `stays` are not."""
        for tier, held in self._held.items():
            if tier in stays or held.summary.text == held.committed.text:
                continue
            raw = held.raw if held.raw is not None else self._files.render(held.summary)
            if not self._files.is_kept(tier, raw):
                self._files.keep_edited(tier, raw, held.committed.updated)

    def _install(self, tier: str, known: str | None) -> list[str]:
        """Write a file in use after a commit. An edit saved since the last look is kept first."""
        held = self._held.get(tier)
        try:
            raw = self._files.read_current(tier)
            if raw is not None and raw != known:
                return self._examine(tier)
            if held is not None:
                held.raw = self._files.write_current(held.summary)
            elif raw is not None:
                self._files.remove_current(tier)
        except (OSError, VaultProblem) as error:
            return [f"summaries/{tier}.md cannot be written ({error}); it is tried again"]
        return []


def _range(covers: tuple[int, int]) -> dict[str, int]:
    return {"first": covers[0], "last": covers[1]}


def _end(found: Mapping[str, Summary]) -> int:
    return max((summary.covers[1] for summary in found.values()), default=0)


def _tile(found: Mapping[str, Summary]) -> bool:
    """Return whether summaries cover 1 to their end without gap or overlap."""
    ranges = sorted(summary.covers for summary in found.values())
    starts = [1, *(last + 1 for _, last in ranges)]
    return all(start == first for start, (first, _) in zip(starts, ranges, strict=False))
