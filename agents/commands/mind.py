"""What goes on in a mind: `think`, `recall` and `dream`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from agents.agent import Agent
from agents.commands._answer import answers, ask, excerpt
from agents.memory.entries import Hit
from agents.memory.note_form import NoteSection
from agents.population import Population
from agents.recall.question import content_words, words_of
from agents.reflection import dreams
from agents.text.daytime import date_of, span, when
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import RECALLED, Event, Request
from mud.world.narration import phrase

THOUGHT = phrase("minds.think.thought", "words")
NO_WORDS = phrase("minds.recall.no_words", "query")
NOTHING = phrase("minds.recall.nothing", "query")
FOUND = phrase("minds.recall.found", "query")
MEMORY = phrase("minds.recall.memory", "when", "place", "text", "seq")
MEMORY_NOWHERE = phrase("minds.recall.memory_nowhere", "when", "text", "seq")
BY = phrase("minds.recall.by", "actor", "text")
ONCE = phrase("minds.recall.once")
TIMES = phrase("minds.recall.times", "n")
SUMMARY = phrase("minds.recall.summary", "when", "text", "first", "last")
NOTE = phrase("minds.recall.note", "title", "when", "text")
BEHIND = phrase("minds.recall.behind")
SEEN = phrase("minds.dream.seen", "actor")
DREAMT = phrase("minds.dream.dreamt", "text")
HITS = 5
LONGEST = 300
LONGEST_KEPT = 160
"""The same in the remembered result, which every prompt repeats until it is folded."""
LONGEST_QUERY = 160

Tell = Callable[[str], str]


@command("think", "<words>", category="memory", for_models=True)
def think(ctx: Context, words: str) -> Outcome:
    """Think something to yourself. Nobody perceives it; you remember it.

    Example: think the lamps were lit early today
    """
    return Outcome(ctx.say(THOUGHT, words=words), kind="thought")


@command("recall", "<query>", aliases=("remember",), category="memory", keeps="skip", for_models=True)
def recall(ctx: Context, query: str) -> Outcome:
    """Search everything you ever lived through, and your notes, for what fits some words.

    The best comes first, each with when and where it was; the number behind is the memory's.

    Example: recall where is the key
    """
    if not any(map(str.isalnum, query)):
        raise Refusal(ctx.say(NO_WORDS, query=excerpt(query, LONGEST_QUERY)))
    return ask(ctx, "recall", "result", query=query, reason=ctx.reason or "")


@answers("recall")
async def search_memory(minds: Population, request: Request) -> Outcome:
    query, agent = request.args["query"], minds.of(request)
    hits, behind = await minds.means.recall.search(agent.id, query, HITS)
    shown = excerpt(query, LONGEST_QUERY)
    if not hits:
        told = kept = minds.say(NOTHING, query=shown)
    else:
        # Relative times would become wrong in the remembered text.
        now, day = partial(when, minds.say, now=minds.means.clock.now()), partial(date_of, minds.say)
        found = minds.say(FOUND, query=shown)
        told = "\n".join([found, *(f"  {told_hit(minds, agent, hit, query, now, LONGEST)}" for hit in hits)])
        kept = "\n".join([found, *(told_hit(minds, agent, hit, query, day, LONGEST_KEPT) for hit in hits)])
    return Outcome(f"{told}\n{minds.say(BEHIND)}" if behind else told, memory=kept, mark=RECALLED)


def told_hit(minds: Population, agent: Agent, hit: Hit, query: str, tell: Tell, most: int) -> str:
    """Return a hit as one line; the query decides which section of a note is shown."""
    say = minds.say
    if hit.covers is not None:
        first, last = hit.covers
        time = span(say, tell(_time(agent, first)), tell(_time(agent, last)))
        return say(SUMMARY, when=time, text=excerpt(hit.text, most), first=first, last=last)
    if hit.title is not None:
        note = agent.notes.read(hit.title)
        part = best_section(note.sections, query) if note else None
        text = excerpt(part.text if part else hit.text, most)
        time = tell(part.at or note.updated) if part and note else tell("")
        return say(NOTE, title=hit.title, when=time, text=text)
    entry, text = hit.entry, _who(minds, hit, most)
    time = tell(entry.at if entry else "")
    if entry is not None and entry.place:
        return say(MEMORY, when=time, place=entry.place, text=text, seq=hit.seq)
    return say(MEMORY_NOWHERE, when=time, text=text, seq=hit.seq)


def best_section(sections: Sequence[NoteSection], query: str) -> NoteSection | None:
    """Return the first section with most words of a query, which may be none; None when all are empty."""
    wanted = set(content_words(query))
    told = (one for one in sections if one.text)
    return max(told, key=lambda one: len(wanted & set(words_of(one.text))), default=None)


def _who(minds: Population, hit: Hit, most: int) -> str:
    text, actor = _shown(hit, most), hit.entry.actor if hit.entry else None
    if actor and actor.casefold() not in hit.text.casefold():
        text = minds.say(BY, actor=actor, text=text)
    before = hit.times - 1
    return text if before < 1 else f"{text} {minds.say(ONCE) if before == 1 else minds.say(TIMES, n=before)}"


def _shown(hit: Hit, most: int) -> str:
    text, whole = excerpt(hit.text, most), hit.entry.text if hit.entry else hit.text
    after = "..." if not whole.rstrip().endswith(hit.text.rstrip()) and not text.endswith("...") else ""
    return f"{'' if whole.startswith(hit.text.strip()) else '...'}{text}{after}"


def _time(agent: Agent, seq: int) -> str:
    try:
        return next((entry.at for entry in agent.memory.read(seq, seq)), "")
    except OSError:
        return ""


@command("dream", category="memory", keeps="skip", for_models=True)
def dream(ctx: Context) -> Outcome:
    """Drift off into a dream of what you lived through, mixed up as dreams are. Others see you lost in thought.

    You remember it as a dream, and the last ones stand in your note "Dreams"; nobody takes one for something that
    happened.

    Example: dream
    """
    here = ctx.here
    seen = (Event("action", ctx.actor.id, here.id, ctx.say(SEEN, actor=ctx.actor.name)),) if here else ()
    return ask(ctx, "dream", "dream", reason=ctx.reason or "")._replace(events=seen)


@answers("dream")
async def tell_dream(minds: Population, request: Request) -> Outcome:
    agent = minds.of(request)
    told = await minds.inner.dream(agent)
    here = minds.world.location_of(agent.id) if minds.world is not None else None
    minds.inner.write_down(agent, told, here.name if here else None)
    return Outcome(minds.say(DREAMT, text=told), memory=minds.say(dreams.REMEMBERED, dream=told))
