"""Config files in markdown, parsed against a schema that is a frozen dataclass. Pure.

A setting is a line `**lower_snake_key**: value` outside code fences, or a key of the front matter; other text is
ignored. A field of a schema is `retries: int = setting(3, "How often a call is repeated.", low=0, high=9)`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from mud.errors import Problem, VaultProblem
from mud.registry import hint
from mud.storage.documents import body_of, examine_document, markdown_lines, open_fence, replace_key

Scalar = int | float | bool | str | tuple[str, ...]
S = TypeVar("S")

_TYPES: dict[object, str] = {int: "int", float: "float", bool: "bool", str: "text", tuple[str, ...]: "list"}
_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "text": "text",
    "list": 'texts separated by commas, such as "one", "two"',
}
_UNLIKE = {"int": "is no whole number", "float": "is no number", "bool": "is neither"}
_LINE = re.compile(r"\*\*([a-z][a-z0-9_]*)\*\*:(.*)")
_OBSIDIAN = frozenset({"tags", "aliases", "cssclasses"})  # keys that Obsidian adds to front matter
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", ",": ","}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ELEMENT = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^",\\]|\\.)(?:[^,\\]|\\.)*?)?)\s*(?:,|$)')
_ADDRESS = re.compile(r"https?://[^/\s]+/?", re.IGNORECASE)


class Setting(NamedTuple):
    """One key of a schema."""

    key: str
    type: str
    default: Any
    help: str
    low: float | None = None  # bounds, inclusive; None for no bound
    high: float | None = None
    choices: tuple[str, ...] = ()  # the texts allowed; empty for any
    or_address: bool = False  # the address of a server is allowed too
    per_agent: bool = True  # an agent.md may override it
    alias: str = ""  # another name of the key in files

    @property
    def names(self) -> tuple[str, ...]:
        return (self.key, self.alias) if self.alias else (self.key,)

    @property
    def expected(self) -> str:
        if self.choices and self.or_address:
            return f"{', '.join(self.choices)} or an address such as http://localhost:8000"
        if self.choices:
            return f"{'any of' if self.type == 'list' else 'one of'} {', '.join(self.choices)}"
        match self.low, self.high:
            case None, None:
                return _EXPECTED[self.type]
            case low, None:
                return f"{_EXPECTED[self.type]} of at least {low}"
            case None, high:
                return f"{_EXPECTED[self.type]} of at most {high}"
        return f"{_EXPECTED[self.type]} from {self.low} to {self.high}"


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
    choices: tuple[str, ...] = (),
    or_address: bool = False,
    per_agent: bool = True,
    alias: str = "",
) -> Any:
    """Declare a field of a settings dataclass: `int`, `float`, `bool`, `str` or `tuple[str, ...]`. See `Setting`."""
    one = Setting("", "", default, help, low, high, choices, or_address, per_agent, alias)
    return dataclasses.field(default=default, metadata={"setting": one})


@functools.cache
def describe(schema: type) -> tuple[Setting, ...]:
    """Return the settings of a schema in order; other fields are left out.

    Raises TypeError when the type of a field is not allowed or its default does not fit.
    """
    hints = typing.get_type_hints(schema)
    made = []
    for field in dataclasses.fields(schema):
        if "setting" not in field.metadata:
            continue
        if hints[field.name] not in _TYPES:
            raise TypeError(f"{schema.__name__}.{field.name}: a setting cannot be a {hints[field.name]}")
        one = field.metadata["setting"]._replace(key=field.name, type=_TYPES[hints[field.name]])
        try:
            fits = read_typed(one, write_typed(one.default)) == one.default
        except ValueError as error:
            raise TypeError(f"{schema.__name__}.{field.name}: its default does not fit: {error}") from error
        if not fits:
            raise TypeError(f"{schema.__name__}.{field.name}: its default is no {one.type}")
        made.append(one)
    return tuple(made)


def read_typed(setting: Setting, typed: str) -> Scalar:
    """Parse the text after the colon of a setting. Raises ValueError."""
    typed = typed.strip()
    match setting.type:
        case "text" if typed.startswith('"') and not _QUOTED.fullmatch(typed):
            raise _unfit(setting, f"{typed} opens quotes and does not close them at its end")
        case "text":
            return _allowed(setting, _unescaped(typed[1:-1]) if typed.startswith('"') else typed)
        case "list":
            return _allowed(setting, _elements(setting, typed))
        case "int" if _WHOLE.fullmatch(typed):
            return _allowed(setting, int(typed))
        case "float" if _DECIMAL.fullmatch(typed) and math.isfinite(float(typed)):
            return _allowed(setting, float(typed))
        case "bool" if typed.lower() in _BOOLS:
            return _BOOLS[typed.lower()]
    if not typed:
        raise _unfit(setting, "it has no value")
    raise _unfit(setting, f"{typed!r} {_UNLIKE[setting.type]}", hint(typed, _BOOLS) if setting.type == "bool" else "")


def _unfit(setting: Setting, why: str, then: str = "") -> ValueError:
    return ValueError(f"{why}; expected {setting.expected}{then}")


def _elements(setting: Setting, typed: str) -> tuple[str, ...]:
    elements: list[str] = []
    at = 0
    while at < len(typed):
        found = _ELEMENT.match(typed, at)
        if not found:
            raise _unfit(setting, f"quotes that do not close, or text behind them, at {typed[at:].strip()!r}")
        if found[1] is None and not found[2]:
            raise _unfit(setting, "an element is empty")
        elements.append(_unescaped(found[1] if found[1] is not None else found[2]))
        at = found.end()
    return tuple(elements)


def _unescaped(text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise ValueError(rf"unknown escape \{found[1]}; expected \n, \t, \r, \" or \\")
        return _ESCAPES[found[1]]

    return re.sub(r"\\(.?)", replaced, text, flags=re.S)


def _allowed(setting: Setting, value: Scalar) -> Scalar:
    match value:
        case ("",):
            return ()  # the way to type an empty list
        case tuple() if "" in value:
            raise _unfit(setting, "an element is empty", '; "" alone stands for none')
        case tuple() if setting.choices:
            return tuple(_chosen(setting, element) for element in value)
        case str() if setting.choices:
            return _chosen(setting, value)
        case int() | float() if setting.low is not None and value < setting.low:
            raise _unfit(setting, f"{value} is too low")
        case int() | float() if setting.high is not None and value > setting.high:
            raise _unfit(setting, f"{value} is too high")
    return value


def _chosen(setting: Setting, value: str) -> str:
    by_case = {choice.lower(): choice for choice in setting.choices}
    if value.lower() in by_case:
        return by_case[value.lower()]
    if setting.or_address and _ADDRESS.fullmatch(value):
        return value
    raise _unfit(setting, f"{value!r} is no choice" if value else "it has no value", hint(value, setting.choices))


def _read_front(setting: Setting, value: object) -> Scalar:
    """Check a value from front matter. Raises ValueError."""
    match setting.type, value:
        case "text", str():
            return _allowed(setting, value)  # YAML has removed the quotes
        case _, str():
            return read_typed(setting, value)
        case "bool", bool():
            return value
        case "int" | "float", int() if not isinstance(value, bool):
            return _allowed(setting, value if setting.type == "int" else float(value))
        case "float", float():
            return _allowed(setting, value)
        case "list", list() if all(isinstance(element, str) for element in value):
            return _allowed(setting, tuple(value))
        case "int" | "float" | "bool", None:
            raise _unfit(setting, "it has no value")
    quotes = "; text that looks like a number, true, false or null needs quotes"
    raise _unfit(setting, f"{_shown(value)} does not fit", quotes if setting.type in ("text", "list") else "")


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing (null)"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
    return "this list" if isinstance(value, list) else "this"


def write_typed(value: Scalar) -> str:
    """Format a value so that `read_typed` parses it to the same value."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            return ", ".join(map(_in_quotes, value))
        case str():
            plain = value and value == value.strip() and not value.startswith('"') and value.isprintable()
            return value if plain else _in_quotes(value)
    return repr(value)


def _in_quotes(text: str) -> str:
    for plain, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(plain, escape)
    return f'"{text}"'


def examine_settings(text: str, schema: type, file: str) -> tuple[list[Value], list[Problem]]:
    """Parse a config file; return every valid value, also those of a key that is set twice, and the problems by line.

    `file` is its name in problems.
    """
    document, problems = examine_document(text, file)
    taken = _TakenValues({name: one for one in describe(schema) for name in one.names}, file, problems)
    for key, given in document.front.items():
        if key in taken.known or key not in _OBSIDIAN:
            taken.take(key, document.lines[key], given, _read_front)
    for line in markdown_lines(document.body, document.body_line):
        found = None if line.fenced else _LINE.fullmatch(line.text)
        if found:
            taken.take(found[1], line.number, found[2], read_typed)
    if fence := open_fence(document.body, document.body_line):
        taken.say("", fence, "this code fence has no end and hides what follows; expected a line ```")
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


@functools.cache
def _settings_in(schemas: tuple[tuple[str, type], ...]) -> tuple[dict[str, tuple[str, Setting]], dict[str, Setting]]:
    """Return the settings of all schemas by key, with the names of their files; and those that agents may override."""
    described = [(name, one) for name, schema in reversed(schemas) for one in describe(schema)]
    found = {key: (name, one) for name, one in described for key in one.names}
    return found, {key: one for key, (_, one) in found.items() if one.per_agent}


def parse_overrides(
    front: Mapping[str, object], lines: Mapping[str, int], schemas: Mapping[str, type], file: str, own: Collection[str]
) -> tuple[dict[str, Value], list[Problem]]:
    """Read the settings in the front matter of an agent.md; return the valid values by key, and the problems.

    Args:
        schemas: every schema, by the name of its config file.
        own: keys of an agent.md that are no settings, such as `id`.
    """
    found, per_agent = _settings_in(tuple(schemas.items()))
    taken = _TakenValues(per_agent, file, [])
    for key, given in front.items():
        line = lines.get(key, 0)
        if key in per_agent:
            taken.take(key, line, given, _read_front)
        elif key in found:
            taken.say(key, line, f"it holds for everybody; expected it in config/{found[key][0]}.md only")
        elif key not in own and key not in _OBSIDIAN:
            near = hint(key, [*own, *per_agent])
            taken.say(key, line, f"unknown key; expected a key of an agent or of a setting{near}")
    return by_key(taken.given), taken.problems


def fill(schema: type[S], *layers: Mapping[str, Value]) -> S:
    """Return a schema's instance with the values of the layers; later layers win, keys of other schemas are ignored."""
    keys = {one.key for one in describe(typing.cast(type, schema))}
    return schema(**{key: value.value for layer in layers for key, value in layer.items() if key in keys})


def replace_setting(text: str, schema: type, key: str, value: Scalar, file: str) -> str:
    """Return the text of a config file with one setting changed; every other byte stays.

    It is changed in the front matter if it is set there, else in its line, else in a new last line. Raises VaultProblem
    for a file with any problem, which could disable the new value.
    """
    _, problems = examine_settings(text, schema, file)
    if problems:
        raise VaultProblem(problems)
    if key in examine_document(text, file)[0].front:
        return replace_key(text, key, list(value) if isinstance(value, tuple) else value, file)
    head = f"**{key}**:"
    line = f"{head} {write_typed(value)}"
    rest = body_of(text)
    for one in markdown_lines(rest):
        if not one.fenced and one.text.startswith(head):
            start = len(text) - len(rest) + one.start
            return text[:start] + line + text[start + len(one.text) :]
    newline = "\r\n" if "\r\n" in text else "\n"
    end = "" if not text or text.endswith("\n") else newline
    return f"{text}{end}{newline if text else ''}{line}{newline}"
