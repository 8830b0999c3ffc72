"""The prompts that models read, as templates in `vault/prompts/`.

A broken edit leaves the last good one in use; for one that was never good the one that came with the program stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from mud.errors import Problem, VaultProblem
from mud.storage.files import read_if_there
from mud.storage.paths import SHIPPED

T = TypeVar("T")


class Templates(Generic[T]):
    """Some templates of a vault, read by one parser.

    Args:
        folder: where they are, `vault/prompts` or a folder in it.
        files: gives the names of the files that the program uses; None for every one that is there.
        parse: takes a file's text and what problems call the file; raises VaultProblem when it cannot be used.
        shown: what problems call the folder.
    """

    def __init__(
        self,
        folder: Path,
        files: Callable[[], Iterable[str]] | None,
        parse: Callable[[str, str], T],
        shown: str = "prompts",
    ) -> None:
        self._folder = folder
        self._files = files
        self._parse = parse
        self._shown = shown
        self._good: dict[str, T] = {}
        self._shipped: dict[str, T | None] = {}

    def load(self) -> list[Problem]:
        """Read every template; one that is wrong keeps its last good form.

        Returns:
            What is wrong, all of it.
        """
        problems: list[Problem] = []
        for name in self._wanted():
            file = f"{self._shown}/{name}"
            try:
                text = read_if_there(self._folder / name, file=file)
                if text and text.strip():
                    self._good[name] = self._parse(text, file)
                elif name not in self._good:  # else it is an edit in progress
                    problems.append(Problem(file, 0, "", "it is missing or empty; expected the words of the prompt"))
            except VaultProblem as wrong:
                problems.extend(wrong.problems)
        return problems

    def there(self) -> list[str]:
        """Return the names of all files that are there, used or not."""
        return sorted(path.name for path in self._folder.glob("[!.]*.md"))

    def _wanted(self) -> Iterable[str]:
        """Return the names of the files to read."""
        if self._files is not None:
            return self._files()
        return self.there()

    def names(self) -> list[str]:
        """Return the names of what can be had, without their endings."""
        return sorted(name.removesuffix(".md") for name in self._good)

    def has(self, file: str) -> bool:
        """Return whether a file was ever read without a problem."""
        return file in self._good

    def named(self, name: str) -> T:
        """Return a template by its name without the ending.

        Raises:
            VaultProblem: as `get`.
        """
        return self.get(f"{name}.md")

    def get(self, name: str) -> T:
        """Return a template; the one that came with the program when the vault's was never read without a problem.

        Raises:
            VaultProblem: when neither can be had.
        """
        found = self._good.get(name) or self._lent(name)
        if found is None:
            raise VaultProblem([Problem(f"{self._shown}/{name}", 0, "", "there is no usable template of this name")])
        return found

    def _lent(self, name: str) -> T | None:
        """Return the template of this name that came with the program; None when none did."""
        if name not in self._shipped:
            file = f"{self._shown}/{name}"
            with suppress(VaultProblem):  # a vault may be the program's own, with a mistake in it
                text = read_if_there(SHIPPED / file, file=file)
                self._shipped[name] = self._parse(text, file) if text and text.strip() else None
        return self._shipped.get(name)
