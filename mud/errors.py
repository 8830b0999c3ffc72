"""The errors of Loci, sorted by who must read them.

    LociError                 abstract: catch this at the rim
        Refusal               for the player: what was tried cannot be done, and what might
        VaultProblem          for the owner of the vault: file, line, key, what is wrong, what was expected
            UnsafePath        the same, of a file that may not be opened: a link, a pipe
        VaultLocked           for the owner: another process writes to this vault
        UnknownName           for whoever chose a plug-in by name: what there is instead
        Unavailable           for the owner: a model, an embedder, an index or a disk does not answer

Errors of programmers stay what Python raises. Nobody in the world is ever shown a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class LociError(Exception):
    """Anything that Loci says is wrong, as one plain sentence."""


class Refusal(LociError):
    """An action that cannot be done, told to whoever tried it.

    Args:
        text: why not, one sentence.
        hint: what might work instead; empty when there is nothing to suggest.
    """

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in one file of the vault.

    Args:
        file: path inside the vault, with forward slashes.
        line: line number from 1; 0 when the whole file is meant.
        key: the setting, section or field; empty when there is none.
        message: what is wrong and what was expected.
    """

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.key}: {self.message}" if self.key else f"{where}: {self.message}"


class VaultProblem(LociError):
    """Mistakes in files that people own.

    Args:
        problems: all of them, never only the first.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class UnsafePath(VaultProblem, OSError):
    """A file of the vault that may not be opened as it stands there: a link, a pipe, a device.

    It is also an OSError: whoever lives on when a disk is full lives on after this one too.
    """


class VaultLocked(LociError):
    """Another process holds the vault.

    Args:
        vault: the vault's whole path.
        pid: the process that holds it; None when it could not be read.
    """

    def __init__(self, vault: str, pid: int | None) -> None:
        self.pid = pid
        holder = f"process {pid}" if pid else "another process"
        end = "end that one first, or name another with --vault"
        super().__init__(f"the vault in {vault} is in use by {holder}; {end}")


class UnknownName(LociError):
    """A name that no plug-in or thing answers to; the message says which there are."""


class Unavailable(LociError):
    """Something outside the world does not answer; the message says what, and why as far as known."""
