"""How a model is asked for a summary: the template of a style, a file of `vault/prompts/summaries/`, checked.

One template asks for a first summary, for a summary and new memories together, and for two summaries made one: what is
already summed up is `{earlier}`, whose paragraph is left out when there is none, and all that is new is `{memories}`.
Other braces are plain text, and what is filled in is never searched for places. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

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
NEEDED = ("memories", "earlier", "again")
"""The places that every style has."""
PLACES = ("name", *NEEDED)
"""The places that a style may have; `name` is whose memories they are."""

_PLACE = re.compile(r"\{([a-z_]+)\}")
_FRONT = re.compile(r"---\n(?:.*\n)*?---\n")


class Style(NamedTuple):
    """A way to ask, as a checked template.

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
        """Return the prompt.

        Args:
            name: whose memories they are.
            memories: what is to be summed up.
            earlier: what is summed up already; empty when nothing is.
            again: what is asked for besides at the second try.
        """
        values = {"name": name, "memories": memories, "earlier": earlier, "again": again}
        told = (one for one in self.paragraphs if earlier or "{earlier}" not in one)
        return "\n\n".join(_PLACE.sub(lambda place: values[place[1]], one) for one in told)


def parse_style(text: str, file: str) -> Style:
    """Read a style; what stands in the file below its front matter is what the model reads.

    Args:
        text: the whole file.
        file: what problems call it, its path inside the vault.

    Raises:
        VaultProblem: with every place that is unknown or missing.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    front = _FRONT.match(text)
    start = front.end() if front else 0
    found = {place[1]: text.count("\n", 0, place.start()) + 1 for place in _PLACE.finditer(text, start)}
    problems = [
        Problem(file, line, f"{{{place}}}", _unknown(place)) for place, line in found.items() if place not in PLACES
    ]
    last = text.rstrip().count("\n") + 1
    problems += [
        Problem(
            file, last, f"{{{place}}}", f"this place is missing; expected {', '.join(f'{{{one}}}' for one in NEEDED)}"
        )
        for place in NEEDED
        if place not in found
    ]
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


def _unknown(place: str) -> str:
    return f"unknown place; expected one of {', '.join(PLACES)}{hint(place, PLACES)}"
