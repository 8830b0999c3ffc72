"""All config files of the vault, read at the start and after each save, with the source of every value.

Precedence: `agent.md`, the file in `config/`, the default. A file that is empty or has a mistake changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

from mud.errors import Problem, UnknownName, VaultProblem
from mud.registry import hint
from mud.storage.files import read_if_there
from mud.storage.paths import markdown_below
from mud.storage.settings import Scalar, Setting, Value, by_key, describe, examine_settings, fill, one_of

S = TypeVar("S")

FOLDER = "config"
_MOST_MADE = 1024


class Configuration:
    """The settings in force.

    Args:
        schemas: schema of each single file, by its path under `config/` without extension ("memory_compaction").
        families: schema of all files in a folder ("llm": every `config/llm/<name>.md`). A field `name` that is no
            setting gets the file's name.
    """

    def __init__(self, vault: Path, schemas: Mapping[str, type], families: Mapping[str, type] | None = None) -> None:
        self._folder = vault / FOLDER
        self._schemas = dict(schemas)
        self._families = dict(families or {})
        self._values: dict[str, dict[str, Value]] = {}
        self._given: dict[str, list[Value]] = {}
        self._made: dict[tuple[object, ...], Any] = {}
        """Cache; some settings are requested with every memory."""
        self.version = 0
        """Incremented whenever a setting may have changed."""
        self._names = {schema: name for name, schema in [*self._schemas.items(), *self._families.items()]}
        if len(self._names) != len(self._schemas) + len(self._families):
            raise ValueError("one schema is given for two config files")
        owners: dict[str, str] = {}
        for name, schema in self._schemas.items():
            for key in (key for one in describe(schema) if one.per_agent for key in one.names):
                if owners.setdefault(key, name) != name:
                    raise ValueError(f"{name} and {owners[key]} both let agents set {key!r}")

    @property
    def schemas(self) -> Mapping[str, type]:
        return self._schemas

    def load(self) -> list[Problem]:
        """Read every config file; return all problems.

        A file that is empty or has a mistake keeps its last good values; a new file of a family with a mistake gives
        its valid ones.
        """
        paths = markdown_below(self._folder)
        there = {self._name(path) for path in paths}
        self._values = {name: values for name, values in self._values.items() if name in there}
        self._given = {name: given for name, given in self._given.items() if name in there}
        self._changed()
        return [problem for path in paths for problem in self.reload(path)]

    def reload(self, path: Path) -> list[Problem]:
        """Read one file again and use it if it has no problem; ignores files that are no config files."""
        name = self._name(path)
        if name is None:
            return []
        self._changed()
        file = f"{FOLDER}/{name}.md"
        schema = self._schema(name)
        if schema is None:
            return [Problem(file, 0, "", self._unread(name))]
        try:
            text = read_if_there(path, file=file)
            if text is None:
                return []
            given, problems = examine_settings(text, schema, file)
        except VaultProblem as error:
            text, given, problems = "", [], list(error.problems)
        if text.strip():
            self._given[name] = given
            if not problems:
                self._values[name] = by_key(given)
        if name not in self._schemas:  # a family's file must be found by its name
            self._values.setdefault(name, by_key(given))
        return problems

    def get(self, schema: type[S]) -> S:
        return cast(S, self._remembered((schema,), lambda: fill(schema, self._values.get(self._names[schema], {}))))

    def given(self, schema: type, key: str, one_of_them: str = "") -> list[Value]:
        """Return what a file says of a key, even if a mistake keeps it from being used; else the default.

        `one_of_them` is the name of a file in a family.
        """
        name = f"{self._names[schema]}/{one_of_them}" if one_of_them else self._names[schema]
        found = [value for value in self._given.get(name, ()) if value.key == key]
        default = next(one.default for one in describe(schema) if one.key == key)
        return found or [Value(key, default, f"{FOLDER}/{name}.md", 0)]

    def get_named(self, schema: type[S], name: str) -> S:
        """Return the settings of one file of a family, ignoring case. Raises UnknownName with the names there are."""
        return cast(S, self._remembered((schema, name), lambda: self._get_named(schema, name)))

    def _get_named(self, schema: type[S], name: str) -> S:
        known = {one.lower(): one for one in self.names(schema)}
        if name.lower() not in known:
            raise UnknownName(
                f"there is no {FOLDER}/{self._names[schema]}/{name}.md; there is: {', '.join(known.values()) or 'none'}"
                f"{hint(name, known, known.__getitem__)}"
            )
        stem = known[name.lower()]
        made = fill(schema, self._values[f"{self._names[schema]}/{stem}"])
        return _named(made, stem)

    def names(self, schema: type) -> list[str]:
        folder = f"{self._names[schema]}/"
        return sorted(name.removeprefix(folder) for name in self._values if name.startswith(folder))

    def for_agent(self, schema: type[S], overrides: Mapping[str, Value]) -> S:
        own = tuple(overrides.items())
        made = self._remembered(
            (schema, own), lambda: fill(schema, self._values.get(self._names[schema], {}), overrides)
        )
        return cast(S, made)

    def _changed(self) -> None:
        self.version += 1
        self._made.clear()

    def _remembered(self, key: tuple[object, ...], make: Callable[[], object]) -> object:
        if key not in self._made:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            self._made[key] = make()
        return self._made[key]

    def keys(self) -> list[str]:
        return [f"{name}.{one.key}" for name, one in self._settings()]

    def explain(self, key: str, overrides: Mapping[str, Value] | None = None) -> list[tuple[Scalar, str]]:
        """Return the values of a setting with their sources, the one in force first, the default last.

        Raises UnknownName when there is no such key, or several.
        """
        name, one = self.find(key)
        layers = [self._values.get(name, {})]
        if name in self._schemas and one.per_agent:
            layers.insert(0, dict(overrides or {}))
        found = [layer[one.key] for layer in layers if one.key in layer]
        return [*((value.value, f"{value.file}:{value.line}") for value in found), (one.default, "default")]

    def find(self, key: str) -> tuple[str, Setting]:
        """Return file name and setting of a key or `file.key`. Raises UnknownName as `explain` does."""
        exact = self.named(key)
        if len(exact) == 1:
            return exact[0]
        if exact:
            names = ", ".join(f"{name}.{one.key}" for name, one in exact)
            raise UnknownName(f"several files have {key!r}; name one: {names}")
        raise UnknownName(f"there is no setting {key!r}{hint(key.strip(), self.words())}")

    def named(self, key: str) -> list[tuple[str, Setting]]:
        """Return every setting with this key or `file.key`, ignoring case, with its file name."""
        wanted = key.strip().lower()
        return [(name, one) for name, one in self._settings() if wanted in map(str.lower, _words(name, one))]

    def words(self) -> set[str]:
        return {word for name, one in self._settings() for word in _words(name, one)}

    def _settings(self) -> Iterator[tuple[str, Setting]]:
        for name, schema in self._schemas.items():
            yield from ((name, one) for one in describe(schema))
        for folder, schema in self._families.items():
            for stem in self.names(schema):
                yield from ((f"{folder}/{stem}", one) for one in describe(schema))

    def _name(self, path: Path) -> str | None:
        """Return the path under `config/` without extension; None for other files."""
        if not path.is_relative_to(self._folder) or path.suffix != ".md":
            return None
        inside = path.relative_to(self._folder)
        if inside.name == "README.md" or any(part.startswith(".") for part in inside.parts):
            return None
        return inside.with_suffix("").as_posix()

    def _schema(self, name: str) -> type | None:
        folder = PurePosixPath(name).parent.as_posix()
        return self._schemas.get(name) or self._families.get(folder)

    def _unread(self, name: str) -> str:
        known = [*self._schemas, *(f"{folder}/..." for folder in self._families)]
        return f"no part of the program reads this file; {one_of(known)}{hint(name, self._schemas, '{}.md'.format)}"


def _words(file: str, setting: Setting) -> tuple[str, ...]:
    return (*setting.names, *(f"{file}.{name}" for name in setting.names))


def _named(made: S, name: str) -> S:
    """Set the field `name` of a settings instance, if its schema has one that is no setting."""
    instance = cast(Any, made)
    plain = {field.name for field in dataclasses.fields(instance) if "setting" not in field.metadata}
    return cast(S, dataclasses.replace(instance, name=name)) if "name" in plain else made
