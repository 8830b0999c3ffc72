"""The prompts of the inner life: `vault/prompts/{importance,reflect,dream}.md`, parsed and checked. Pure.

The places are `{name}`, `{profile}` and `{memories}`, one line each. Other braces are plain text, and inserted text is
not searched for places.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.prompt.template import PLACE, body_of
from mud.errors import Problem, VaultProblem

FILES = ("importance.md", "reflect.md", "dream.md")
"""Files in `vault/prompts`."""
PLACES = ("name", "profile", "memories")


class ReflectionPrompt(NamedTuple):
    """A checked prompt with its places."""

    text: str

    def render(self, name: str, profile: str, memories: str) -> str:
        values = {"name": name, "profile": profile, "memories": memories}
        return PLACE.sub(lambda found: values.get(found[1], found[0]), self.text)


def parse_words(text: str, file: str) -> ReflectionPrompt:
    """Parse a prompt file.

    Args:
        file: its name in problems.

    Raises:
        VaultProblem: with every unknown place, and when `{memories}` is missing.
    """
    body, _, problems = body_of(text, file, PLACES)
    if "{memories}" not in body:
        problems.append(Problem(file, 0, "{memories}", "this place is missing; expected it once"))
    if problems:
        raise VaultProblem(problems)
    return ReflectionPrompt(body.strip("\n"))
