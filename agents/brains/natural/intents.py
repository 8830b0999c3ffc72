r"""Intents as data: the notation of patterns, and the files of `vault/instinct` that hold them.

A pattern is a list of words. `(a|b c)` is one of several, `[a|b]` may be left out, `{slot}` stands for words of the
sentence: `{person}` a name or "she", `{who}` also "I" and "you", `{place}` `{thing}` `{name}` a few words without a
verb, `{topic}` and `{text}` any, `{few}` one or two of no interest. A pattern covers a sentence as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from agents.brains._texts import TEXTS
from agents.brains.natural.words import LISTS, PAIRS, Words
from mud.errors import Problem
from mud.registry import hint
from mud.storage.documents import Document, examine_document, markdown_lines

WANTS = ("memory", "self", "place", "people", "way", "deed", "nothing")
ASKS = ("", "what", "who", "when", "where", "number", "why", "name", "colour", "yes")
PERSON, STRANGER = "\x01", "\x02"
"""What stands before a name in a normalized sentence: one that is known, and a capital that only a name explains."""
SLOTS = {
    "person": f"(?:[{PERSON}{STRANGER}]\\S+|{{person}}) ",
    "who": f"(?:[{PERSON}{STRANGER}]\\S+|{{person}}|{{self}}) ",
    "place": r"(?:(?!(?:{verbal}) )\S+ ){1,5}?",
    "thing": r"(?:(?!(?:{verbal}) )\S+ ){1,6}?",
    "name": r"(?:(?!(?:{verbal}) )\S+ ){1,3}?",
    "topic": r"(?:\S+ )+?",
    "text": r"(?:\S+ )+?",
    "few": r"(?:\S+ ){1,2}?",
}
Items = tuple[tuple[str, int], ...]
"""The items of a list, each with the number of its line."""
KEYS = {"who": "person"}
"""Under which name a slot's words are found, where it is not its own."""
_MARK = re.compile(r"\{\w*\}?|'s\b|[^\W_]+(?:-[^\W_]+|'(?!s\b)[^\W_]+)*|\S")


class Pattern:
    """A pattern of the notation. Raises ValueError with what is wrong with it.

    Args:
        source: the pattern as written.
        words: the word lists.
        line: where it stands in its file.
    """

    def __init__(self, source: str, words: Words, line: int = 0) -> None:
        self.source, self.line = source, line
        self.literals: set[str] = set()
        self._words, self._groups = words, 0
        self._marks = [found[0] for found in _MARK.finditer(words.expand(source).casefold().replace("’", "'"))]
        self._regex, self.needed = self._alternatives("")
        """`needed` holds sets of words; a sentence that fits has a word of each."""
        if not self.needed:
            raise ValueError("it has no word that every sentence of it would have; expected at least one")

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self._regex)

    def fits(self, line: str) -> re.Match[str] | None:
        """Return how a normalized sentence, each word with a blank behind it, fits as a whole."""
        return self._whole.fullmatch(line)

    def within(self, line: str) -> bool:
        """Return whether a part of a normalized sentence fits."""
        return re.search(rf"(?:^|(?<= )){self._regex}", line) is not None

    def _alternatives(self, end: str) -> tuple[str, list[set[str]]]:
        """Read up to a closing bracket; return the regular expression, and sets of words of which one is needed."""
        parts: list[tuple[str, list[set[str]]]] = [("", [])]
        while self._marks and (mark := self._marks.pop(0)) != end:
            if mark == "|":
                parts.append(("", []))
                continue
            regex, needed = self._item(mark)
            parts[-1] = (parts[-1][0] + regex, [*parts[-1][1], *needed])
            if not self._marks and end:
                raise ValueError(f"a bracket is not closed; expected {end}")
        if len(parts) == 1:
            return parts[0]
        if not all(regex for regex, _ in parts):
            raise ValueError("nothing stands beside a |; expected words, or [ ] around what may be left out")
        best = [min(needed, key=len) for _, needed in parts if needed]
        joined = "|".join(regex for regex, _ in parts)
        return f"(?:{joined})", [set().union(*best)] if len(best) == len(parts) else []

    def _item(self, mark: str) -> tuple[str, list[set[str]]]:
        if mark == "(":
            return self._alternatives(")")
        if mark == "[":
            return f"(?:{self._alternatives(']')[0]})?", []
        if mark.startswith("{"):
            return self._slot(mark), []
        if not mark[0].isalnum() and mark != "'s":
            raise ValueError(f"{mark} is no part of a pattern; expected words, ( | ), [ ] and {{slot}}")
        self.literals.add(mark)
        return ("(?:is|'s) " if mark == "is" else f"{re.escape(mark)} "), [{mark, "'s"} if mark == "is" else {mark}]

    def _slot(self, mark: str) -> str:
        name = mark.strip("{}")
        if name not in SLOTS or not mark.endswith("}"):
            raise ValueError(f"{mark} is no slot; expected one of {', '.join(SLOTS)}{hint(name, SLOTS)}")
        self._groups += 1
        lists = {key: "|".join(sorted(self._words.of(key))) or "(?!)" for key in ("person", "self", "verbal")}
        regex = SLOTS[name]
        for key, choices in lists.items():
            regex = regex.replace(f"{{{key}}}", choices)
        return f"(?P<{name}_{self._groups}>{regex})"


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
    document, problems = examine_document(source, file)
    front = _FrontReader(document, file, problems)
    front.only("type", "wants", "asks", "texts", "last")
    front.choice("type", ("intent",), "")
    patterns: list[Pattern] = []
    lists = dict.fromkeys(("patterns", "examples", "counterexamples"), Items())
    for heading, line, items in sections(document.body, document.body_line):
        if heading not in lists:
            message = f"no such section of an intent; expected {', '.join(lists)}{hint(heading, lists)}"
            problems.append(Problem(file, line, heading, message))
        else:
            lists[heading] += items
    for text, line in lists["patterns"]:
        try:
            patterns.append(Pattern(text, words, line))
        except ValueError as error:
            problems.append(Problem(file, line, text, str(error)))
    if not (lists["patterns"] or lists["examples"]) and not problems:
        problems.append(Problem(file, 0, "", "it has neither patterns nor examples; expected a list of one"))
    name = file.rpartition("/")[2].removesuffix(".md")
    wants, asks = front.choice("wants", WANTS, "nothing"), front.choice("asks", ASKS, "")
    intent = Intent(name, wants, asks, front.texts(), document.front.get("last") is True, tuple(patterns))
    return intent._replace(examples=lists["examples"], counterexamples=lists["counterexamples"]), problems


class _FrontReader:
    """Reads the front matter of an intent and takes down what is wrong."""

    def __init__(self, document: Document, file: str, problems: list[Problem]) -> None:
        self._front, self._lines, self._file, self._problems = document.front, document.lines, file, problems

    def _wrong(self, key: str, message: str) -> None:
        self._problems.append(Problem(self._file, self._lines.get(key, 1), key, message))

    def only(self, *keys: str) -> None:
        for key in self._front:
            if key not in keys:
                self._wrong(key, f"an intent has no such key; expected {', '.join(keys)}{hint(key, keys)}")

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        value = str(self._front.get(key) or default)
        if value in (default, *choices):
            return value
        self._wrong(key, f"expected one of {', '.join(filter(None, choices))}, not {value}{hint(value, choices)}")
        return default

    def texts(self) -> tuple[str, ...]:
        found = self._front.get("texts") or []
        if not isinstance(found, list):
            self._wrong("texts", "expected a list of texts, such as [unknown.plain]")
            return ()
        for text in found:
            if text not in TEXTS:
                self._wrong("texts", f"the instinct has no text {text}{hint(str(text), TEXTS)}")
        return tuple(text for text in found if text in TEXTS)


def parse_words(files: Mapping[str, str]) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """Read files of word lists, a section for each; return the lists by name, and what is wrong."""
    found: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []
    strange: list[Problem] = []
    for file, source in files.items():
        document, wrong = examine_document(source, file)
        problems += wrong
        for heading, line, items in sections(document.body, document.body_line):
            if heading not in LISTS:
                strange.append(Problem(file, line, heading, "nothing reads such a list"))
            for item, at in items if heading in PAIRS else ():
                if not all(part.strip() for part in item.partition(":")[::2]):
                    problems.append(Problem(file, at, item, "expected a word, a colon and its forms"))
            found[heading] = found.get(heading, ()) + tuple(item for item, _ in items)
    missing = [name for name in LISTS if name not in found]
    near = ((one, hint(one.key, missing)) for one in strange)
    return found, [*problems, *(replace(one, message=one.message + meant) for one, meant in near if meant)]


def sections(body: str, first: int) -> Iterator[tuple[str, int, Items]]:
    """Yield the heading of each section in lower case, its line, and its items; an indented line goes on with one."""
    heading, at, items = "", 0, list[tuple[str, int]]()
    for line in markdown_lines(body, first):
        if line.fenced:
            continue
        if line.text.startswith("## "):
            if heading:
                yield heading, at, tuple(items)
            heading, at, items = line.text[3:].strip().casefold(), line.number, []
        elif line.text.startswith(("- ", "* ")):
            items.append((line.text[2:].strip(), line.number))
        elif line.text.startswith("  ") and items:
            items[-1] = (f"{items[-1][0]} {line.text.strip()}", items[-1][1])
    if heading:
        yield heading, at, tuple(items)
