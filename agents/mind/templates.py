"""The prompt templates in `vault/prompts/`.

After a broken edit the last valid version stays in use; without one, the template shipped with the program is used, as
are all of them where the vault has no such folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from mud.errors import Problem, VaultProblem
from mud.storage.files import read_if_there
from mud.storage.paths import SHIPPED, matching

T = TypeVar("T")


class Templates(Generic[T]):
    """The templates of one folder, read by one parser.

    Args:
        files: returns the file names to read; None for all files.
        parse: takes text and name of a file; raises VaultProblem when it is invalid.
        shown: the folder's name in problems.
    """

    def __init__(
        self,
        folder: Path,
        files: Callable[[], Iterable[str]] | None,
        parse: Callable[[str, str], T],
        shown: str = "prompts",
    ) -> None:
        self._folder, self._files, self._parse, self._shown = folder, files, parse, shown
        self._good: dict[str, T] = {}
        self._shipped: dict[str, T | None] = {}

    def load(self) -> list[Problem]:
        """Read every template and return all problems; an invalid one keeps its last valid version."""
        problems: list[Problem] = []
        for name in self._files() if self._files is not None else self.there():
            file = f"{self._shown}/{name}"
            try:
                text = read_if_there(self._source() / name, file=file)
                if text and text.strip():
                    self._good[name] = self._parse(text, file)
                elif name not in self._good:  # otherwise an edit is in progress
                    problems.append(Problem(file, 0, "", "it is missing or empty; expected the words of the prompt"))
            except VaultProblem as wrong:
                problems.extend(wrong.problems)
        return problems

    def there(self) -> list[str]:
        return [path.name for path in matching(self._source(), "[!.]*.md")]

    def _source(self) -> Path:
        """Return the vault's folder, or the shipped one when there is none."""
        return self._folder if os.path.lexists(self._folder) else SHIPPED / self._shown

    def names(self) -> list[str]:
        """Return the names of the usable templates, without `.md`."""
        return sorted(name.removesuffix(".md") for name in self._good)

    def has(self, file: str) -> bool:
        return file in self._good

    def named(self, name: str) -> T:
        """Like `get`, by the name without `.md`."""
        return self.get(f"{name}.md")

    def get(self, name: str) -> T:
        """Return a template, else the shipped one; raises VaultProblem when there is neither."""
        found = self._good.get(name) or self._of_the_program(name)
        if found is None:
            raise VaultProblem([Problem(f"{self._shown}/{name}", 0, "", "there is no usable template of this name")])
        return found

    def _of_the_program(self, name: str) -> T | None:
        if name not in self._shipped:
            file = f"{self._shown}/{name}"
            with suppress(VaultProblem):  # the vault may be the shipped one, with a mistake in it
                text = read_if_there(SHIPPED / file, file=file)
                self._shipped[name] = self._parse(text, file) if text and text.strip() else None
        return self._shipped.get(name)
