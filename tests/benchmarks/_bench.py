"""What a bench is, and its tables: printed for people, or put between two marks in a file by the program itself."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mud.errors import LociError
from mud.storage.files import write_atomic

Say = Callable[[str], None]
"""Says to whoever waits how far a bench is."""

END = "<!-- end -->"
WIDTH = 120
"""Characters in a line of prose."""


@dataclass(frozen=True, slots=True)
class Table:
    """Figures for people.

    Args:
        head: the columns' names.
        rows: the cells, a row each.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        """Return it in markdown, its columns in line: the first to the left, figures to the right."""
        widths = [max(map(len, column), default=0) for column in zip(self.head, *self.rows, strict=True)]
        widths = [max(3, width) for width in widths]
        lines = [_line(self.head, widths)]
        lines.append(f"|{'-' * (widths[0] + 2)}|" + "".join(f"{'-' * (width + 1)}:|" for width in widths[1:]))
        return "\n".join(lines + [_line(row, widths) for row in self.rows])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = cells
    padded = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
    return f"| {' | '.join(padded)} |"


@dataclass(frozen=True, slots=True)
class Report:
    """What a bench found out.

    Args:
        name: names its block in a file, such as `recall locomo`.
        record: everything, for `--json`.
        tables: the figures for people.
        told: what one must know to read them; a sentence or more.
    """

    name: str
    record: Mapping[str, Any]
    tables: Sequence[Table]
    told: str

    def __str__(self) -> str:
        """Return all of it in markdown."""
        return "\n\n".join([*map(str, self.tables), textwrap.fill(self.told, WIDTH, break_on_hyphens=False)])


Run = Callable[[argparse.Namespace, Say], Report]


@dataclass(frozen=True, slots=True)
class Bench:
    """A bench as a plug-in.

    Args:
        name: what is typed after `bench`.
        help: one sentence.
        add_arguments: adds its own arguments; `--vault`, `--json` and `--table` are there already.
        run: does it.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run


def bench(name: str, help: str, add_arguments: Callable[[argparse.ArgumentParser], None]) -> Callable[[Run], Bench]:
    """Make a function a bench."""
    return lambda run: Bench(name, help, add_arguments, run)


def whole_number(text: str) -> int:
    """Return an argument that is a whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected a whole number from 1 on")
    return int(text)


def whole_numbers(text: str) -> list[int]:
    """Return an argument that is a list of whole numbers from 1 on, separated by commas.

    Raises:
        argparse.ArgumentTypeError: one of them is none.
    """
    return [whole_number(one.strip()) for one in text.split(",")]


def some_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Return what reads a list of names, separated by commas."""

    def read(text: str) -> list[str]:
        wanted = [one.strip() for one in text.split(",")]
        wrong = [one for one in wanted if one not in names]
        if wrong:
            raise argparse.ArgumentTypeError(f"{wrong[0]!r} is wrong; expected some of {','.join(names)}")
        return [name for name in names if name in wanted]

    return read


def require_block(path: Path | None, name: str) -> None:
    """Make sure, before a long run, that its tables have a place in a file.

    Args:
        path: the file; None when there is nothing to write.
        name: the report's.

    Raises:
        LociError: the file cannot be read, or has no such block.
    """
    if path is not None:
        _cut(path, name)


def write_block(path: Path, report: Report) -> None:
    """Put a report between its marks in a file; the rest stays as it is.

    Args:
        path: the file.
        report: what to put there.

    Raises:
        LociError: as `require_block`.
    """
    before, after = _cut(path, report.name)
    write_atomic(path, f"{before}\n{report}\n{after}")


def _cut(path: Path, name: str) -> tuple[str, str]:
    """Return what stands in a file up to the mark of a block, and from its end on."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LociError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None
    mark = f"<!-- bench {name} -->"
    before, found, rest = text.partition(mark)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise LociError(f"{path} has no place for the table: expected the line {mark}, and {END} after it")
    return before + mark, END + after
