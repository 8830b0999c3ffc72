"""Requests of commands, their answers, and what several answers share: whom they are about, short texts, counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agents.agent import Agent
from agents.definition import AgentDefinition, follow, keep, last_change, put_aside, taken_back
from agents.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, Say
from mud.errors import Problem, Refusal, VaultProblem
from mud.registry import suggest
from mud.storage.document_edits import replace_section
from mud.storage.documents import replace_key
from mud.storage.files import read_text, write_atomic
from mud.world.events import Request
from mud.world.narration import Phrase, listed, phrase
from mud.world.roles import Role

OTHERS_MIND = phrase("minds.refusals.others_mind")
NO_MIND = phrase("minds.refusals.no_mind", "name")
MINDLESS = phrase("minds.refusals.mindless", "name")
NEAR = phrase("minds.refusals.near", "name")
THERE = phrase("minds.refusals.there", "there")
PERSON = phrase("minds.edit.person", "name")
MEMORY = phrase("minds.count.memory")
MEMORIES = phrase("minds.count.memories", "n")

Answer = Callable[[Population, Request], Awaitable[Outcome]]


class Answerer(NamedTuple):
    """Answers the requests of one name; `run` raises Refusal when it cannot be done."""

    name: str
    run: Answer


def answers(name: str) -> Callable[[Answer], Answerer]:
    """Make a coroutine the answer to requests of this name."""
    return lambda run: Answerer(name, run)


def ask(ctx: Context, request: str, keep: str | None = None, **args: str) -> Outcome:
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, args, keep),))


def ask_about(ctx: Context, name: str, request: str, **args: str) -> Outcome:
    """Return a request about one's own mind or, for the owner, the named one; refuses other players."""
    if name and ctx.role < Role.OWNER:
        raise Refusal(ctx.say(OTHERS_MIND))
    return ask(ctx, request, name=name, **args)


def whose(ctx: Context) -> str:
    """Return whose minds a player may look into: `all` for the owner, else their `own`."""
    return "all" if ctx.role >= Role.OWNER else "own"


def asked_about(minds: Population, request: Request) -> Agent:
    """Return the agent that a request of `ask_about` means; refuses unknown names."""
    return mind_of(minds, request, request.args.get("name", ""))


def asked_about_agent(minds: Population, request: Request) -> Agent:
    """Return the same; refuses a person too, because people think for themselves."""
    agent = asked_about(minds, request)
    if agent.definition.person:
        raise Refusal(minds.say(PERSON, name=agent.name))
    return agent


def mind_of(minds: Population, request: Request, name: str) -> Agent:
    """Return the named agent, or one's own without a name; refuses others' minds when the request may not see `all`."""
    agent = minds.find(name) if name else minds.by_id(request.who)
    if request.args.get("may", "all") != "all" and (agent is None or agent.id != request.who):
        raise Refusal(minds.say(OTHERS_MIND))
    if agent is None:
        raise no_mind(minds, name)
    return agent


def no_mind(minds: Population, name: str) -> Refusal:
    found = minds.world.called(name) if minds.world is not None else None
    if found is not None:
        return Refusal(minds.say(MINDLESS, name=found.name))
    near = suggest(name, [one.name for one in minds.definitions.values()])
    agents = agents_listed(minds)
    hint = minds.say(NEAR, name=near) if near else minds.say(THERE, there=agents) if agents else ""
    return Refusal(minds.say(NO_MIND, name=excerpt(name, LONGEST_SHOWN)), hint)


def agents_listed(minds: Population) -> str:
    return listed(sorted(one.name for one in minds.definitions.values() if not one.person))


def memories(say: Say, count: int) -> str:
    return say(MEMORY) if count == 1 else say(MEMORIES, n=f"{count:,}")


def excerpt(text: str, most: int) -> str:
    """Return a text on one line of at most `most` characters, cut between words where possible and marked with dots."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    space = line.rfind(" ", most // 2, most + 1)
    return f"{line[: space if space > 0 else most].rstrip(' ,;:-')}..."


# ---- changes of an agent.md ----

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
