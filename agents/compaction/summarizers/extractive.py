"""The extractive summarizer: a summary by rules alone, at once, from sentences that were really there.

It says where I was and with whom, then retells what mattered most: promises, numbers, names, what was decided, what was
never heard before. A long-term summary carries the facts of the earlier ones on; what came up again is said so and
stays, the first things of a life stay, small talk goes first. It never contains a name or a number of its own, and does
not ask the judge of summaries what is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.compaction.summarizers._choice import chosen, weighed
from agents.compaction.summarizers._lines import Carried, Line, carried, flat_lines, kept, merged
from agents.compaction.summarizers._prose import closed, ended
from agents.compaction.summarizers._reading import read
from agents.compaction.summarizers._scene import KNOWN, Scene, joined, scene_of
from agents.compaction.summarizers._sections import in_sections, is_sections, prose_of
from agents.compaction.summarizers._summarizer import Prompts, Source, Summarizer, Writing
from agents.compaction.wanted import SECTIONS
from agents.compaction.wording import flat, quoted, sentences
from agents.llm.tokens import estimate

NOTHING = "I remember nothing of it."
LEAST_NEW = 4
"""Sentences that a fold adds to a rolling summary at least."""
A_SENTENCE_FOR = 16
"""Memories for which a rolling summary gets one sentence more."""
_OPENING = 0.35
"""Share of the tokens that the scenes of a long-term summary may take."""


def write(source: Source, prompts: Prompts) -> Writing:
    """Write a summary without asking anybody."""
    return extract(source)
    yield  # a generator like every summarizer, though it asks nothing


def extract(source: Source) -> str:
    """Return the summary of a source by rules alone.

    Args:
        source: memories, earlier summaries, or both; its limits hold for the result.
    """
    if source.shape == SECTIONS and (text := in_sections(source)):
        return text
    earlier = [prose_of(text) if is_sections(text) else flat_lines(text) for text in source.earlier if text.strip()]
    if not source.entries:
        return _of_summaries(source, earlier)
    return _rolling(source, earlier) if earlier else _recent(source)


def _recent(source: Source) -> str:
    limit = source.max_sentences or LEAST_NEW
    opening = str(scene_of(source.entries, source.name, source.begins)) if limit > 1 else ""
    told = _told(source, max(1, limit - bool(opening)))
    order = sorted(range(len(told)), key=lambda at: -told[at][1])
    for count in range(len(told), 0, -1):
        texts = [told[at][0] for at in sorted(order[:count])]
        for parts in ([opening, *texts], texts):
            if text := _fitting(source, parts):
                return text
    return _shortest(source, [*(told[at][0] for at in order), opening])


def _told(source: Source, count: int) -> list[tuple[str, float]]:
    """Return so many sentences at most that tell the memories, in order, with their weights."""
    found = weighed(source.entries, source.name)
    if not source.findings:
        found = [one for one in found if not read(one.entry.text).counted]
    every = [(one, weight) for _, text, weight in chosen(found, count) for one in sentences(text)]
    best = sorted(range(len(every)), key=lambda at: -every[at][1])[:count]  # one memory may be several sentences
    return [every[at] for at in sorted(best)]


def _fitting(source: Source, parts: Sequence[str]) -> str:
    """Return sentences as one text; empty when it is too long or not shorter than what it replaces."""
    text = " ".join(filter(None, parts))
    return text if text and len(text) < _replaced(source) and estimate(text) <= source.max_tokens else ""


def _replaced(source: Source) -> int:
    """Return the characters of what a summary stands for, with one between any two texts."""
    texts = source.texts()
    return sum(map(len, texts)) + len(texts) - 1


def _rolling(source: Source, earlier: Sequence[str]) -> str:
    """Return the earlier summary with what the memories add: a sentence for every sixteen of them, four at least."""
    count = source.max_sentences or max(LEAST_NEW, len(source.entries) // A_SENTENCE_FOR)
    old = carried(earlier)
    new = [ended(text) for text, _ in _told(source, count)]
    scenes = [*old.scenes, scene_of(source.entries, source.name, source.begins)]
    return _long(source, Carried(scenes, merged([*(one.text for one in old.lines), *new])))


def _of_summaries(source: Source, earlier: Sequence[str]) -> str:
    if len(earlier) == 1 and source.max_sentences is None and estimate(earlier[0]) <= source.max_tokens:
        return earlier[0]
    return _long(source, carried(earlier))


def _long(source: Source, told: Carried) -> str:
    """Return scenes and lines as one text: the lines most worth keeping, in order, as many as fit."""
    lines = told.lines if source.findings else [one for one in told.lines if not read(one.plain).counted]
    most = source.max_sentences
    opening = _opening(told.scenes, source.max_tokens, most)
    tokens = source.max_tokens - sum(estimate(text) + 1 for text in opening)
    stay = kept(lines, tokens, most)
    if most is not None:  # the sentences that are left over say where I was
        opening = opening[: max(0, most - len(stay))]
    longest = _replaced(source)
    while True:
        text = " ".join([*opening, *(lines[at].text for at in stay)])
        if text and len(text) <= longest and estimate(text) <= source.max_tokens:
            return text
        if not stay:
            return _shortest(source, [*opening, *_texts(lines)])
        stay.remove(min(stay, key=lambda at: lines[at].worth))


def _texts(lines: Sequence[Line]) -> list[str]:
    return [one.plain for one in sorted(lines, key=lambda one: -one.worth)]


def _opening(scenes: Sequence[Scene], tokens: int, most: int | None) -> list[str]:
    """Return the scenes of a long-term summary, as many names as there is room for."""
    if most is not None and scenes:  # few sentences: one scene for all
        begins = any(one.begins for one in scenes)
        whole = {
            part: tuple(dict.fromkeys(name for one in scenes for name in getattr(one, part)))
            for part in ("places", "people")
        }
        scenes = [Scene(whole["places"][:4], whole["people"][:4], begins)]
    for people in KNOWN:
        found = joined(scenes, people)
        if sum(map(estimate, found)) <= _OPENING * tokens:
            return found
    return found[:1] if sum(map(estimate, found[:1])) <= _OPENING * tokens else []


def _shortest(source: Source, texts: Sequence[str]) -> str:
    """Return the first whole sentence that fits, for a source that is shorter than most sentences about it."""
    spoken = [one for one in source.entries if one.kind in (("heard", "told") if one.actor else ("said", "thought"))]
    short = [f'{flat(one.actor or "I")}: "{said}"' for one in spoken for said in quoted(flat(one.text))]
    plain = [one for text in source.texts() for one in sentences(flat_lines(text))]
    longest = _replaced(source) - (1 if source.entries else 0)
    for text in (*texts, *(ended(one) for one in (*short, *plain) if closed(one)), NOTHING):
        fits = len(text) <= longest and estimate(text) <= source.max_tokens
        if fits and any(map(str.isalnum, text)):
            return text
    return "..."[: max(1, longest)]


EXTRACTIVE = Summarizer(
    "extractive", "By rules, at once and without a model: what was said, promised and decided, in its own words.", write
)
