"""`@compaction`: show and choose how memories are folded, for oneself, another agent or the world."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agents.agent import Agent
from agents.commands._answer import OTHERS_MIND, answers, ask_about, asked_about
from agents.commands._edit import set_key
from agents.commands._excerpt import excerpt
from agents.compaction.report import in_force
from agents.compaction.settings import OWN as NO_PRESET
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import FILE
from agents.population.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Problem, Refusal
from mud.registry import suggest
from mud.storage.configuration import FOLDER
from mud.storage.files import read_if_there, write_atomic
from mud.storage.settings import describe, replace_setting
from mud.world.events import Request
from mud.world.narration import listed, phrase
from mud.world.roles import Role

STRATEGY = phrase("minds.compaction.strategy", "agent", "strategy", "origin", "help")
ON = phrase("minds.compaction.on", "origin", "waits")
NEVER = phrase("minds.compaction.never")
OFF = phrase("minds.compaction.off", "origin")
IN_FORCE = phrase("minds.compaction.in_force", "settings")
PRESET = phrase("minds.compaction.preset", "preset", "origin")
IDLE = phrase("minds.compaction.idle", "preset")
THERE = phrase("minds.compaction.there", "strategies", "presets")
SET = phrase("minds.compaction.set", "key", "value", "file")
SET_WORLD = phrase("minds.compaction.set_world", "key", "value", "file")
OWN = phrase("minds.compaction.own", "agents")
NO_SUCH = phrase("minds.compaction.no_such", "key", "name", "there")
HINT = phrase("minds.compaction.hint", "name")
WHICH = phrase("minds.compaction.which", "key", "there")
WHAT = phrase("minds.compaction.what", "text")
WRONG = phrase("minds.compaction.wrong", "problems")
NOT_WRITTEN = phrase("minds.compaction.not_written", "file", "why")

WORLD = "world"
"""Stands for all agents without a setting of their own."""
BY_PRESET = "entry_summary"
CHOSEN = ("strategy", "preset")
SWITCHED = {"on": "true", "off": "false"}
AUTO = "auto_enabled"


@command("@compaction", "[what]", category="memory", keeps="skip")
def compaction(ctx: Context, what: str) -> Outcome:
    """See how your memories are folded, or choose it: on, off, strategy NAME, preset NAME.

    It acts at once and is written into your agent.md. The owner may name anybody behind it, or the world, which is
    everybody who sets nothing else. Nothing is ever lost by it: the archive keeps every word. Only people choose: what
    a language model writes never changes how its own memories are kept.

    Example: @compaction
    Example: @compaction strategy waterfall
    Example: @compaction preset own
    Example: @compaction on
    """
    key, value, name = _read(what)
    if name.casefold() == WORLD and key:
        if ctx.role < Role.OWNER:
            raise Refusal(ctx.say(OTHERS_MIND))
        args = {"name": "", "key": key, "value": value, "world": WORLD}
        return Outcome("", requests=(Request("compaction", ctx.actor.id, ctx.step, args),))
    (request,) = ask_about(ctx, name, "compaction").requests
    args = {**request.args, "key": key, "value": value, "world": ""}
    return Outcome("", requests=(Request("compaction", ctx.actor.id, ctx.step, args),))


def _read(what: str) -> tuple[str, str, str]:
    word, _, rest = what.partition(" ")
    word, rest = word.casefold(), rest.strip()
    if word in SWITCHED:
        return AUTO, SWITCHED[word], rest
    if word in CHOSEN:
        value, _, name = rest.partition(" ")
        return word, value.casefold(), name.strip()
    return "", "", what


@answers("compaction")
async def show_or_set(minds: Population, request: Request) -> Outcome:
    key, value = request.args["key"], request.args["value"]
    if key:
        _check(minds, key, value)
    if request.args["world"]:
        return Outcome(_set_world(minds, key, value))
    agent = asked_about(minds, request) if key else _whose(minds, request)
    if not key:
        return Outcome(f"{_shown(minds, agent)}\n{_there(minds)}")
    return Outcome(f"{_set(minds, agent, key, value)}\n{_shown(minds, agent)}")


def _whose(minds: Population, request: Request) -> Agent:
    text = request.args["name"]
    if text and minds.find(text) is None:
        meant = _meant(minds, text)
        told = f"{minds.say(WHAT, text=excerpt(text, LONGEST_SHOWN))} {_there(minds)}"
        raise Refusal(told, minds.say(HINT, name=meant) if meant else "")
    return asked_about(minds, request)


def _meant(minds: Population, text: str) -> str | None:
    """Suggest a correction: a choice typed without its kind, or a similar name."""
    first = text.split()[0].casefold()
    for key in CHOSEN:
        there = _choices(minds, key)
        if near := first if first in there else suggest(first, there):
            return f"@compaction {key} {near}"
    return suggest(text, [one.name for one in minds.definitions.values()])


def _choices(minds: Population, key: str) -> list[str]:
    if key == "strategy":
        return minds.means.strategies.names()
    return list(next(one.choices for one in describe(CompactionSettings) if one.key == key))


def _check(minds: Population, key: str, value: str) -> None:
    if key not in CHOSEN:
        return
    there = _choices(minds, key)
    if not value:
        raise Refusal(minds.say(WHICH, key=key, there=", ".join(there)))
    if value not in there:
        near = suggest(value, there)
        told = minds.say(NO_SUCH, key=key, name=value, there=", ".join(there))
        raise Refusal(told, minds.say(HINT, name=near) if near else "")


def _shown(minds: Population, agent: Agent) -> str:
    say, status = minds.say, minds.status(agent)
    known: Mapping[str, Mapping[str, object]] = status["settings"]
    strategy = agent.compactor.view.strategy
    lines = [
        say(STRATEGY, agent=agent.name, strategy=strategy.name, origin=known["strategy"]["from"], help=strategy.help)
    ]
    origin = known[AUTO]["from"]
    on = status["automatic"]
    if status["keeps"] == "everything":
        lines.append(say(NEVER))
    else:
        lines.append(say(ON, origin=origin, waits=status["waits"]) if on else say(OFF, origin=origin))
    preset = known["preset"]
    if strategy.name == BY_PRESET:
        lines.append(say(PRESET, preset=preset["value"], origin=preset["from"]))
    elif preset["value"] != NO_PRESET:
        lines.append(say(IDLE, preset=preset["value"]))
    if settings := in_force(status):
        lines.append(say(IN_FORCE, settings=", ".join(settings)))
    return "\n".join(lines)


def _there(minds: Population) -> str:
    names = {key: ", ".join(_choices(minds, key)) for key in CHOSEN}
    return minds.say(THERE, strategies=names["strategy"], presets=names["preset"])


def _typed(key: str, value: str) -> str | bool:
    return value == "true" if key == AUTO else value


def _set(minds: Population, agent: Agent, key: str, value: str) -> str:
    definition = set_key(minds, agent, key, _typed(key, value))
    minds.remembered(agent.slug, ())
    return minds.say(SET, key=key, value=value, file=definition.file)


def _set_world(minds: Population, key: str, value: str) -> str:
    file = f"{FOLDER}/{FILE}.md"
    path = minds.means.vault / file
    text = read_if_there(path, file=file) or ""
    _write(minds, path, file, replace_setting(text, CompactionSettings, key, _typed(key, value), file))
    _hold(minds, minds.means.configuration.reload(path))
    for agent in minds.opened():
        minds.remembered(agent.slug, ())
    others = sorted(one.name for one in minds.definitions.values() if key in one.overrides)
    told = minds.say(SET_WORLD, key=key, value=value, file=file)
    return f"{told}\n{minds.say(OWN, agents=listed(others))}" if others else told


def _write(minds: Population, path: Path, file: str, text: str) -> None:
    try:
        write_atomic(path, text)
    except OSError as error:
        raise Refusal(minds.say(NOT_WRITTEN, file=file, why=error.strerror or error)) from None


def _hold(minds: Population, problems: list[Problem]) -> None:
    """Refuse when the file has another mistake, so that the new setting is not in effect."""
    if problems:
        raise Refusal(minds.say(WRONG, problems="; ".join(map(str, problems))))
