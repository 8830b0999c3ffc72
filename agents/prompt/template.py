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


class Template(NamedTuple):
    """A checked template.

    Args:
        file: its path inside the vault.
        paragraphs: section and lines of each paragraph in order; the last is the cue.
        glue: what stands between the cue and what comes before.
    """

    file: str
    paragraphs: tuple[tuple[str, tuple[str, ...]], ...]
    glue: str

    def render(self, values: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return section and text of each paragraph that has something to say, given what stands in each place."""
        found = ((section, _filled(lines, values)) for section, lines in self.paragraphs)
        return [(section, text) for section, text in found if text]

    def join(self, rendered: Sequence[tuple[str, str]]) -> str:
        """Return the whole text of what `render` gave."""
        body = "\n\n".join(text for _, text in rendered[:-1])
        return body + (self.glue if body else "") + rendered[-1][1]


def parse_template(text: str, file: str) -> Template:
    """Read a template; problems call it by its path inside the vault.

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
    above = paragraphs.pop()[:-1]
    named = [(_section(lines), tuple(lines)) for lines in [*paragraphs, *([above] if above else [])]]
    return Template(file, (*named, ("cue", (cue,))), "\n" if above else "\n\n")


def _section(lines: Sequence[str]) -> str:
    """Return the section of the first place that has one; `words` for a paragraph without."""
    places = (found[1] for line in lines for found in PLACE.finditer(line))
    return next((SECTIONS[place] for place in places if place in SECTIONS), "words")


def body_of(text: str, file: str, places: Sequence[str]) -> tuple[str, int, list[Problem]]:
    """Return a prompt's words without its front matter, the number of their first line, and the unknown places."""
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
    """Return the lines with their places filled, without those that have nothing to say; empty when none has."""
    if not _speaks("\n".join(lines), values):
        return ""
    spoken = (line for line in lines if _speaks(line, values))
    return "\n".join(PLACE.sub(lambda found: values[found[1]] or found[2] or "", line).rstrip() for line in spoken)


def _speaks(words: str, values: Mapping[str, str]) -> bool:
    """Whether words have no place at all, or name the agent, or have a place with something in it."""
    found = list(PLACE.finditer(words))
    return not found or any(one[1] == "name" or values[one[1]] or one[2] for one in found)
