"""Answers requests that reach outside the world: save, reload, show settings; others go to `agents.commands`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from agents.mind.traces import Trace
from agents.population import Population
from agents.population.pausing import Possession
from mud.commands import LONGEST_SHOWN, Command, Outcome, read_line, understand
from mud.engine.engine import WAKE, Engine, Step
from mud.errors import LociError, Problem, Refusal
from mud.registry import suggest
from mud.sanitize import visible
from mud.server.accounts import ANSWERS, answer
from mud.server.branching import Branched, branch, first_step, free_path, rewind
from mud.server.building.answers import BUILDING_ANSWERS, answer_builder
from mud.server.checks import check_lives
from mud.server.model_settings import configure_models
from mud.server.narrative import show_narrative
from mud.server.people import People
from mud.server.text_lookup import show_text
from mud.server.wiring import Parts
from mud.storage.files import slugify
from mud.storage.settings import Scalar, Value, write_typed
from mud.world.events import Request
from mud.world.narration import Phrase, listed, phrase, shortened
from mud.world.roles import Role

log = logging.getLogger(__name__)

SAVED = phrase("app.save.saved", "step")
NOT_SAVED = phrase("app.save.not_saved", "why")
UNSYNCED = phrase("app.disk.unsynced", "why")
SYNCED = phrase("app.disk.synced")
BRANCHED = phrase("app.branch.made", "vault", "step", "shared", "files")
REWOUND = phrase("app.branch.rewound", "vault", "step", "shared", "files")
WHICH_STEP = phrase("app.branch.which", "first", "last")
NO_STEP = phrase("app.branch.no_step", "step", "first", "last")
NO_NAME = phrase("app.branch.no_name")
RELOADED = phrase("app.reload.reloaded")
WRONG = phrase("app.reload.wrong", "problems")
SETTING = phrase("app.config.setting", "key", "value", "origin")
OVERRULED = phrase("app.config.overruled", "value", "origin")
SAME = phrase("app.config.same", "value", "origin")
OWN = phrase("app.config.own", "agent", "value", "origin")
NO_SUCH = phrase("app.config.no_such", "key")
NO_SUCH_HINT = phrase("app.config.no_such_hint", "key")
ALL = phrase("app.config.all")
SEVERAL = phrase("app.config.several", "key", "names")
UNANSWERED = phrase("app.requests.unanswered", "name")
ALONE = phrase("app.regions.alone")
BETWEEN_WORLDS = ("travel", "regions")
"""Requests that other worlds have a part in."""

_LONGEST_STEP = 15  # digits

Reload = Callable[[], list[Problem]]


async def carry_out(parts: Parts, request: Request, reload: Reload, people: People | None = None) -> Outcome | Refusal:
    """Carry out a request of a command. Failures are returned as a Refusal, never raised."""
    try:
        if people is not None and request.name in ANSWERS:
            return await answer(people, parts.texts, request)
        if people is not None and request.name in BUILDING_ANSWERS:
            return await answer_builder(people, parts.texts, request)
        if request.name in BETWEEN_WORLDS:
            if people is None or people.travel is None:
                return Refusal(parts.texts.render(ALONE))
            return await people.travel(request)
        if request.name in _OWN:
            return await _of_the_program(parts, request, reload, people)
        return await parts.answerers.get(request.name).run(parts.minds, request)
    except Refusal as refusal:
        return refusal
    except LociError as error:
        return Refusal(str(error))
    except Exception:
        log.exception("the request %s of %s failed", request.name, request.who)
        return Refusal(parts.texts.render(UNANSWERED, name=request.name))


_OWN = ("save", "branch", "rewind", "reload", "show_config", "show_text", "llm_config", "narrative")


async def _of_the_program(parts: Parts, request: Request, reload: Reload, people: People | None) -> Outcome:
    match request.name:
        case "save":
            return _save(parts)
        case "branch":
            return await _branch(parts, request.args["name"])
        case "rewind":
            return await _rewind(parts, request.args["step"])
        case "reload":
            return await _reload(parts, reload)
        case "show_config":
            return _show_config(parts, request.args.get("key", ""))
        case "show_text":
            return show_text(parts.texts, request.args.get("key", ""))
        case "llm_config":
            return await configure_models(parts, request.args.get("what", ""), people.wrote if people else None)
        case _:
            return await show_narrative(parts, request)


def _save(parts: Parts) -> Outcome:
    try:
        why = parts.save()
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise Refusal(parts.texts.render(NOT_SAVED, why=why))
    return Outcome(parts.texts.render(SAVED, step=parts.engine.number))


async def _branch(parts: Parts, name: str) -> Outcome:
    if not any(map(str.isalnum, name)) or name.startswith((".", "~")) or "/" in name or "\\" in name:
        raise Refusal(parts.texts.render(NO_NAME))
    _save(parts)  # else the branch would begin with what a kill leaves
    return _made(parts, BRANCHED, await asyncio.to_thread(branch, parts.vault, parts.vault.parent / slugify(name)))


async def _rewind(parts: Parts, step: str) -> Outcome:
    first, last = first_step(parts), parts.engine.number
    if not (step.isascii() and step.isdecimal()):
        raise Refusal(parts.texts.render(WHICH_STEP, first=first, last=last))
    if len(step) > _LONGEST_STEP or not first <= int(step) <= last:
        raise Refusal(parts.texts.render(NO_STEP, step=shortened(step, _LONGEST_STEP), first=first, last=last))
    _save(parts)
    target = free_path(parts.vault.parent, f"{slugify(parts.vault.name)}-{int(step)}")
    return _made(parts, REWOUND, await asyncio.to_thread(rewind, parts, target, int(step)))


def _made(parts: Parts, phrase: Phrase, done: Branched) -> Outcome:
    vault, counts = visible(str(done.vault)), {"shared": f"{done.shared:,}", "files": f"{done.files:,}"}
    return Outcome(parts.texts.render(phrase, vault=vault, step=done.step, **counts))


async def _reload(parts: Parts, reload: Reload) -> Outcome:
    problems = [*reload(), *await asyncio.to_thread(check_lives, parts.vault)]
    if problems:
        return Outcome(parts.texts.render(WRONG, problems="\n".join(map(str, dict.fromkeys(problems)))))
    return Outcome(parts.texts.render(RELOADED))


def _written(value: Scalar) -> str:
    """Return a value as it is typed; empty lists as empty quotes, so that one sees them."""
    return write_typed(value) or '""'


def _show_config(parts: Parts, key: str) -> Outcome:
    configuration, say = parts.configuration, parts.texts.render
    exact, shown = configuration.named(key) if key else (), shortened(key, LONGEST_SHOWN)
    if len(exact) > 1:
        raise Refusal(say(SEVERAL, key=shown, names=listed([f"{name}.{one.key}" for name, one in exact])))
    if key and not exact:
        near = suggest(key, configuration.words())
        raise Refusal(say(NO_SUCH, key=shown), say(NO_SUCH_HINT, key=near) if near else say(ALL))
    keys = [key] if key else configuration.keys()
    return Outcome("\n".join(_explained(parts, one, full=bool(key)) for one in keys))


def _explained(parts: Parts, key: str, *, full: bool) -> str:
    """Return a setting's value and origin; with `full` also its help and the values that it overrules."""
    say = parts.texts.render
    name, setting = parts.configuration.find(key)
    (value, origin), *others = parts.configuration.explain(key)
    lines = [say(SETTING, key=f"{name}.{setting.key}", value=_written(value), origin=origin)]
    if full:
        lines.append(f"{setting.help.rstrip('.')}: {setting.expected}.")
        lines += [
            say(SAME if other == value else OVERRULED, value=_written(other), origin=where) for other, where in others
        ]
    if setting.per_agent and name in parts.configuration.schemas:
        own = _overrides(parts, setting.key)
        lines += [say(OWN, agent=who, value=_written(one.value), origin=f"{one.file}:{one.line}") for who, one in own]
    return "\n".join(lines)


def _overrides(parts: Parts, key: str) -> list[tuple[str, Value]]:
    found = [(one.name, one.overrides[key]) for one in parts.minds.definitions.values() if key in one.overrides]
    return sorted(found, key=lambda pair: pair[0])


RELEASE, QUIT = "@release", "quit"
STILL_ASLEEP = (WAKE, "sleep")
"""Commands that do not wake a sleeping agent: the one wakes it anyway, the other is refused to a sleeper."""


POSSESSED = "possessed"  # stands in a trace in place of a brain: the owner decided


def submit(engine: Engine, minds: Population, who: str, line: str, role: Role) -> Step:
    """Carry out a line of a person, whose character is given by id; `quit` ends a possession first."""
    resting = minds.resting
    led = resting.leads(who) if role is Role.OWNER else None
    command = _command(engine, led.who, line) if led is not None else None
    if led is not None and command is not None and command.name == QUIT:
        resting.possession = None
    if led is None or (command is not None and command.name in (RELEASE, QUIT)):
        return engine.step(who, line, role)
    step = _as_possessed(engine, led, line, command)
    if command is not None and command.role <= Role.AGENT:  # commands that only the owner may use are not the agent's
        _trace(engine, minds, led, step)
    return step


def _as_possessed(engine: Engine, led: Possession, line: str, command: Command | None) -> Step:
    """Carry out a line as the possessed agent; like a player, it wakes up first."""
    asleep = led.who in engine.world.asleep
    woke = ""
    if asleep and command is not None and command.name not in STILL_ASLEEP:
        woke = engine.step(led.who, WAKE, Role.OWNER).reply
    step = engine.step(led.who, line, Role.OWNER)
    return step._replace(reply="\n".join(text for text in (woke, step.reply) if text))


def _trace(engine: Engine, minds: Population, led: Possession, step: Step) -> None:
    """Keep a trace of a possessed agent's line, unless the step was not written to the ledger."""
    agent, here = minds.by_id(led.who), engine.world.location_of(led.who)
    owner = engine.world.things.get(led.owner)
    if agent is None or step.number == 0 or step.line is None:
        return
    trace = Trace(
        step=step.number,
        at=step.at,
        who=led.who,
        line=step.line,
        name=led.name,
        place=here.name if here is not None else "",
        brain=POSSESSED,
        why=f"typed by {owner.name if owner is not None else 'the owner'}, who had taken over",
        refused=step.reply if step.failed else "",
    )
    agent.traces.keep(trace, int(agent.thinking().trace_megabytes * 1_000_000))


def _command(engine: Engine, who: str, line: str) -> Command | None:
    try:
        return understand(read_line(line, len(line)), engine.commands, engine.world, who, Role.OWNER)[1]
    except Refusal:
        return None
