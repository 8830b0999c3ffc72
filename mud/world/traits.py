"""What a thing can do, as its file says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mud.world.rules import (
    ANYTHING,
    IT,
    SPECIAL,
    Becomes,
    Begins,
    Condition,
    Does,
    Is,
    Refuse,
    Rule,
    bind,
    parse_condition,
    parse_rule,
)

OPEN, LOCKED, LIT, ON, WORN = "open", "locked", "lit", "on", "worn"
"""States that commands know; a thing may have any others."""


Numbered = list[tuple[int, Rule]]
"""Rules with their numbers in their file."""


class StateText(NamedTuple):
    """A text that is shown after the description while a condition holds; `source` is the condition as written."""

    source: str
    condition: Condition
    text: str


@dataclass(frozen=True, slots=True)
class Traits:
    """What a thing can do; most things have none of it.

    Args:
        holds: `in` for a container, `on` for a surface; empty for neither.
        capacity: how many things it holds at most; 0 for any number.
        opens: it can be opened and closed.
        key: id of the item that locks and unlocks it; empty for none.
        light: it can be lit and put out, and gives light while it is lit.
        switch: it can be turned on and off.
        dark: of a location: without a light nothing is seen there.
        indoors: of a location: no weather is noticed there.
        states: words that hold of it at the beginning.
        writing: what is read on it.
        texts: texts that depend on conditions.
        verbs: what somebody is told who does something of its own to it, by the verb.
        rules: what happens by itself.
        names: ids of the things that its conditions and rules name.
    """

    holds: str = ""
    capacity: int = 0
    opens: bool = False
    key: str = ""
    light: bool = False
    switch: bool = False
    wearable: bool = False
    food: bool = False
    dark: bool = False
    indoors: bool = False
    states: tuple[str, ...] = ()
    writing: str = ""
    texts: tuple[StateText, ...] = ()
    verbs: tuple[tuple[str, str], ...] = ()
    rules: tuple[Rule, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    triggers: frozenset[str] = field(init=False, default=frozenset())
    """The keys of what its rules wait for; see `trigger_key`."""
    waiting: Mapping[str, tuple[Numbered, Numbered]] = field(init=False, compare=False, default_factory=dict)
    """By the key of what they wait for, the rules that let it happen, and those that refuse it, with their numbers."""
    hurdles: Mapping[str, tuple[tuple[str, str], ...]] = field(init=False, compare=False, default_factory=dict)
    """By the same key, for each rule the state that its own thing must have and the words that must be said, or ""."""

    def __post_init__(self) -> None:
        waiting = defaultdict[str, tuple[Numbered, Numbered]](lambda: ([], []))
        hurdles = dict[str, tuple[tuple[str, str], ...]]()
        for number, rule in enumerate(self.rules):
            key, refuses = trigger_key(rule.trigger), any(isinstance(one, Refuse) for one in rule.effects)
            waiting[key][refuses].append((number, rule))
            hurdles[key] = (*hurdles.get(key, ()), _hurdle(rule))
        object.__setattr__(self, "waiting", dict(waiting))
        object.__setattr__(self, "hurdles", hurdles)
        object.__setattr__(self, "triggers", frozenset(waiting))

    def bound(self, ids: Mapping[str, str]) -> Traits:
        """Return the same traits with ids in place of the names that conditions and rules use."""
        return replace(
            self,
            texts=tuple(one._replace(condition=bind(one.condition, ids)) for one in self.texts),
            rules=tuple(bind(one, ids) for one in self.rules),
            names=tuple(sorted(ids.items())),
        )


def _hurdle(rule: Rule) -> tuple[str, str]:
    condition, trigger = rule.condition, rule.trigger
    state = condition.state if isinstance(condition, Is) and condition.thing.name == IT else ""
    return state, trigger.words if isinstance(trigger, Does) else ""


NO_TRAITS = Traits()
WORDS = ("holds", "key", "writing")
FLAGS = ("opens", "light", "switch", "wearable", "food", "dark", "indoors")


def trigger_key(trigger: Does | Becomes | Begins) -> str:
    """Return what an action, a change or a time is looked up by among rules."""
    match trigger:
        case Does(verb):
            return verb
        case Becomes(_, state):
            return f"becomes {state}"
        case Begins(what):
            return f"{what} begins"


def targets_of(trigger: Does | Becomes | Begins, it: str) -> tuple[str, ...]:
    """Return by what a rule of `it` is looked up besides its key: ids of what something is done to or becomes.

    `ANYTHING` stands for what only the moment tells, and "" for what is done to no thing at all.
    """
    match trigger:
        case Does(_, None, _, None):
            return (it, "")
        case Does(_, thing, _, other):
            named = [one.name for one in (thing, other) if one is not None and one.name != ANYTHING]
            wanted = named[0] if named else ANYTHING
        case Becomes(thing):
            wanted = thing.name
        case Begins():
            return ("",)
    return (it if wanted == IT else ANYTHING if wanted in SPECIAL else wanted,)


def traits_to_json(traits: Traits) -> dict[str, Any]:
    """Return traits as JSON values, without empty ones; rules and conditions as they were written."""
    if traits is NO_TRAITS:
        return {}
    full: dict[str, Any] = {name: getattr(traits, name) for name in (*WORDS, "capacity", *FLAGS)}
    full |= {
        "states": list(traits.states),
        "texts": [[one.source, one.text] for one in traits.texts],
        "verbs": [list(one) for one in traits.verbs],
        "rules": [one.source for one in traits.rules],
        "names": dict(traits.names),
    }
    return {key: value for key, value in full.items() if value}


def traits_from_json(data: Mapping[str, Any]) -> Traits:
    """Parse traits. Raises AttributeError, TypeError or ValueError for other data."""
    if not data:
        return NO_TRAITS
    given: dict[str, Any] = {name: _of(str, data.get(name, "")) for name in WORDS}
    given |= {name: _of(bool, data.get(name, False)) for name in FLAGS}
    texts = tuple(StateText(_of(str, one), parse_condition(one), _of(str, text)) for one, text in data.get("texts", ()))
    traits = Traits(
        **given,
        capacity=_of(int, data.get("capacity", 0)),
        states=tuple(_of(str, one) for one in data.get("states", ())),
        texts=texts,
        verbs=tuple((_of(str, verb), _of(str, text)) for verb, text in data.get("verbs", ())),
        rules=tuple(parse_rule(_of(str, one)) for one in data.get("rules", ())),
    )
    ids = {_of(str, name): _of(str, one) for name, one in data.get("names", {}).items()}
    return traits.bound(ids) if ids else traits


def _of(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"no such trait: {value!r}")
    return value
