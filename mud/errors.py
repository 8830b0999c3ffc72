"""The errors of Loci, all below `LociError`.

`Refusal` is for players, `VaultProblem` and `VaultLocked` for the owner of the vault. Programming errors are Python's
own exceptions. A player never sees a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mud.sanitize import visible


class LociError(Exception):
    """An error that is reported as one plain sentence."""


class Refusal(LociError):
    """An action is impossible: `text` says why, `hint` what might work instead."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in one file of the vault; `line` counts from 1, 0 is the whole file."""

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, visible(self.key), visible(self.message)) if part)

    @property
    def where(self) -> str:
        """File and line, safe to print: a file name cannot control the terminal."""
        file = visible(self.file)
        return f"{file}:{self.line}" if self.line else file


class VaultProblem(LociError):
    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class UnsafePath(VaultProblem, OSError):
    """A file of the vault that may not be opened: a link, a pipe, a device.

    Also an OSError, so that code which survives a full disk survives this too.
    """


class VaultLocked(LociError):
    """Another process holds the vault; `pid` is None when it could not be read."""

    def __init__(self, vault: str, pid: int | None) -> None:
        self.pid = pid
        holder = f"process {pid}" if pid else "another process"
        end = "end that one first, or name another with --vault"
        super().__init__(f"the vault in {vault} is in use by {holder}; {end}")


class LeaseLost(LociError, OSError):
    """Another process writes in this folder now; nothing of this one is written any more.

    Also an OSError, so that what is not written waits as on a full disk.
    """


class UnknownName(LociError):
    """No plug-in or thing has this name; the message lists the names."""


class Unavailable(LociError):
    """A model, an embedder, an index or a disk does not answer; the message says what, and why if known."""
