"""How memories are folded: `@compaction` shows and chooses it; the others fold now or make the summaries anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import inf
from typing import Any

from agents.agent import Agent
from agents.commands._answer import (
    OTHERS_MIND,
    Answerer,
    answers,
    ask,
    ask_about,
    asked_about,
    excerpt,
    memories,
    refuse_problems,
    set_key,
)
from agents.commands.control import pause_of
from agents.compaction.rebuild import BOOTSTRAP, REBUILD, Declined
from agents.compaction.settings import OWN as NO_PRESET
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import FILE, ago, in_force, next_fold, report, warnings_of
from agents.definition import keep
from agents.population import Population
from agents.text.daytime import UNDATED
from mud.commands import LONGEST_SHOWN, Context, Outcome, Say, command
from mud.errors import LociError, Refusal
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
FOLDED_ONE = phrase("minds.compact.folded_one", "last", "method", "chars", "text")
FOLDED = phrase("minds.compact.folded", "first", "last", "method", "chars", "text")
WORTH = phrase("minds.compact.worth", "share", "saved")
PAID = phrase("minds.compact.paid", "share", "saved", "rounds", "spent")
PROMPT = phrase("minds.compact.prompt")
PROMPTS = phrase("minds.compact.prompts", "n")
FOLD_KEPT = phrase("minds.compact.kept", "kept")
NOTHING = phrase("minds.compact.nothing", "why")
REBUILT = phrase("minds.rebuild.done", "name", "last", "parts", "method", "n")
RESUMED = phrase("minds.rebuild.resumed", "n")
TIER = phrase("minds.rebuild.tier", "first", "last", "text")
KEPT = phrase("minds.rebuild.kept", "kept")
BY_RULES = phrase("minds.rebuild.by_rules", "why")
FAILED = phrase("minds.rebuild.failed", "name", "why")
IS_RUNNING = phrase("minds.rebuild.running", "name", "done", "of")
IS_BUSY = phrase("minds.rebuild.busy", "name")
MAKES_NONE = phrase("minds.rebuild.no_summaries", "strategy")
NONE_LIVED = phrase("minds.rebuild.nothing", "name")
ARE_THERE = phrase("minds.rebuild.there", "name", "last")
ALL_FITS = phrase("minds.rebuild.fits", "name", "memories")
DECLINED = {
    one.key.rpartition(".")[2]: one for one in (IS_RUNNING, IS_BUSY, MAKES_NONE, NONE_LIVED, ARE_THERE, ALL_FITS)
}
"""What a declined rebuild says, by its reason."""

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
    if name.casefold() != WORLD or not key:
        return ask_about(ctx, name, "compaction", key=key, value=value, world="")
    if ctx.role < Role.OWNER:
        raise Refusal(ctx.say(OTHERS_MIND))
    return ask(ctx, "compaction", name="", key=key, value=value, world=WORLD)


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
    if not key:
        _check_name(minds, request.args["name"])
        return Outcome(f"{_shown(minds, asked_about(minds, request))}\n{_there(minds)}")
    if key in CHOSEN:
        _check_choice(minds, key, value)
    typed = value == "true" if key == AUTO else value
    if request.args["world"]:
        return Outcome(_set_world(minds, key, value, typed))
    agent = asked_about(minds, request)
    set_key(minds, agent, key, typed)
    minds.remembered(agent, ())
    return Outcome(f"{minds.say(SET, key=key, value=value, file=agent.definition.file)}\n{_shown(minds, agent)}")


def _check_name(minds: Population, text: str) -> None:
    """Refuse what is nobody's name, and suggest a choice typed without its kind, or a similar name."""
    if not text or minds.find(text) is not None:
        return
    first, meant = text.split()[0].casefold(), suggest(text, [one.name for one in minds.definitions.values()])
    for key in reversed(CHOSEN):
        there = _choices(minds, key)
        if near := first if first in there else suggest(first, there):
            meant = f"@compaction {key} {near}"
    told = f"{minds.say(WHAT, text=excerpt(text, LONGEST_SHOWN))} {_there(minds)}"
    raise Refusal(told, minds.say(HINT, name=meant) if meant else "")


def _check_choice(minds: Population, key: str, value: str) -> None:
    there = _choices(minds, key)
    if not value:
        raise Refusal(minds.say(WHICH, key=key, there=", ".join(there)))
    if value not in there:
        near = suggest(value, there)
        told = minds.say(NO_SUCH, key=key, name=value, there=", ".join(there))
        raise Refusal(told, minds.say(HINT, name=near) if near else "")


def _choices(minds: Population, key: str) -> list[str]:
    if key == "strategy":
        return minds.means.strategies.names()
    return list(next(one.choices for one in describe(CompactionSettings) if one.key == key))


def _there(minds: Population) -> str:
    strategies, presets = (", ".join(_choices(minds, key)) for key in CHOSEN)
    return minds.say(THERE, strategies=strategies, presets=presets)


def _shown(minds: Population, agent: Agent) -> str:
    say, status = minds.say, minds.status(agent)
    known: Mapping[str, Mapping[str, object]] = status["settings"]
    strategy, preset, origin = agent.compactor.view.strategy, known["preset"], known[AUTO]["from"]
    lines = [
        say(STRATEGY, agent=agent.name, strategy=strategy.name, origin=known["strategy"]["from"], help=strategy.help)
    ]
    if status["keeps"] == "everything":
        lines.append(say(NEVER))
    else:
        due = (status["next_compaction_at"] or inf) <= status["total"]
        waits = next_fold(status) if due else status["waits"]
        lines.append(say(ON, origin=origin, waits=waits) if status["automatic"] else say(OFF, origin=origin))
    if strategy.name == BY_PRESET:
        lines.append(say(PRESET, preset=preset["value"], origin=preset["from"]))
    elif preset["value"] != NO_PRESET:
        lines.append(say(IDLE, preset=preset["value"]))
    if settings := in_force(status):
        lines.append(say(IN_FORCE, settings=", ".join(settings)))
    return "\n".join(lines)


def _set_world(minds: Population, key: str, value: str, typed: str | bool) -> str:
    """Set a key in the config file, and keep the text it had; refuses when that or another mistake prevents it."""
    file = f"{FOLDER}/{FILE}.md"
    path = minds.means.vault / file
    text = read_if_there(path, file=file) or ""
    changed = replace_setting(text, CompactionSettings, key, typed, file)
    try:
        if changed != text:
            keep(minds.means.vault, text, changed, key, minds.means.clock.now(), FILE)
        write_atomic(path, changed)
    except OSError as error:
        raise Refusal(minds.say(NOT_WRITTEN, file=file, why=error.strerror or error)) from None
    refuse_problems(minds, minds.means.configuration.reload(path), WRONG)
    for agent in minds.in_use():
        minds.remembered(agent, ())
    others = sorted(one.name for one in minds.definitions.values() if key in one.overrides)
    told = minds.say(SET_WORLD, key=key, value=value, file=file)
    return f"{told}\n{minds.say(OWN, agents=listed(others))}" if others else told


@command("@compact-memories", "[name]", aliases=("@compact",), category="memory", keeps="skip")
def compact_memories(ctx: Context, name: str) -> Outcome:
    """Fold everything older than the newest memories into the summary now, without waiting until it is due.

    A little joins the recent summary, or waits until there is more. Nothing is lost by it: the archive keeps every
    word. Without a name it is your own memory; the owner may name anybody.

    Example: @compact-memories
    """
    return ask_about(ctx, name, "compact")


@answers("compact")
async def compact(minds: Population, request: Request) -> Outcome:
    agent, say = asked_about(minds, request), minds.say
    commit = await minds.fold(agent)
    if commit is None:
        return Outcome(say(NOTHING, why=agent.compactor.notice))
    told = commit.newest
    about = {"last": commit.last, "method": told.method, "chars": len(told.text), "text": told.text}
    parts = [say(FOLDED, first=commit.first, **about) if commit.last > commit.first else say(FOLDED_ONE, **about)]
    share = f"{1 - sum(len(summary.text) for summary in commit.made) / commit.chars:.0%}" if commit.chars else "0%"
    if rounds := commit.break_even:
        many = say(PROMPT) if rounds == 1 else say(PROMPTS, n=rounds)
        parts.append(say(PAID, share=share, saved=f"{commit.saved:,}", rounds=many, spent=f"{commit.spent:,}"))
    elif commit.saved > 0:
        parts.append(say(WORTH, share=share, saved=f"{commit.saved:,}"))
    if told.retention is not None:
        parts.append(say(FOLD_KEPT, kept=f"{told.retention:.0%}"))
    return Outcome("\n".join(parts))


@command("@rebuild-summaries", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def rebuild_summaries(ctx: Context, name: str) -> Outcome:
    """Make your summaries anew from everything you ever lived through, as if they had never been summed up before.

    It takes its time and stops nobody meanwhile; should it be cut short, asking again goes on where it was. Earlier
    summaries are kept. The owner may name anybody.

    Example: @rebuild-summaries
    """
    return ask_about(ctx, name, REBUILD)


@command("@bootstrap-summaries", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def bootstrap_summaries(ctx: Context, name: str) -> Outcome:
    """Make the first summaries of your life at once, however long it is: of everything but the newest memories.

    It is for a life that was imported or written by hand. Where there are summaries already, @rebuild-summaries makes
    them anew. The owner may name anybody.

    Example: @bootstrap-summaries
    """
    return ask_about(ctx, name, BOOTSTRAP)


async def _rebuild(minds: Population, request: Request) -> Outcome:
    """Rebuild an agent's summaries and report the result; refuses when nothing was made."""
    agent, say = asked_about(minds, request), minds.say
    try:
        rebuilt = await minds.folds.tracked(agent, agent.rebuild.run(request.name))
    except Declined as declined:
        how = DECLINED[declined.why]
        known = {"name": agent.name, "memories": memories(say, agent.memory.total), **declined.places}
        raise Refusal(say(how, **{place: known[place] for place in how.places})) from None
    except LociError as error:
        raise Refusal(say(FAILED, name=agent.name, why=error)) from None
    minds.index_documents(agent)
    last = rebuilt.made[-1]
    about = {"last": last.covers[1], "parts": rebuilt.parts, "method": last.method, "n": rebuilt.kept_word_for_word}
    lines = [say(REBUILT, name=agent.name, **about)]
    if rebuilt.kept:
        lines.append(say(RESUMED, n=rebuilt.kept))
    lines += [say(TIER, first=one.covers[0], last=one.covers[1], text=one.text) for one in rebuilt.made]
    if shares := [one.retention for one in rebuilt.made if one.retention is not None]:
        lines.append(say(KEPT, kept=f"{min(shares):.0%}"))
    if rebuilt.rejected:
        lines.append(say(BY_RULES, why="; ".join(rebuilt.rejected[:3])))
    return Outcome("\n".join(lines))


REBUILDS = Answerer(REBUILD, _rebuild)
BOOTSTRAPS = Answerer(BOOTSTRAP, _rebuild)


# ---- @memory-status ----

MEMORY = phrase("minds.status.memory", "name", "memories", "n")
VERBATIM = phrase("minds.status.verbatim", "covers", "memories")
VERBATIM_HIDDEN = phrase("minds.status.verbatim_hidden", "covers", "memories")
NO_VERBATIM = phrase("minds.status.no_verbatim")
SUMMARIES = phrase("minds.status.summaries", "what")
SUMMARY = phrase("minds.status.summary", "covers", "tier", "method", "when")
NO_SUMMARIES = phrase("minds.status.no_summaries")
LONGTERM = phrase("minds.status.longterm")
RECENT = phrase("minds.status.recent")
NEXT = phrase("minds.status.next", "what")
WARNINGS = phrase("minds.status.warnings", "what")
FINE = phrase("minds.status.fine")

STATUS, STATUS_FULL = "memory_status", "memory_status_full"


@command("@memory-status", "[name] [full]", category="memory", keeps="skip")
def memory_status(ctx: Context, name: str) -> Outcome:
    """See what is remembered word for word, what in summaries, what is due next, and what is wrong, if anything.

    With full behind it come settings, sizes, costs and the summaries' own words. Without a name it is your own memory;
    the owner may name anybody.

    Example: @memory-status
    Example: @memory-status full
    """
    who, _, last = name.rpartition(" ")
    full = last.casefold() == "full"
    servers = "told" if ctx.role >= Role.OWNER else ""
    return ask_about(ctx, who.strip() if full else name, STATUS_FULL if full else STATUS, servers=servers)


async def _report(minds: Population, request: Request) -> Outcome:
    agent, full = asked_about(minds, request), request.name == STATUS_FULL
    await agent.measure()
    with suppress(OSError):  # reported as a problem of the archive, or left out
        await agent.look_through()
        if full:
            await minds.inner.look(agent)
    status = minds.status(agent, servers=bool(request.args["servers"]))
    lines = [report(status)] if full else _lines(minds.say, status)
    return Outcome("\n".join(filter(None, [pause_of(minds, agent), *lines])))


REPORTS, REPORTS_FULL = Answerer(STATUS, _report), Answerer(STATUS_FULL, _report)


def _lines(say: Say, status: Mapping[str, Any]) -> Iterator[str]:
    tiers = {tier["tier"]: tier for tier in status["tiers"]}
    yield say(MEMORY, name=status["agent"], memories=memories(say, status["total"]), n=f"{status['covered_through']:,}")
    verbatim = tiers.pop("immediate", None)
    if verbatim is None:
        yield say(NO_VERBATIM)
    else:
        known = VERBATIM_HIDDEN if status["hidden"] else VERBATIM
        yield say(known, covers=_span(verbatim), memories=memories(say, verbatim["memories"]))
    told = [_summary(say, tier) for tier in tiers.values()]
    yield say(SUMMARIES, what="; ".join(told)) if told else say(NO_SUMMARIES)
    yield say(NEXT, what=next_fold(status))
    wrong = [" ".join(one.split()) for one in warnings_of(status)]
    yield say(WARNINGS, what=" ".join(one if one.endswith(".") else f"{one}." for one in wrong)) if wrong else say(FINE)


def _summary(say: Say, tier: Mapping[str, Any]) -> str:
    method = f"{tier['method']} ({tier['model']})" if tier["model"] else tier["method"]
    when = ago(tier["age_seconds"]) or say(UNDATED)
    which = say(LONGTERM if tier["tier"] == "longterm" else RECENT)
    return say(SUMMARY, covers=_span(tier), tier=which, method=method, when=when)


def _span(tier: Mapping[str, Any]) -> str:
    return f"{tier['first']}-{tier['last']}" if tier["first"] != tier["last"] else str(tier["first"])
