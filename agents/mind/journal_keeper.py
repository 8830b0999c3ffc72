"""Keeps an agent's journal: extracts facts before each fold and consolidates them during sleep, by rules.

The journal records through which entry it was filled. What a kill or a full disk prevented is repeated from the
archive, so a failure only causes a warning. Statements about the agent itself are not kept (persona protection).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from agents.compaction.folds import Commit
from agents.compaction.judge.facts import AMBIENT, DIRECT, OBSERVED, JudgedFact, facts_of_entry, longer, trust_of
from agents.compaction.judge.reading import JudgedTexts, keys_of
from agents.memory import journal as form
from agents.memory.entries import Entry
from agents.memory.history import last_event
from agents.memory.journal import SYNTHESIS, Journal, JournalEntry, JournalLine, superseded
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from mud.errors import LociError

TYPES = {DIRECT: form.DIRECT, OBSERVED: form.OBSERVATION, AMBIENT: form.ENVIRONMENTAL}
GATHERED = 2
CATCHES_UP = 4096
MISSED = "journal_missed"
"""Event of a fold whose facts could not be kept. Before the first kept fact, only it shows that a journal is due."""
SUMMARY_IMPORTANCE = 8
MOST_SOURCES = 4
AND, OTHERS = " and ", "others"

_SPOKEN = ("heard", "told", "said")
_KEPT = (*_SPOKEN, "saw", "did", "note", "thought")
"""Kinds of memory with facts worth keeping; what an agent looked up can be looked up again."""
_OF_MYSELF = re.compile(r"\b(?:I(?:['’]m| am| was| have been)|my name)\b", re.IGNORECASE)
_QUOTE = re.compile(r"^[^\"“«]{0,80}?[\"“«]\s*")
_PERSONAL = re.compile(r"\b(?:i|me|my|mine|we|us|our|you|your)\b", re.IGNORECASE)
_FILLING = "a an the is are was were be been it that this there here and of so well oh yes now"
_FILLERS = frozenset(_FILLING.split())

Note = Callable[[str, str], object]


class JournalKeeper:
    def __init__(self, memory: Memory, journal: Journal, owner: str) -> None:
        self.journal = journal
        self._memory, self._owner = memory, owner
        self.forget()

    def forget(self) -> None:
        self._settled: tuple[int, int] | None = None

    def keep(self, entries: Sequence[Entry]) -> None:
        """Keep the facts of memories that are about to be folded. Never raises, because the fold continues anyway."""
        if not self._guarded(lambda: self._keep(entries)) and entries:
            covers = {"first": entries[0].seq, "last": entries[-1].seq}
            self._memory.record({"event": MISSED, "at": entries[-1].at, "covers": covers})

    def folded(self, commit: Commit) -> None:
        """Keep the summary of a fold in place of earlier ones. Never raises."""
        covers = f"{self._owner}#{commit.newest.covers[0]}-{commit.newest.covers[1]}"
        entry = JournalEntry(commit.newest.text, commit.at, SYNTHESIS, 0.6, SUMMARY_IMPORTANCE, references=(covers,))
        self._guarded(lambda: self.journal.settle(superseded(self.journal.lines()), [entry]))

    def consolidate(self, notes: Notes, note: Note) -> None:
        """Merge equal entries, write those on one subject into a note, if the journal changed. Never raises."""
        self._guarded(lambda: self._consolidate(notes, note))

    def correct(self, corrected: Callable[[str], str]) -> None:
        """Rewrite the texts of the entries with a function; those that are left without text go into the history.

        Raises OSError or VaultProblem.
        """
        lines = self.journal.lines()
        texts = {line.raw: corrected(line.entry.text) for line in lines}
        self.journal.settle(
            {
                line.raw: replace(line.entry, text=text) if text.strip() else None
                for line in lines
                if (text := texts[line.raw]) != line.entry.text
            }
        )

    def _guarded(self, work: Callable[[], None]) -> bool:
        try:
            work()
        except (OSError, LociError) as error:
            self._memory.note_trouble("journal", f"the journal cannot be kept ({error}); its facts are in the archive")
            return False
        self._memory.note_trouble("journal", None)
        return True

    def _keep(self, entries: Sequence[Entry]) -> None:
        through = self._looked_through()
        new = [entry for entry in entries if entry.seq > through]
        if new:
            # The other occurrences of a name that opens a sentence show that it is a name.
            names = JudgedTexts(entry.text for entry in new).names
            kept = [one for entry in new for one in self._facts(entry, names)]
            self.journal.settle({}, kept, new[-1].seq)

    def _looked_through(self) -> int:
        return self.journal.through(self._owner, self._memory.total)

    def _facts(self, entry: Entry, known: Mapping[str, str]) -> Iterator[JournalEntry]:
        if entry.kind not in _KEPT or entry.failed:
            return
        said: dict[str, list[JudgedFact]] = defaultdict(list)
        for fact in facts_of_entry(entry, self._memory.name):
            if not fact.hearsay and fact.what not in (entry.actor, entry.place):
                said[fact.said].append(fact)
        trust = trust_of(entry, self._memory.name)
        for sentence, facts in said.items():
            kinds = {fact.kind for fact in facts}
            if self._of_myself(entry, sentence, kinds):
                continue
            bare = _bare(entry, sentence)
            yield JournalEntry(
                text=bare,
                at=entry.at,
                type=TYPES.get(trust, form.INFERENCE),
                trust=trust,
                importance=min(10, entry.importance + (1 if kinds & {"promise", "instruction"} else 0)),
                source=entry.actor or "",
                about=self._subject(bare, known) or entry.actor or entry.place or "",
                references=(f"{self._owner}#{entry.seq}",),
            )

    def _subject(self, sentence: str, known: Mapping[str, str]) -> str:
        own = {key for name in self._memory.names for key in keys_of(name)}
        return next(longer(sentence, known.keys() - own), "")

    def _of_myself(self, entry: Entry, sentence: str, kinds: set[str]) -> bool:
        return entry.actor is None and "promise" not in kinds and _OF_MYSELF.search(sentence) is not None

    def _consolidate(self, notes: Notes, note: Note) -> None:
        self._catch_up()
        if self.journal.state() == self._settled:
            return
        self.journal.settle(alike(self.journal.lines()))
        names = {name.casefold() for name in self._memory.names}
        for about, lines in gathered(self.journal.lines()).items():
            if about.casefold() in names:
                continue
            written = notes.read(about)
            told = [f"- {_told(line.entry)}" for line in lines]
            # A kill may have come between writing the note and marking the journal entries.
            if new := [line for line in told if written is None or line not in written.text]:
                note(about, "\n".join(new))
            self.journal.settle({line.raw: replace(line.entry, consolidated=True) for line in lines})
        self._settled = self.journal.state()

    def _catch_up(self) -> None:
        through = self._looked_through()
        kept = through > 0 or last_event(self._memory.archive, MISSED) is not None
        if kept and through < self._memory.watermark:
            last = min(self._memory.watermark, through + CATCHES_UP)
            self._keep(self._memory.read(through + 1, last))


def _bare(entry: Entry, sentence: str) -> str:
    bare = _QUOTE.sub("", sentence) if entry.kind in _SPOKEN else sentence
    return bare.strip(' "”»') or sentence


def _told(entry: JournalEntry) -> str:
    source = f"{entry.source}: " if entry.source and entry.source != entry.about else ""
    return f"{source}{entry.text} [{', '.join(entry.references)}]"


def alike(lines: Sequence[JournalLine]) -> dict[str, JournalEntry | None]:
    """Merge entries of the same words, apart from fillers, into the oldest; return the changes by raw line, None to
    delete.

    With personal pronouns the speaker must be the same too.
    """
    groups: dict[tuple[frozenset[str], str], list[JournalLine]] = defaultdict(list)
    for line in lines:
        words = frozenset(re.findall(r"\w+", line.entry.text.casefold())) - _FILLERS
        if words and line.entry.type != SYNTHESIS:
            speaker = line.entry.source if _PERSONAL.search(line.entry.text) else ""
            groups[words, speaker].append(line)
    changed: dict[str, JournalEntry | None] = {}
    for first, *rest in groups.values():
        if rest:
            changed |= dict.fromkeys(line.raw for line in rest)
            changed[first.raw] = _united([first.entry, *(line.entry for line in rest)])
    return changed


def _united(entries: Sequence[JournalEntry]) -> JournalEntry:
    split = [one for entry in entries for one in entry.source.split(AND) if one]
    sources = [one for one in dict.fromkeys(split) if one != OTHERS]
    if len(sources) > MOST_SOURCES or OTHERS in split:
        sources = [*sources[:MOST_SOURCES], OTHERS]
    return replace(
        entries[0],
        trust=max(entry.trust for entry in entries),
        importance=max(entry.importance for entry in entries),
        source=AND.join(sources),
        references=form.united_references(one for entry in entries for one in entry.references),
        consolidated=any(entry.consolidated for entry in entries),
    )


def gathered(lines: Sequence[JournalLine]) -> dict[str, list[JournalLine]]:
    """Return the entries not yet in a note, by subject, where there are at least `GATHERED`."""
    about: dict[str, list[JournalLine]] = defaultdict(list)
    for line in lines:
        if line.entry.about and not line.entry.consolidated and line.entry.type != SYNTHESIS:
            about[line.entry.about].append(line)
    return {name: found for name, found in about.items() if len(found) >= GATHERED}
