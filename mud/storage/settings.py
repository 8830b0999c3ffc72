"""Config files in markdown, parsed against a schema that is a frozen dataclass. Pure.

A setting is a line `**lower_snake_key**: value` outside code fences, or a key of the front matter; other text is
ignored. A field of a schema is `retries: int = setting(3, "How often a call is repeated.", low=0, high=9)`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from mud.errors import Problem
from mud.registry import hint
from mud.storage._values import TYPES, Scalar, Setting, read_front, read_typed, write_typed
from mud.storage.documents import examine_document, markdown_lines, open_fence

__all__ = [
    "Scalar",
    "Setting",
    "Value",
    "by_key",
    "describe",
    "examine_settings",
    "fill",
    "one_of",
    "parse_overrides",
    "parse_settings",
    "render_settings",
    "setting",
    "write_typed",
]

S = TypeVar("S")

_LINE = re.compile(r"\*\*([a-z][a-z0-9_]*)\*\*:(.*)")
_OBSIDIAN = frozenset({"tags", "aliases", "cssclasses"})
"""Keys that Obsidian adds to front matter."""


class Value(NamedTuple):
    """A setting's value and where it was set; `alias` is the name used in the file, if it is not the key."""

    key: str
    value: Scalar
    file: str
    line: int
    alias: str = ""

    @property
    def written(self) -> str:
        return self.alias or self.key


def setting(
    default: Scalar,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] | None = None,
    or_address: bool = False,
    per_agent: bool = True,
    alias: str = "",
) -> Any:
    """Declare a field of a settings dataclass: `int`, `float`, `bool`, `str` or `tuple[str, ...]`. See `Setting`."""
    bounds = {"low": low, "high": high, "choices": choices or (), "or_address": or_address}
    known = {"help": help, "per_agent": per_agent, "alias": alias, **bounds}
    return dataclasses.field(default=default, metadata={"setting": known})


def describe(schema: type) -> tuple[Setting, ...]:
    """Return the settings of a schema in order; other fields are left out.

    Raises TypeError when the type of a field is not allowed or its default does not fit.
    """
    return _described(schema)


@functools.cache
def _described(schema: type) -> tuple[Setting, ...]:
    hints = typing.get_type_hints(schema)
    made = []
    for field in dataclasses.fields(schema):
        known = field.metadata.get("setting")
        if known is None:
            continue
        if hints[field.name] not in TYPES:
            raise TypeError(f"{schema.__name__}.{field.name}: a setting cannot be a {hints[field.name]}")
        one = Setting(field.name, TYPES[hints[field.name]], field.default, **known)
        try:
            fits = read_typed(one, write_typed(typing.cast(Scalar, field.default))) == field.default
        except ValueError as error:
            raise TypeError(f"{schema.__name__}.{field.name}: its default does not fit: {error}") from error
        if not fits:
            raise TypeError(f"{schema.__name__}.{field.name}: its default is no {one.type}")
        made.append(one)
    return tuple(made)


def parse_settings(text: str, schema: type, file: str) -> tuple[dict[str, Value], list[Problem]]:
    """Parse a config file; `file` is its name in problems. Return the valid values by key, and the problems by line."""
    given, problems = examine_settings(text, schema, file)
    return by_key(given), problems


def examine_settings(text: str, schema: type, file: str) -> tuple[list[Value], list[Problem]]:
    """Parse a config file; return every valid value, also those of a key that is set twice, and the problems."""
    document, problems = examine_document(text, file)
    taken = _TakenValues({name: one for one in describe(schema) for name in one.names}, file, problems)
    for key, given in document.front.items():
        if key in taken.known or key not in _OBSIDIAN:
            taken.take(key, document.lines[key], given, read_front)
    for line in markdown_lines(document.body, document.body_line):
        found = None if line.fenced else _LINE.fullmatch(line.text)
        if found:
            taken.take(found[1], line.number, found[2], read_typed)
    if fence := open_fence(document.body, document.body_line):
        problems.append(
            Problem(file, fence, "", "this code fence has no end and hides what follows; expected a line ```")
        )
    return taken.given, sorted(problems, key=lambda problem: problem.line)


def by_key(given: Iterable[Value]) -> dict[str, Value]:
    """Return values by key; the first for a key that is set twice."""
    found: dict[str, Value] = {}
    for value in given:
        found.setdefault(value.key, value)
    return found


class _TakenValues:
    def __init__(self, known: Mapping[str, Setting], file: str, problems: list[Problem]) -> None:
        self.known, self.file, self.problems = known, file, problems
        self.given: list[Value] = []
        self._lines: dict[str, int] = {}

    @property
    def values(self) -> dict[str, Value]:
        return by_key(self.given)

    def take(self, key: str, line: int, given: Any, read: Callable[[Setting, Any], Scalar]) -> None:
        if key not in self.known:
            self.say(key, line, unknown_key(key, self.known))
            return
        setting = self.known[key]
        if setting.key in self._lines:
            self.say(key, line, f"set twice; expected once (first in line {self._lines[setting.key]})")
        self._lines.setdefault(setting.key, line)
        try:
            alias = key if key == setting.alias else ""
            self.given.append(Value(setting.key, read(setting, given), self.file, line, alias))
        except ValueError as error:
            self.say(key, line, str(error))

    def say(self, key: str, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, key, message))


def unknown_key(key: str, known: Iterable[str]) -> str:
    names = list(known)
    return f"unknown key; {one_of(names)}{hint(key, names)}"


def one_of(known: Collection[str]) -> str:
    """Return the part of a message that lists the valid names."""
    return f"expected one of {', '.join(known)}" if known else "there is none"


def parse_overrides(
    front: Mapping[str, object],
    lines: Mapping[str, int],
    schemas: Mapping[str, type],
    file: str,
    own: Collection[str] = (),
) -> tuple[dict[str, Value], list[Problem]]:
    """Read the settings in the front matter of an agent.md; return the valid values by key, and the problems.

    Args:
        schemas: every schema, by the name of its config file.
        own: keys of an agent.md that are no settings, such as `id`.
    """
    described = [(name, one) for name, schema in reversed(list(schemas.items())) for one in describe(schema)]
    found = {key: (name, one) for name, one in described for key in one.names}
    per_agent = {key: one for key, (_, one) in found.items() if one.per_agent}
    taken = _TakenValues(per_agent, file, [])
    for key, given in front.items():
        line = lines.get(key, 0)
        if key in per_agent:
            taken.take(key, line, given, read_front)
        elif key in found:
            taken.say(key, line, f"it holds for everybody; expected it in config/{found[key][0]}.md only")
        elif key not in own and key not in _OBSIDIAN:
            near = hint(key, [*own, *per_agent])
            taken.say(key, line, f"unknown key; expected a key of an agent or of a setting{near}")
    return taken.values, taken.problems


def fill(schema: type[S], *layers: Mapping[str, Value]) -> S:
    """Return a schema's instance with the values of the layers; later layers win, keys of other schemas are ignored."""
    keys = {one.key for one in describe(schema)}
    chosen = {key: value.value for layer in layers for key, value in layer.items() if key in keys}
    return schema(**chosen)


def render_settings(title: str, intro: str, settings: object) -> str:
    """Return a config file with every key and its help; `settings` is an instance, or a schema for its defaults."""
    schema = settings if isinstance(settings, type) else type(settings)
    return "\n".join(_rendered(title, intro, settings, describe(schema)))


def _rendered(title: str, intro: str, settings: object, described: Iterable[Setting]) -> Iterator[str]:
    yield f"# {title}\n"
    if intro:
        yield f"{intro.strip()}\n"
    for one in described:
        value = one.default if isinstance(settings, type) else getattr(settings, one.key)
        yield f"**{one.key}**: {write_typed(value)}".rstrip()
        yield f"_{one.help.rstrip('.')}: {one.expected}._\n"
