r"""Intents as data: the notation of patterns, and the files of `vault/instinct` that hold them.

A pattern is a list of words. `(a|b c)` is one of several, `[a|b]` may be left out, `{slot}` stands for words of the
sentence: `{person}` a name or "she", `{who}` also "I" and "you", `{place}` `{thing}` `{name}` a few words without a
verb, `{topic}` and `{text}` any, `{few}` one or two of no interest; `{kin}` or another list is one of its words. A
pattern covers a sentence as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from agents.brains._texts import TEXTS
from agents.brains.instinct.words import LISTS, PAIRS, Words
from mud.errors import Problem
from mud.registry import hint
from mud.storage.documents import Document, examine_document

WANTS = ("nothing", "memory", "self", "place", "people", "way", "deed")
ASKS = ("", "what", "who", "when", "where", "number", "why", "name", "colour", "yes")
CHOICES = {"type": ("intent",), "wants": WANTS, "asks": ASKS}
"""What a key of an intent may hold; the first where it is left out."""
FRONT = (*CHOICES, "texts", "last")
PERSON, STRANGER = "\x01", "\x02"
"""What a word begins with that is a name: one that is known, and one that only its capital shows."""
MANY = 1 << 10
"""No bound of the words in a slot."""
SLOTS = {"person": 0, "who": 0, "place": 5, "thing": 6, "name": 3, "topic": MANY, "text": MANY, "few": 2}
"""How many words a slot holds at most; 0 where they are a name or of a list."""
WITH_VERBS = frozenset({"topic", "text", "few"})
"""Slots that may hold any word."""
LISTED = {"person": ("person",), "who": ("person", "self")}
"""The lists whose words stand for a name in a slot."""
Items = tuple[tuple[str, int], ...]
"""The items of a list, each with the number of its line."""
_MARK = re.compile(r"\{\w*\}?|'s\b|[^\W_]+(?:-[^\W_]+|'(?!s\b)[^\W_]+)*|\S")
_BRACKETS = {"(": ")", "[": "]"}
_SIGNS = frozenset("()[]|")
_SPOKEN = {"is": ("is", "'s"), "'s": ("'s", "is"), "has": ("has", "is", "'s")}
"""How a word may be said: "who's" may be who is and who has."""


class Slot(NamedTuple):
    """What is in a slot of a pattern: how many words of a sentence, from the first on."""

    name: str
    first: int
    size: int


class Pattern:
    """A pattern of the notation. Raises ValueError with what is wrong with it.

    Args:
        source: the pattern as written.
        words: the word lists.
    """

    def __init__(self, source: str, words: Words) -> None:
        self._words = words
        marks = _MARK.findall(source.casefold().replace("’", "'"))
        self._marks = [*chain.from_iterable(map(words.parts, marks))]
        self.needed, self.opens = self._needed()
        """Sets of words of which a sentence that fits has one each, and those it begins with, where this is sure."""
        if not self.needed:
            raise ValueError("it has no word that every sentence of it would have; expected at least one")

    @property
    def literals(self) -> list[str]:
        """The words of the pattern, each time it has them."""
        return [mark for mark in self._marks if _is_word(mark)]

    def _needed(self) -> tuple[list[frozenset[str]], frozenset[str]]:
        needed: list[frozenset[str]] = []
        opens: frozenset[str] | None = None
        depth, firsts = 0, [""]  # the first word of each of several
        for mark in self._checked():
            if mark in _BRACKETS:
                firsts = firsts if depth else [""]
                depth += 1
            elif mark in (")", "]"):
                depth -= 1
                if mark == ")" and not depth and all(firsts):
                    needed.append(frozenset().union(*map(_spoken, firsts)))
            elif mark == "|":
                firsts += [""] * (depth == 1)
            elif not depth and mark[0] != "{":
                needed.append(_spoken(mark))
            elif depth == 1 and not firsts[-1] and mark[1:-1] not in SLOTS:
                firsts[-1:] = [item[0] for item in self._words.items(mark[1:-1])] if mark[0] == "{" else [mark]
            if opens is None and not depth:
                opens = needed[0] if needed else frozenset()
        return needed, opens or frozenset()

    def _checked(self) -> Iterator[str]:
        """Yield the marks; raise ValueError at one that is wrong."""
        closing: list[str] = []
        before = "("
        for mark in self._marks:
            if mark in _BRACKETS:
                closing.append(_BRACKETS[mark])
            elif mark in _SIGNS and closing and mark in ("|", closing[-1]):
                if before in ("(", "[", "|"):
                    raise ValueError("nothing stands beside a |; expected words, or [ ] around what may be left out")
                if mark != "|":
                    closing.pop()
            elif mark[0] == "{" and mark[1:-1] not in SLOTS and mark[1:-1] not in LISTS:
                near = hint(mark.strip("{}"), SLOTS)
                raise ValueError(f"{mark} is no slot; expected one of {', '.join(SLOTS)}{near}")
            elif mark[0] != "{" and not _is_word(mark):
                raise ValueError(f"{mark} is no part of a pattern; expected words, ( | ), [ ] and {{slot}}")
            before = mark
            yield mark
        if closing:
            raise ValueError(f"a bracket is not closed; expected {closing[-1]}")

    @cached_property
    def _steps(self) -> tuple[list[list[_Step]], int]:
        """The steps from each state, of which the last is tried first, and the last state."""
        made = _States()
        opened: list[tuple[str, int, int]] = []
        at = 0
        for mark in self._marks:
            if mark in _BRACKETS:
                opened.append((mark, at, made.new()))
                at = made.step(at)
            elif mark == "|":
                _, start, end = opened[-1]
                made.step(at, to=end)
                at = made.step(start)
            elif mark in (")", "]"):
                bracket, start, end = opened.pop()
                made.step(at, to=end)
                if bracket == "[":
                    made.step(start, to=end)
                at = end
            elif mark[0] == "{":
                at = made.slot(at, mark[1:-1], self._words)
            else:
                at = made.step(at, _spoken(mark).__contains__)
        return [some[::-1] for some in made.steps], at

    def fits(self, words: Sequence[str]) -> list[Slot] | None:
        """Return what is in the slots if the words of a sentence fit as a whole; else None."""
        return self._walk(words, 0, whole=True)

    def within(self, words: Sequence[str]) -> bool:
        """Return whether a part of some words fits."""
        if any(one.isdisjoint(words) for one in self.needed):
            return False
        return any(self._walk(words, at, whole=False) is not None for at in range(len(words)))

    # Every line of every agent comes through here: calls in it take half of the time.
    def _walk(self, words: Sequence[str], start: int, *, whole: bool) -> list[Slot] | None:  # noqa: C901
        """Return the slots of the first way through the pattern; None if there is none.

        From a state with a choice the way is looked for once at each word, so that no pattern, whoever wrote it, takes
        long.
        """
        steps, last = self._steps
        size = len(words)
        seen: set[tuple[int, int]] = set()
        waiting: list[tuple[int, int, _Path]] = [(0, start, ())]
        while waiting:
            state, at, path = waiting.pop()
            while state != last or (whole and at < size):
                choice = steps[state]
                if len(choice) != 1:
                    if not choice or (state, at) in seen:
                        break
                    seen.add((state, at))
                    for fits, slot, to in choice[:-1]:
                        if fits is None:
                            waiting.append((to, at, (slot, at, path) if slot else path))
                        elif at < size and fits(words[at]):
                            waiting.append((to, at + 1, path))
                fits, slot, state = choice[-1]
                if slot:
                    path = (slot, at, path)
                if fits is not None:
                    if at == size or not fits(words[at]):
                        break
                    at += 1
            else:
                return _slots(path)
        return None


class _Step(NamedTuple):
    """A step from one state to another: over a word that fits, or over none where `fits` is None.

    A slot begins or ends at a step with its name.
    """

    fits: Callable[[str], bool] | None
    slot: str
    to: int


class _States:
    """The states of a pattern while it is read."""

    def __init__(self) -> None:
        self.steps: list[list[_Step]] = [[]]

    def new(self) -> int:
        """Return a new state."""
        self.steps.append([])
        return len(self.steps) - 1

    def step(self, at: int, fits: Callable[[str], bool] | None = None, to: int = -1, slot: str = "") -> int:
        """Add a step, to a new state unless told otherwise, and return where it leads."""
        to = self.new() if to < 0 else to
        self.steps[at].append(_Step(fits, slot, to))
        return to

    def slot(self, at: int, name: str, words: Words) -> int:
        """Add a slot or a list of words, and return the state behind it."""
        kept = name if name in SLOTS else ""
        at, end = self.step(at, slot=kept), self.new()
        if not SLOTS.get(name):
            if name in LISTED:
                self.step(at, _is_name, end)
            items = [item for some in LISTED.get(name, (name,)) for item in words.items(some)]
            self.step(at, frozenset(item[0] for item in items if len(item) == 1).__contains__, end)
            for item in (item for item in items if len(item) > 1):
                before = at
                for word in item[:-1]:
                    before = self.step(before, _spoken(word).__contains__)
                self.step(before, _spoken(item[-1]).__contains__, end)
            return self.step(end, slot=kept)
        verbal = words.of("verbal")
        fits = _is_any if name in WITH_VERBS else lambda word: word not in verbal
        if SLOTS[name] == MANY:
            at = self.step(at, fits)
            self.step(at, to=end)
            self.step(at, fits, at)
        for _ in range(SLOTS[name] if SLOTS[name] < MANY else 0):
            at = self.step(at, fits)
            self.step(at, to=end)  # as few words as may be
        return self.step(end, slot=kept)


_Path = tuple[str, int, "_Path"] | tuple[()]
"""Where slots begin and end on a way, the last first: a slot's name, the number of the word, and what was before."""


def _slots(path: _Path) -> list[Slot]:
    found: list[Slot] = []
    while path:
        name, end, before = path
        assert before
        _, first, path = before
        found.insert(0, Slot(name, first, end - first))
    return found


def _is_name(word: str) -> bool:
    return word[0] in (PERSON, STRANGER)


def _is_any(word: str) -> bool:
    return True


def _spoken(word: str) -> frozenset[str]:
    return frozenset(_SPOKEN.get(word, (word,)))


def _is_word(mark: str) -> bool:
    return mark[0].isalnum() or mark == "'s"


class Intent(NamedTuple):
    """One thing that somebody may want by a sentence; `last` is tried only when no example is near, either."""

    name: str
    wants: str
    asks: str
    texts: tuple[str, ...]
    last: bool = False
    patterns: tuple[Pattern, ...] = ()
    examples: Items = ()
    counterexamples: Items = ()


def parse_intent(source: str, file: str, words: Words) -> tuple[Intent, list[Problem]]:
    """Read one file of an intent; return what of it is right, and what is wrong."""
    document, problems = _document(source, file)
    intent = _front(document, file, problems)._replace(name=file.rpartition("/")[2].removesuffix(".md"))
    patterns: list[Pattern] = []
    lists = dict.fromkeys(("patterns", "examples", "counterexamples"), Items())
    for heading, line, items in sections(document):
        if heading not in lists:
            message = f"no such section of an intent; expected {', '.join(lists)}{hint(heading, lists)}"
            problems.append(Problem(file, line, heading, message))
        else:
            lists[heading] += items
    for text, line in lists["patterns"]:
        try:
            patterns.append(Pattern(text, words))
        except ValueError as error:
            problems.append(Problem(file, line, text, str(error)))
    if not (lists["patterns"] or lists["examples"]) and not problems:
        problems.append(Problem(file, 0, "", "it has neither patterns nor examples; expected a list of one"))
    examples, against = lists["examples"], lists["counterexamples"]
    return intent._replace(patterns=tuple(patterns), examples=examples, counterexamples=against), problems


def _front(document: Document, file: str, problems: list[Problem]) -> Intent:
    """Return an intent by the front matter of its file alone; add what is wrong with it to the problems."""
    front, found = document.front, dict[str, str]()

    def wrong(key: str, message: str) -> None:
        problems.append(Problem(file, document.lines.get(key, 1), key, message))

    for key in front:
        if key not in FRONT:
            wrong(key, f"an intent has no such key; expected {', '.join(FRONT)}{hint(key, FRONT)}")
    for key, choices in CHOICES.items():
        value = str(front.get(key) or choices[0])
        found[key] = value if value in choices else choices[0]
        if value not in choices:
            wrong(key, f"expected one of {', '.join(filter(None, choices))}, not {value}{hint(value, choices)}")
    texts = front.get("texts") or []
    if not isinstance(texts, list):
        wrong("texts", "expected a list of texts, such as [unknown.plain]")
        texts = []
    for text in (text for text in texts if text not in TEXTS):
        wrong("texts", f"the instinct has no text {text}{hint(str(text), TEXTS)}")
    kept = tuple(text for text in texts if text in TEXTS)
    return Intent("", found["wants"], found["asks"], kept, front.get("last") is True)


def _document(source: str, file: str) -> tuple[Document, list[Problem]]:
    """Parse a file; a front matter of words and lists of words is read at once, as YAML takes most time of a start."""
    head, closed, body = source.removeprefix("---\n").partition("\n---\n")
    front: dict[str, object] = {}
    pairs = [line.partition(": ") for line in head.split("\n")] if closed and source.startswith("---\n") else []
    for key, _, value in pairs:
        words = [word.strip() for word in value.strip("[]").split(",")]
        if not key.isidentifier() or not all(word.replace(".", "_").isidentifier() for word in words):
            break
        front[key] = words if value[0] == "[" and value[-1] == "]" else value == "true" or value
    if not pairs or len(front) < len(pairs):
        return examine_document(source, file)
    lines = {key: number for number, key in enumerate(front, 2)}
    return Document(front, lines, body, len(lines) + 3), []


def parse_words(files: Mapping[str, str]) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """Read files of word lists, a section for each; return the lists by name, and what is wrong."""
    found: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []
    strange: list[Problem] = []
    for file, source in files.items():
        document, wrong = _document(source, file)
        problems += wrong
        for heading, line, items in sections(document):
            if heading not in LISTS:
                strange.append(Problem(file, line, heading, "nothing reads such a list"))
            for item, at in items if heading in PAIRS else ():
                if not all(part.strip() for part in item.partition(":")[::2]):
                    problems.append(Problem(file, at, item, "expected a word, a colon and its forms"))
            found[heading] = found.get(heading, ()) + tuple(item for item, _ in items)
    missing = [name for name in LISTS if name not in found]
    near = ((one, hint(one.key, missing)) for one in strange)
    return found, [*problems, *(replace(one, message=one.message + meant) for one, meant in near if meant)]


def sections(document: Document) -> Iterator[tuple[str, int, Items]]:
    """Yield the heading of each section in lower case, its line, and its items; an indented line goes on with one."""
    heading, at, fenced, items = "", 0, False, list[tuple[str, int]]()
    for number, line in enumerate(document.body.split("\n"), document.body_line):
        fenced ^= line.startswith(("```", "~~~"))
        if line.startswith("## ") and not fenced:
            if heading:
                yield heading, at, tuple(items)
            heading, at, items = line[3:].strip().casefold(), number, []
        elif line.startswith(("- ", "* ")) and not fenced:
            items.append((line[2:].strip(), number))
        elif line.startswith("  ") and items and not fenced:
            items[-1] = (f"{items[-1][0]} {line.strip()}", items[-1][1])
    if heading:
        yield heading, at, tuple(items)
