"""What a summarizer is: what it is given, how it asks a model, and the two shapes that a summary may have.

A summarizer is a generator that asks for replies, if it needs any, and returns a text. It never waits and never asks by
itself, so the same summarizer runs in a fold that awaits a model and in one that must end at once. How a model is asked
stands in a style, a template in `vault/prompts/summaries/`. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

from agents.compaction.settings import PROSE
from agents.memory.entries import Entry
from mud.errors import Problem, VaultProblem
from mud.registry import hint

HEADINGS = (
    "User Goal",
    "Confirmed Facts",
    "Decisions Made",
    "Open Issues",
    "Pending Actions",
    "Important References",
)
"""The six headings of a summary in sections, in their order (seed 004)."""
ARCHIVE = re.compile(r"^memories (\d+)-(\d+): @archive \1-\2$")
"""The reference of a summary in sections to the memories that it stands for."""

_NEEDED = ("memories", "earlier", "again")
_PLACES = ("name", *_NEEDED)
"""The places that a style may have, all needed but `name`: whose memories they are."""
_PLACE = re.compile(r"\{([a-z_]+)\}")
_FRONT = re.compile(r"---\n(?:.*\n)*?---\n")
_HEADING = re.compile(
    rf"^[ \t]*(?:#+[ \t]*|\d[.)][ \t]*)?(?:\*\*)?({'|'.join(HEADINGS)})(?:\*\*)?[ \t]*:?(?:\*\*)?[ \t]*(.*)$",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[ \t]*(?:[-*•+]|\d+[.)])[ \t]+")
_NOTHING = re.compile(r"^\W*(?:none|nothing|n/?a|unknown)?\W*$", re.IGNORECASE)


class Style(NamedTuple):
    """A checked template that a model is asked with.

    One template asks for a first summary, for a summary and new memories together, and for two summaries made one: what
    is summed up already is `{earlier}`, whose paragraph is left out when there is none, and all that is new is
    `{memories}`. Other braces are plain text, and what is filled in is never searched for places.

    Args:
        file: its path inside the vault.
        paragraphs: its paragraphs; the last line of the last one is the cue.
    """

    file: str
    paragraphs: tuple[str, ...]

    @property
    def cue(self) -> str:
        """The last line, after which a model goes on."""
        return self.paragraphs[-1].rpartition("\n")[2]

    @property
    def sections(self) -> bool:
        """Whether it asks for the six headings."""
        return all(heading in "\n".join(self.paragraphs) for heading in HEADINGS)

    @property
    def stops(self) -> tuple[str, ...]:
        """Lines of its own that a model must not go on with: at one of them a reply ends."""
        lines = "\n".join(self.paragraphs).split("\n")
        headings = self.cue if self.sections else None
        return tuple(line for line in lines if len(line) > 3 and not _PLACE.search(line) and line != headings)

    def fill(self, *, name: str, memories: str, earlier: str = "", again: str = "") -> str:
        """Return the prompt, with what is asked for besides at the second try as `again`."""
        values = {"name": name, "memories": memories, "earlier": earlier, "again": again}
        told = (one for one in self.paragraphs if earlier or "{earlier}" not in one)
        return "\n\n".join(_PLACE.sub(lambda place: values[place[1]], one) for one in told)


def parse_style(text: str, file: str) -> Style:
    """Read a style; what stands below its front matter is what the model reads.

    Raises:
        VaultProblem: with every place that is unknown or missing.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    front = _FRONT.match(text)
    start = front.end() if front else 0
    found = {place[1]: text.count("\n", 0, place.start()) + 1 for place in _PLACE.finditer(text, start)}
    unknown = f"unknown place; expected one of {', '.join(_PLACES)}"
    missing = f"this place is missing; expected {', '.join(f'{{{one}}}' for one in _NEEDED)}"
    last = text.rstrip().count("\n") + 1
    strange = [(place, at) for place, at in found.items() if place not in _PLACES]
    problems = [Problem(file, at, f"{{{place}}}", unknown + hint(place, _PLACES)) for place, at in strange]
    problems += [Problem(file, last, f"{{{place}}}", missing) for place in _NEEDED if place not in found]
    paragraphs = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", text[start:]) if part.strip()]
    both = next((part for part in paragraphs if "{earlier}" in part and len(set(_PLACE.findall(part))) > 1), None)
    if both is not None:
        line = text.count("\n", 0, text.index(both)) + 1
        message = "no other place may stand in its paragraph, which is left out when there is no earlier summary"
        problems.append(Problem(file, line, "{earlier}", message))
    if problems:
        raise VaultProblem(problems)
    paragraphs[-1] = paragraphs[-1].rstrip()  # a model continues "> " far worse than ">"
    return Style(file, tuple(paragraphs))


Writing = Generator[str, str, str]
"""A summary being written: yields prompts, is sent replies, returns the text."""

Prompts = Callable[[str], Style]
"""Gives a prompt style by its name, that of a file in `vault/prompts/summaries` without its ending."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """What is to be summarized, and within which limits.

    Args:
        name: whose memories they are; the "I" of the summary.
        tier: `recent` or `longterm`.
        entries: the memories, oldest first; empty for a summary of summaries.
        earlier: the summaries that the new one takes up, oldest first.
        max_sentences, max_tokens: how long it may be; tokens are estimated.
        max_source_tokens: tokens of memories that one prompt may hold.
        begins: it holds the first memory of the life.
        again: an earlier try was rejected.
        style: how a model is asked, a file of `vault/prompts/summaries`.
        shape: `prose`, or `sections`: six headings with a line for each fact.
        findings: a summary by rules names numbers and values.
        covers: the memories that the summary will stand for, both ends included; None when that is not known.
        sample: what is asked of the earlier summaries, for the judge alone (see `agents.compaction.judge.retention`).
        when: when the memories were, as a sentence begins with it: `On Tuesday morning`; empty when that is not said.
    """

    name: str
    tier: str
    entries: tuple[Entry, ...] = ()
    earlier: tuple[str, ...] = ()
    max_sentences: int | None = None
    max_tokens: int = 600
    max_source_tokens: int = 5000
    begins: bool = False
    again: bool = False
    style: str = "base_v2"
    shape: str = PROSE
    findings: bool = True
    covers: tuple[int, int] | None = None
    sample: tuple[str, ...] = ()
    when: str = ""

    def texts(self) -> list[str]:
        """Return what is replaced: the earlier summaries, and the memories' texts."""
        return [*self.earlier, *(entry.text for entry in self.entries)]


class Summarizer(NamedTuple):
    """A way to write summaries, as a plug-in.

    Args:
        name: what `summarizer:` says; also the name of its file.
        help: one sentence for people.
        needs_model: it yields prompts; without a model another one writes.
    """

    name: str
    help: str
    write: Callable[[SummarySource, Prompts], Writing]
    needs_model: bool = False


def sections_of(text: str) -> list[tuple[str, list[str]]]:
    """Return the headings of a text as it has them, each with the lines below, without their marks.

    What stands before the first heading has the heading "".
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            found.append((heading[1], []))
            line = heading[2]
        if bare := _MARK.sub("", line).strip():
            found[-1][1].append(bare)
    return found if found[0][1] else found[1:]


def wrong_sections(text: str) -> list[str]:
    """Return what is wrong with the headings of a text."""
    found = sections_of(text)
    if [heading.casefold() for heading, _ in found] != [heading.casefold() for heading in HEADINGS]:
        return ["it has not the six headings in their order"]
    return ["it is empty"] if all(_NOTHING.match(line) for _, lines in found for line in lines) else []


def body_of(text: str) -> str:
    """Return what a text in sections says, a line each, without headings, marks and where to look further."""
    lines = (line for _, section in sections_of(text) for line in section)
    return "\n".join(line for line in lines if not (_NOTHING.match(line) or ARCHIVE.match(line)))


def tidy_sections(text: str) -> str:
    """Return a text in sections in its one written form: `Heading:`, then a line for each thing said."""
    names = {heading.casefold(): heading for heading in HEADINGS}
    written = []
    for heading, lines in sections_of(text):
        written += [f"{names[heading.casefold()]}:"] if heading else []
        written += [f"- {line}" for line in lines]
    return "\n".join(written)
