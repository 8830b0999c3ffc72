"""The extractive summarizer: a summary by rules alone, from sentences of its source, as prose or in sections.

Prose states when, where and with whom, then the sentences with the most content for their length; sections have one
line per fact under six fixed headings. It adds no names or numbers and does not use the rules of the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from agents.compaction.periods import undated
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import HEADINGS, Prompts, Summarizer, SummarySource, Writing, sections_of
from agents.compaction.summarizers._statements import (
    LONGEST_QUOTE,
    StatementContent,
    closed,
    ended,
    read,
    retell,
    spoken,
)
from agents.compaction.summarizers._weighing import (
    KNOWN,
    TALE,
    SummaryScene,
    SummarySentence,
    Weighed,
    carried,
    chosen,
    first_and_last,
    flat_lines,
    joined,
    kept,
    line,
    merged,
    one_scene,
    placed,
    scene_of,
    sentence_of,
    weighed,
)
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from agents.text.english import flat, missing_marks, promises_joined, quoted, sentences, together

_NOTHING = "I remember nothing of it."
_LEAST_NEW = 4  # minimum sentences that a fold adds to a rolling summary
_A_SENTENCE_FOR = 16  # memories per additional sentence of a rolling summary
_A_SENTENCE = 37  # average tokens of a sentence
_OPENING = 0.35  # share of the tokens for the scenes
_FEW = 3  # up to so many sentences, a scene is added only if the facts leave room
_MOST_TOLD = 12  # maximum statements in a few sentences

GOAL, FACTS, DECISIONS, OPEN, PENDING, REFERENCES = HEADINGS
_REFERRED = ("people", "places")
_NONE = "none"  # placeholder of an empty section
_MOST = {GOAL: 4, DECISIONS: 8, OPEN: 6, PENDING: 8}
"""Maximum lines under a heading, the newest; facts are limited by tokens only."""
_MOST_NAMES = 12  # maximum people, and places, in the references
_SHARE = {GOAL: 0.15, DECISIONS: 0.2, OPEN: 0.15, PENDING: 0.2}
_WANTS = re.compile(
    r"\bI(?:['’]d| would)? (?:want|wish|need|hope|intend|aim|long|like) to\b"
    r"|\bI (?:want|need|seek)\b|\bI(?:['’]m| am) (?:"
    r"looking for|searching for|trying to)\b|\bmy (?:goal|aim|wish|task|quest) (?:is|was)\b",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\b(?:promis\w+|swear|swore|vow\w*|my word"
    r"|I(?: will|['’]ll| shall| must| have to|['’]m going to| am going to| plan to| mean to| intend to)"
    r"(?! (?:(?:always|never|surely) )?(?:remember|forget|love|miss|be)\b))\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\bI(?:['’]ve| have)? (?:decided?|chose|choose|agreed?|refused?|resolved?|settled)\b", re.IGNORECASE
)
_DONE = 0.6  # share of a promise's words in a deed of the agent that fulfils it
_ANSWERED = 0.5  # share of a question's words in a later statement that answers it
_LEAST_ASKED = 3  # minimum content words of an open question; excludes `How are you?`
_AT_ONCE = 4  # memories after a question in which one common word said by another is an answer


def write(source: SummarySource, prompts: Prompts) -> Writing:
    return extract(source)
    yield  # makes it a generator, like every summarizer


def extract(source: SummarySource) -> str:
    """Return the summary of a source by rules, within its limits."""
    if source.shape == SECTIONS and (text := _in_sections(source)):
        return text
    texts = [undated(text) for text in source.earlier if text.strip()]
    earlier = [_prose_of(text) if _is_sections(text) else flat_lines(text) for text in texts]
    if not source.entries:
        if len(earlier) == 1 and source.max_sentences is None and estimate(earlier[0]) <= source.max_tokens:
            return earlier[0]
        return _long(source, *carried(earlier, source.name))
    limit = source.max_sentences or max(_LEAST_NEW, len(source.entries) // _A_SENTENCE_FOR)
    if not earlier:
        return _recent(source, limit)
    scenes, lines = carried(earlier, source.name)
    new = (ended(text) for text in _told(source, limit * _A_SENTENCE))
    scene = scene_of(source.entries, source.name, source.begins)
    return _long(source, [*scenes, scene], merged([*(one.text for one in lines), *new]))


def _recent(source: SummarySource, limit: int) -> str:
    scene = scene_of(source.entries, source.name, source.begins, source.when) if limit > 1 else SummaryScene()
    room = min(source.max_tokens, limit * _A_SENTENCE)
    told = _told(source, room - estimate(str(scene._replace(when=""))))
    while told:
        texts = promises_joined(told)
        opening = _openings([scene], " ".join(texts), room)
        found = together(texts, limit - len(opening))
        if len(found) <= limit - len(opening):
            for text in (" ".join([*opening, *found]), " ".join(found)):
                if text and len(text) < _replaced(source) and estimate(text) <= source.max_tokens:
                    return text
        if len(told) == 1:
            break
        del told[min(told, key=lambda one: told[one])]
    return _shortest(source, [*told, *_openings([scene], "", room)])


def _told(source: SummarySource, room: int) -> dict[str, float]:
    """Return the sentences about new memories with their weights."""
    found = weighed(source.entries, source.name)
    if not source.findings:
        found = [one for one in found if not read(one.entry.text).counted]
    told: dict[str, float] = {}
    for text, weight in chosen(found, source.name, room, _MOST_TOLD):
        for one in sentences(text):
            told.setdefault(one, weight)
    return told


def _replaced(source: SummarySource) -> int:
    """Return the length of what the summary replaces, in characters."""
    texts = source.texts()
    return sum(map(len, texts)) + len(texts) - 1


def _long(source: SummarySource, scenes: list[SummaryScene], lines: list[SummarySentence]) -> str:
    lines = lines if source.findings else [one for one in lines if not read(one.plain).counted]
    most, longest = source.max_sentences, _replaced(source)
    room = source.max_tokens if most is None else min(source.max_tokens, most * _A_SENTENCE)
    scenes = joined(scenes, (who for one in lines for who in one.who))
    if most is not None and scenes:  # with few sentences, one scene for all
        scenes = [one_scene(scenes)]
    first = most is None or most > _FEW  # otherwise facts come before the scene
    undated = [one._replace(when="") for one in scenes]
    reserved = sum(estimate(text) + 1 for text in _openings(undated, "", room)) if first else 0
    stay = kept(lines, room - reserved, most and _MOST_TOLD)
    while True:
        texts = promises_joined(lines[at].text for at in stay)
        taken = sum(lines[at].tokens for at in stay)
        opening = _openings(scenes, " ".join(texts), room) if first or room - taken >= _OPENING * room else []
        left = len(texts) if most is None else most - len(opening)
        found = texts if most is None else together(texts, left)
        text = " ".join([*opening, *found])
        if text and len(found) <= left and len(text) <= longest and estimate(text) <= source.max_tokens:
            return text
        if not stay:
            return _shortest(source, [*opening, *(one.plain for one in sorted(lines, key=lambda one: -one.worth))])
        stay.remove(min(stay, key=lambda at: lines[at].worth))


def _openings(scenes: Sequence[SummaryScene], told: str, tokens: int) -> list[str]:
    """Return the scenes as sentences, with as many names as there is room for; people in `told` are left out."""
    scenes = [one.without(told) for one in scenes]
    most = max(_OPENING * tokens, tokens - estimate(told) if told else 0)
    for people in KNOWN:
        bounded = [one.bounded(people) for one in scenes]
        found = [text for one in bounded if (text := str(one))]
        if sum(estimate(str(one._replace(when=""))) for one in bounded) <= most:
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
        fits = len(text) <= longest and estimate(text) <= source.max_tokens and len(sentences(text)) == 1
        if fits and any(map(str.isalnum, text)):
            return text
    return "..."[: max(1, longest)]


def _in_sections(source: SummarySource) -> str:
    """Return the summary of a source in sections; empty if the headings alone exceed the limit."""
    page: dict[str, list[str]] = {part: [] for part in (*HEADINGS, *_REFERRED)}
    for text in source.earlier:
        if _is_sections(text):
            _take_up_sections(page, text)
            continue
        scenes, lines = carried([undated(text)], source.name)
        page["people"] += (name for scene in scenes for name in scene.people)
        page["places"] += (name for scene in scenes for name in scene.places)
        for told in lines:
            page[_heading(told)].append(told.text)
    for one in weighed(source.entries, source.name):
        heading = _of(one)
        if heading is None or (one.reading.question and _answered_at_once(one, source.entries)):
            continue
        if text := _asked(one) if one.reading.question else sentence_of(one, source.name):
            page[heading or _heading(line(ended(text)))].append(ended(text))
    _settle(page, source.entries)
    page["people"] += (one.actor for one in source.entries if one.actor and one.actor != source.name)
    page["places"] += (placed(one.place) for one in source.entries if one.place)
    return _fitted(page, source)


def _headed(text: str) -> Iterator[tuple[str, list[str]]]:
    written = {heading.casefold(): heading for heading in HEADINGS}
    for heading, lines in sections_of(text):
        if heading:
            yield written[heading.casefold()], [line for line in lines if line.strip(" .").casefold() != _NONE]


def _is_sections(text: str) -> bool:
    return {heading for heading, _ in _headed(text)} >= set(HEADINGS)


def _prose_of(text: str) -> str:
    """Return a summary in sections as sentences; text without a heading is dropped."""
    page: dict[str, list[str]] = {part: [] for part in (*HEADINGS, *_REFERRED)}
    _take_up_sections(page, text)
    scene = str(SummaryScene(tuple(dict.fromkeys(page["places"])), tuple(dict.fromkeys(page["people"]))))
    return "\n".join(filter(None, (scene, *(ended(one) for heading in HEADINGS for one in page[heading]))))


def _take_up_sections(page: dict[str, list[str]], text: str) -> None:
    for heading, lines in _headed(text):
        for one in lines:
            kind, _, names = one.partition(": ")
            if heading != REFERENCES:
                page[heading] += [sentence for sentence in sentences(one) if closed(sentence)]
            elif kind in _REFERRED:
                page[kind] += filter(None, map(str.strip, names.split("; ")))


def _heading(one: SummarySentence) -> str:
    found, own = one.reading, one.own
    said = one.what or one.plain
    if found.question:
        return OPEN
    if own and _DECIDES.search(one.plain):
        return DECISIONS
    if own and _WANTS.search(said):
        return GOAL
    if _PLANS.search(said) and (own or found.promise) and not found.hedged and not found.asks:
        return PENDING
    if not own and found.asks:
        return GOAL
    return FACTS if one.what or not own else DECISIONS


def _asked(one: Weighed) -> str:
    text = flat(spoken(one.entry.text))
    every = sentences(text)
    asked = [at for at, found in enumerate(every) if found.endswith("?") and closed(found)]
    said = every[asked[-1]] if asked else ""
    if not said or len(said) > LONGEST_QUOTE or len(read(said).words) < _LEAST_ASKED:
        return ""
    before, behind = missing_marks(text, every)[asked[-1]]
    return f'{flat(one.entry.actor or "I")} asked, "{before}{said.replace(chr(34), chr(39))}{behind}"'


def _of(one: Weighed) -> str | None:
    """Return the heading for a memory, empty to decide by its sentence, None to leave it out."""
    entry = one.entry
    if entry.failed:
        return OPEN
    if entry.kind in ("result", "note", "moved"):
        return None
    if entry.kind == "did":
        return DECISIONS if entry.reason else None
    if entry.actor is None and entry.kind in ("said", "thought"):
        said = spoken(entry.text)
        telling = one.reading.question or _WANTS.search(said) or _DECIDES.search(said)
        return "" if (telling and one.reading.words) or one.weight >= TALE else None
    return "" if one.weight >= TALE or (one.reading.question and one.weight >= TALE - 2) else None


def _settle(page: dict[str, list[str]], entries: Sequence[Entry]) -> None:
    """Move the promises that were kept, and remove the questions that were answered."""
    deeds = [read(entry.text).words for entry in entries if entry.kind == "did" and not entry.failed]
    statements = [found.words for entry in entries if not (found := read(spoken(entry.text))).question]
    done = [text for text in page[PENDING] if _is_kept(line(text), deeds)]
    page[PENDING] = [text for text in page[PENDING] if text not in done]
    page[DECISIONS] += done
    page[OPEN] = [text for text in page[OPEN] if not _is_answered(line(text).reading, statements)]


def _is_kept(promise: SummarySentence, deeds: Iterable[frozenset[str]]) -> bool:
    words = promise.reading.words - {"promise", "promised", "swear", "vow"}
    return promise.own and any(_holds(deed, words, _DONE) for deed in deeds)


def _is_answered(question: StatementContent, statements: Iterable[frozenset[str]]) -> bool:
    return question.question and any(_holds(said, question.words, _ANSWERED) for said in statements)


def _answered_at_once(one: Weighed, entries: Sequence[Entry]) -> bool:
    replies = (
        read(spoken(later.text))
        for later in entries[one.place + 1 : one.place + 1 + _AT_ONCE]
        if later.actor != one.entry.actor and later.kind in ("heard", "told", "said")
    )
    return any(not said.question and not said.words.isdisjoint(one.reading.words) for said in replies)


def _holds(what: frozenset[str], words: frozenset[str], share: float) -> bool:
    return bool(words) and len(what & words) >= max(2 if len(words) > 1 else 1, share * len(words))


def _fitted(page: dict[str, list[str]], source: SummarySource) -> str:
    shown = {kind: first_and_last(list(dict.fromkeys(page[kind])), _MOST_NAMES) for kind in _REFERRED}
    references = [
        f"{kind}: {'; '.join(' '.join(name.replace(';', ',').split()) for name in names)}"
        for kind, names in shown.items()
        if names
    ]
    if source.covers is not None:
        first, last = source.covers
        references.append(f"memories {first}-{last}: @archive {first}-{last}")
    while (left := source.max_tokens - estimate(_page({}, references))) < 0 and len(references) > 1:
        references.pop(0)
    if left < 0:
        return ""
    stay: dict[str, list[SummarySentence]] = {}
    for heading in (*_MOST, FACTS):
        lines = [one for one in merged(page[heading]) if source.findings or not read(one.plain).counted]
        lines = lines[-_MOST.get(heading, len(lines)) :]
        share = left if heading == FACTS else min(left, int(_SHARE[heading] * source.max_tokens))
        stay[heading] = [lines[at] for at in kept(lines, share, source.max_sentences)]
        left -= sum(one.tokens + 2 for one in stay[heading])
    while estimate(text := _page(stay, references)) > source.max_tokens:
        worst = min((one.worth, heading, at) for heading in stay for at, one in enumerate(stay[heading]))
        del stay[worst[1]][worst[2]]
    return text


def _page(stay: dict[str, list[SummarySentence]], references: Sequence[str]) -> str:
    parts = []
    for heading in HEADINGS:
        items = references if heading == REFERENCES else [one.text for one in stay.get(heading, ())]
        parts += [f"{heading}:", *(f"- {item}" for item in (items or [_NONE]))]
    return "\n".join(parts)


EXTRACTIVE = Summarizer(
    "extractive", "By rules, at once and without a model: what was said, promised and decided, in its own words.", write
)
