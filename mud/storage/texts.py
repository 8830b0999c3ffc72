r"""The texts of the world, which stand in the vault, found by key and filled in.

A file of `vault/text/` holds sections with lines `**key**: value`, or `**key**:` and a list of variants:

    ## say
    **said**: You say, "{words}"
    **greetings**:
    - Hello, {name}.
    - Oh, {name}! I was just
      thinking of you.

The full key is path, section and key: `commands.say.said` in `commands.md`. An indented line continues a text. `\n` is
a newline, `\\` a backslash, `{{` and `}}` are braces. All other lines are ignored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.registry import hint
from mud.storage.documents import Document, MarkdownLine, examine_document, markdown_lines, open_fence
from mud.storage.files import read_if_there
from mud.storage.paths import markdown_below, may_be_read
from mud.world.narration import Phrase

GENERATE = "generate."  # prefix of the lists that a world is made up from
FREE = ("instinct.", "newcomers.", GENERATE)  # prefixes of texts that are chosen at random and need no declared phrase

_SECTION = re.compile(r" {0,3}##[ \t]+(\S.*)")
_KEY = re.compile(r"\*\*([a-z][a-z0-9_ ]*)\*\*:(.*)")
_VARIANT = re.compile(r" {0,3}[-*][ \t]+(\S.*)")
_MORE = re.compile(r"(?:\t| {2,})[ \t]*(\S.*)")
_BRACES = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|[{}]")
_EMPTY = '""'


class Text(NamedTuple):
    """The text under one key, with at least one variant; places are not filled."""

    key: str
    variants: tuple[str, ...]
    file: str
    line: int

    @property
    def places(self) -> frozenset[str]:
        return frozenset(found[1] for text in self.variants for found in _BRACES.finditer(text) if found[1])


def fill_places(text: str, places: Mapping[str, object]) -> str:
    """Fill the `{places}` of a text once; a place without a value stays as it is."""
    template, names = _template(text)
    try:
        return template % tuple([places[name] for name in names])
    except KeyError:
        return template % tuple([places.get(name, f"{{{name}}}") for name in names])


@lru_cache(maxsize=1 << 11)
def _template(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with `%s` in place of its places, and their names."""
    names = tuple(found[1] for found in _BRACES.finditer(text) if found[1])
    return _BRACES.sub(lambda found: "%s" if found[1] else found[0][0], text.replace("%", "%%")), names


def parse_texts(source: str, prefix: str, file: str) -> tuple[dict[str, Text], list[Problem]]:
    """Parse one file of texts; return the valid texts by full key, and the problems by line.

    `prefix` is its path in the folder of texts with dots, such as `commands` or `instinct.eliza`.
    """
    texts, problems = _parsed(source, prefix, file)
    return dict(texts), list(problems)


@lru_cache(maxsize=1 << 6)
def _parsed(source: str, prefix: str, file: str) -> tuple[dict[str, Text], list[Problem]]:
    """Parse a file; what has not changed is not parsed again, since every start and every check reads them all."""
    document, problems = examine_document(source, file)
    reader = _TextReader(prefix, file, problems)
    reader.read(document)
    if fence := open_fence(document.body, document.body_line):
        reader.say(fence, "", "this code fence has no end and hides what follows; expected a line ```")
    return reader.texts, sorted(problems, key=lambda problem: problem.line)


class _TextReader:
    def __init__(self, prefix: str, file: str, problems: list[Problem]) -> None:
        self.prefix, self.file, self.problems = prefix, file, problems
        self.texts: dict[str, Text] = {}
        self.section = ""
        self.key, self.line = "", 0
        self.found: list[str] = []
        self.listed = False
        self.joins = False  # the line before belongs to a text, so an indented line continues it

    def say(self, line: int, key: str, message: str) -> None:
        self.problems.append(Problem(self.file, line, key, message))

    def read(self, document: Document) -> None:
        for line in markdown_lines(document.body, document.body_line):
            if line.fenced or not self.is_text(line):
                # A blank line may stand between a key and its list; any other line ends the text.
                self.joins = False
                if line.fenced or line.text.strip() or not self.listed:
                    self.end()
        self.end()

    def is_text(self, line: MarkdownLine) -> bool:
        """Parse a line; return whether it belongs to a text or begins a section."""
        if section := _SECTION.fullmatch(line.text):
            self.end()
            self.section = _word(section[1])
            return True
        if key := _KEY.fullmatch(line.text):
            self.end()
            self.key, self.line = ".".join(filter(None, (self.prefix, self.section, _word(key[1])))), line.number
            self.found = [key[2].strip()] if key[2].strip() else []
            self.listed, self.joins = not self.found, True
            return True
        if not self.key:
            return False
        if variant := _VARIANT.fullmatch(line.text):
            if not self.listed:
                self.say(line.number, self.key, "a text on its line and a list below; expected one of both")
                self.listed = True
            self.found.append(variant[1].strip())
            self.joins = True
            return True
        more = _MORE.fullmatch(line.text) if self.joins and self.found else None
        if more:
            self.found[-1] += f" {more[1].strip()}"
        return more is not None

    def end(self) -> None:
        key, self.key = self.key, ""
        if not key:
            return
        if key in self.texts:
            self.say(self.line, key, f"set twice; expected once (first in line {self.texts[key].line})")
            return
        if not self.found:
            wanted = f"expected text behind the colon or a list below ({_EMPTY} for none)"
            self.say(self.line, key, f"it has no text; {wanted}")
            return
        variants = tuple("" if text == _EMPTY else _unescaped(text) for text in self.found)
        if any(brace[0] in "{}" for text in variants for brace in _BRACES.finditer(text)):
            wanted = "expected {place} in lower case, or {{ and }} for braces"
            self.say(self.line, key, f"a brace that is no place; {wanted}")
            return
        self.texts[key] = Text(key, variants, self.file, self.line)


def _prefix(file: Path) -> str:
    """Return what the keys of a file begin with; `file` is its path in the folder of texts."""
    return "".join(f"{_word(part)}." for part in file.with_suffix("").parts)


def _word(text: str) -> str:
    return "_".join(text.lower().split())


def _unescaped(text: str) -> str:
    return re.sub(r"\\([n\\])", lambda found: "\n" if found[1] == "n" else "\\", text)


Rule = Callable[[Mapping[str, Text]], Iterable[Problem]]
"""Returns what is wrong in the texts, which are given by full key."""


class TextStore:
    """All texts of a vault. A file with a mistake keeps its last good texts.

    Files that the vault lacks are borrowed from `shipped`, and texts that its own files lack too, which `check` tells.
    """

    def __init__(self, folder: Path, shipped: Path | None = None) -> None:
        self.folder, self._shipped = folder, shipped
        self._lent: dict[str, Text] = {}
        self._borrowed: frozenset[str] = frozenset()  # files of which the vault has none of its own
        self._texts: dict[str, Text] = {}
        self._rules: tuple[Rule, ...] = ()

    def load(self) -> list[Problem]:
        own, problems = self._read(self.folder)
        self._lent = self._missing(own)
        self._texts = self._lent | own
        return problems

    def _missing(self, own: Mapping[str, Text]) -> dict[str, Text]:
        """Return the shipped texts that the vault lacks; of a file that it has itself no free ones."""
        self._borrowed = frozenset()
        if self._shipped is None or self._shipped.resolve() == self.folder.resolve() or not may_be_read(self.folder):
            return {}
        inside = {path: path.relative_to(self._shipped) for path in markdown_below(self._shipped)}
        there = {path: self.folder / file for path, file in inside.items()}
        absent = {path for path, here in there.items() if not os.path.lexists(here)}
        self._borrowed = frozenset(f"{self.folder.name}/{inside[path].as_posix()}" for path in absent)
        files = [path for path in there if path in absent or not _prefix(inside[path]).startswith(FREE)]
        return {key: text for key, text in self._read(self._shipped, files)[0].items() if key not in own}

    def reload(self) -> list[Problem]:
        """Read every file again and use those without a problem, also by the rules of the last `check`.

        A file that is empty or gone is an edit in progress, and its texts stay.
        """
        texts, problems = self._read(self.folder)
        here = {text.file for text in texts.values()}
        in_edit = {text.file for text in self._texts.values() if text.file not in here and self._in_edit(text.file)}
        kept = {key: text for key, text in self._texts.items() if text.file in in_edit}
        problems += self._wrong(self._lent | kept | texts)
        files, keys = {problem.file for problem in problems}, {problem.key for problem in problems}
        old = {key: text for key, text in self._texts.items() if text.file in files | in_edit or key in keys}
        self._texts = self._lent | old | {key: text for key, text in texts.items() if text.file not in files}
        return problems

    def check(self, phrases: Iterable[Phrase], *rules: Rule) -> list[Problem]:
        """Return what is wrong between the phrases of the program and the texts.

        Every phrase needs one text with no other places than its own, and every text outside of `FREE` needs a phrase.
        """
        known = tuple(phrases)
        self._rules = (lambda texts: _checked(texts, known), *rules)
        return [*self._wrong(self._texts), *self._told_lent()]

    def _wrong(self, texts: Mapping[str, Text]) -> list[Problem]:
        return [problem for rule in self._rules for problem in rule(texts)]

    def _told_lent(self) -> Iterator[Problem]:
        """Yield one problem for each file of the vault that lacks texts; they are for information only."""
        for file in sorted({text.file for text in self._lent.values()} - self._borrowed):
            keys = ", ".join(key for key, text in self._lent.items() if text.file == file)
            source = f"{self._shipped}/{file.partition('/')[2]}"
            message = f"it has no words for {keys}; those that came with the program are used: copy them from {source}"
            yield Problem(file, 0, "", message)

    def render(self, phrase: Phrase, /, **places: object) -> str:
        """Return the text of a phrase; `check` makes sure that there is one."""
        return fill_places(self._texts[phrase.key].variants[0], places)

    def variants(self, key: str) -> tuple[str, ...]:
        """Return the texts under a full key, not filled; empty without such a key."""
        text = self._texts.get(key)
        return text.variants if text else ()

    def place(self, key: str) -> tuple[str, int]:
        """Return file and line of a text; `("text", 0)` without such a key."""
        text = self._texts.get(key)
        return (text.file, text.line) if text else ("text", 0)

    def places(self, key: str) -> frozenset[str]:
        """Return the places of a text under a full key; none without such a key."""
        text = self._texts.get(key)
        return text.places if text else frozenset()

    def keys(self, prefix: str = "") -> list[str]:
        return sorted(key for key in self._texts if key.startswith(prefix))

    @staticmethod
    def _read(folder: Path, only: Sequence[Path] | None = None) -> tuple[dict[str, Text], list[Problem]]:
        texts: dict[str, Text] = {}
        problems: list[Problem] = []
        for path in markdown_below(folder) if only is None else only:
            inside = path.relative_to(folder)
            file = f"{folder.name}/{inside.as_posix()}"
            try:
                source = read_if_there(path, file=file) or ""
            except VaultProblem as error:
                problems += error.problems
                continue
            found, wrong = parse_texts(source, _prefix(inside).rstrip("."), file)
            problems += wrong
            for key, text in found.items():
                if key in texts:
                    message = f"set twice; expected once (first in {texts[key].file}:{texts[key].line})"
                    problems.append(Problem(file, text.line, key, message))
                texts.setdefault(key, text)
        return texts, problems

    def _in_edit(self, file: str) -> bool:
        path = self.folder.parent / file
        try:
            return not (read_if_there(path) or "").strip()
        except VaultProblem:
            return False


def _checked(texts: Mapping[str, Text], phrases: tuple[Phrase, ...]) -> list[Problem]:
    problems = []
    used = {phrase.key: phrase for phrase in phrases}
    for key, phrase in used.items():
        text = texts.get(key)
        if text is None:
            message = f"there is no such text, and the program uses it; expected {_asked(phrase)}"
            problems.append(Problem(f"text/{key.split('.')[0]}.md", 0, key, message))
            continue
        if len(text.variants) > 1:
            problems.append(Problem(text.file, text.line, key, "a list of texts; expected one text behind the colon"))
        for place in sorted(text.places - set(phrase.places)):
            near = hint(place, phrase.places, "{{{}}}".format)
            message = f"{{{place}}} is no place of this text; expected {_asked(phrase)}{near}"
            problems.append(Problem(text.file, text.line, key, message))
    for key, text in texts.items():
        if used and key not in used and not key.startswith(FREE):
            message = f"nothing in the program uses this text{hint(key, used)}"
            problems.append(Problem(text.file, text.line, key, message))
    return sorted(problems, key=lambda problem: (problem.file, problem.line))


def _asked(phrase: Phrase) -> str:
    names = ", ".join(f"{{{place}}}" for place in phrase.places)
    return f"a text that may use {names}" if names else "a text without places"
