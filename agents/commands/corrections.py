"""Putting right what is remembered: `@correct`, `@forget-memory`, `@corrections`, `@undo-correction`.

The archive is never rewritten: a correction is a line of its own in it, and everything that is shown, found, folded or
asked of a model goes by it from then on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from agents.agent import Agent
from agents.commands._answer import answers, ask, excerpt, memories, mind_of, whose
from agents.compaction.view import summaries_of
from agents.memory.corrections import (
    FORGOTTEN,
    LONGEST,
    MOST,
    MOST_MEMORIES,
    Correction,
    forgetting,
    holding,
    holds,
    quotes_in,
)
from agents.memory.entries import Entry, merged, read_reference, reference
from agents.memory.history import every
from agents.population import Population
from agents.text.daytime import when
from mud.clock import iso
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import LociError, Refusal
from mud.world.events import Request
from mud.world.narration import counted, listed, phrase
from mud.world.roles import Role

CORRECTED = phrase("minds.correct.done", "name", "wrong", "right", "where")
FORGOTTEN_NOW = phrase("minds.correct.forgotten", "reference")
UNDONE = phrase("minds.correct.undone", "n", "name")
TAKES_BACK = phrase("minds.correct.takes_back", "n", "name")
OTHER_WORDS = phrase("minds.correct.other_words")
SUMMARIES = phrase("minds.correct.summaries")
NO_WORDS = phrase("minds.correct.no_words")
NOTHING_RIGHT = phrase("minds.correct.nothing_right")
SAME = phrase("minds.correct.same")
TOO_LONG = phrase("minds.correct.too_long", "most")
NOWHERE = phrase("minds.correct.nowhere", "name", "wrong")
TOO_MANY = phrase("minds.correct.too_many", "most", "wrong")
FULL = phrase("minds.correct.full", "name", "most")
MEANWHILE = phrase("minds.correct.meanwhile")
NOT_WRITTEN = phrase("minds.correct.not_written", "why")
WHICH_MEMORY = phrase("minds.correct.which_memory", "text")
WHICH_MEMORY_HINT = phrase("minds.correct.which_memory_hint")
NO_MEMORY = phrase("minds.correct.no_memory", "reference")
FORGOTTEN_BEFORE = phrase("minds.correct.forgotten_before", "reference")
WHICH = phrase("minds.correct.which", "text")
NO_SUCH = phrase("minds.correct.no_such", "n", "name")
UNDONE_BEFORE = phrase("minds.correct.undone_before", "n")
OWNERS = phrase("minds.correct.owners")
NONE = phrase("minds.correct.none", "name")
LIST = phrase("minds.correct.list", "name")
OF_WORDS = phrase("minds.correct.of_words", "n", "when", "by", "wrong", "right", "where")
OF_MEMORY = phrase("minds.correct.of_memory", "n", "when", "by", "reference")
OF_CORRECTION = phrase("minds.correct.of_correction", "n", "when", "by", "other")
TAKEN_BACK = phrase("minds.correct.taken_back", "line")

_NAMED = re.compile(r"(?P<name>[^:\"“”]{1,60}):\s*(?P<words>\S.*)", re.DOTALL)
_NUMBERED = re.compile(r"(?:(?P<name>.*\S)\s+)?(?P<number>\d{1,12})")
_QUOTED = re.compile(r"[\"“](?P<words>.*)[\"”]", re.DOTALL)
_SHOWN = 12  # ranges of memories that are named

T = TypeVar("T")
Every = Callable[[], Iterable[Entry]]
"""Yields all memories of a life."""


@command("@correct", "<wrong> -> <right>", role=Role.GUEST, category="memory", keeps="skip")
def correct(ctx: Context, wrong: str, right: str) -> Outcome:
    """Put right what you remember wrongly: these words stand for those, in every memory, summary and note of yours.

    Your archive keeps what was there, and the correction beside it; whatever is recalled, shown or summed up goes by
    the right words from now on. The owner may put an agent right, with its name and a colon before the words.

    Example: @correct "lamp glass" -> "glass of the old lamp"
    """
    return ask(ctx, "correct", wrong=wrong, right=right, may=whose(ctx))


@answers("correct")
async def put_right(minds: Population, request: Request) -> Outcome:
    agent, wrong = _mind_and_words(minds, request)
    right, say, memory = _unquoted(request.args["right"]), minds.say, agent.memory
    _check_words(minds, wrong, right)
    _check_room(minds, agent)
    found, newer = await _looked(minds, agent, lambda lived: holding(lived(), wrong, right))
    found += holding(newer, wrong, right)
    shown = excerpt(wrong, LONGEST_SHOWN)
    if len(found) > MOST_MEMORIES:
        raise Refusal(say(TOO_MANY, most=MOST_MEMORIES, wrong=shown))
    told = [*(one.text for one in summaries_of(memory)), *(one.text for one in agent.notes.all())]
    summed = any(holds(one.text, wrong, right) for one in summaries_of(memory))
    if not found and not any(holds(text, wrong, right) for text in told):
        raise Refusal(say(NOWHERE, name=agent.name, wrong=shown))
    made = Correction(memory.corrections.last + 1, *_now_by(minds, request), wrong, right, tuple(found))
    notes = await _written(minds, agent, made)
    where = [_places(minds, agent, found)] if found else []
    where += [counted(notes, "note")] if notes else []
    where += [say(SUMMARIES)] if summed else []
    done = say(CORRECTED, name=agent.name, wrong=shown, right=excerpt(right, LONGEST_SHOWN), where=listed(where))
    return Outcome(f"{done}\n{_takes_back(minds, agent, made)}")


@command("@forget-memory", "<which>", role=Role.OWNER, category="memory", keeps="skip")
def forget_memory(ctx: Context, which: str) -> Outcome:
    """Have a memory forgotten: from now on it is found, shown and told of nowhere but in @archive, for you.

    Name it by its number, your own or with a name before it. What summaries and notes tell of it goes too.

    Example: @forget-memory 3
    """
    return ask(ctx, "forget_memory", which=which, may=whose(ctx))


@answers("forget_memory")
async def forget_one(minds: Population, request: Request) -> Outcome:
    text = request.args["which"]
    spaced, found = _NUMBERED.fullmatch(text.strip()), read_reference(text)
    owner, seq = (spaced["name"] or "", int(spaced["number"])) if spaced else ("", 0)
    if found is not None and found.first == found.last:
        owner, seq = found.owner, found.first
    if not seq or (found is not None and found.first != found.last):
        raise Refusal(minds.say(WHICH_MEMORY, text=excerpt(text, LONGEST_SHOWN)), minds.say(WHICH_MEMORY_HINT))
    agent = mind_of(minds, request, owner)
    memory, which = agent.memory, reference(agent.slug, seq)
    _check_room(minds, agent)
    entry = next(iter(memory.read(seq, seq)), None)
    if entry is None:
        raise Refusal(minds.say(NO_MEMORY, reference=which))
    if entry.kind == FORGOTTEN:
        raise Refusal(minds.say(FORGOTTEN_BEFORE, reference=which))
    at, by = _now_by(minds, request)
    made, newer = await _looked(minds, agent, lambda lived: forgetting(lived, entry, at, by))
    quoting = quotes_in(newer, made)
    made = made._replace(number=memory.corrections.last + 1, memories=(*made.memories, *quoting))
    await _written(minds, agent, made)
    told = [minds.say(FORGOTTEN_NOW, reference=which), _takes_back(minds, agent, made), minds.say(OTHER_WORDS)]
    return Outcome("\n".join(told))


@command("@corrections", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def corrections(ctx: Context, name: str) -> Outcome:
    """See what was put right or forgotten in your memory, when and by whom. The owner may name anybody.

    Example: @corrections
    """
    return ask(ctx, "corrections", name=name, may=whose(ctx))


@answers("corrections")
async def show_corrections(minds: Population, request: Request) -> Outcome:
    agent = mind_of(minds, request, request.args["name"])
    known = agent.memory.corrections
    if not known.all:
        return Outcome(minds.say(NONE, name=agent.name))
    return Outcome(
        "\n".join([minds.say(LIST, name=agent.name), *(f"  {_item(minds, agent, one)}" for one in known.all)])
    )


@command("@undo-correction", "<which>", role=Role.GUEST, category="memory", keeps="skip")
def undo_correction(ctx: Context, which: str) -> Outcome:
    """Take a correction of your memory back, by its number in @corrections; what it said counts again.

    What was forgotten only the owner brings back, who may also name somebody before the number.

    Example: @undo-correction 1
    """
    return ask(ctx, "undo_correction", which=which, may=whose(ctx))


@answers("undo_correction")
async def take_back(minds: Population, request: Request) -> Outcome:
    found, say = _NUMBERED.fullmatch(request.args["which"].strip()), minds.say
    if found is None:
        raise Refusal(say(WHICH, text=excerpt(request.args["which"], LONGEST_SHOWN)))
    agent, number = mind_of(minds, request, found["name"] or ""), int(found["number"])
    known = agent.memory.corrections
    target = known.get(number)
    if target is None:
        raise Refusal(say(NO_SUCH, n=number, name=agent.name))
    if target not in known.in_force:
        raise Refusal(say(UNDONE_BEFORE, n=number))
    if request.args["may"] != "all" and known.concerns_forgetting(target):
        raise Refusal(say(OWNERS))
    _check_room(minds, agent)
    made = Correction(known.last + 1, *_now_by(minds, request), undoes=number)
    await _written(minds, agent, made)
    return Outcome(f"{say(UNDONE, n=number, name=agent.name)} {say(OTHER_WORDS)}")


def _mind_and_words(minds: Population, request: Request) -> tuple[Agent, str]:
    """Return whose memory is meant, and the wrong words: `Eliza: "Monday"`, where unquoted words may hold a colon."""
    text = request.args["wrong"]
    named = _NAMED.fullmatch(text)
    if named is not None and (_QUOTED.fullmatch(named["words"]) or minds.find(named["name"].strip()) is not None):
        return mind_of(minds, request, named["name"].strip()), _unquoted(named["words"])
    return mind_of(minds, request, ""), _unquoted(text)


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text.strip())
    return " ".join((found["words"] if found else text).split())


def _check_words(minds: Population, wrong: str, right: str) -> None:
    if not any(map(str.isalnum, wrong)):
        raise Refusal(minds.say(NO_WORDS))
    if not right:
        raise Refusal(minds.say(NOTHING_RIGHT))
    if wrong == right:
        raise Refusal(minds.say(SAME))
    if max(len(wrong), len(right)) > LONGEST:
        raise Refusal(minds.say(TOO_LONG, most=LONGEST))


def _check_room(minds: Population, agent: Agent) -> None:
    if len(agent.memory.corrections.all) >= MOST:
        raise Refusal(minds.say(FULL, name=agent.name, most=MOST))


def _now_by(minds: Population, request: Request) -> tuple[str, str]:
    """Return the time, and the name of who asks."""
    who = minds.by_id(request.who)
    return iso(minds.means.clock.now()), who.name if who is not None else request.who


async def _looked(minds: Population, agent: Agent, look: Callable[[Every], T]) -> tuple[T, list[Entry]]:
    """Look through all memories in a thread; return what comes of it, and the memories added meanwhile.

    Raises Refusal when another correction was made meanwhile; OSError when the archive cannot be read.
    """
    memory, known = agent.memory, agent.memory.corrections
    archive, total = memory.archive, memory.total
    found = await asyncio.to_thread(look, lambda: every(archive, total, known))
    if memory.corrections is not known:
        raise Refusal(minds.say(MEANWHILE))
    return found, memory.read(total + 1, memory.total)


async def _written(minds: Population, agent: Agent, correction: Correction) -> int:
    """Write a correction down and honour it; return how many notes changed. Raises Refusal when it cannot be."""
    try:
        return await minds.correct(agent, correction)
    except OSError as error:
        raise Refusal(minds.say(NOT_WRITTEN, why=error.strerror or error)) from None
    except LociError as error:
        raise Refusal(minds.say(NOT_WRITTEN, why=error)) from None


def _takes_back(minds: Population, agent: Agent, made: Correction) -> str:
    return minds.say(TAKES_BACK, n=made.number, name=agent.name)


def _places(minds: Population, agent: Agent, seqs: list[int]) -> str:
    """Return how many memories, and their numbers: `2 memories (eliza#3, eliza#8-9)`."""
    ranges = [reference(agent.slug, *one) for one in merged((seq, seq) for seq in seqs)]
    named = ", ".join([*ranges[:_SHOWN], *(["..."] if len(ranges) > _SHOWN else [])])
    return f"{memories(minds.say, len(seqs))} ({named})"


def _item(minds: Population, agent: Agent, one: Correction) -> str:
    say, known = minds.say, agent.memory.corrections
    about = {"n": one.number, "when": when(say, one.at, minds.means.clock.now()), "by": one.by}
    if one.undoes:
        line = say(OF_CORRECTION, **about, other=one.undoes)
    elif one.forgets:
        line = say(OF_MEMORY, **about, reference=reference(agent.slug, one.forgets))
    else:
        where = _places(minds, agent, list(one.memories))
        line = say(OF_WORDS, **about, wrong=one.wrong, right=one.right, where=where)
    return line if one in known.in_force else say(TAKEN_BACK, line=line)
