"""The template of a prompt: paragraphs with `{places}`, read from a file of `vault/prompts/` and checked.

A paragraph or line whose places are all empty is left out, unless it names the agent; `{exits|none}` gives the text for
an empty place. The last line is the cue that the model continues. Values are never searched for places.
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
"""Every place but `name`, and the section of a paragraph with it."""

PLACES = ("name", *SECTIONS)

OPTIONAL = ("carried", "now")
"""Places added later, which older templates lack."""

TEMPLATES = {"stable": "think.md", "classic": "think_classic.md"}

PLACE = re.compile(r"\{([a-z_]+)(?:\|([^{}\n]*))?\}")
"""A place: its name, and its text when it is empty."""
_FRONT = re.compile(r"---\n(?:.*\n)*?---\n")


class Template(NamedTuple):
    """A checked template: section and lines of each paragraph, the cue last, and the text between body and cue."""

    file: str
    paragraphs: tuple[tuple[str, tuple[str, ...]], ...]
    glue: str

    def render(self, values: Mapping[str, str]) -> list[tuple[str, str]]:
        found = ((section, _filled(lines, values)) for section, lines in self.paragraphs)
        return [(section, text) for section, text in found if text]

    def join(self, rendered: Sequence[tuple[str, str]]) -> str:
        body = "\n\n".join(text for _, text in rendered[:-1])
        return body + (self.glue if body else "") + rendered[-1][1]


def parse_template(text: str, file: str) -> Template:
    """Read a template; `file` is its path in the vault.

    Raises:
        VaultProblem: an unknown or missing place, or a last line that is no cue.
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
    above = paragraphs.pop()[:-1]
    named = [(_section(lines), tuple(lines)) for lines in [*paragraphs, *([above] if above else [])]]
    return Template(file, (*named, ("cue", (cue,))), "\n" if above else "\n\n")


def _section(lines: Sequence[str]) -> str:
    places = (found[1] for line in lines for found in PLACE.finditer(line))
    return next((SECTIONS[place] for place in places if place in SECTIONS), "words")


def body_of(text: str, file: str, places: Sequence[str]) -> tuple[str, int, list[Problem]]:
    """Return a prompt's text without front matter, the number of its first line, and problems for unknown places."""
    text = sanitize(text)
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text
    first = 1 + text[: front.end()].count("\n") if front else 1
    unknown = f"unknown place; expected one of {', '.join(places)}"
    problems = [
        Problem(file, number, f"{{{found[1]}}}", unknown + hint(found[1], places))
        for number, line in enumerate(body.split("\n"), first)
        for found in PLACE.finditer(line)
        if found[1] not in places
    ]
    return body, first, problems


def _filled(lines: Sequence[str], values: Mapping[str, str]) -> str:
    if not _speaks("\n".join(lines), values):
        return ""
    spoken = (line for line in lines if _speaks(line, values))
    return "\n".join(PLACE.sub(lambda found: values[found[1]] or found[2] or "", line).rstrip() for line in spoken)


def _speaks(words: str, values: Mapping[str, str]) -> bool:
    found = list(PLACE.finditer(words))
    return not found or any(one[1] == "name" or values[one[1]] or one[2] for one in found)
