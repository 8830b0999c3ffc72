"""The prompts of the inner life: `vault/prompts/{importance,reflect,dream}.md`, read and checked. Pure.

`{name}` is whose memories they are, `{profile}` who that is, `{memories}` what it lived, a line each. Other braces are
plain text, and what is filled in is never searched for places.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.prompt.template import PLACE, body_of
from mud.errors import Problem, VaultProblem

FILES = ("importance.md", "reflect.md", "dream.md")
"""The files in `vault/prompts`."""
PLACES = ("name", "profile", "memories")


class ReflectionPrompt(NamedTuple):
    """A checked prompt.

    Args:
        text: its words with their places.
    """

    text: str

    def render(self, name: str, profile: str, memories: str) -> str:
        """Return the prompt: whose memories, who that is, and the memories, a line each."""
        values = {"name": name, "profile": profile, "memories": memories}
        return PLACE.sub(lambda found: values.get(found[1], found[0]), self.text)


def parse_words(text: str, file: str) -> ReflectionPrompt:
    """Read a prompt.

    Args:
        text: the whole file; front matter is left aside.
        file: what problems call it.

    Raises:
        VaultProblem: names every place that is unknown, and `{memories}` when it is missing.
    """
    body, _, problems = body_of(text, file, PLACES)
    if "{memories}" not in body:
        problems.append(Problem(file, 0, "{memories}", "this place is missing; expected it once"))
    if problems:
        raise VaultProblem(problems)
    return ReflectionPrompt(body.strip("\n"))
