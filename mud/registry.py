"""Plug-ins: loading the values of a package's modules, and finding them by name.

Importing a plug-in has no side effects. A plug-in is any module of the folder whose name has no leading underscore.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from mud.errors import UnknownName


class HasName(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=HasName)


def suggest(word: str, choices: Iterable[str]) -> str | None:
    """Return the nearest choice, ignoring case; None when nothing is near.

    Near means one edit for words of two to four letters, and a similarity of 0.7 for longer ones.
    """
    typed = word.casefold()
    pool = {choice.casefold(): choice for choice in sorted(choices, reverse=True)}
    if len(typed) <= 4:
        near = [choice for choice in sorted(pool) if len(typed) > 1 < len(choice) and _one_edit(typed, choice)]
    else:
        near = difflib.get_close_matches(typed, sorted(pool), n=1, cutoff=0.7)
    return pool[near[0]] if near else None


def hint(word: str, choices: Iterable[str], shown: Callable[[str], object] = str) -> str:
    """Return `; did you mean ...?` for a wrong word, or "" when nothing is near; `shown` formats the choice."""
    near = suggest(word, choices)
    return "" if near is None else f"; did you mean {shown(near)}?"


def _one_edit(one: str, other: str) -> bool:
    """Return whether one insertion, deletion, change or swap of neighbours makes the words equal."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = short[same + 1 : same + 2] + short[same : same + 1] + short[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or swapped == long[same:]


class Registry(Generic[T]):
    """Values found by name or alias, ignoring case. Raises ValueError for duplicates."""

    def __init__(self, kind: str, values: Iterable[T] = ()) -> None:
        self.kind = kind
        self._values: dict[str, T] = {}
        self._names: dict[str, str] = {}
        for value in values:
            if self._values.setdefault(value.name, value) != value:
                raise ValueError(f"two {kind}s are called {value.name!r}")
            for name in (value.name, *getattr(value, "aliases", ())):
                if self._names.setdefault(name.lower(), value.name) != value.name:
                    raise ValueError(f"two {kind}s answer to {name!r}: {self._names[name.lower()]} and {value.name}")

    def __iter__(self) -> Iterator[T]:
        return iter(self._values.values())

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._names

    def names(self) -> list[str]:
        return sorted(self._values)

    def words(self) -> list[str]:
        """Return every name and alias, sorted."""
        return sorted(self._names)

    def find(self, name: str) -> T | None:
        known = self._names.get(name.lower())
        return self._values[known] if known is not None else None

    def get(self, name: str) -> T:
        """Return the value with this name or alias. Raises UnknownName with the names and the nearest one."""
        value = self.find(name)
        if value is None:
            near = hint(name, self._names)
            raise UnknownName(f"there is no {self.kind} {name!r}; there is: {', '.join(self.names())}{near}")
        return value

    def joined(self, others: Iterable[T]) -> Registry[T]:
        return Registry(self.kind, [*self, *others])


class LazyRegistry(Registry[T]):
    """A registry that loads its values at the first use."""

    def __init__(self, kind: str, values: Callable[[], Iterable[T]]) -> None:
        self.kind = kind
        self._load = values

    def __getattr__(self, name: str) -> Any:
        """Called for attributes that are missing: loads the values."""
        if name not in ("_values", "_names"):
            raise AttributeError(name)
        loaded = Registry(self.kind, self._load())  # complete before it is visible to other threads
        self.__dict__.update(_values=loaded._values, _names=loaded._names)
        return self.__dict__[name]


def modules(package: str, only: Collection[str] | None = None) -> list[object]:
    """Import the plug-in modules of a package, or only some of them, sorted by name."""
    names = [name for name in plug_in_names(package) if only is None or name in only]
    return [importlib.import_module(f"{package}.{name}") for name in names]


def plug_in_names(package: str) -> tuple[str, ...]:
    """Return the names of a package's plug-ins without importing them. Raises OSError when they cannot be listed.

    A setting can offer these names even if the plug-ins import it. `pkgutil` would ignore the OSError.
    """
    spec = importlib.util.find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    files = (file for folder in folders for file in Path(folder).iterdir())
    found = (file.stem for file in files if file.suffix == ".py" or (file / "__init__.py").is_file())
    return tuple(sorted(name for name in found if not name.startswith("_")))


def collect(package: str, kind: type[T], only: Collection[str] | None = None) -> list[T]:
    """Return every module-level value of a type that the plug-ins of a package define, each once."""
    found: dict[int, T] = {}
    for module in modules(package, only):
        for value in vars(module).values():
            if isinstance(value, kind):
                found[id(value)] = value
    return list(found.values())


def load(package: str, kind: type[T], called: str, only: Collection[str] | None = None) -> Registry[T]:
    """Return the registry of a package's plug-ins, imported at the first use; `called` is their name in messages."""
    return LazyRegistry(called, lambda: collect(package, kind, only))
