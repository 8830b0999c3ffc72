"""`@why`: how a line of an agent came about, from its trace."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from agents.agent import Agent
from agents.commands._answer import OTHERS_MIND, answers, no_mind
from agents.commands._excerpt import excerpt
from agents.commands._when import when
from agents.commands._why_told import REASON_BAR, told_trace
from agents.definition import find_definition
from agents.memory.entries import Entry
from agents.memory.ranges import read_reference, reference
from agents.mind.traces import Head, Trace
from agents.population.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import listed, phrase
from mud.world.roles import Role

NOBODY = phrase("minds.why.nobody")
PERSON = phrase("minds.why.person", "name")
NO_LINES = phrase("minds.why.no_lines", "name")
NO_AGENT = phrase("minds.why.no_agent", "name", "there")
NEITHER = phrase("minds.why.neither", "name", "there")
FROM_ONE = phrase("minds.why.from_one", "number")
NO_SUCH = phrase("minds.why.no_such", "name", "what")
NO_SUCH_HERE = phrase("minds.why.no_such_here", "what")
UNTRACED = phrase("minds.why.untraced", "name", "text")
THERE_IS = phrase("minds.why.there_is")
ITEM = phrase("minds.why.item", "n", "when", "line")
NEWER = phrase("minds.why.newer", "text")
ONLY_REASON = phrase("minds.why.only_reason", "what")
UNREADABLE = phrase("minds.why.unreadable")
NO_MEMORY = phrase("minds.why.no_memory", "reference")

LISTED = 8
LONGEST_LINE = 100
LONGEST_NAME = 4
LOOKED_BACK = 64

_NOT_AT_ALL = 4

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_QUOTED = re.compile(r"[\"“](.+?)[\"”]?\s*$", re.S)
_HEARD = ("heard", "told")
_NUMBER = re.compile(r"-?[0-9]{1,5}")
_NAME = re.compile(r"\w[\w'’-]*")
_NUMBERED = re.compile(rf"({_NAME.pattern}) -?[0-9]+")


class _Wanted(NamedTuple):
    """Which line is wanted: `number` 1 is the newest, 0 when `words` or `step` decide; `heard` is the text of a named
    entry.
    """

    agents: tuple[Agent, ...]
    number: int = 1
    words: str = ""
    step: int = 0
    heard: str = ""


@command("@why", "[what]", category="memory", keeps="skip")
def why(ctx: Context, what: str) -> Outcome:
    """See how a line came about: who decided and why, what was recalled, what a model was asked and replied.

    Alone it explains what you heard last; with a name the last line of that agent. A number behind it means an earlier
    line (3 is the third last), words mean the newest line that holds them, a memory such as eliza#12 the line that it
    remembers. With full at the end you see the whole prompt and every reply. The owner may ask about everybody.

    Example: @why
    Example: @why Eliza 3
    Example: @why Eliza garden full
    """
    may = "all" if ctx.role >= Role.OWNER else "own"
    return Outcome("", requests=(Request("why", ctx.actor.id, ctx.step, {"what": what, "may": may}),))


@answers("why")
async def explain(minds: Population, request: Request) -> Outcome:
    what = request.args["what"].strip()
    bare = re.sub(r"(?:^|\s+)full$", "", what, flags=re.I)
    wanted = _wanted(minds, request, bare)
    found = await asyncio.to_thread(_found, wanted)
    if found is None:
        raise Refusal("\n".join(await _missing(minds, wanted, bare)))
    agent, head = found
    trace = _read(minds, head)
    lines = told_trace(minds, agent, trace, full=bare != what)
    newer = _newer(agent, trace) if wanted.number == 1 and not (wanted.words or wanted.step) else ""
    first = [minds.say(NEWER, text=excerpt(newer, LONGEST_LINE))] if newer else []
    if _only_in_reason(wanted.words, head.line or ""):
        first = [minds.say(ONLY_REASON, what=excerpt(wanted.words, LONGEST_SHOWN))]
    return Outcome("\n".join([*first, *lines]))


def _read(minds: Population, head: Head) -> Trace:
    try:
        return head.trace()
    except ValueError:
        raise Refusal(minds.say(UNREADABLE)) from None


def _wanted(minds: Population, request: Request, what: str) -> _Wanted:
    named, rest = _named(minds, what)
    own = minds.by_id(request.who)
    if request.args["may"] != "all":
        if own is None or (named is not None and named.id != own.id):
            raise Refusal(minds.say(OTHERS_MIND))
        named = own
    reference = read_reference(what)
    if reference is not None and "#" in what:
        return _of_memory(minds, request, reference.owner, reference.first)
    if named is None:
        return _unnamed(minds, own, what)
    if named.definition.person:
        raise Refusal(minds.say(PERSON, name=named.name))
    return _which(minds, (named,), rest)


def _named(minds: Population, what: str) -> tuple[Agent | None, str]:
    words = what.split()
    for count in range(min(LONGEST_NAME, len(words)), 0, -1):
        definition = find_definition(" ".join(words[:count]).rstrip(",:"), minds.definitions)
        if definition is not None:
            return minds.open(definition.slug), " ".join(words[count:])
    return None, what


def _unnamed(minds: Population, own: Agent | None, what: str) -> _Wanted:
    """Interpret a text without a name: the line last heard by the owner, or words said by any agent."""
    _refuse_strangers(minds, what)
    if what and not _NUMBER.fullmatch(what):
        minded = tuple(agent for agent in minds.opened() if not agent.definition.person)
        return _which(minds, minded, what)
    if what:
        _which(minds, (), what)  # refuses an invalid number first
    for entry in reversed(own.memory.newest(LOOKED_BACK) if own else []):
        speaker = _speaker(minds, entry) if entry.kind in _HEARD else None
        if speaker is not None:
            if what:
                return _which(minds, (speaker,), what)
            return _Wanted((speaker,), 0, step=entry.source, heard=entry.text)
    raise Refusal(minds.say(NOBODY))


def _speaker(minds: Population, entry: Entry) -> Agent | None:
    definition = find_definition(entry.actor, minds.definitions) if entry.actor else None
    return minds.open(definition.slug) if definition and not definition.person else None


def _refuse_strangers(minds: Population, what: str) -> None:
    """Refuse an unknown name with a number: as words, the two would match scattered in any line."""
    found = _NUMBERED.fullmatch(what)
    if found and found[1][0].isupper():
        raise Refusal(minds.say(NO_AGENT, name=excerpt(found[1], LONGEST_SHOWN), there=_agents(minds)))


def _agents(minds: Population) -> str:
    return listed(sorted(one.name for one in minds.definitions.values() if not one.person))


def _which(minds: Population, agents: tuple[Agent, ...], rest: str) -> _Wanted:
    if _NUMBER.fullmatch(rest):
        if int(rest) < 1:
            raise Refusal(minds.say(FROM_ONE, number=rest))
        return _Wanted(agents, int(rest))
    quoted = _QUOTED.search(rest)
    return _Wanted(agents, 0, (quoted[1] if quoted else rest)) if rest else _Wanted(agents)


def _of_memory(minds: Population, request: Request, owner: str, seq: int) -> _Wanted:
    """Return the line behind an entry: its owner's, or that of the agent whom the owner perceived."""
    holder, whole = minds.find(owner) if owner else minds.by_id(request.who), request.args["may"] == "all"
    if not whole and (holder is None or holder.id != request.who):
        raise Refusal(minds.say(OTHERS_MIND))
    if holder is None:
        raise no_mind(minds, owner)
    entry = next(iter(holder.memory.read(seq, seq)), None)
    if entry is None:
        raise Refusal(minds.say(NO_MEMORY, reference=reference(holder.slug, seq)))
    if entry.actor is None:
        doer = None if holder.definition.person else holder
    else:
        doer = _speaker(minds, entry) if whole else None
    if doer is None:
        raise Refusal(
            minds.say(OTHERS_MIND) if entry.actor and not whole else minds.say(PERSON, name=entry.actor or holder.name)
        )
    return _Wanted((doer,), 0, step=entry.source, heard=entry.text)


def _found(wanted: _Wanted) -> tuple[Agent, Head] | None:
    """Return the newest wanted line and its agent. Only reads files, so it may run in a thread."""
    found = [(agent, head) for agent in wanted.agents if (head := _found_of(agent, wanted)) is not None]
    return max(found, key=lambda pair: pair[1].step, default=None)


def _found_of(agent: Agent, wanted: _Wanted) -> Head | None:
    if wanted.step:
        return agent.traces.find(agent.id, wanted.step)
    heads = agent.traces.heads(agent.id)
    if not wanted.words:
        return next(islice(heads, wanted.number - 1, None), None)
    return _holding(heads, wanted.words)


def _holding(heads: Iterable[Head], words: str) -> Head | None:
    sought, best, least = _words(words), None, _NOT_AT_ALL
    for head in heads if sought else ():
        rank = _rank(sought, head.line or "")
        if rank < least:
            best, least = head, rank
        if not rank:
            break
    return best


def _rank(sought: list[str], line: str) -> int:
    """Rank a line by words: 0 adjacent, 1 scattered, 2 and 3 the same including its private reason."""
    for rank, text in ((0, line.partition(REASON_BAR)[0]), (2, line)):
        there = _words(text)
        if f" {' '.join(sought)} " in f" {' '.join(there)} ":
            return rank
        if set(sought) <= set(there):
            return rank + 1
    return _NOT_AT_ALL


def _only_in_reason(words: str, line: str) -> bool:
    said, _, reason = line.partition(REASON_BAR)
    sought = set(_words(words))
    return bool(sought) and sought <= set(_words(reason)) and not sought <= set(_words(said))


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def _newer(agent: Agent, trace: Trace) -> str:
    last = next((entry for entry in reversed(agent.memory.newest(LOOKED_BACK)) if entry.kind == "said"), None)
    return last.text if last is not None and last.source > trace.step else ""


async def _missing(minds: Population, wanted: _Wanted, what: str) -> list[str]:
    agent = wanted.agents[0] if len(wanted.agents) == 1 else None
    shown = excerpt(what, LONGEST_SHOWN)
    if agent is None and what[0].isupper() and _NAME.fullmatch(what):
        return [minds.say(NEITHER, name=shown, there=_agents(minds))]
    if agent is None:
        return [minds.say(NO_SUCH_HERE, what=shown)]
    if wanted.heard:
        return [minds.say(UNTRACED, name=agent.name, text=excerpt(wanted.heard, LONGEST_LINE))]
    heads = await asyncio.to_thread(lambda: list(islice(agent.traces.heads(agent.id), LISTED)))
    if not heads:
        return [minds.say(NO_LINES, name=agent.name)]
    said = minds.say(NO_SUCH, name=agent.name, what=excerpt(wanted.words or str(wanted.number), LONGEST_SHOWN))
    return [said, minds.say(THERE_IS), *(f"  {_item(minds, n, head)}" for n, head in enumerate(heads, 1))]


def _item(minds: Population, number: int, head: Head) -> str:
    told = when(minds.say, head.at, minds.means.clock.now())
    return minds.say(ITEM, n=number, when=told, line=excerpt(head.line or "", LONGEST_LINE))
