"""The prompts of the inner life: `vault/prompts/{importance,reflect,dream}.md`, parsed and checked. Pure.

`{memories}` is replaced by a line for each entry. Braces other than the places are plain text, as are inserted texts.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.prompt import PLACE, body_of
from mud.errors import Problem, VaultProblem

FILES = ("importance.md", "reflect.md", "dream.md")
PLACES = ("name", "profile", "memories")


class ReflectionPrompt(NamedTuple):
    text: str

    def render(self, name: str, profile: str, memories: str) -> str:
        values = {"name": name, "profile": profile, "memories": memories}
        return PLACE.sub(lambda found: values.get(found[1], found[0]), self.text)


def parse_words(text: str, file: str) -> ReflectionPrompt:
    """Parse a prompt file, which problems call `file`.

    Raises:
        VaultProblem: with every unknown place, and when `{memories}` is missing.
    """
    body, _, problems = body_of(text, file, PLACES)
    if "{memories}" not in body:
        problems.append(Problem(file, 0, "{memories}", "this place is missing; expected it once"))
    if problems:
        raise VaultProblem(problems)
    return ReflectionPrompt(body.strip("\n"))
