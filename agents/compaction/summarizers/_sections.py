"""Summaries by rules under six fixed headings, with one line per fact; earlier ones are parsed and carried over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agents.compaction.summarizer import HEADINGS, SummarySource, sections_of
from agents.compaction.summarizers._choice import TALE, Weighed, sentence_of, weighed
from agents.compaction.summarizers._lines import (
    Scene,
    SummarySentence,
    carried,
    first_and_last,
    kept,
    line,
    merged,
    placed,
)
from agents.compaction.summarizers._reading import read, spoken
from agents.compaction.summarizers._telling import LONGEST_QUOTE, closed, ended
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from agents.text.english import flat, sentences
from agents.text.quotations import missing_marks

GOAL, FACTS, DECISIONS, OPEN, PENDING, REFERENCES = HEADINGS
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


@dataclass(slots=True)
class _Page:
    items: dict[str, list[str]] = field(default_factory=lambda: {heading: [] for heading in HEADINGS[:-1]})
    references: dict[str, list[str]] = field(default_factory=lambda: {"people": [], "places": []})

    def refer(self, kind: str, names: Iterable[str]) -> None:
        self.references[kind] = list(dict.fromkeys([*self.references[kind], *names]))


def is_sections(text: str) -> bool:
    return {heading for heading, _ in _headed(text)} >= set(HEADINGS)


def _headed(text: str) -> Iterator[tuple[str, list[str]]]:
    written = {heading.casefold(): heading for heading in HEADINGS}
    for heading, lines in sections_of(text):
        if heading:
            yield written[heading.casefold()], [line for line in lines if line.strip(" .").casefold() != _NONE]


def prose_of(text: str) -> str:
    """Return a summary in sections as sentences; text without a heading is dropped."""
    page = _Page()
    _take_up_sections(page, text)
    scene = str(Scene(tuple(page.references["places"]), tuple(page.references["people"])))
    lines = [ended(one) for heading in HEADINGS[:-1] for one in page.items[heading]]
    return "\n".join(filter(None, (scene, *lines)))


def in_sections(source: SummarySource) -> str:
    """Return the summary of a source in sections; empty if the headings alone exceed the limit."""
    page = _Page()
    for text in source.earlier:
        if is_sections(text):
            _take_up_sections(page, text)
        elif text.strip():
            _take_up_prose(page, text, source.name)
    _add(page, source)
    return _written(page, source)


def _take_up_sections(page: _Page, text: str) -> None:
    for heading, lines in _headed(text):
        for one in lines:
            if heading != REFERENCES:
                page.items[heading] += [sentence for sentence in sentences(one) if closed(sentence)]
            elif one.startswith(("people: ", "places: ")):
                kind, _, names = one.partition(": ")
                page.refer(kind, filter(None, map(str.strip, names.split("; "))))


def _take_up_prose(page: _Page, text: str, name: str) -> None:
    prose = carried([text], name)
    for scene in prose.scenes:
        page.refer("people", scene.people)
        page.refer("places", scene.places)
    for one in prose.lines:
        page.items[_heading(one)].append(one.text)


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


def _add(page: _Page, source: SummarySource) -> None:
    entries = source.entries
    if not entries:
        return
    for one in weighed(entries, source.name):
        heading = _of(one)
        if heading is None or (one.reading.question and _answered_at_once(one, entries)):
            continue
        text = _asked(one) if one.reading.question else sentence_of(one, source.name)
        if text:
            page.items[heading or _heading(line(ended(text)))].append(ended(text))
    _settle(page, entries)
    page.refer("people", (entry.actor for entry in entries if entry.actor and entry.actor != source.name))
    page.refer("places", (placed(entry.place) for entry in entries if entry.place))


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


def _settle(page: _Page, entries: Sequence[Entry]) -> None:
    deeds = [read(entry.text).words for entry in entries if entry.kind == "did" and not entry.failed]
    done = [text for text in page.items[PENDING] if _is_kept(line(text), deeds)]
    page.items[PENDING] = [text for text in page.items[PENDING] if text not in done]
    page.items[DECISIONS] += done
    statements = [found.words for entry in entries if not (found := read(spoken(entry.text))).question]
    page.items[OPEN] = [text for text in page.items[OPEN] if not _is_answered(line(text), statements)]


def _is_kept(promise: SummarySentence, deeds: Iterable[frozenset[str]]) -> bool:
    words = promise.reading.words - {"promise", "promised", "swear", "vow"}
    return promise.own and any(_holds(deed, words, _DONE) for deed in deeds)


def _is_answered(question: SummarySentence, statements: Iterable[frozenset[str]]) -> bool:
    found = question.reading
    return found.question and any(_holds(said, found.words, _ANSWERED) for said in statements)


def _answered_at_once(one: Weighed, entries: Sequence[Entry]) -> bool:
    replies = (
        read(spoken(later.text))
        for later in entries[one.place + 1 : one.place + 1 + _AT_ONCE]
        if later.actor != one.entry.actor and later.kind in ("heard", "told", "said")
    )
    return any(not said.question and not said.words.isdisjoint(one.reading.words) for said in replies)


def _holds(what: frozenset[str], words: frozenset[str], share: float) -> bool:
    return bool(words) and len(what & words) >= max(2 if len(words) > 1 else 1, share * len(words))


def _written(page: _Page, source: SummarySource) -> str:
    references = list(_references(page, source.covers))
    while (left := source.max_tokens - estimate(_page({}, references))) < 0 and len(references) > 1:
        references.pop(0)
    if left < 0:
        return ""
    stay: dict[str, list[SummarySentence]] = {}
    for heading in (*_MOST, FACTS):
        lines = merged(page.items[heading])
        if not source.findings:
            lines = [one for one in lines if not read(one.plain).counted]
        lines = lines[-_MOST.get(heading, len(lines)) :]
        share = left if heading == FACTS else min(left, int(_SHARE[heading] * source.max_tokens))
        stay[heading] = [lines[at] for at in kept(lines, share, source.max_sentences)]
        left -= sum(one.tokens + 2 for one in stay[heading])
    while estimate(text := _page(stay, references)) > source.max_tokens:
        worst = min((one.worth, heading, at) for heading in stay for at, one in enumerate(stay[heading]))
        del stay[worst[1]][worst[2]]
    return text


def _references(page: _Page, covers: tuple[int, int] | None) -> Iterator[str]:
    for kind, names in page.references.items():
        if names:
            shown = first_and_last(names, _MOST_NAMES)
            yield f"{kind}: {'; '.join(' '.join(name.replace(';', ',').split()) for name in shown)}"
    if covers is not None:
        first, last = covers
        yield f"memories {first}-{last}: @archive {first}-{last}"


def _page(stay: dict[str, list[SummarySentence]], references: Sequence[str]) -> str:
    parts = []
    for heading in HEADINGS:
        items = references if heading == REFERENCES else [one.text for one in stay.get(heading, ())]
        parts += [f"{heading}:", *(f"- {item}" for item in (items or [_NONE]))]
    return "\n".join(parts)
