"""The language of rules and conditions that stand in the files of things. Pure; nothing in it runs code.

A rule is one line: `when TRIGGER: EFFECT; EFFECT`, or `when TRIGGER if CONDITION: EFFECT; EFFECT`.

- A trigger is what somebody does: `wind` (to this thing), `put bronze fin on it`, `say "sesame"`, `enter`; what becomes
  of a thing: `it becomes lit`, `oak door becomes not open`; or what begins: `night begins`, `rain begins`.
- A condition is `lit` (this thing), `not lit`, `oak door is open`, `fin is on it`, `actor has brass key`, `actor is in
  The Loft`, `time is night`, `weather is rain`, `chance 1 in 6`, or several with `and`, or with `or`, which is weaker.
- An effect is `it becomes lit`, `it becomes not lit`, `say "..."`, `say "..." in The Loft`, `tell "..."` (to the actor
  alone), `refuse "..."` (instead of what was tried), `move fin to here`, `remove it`, `make candle`, `make candle in
  box`, `describe it "..."`, `exit down leads to The Cellar`, `exit down of The Hall is gone`, and, at the end,
  `after 10 seconds: EFFECT; EFFECT`.

`it` is the thing with the rule, `actor` who acts, `here` where, `anything` any thing, in a trigger. Others go by name,
by `[[name]]` or by id. In texts `{actor}` and `{it}` stand for names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from mud.world.almanac import PARTS_OF_DAY

IT, ACTOR, HERE, ANYTHING = "it", "actor", "here", "anything"
SPECIAL = frozenset({IT, ACTOR, HERE, ANYTHING})
RELATIONS = ("in", "on", "at", "into", "onto", "to", "from", "with")
_MEANS = {"into": "in", "onto": "on", "inside": "in", "by": "at", "beside": "at"}
SAME = {
    "get": "take", "pick": "take", "shut": "close", "douse": "extinguish", "snuff": "extinguish", "don": "wear",
    "doff": "remove", "l": "look", "x": "examine", "ex": "examine", "switch": "turn", "place": "put",
}  # fmt: skip
"""Verbs that are done as another, which is what rules see."""
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
LONGEST_RULE = 2_000  # characters
LONGEST_AFTER = 30 * 86_400  # seconds
DEEPEST_AFTER = 4  # one after within another
MOST_EFFECTS = 40

_TOKEN = re.compile(
    r'\s*(?:"(?P<text>[^"]*)"|\[\[(?P<link>[^\[\]]+)\]\]|(?P<mark>[;:])|(?P<word>[^\s;:"\[\]]+)|(?P<wrong>\S))'
)
_QUOTES = str.maketrans("\u201c\u201d\u201e", '"""')
_ARTICLES = frozenset({"the", "a", "an"})


def relation_of(word: str) -> str:
    """Return the relation that a word stands for, such as `in` for `into`; the word itself otherwise."""
    return _MEANS.get(word, word)


SPOKEN = ("say", "shout")


class RuleError(ValueError):
    """A rule or a condition that cannot be read; the message says what is wrong and what was expected."""


class Ref(NamedTuple):
    """A thing that a rule names: `it`, `actor`, `here`, or a name, which `bind` replaces by an id."""

    name: str


# ---- conditions ----


class Is(NamedTuple):
    """A state holds of a thing."""

    thing: Ref
    state: str


class Within(NamedTuple):
    """A thing is in, on or at another, or in a location; `at` takes any depth."""

    thing: Ref
    relation: str
    other: Ref


class Almanac(NamedTuple):
    """The `time` of day or the `weather` is this one."""

    what: str
    value: str


class Chance(NamedTuple):
    """So many times in so many, by lot."""

    times: int
    of: int


class Not(NamedTuple):
    condition: Condition


class Every(NamedTuple):
    conditions: tuple[Condition, ...]


class Some(NamedTuple):
    conditions: tuple[Condition, ...]


Condition = Is | Within | Almanac | Chance | Not | Every | Some

# ---- triggers ----


class Does(NamedTuple):
    """Somebody does something, to any thing (None) or to this one, with or without another."""

    verb: str
    thing: Ref | None = None
    relation: str = ""
    other: Ref | None = None
    words: str = ""


class Becomes(NamedTuple):
    """A state begins, or ends, to hold of a thing."""

    thing: Ref
    state: str
    on: bool


class Begins(NamedTuple):
    """A time of day or a weather begins."""

    what: str


Trigger = Does | Becomes | Begins

# ---- effects ----


class Tell(NamedTuple):
    """A text for everybody in a location, or for the actor alone."""

    text: str
    place: Ref | None = None
    actor_only: bool = False


class Refuse(NamedTuple):
    text: str


class MoveThing(NamedTuple):
    thing: Ref
    to: Ref


class RemoveThing(NamedTuple):
    thing: Ref


class Make(NamedTuple):
    """A copy of a thing comes into being in another, or in a location."""

    thing: Ref
    into: Ref


class Describe(NamedTuple):
    thing: Ref
    text: str


class SetExit(NamedTuple):
    """An exit of a location leads somewhere else, or nowhere any more (None)."""

    place: Ref
    name: str
    to: Ref | None


class After(NamedTuple):
    """Effects that come later. `source` is their text, which is kept until then."""

    seconds: float
    effects: tuple[Effect, ...]
    source: str


Effect = Becomes | Tell | Refuse | MoveThing | RemoveThing | Make | Describe | SetExit | After


class Rule(NamedTuple):
    trigger: Trigger
    condition: Condition | None
    effects: tuple[Effect, ...]
    source: str


# ---- reading ----


class _RuleToken(NamedTuple):
    kind: str
    text: str
    at: int

    @property
    def key(self) -> str:
        """The word as a keyword; "" for what is no word."""
        return self.text.casefold() if self.kind == "word" else ""


def _tokens(source: str) -> list[_RuleToken]:
    if len(source) > LONGEST_RULE:
        raise RuleError(f"it is {len(source):,} characters long; expected at most {LONGEST_RULE:,}")
    found = []
    for one in _TOKEN.finditer(source.translate(_QUOTES).rstrip()):
        kind = one.lastgroup or "wrong"
        if kind == "wrong":
            what = "a quotation mark without its end" if one[kind] == '"' else f"{one[kind]!r} means nothing here"
            raise RuleError(f"{what}, at character {one.start(kind) + 1}")
        found.append(_RuleToken(kind, one[kind].strip(), one.start(kind)))
    return found


class _Reader:
    """Reads the tokens of one rule."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = _tokens(source)

    def rule(self) -> Rule:
        some = self.tokens
        if not some or some[0].key != "when":
            raise RuleError("a rule begins with when; expected: when TRIGGER: EFFECT")
        colon = next((at for at, one in enumerate(some) if one.kind == "mark" and one.text == ":"), None)
        if colon is None:
            raise RuleError("there is no colon; expected: when TRIGGER: EFFECT")
        head, rest = some[1:colon], some[colon + 1 :]
        cut = next((at for at, one in enumerate(head) if one.key == "if"), len(head))
        condition = _condition(head[cut + 1 :]) if cut < len(head) else None
        rule = Rule(_trigger(head[:cut]), condition, self.effects(rest, 0), self.source)
        if not isinstance(rule.trigger, Does) and any(isinstance(one, Refuse) for one in rule.effects):
            raise RuleError("nobody does anything then; expected refuse only where somebody does something")
        return rule

    def effects(self, some: list[_RuleToken], depth: int) -> tuple[Effect, ...]:
        found: list[Effect] = []
        while some:
            end = next((at for at, one in enumerate(some) if one.kind == "mark"), len(some))
            if some[0].key == "after":
                found.append(self.after(some, end, depth))
                break
            if end < len(some) and some[end].text == ":":
                raise RuleError(f"there is a colon after {_shown(some[:end])!r}; expected one after: after N seconds")
            found.append(_effect(some[:end]))
            if depth and isinstance(found[-1], Refuse):
                raise RuleError("it is too late to refuse after a wait; expected refuse before it")
            some = some[end + 1 :]
        if not found:
            raise RuleError("there is no effect; expected one after the colon")
        if len(found) > MOST_EFFECTS:
            raise RuleError(f"there are {len(found)} effects; expected at most {MOST_EFFECTS}")
        return tuple(found)

    def after(self, some: list[_RuleToken], colon: int, depth: int) -> After:
        span, wanted = some[1:colon], "expected: after 10 seconds: EFFECT"
        if colon >= len(some) or some[colon].text != ":" or len(span) != 2:
            raise RuleError(wanted)
        if depth == DEEPEST_AFTER:
            raise RuleError(f"there are more than {DEEPEST_AFTER} waits one after the other; expected fewer")
        unit = UNITS.get(span[1].key.removesuffix("s"))
        number = span[0].text
        if unit is None or not re.fullmatch(r"[0-9]{1,7}(?:\.[0-9]{1,3})?", number):
            raise RuleError(f"{_shown(span)!r} is no time; {wanted}")
        seconds = float(number) * unit
        if not 1 <= seconds <= LONGEST_AFTER:
            raise RuleError(f"{_shown(span)!r} is too short or too long; expected one second to thirty days")
        rest = some[colon + 1 :]
        source = self.source[rest[0].at - (rest[0].kind == "text") - 2 * (rest[0].kind == "link") :] if rest else ""
        return After(seconds, self.effects(rest, depth + 1), source.strip())


def _shown(some: list[_RuleToken]) -> str:
    return " ".join(f'"{one.text}"' if one.kind == "text" else one.text for one in some)


def _ref(some: list[_RuleToken], what: str) -> Ref:
    """Return the thing that some tokens name."""
    if len(some) == 1 and some[0].kind == "link":
        return Ref(some[0].text)
    if not some or any(one.kind != "word" for one in some):
        raise RuleError(f"{_shown(some)!r} names nothing; expected {what}" if some else f"something is missing: {what}")
    words = some[1:] if len(some) > 1 and some[0].key in _ARTICLES else some
    if len(words) == 1 and words[0].key in SPECIAL:
        return Ref(words[0].key)
    return Ref(" ".join(one.text for one in words))


def _state(some: list[_RuleToken]) -> tuple[str, bool]:
    """Return the state that some tokens name, and whether it holds."""
    on = not (some and some[0].key == "not")
    words = some if on else some[1:]
    if not words or len(words) > 3 or any(one.kind != "word" for one in words):
        raise RuleError(
            f"{_shown(some)!r} is no state; expected one to three words, such as lit" if some else "a state is missing"
        )
    return " ".join(one.key for one in words), on


def _split(some: list[_RuleToken], word: str) -> list[list[_RuleToken]]:
    parts: list[list[_RuleToken]] = [[]]
    for one in some:
        if one.key == word:
            parts.append([])
        else:
            parts[-1].append(one)
    return parts


def _at(some: list[_RuleToken], *words: str) -> int:
    """Return where the first of some keywords is; -1 without one."""
    return next((at for at, one in enumerate(some) if one.key in words), -1)


def _condition(some: list[_RuleToken]) -> Condition:
    options = [_all_of(part) for part in _split(some, "or")]
    return options[0] if len(options) == 1 else Some(tuple(options))


def _all_of(some: list[_RuleToken]) -> Condition:
    parts = [_single(part) for part in _split(some, "and")]
    return parts[0] if len(parts) == 1 else Every(tuple(parts))


def _single(some: list[_RuleToken]) -> Condition:
    if not some:
        raise RuleError("a condition is missing; expected one such as: it is lit")
    if some[0].key == "chance":
        return _chance(some)
    if (at := _at(some, "has")) >= 0:
        return _has(some, at)
    at = _at(some, "is")
    if at < 0:
        state, on = _state(some)
        return _unless(on, Is(Ref(IT), state))
    on = not (at + 1 < len(some) and some[at + 1].key == "not")
    rest = some[at + 1 + (not on) :]
    if at == 1 and some[0].key in ("time", "weather") and len(rest) == 1:
        if some[0].key == "time" and rest[0].key not in PARTS_OF_DAY:
            raise RuleError(f"{rest[0].text!r} is no time of day; expected one of {', '.join(PARTS_OF_DAY)}")
        return _unless(on, Almanac(some[0].key, rest[0].key))
    thing = _ref(some[:at], "a thing before is")
    if rest and rest[0].key == HERE and len(rest) == 1:
        return _unless(on, Within(thing, "at", Ref(HERE)))
    if rest and rest[0].key in ("in", "on", "at", "inside"):
        return _unless(on, Within(thing, _MEANS.get(rest[0].key, rest[0].key), _ref(rest[1:], "a thing or a place")))
    return _unless(on, Is(thing, _state(rest)[0]))


def _unless(on: bool, condition: Condition) -> Condition:
    return condition if on else Not(condition)


def _has(some: list[_RuleToken], at: int) -> Condition:
    who, what = some[:at], some[at + 1 :]
    on = not (what and what[0].key == "not")
    return _unless(on, Within(_ref(what[not on :], "a thing after has"), "in", _ref(who, "somebody before has")))


def _chance(some: list[_RuleToken]) -> Chance:
    words = [one.text for one in some[1:]]
    if len(words) == 3 and words[1] == "in" and words[0].isdecimal() and words[2].isdecimal():
        times, of = int(words[0][:9]), int(words[2][:9])
        if 0 < times <= of:
            return Chance(times, of)
    raise RuleError(f"{_shown(some)!r} is no chance; expected one such as: chance 1 in 6")


def _trigger(some: list[_RuleToken]) -> Trigger:
    if not some:
        raise RuleError("there is no trigger; expected what somebody does, such as: when wind")
    if len(some) > 1 and some[-1].key == "begins":
        return Begins(" ".join(one.key for one in some[:-1]))
    if (at := _at(some, "becomes")) >= 0:
        return Becomes(_ref(some[:at], "a thing before becomes"), *_state(some[at + 1 :]))
    verb, rest = some[0].key, some[1:]
    if verb in SPOKEN and rest and rest[0].kind != "text":
        raise RuleError(f'{_shown(rest)!r} has no quotation marks; expected words in them, such as: {verb} "sesame"')
    if not verb:
        raise RuleError(f"{_shown(some)!r} is nothing that one does; expected a verb")
    if rest and verb in ("turn", "switch") and rest[0].key in ("on", "off"):
        verb, rest = f"turn {rest[0].key}", rest[1:]
    verb = SAME.get(verb, verb)
    if rest and rest[0].kind == "text":
        if len(rest) > 1:
            raise RuleError(f"{_shown(rest[1:])!r} follows the words; expected nothing more")
        return Does(verb, words=rest[0].text)
    at = _at(rest, *RELATIONS)
    if at < 0:
        return Does(verb, _ref(rest, "a thing") if rest else None)
    relation = _MEANS.get(rest[at].key, rest[at].key)
    thing = _ref(rest[:at], "a thing") if at else None
    return Does(verb, thing, relation, _ref(rest[at + 1 :], f"a thing after {rest[at].text}"))


def _effect(some: list[_RuleToken]) -> Effect:
    if not some:
        raise RuleError("an effect is missing; expected one before and after each semicolon")
    if (at := _at(some, "becomes")) > 0:
        return Becomes(_ref(some[:at], "a thing before becomes"), *_state(some[at + 1 :]))
    made = _EFFECTS.get(some[0].key)
    if made is None:
        raise RuleError(f"{_shown(some)!r} is no effect; expected one of becomes, {', '.join(_EFFECTS)}, after")
    return made(some[1:])


def _text(some: list[_RuleToken], verb: str) -> str:
    if len(some) == 1 and some[0].kind == "text" and some[0].text:
        return some[0].text
    raise RuleError(f'expected a text in quotation marks after {verb}, such as: {verb} "It clicks."')


def _say(some: list[_RuleToken]) -> Effect:
    if len(some) > 2 and some[1].key in ("in", "at"):
        return Tell(_text(some[:1], "say"), _ref(some[2:], "a place"))
    return Tell(_text(some, "say"), Ref(HERE))


def _move(some: list[_RuleToken]) -> Effect:
    at = _at(some, "to", "into", "onto", "in", "on")
    if at < 1:
        raise RuleError("expected: move THING to PLACE")
    return MoveThing(_ref(some[:at], "a thing"), _ref(some[at + 1 :], "a place"))


def _make(some: list[_RuleToken]) -> Effect:
    at = _at(some, "in", "on", "at", "into", "onto")
    if at < 0:
        return Make(_ref(some, "a thing"), Ref(HERE))
    return Make(_ref(some[:at], "a thing"), _ref(some[at + 1 :], "a place"))


def _describe(some: list[_RuleToken]) -> Effect:
    text = _text(some[-1:], "describe THING")
    return Describe(_ref(some[:-1], "a thing"), text)


def _exit(some: list[_RuleToken]) -> Effect:
    wanted = "expected: exit NAME leads to PLACE, or exit NAME is gone"
    at = _at(some, "leads", "is")
    if at < 1:
        raise RuleError(wanted)
    name, rest = some[:at], some[at:]
    of = _at(name, "of")
    place = _ref(name[of + 1 :], "a place after of") if of > 0 else Ref(HERE)
    named = _ref(name[:of] if of > 0 else name, "the name of an exit").name
    words = [one.key for one in rest[:2]]
    if words == ["is", "gone"] and len(rest) == 2:
        return SetExit(place, named, None)
    if words == ["leads", "to"]:
        return SetExit(place, named, _ref(rest[2:], "a place"))
    raise RuleError(wanted)


_EFFECTS: Mapping[str, Callable[[list[_RuleToken]], Effect]] = {
    "say": _say,
    "tell": lambda some: Tell(_text(some, "tell"), actor_only=True),
    "refuse": lambda some: Refuse(_text(some, "refuse")),
    "move": _move,
    "remove": lambda some: RemoveThing(_ref(some, "a thing")),
    "make": _make,
    "describe": _describe,
    "exit": _exit,
}


@lru_cache(maxsize=1 << 12)
def parse_rule(source: str) -> Rule:
    """Return the rule that a line holds. Raises RuleError."""
    return _Reader(source).rule()


@lru_cache(maxsize=1 << 12)
def parse_condition(source: str) -> Condition:
    """Return the condition that a text holds, such as `lit` or `the fin is on it`. Raises RuleError."""
    return _condition(_Reader(source).tokens)


@lru_cache(maxsize=1 << 10)
def parse_effects(source: str) -> tuple[Effect, ...]:
    """Return the effects that a text holds. Raises RuleError."""
    reader = _Reader(source)
    return reader.effects(reader.tokens, 0)


Node = TypeVar("Node")


def refs(node: object) -> Iterator[str]:
    """Yield the names in a rule or a condition, but not `it` and the like."""
    if isinstance(node, Ref):
        if node.name not in SPECIAL:
            yield node.name
    elif isinstance(node, tuple):
        for one in node:
            yield from refs(one)


def bind(node: Node, ids: Mapping[str, str]) -> Node:
    """Return a rule or a condition with ids in place of names; names that `ids` lacks stay."""
    if isinstance(node, Ref):
        return Ref(ids.get(node.name, node.name))  # type: ignore[return-value]
    if not isinstance(node, tuple):
        return node
    parts = [bind(one, ids) for one in node]
    return type(node)(*parts) if hasattr(node, "_fields") else tuple(parts)  # type: ignore[return-value]
