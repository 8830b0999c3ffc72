"""The extractive summarizer: a summary by rules alone, from sentences of its source.

It states when, where and with whom, then the sentences with the most content for their length. It adds no names or
numbers and does not use the rules of the judge.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import Prompts, Summarizer, SummarySource, Writing
from agents.compaction.summarizers._choice import chosen, weighed
from agents.compaction.summarizers._lines import (
    KNOWN,
    Carried,
    Scene,
    carried,
    flat_lines,
    joined,
    kept,
    merged,
    one_scene,
    scene_of,
)
from agents.compaction.summarizers._reading import read
from agents.compaction.summarizers._sections import in_sections, is_sections, prose_of
from agents.compaction.summarizers._telling import closed, ended, retell
from agents.llm.tokens import estimate
from agents.text.english import flat, quoted, sentences
from agents.text.quotations import promises_joined, together

_NOTHING = "I remember nothing of it."
_LEAST_NEW = 4  # minimum sentences that a fold adds to a rolling summary
_A_SENTENCE_FOR = 16  # memories per additional sentence of a rolling summary
_A_SENTENCE = 37  # average tokens of a sentence
_OPENING = 0.35  # share of the tokens for the scenes
_FEW = 3  # up to so many sentences, a scene is added only if the facts leave room
_MOST_TOLD = 12  # maximum statements in a few sentences


def write(source: SummarySource, prompts: Prompts) -> Writing:
    return extract(source)
    yield  # makes it a generator, like every summarizer


def extract(source: SummarySource) -> str:
    """Return the summary of a source by rules, within its limits."""
    if source.shape == SECTIONS and (text := in_sections(source)):
        return text
    earlier = [prose_of(text) if is_sections(text) else flat_lines(text) for text in source.earlier if text.strip()]
    if not source.entries:
        return _of_summaries(source, earlier)
    limit = source.max_sentences or max(_LEAST_NEW, len(source.entries) // _A_SENTENCE_FOR)
    return _rolling(source, earlier, limit) if earlier else _recent(source, limit)


def _recent(source: SummarySource, limit: int) -> str:
    scene = scene_of(source.entries, source.name, source.begins, source.when) if limit > 1 else Scene()
    room = min(source.max_tokens, limit * _A_SENTENCE)
    told = _told(source, room - estimate(str(scene.undated())))
    while told:
        texts = promises_joined(text for text, _ in told)
        opening = _openings([scene], " ".join(texts), room)
        sentences_of = together(texts, limit - len(opening))
        if len(sentences_of) <= limit - len(opening):
            for text in (" ".join([*opening, *sentences_of]), " ".join(sentences_of)):
                if text and len(text) < _replaced(source) and estimate(text) <= source.max_tokens:
                    return text
        if len(told) == 1:
            break
        told.remove(min(told, key=lambda one: one[1]))
    return _shortest(source, [*(text for text, _ in told), *_openings([scene], "", room)])


def _told(source: SummarySource, room: int) -> list[tuple[str, float]]:
    found = weighed(source.entries, source.name)
    if not source.findings:
        found = [one for one in found if not read(one.entry.text).counted]
    told: dict[str, float] = {}
    for text, weight in chosen(found, source.name, room, _MOST_TOLD):
        for one in sentences(text):
            told.setdefault(one, weight)
    return list(told.items())


def _replaced(source: SummarySource) -> int:
    texts = source.texts()
    return sum(map(len, texts)) + len(texts) - 1


def _rolling(source: SummarySource, earlier: Sequence[str], limit: int) -> str:
    old = carried(earlier, source.name)
    new = [ended(text) for text, _ in _told(source, limit * _A_SENTENCE)]
    scenes = [*old.scenes, scene_of(source.entries, source.name, source.begins)]
    return _long(source, Carried(scenes, merged([*(one.text for one in old.lines), *new])))


def _of_summaries(source: SummarySource, earlier: Sequence[str]) -> str:
    if len(earlier) == 1 and source.max_sentences is None and estimate(earlier[0]) <= source.max_tokens:
        return earlier[0]
    return _long(source, carried(earlier, source.name))


def _long(source: SummarySource, told: Carried) -> str:
    lines = told.lines if source.findings else [one for one in told.lines if not read(one.plain).counted]
    most = source.max_sentences
    room = source.max_tokens if most is None else min(source.max_tokens, most * _A_SENTENCE)
    scenes = joined(told.scenes, (who for one in lines for who in one.who))
    if most is not None and scenes:  # with few sentences, one scene for all
        scenes = [one_scene(scenes)]
    first = most is None or most > _FEW  # otherwise facts come before the scene
    undated = [one.undated() for one in scenes]
    reserved = sum(estimate(text) + 1 for text in _openings(undated, "", room)) if first else 0
    stay = kept(lines, room - reserved, most and _MOST_TOLD)
    longest = _replaced(source)
    while True:
        texts = promises_joined(lines[at].text for at in stay)
        taken = sum(lines[at].tokens for at in stay)
        opening = _openings(scenes, " ".join(texts), room) if first or room - taken >= _OPENING * room else []
        left = len(texts) if most is None else most - len(opening)
        sentences_of = texts if most is None else together(texts, left)
        text = " ".join([*opening, *sentences_of])
        fits = len(sentences_of) <= left and len(text) <= longest and estimate(text) <= source.max_tokens
        if text and fits:
            return text
        if not stay:
            return _shortest(source, [*opening, *(one.plain for one in sorted(lines, key=lambda one: -one.worth))])
        stay.remove(min(stay, key=lambda at: lines[at].worth))


def _openings(scenes: Sequence[Scene], told: str, tokens: int) -> list[str]:
    """Return the scenes as sentences, with as many names as there is room for; people in `told` are left out."""
    scenes = [one.without(told) for one in scenes]
    most = max(_OPENING * tokens, tokens - estimate(told) if told else 0)
    for people in KNOWN:
        bounded = [one.bounded(people) for one in scenes]
        found = [text for one in bounded if (text := str(one))]
        if sum(estimate(str(one.undated())) for one in bounded) <= most:
            return found
    return found[:1] if sum(map(estimate, found[:1])) <= most else []


def _shortest(source: SummarySource, texts: Sequence[str]) -> str:
    """Return the first whole sentence that fits; for sources shorter than a usual sentence about them."""
    whole = (text for one in source.entries if (text := retell(one, source.name)))
    spoken = [one for one in source.entries if one.kind in (("heard", "told") if one.actor else ("said", "thought"))]
    short = [f'{flat(one.actor or "I")}: "{said}"' for one in spoken for said in quoted(flat(one.text))]
    plain = [one for text in source.texts() for one in sentences(flat_lines(text))]
    longest = _replaced(source) - (1 if source.entries else 0)
    for text in (*texts, *whole, *(ended(one) for one in (*short, *plain) if closed(one)), _NOTHING):
        fits = len(text) <= longest and estimate(text) <= source.max_tokens
        if fits and any(map(str.isalnum, text)):
            return text
    return "..."[: max(1, longest)]


EXTRACTIVE = Summarizer(
    "extractive", "By rules, at once and without a model: what was said, promised and decided, in its own words.", write
)
