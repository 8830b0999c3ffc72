"""What a thing can do, read from its markdown file: keys of the front matter, and the sections of texts and rules.

Names in rules and links are found later, when all files are known; see `names_in`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from mud.errors import Problem
from mud.storage.documents import Document, markdown_lines
from mud.world.rules import SAME, Rule, RuleError, parse_condition, parse_rule, refs
from mud.world.things import Kind
from mud.world.traits import NO_TRAITS, StateText, Traits

_FLAGS = {
    Kind.ITEM: ("opens", "light", "switch", "wearable", "food"),
    Kind.LOCATION: ("dark", "indoors"),
    Kind.CHARACTER: (),
}
TRAIT_KEYS: Mapping[Kind, tuple[str, ...]] = {
    Kind.ITEM: ("holds", "capacity", "key", "states", *_FLAGS[Kind.ITEM]),
    Kind.LOCATION: ("states", "doors", *_FLAGS[Kind.LOCATION]),
    Kind.CHARACTER: ("states",),
}
_VERB = re.compile(r"(turn o(?:n|ff)|[\w'-]+)\s*:\s*(\S.*)", re.S | re.I)
_WHEN = "when "
Read = TypeVar("Read")
MOST_RULES = 500
"""Rules that one file may hold."""


def read_traits(document: Document, file: str, kind: Kind) -> tuple[Traits, list[Problem]]:
    """Return what a file says that its thing can do, without the names of other things, and every mistake in it."""
    if not document.sections and document.front.keys().isdisjoint(TRAIT_KEYS[kind]):
        return NO_TRAITS, []
    reader = _TraitReader(document, file, kind)
    traits = reader.read()
    return (NO_TRAITS if traits == NO_TRAITS else traits), reader.problems


def names_in(traits: Traits) -> Iterator[tuple[str, str]]:
    """Yield each name that conditions and rules use, and the rule or condition that uses it."""
    for text in traits.texts:
        yield from ((name, text.source) for name in refs(text.condition))
    for rule in traits.rules:
        yield from ((name, rule.source) for name in refs(rule))


class _TraitReader:
    def __init__(self, document: Document, file: str, kind: Kind) -> None:
        self.document, self.file, self.kind = document, file, kind
        self.problems: list[Problem] = []

    def say(self, key: str, message: str, line: int = 0) -> None:
        self.problems.append(Problem(self.file, line or self.document.lines.get(key, 1), key, message))

    def read(self) -> Traits:
        front = self.document.front
        values: dict[str, Any] = {name: self.flag(name) for name in _FLAGS[self.kind] if name in front}
        if self.kind is Kind.ITEM:
            values |= {"holds": self.holds(), "capacity": self.capacity()}
        return Traits(
            **values,
            states=self.states(),
            writing=self.document.section("Text") or "",
            texts=self.texts(),
            verbs=self.verbs(),
            rules=self.rules(),
        )

    def flag(self, name: str) -> bool:
        value = self.document.front[name]
        if not isinstance(value, bool):
            self.say(name, f"{value!r} is neither; expected true or false")
        return value is True

    def holds(self) -> str:
        value = self.document.front.get("holds")
        # In YAML 1.1 `on` is true.
        found = {True: "on", "on": "on", "in": "in", None: ""}.get(
            value if isinstance(value, str | bool | None) else "?"
        )
        if found is None:
            self.say("holds", f"{value!r} is neither; expected in or on")
        return found or ""

    def capacity(self) -> int:
        value = self.document.front.get("capacity", 0)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000:
            return value
        self.say("capacity", f"{value!r} is no number of things; expected a whole number up to 1000, 0 for any number")
        return 0

    def states(self) -> tuple[str, ...]:
        value = self.document.front.get("states")
        given = value if isinstance(value, list) else [] if value is None else [value]
        found = tuple(" ".join(one.casefold().split()) for one in given if isinstance(one, str) and one.strip())
        if len(found) < len(given):
            self.say(
                "states", "a state is no word; expected words such as [open, lit], in quotes where they are on or off"
            )
        return found

    def texts(self) -> tuple[StateText, ...]:
        found = []
        below = markdown_lines(self.document.body, self.document.body_line)
        lines = {one.text[3:].strip().casefold(): one.number for one in below if one.text.startswith("## ")}
        for heading, text in self.document.sections.items():
            if heading.casefold().startswith(_WHEN) and text:
                source = heading[len(_WHEN) :].strip()
                condition = self.parsed(parse_condition, source, heading, lines.get(heading.casefold(), 1))
                if condition is not None:
                    found.append(StateText(source, condition, text))
        return tuple(found)

    def verbs(self) -> tuple[tuple[str, str], ...]:
        found = []
        for item, line in self.document.items("Verbs"):
            verb = _VERB.fullmatch(item)
            if verb:
                known = verb[1].casefold()
                found.append((SAME.get(known, known), verb[2].strip()))
            else:
                self.say("Verbs", f"{item!r} has no text; expected a line such as: - wind: You wind it.", line)
        return tuple(found)

    def rules(self) -> tuple[Rule, ...]:
        items = self.document.items("Rules")
        if len(items) > MOST_RULES:
            self.say("Rules", f"there are {len(items):,} rules; expected at most {MOST_RULES:,}", items[MOST_RULES][1])
        parsed = (self.parsed(parse_rule, item, "Rules", line) for item, line in items[:MOST_RULES])
        return tuple(one for one in parsed if one is not None)

    def parsed(self, parse: Callable[[str], Read], source: str, key: str, line: int) -> Read | None:
        try:
            return parse(source)
        except RuleError as error:
            self.say(key, str(error), line)
            return None
