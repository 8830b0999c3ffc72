"""The template of a prompt: paragraphs with `{places}`, read from a file of `vault/prompts/` and checked.

A paragraph whose places are all empty is left out, and so is a line; those that name the agent stay. `{exits|none}`
says what stands there when there is nothing. The last line is the cue, after which the model goes on. Other braces are
plain text, and what is filled in is never searched for places. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.registry import hint
from mud.sanitize import sanitize

SECTIONS = {
    "profile": "identity",
    "commands": "commands",
    "longterm": "longterm",
    "recent": "recent",
    "transcript": "transcript",
    "notes": "notes",
    "experiences": "experiences",
    "hints": "hints",
    "location": "situation",
    "description": "situation",
    "exits": "situation",
    "people": "situation",
    "items": "situation",
    "carried": "situation",
    "now": "situation",
}
"""Every place but `name`, and the section that a paragraph with it belongs to."""

PLACES = ("name", *SECTIONS)
"""Every place; a template holds each at least once, but for the optional ones."""

OPTIONAL = ("carried", "now")
"""Places that came later: a template that people wrote before does without."""

TEMPLATES = {"stable": "think.md", "classic": "think_classic.md"}
"""File in `vault/prompts` for each `prompt_order`."""

PLACE = re.compile(r"\{([a-z_]+)(?:\|([^{}\n]*))?\}")
"""A place: its name, and what stands there when there is nothing."""
_FRONT = re.compile(r"---\n(?:.*\n)*?---\n")


class _Paragraph(NamedTuple):
    """Some lines of a template.

    Args:
        section: the name of what it holds.
        lines: its words.
        glue: what stands between it and what comes before.
    """

    section: str
    lines: tuple[str, ...]
    glue: str = "\n\n"


class Template(NamedTuple):
    """A checked template.

    Args:
        file: its path inside the vault.
        paragraphs: its paragraphs in order; the last is the cue.
    """

    file: str
    paragraphs: tuple[_Paragraph, ...]

    def render(self, values: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return section and text of each paragraph that has something to say.

        Args:
            values: what stands in each of `PLACES`.
        """
        found = ((one.section, _filled(one.lines, values)) for one in self.paragraphs)
        return [(section, text) for section, text in found if text]

    def join(self, rendered: Sequence[tuple[str, str]]) -> str:
        """Return the whole text of what `render` gave."""
        body = "\n\n".join(text for _, text in rendered[:-1])
        return body + (self.paragraphs[-1].glue if body else "") + rendered[-1][1]


def parse_template(text: str, file: str) -> Template:
    """Read a template.

    Args:
        text: the whole file; front matter is left aside.
        file: what problems call it, its path inside the vault.

    Raises:
        VaultProblem: a place that is unknown or missing, each with its line, or a last line that is no cue.
    """
    body, first, problems = body_of(text, file, PLACES)
    held = {found[1] for found in PLACE.finditer(body)}
    problems += [
        Problem(file, 0, f"{{{place}}}", "this place is missing; expected every place at least once")
        for place in PLACES
        if place not in (*held, *OPTIONAL)
    ]
    paragraphs = [chunk.strip("\n").split("\n") for chunk in re.split(r"\n\s*\n", body) if chunk.strip()]
    cue = paragraphs[-1][-1] if paragraphs else ""
    if {found[1] for found in PLACE.finditer(cue)} != {"name"}:
        last = first + body.rstrip().count("\n")
        problems.append(
            Problem(file, last, "", "the last line is the cue; expected one with {name} alone, as ~{name}>")
        )
    if problems:
        raise VaultProblem(problems)
    return Template(file, _paragraphs(paragraphs))


def _paragraphs(found: list[list[str]]) -> tuple[_Paragraph, ...]:
    """Name each paragraph, and set the cue apart from the one it stands in."""
    *others, last = found
    above, cue = last[:-1], last[-1]
    if above:
        others.append(above)
    named = [_Paragraph(_section(lines), tuple(lines)) for lines in others]
    return (*named, _Paragraph("cue", (cue,), "\n" if above else "\n\n"))


def _section(lines: Sequence[str]) -> str:
    """Return the section of the first place that has one; `words` for a paragraph without."""
    places = (found[1] for line in lines for found in PLACE.finditer(line))
    return next((SECTIONS[place] for place in places if place in SECTIONS), "words")


def body_of(text: str, file: str, places: Sequence[str]) -> tuple[str, int, list[Problem]]:
    """Return a prompt's words without its front matter, the number of their first line, and what is wrong with them.

    Args:
        text: the whole file.
        file: what problems call it.
        places: every place that there is; another one is a problem.
    """
    text = sanitize(text)
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text
    first = 1 + text[: front.end()].count("\n") if front else 1
    problems = [
        Problem(file, number, f"{{{found[1]}}}", _unknown(found[1], places))
        for number, line in enumerate(body.split("\n"), first)
        for found in PLACE.finditer(line)
        if found[1] not in places
    ]
    return body, first, problems


def _unknown(place: str, places: Sequence[str]) -> str:
    return f"unknown place; expected one of {', '.join(places)}{hint(place, places)}"


def _filled(lines: Sequence[str], values: Mapping[str, str]) -> str:
    """Return the lines with their places filled, without those that have nothing to say; empty when none has."""
    if not _speaks("\n".join(lines), values):
        return ""
    spoken = (line for line in lines if _speaks(line, values))
    return "\n".join(PLACE.sub(lambda found: values[found[1]] or found[2] or "", line).rstrip() for line in spoken)


def _speaks(words: str, values: Mapping[str, str]) -> bool:
    """Whether words have no place at all, or name the agent, or have a place with something in it."""
    found = list(PLACE.finditer(words))
    return not found or any(one[1] == "name" or values[one[1]] or one[2] for one in found)
