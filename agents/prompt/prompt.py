"""The prompt of a thought: a template filled with what an agent knows, and never longer than the window. Pure.

Words and order stand in the template; this module says only what is left out when not all fits, and in which order:
related notes and experiences, hints, the oldest verbatim lines, what the commands do and the length of the texts about
the agent and its place, the summaries, and at last the commands and the length of single texts. Who the agent is, what
it can do and where it is may take half of a prompt; what goes beyond that is shortened first of all, so that a small
window has room for memories. Room that a later cut made beyond its need goes to lines, newest first, and then to
summaries. Who the agent is, its newest line and the cue are always there. Whatever is left out is listed, also what was
left out before, for want of room among what is related.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import NamedTuple

from agents.memory.ranges import Range, spoken
from agents.prompt.template import Template
from mud.errors import Unavailable

MINIMUM = 256
"""Tokens that window minus reply must leave; from there on every prompt fits, with words like the shipped ones."""
STEP = 16
"""Oldest lines are left out in steps of so many, so that the beginning of the prompt stays the same for many thoughts
and the model server can reuse what it has read."""
SMALL_STEP = 4
"""The same where there is room for few lines, of which a larger step would leave half empty."""
_SITUATION_SHARE = 20
"""This part of the budget counts as taken by the situation even where it is smaller, so that walking from a plainly
described location to a richly described one does not shift the oldest line."""
_MEMORY_SHARE = 2  # this part of the budget is for summaries and memories, whatever else there is to say
_GENTLE = (1024, 512, 256, 160)
_HARSH = (80, 40, 20, 8, 1)
"""Characters that single texts are cut to when nothing else is left to leave out: before, and after, the commands."""

_NAME, _SHORT_NAME = 20, 8
"""Characters that are left of a name when texts are cut harshly, and at the last, so that three names in a script with
three tokens a sign still fit into `MINIMUM`."""
_NEWEST, _NEWEST_LEAST = 4, 12
"""The newest line is what is to be answered: so many times as much is left of it as of other texts, and so many
characters of it at least."""


class Experience(NamedTuple):
    """A summary of an earlier time that resembles the present, and the first and last memory that it sums up."""

    text: str
    covers: Range


@dataclass(frozen=True, slots=True)
class PromptParts:
    """All that can stand in a prompt, as plain values; notes and experiences come best first.

    Args:
        commands: usage and summary of each command.
        transcript: the verbatim memories, oldest first.
        passed: for each of them, what is told of the time since the one before; empty for all that are missing.
        notes: title and text of related notes.
        experiences: related summaries; those that the prompt shows anyway are left out.
        hints: advice for this turn, most important first.
        hidden: memories before those that a strategy does not show.
        left_out: memories between the two that are too many to be held.
        notes_crowded_out, experiences_crowded_out: how many were left out before, for want of the room set for them.
    """

    name: str
    profile: str = ""
    commands: tuple[tuple[str, str], ...] = ()
    longterm: str = ""
    recent: str = ""
    transcript: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    experiences: tuple[Experience, ...] = ()
    hints: tuple[str, ...] = ()
    location: str = ""
    description: str = ""
    exits: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    now: str = ""
    recent_range: Range | None = None
    transcript_range: Range | None = None
    hidden: Range | None = None
    left_out: Range | None = None
    notes_crowded_out: int = 0
    experiences_crowded_out: int = 0


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One part of a prompt.

    Args:
        name: what it is, such as `identity` or `transcript`.
        tokens: what it takes.
        text: its text.
    """

    name: str
    tokens: int
    text: str


class Prompt(NamedTuple):
    """A prompt that fits.

    Args:
        tokens: what it takes, never more than window minus reserve.
        window, reserve: the model's window in tokens, and those of them kept free for the reply.
        sections: its parts in their order.
        shed: what was left out or shortened, in words.
        shown: first and last memory shown verbatim.
        unheld: first and last memory that was left out although no summary holds it.
    """

    text: str
    tokens: int
    window: int
    reserve: int
    sections: tuple[PromptSection, ...]
    shed: tuple[str, ...]
    shown: Range | None
    unheld: Range | None = None


@dataclass(frozen=True, slots=True)
class _Cuts:
    """What is left out, 0 meaning nothing: so many related texts, hints and oldest lines; the summaries; what commands
    do; the commands; and what the texts about the agent and its place, and all texts, have beyond so many characters.
    """

    related: int = 0
    hints: int = 0
    lines: int = 0
    longterm: int = 0
    recent: int = 0
    brief: int = 0
    bare: int = 0
    about: int = 0
    longest: int = 0


_Level = dict[str, int]
"""What is left out more: fields of `_Cuts`."""
_Fits = Callable[[_Cuts], bool]
_Count = Callable[[str], int]


def build_prompt(parts: PromptParts, template: Template, *, window: int, reserve: int, count: _Count) -> Prompt:
    """Fill a template with what fits.

    Args:
        parts, template: all that can stand in it; the words and their order.
        window, reserve: the model's window in tokens, and those of them kept free for the reply.
        count: returns how many tokens a text takes.

    Raises:
        Unavailable: window minus reserve is under `MINIMUM`, or the template alone takes more than that leaves.
    """
    budget = _budget(window, reserve)
    parts = replace(parts, experiences=_unseen(parts))
    cuts = _fitting_cuts(parts, template, budget, count)
    blocks = _blocks(parts, template, cuts)
    text = template.join(blocks)
    sections = tuple(PromptSection(name, count(words), words) for name, words in blocks)
    told = (_shed(parts, cuts), _shown(parts, cuts), _unheld(parts, cuts))
    return Prompt(text, count(text), window, reserve, sections, *told)


def room_for_memories(parts: PromptParts, template: Template, *, window: int, reserve: int, count: _Count) -> int:
    """Return the tokens that summaries and memories may take, wherever the agent is.

    Args:
        parts: who it is and what it can do; what else they hold does not matter.
        template, window, reserve, count: as in `build_prompt`.

    Raises:
        Unavailable: window minus reserve is under `MINIMUM`.
    """
    budget = _budget(window, reserve)
    parts = PromptParts(parts.name, parts.profile, parts.commands)
    cuts = _beginning(parts, template, budget, count)
    return budget - budget // _SITUATION_SHARE - _standing(parts, template, cuts, count)


def _budget(window: int, reserve: int) -> int:
    if window - reserve < MINIMUM:
        raise Unavailable(
            f"a window of {window} tokens with {reserve} for the reply leaves less than {MINIMUM} for the prompt; "
            "raise num_ctx or lower max_tokens"
        )
    return window - reserve


def _standing(parts: PromptParts, template: Template, cuts: _Cuts, count: _Count) -> int:
    """Return the tokens of what stands in every prompt, whatever the agent remembers."""
    bare = replace(parts, longterm="", recent="", transcript=(), notes=(), experiences=(), hints=())
    return count(template.join(_blocks(bare, template, cuts)))


def _beginning(parts: PromptParts, template: Template, budget: int, count: _Count) -> _Cuts:
    """Return the least cuts with which what stands in every prompt leaves its share to memories, or the last ones."""

    def leaves_room(cuts: _Cuts) -> bool:
        return _standing(parts, template, cuts, count) <= budget - budget // _MEMORY_SHARE

    return _first([{}, {"brief": 1}, *({"brief": 1, "about": n} for n in _GENTLE)], _Cuts(), leaves_room)


def _fitting_cuts(parts: PromptParts, template: Template, budget: int, count: _Count) -> _Cuts:
    """Return the least cuts with which the prompt fits, tried in the stated order."""

    def fits(cuts: _Cuts) -> bool:
        blocks = _blocks(parts, template, cuts)
        situation = sum(count(words) for name, words in blocks if name == "situation")
        steady = max(0, budget // _SITUATION_SHARE - situation) if len(parts.transcript) - cuts.lines > STEP else 0
        return count(template.join(blocks)) + steady <= budget

    cuts = _beginning(parts, template, budget, count)
    if fits(cuts):
        return cuts
    for levels in _stages(parts):
        cuts = _first(levels, cuts, fits)
        if fits(cuts):
            return _given_back(parts, cuts, fits)
    raise Unavailable(f"the words of {template.file} leave no room for {parts.name} in {budget} tokens; raise num_ctx")


def _first(levels: list[_Level], cuts: _Cuts, fits: _Fits) -> _Cuts:
    """Return the cuts with the first level that fits, or with the last; each leaves out more than the one before."""
    if not levels:
        return cuts
    at = bisect_left(levels, True, hi=len(levels) - 1, key=lambda level: fits(replace(cuts, **level)))
    return replace(cuts, **levels[at])


def _given_back(parts: PromptParts, cuts: _Cuts, fits: _Fits) -> _Cuts:
    """Take back what later cuts made needless. Lines go first: a summary comes back only when no line is left out, so
    that none comes and goes with the length of the newest lines."""
    if replace(cuts, related=0, hints=0, lines=0) == _Cuts():
        return cuts
    cuts = _first(_lines(parts, SMALL_STEP), cuts, fits)
    for kind in ("recent", "longterm"):
        less = replace(cuts, **{kind: 0})
        if cuts.lines or not fits(less):
            break
        cuts = less
    return cuts


def _lines(parts: PromptParts, step: int) -> list[_Level]:
    """Return the levels of leaving out oldest lines, from none on; the newest always stays."""
    most = len(parts.transcript) - 1
    last = max(0, most // step * step)
    return [{"lines": n} for n in (*range(0, last, step), *range(last, most + 1))]


def _stages(parts: PromptParts) -> Iterator[list[_Level]]:
    """Yield what may be left out, one kind after the other, each from the least to the most."""
    yield [{"related": n} for n in range(1, len(parts.notes) + len(parts.experiences) + 1)]
    yield [{"hints": n} for n in range(1, len(parts.hints) + 1)]
    yield _lines(parts, STEP)[1:]
    yield [{"brief": 1}]
    yield [{"about": n} for n in _GENTLE]
    yield [{"longterm": 1}] if parts.longterm else []
    yield [{"recent": 1}] if parts.recent else []
    yield [{"longest": n} for n in _GENTLE]
    yield [{"bare": 1}]
    yield [{"longest": n} for n in _HARSH]


def _unseen(parts: PromptParts) -> tuple[Experience, ...]:
    """Return the experiences that neither the summaries nor the transcript of this prompt tell anyway."""
    told = {_flat(parts.longterm), _flat(parts.recent)}
    first, last = parts.transcript_range or (0, -1)
    return tuple(
        one
        for one in parts.experiences
        if one.covers != parts.recent_range
        and not (first <= one.covers[0] and one.covers[1] <= last)
        and _flat(one.text) not in told
    )


def _blocks(parts: PromptParts, template: Template, cuts: _Cuts) -> list[tuple[str, str]]:
    """Return section and text of each part; without the commands there is no use in words about them."""
    blocks = template.render(_values(parts, cuts))
    return [block for block in blocks if block[0] != "words"] if cuts.bare else blocks


def _values(parts: PromptParts, cuts: _Cuts) -> dict[str, str]:
    def cut(text: str) -> str:
        return _cut(text, cuts.longest)

    def about(text: str | tuple[str, ...]) -> str:
        return cut(_cut(text if isinstance(text, str) else ", ".join(text), cuts.about))

    notes, experiences = _kept_related(parts, cuts.related)
    # Further lines of one memory are set in, so that no memory can pass for the prompt's own words.
    lines = ["\n  ".join(line.rstrip().splitlines()) for line in parts.transcript[cuts.lines :]]
    newest = cuts.longest and max(_NEWEST * cuts.longest, _NEWEST_LEAST)
    shown = [*map(cut, lines[:-1]), *(_cut(line, newest) for line in lines[-1:])]
    # Above the first line shown nothing is told of the time since one that is not shown.
    passed = chain([""], parts.passed[cuts.lines + 1 :], repeat(""))
    told = [f"{label}\n{line}" if label else line for label, line in zip(passed, shown, strict=False)]
    commands = () if cuts.bare else parts.commands
    return {
        "name": _name(parts.name, cuts.longest),
        "profile": about(parts.profile.strip()),
        "commands": "\n".join(f"- {usage}" if cuts.brief else f"- {usage}: {summary}" for usage, summary in commands),
        "longterm": "" if cuts.longterm else parts.longterm.strip(),
        "recent": "" if cuts.recent else parts.recent.strip(),
        "transcript": "\n".join([*_marker(parts, cuts), *told]),
        "notes": "\n".join(f"- {title}: {_flat(text)}" for title, text in notes),
        "experiences": "\n".join(f"- {_flat(one.text)} ({spoken(*one.covers)})" for one in experiences),
        "hints": "\n".join(f"- {_flat(hint)}" for hint in parts.hints[: len(parts.hints) - cuts.hints]),
        "location": about(parts.location),
        "description": about(parts.description.strip()),
        "exits": about(parts.exits),
        "people": about(parts.people),
        "items": about(parts.items),
        "carried": about(parts.carried),
        "now": cut(parts.now),
    }


def _cut(text: str, longest: int) -> str:
    """Return a text with no more than so many characters; 0 for all of it."""
    return text[: longest - 1].rstrip() + "…" if 0 < longest < len(text) else text


def _name(name: str, longest: int) -> str:
    """Return a name, which is cut only where single texts are cut harshly."""
    if not 0 < longest <= max(_HARSH):
        return name
    return name[: _NAME if longest > min(_HARSH) else _SHORT_NAME]


def _marker(parts: PromptParts, cuts: _Cuts) -> list[str]:
    """Return the line that stands for all memories before the transcript, if only the archive has some of them."""
    unseen = [one for one in (parts.hidden, parts.left_out) if one is not None]
    if not unseen:
        return []
    first, last = unseen[0][0], unseen[-1][1] + cuts.lines
    where = f"@archive {first}-{last}" if last > first else f"@archive {first}"
    told = f"[{spoken(first, last)} {'are' if last > first else 'is'} in your archive: {where}]"
    return [f"[{where}]" if 0 < cuts.longest < len(told) else told]


def _kept_related(parts: PromptParts, left_out: int) -> tuple[tuple[tuple[str, str], ...], tuple[Experience, ...]]:
    """Return the related notes and experiences without the least related ones; of equal rank, the note goes first."""
    ranks = [(rank, 1) for rank in range(len(parts.notes))] + [(rank, 0) for rank in range(len(parts.experiences))]
    kept = sorted(ranks)[: len(ranks) - left_out]
    notes = sum(kind for _, kind in kept)
    return parts.notes[:notes], parts.experiences[: len(kept) - notes]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _shown(parts: PromptParts, cuts: _Cuts) -> tuple[int, int] | None:
    if parts.transcript_range is None or not parts.transcript:
        return None
    first, last = parts.transcript_range
    return (min(last, first + cuts.lines), last)


def _unheld(parts: PromptParts, cuts: _Cuts) -> tuple[int, int] | None:
    """Return the memories that are left out and that no summary holds: the oldest of those shown word for word."""
    oldest = parts.left_out or (parts.transcript_range if cuts.lines else None)
    if oldest is None:
        return None
    first = parts.transcript_range[0] if parts.transcript_range else oldest[1] + 1
    return oldest[0], first + cuts.lines - 1


def _shed(parts: PromptParts, cuts: _Cuts) -> tuple[str, ...]:
    notes, experiences = _kept_related(parts, cuts.related)
    oldest = parts.left_out or parts.transcript_range
    lines = cuts.lines + (parts.left_out[1] - parts.left_out[0] + 1 if parts.left_out else 0)
    told = f" ({spoken(oldest[0], oldest[0] + lines - 1)})" if oldest else ""
    counted = (
        (parts.notes_crowded_out, "related note", " beyond related_tokens"),
        (parts.experiences_crowded_out, "related experience", " beyond experience_share"),
        (len(parts.notes) - len(notes), "related note", ""),
        (len(parts.experiences) - len(experiences), "related experience", ""),
        (cuts.hints, "hint", ""),
        (lines, "oldest line", told),
    )
    others = (
        (cuts.longterm, "summary of older memories"),
        (cuts.recent, "summary of the recent past"),
        (cuts.brief and not cuts.bare and parts.commands, "what the commands do"),
        (cuts.bare and parts.commands, "the commands"),
        (cuts.about, f"who and where one is after {cuts.about} characters"),
        (cuts.longest, f"texts after {cuts.longest} characters"),
    )
    return (
        *(f"{count} {thing}{'s' * (count != 1)}{more}" for count, thing, more in counted if count),
        *(words for left_out, words in others if left_out),
    )
