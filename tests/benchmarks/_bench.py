"""Benches as plug-ins, and their tables: printed, or written between two marks in a file."""

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

END = "<!-- end -->"
WIDTH = 120


@dataclass(frozen=True, slots=True)
class Table:
    """Figures, printed as a markdown table with the first column to the left and the others to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
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
    """The result of a bench.

    Args:
        name: names its block in a file, such as `recall locomo`.
        record: everything, for `--json`.
        told: what one must know to read the tables.
    """

    name: str
    record: Mapping[str, Any]
    tables: Sequence[Table]
    told: str

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables), textwrap.fill(self.told, WIDTH, break_on_hyphens=False)])


Run = Callable[[argparse.Namespace, Say], Report]


@dataclass(frozen=True, slots=True)
class Bench:
    """A bench; `--vault`, `--json` and `--table` are in every parser already."""

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run


def bench(name: str, help: str, add_arguments: Callable[[argparse.ArgumentParser], None]) -> Callable[[Run], Bench]:
    return lambda run: Bench(name, help, add_arguments, run)


def whole_number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected a whole number from 1 on")
    return int(text)


def whole_numbers(text: str) -> list[int]:
    return [whole_number(one.strip()) for one in text.split(",")]


def some_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        wanted = [one.strip() for one in text.split(",")]
        wrong = [one for one in wanted if one not in names]
        if wrong:
            raise argparse.ArgumentTypeError(f"{wrong[0]!r} is wrong; expected some of {','.join(names)}")
        return [name for name in names if name in wanted]

    return read


def require_block(path: Path | None, name: str) -> None:
    """Check, before a long run, that a file has a place for its tables; `path` is None when nothing is to be written.

    Raises:
        LociError: the file cannot be read, or has no such block.
    """
    if path is not None:
        _cut(path, name)


def write_block(path: Path, report: Report) -> None:
    """Replace the text between a report's marks in a file."""
    before, after = _cut(path, report.name)
    write_atomic(path, f"{before}\n{report}\n{after}")


def _cut(path: Path, name: str) -> tuple[str, str]:
    """Return the text of a file up to the start mark of a block, and from its end mark on."""
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
