"""One plug-in pattern for everything: a decorator makes a value, a loader collects values, a Registry finds them.

Importing a plug-in changes nothing elsewhere, so no test has anything to undo. A plug-in file is any module of the
folder whose name does not begin with an underscore.
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
    """What a registry can hold: a value with a name, perhaps with further names."""

    @property
    def name(self) -> str:
        """The name it is registered and shown under."""
        ...


T = TypeVar("T", bound=HasName)


def suggest(word: str, choices: Iterable[str]) -> str | None:
    """Return the choice nearest to `word`, or None when nothing is near.

    Near means at most one edit for words of two to four letters and a similarity of 0.7 for longer ones, so that a
    short wrong word is not turned into something its writer never meant. Case does not count.
    """
    typed = word.casefold()
    pool = {choice.casefold(): choice for choice in sorted(choices, reverse=True)}
    if len(typed) <= 4:
        near = [choice for choice in sorted(pool) if len(typed) > 1 < len(choice) and _one_edit(typed, choice)]
    else:
        near = difflib.get_close_matches(typed, sorted(pool), n=1, cutoff=0.7)
    return pool[near[0]] if near else None


def hint(word: str, choices: Iterable[str], shown: Callable[[str], object] = str) -> str:
    """Return the end of a message that a wrong word is in: `; did you mean ...?`, or nothing when nothing is near.

    Args:
        word: the wrong word.
        choices: what there is.
        shown: gives the form in which a choice is named.
    """
    near = suggest(word, choices)
    return "" if near is None else f"; did you mean {shown(near)}?"


def _one_edit(one: str, other: str) -> bool:
    """Return whether adding, dropping, changing or swapping neighbours once at most makes one word of the other."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = short[same + 1 : same + 2] + short[same : same + 1] + short[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or swapped == long[same:]


class Registry(Generic[T]):
    """Values found by name or alias, in any case.

    Args:
        kind: what the values are called in messages ("command", "strategy").
        values: the values; two that answer to the same name are a programming error.

    Raises:
        ValueError: when two values answer to the same name.
    """

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
        """Return the names, without aliases, sorted."""
        return sorted(self._values)

    def words(self) -> list[str]:
        """Return every name and alias, sorted."""
        return sorted(self._names)

    def find(self, name: str) -> T | None:
        """Return the value with this name or alias in any case, or None."""
        known = self._names.get(name.lower())
        return self._values[known] if known is not None else None

    def get(self, name: str) -> T:
        """Return the value with this name or alias.

        Raises:
            UnknownName: says what there is, and the nearest.
        """
        value = self.find(name)
        if value is None:
            near = hint(name, self._names)
            raise UnknownName(f"there is no {self.kind} {name!r}; there is: {', '.join(self.names())}{near}")
        return value

    def joined(self, others: Iterable[T]) -> Registry[T]:
        """Return a new registry with these values and the others."""
        return Registry(self.kind, [*self, *others])


class LazyRegistry(Registry[T]):
    """A registry whose values are loaded when the first of them is asked for.

    Args:
        kind: what the values are called in messages.
        values: loads the values.
    """

    def __init__(self, kind: str, values: Callable[[], Iterable[T]]) -> None:
        self.kind = kind
        self._load = values

    def __getattr__(self, name: str) -> Any:
        """Load the values: Python asks here for what the instance does not have yet."""
        if name not in ("_values", "_names"):
            raise AttributeError(name)
        loaded = Registry(self.kind, self._load())  # whole before it is seen: another thread may ask meanwhile
        self.__dict__.update(_values=loaded._values, _names=loaded._names)
        return self.__dict__[name]


def modules(package: str, only: Collection[str] | None = None) -> list[object]:
    """Import and return the plug-in modules of a package, sorted by name.

    Args:
        package: where they are.
        only: names of those that are wanted; None for all.
    """
    names = [name for name in plug_in_names(package) if only is None or name in only]
    return [importlib.import_module(f"{package}.{name}") for name in names]


def plug_in_names(package: str) -> tuple[str, ...]:
    """Return the names of a package's plug-ins from their files, sorted, without importing one; so a setting can offer
    them although the plug-ins themselves may import that setting.

    Args:
        package: one whose plug-ins are called as their files are.

    Raises:
        OSError: the folder cannot be listed. `pkgutil` would call it empty.
    """
    spec = importlib.util.find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    files = (file for folder in folders for file in Path(folder).iterdir() if not file.name.startswith("_"))
    return tuple(sorted(file.stem for file in files if file.suffix == ".py" or (file / "__init__.py").exists()))


def collect(package: str, kind: type[T], only: Collection[str] | None = None) -> list[T]:
    """Return every module-level value of type `kind` that the plug-ins of a package define, each once."""
    found: dict[int, T] = {}
    for module in modules(package, only):
        for value in vars(module).values():
            if isinstance(value, kind):
                found[id(value)] = value
    return list(found.values())


def load(package: str, kind: type[T], called: str, only: Collection[str] | None = None) -> Registry[T]:
    """Return the registry of the plug-ins of a package, which are imported when the first is asked for.

    Args:
        package: where they are, a file each.
        kind: the type of their values.
        called: the word for one of them in messages.
        only: names of the files that are wanted; None for all.
    """
    return LazyRegistry(called, lambda: collect(package, kind, only))
