"""Values of settings: parsing, checking and formatting. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from mud.registry import hint

Scalar = int | float | bool | str | tuple[str, ...]

TYPES: dict[object, str] = {int: "int", float: "float", bool: "bool", str: "text", tuple[str, ...]: "list"}

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", ",": ","}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ELEMENT = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^",\\]|\\.)(?:[^,\\]|\\.)*?)?)\s*(?:,|$)')


_ADDRESS = re.compile(r"https?://[^/\s]+/?", re.IGNORECASE)


class Setting(NamedTuple):
    """One key of a schema.

    Args:
        low, high: bounds, inclusive; None for no bound.
        choices: the texts allowed; empty for any.
        or_address: the address of a server is allowed too.
        per_agent: an agent.md may override it.
        alias: another name of the key in files.
    """

    key: str
    type: str
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    or_address: bool = False
    per_agent: bool = True
    alias: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.key, self.alias) if self.alias else (self.key,)

    @property
    def expected(self) -> str:
        if self.choices:
            if self.or_address:
                return f"{', '.join(self.choices)} or an address such as http://localhost:8000"
            return f"{'any of' if self.type == 'list' else 'one of'} {', '.join(self.choices)}"
        words = {
            "int": "a whole number",
            "float": "a number",
            "bool": "true or false",
            "text": "text",
            "list": 'texts separated by commas, such as "one", "two"',
        }[self.type]
        return words + _range(self.low, self.high)


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    return f" of at most {high}" if high is not None else ""


def read_typed(setting: Setting, typed: str) -> Scalar:
    """Parse the text after the colon of a setting. Raises ValueError."""
    typed = typed.strip()
    if not typed and setting.type not in ("list", "text"):
        raise ValueError(f"it has no value; expected {setting.expected}")
    return _allowed(setting, _READERS[setting.type](setting, typed))


def read_front(setting: Setting, value: object) -> Scalar:
    """Check a value from front matter. Raises ValueError."""
    match value:
        case str():
            # YAML has removed the quotes, so text is not parsed again; all other types are.
            return _allowed(setting, value) if setting.type == "text" else read_typed(setting, value)
        case bool() if setting.type == "bool":
            return value
        case int() if setting.type in ("int", "float") and not isinstance(value, bool):
            return _allowed(setting, value if setting.type == "int" else float(value))
        case float() if setting.type == "float":
            return _allowed(setting, value)
        case list() if setting.type == "list" and all(isinstance(element, str) for element in value):
            return _allowed(setting, _without_nothing(setting, tuple(value)))
        case None if setting.type in ("int", "float", "bool"):
            raise ValueError(f"it has no value; expected {setting.expected}")
    hint = (
        "; text that looks like a number, true, false or null needs quotes" if setting.type in ("text", "list") else ""
    )
    raise ValueError(f"{_shown(value)} does not fit; expected {setting.expected}{hint}")


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing (null)"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case list():
            return "this list"
    return "this"


def _whole(setting: Setting, typed: str) -> int:
    if not _WHOLE.fullmatch(typed):
        raise ValueError(f"{typed!r} is no whole number; expected {setting.expected}")
    return int(typed)


def _decimal(setting: Setting, typed: str) -> float:
    if not _DECIMAL.fullmatch(typed) or not math.isfinite(float(typed)):
        raise ValueError(f"{typed!r} is no number; expected {setting.expected}")
    return float(typed)


def _bool(setting: Setting, typed: str) -> bool:
    if typed.lower() not in _BOOLS:
        raise ValueError(f"{typed!r} is neither; expected {setting.expected}{hint(typed, _BOOLS)}")
    return _BOOLS[typed.lower()]


def _text(setting: Setting, typed: str) -> str:
    if not typed.startswith('"'):
        return typed
    if not _QUOTED.fullmatch(typed):
        raise ValueError(f"{typed} opens quotes and does not close them at its end; expected {setting.expected}")
    return unescape(typed[1:-1])


def _list(setting: Setting, typed: str) -> tuple[str, ...]:
    elements: list[str] = []
    at = 0
    while at < len(typed):
        found = _ELEMENT.match(typed, at)
        if not found:
            raise ValueError(
                f"quotes that do not close, or text behind them, at {typed[at:].strip()!r}; expected {setting.expected}"
            )
        if found[1] is None and not found[2]:
            raise ValueError(f"an element is empty; expected {setting.expected}")
        elements.append(unescape(found[1] if found[1] is not None else found[2]))
        at = found.end()
    return _without_nothing(setting, tuple(elements))


def _without_nothing(setting: Setting, elements: tuple[str, ...]) -> tuple[str, ...]:
    """Reject empty elements; a single empty text is the way to type an empty list."""
    if elements == ("",):
        return ()
    if "" in elements:
        raise ValueError(f'an element is empty; expected {setting.expected}; "" alone stands for none')
    return elements


_READERS: dict[str, Callable[[Setting, str], Scalar]] = {
    "int": _whole,
    "float": _decimal,
    "bool": _bool,
    "text": _text,
    "list": _list,
}


def unescape(text: str) -> str:
    r"""Replace `\n`, `\t`, `\r`, `\"`, `\,` and `\\`. Raises ValueError for any other escape."""

    def replaced(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise ValueError(rf"unknown escape \{found[1]}; expected \n, \t, \r, \" or \\")
        return _ESCAPES[found[1]]

    return re.sub(r"\\(.?)", replaced, text, flags=re.S)


def _allowed(setting: Setting, value: Scalar) -> Scalar:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if setting.low is not None and value < setting.low:
            raise ValueError(f"{value} is too low; expected {setting.expected}")
        if setting.high is not None and value > setting.high:
            raise ValueError(f"{value} is too high; expected {setting.expected}")
    if setting.choices and isinstance(value, tuple):
        return tuple(_chosen(setting, element) for element in value)
    return _chosen(setting, value) if setting.choices and isinstance(value, str) else value


def _chosen(setting: Setting, value: str) -> str:
    by_case = {choice.lower(): choice for choice in setting.choices}
    if value.lower() in by_case:
        return by_case[value.lower()]
    if setting.or_address and _ADDRESS.fullmatch(value):
        return value
    what = f"{value!r} is no choice" if value else "it has no value"
    raise ValueError(f"{what}; expected {setting.expected}{hint(value, setting.choices)}")


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
