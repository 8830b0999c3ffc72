"""The prompt of a thought: a template filled with what an agent knows, never longer than the window.

A template is a file of `vault/prompts/`: paragraphs with `{places}`. A paragraph or line whose places are all empty is
left out, unless it names the agent; `{exits|none}` gives the text for an empty place. The last line is the cue that the
model continues. Values are never searched for places.

When not everything fits, this is left out, in order: related texts, hints, the oldest lines, what the commands do, long
texts about agent and place, the summaries, the commands, and the length of all texts. The agent's name, its newest line
and the cue always stay. Half of a prompt is kept for memories where that is possible.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, repeat
from typing import NamedTuple

from agents.memory.entries import Range, spoken
from mud.errors import Problem, Unavailable, VaultProblem
from mud.registry import hint
from mud.sanitize import sanitize

MINIMUM = 256
"""Least tokens of window minus reserve; from there every prompt fits into a template like the shipped ones."""
STEP = 16
"""Oldest lines are left out in steps, so that the prompt's beginning stays the same and the server can cache it."""
SMALL_STEP = 4
_SITUATION_SHARE = 20
"""The situation counts as at least this part of the budget, or a longer description would shift the oldest line."""
_MEMORY_SHARE = 2  # one part in so many of the budget is kept for summaries and memories
_GENTLE = (1024, 512, 256, 160)
_HARSH = (80, 40, 20, 8, 1)
"""Characters to which single texts are cut, before and after the commands are left out."""

_NAMES = {**dict.fromkeys(_HARSH, 20), min(_HARSH): 8}
"""Characters of a name under harsh cuts: three names at three tokens a character fit into `MINIMUM`."""
_NEWEST, _NEWEST_LEAST = 4, 12
"""The newest line is to be answered: it keeps so many times the length of other texts, at least so many characters."""


_SITUATION = ("location", "description", "exits", "people", "items", "carried", "now")
SECTIONS = {
    "profile": "identity",
    **{place: place for place in ("commands", "longterm", "recent", "transcript", "notes", "experiences", "hints")},
    **dict.fromkeys(_SITUATION, "situation"),
}
"""Every place but `name`, and the section of a paragraph with it."""
PLACES = ("name", *SECTIONS)
OPTIONAL = ("carried", "now")
"""Places added later, which older templates lack."""

TEMPLATES = {"stable": "think.md", "classic": "think_classic.md"}

PLACE = re.compile(r"\{([a-z_]+)(?:\|([^{}\n]*))?\}")
"""A place: its name, and its text when it is empty."""
_FRONT = re.compile(r"---\n(?:.*\n)*?---\n")


class Template(NamedTuple):
    """A checked template: section and lines of each paragraph, the cue last, and the text between body and cue."""

    file: str
    paragraphs: tuple[tuple[str, tuple[str, ...]], ...]
    glue: str

    def render(self, values: Mapping[str, str]) -> list[tuple[str, str]]:
        def speaks(words: str) -> bool:
            found = _found(words)
            return not found or any(name == "name" or values[name] or empty for name, empty in found)

        def filled(lines: Sequence[str]) -> str:
            spoken = [line for line in lines if speaks(line)] if speaks("\n".join(lines)) else []
            return "\n".join(PLACE.sub(lambda one: values[one[1]] or one[2] or "", line).rstrip() for line in spoken)

        return [(section, text) for section, lines in self.paragraphs if (text := filled(lines))]

    def join(self, rendered: Sequence[tuple[str, str]]) -> str:
        return join_sections([text for _, text in rendered], self.glue)


@lru_cache
def _found(words: str) -> tuple[tuple[str, str], ...]:
    """Return the places in some lines of a template: name, and text when it is empty."""
    return tuple((one[1], one[2] or "") for one in PLACE.finditer(words))


def join_sections(texts: Sequence[str], glue: str) -> str:
    """Return the text of a prompt with these sections, the cue last; see `Prompt.glue`."""
    body = "\n\n".join(texts[:-1])
    return body + (glue if body else "") + texts[-1]


def parse_template(text: str, file: str) -> Template:
    """Read a template. Raises VaultProblem for an unknown or missing place, or a last line that is no cue."""
    body, first, problems = body_of(text, file, PLACES)
    lacking = [place for place in PLACES if place not in {*_places(body), *OPTIONAL}]
    missing = "this place is missing; expected every place at least once"
    problems += [Problem(file, 0, f"{{{place}}}", missing) for place in lacking]
    paragraphs = [chunk.strip("\n").split("\n") for chunk in re.split(r"\n\s*\n", body) if chunk.strip()]
    cue = paragraphs[-1][-1] if paragraphs else ""
    if set(_places(cue)) != {"name"}:
        expected = "the last line is the cue; expected one with {name} alone, as ~{name}>"
        problems.append(Problem(file, first + body.rstrip().count("\n"), "", expected))
    if problems:
        raise VaultProblem(problems)
    above = paragraphs.pop()[:-1]
    named: list[tuple[str, tuple[str, ...]]] = []
    for lines in [*paragraphs, *([above] if above else [])]:
        sections = map(SECTIONS.get, _places("\n".join(lines)))
        named.append((next(filter(None, sections), "words"), tuple(lines)))
    return Template(file, (*named, ("cue", (cue,))), "\n" if above else "\n\n")


def _places(text: str) -> list[str]:
    return [found[1] for found in PLACE.finditer(text)]


def body_of(text: str, file: str, places: Sequence[str]) -> tuple[str, int, list[Problem]]:
    """Return a prompt's text without front matter, the number of its first line, and problems for unknown places."""
    text = sanitize(text)
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text
    first = 1 + front[0].count("\n") if front else 1
    unknown = f"unknown place; expected one of {', '.join(places)}"
    problems = [
        Problem(file, number, f"{{{place}}}", unknown + hint(place, places))
        for number, line in enumerate(body.split("\n"), first)
        for place in _places(line)
        if place not in places
    ]
    return body, first, problems


# ---- what stands in it ----


class Experience(NamedTuple):
    """A summary of an earlier time that resembles the present, and its range of memories."""

    text: str
    covers: Range


@dataclass(frozen=True, slots=True)
class PromptParts:
    """Everything that can stand in a prompt; notes, experiences and hints come best first.

    Args:
        commands: usage and summary of each command.
        transcript: a line for each memory; one that is empty, of a forgotten memory, is not shown.
        passed: for each line of the transcript, the time since the one before in words; may be shorter.
        hidden: older memories that the strategy does not show.
        left_out: memories between hidden ones and transcript, too many to be held.
        notes_crowded_out, experiences_crowded_out: how many were left out earlier for lack of room.
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
    name: str
    tokens: int
    text: str


class Prompt(NamedTuple):
    """A prompt that fits into the window: `tokens` is at most `window` minus `reserve`.

    `shed` says what was left out or shortened. `shown` is the range of memories shown verbatim, `unheld` that of
    memories that are left out and in no summary. `glue` stands between the last section, the cue, and those before.
    """

    text: str
    tokens: int
    window: int
    reserve: int
    sections: tuple[PromptSection, ...]
    shed: tuple[str, ...]
    shown: Range | None
    unheld: Range | None = None
    glue: str = "\n"


@dataclass(frozen=True, slots=True)
class _Cuts:
    """What is left out; 0 is nothing. `about` and `longest` are most characters."""

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
_Fits = Callable[[_Cuts], bool]
_Count = Callable[[str], int]


# ---- what fits ----


def build_prompt(parts: PromptParts, template: Template, *, window: int, reserve: int, count: _Count) -> Prompt:
    """Fill a template with what fits into `window` minus `reserve` tokens.

    Raises Unavailable when that is under `MINIMUM`, or the template alone takes more.
    """
    budget = _budget(window, reserve)
    parts = replace(parts, experiences=_unseen(parts))
    cuts = _fitting_cuts(parts, template, budget, count)
    blocks = _blocks(parts, template, cuts)
    text = template.join(blocks)
    sections = tuple(PromptSection(name, count(words), words) for name, words in blocks)
    shown = None
    if parts.transcript_range is not None and parts.transcript:
        shown = min(parts.transcript_range[1], parts.transcript_range[0] + cuts.lines), parts.transcript_range[1]
    unheld = parts.left_out or (parts.transcript_range if cuts.lines else None)
    if unheld is not None:
        first = parts.transcript_range[0] if parts.transcript_range else unheld[1] + 1
        unheld = unheld[0], first + cuts.lines - 1
    return Prompt(text, count(text), window, reserve, sections, _shed(parts, cuts), shown, unheld, template.glue)


def room_for_memories(parts: PromptParts, template: Template, *, window: int, reserve: int, count: _Count) -> int:
    """Return the tokens for summaries and memories, wherever the agent is; raises as `build_prompt`."""
    budget = _budget(window, reserve)
    steady = _steady(PromptParts(parts.name, parts.profile, parts.commands), template, count)
    return budget - budget // _SITUATION_SHARE - steady(_beginning(steady, budget))


def _budget(window: int, reserve: int) -> int:
    if window - reserve < MINIMUM:
        raise Unavailable(
            f"a window of {window} tokens with {reserve} for the reply leaves less than {MINIMUM} for the prompt; "
            "raise num_ctx or lower max_tokens"
        )
    return window - reserve


def _steady(parts: PromptParts, template: Template, count: _Count) -> Callable[[_Cuts], int]:
    """Return what counts the tokens of a prompt without all that changes from turn to turn, by its cuts."""
    bare = replace(parts, longterm="", recent="", transcript=(), notes=(), experiences=(), hints=())
    return cache(lambda cuts: count(template.join(_blocks(bare, template, cuts))))


def _beginning(steady: Callable[[_Cuts], int], budget: int) -> _Cuts:
    """Return the least cuts that leave memories their share, or the last ones."""
    most = budget - budget // _MEMORY_SHARE
    if steady(_Cuts()) <= most:  # as nearly always
        return _Cuts()
    levels: list[_Level] = [{"brief": 1}, *({"brief": 1, "about": n} for n in _GENTLE)]
    return _first(levels, _Cuts(), lambda cuts: steady(cuts) <= most)


def _fitting_cuts(parts: PromptParts, template: Template, budget: int, count: _Count) -> _Cuts:
    def fits(cuts: _Cuts) -> bool:
        blocks = _blocks(parts, template, cuts)
        situation = sum(count(words) for name, words in blocks if name == "situation")
        steady = max(0, budget // _SITUATION_SHARE - situation) if len(parts.transcript) - cuts.lines > STEP else 0
        return count(template.join(blocks)) + steady <= budget

    cuts = _beginning(_steady(parts, template, count), budget)
    if fits(cuts):
        return cuts
    for levels in _stages(parts):
        cuts = _first(levels, cuts, fits)
        if fits(cuts):
            return _given_back(parts, cuts, fits)
    raise Unavailable(f"the words of {template.file} leave no room for {parts.name} in {budget} tokens; raise num_ctx")


def _first(levels: list[_Level], cuts: _Cuts, fits: _Fits) -> _Cuts:
    """Return the cuts with the first level that fits, or the last, by bisection."""
    if not levels:
        return cuts
    at = bisect_left(levels, True, hi=len(levels) - 1, key=lambda level: fits(replace(cuts, **level)))
    return replace(cuts, **levels[at])


def _given_back(parts: PromptParts, cuts: _Cuts, fits: _Fits) -> _Cuts:
    """Undo cuts that later ones made needless: lines first, and summaries only when no line is left out."""
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
    most = len(parts.transcript) - 1
    last = max(0, most // step * step)
    return [{"lines": n} for n in (*range(0, last, step), *range(last, most + 1))]


def _stages(parts: PromptParts) -> Iterator[list[_Level]]:
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
    blocks = template.render(_values(parts, cuts))
    return [block for block in blocks if block[0] != "words"] if cuts.bare else blocks


def _values(parts: PromptParts, cuts: _Cuts) -> dict[str, str]:
    def cut(text: str) -> str:
        return _cut(text, cuts.longest)

    def about(text: str | tuple[str, ...]) -> str:
        return cut(_cut(text if isinstance(text, str) else ", ".join(text), cuts.about))

    notes, experiences = _kept_related(parts, cuts.related)
    # Indent a memory's further lines, so that none can pass for the prompt's own words.
    lines = ["\n  ".join(line.rstrip().splitlines()) for line in parts.transcript[cuts.lines :]]
    newest = cuts.longest and max(_NEWEST * cuts.longest, _NEWEST_LEAST)
    shown = [*map(cut, lines[:-1]), *(_cut(line, newest) for line in lines[-1:])]
    # No time label above the first line shown.
    passed = chain([""], parts.passed[cuts.lines + 1 :], repeat(""))
    told = [f"{label}\n{line}" if label else line for label, line in zip(passed, shown, strict=False) if line]
    commands = () if cuts.bare else parts.commands
    return {
        "name": parts.name[: _NAMES.get(cuts.longest)],
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
    return text[: longest - 1].rstrip() + "…" if 0 < longest < len(text) else text


def _marker(parts: PromptParts, cuts: _Cuts) -> list[str]:
    unseen = [one for one in (parts.hidden, parts.left_out) if one is not None]
    if not unseen:
        return []
    first, last = unseen[0][0], unseen[-1][1] + cuts.lines
    where = f"@archive {first}-{last}" if last > first else f"@archive {first}"
    told = f"[{spoken(first, last)} {'are' if last > first else 'is'} in your archive: {where}]"
    return [f"[{where}]" if 0 < cuts.longest < len(told) else told]


def _kept_related(parts: PromptParts, left_out: int) -> tuple[tuple[tuple[str, str], ...], tuple[Experience, ...]]:
    """Return notes and experiences without the `left_out` least related; at equal rank the note stays."""
    ranks = [(rank, 1) for rank in range(len(parts.notes))] + [(rank, 0) for rank in range(len(parts.experiences))]
    kept = sorted(ranks)[: len(ranks) - left_out]
    notes = sum(kind for _, kind in kept)
    return parts.notes[:notes], parts.experiences[: len(kept) - notes]


def _flat(text: str) -> str:
    return " ".join(text.split())


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
