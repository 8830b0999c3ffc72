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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from mud.errors import Problem
from mud.sanitize import sanitize

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
LONGEST_FRONT = 32 * 1024
"""Characters; parsing this many takes half a second."""
DEEPEST = 16
"""Maximum nesting of mappings and lists."""
_BY_LINES = 3
"""Maximum nesting when keys are read one by one after a syntax error."""
_SHORT = 40
"""Characters of a text that is worth caching."""
_HEAD = re.compile(r"^ *([^\s:#\"'\[\]{}][^:#\"'\[\]{}]*):[ \t]*(?:#.*)?$")
"""A key whose value is in the lines below."""
_ENDED = re.compile(r"^(?:\s*$|#[ \t])", re.M)
"""A line that ends a front matter without a closing line."""
_BARE_LINK = re.compile(r"^[^\"'#\n]*?:\s*\[\[", re.M)


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
            told = "brackets nested too deeply; expected 'key: value' lines"
            raise yaml.composer.ComposerError(None, None, told, event.start_mark)
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
    body = text.find("\n", closing.start()) + 1 or len(text)
    return Split(start, closing.start(), body)


@dataclass
class Front:
    """A parsed front matter.

    Args:
        lines: line number of each key; nested keys are named `outer.inner`.
        spans: for each top-level key, the file offsets from after its colon to the end of its value.
    """

    values: dict[str, object] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)


def parse_front(text: str, where: Split, file: str, longest: int = LONGEST_FRONT) -> Front:
    """Parse the front matter that `split` found; problems are collected, not raised.

    After a syntax error no values are returned, and only the first line that is wrong on its own is reported.
    """
    if where.unclosed:
        return Front(
            problems=[Problem(file, 1, "", "the front matter has no end; expected a line --- after its last key")]
        )
    if where.start is None:
        return Front()
    if where.end - where.start > longest:
        size = where.end - where.start
        message = f"the front matter is too long: {size:,} characters; expected at most {longest:,}"
        return Front(problems=[Problem(file, 1, "", message)])
    reader = _FrontReader(text, where.start, file)
    if not reader.read(text[where.start : where.end]):
        by_lines = _FrontReader(text, where.start, file)
        by_lines.read_by_lines(text[where.start : where.end])
        return Front(problems=by_lines.front.problems[:1] or reader.front.problems)
    return reader.front


def salvage(text: str) -> tuple[Front, int]:
    """Parse what is valid in a broken front matter, key by key; also return the offset of the body.

    A front matter without an end is taken to end before the first blank line or heading.
    """
    where = split(text)
    if where.unclosed:
        start = text.find("\n") + 1 or len(text)
        end = found.start() if (found := _ENDED.search(text, start)) else len(text)
        where = Split(start, end, end)
    reader = _FrontReader(text, where.start or 0, "")
    if where.end - (where.start or 0) <= LONGEST_FRONT:
        reader.read_by_lines(text[where.start or 0 : where.end])
    return reader.front, where.body


class _FrontReader:
    def __init__(self, text: str, offset: int, file: str, ends: list[int] | None = None) -> None:
        self.text, self.offset, self.file = text, offset, file
        self.ends = [found.start() for found in re.finditer("\n", text)] if ends is None else ends
        self.front = Front()

    def at_offset(self, offset: int) -> _FrontReader:
        return _FrontReader(self.text, self.offset + offset, self.file, self.ends)

    def read(self, source: str) -> bool:
        try:
            root = yaml.compose(source, Loader=_Loader)
        except yaml.reader.ReaderError as error:
            self.say(error.position, "", f"a character that no text has (code {error.character}); remove it")
        except yaml.MarkedYAMLError as error:
            unclosed = error.context == "while scanning a quoted scalar"
            mark = error.context_mark if unclosed else error.problem_mark or error.context_mark
            told = (
                "the quotation that begins here has no end; expected a closing mark in the same line"
                if unclosed
                else self.sentence(error, source)
            )
            self.say(min(mark.index, len(source.rstrip())) if mark else 0, "", told)
        except RecursionError:
            self.say(0, "", "brackets nested too deeply; expected 'key: value' lines")
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
            reader = self.at_offset(begin)
            in_order = reader.read(piece)
            head, _, inner = piece.partition("\n")
            key = _HEAD.match(head)
            if in_order:
                values, lines = reader.front.values, reader.front.lines
            elif key and inner.strip() and levels > 1:
                within = self.at_offset(begin + len(head) + 1)
                values, lines = {key[1]: within.read_by_lines(inner, levels - 1)}, {key[1]: self.line(begin)}
                lines |= {f"{key[1]}.{name}": line for name, line in within.front.lines.items()}
                reader = within
            else:
                closed = self.at_offset(begin)
                closed.read(f'{piece.rstrip()}"')  # a quotation without an end probably ends with its line
                values, lines = closed.front.values, closed.front.lines
            self.front.problems += reader.front.problems
            found |= values
            self.front.lines |= lines
        self.front.values = found
        return found

    def say(self, index: int, key: str, message: str) -> None:
        self.front.problems.append(Problem(self.file, self.line(index), key, message))

    def line(self, index: int) -> int:
        """Return the line number in the file. YAML's own numbers also count rarer line ends."""
        return bisect.bisect_left(self.ends, self.offset + index) + 1

    def sentence(self, error: yaml.MarkedYAMLError, source: str) -> str:
        if isinstance(error, yaml.composer.ComposerError) and error.context is None:
            return str(error.problem)
        hint = 'a link needs quotes: "[[Name]]"' if _BARE_LINK.search(source) else "text with : # [ ] { } needs quotes"
        return f"this is not in order ({error.problem}); expected 'key: value' lines; {hint}"

    def value(self, node: Node | None, key: str) -> object:
        if isinstance(node, MappingNode):
            return self.mapping(node, key)
        if isinstance(node, SequenceNode):
            if self.at(node).startswith("[["):
                name = self.at(node).split("]]")[0].split("\n")[0][2:]
                self.say(node.start_mark.index, key, f'a link needs quotes; expected "[[{name.strip()}]]"')
                return None
            return [self.value(child, key) for child in node.value]
        return self.scalar(node, key) if isinstance(node, ScalarNode) else None

    def at(self, node: Node) -> str:
        begin = self.offset + node.start_mark.index
        return self.text[begin : begin + 200]

    def scalar(self, node: ScalarNode, key: str) -> object:
        raw = sanitize(node.value)
        kind = node.tag.removeprefix(_TAG)
        try:
            match kind:
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
            self.say(node.start_mark.index, key, f"{raw!r} is not what its tag says; remove the tag")
            return None
        self.say(
            node.start_mark.index, key, f"the tag {node.tag} means nothing here; remove it, or put the text in quotes"
        )
        return None

    def mapping(self, node: MappingNode, outer: str) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, child in node.value:
            if not isinstance(name, ScalarNode):
                self.say(name.start_mark.index, outer, "a key must be text; a key with [ ] or { } needs quotes")
                continue
            own = sanitize(name.value)
            key = f"{outer}.{own}" if outer else own
            if own in found:
                self.say(
                    name.start_mark.index, key, f"set twice; expected once (first in line {self.front.lines[key]})"
                )
                continue
            self.front.lines[key] = self.line(name.start_mark.index)
            found[own] = self.value(child, key)
            if not outer:
                self.front.spans[key] = self.span(name, child)
        return found

    def span(self, name: Node, child: Node) -> tuple[int, int]:
        """Return the file offsets from after the colon to the end of the value, without comments."""
        begin = self.text.index(":", self.offset + name.end_mark.index) + 1
        end = max((self.offset + leaf.end_mark.index for leaf in _leaves(child)), default=begin)
        end = max(begin, end)
        return begin, begin + len(self.text[begin:end].rstrip())


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
