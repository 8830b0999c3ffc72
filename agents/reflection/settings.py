"""Settings and prompts of the inner life: `vault/config/inner_life.md`, `vault/prompts/{importance,reflect,dream}.md`.

In a prompt `{memories}` is replaced by a line for each entry. Braces other than the places are plain text, as are
inserted texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from agents.prompt.prompt import PLACE, body_of
from mud.errors import Problem, VaultProblem
from mud.storage.settings import setting

FILES = ("importance.md", "reflect.md", "dream.md")


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """`config/inner_life.md`."""

    dream_profile: str = setting(
        "dream",
        "The LLM profile that weighs memories, looks back on them and dreams, a file in config/llm; where it is not "
        "there, the one that writes summaries.",
    )
    reflection_threshold: int = setting(
        150,
        "How much must have been lived, as the sum of its importance (1 to 10 a memory), until an agent looks back at "
        "its next quiet moment, or at twice as much in any company, and comes to an insight or three; 0 for never.",
        low=0,
        high=100_000,
    )
    nightly_dream: bool = setting(True, "Whether an agent dreams once whenever it sleeps.")
    own_notes: bool = setting(
        True, "Whether an agent, asleep, notes by itself what it learned about people and locations."
    )


class ReflectionPrompt(NamedTuple):
    text: str

    def render(self, name: str, profile: str, memories: str) -> str:
        values = {"name": name, "profile": profile, "memories": memories}
        return PLACE.sub(lambda found: values.get(found[1], found[0]), self.text)


def parse_prompt(text: str, file: str) -> ReflectionPrompt:
    """Parse a prompt file, which problems call `file`.

    Raises:
        VaultProblem: with every unknown place, and when `{memories}` is missing.
    """
    body, _, problems = body_of(text, file, ("name", "profile", "memories"))
    if "{memories}" not in body:
        problems.append(Problem(file, 0, "{memories}", "this place is missing; expected it once"))
    if problems:
        raise VaultProblem(problems)
    return ReflectionPrompt(body.strip("\n"))
