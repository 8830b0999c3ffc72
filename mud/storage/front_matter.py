"""Front matter: a small subset of YAML, parsed with line numbers and written back. Pure.

Only true/false, null, integers and decimals are not text: `12:30`, `no` and `2025-01-01` stay as typed. Duplicate
keys, unquoted `[[links]]`, anchors and unknown tags are problems; all problems are collected.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from mud.errors import Problem
from mud.sanitize import sanitize
from mud.storage.plain_lines import read_plain

_TAG = "tag:yaml.org,2002:"
_SCALARS = (
    ("bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    ("null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    ("int", re.compile(r"^[-+]?(?:0|[1-9][0-9]{0,17})$"), "-+0123456789"),
    ("float", re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+)$"), "-+.0123456789"),
)
_BOUNDARY: re.Pattern[str] = YAMLHandler.FM_BOUNDARY
_ELSEWHERE = frozenset({"yes", "no", "on", "off", "y", "n"})
"""Text here, but booleans in other YAML readers, so they are written in quotes."""
_PLAIN = re.compile(r"^[^\W\d][\w ./()-]*$")
LONGEST_FRONT = 32 * 1024  # characters; parsing this many takes half a second
DEEPEST = 16  # maximum nesting of mappings and lists
_BY_LINES = 3  # maximum nesting when keys are read one by one after a syntax error
_SHORT = 40  # characters of a text that is worth caching
_HEAD = re.compile(r"^ *([^\s:#\"'\[\]{}][^:#\"'\[\]{}]*):[ \t]*(?:#.*)?$")
"""A key whose value is in the lines below."""
_ENDED = re.compile(r"^(?:\s*$|#[ \t])", re.M)  # a line that ends a front matter without a closing line
_TOO_DEEP = "brackets nested too deeply; expected 'key: value' lines"
_BARE_LINK = re.compile(r"^[^\"'#\n]*?:\s*\[\[", re.M)

_PLAIN_LINE = re.compile(
    r"(?P<key>[a-z][a-z_]*): (?:"
    r'"(?P<quoted>[^"\\\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]*)"'
    r"|(?P<number>0|[1-9][0-9]{0,17})"
    r"|(?P<decimal>[0-9]{1,9}\.[0-9]{1,9})"
    r"|(?P<counts>\{[a-z_]+: (?:0|[1-9][0-9]{0,17})(?:, [a-z_]+: (?:0|[1-9][0-9]{0,17}))*\})"
    r"|(?P<word>[a-z][a-z_]*))"
)
_COUNT = re.compile(r"([a-z_]+): ([0-9]+)")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_MEANS: dict[str, Callable[[str], object]] = {
    "quoted": str,
    "number": int,
    "decimal": float,
    "counts": lambda counts: {name: int(number) for name, number in _COUNT.findall(counts)},
    "word": lambda word: _WORDS.get(word, word),
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  (as its base declares it)

    depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        """Refuse anchors, with which a small file could expand to a huge one, and deep nesting."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise yaml.composer.ComposerError(
                None, None, "a text that begins with & or * needs quotes", event.start_mark
            )
        if self.depth > DEEPEST:
            raise yaml.composer.ComposerError(None, None, _TOO_DEEP, event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


for _name, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", _pattern, list(_first))


class Split(NamedTuple):
    """Offsets after the opening `---` line (None without one), of the closing line, and of the body."""

    start: int | None
    end: int
    body: int
    unclosed: bool = False


def split(text: str) -> Split:
    """Find the front matter; its opening `---` must be the first line."""
    begin = 1 if text.startswith("\ufeff") else 0
    start = text.find("\n", begin) + 1 or len(text)
    if not _BOUNDARY.match(text[begin:start]):
        return Split(None, begin, begin)
    closing = _BOUNDARY.search(text, start)
    if closing is None:
        return Split(None, begin, begin, unclosed=True)
    return Split(start, closing.start(), text.find("\n", closing.start()) + 1 or len(text))


@dataclass
class Front:
    """A parsed front matter."""

    where: Split
    values: dict[str, object] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # line number of each key; nested keys are `outer.inner`
    problems: list[Problem] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)  # of each top-level key, from its colon to its end


def parse_front(text: str, file: str, longest: int = LONGEST_FRONT) -> Front:
    """Parse the front matter of a file; problems are collected, not raised.

    After a syntax error no values are returned, and only the first line that is wrong on its own is reported.
    """
    where = split(text)
    if where.unclosed:
        message = "the front matter has no end; expected a line --- after its last key"
        return Front(where, problems=[Problem(file, 1, "", message)])
    if where.start is None:
        return Front(where)
    if (size := where.end - where.start) > longest:
        message = f"the front matter is too long: {size:,} characters; expected at most {longest:,}"
        return Front(where, problems=[Problem(file, 1, "", message)])
    if (plain := read_plain(text, where.start, where.end)) is not None:
        return Front(where, plain.values, plain.lines, spans=plain.spans)
    reader, source = _FrontReader(text, where, where.start, file), text[where.start : where.end]
    if not reader.read(source):
        by_lines = reader.from_offset(0)
        by_lines.read_by_lines(source)
        return Front(where, problems=by_lines.front.problems[:1] or reader.front.problems)
    return reader.front


def salvage_front(text: str) -> Front:
    """Parse what is valid in a broken front matter, key by key.

    A front matter without an end is taken to end before the first blank line or heading.
    """
    where = split(text)
    if where.unclosed:
        start = text.find("\n") + 1 or len(text)
        end = found.start() if (found := _ENDED.search(text, start)) else len(text)
        where = Split(start, end, end)
    begin = where.start or 0
    reader = _FrontReader(text, where, begin, "")
    if where.end - begin <= LONGEST_FRONT:
        reader.read_by_lines(text[begin : where.end])
    return reader.front


class _FrontReader:
    """Parses parts of a front matter; indices count from `offset` in the text of the file."""

    def __init__(self, text: str, where: Split, offset: int, file: str, ends: list[int] | None = None) -> None:
        self.text, self.offset, self.file = text, offset, file
        self.ends = [found.start() for found in re.finditer("\n", text)] if ends is None else ends
        self.front = Front(where)

    def from_offset(self, offset: int) -> _FrontReader:
        return _FrontReader(self.text, self.front.where, self.offset + offset, self.file, self.ends)

    def read(self, source: str) -> bool:
        try:
            root = yaml.compose(source, Loader=_Loader)
        except yaml.reader.ReaderError as error:
            self.say(error.position, "", f"a character that no text has (code {error.character}); remove it")
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            if error.context == "while scanning a quoted scalar":
                mark = error.context_mark
                message = "the quotation that begins here has no end; expected a closing mark in the same line"
            elif isinstance(error, yaml.composer.ComposerError) and error.context is None:
                message = str(error.problem)
            else:
                link = _BARE_LINK.search(source)
                hint = 'a link needs quotes: "[[Name]]"' if link else "text with : # [ ] { } needs quotes"
                message = f"this is not in order ({error.problem}); expected 'key: value' lines; {hint}"
            self.say(min(mark.index, len(source.rstrip())) if mark else 0, "", message)
        except RecursionError:
            self.say(0, "", _TOO_DEEP)
        else:
            if root is None or isinstance(root, MappingNode):
                self.front.values = self.mapping(root, "") if root else {}
                return True
            self.say(root.start_mark.index, "", "the front matter is no list of keys; expected 'key: value' lines")
        return False

    def read_by_lines(self, source: str, levels: int = _BY_LINES) -> dict[str, object]:
        """Parse each key on its own, and the nested keys of a key that does not parse."""
        found: dict[str, object] = {}
        for begin, piece in _pieces(source):
            reader = self.from_offset(begin)
            in_order = reader.read(piece)
            values, lines = reader.front.values, reader.front.lines
            head, _, inner = piece.partition("\n")
            key = _HEAD.match(head)
            if not in_order and key and inner.strip() and levels > 1:
                reader = self.from_offset(begin + len(head) + 1)
                values, lines = {key[1]: reader.read_by_lines(inner, levels - 1)}, {key[1]: self.line(begin)}
                lines |= {f"{key[1]}.{name}": line for name, line in reader.front.lines.items()}
            elif not in_order:
                closed = self.from_offset(begin)
                closed.read(f'{piece.rstrip()}"')  # a quotation without an end probably ends with its line
                values, lines = closed.front.values, closed.front.lines
            self.front.problems += reader.front.problems
            self.front.lines |= lines
            found |= values
        self.front.values = found
        return found

    def say(self, index: int, key: str, message: str) -> None:
        self.front.problems.append(Problem(self.file, self.line(index), key, message))

    def line(self, index: int) -> int:
        """Return the line number in the file. YAML's own numbers also count rarer line ends."""
        return bisect.bisect_left(self.ends, self.offset + index) + 1

    def value(self, node: Node | None, key: str) -> object:
        if isinstance(node, MappingNode):
            return self.mapping(node, key)
        if isinstance(node, SequenceNode):
            begin = self.offset + node.start_mark.index
            if self.text.startswith("[[", begin):
                name = self.text[begin + 2 : begin + 200].split("]]")[0].split("\n")[0]
                self.say(node.start_mark.index, key, f'a link needs quotes; expected "[[{name.strip()}]]"')
                return None
            return [self.value(child, key) for child in node.value]
        return self.scalar(node, key) if isinstance(node, ScalarNode) else None

    def scalar(self, node: ScalarNode, key: str) -> object:
        raw = sanitize(node.value)
        message = f"the tag {node.tag} means nothing here; remove it, or put the text in quotes"
        try:
            match node.tag.removeprefix(_TAG):
                case "str":
                    return raw
                case "null":
                    return None
                case "bool":
                    return {"true": True, "false": False}[raw.lower()]
                case "int":
                    return int(raw)
                case "float":
                    # Out of the range of floats: keep it as text.
                    return float(raw) if math.isfinite(float(raw)) else raw
        except (ValueError, KeyError):
            message = f"{raw!r} is not what its tag says; remove the tag"
        self.say(node.start_mark.index, key, message)
        return None

    def mapping(self, node: MappingNode, outer: str) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, child in node.value:
            index = name.start_mark.index
            if not isinstance(name, ScalarNode):
                self.say(index, outer, "a key must be text; a key with [ ] or { } needs quotes")
                continue
            own = sanitize(name.value)
            key = f"{outer}.{own}" if outer else own
            if own in found:
                self.say(index, key, f"set twice; expected once (first in line {self.front.lines[key]})")
                continue
            self.front.lines[key] = self.line(index)
            found[own] = self.value(child, key)
            if not outer:  # without comments
                begin = self.text.index(":", self.offset + name.end_mark.index) + 1
                end = max((begin, *(self.offset + leaf.end_mark.index for leaf in _leaves(child))))
                self.front.spans[key] = begin, begin + len(self.text[begin:end].rstrip())
        return found


def _pieces(source: str) -> Iterator[tuple[int, str]]:
    """Yield each key with its indented lines, and the offset."""
    inset = min((len(found[1]) for found in re.finditer(r"^( *)[^\s#]", source, re.M)), default=0)
    starts = [found.start() for found in re.finditer(rf"^ {{{inset}}}[^\s#-]", source, re.M)]
    yield from ((begin, source[begin:end]) for begin, end in itertools.pairwise([*starts, len(source)]))


def _leaves(node: Node) -> Iterator[Node]:
    """Yield the nodes that mark the end of a node. YAML ends a block collection only at the next token."""
    if isinstance(node, ScalarNode) or getattr(node, "flow_style", False):
        yield node
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield from _leaves(key)
            yield from _leaves(value)
    elif isinstance(node, SequenceNode):
        for child in node.value:
            yield from _leaves(child)


def render_entry(key: str, value: object, newline: str = "\n") -> str:
    return f"{quoted(key)}:{render_value(value, newline)}"


def render_value(value: object, newline: str = "\n") -> str:
    """Format the value after a colon. Raises TypeError or ValueError for what front matter cannot hold.

    Mappings that hold text get a line for each key, all else is one line.
    """
    if isinstance(value, Mapping) and any(isinstance(inner, str) for inner in value.values()):
        return "".join(f"{newline}  {quoted(str(name))}: {_flow(inner)}" for name, inner in value.items())
    return f" {_flow(value)}"


def _flow(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if abs(value) < 10**18:
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case int() | float():
            raise ValueError(f"front matter cannot hold the number {value}")
        case str():
            return quoted(value)
        case Mapping():
            return "{" + ", ".join(f"{quoted(str(name))}: {_flow(inner)}" for name, inner in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_flow, value)) + "]"
    raise TypeError(f"front matter cannot hold {type(value).__name__}")


def quoted(text: str) -> str:
    """Return text as YAML that reads back as the same text, in double quotes only where needed."""
    return _quoted_again(text) if len(text) <= _SHORT else _quoted(text)


def _quoted(text: str) -> str:
    plain = _PLAIN.match(text) and text.isprintable() and not text.endswith(" ")
    if plain and text.lower() not in _ELSEWHERE and not any(pattern.match(text) for _, pattern, _ in _SCALARS):
        return text
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text if plain else "".join(map(_escaped, text))}"'


_quoted_again = functools.lru_cache(maxsize=512)(_quoted)
"""Cached for keys and other short texts, which repeat in every summary."""


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter == "\n":
        return "\\n"
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def plain_front(text: str) -> tuple[dict[str, object], str] | None:
    """Return the front matter and the body of a file as `parse_document` does, but fifty times as fast.

    None unless the front matter has the plain form that this program writes.
    """
    end = text.find("\n---\n", 3)
    if not text.startswith("---\n") or end < 0 or sanitize(text) != text:
        return None
    values: dict[str, object] = {}
    for line in text[4:end].split("\n"):
        found = _PLAIN_LINE.fullmatch(line)
        if found is None or found["key"] in values or found["key"] in _WORDS:
            return None
        kind = str(found.lastgroup)
        values[found["key"]] = _MEANS[kind](found[kind])
        if kind == "counts":
            names = [name for name, _ in _COUNT.findall(found[kind])]
            if len(names) > len({*names}) or not _WORDS.keys().isdisjoint(names):
                return None
    return values, text[end + 5 :]
