"""How a command changes one key or section of somebody's `agent.md`, so that it acts at once.

What people write into the file wins: when the same thing was changed there since it was last read, that counts, and
the command is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agents.agent import Agent
from agents.definition import AgentDefinition
from agents.definition_edits import replace_section
from agents.definition_versions import follow, keep, last_change, put_aside, taken_back
from agents.population.population import Population
from mud.commands import Outcome
from mud.errors import Problem, Refusal, VaultProblem
from mud.storage.documents import replace_key
from mud.storage.files import read_text, write_atomic
from mud.world.changes import Define
from mud.world.events import Event
from mud.world.narration import Phrase, phrase

CHANGED = phrase("minds.edit.changed", "file")
WRONG = phrase("minds.edit.wrong", "problems")
WOULD_BE_WRONG = phrase("minds.edit.would_be_wrong", "problems")
NOT_WRITTEN = phrase("minds.edit.not_written", "file", "why")
TOO_LONG = phrase("minds.edit.too_long", "most", "n")
NO_WORDS = phrase("minds.edit.no_words")
PERSON = phrase("minds.edit.person", "name")
NO_CHANGE = phrase("minds.edit.no_change", "name")

LONGEST = 4000
"""Characters of a profile, a description or a goal: more would crowd everything else out of a prompt."""

LONGEST_OWN = 600
"""The same of what a mind says of itself, which stands in every prompt besides what people wrote."""

ARROW = "->"


def words_of(text: str, minds: Population, *, may_be_empty: bool = False, most: int = LONGEST) -> str:
    """Return what somebody typed, without the arrow that may stand before it.

    Args:
        text: as typed.
        minds: all minds.
        may_be_empty: no words are words too.
        most: characters at most.

    Raises:
        Refusal: when nothing is left, or too much.
    """
    words = text.strip().removeprefix(ARROW).strip()
    if not words and not may_be_empty:
        raise Refusal(minds.say(NO_WORDS))
    if len(words) > most:
        raise Refusal(minds.say(TOO_LONG, most=f"{most:,}", n=f"{len(words):,}"))
    return words


def set_key(minds: Population, agent: Agent, key: str, value: object) -> AgentDefinition:
    """Set one key of somebody's front matter, have it act, and return who they are now.

    Args:
        minds: all minds.
        agent: whose.
        key: the key; a field of the definition, or a setting.
        value: its value.

    Raises:
        Refusal: when it cannot be set; then nothing has changed.
    """
    return _change(
        minds, agent, key, lambda text: replace_key(text, key, value, agent.definition.file), _kept(minds, key)
    )


def set_section(minds: Population, agent: Agent, heading: str, words: str, *, own: bool = False) -> AgentDefinition:
    """Set one section of somebody's file, have it act, and return who they are now.

    Args:
        minds: all minds.
        agent: whose.
        heading: of the section; the definition has a field of this name, in small letters.
        words: what it shall say.
        own: it is a mind's own section, of which no earlier text is kept: no person wrote it.

    Raises:
        Refusal: when it cannot be set; then nothing has changed.
    """
    file, field = agent.definition.file, heading.lower().replace(" ", "_")
    kept = follow if own else _kept(minds, field)
    return _change(minds, agent, field, lambda text: replace_section(text, heading, words, file), kept)


def _kept(minds: Population, field: str) -> Callable[[Path, str, str], None]:
    return lambda folder, text, changed: keep(folder, text, changed, field, minds.means.clock.now())


def take_back(minds: Population, agent: Agent) -> str:
    """Take back the last change of somebody's file by a command, have it act, and return what was changed.

    Raises:
        Refusal: when there is none, or it cannot be taken back; then nothing has changed.
    """
    found = last_change(agent.folder)
    if found is None:
        raise Refusal(minds.say(NO_CHANGE, name=agent.name))
    file = agent.definition.file
    _change(
        minds,
        agent,
        found.field,
        lambda text: taken_back(text, found, file),
        lambda folder, text, changed: put_aside(found, text, changed),
    )
    found.path.unlink(missing_ok=True)
    return found.field


def _change(
    minds: Population,
    agent: Agent,
    field: str,
    change: Callable[[str], str],
    kept: Callable[[Path, str, str], None],
) -> AgentDefinition:
    """Change somebody's file; nothing is written when it cannot be read as it would be.

    Args:
        minds: all minds.
        agent: whose.
        field: what is changed.
        change: makes the new text of the old one.
        kept: keeps what is about to be replaced: the agent's folder, the old text, the new one.
    """
    slug, file, known = agent.slug, agent.definition.file, _said(agent.definition, field)
    path = agent.folder / "agent.md"
    _hold(minds, minds.load_definition(slug))  # what people wrote meanwhile acts first
    if _said(agent.definition, field) != known:
        raise Refusal(minds.say(CHANGED, file=file))
    try:
        text = read_text(path, file=file)
        if not text.strip():  # an editor is about to write it
            raise Refusal(minds.say(CHANGED, file=file))
        changed = change(text)
        _hold(minds, minds.roster.would_be_wrong(slug, changed, minds.world), WOULD_BE_WRONG)
        if changed != text:
            kept(agent.folder, text, changed)
        write_atomic(path, changed)
    except VaultProblem as wrong:
        _hold(minds, [*wrong.problems])
    except OSError as error:
        raise Refusal(minds.say(NOT_WRITTEN, file=file, why=error.strerror or error)) from None
    _hold(minds, minds.load_definition(slug))
    return agent.definition


def _said(definition: AgentDefinition, field: str) -> object:
    """Return what a file says of a field of its definition or a setting; None when it says nothing of a setting."""
    own = definition.overrides.get(field)
    return getattr(definition, field, own.value if own is not None else None)


def _hold(minds: Population, problems: list[Problem], how: Phrase = WRONG) -> None:
    if problems:
        raise Refusal(minds.say(how, problems="; ".join(map(str, problems))))


def mind_only(minds: Population, agent: Agent) -> Agent:
    """Return an agent.

    Raises:
        Refusal: when it is a person, who thinks for themselves.
    """
    if agent.definition.person:
        raise Refusal(minds.say(PERSON, name=agent.name))
    return agent


def seen(minds: Population, agent: Agent, told: str, memory: str, behaviour: Phrase) -> Outcome:
    """Return the outcome of a change somebody made to themselves: others see that they are busy with it, not with what.

    Args:
        minds: all minds.
        agent: who changed; as changed, the world takes them from now on.
        told: what they are told.
        memory: what they remember of it.
        behaviour: what others see of it.
    """
    here = minds.world.location_of(agent.id) if minds.world is not None else None
    event = [Event("action", agent.id, here.id, minds.say(behaviour, actor=agent.name))] if here else []
    return Outcome(told, memory=memory, changes=(Define(agent.definition.thing()),), events=tuple(event))
