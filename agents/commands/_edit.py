"""Changes of one key or section of an `agent.md` by commands, in effect at once.

Edits by people take precedence: when the same field was edited since it was last read, the command is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from agents.agent import Agent
from agents.definition import AgentDefinition
from agents.definition_edits import follow, keep, last_change, put_aside, replace_section, taken_back
from agents.population.population import Population
from mud.errors import Problem, Refusal, VaultProblem
from mud.storage.documents import replace_key
from mud.storage.files import read_text, write_atomic
from mud.world.narration import Phrase, phrase

CHANGED = phrase("minds.edit.changed", "file")
WRONG = phrase("minds.edit.wrong", "problems")
WOULD_BE_WRONG = phrase("minds.edit.would_be_wrong", "problems")
NOT_WRITTEN = phrase("minds.edit.not_written", "file", "why")
TOO_LONG = phrase("minds.edit.too_long", "most", "n")
NO_WORDS = phrase("minds.edit.no_words")
NO_CHANGE = phrase("minds.edit.no_change", "name")

LONGEST = 4000
"""Maximum characters of a profile, a description or a goal; more would crowd the rest out of a prompt."""

LONGEST_OWN = 600
"""The same for an agent's text about itself, which is in every prompt besides what people wrote."""

Keep = Callable[[Path, str, str], None]
"""Keeps the old text: takes the agent's folder, the text and the changed text."""


def checked_text(text: str, minds: Population, *, may_be_empty: bool = False, most: int = LONGEST) -> str:
    """Return typed text without a leading arrow; refuses an empty or too long one."""
    words = text.strip().removeprefix("->").strip()
    if not words and not may_be_empty:
        raise Refusal(minds.say(NO_WORDS))
    if len(words) > most:
        raise Refusal(minds.say(TOO_LONG, most=f"{most:,}", n=f"{len(words):,}"))
    return words


def set_key(minds: Population, agent: Agent, key: str, value: object) -> None:
    """Set a key of the front matter. Raises Refusal when it cannot be set; then nothing has changed."""
    file = agent.definition.file
    _change(minds, agent, key, lambda text: replace_key(text, key, value, file), _keep_version(minds, key))


def set_section(minds: Population, agent: Agent, heading: str, words: str, *, own: bool = False) -> None:
    """Set a section; refuses like `set_key`. An `own` section has no versions."""
    file, field = agent.definition.file, heading.lower().replace(" ", "_")
    kept = follow if own else _keep_version(minds, field)
    _change(minds, agent, field, lambda text: replace_section(text, heading, words, file), kept)


def take_back(minds: Population, agent: Agent) -> str:
    """Revert the last change by a command and return its field; refuses like `set_key`."""
    found = last_change(agent.folder)
    if found is None:
        raise Refusal(minds.say(NO_CHANGE, name=agent.name))
    file = agent.definition.file
    _change(
        minds,
        agent,
        found.field,
        lambda text: taken_back(text, found, file),
        lambda _, text, changed: put_aside(found, text, changed),
    )
    found.path.unlink(missing_ok=True)
    return found.field


def _keep_version(minds: Population, field: str) -> Keep:
    return partial(keep, field=field, now=minds.means.clock.now())


def _change(minds: Population, agent: Agent, field: str, change: Callable[[str], str], kept: Keep) -> None:
    """Change an agent's file, unless the result would be invalid; `kept` is called first to keep the old version."""
    slug, file, known = agent.slug, agent.definition.file, _value_of(agent.definition, field)
    path = agent.folder / "agent.md"
    refuse_problems(minds, minds.load_definition(slug))  # edits by people apply first
    if _value_of(agent.definition, field) != known:
        raise Refusal(minds.say(CHANGED, file=file))
    try:
        text = read_text(path, file=file)
        if not text.strip():  # an editor is about to write it
            raise Refusal(minds.say(CHANGED, file=file))
        changed = change(text)
        refuse_problems(minds, minds.roster.would_be_wrong(slug, changed, minds.world), WOULD_BE_WRONG)
        if changed != text:
            kept(agent.folder, text, changed)
        write_atomic(path, changed)
    except VaultProblem as wrong:
        refuse_problems(minds, wrong.problems)
    except OSError as error:
        raise Refusal(minds.say(NOT_WRITTEN, file=file, why=error.strerror or error)) from None
    refuse_problems(minds, minds.load_definition(slug))


def _value_of(definition: AgentDefinition, field: str) -> object:
    own = definition.overrides.get(field)
    return getattr(definition, field, own.value if own is not None else None)


def refuse_problems(minds: Population, problems: Sequence[Problem], how: Phrase = WRONG) -> None:
    if problems:
        raise Refusal(minds.say(how, problems="; ".join(map(str, problems))))
