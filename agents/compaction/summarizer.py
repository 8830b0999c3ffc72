"""The interface of summarizers, prompt styles, and summaries in sections.

A summarizer is a generator that yields prompts, is sent replies, and returns a text, so that the same code runs with
and without a model.
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

HEADINGS = ("User Goal", "Confirmed Facts", "Decisions Made", "Open Issues", "Pending Actions", "Important References")
ARCHIVE = re.compile(r"^memories (\d+)-(\d+): @archive \1-\2$")

_NEEDED = ("memories", "earlier", "again")
_PLACES = ("name", *_NEEDED)
_PLACE = re.compile(r"\{([a-z_]+)\}")
_FRONT = re.compile(r"---\n(?:.*\n)*?---\n")
_HEADING = re.compile(
    rf"^[ \t]*(?:#+[ \t]*|\d[.)][ \t]*)?(?:\*\*)?({'|'.join(HEADINGS)})(?:\*\*)?[ \t]*:?(?:\*\*)?[ \t]*(.*)$",
    re.IGNORECASE,
)
_MARK = re.compile(r"^[ \t]*(?:[-*•+]|\d+[.)])[ \t]+")
_NOTHING = re.compile(r"^\W*(?:none|nothing|n/?a|unknown)?\W*$", re.IGNORECASE)


class Style(NamedTuple):
    """A checked prompt template, whose last line is the cue.

    The paragraph with `{earlier}` is left out if there is no earlier summary. Other braces are plain text.
    """

    file: str
    paragraphs: tuple[str, ...]

    @property
    def cue(self) -> str:
        return self.paragraphs[-1].rpartition("\n")[2]

    @property
    def sections(self) -> bool:
        return all(heading in "\n".join(self.paragraphs) for heading in HEADINGS)

    @property
    def stops(self) -> tuple[str, ...]:
        """Lines of the template that end a reply if the model repeats them."""
        lines = "\n".join(self.paragraphs).split("\n")
        headings = self.cue if self.sections else None
        return tuple(line for line in lines if len(line) > 3 and not _PLACE.search(line) and line != headings)

    def fill(self, *, name: str, memories: str, earlier: str = "", again: str = "") -> str:
        """Return the prompt; `again` is the extra instruction of the second try."""
        values = {"name": name, "memories": memories, "earlier": earlier, "again": again}
        told = (one for one in self.paragraphs if earlier or "{earlier}" not in one)
        return "\n\n".join(_PLACE.sub(lambda place: values[place[1]], one) for one in told)


def parse_style(text: str, file: str) -> Style:
    """Parse a template; VaultProblem lists every unknown or missing placeholder."""
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

Prompts = Callable[[str], Style]
"""Returns a prompt style by its name, that of a file in `vault/prompts/summaries` without the suffix."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """The input of a summary, and its limits."""

    name: str  # the agent, the "I" of the summary
    tier: str
    entries: tuple[Entry, ...] = ()  # the memories, oldest first; empty for a summary of summaries
    earlier: tuple[str, ...] = ()  # the summaries to absorb, oldest first
    max_sentences: int | None = None  # max_sentences and max_tokens: limits of the summary; tokens are estimated
    max_tokens: int = 600
    max_source_tokens: int = 5000  # limit of the memories in one prompt
    begins: bool = False  # it includes the first memory of the life
    again: bool = False  # an earlier try was rejected
    style: str = "base_v2"
    shape: str = PROSE
    findings: bool = True  # a summary by rules lists names, numbers and values
    covers: tuple[int, int] | None = None
    sample: tuple[str, ...] = ()  # facts of the earlier summaries (see `agents.compaction.judge.facts`)
    when: str = ""  # the time of the memories as the start of a sentence, `On Tuesday morning`; may be empty
    period_tokens: int = 0  # limit of a period, where the summary consists of them (see `agents.compaction.periods`)

    def texts(self) -> list[str]:
        return [*self.earlier, *(entry.text for entry in self.entries)]


class Summarizer(NamedTuple):
    """A plug-in that writes summaries; its name is that of its file."""

    name: str
    help: str
    write: Callable[[SummarySource, Prompts], Writing]
    needs_model: bool = False


def sections_of(text: str) -> list[tuple[str, list[str]]]:
    """Return the headings of a text with the lines below each; "" for text before the first."""
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
    found = sections_of(text)
    if [heading.casefold() for heading, _ in found] != [heading.casefold() for heading in HEADINGS]:
        return ["it has not the six headings in their order"]
    return ["it is empty"] if all(_NOTHING.match(line) for _, lines in found for line in lines) else []


def body_of(text: str) -> str:
    """Return the lines of a text in sections, without headings, list marks and the archive reference."""
    lines = (line for _, section in sections_of(text) for line in section)
    return "\n".join(line for line in lines if not (_NOTHING.match(line) or ARCHIVE.match(line)))


def tidy_sections(text: str) -> str:
    """Return a text in sections in canonical form: `Heading:`, then one line per fact."""
    names = {heading.casefold(): heading for heading in HEADINGS}
    written = []
    for heading, lines in sections_of(text):
        written += [f"{names[heading.casefold()]}:"] if heading else []
        written += [f"- {line}" for line in lines]
    return "\n".join(written)
