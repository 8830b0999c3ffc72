"""Front matter: the small, unsurprising part of YAML that a vault uses, read with true line numbers and written back.

Only true/false, null, whole numbers and decimals are more than text: `12:30`, `no` and `2025-01-01` stay as typed. A
key set twice, an unquoted `[[link]]`, an anchor and an unknown tag are problems, all of them told at once. Pure.
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
"""Words that are text here and true or false to other programs: written in quotes for their sake."""
_PLAIN = re.compile(r"^[^\W\d][\w ./()-]*$")
LONGEST_FRONT = 32 * 1024
"""Characters of a front matter that people write; to read so many takes half a second."""
DEEPEST = 16
"""Mappings and lists inside each other."""
_BY_LINES = 3
"""The same where the keys of a front matter that is not in order are read one by one."""
_SHORT = 40
"""Characters of a text that is likely to be written again."""
_HEAD = re.compile(r"^ *([^\s:#\"'\[\]{}][^:#\"'\[\]{}]*):[ \t]*(?:#.*)?$")
"""A line with a key whose values stand in the lines below."""
_ENDED = re.compile(r"^(?:\s*$|#[ \t])", re.M)
"""A line with which a front matter ends whose closing line is missing."""
_BARE_LINK = re.compile(r"^[^\"'#\n]*?:\s*\[\[", re.M)


class _Loader(yaml.SafeLoader):
    """Composes YAML nodes with four kinds of scalars besides text, and without anchors."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  (as its base declares it)

    depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        """Refuse what would make one value stand in two places: a small file could become a huge one.

        Refuse also what is nested so deeply that nobody means it.
        """
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
    """Where the front matter of a text stands.

    Args:
        start: offset of its first character, after the opening `---` line; None when the text has none.
        end: offset of the closing `---` line.
        body: offset of the text after it.
        unclosed: there is an opening line and no closing one.
    """

    start: int | None
    end: int
    body: int
    unclosed: bool = False


def split(text: str) -> Split:
    """Find the front matter: it begins in the very first line, with `---`."""
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
    """What stands in a front matter.

    Args:
        values: its keys and values, in their order.
        lines: line number of each key; a key inside another is `outer.inner`.
        problems: everything that is wrong with it.
        spans: for each top-level key, the offsets in the file between its colon and the end of its value.
    """

    values: dict[str, object] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)


def parse_front(text: str, where: Split, file: str, longest: int = LONGEST_FRONT) -> Front:
    """Read the front matter of a text that `split` found; problems are collected, never raised.

    Of one that is not in order nothing is read, and the first of its lines that is wrong by itself is told; of one that
    has more characters than `longest` nothing is read either.
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
    """Return what can be read of a front matter that is not in order, and the offset where the body begins.

    Each key that is in order by itself is read. A front matter without an end is taken to end before the first line
    that is blank or a heading.
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
    """Turns YAML nodes into plain values and notes what is wrong on the way."""

    def __init__(self, text: str, offset: int, file: str, ends: list[int] | None = None) -> None:
        self.text, self.offset, self.file = text, offset, file
        self.ends = [found.start() for found in re.finditer("\n", text)] if ends is None else ends
        self.front = Front()

    def at_offset(self, offset: int) -> _FrontReader:
        """Return a reader of what stands further on."""
        return _FrontReader(self.text, self.offset + offset, self.file, self.ends)

    def read(self, source: str) -> bool:
        """Read a front matter; return whether it is one."""
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
        """Read each key of a front matter by itself, and within one that is not in order each of its own."""
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
                closed.read(f'{piece.rstrip()}"')  # a quotation without an end is likely to end with its line
                values, lines = closed.front.values, closed.front.lines
            self.front.problems += reader.front.problems
            found |= values
            self.front.lines |= lines
        self.front.values = found
        return found

    def say(self, index: int, key: str, message: str) -> None:
        """Note a problem at an offset of the front matter."""
        self.front.problems.append(Problem(self.file, self.line(index), key, message))

    def line(self, index: int) -> int:
        """Return the line in the file of an offset in the front matter. YAML itself counts rarer line ends too."""
        return bisect.bisect_left(self.ends, self.offset + index) + 1

    def sentence(self, error: yaml.MarkedYAMLError, source: str) -> str:
        """Say a syntax error plainly."""
        if isinstance(error, yaml.composer.ComposerError) and error.context is None:
            return str(error.problem)
        hint = 'a link needs quotes: "[[Name]]"' if _BARE_LINK.search(source) else "text with : # [ ] { } needs quotes"
        return f"this is not in order ({error.problem}); expected 'key: value' lines; {hint}"

    def value(self, node: Node | None, key: str) -> object:
        """Return what a node holds."""
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
        """Return the text of the file from a node on."""
        begin = self.offset + node.start_mark.index
        return self.text[begin : begin + 200]

    def scalar(self, node: ScalarNode, key: str) -> object:
        """Return a scalar as text, bool, number or None."""
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
                    # Beyond the range of decimals it is not a number that somebody meant.
                    return float(raw) if math.isfinite(float(raw)) else raw
        except (ValueError, KeyError):
            self.say(node.start_mark.index, key, f"{raw!r} is not what its tag says; remove the tag")
            return None
        self.say(
            node.start_mark.index, key, f"the tag {node.tag} means nothing here; remove it, or put the text in quotes"
        )
        return None

    def mapping(self, node: MappingNode, outer: str) -> dict[str, object]:
        """Return a mapping; keys are text as typed."""
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
        """Return the offsets in the file from after a key's colon to the end of its value, comments left out."""
        begin = self.text.index(":", self.offset + name.end_mark.index) + 1
        end = max((self.offset + leaf.end_mark.index for leaf in _leaves(child)), default=begin)
        end = max(begin, end)
        return begin, begin + len(self.text[begin:end].rstrip())


def _pieces(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a front matter key by key, each with its offset: a line and those that stand further in."""
    inset = min((len(found[1]) for found in re.finditer(r"^( *)[^\s#]", source, re.M)), default=0)
    starts = [found.start() for found in re.finditer(rf"^ {{{inset}}}[^\s#-]", source, re.M)]
    yield from ((begin, source[begin:end]) for begin, end in itertools.pairwise([*starts, len(source)]))


def _leaves(node: Node) -> Iterator[Node]:
    """Yield what bounds a node: itself, or for block collections, which YAML ends at the next token, what is inside."""
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
    """Return one `key: value`, without the last newline."""
    return f"{quoted(key)}:{render_value(value, newline)}"


def render_value(value: object, newline: str = "\n") -> str:
    """Return what stands after a key's colon. Mappings that hold text get a line for each key, all else is one line.

    Raises:
        TypeError: for a value that front matter cannot hold.
        ValueError: for a decimal that is not finite.
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
    """Return text as YAML that reads back as the same text: plain where that is safe, else in double quotes."""
    return _quoted_again(text) if len(text) <= _SHORT else _quoted(text)


def _quoted(text: str) -> str:
    plain = _PLAIN.match(text) and text.isprintable() and not text.endswith(" ")
    if plain and text.lower() not in _ELSEWHERE and not any(pattern.match(text) for _, pattern, _ in _SCALARS):
        return text
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text if plain else "".join(map(_escaped, text))}"'


_quoted_again = functools.lru_cache(maxsize=512)(_quoted)
"""The same for keys and other short texts, of which there are few: every summary has them."""


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter == "\n":
        return "\\n"
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
