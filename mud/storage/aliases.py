"""A person's own aliases: `aliases.md` in their folder, with a line `**gs**: go south` for each."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.storage.documents import markdown_lines, open_fence
from mud.storage.files import read_if_there, write_atomic

FILE = "aliases.md"
MOST = 100  # aliases of one person
LONGEST = 400  # characters of what an alias stands for
NAME = re.compile(r"[^\W_][\w-]{0,19}")
"""The name of an alias: one word of letters and digits."""
HEAD = """# Aliases

Each line is `**name**: what it stands for`. `$1` to `$9` are words typed after the name, `$*` is all of them; without
any, they are put behind it. Edit them at any time.

"""
_LINE = re.compile(r"\*\*([^*]+)\*\*:[ \t]*(.*?)[ \t]*")


class Alias(NamedTuple):
    """One line of the file."""

    name: str
    text: str
    line: int


class AliasFile:
    """The aliases in one folder, read again whenever the file has changed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.file = f"{folder.parent.name}/{folder.name}/{FILE}"
        self._seen: tuple[int, int] | None = None
        self._known: dict[str, str] = {}

    def __call__(self) -> dict[str, str]:
        """Return what each alias stands for, by its name in lower case. An unreadable file has none."""
        try:
            now = self.path.stat()
            seen = now.st_mtime_ns, now.st_size
            if seen != self._seen:
                self._known, self._seen = {one.name: one.text for one in self._right()}, seen
        except (OSError, VaultProblem):
            self._known, self._seen = {}, None
        return self._known

    def _right(self) -> list[Alias]:
        """Return the lines without a mistake; of two with one name the first."""
        wrong = {problem.line for problem in self.problems()}
        return [one for one in self._lines() if one.line not in wrong]

    def _text(self) -> str:
        return read_if_there(self.path, file=self.file) or ""

    def _lines(self) -> Iterator[Alias]:
        for line in markdown_lines(self._text()):
            if not line.fenced and (found := _LINE.fullmatch(line.text)):
                yield Alias(found[1].strip().casefold(), found[2], line.number)

    def problems(self, commands: Container[str] = ()) -> list[Problem]:
        """Return what is wrong in the file. Raises VaultProblem when it cannot be read.

        Args:
            commands: the names of commands, which an alias never replaces.
        """
        problems, names = list[Problem](), set[str]()
        for name, text, line in self._lines():
            why = "set twice; expected once" if name in names else why_not(name, text, commands)
            names.add(name)
            if not why and len(names) > MOST:
                why = f"there are more than {MOST} aliases; this one is not used"
            if why:
                problems.append(Problem(self.file, line, name, why))
        return problems

    def put(self, name: str, text: str | None) -> None:
        """Set an alias, or remove it for None; every other line stays as it is. Raises OSError and VaultProblem."""
        source = self._text() or HEAD
        if (open_at := open_fence(source)) is not None:
            raise VaultProblem([Problem(self.file, open_at, "", "this code is not closed; expected a line ``` below")])
        lines = source.rstrip("\n").split("\n")
        if source == HEAD:
            lines.append("")
        at = next((one.line - 1 for one in self._lines() if one.name == name.casefold()), len(lines))
        lines[at : at + 1] = [] if text is None else [f"**{name}**: {text}"]
        write_atomic(self.path, "\n".join(lines) + "\n")


def why_not(name: str, text: str, commands: Container[str] = ()) -> str:
    """Return why an alias cannot be called so or stand for a text; empty when it can."""
    if not NAME.fullmatch(name):
        return "this is no name for an alias; expected one word of at most 20 letters and digits"
    if name in commands:
        return "a command is called so; expected another name"
    if not text:
        return "it stands for nothing; expected a line to type"
    if len(text) > LONGEST:
        return f"it is too long; expected at most {LONGEST} characters"
    return ""
