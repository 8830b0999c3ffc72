"""Every config file of the vault in force: read at the start, read again when saved, and able to say who set what.

A file with a mistake in it changes nothing; a file that is missing means the defaults; one that is empty or has just
vanished is an edit in progress. What counts, strongest first: an agent's own `agent.md`, the file in `config/`, the
default. Which keys there are is said by the schemas, which belong to the parts that read them.
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
"""Where config files are in a vault."""
_MOST_MADE = 1024
"""Settings kept ready: one for each agent with settings of its own, and some for each file."""


class Configuration:
    """The settings in force.

    Args:
        vault: the vault's folder.
        schemas: the schema of each single file, by its path under `config/` without ending ("memory_compaction").
        families: the schema of all files in a folder, by the folder's name ("llm": every `config/llm/<name>.md`). When
            such a schema has a field `name` that is no setting, it gets the file's name.

    Raises:
        ValueError: when two schemas have the same key for agents, or one schema is given twice.
    """

    def __init__(self, vault: Path, schemas: Mapping[str, type], families: Mapping[str, type] | None = None) -> None:
        self._folder = vault / FOLDER
        self._schemas = dict(schemas)
        self._families = dict(families or {})
        self._values: dict[str, dict[str, Value]] = {}
        self._given: dict[str, list[Value]] = {}
        self._made: dict[tuple[object, ...], Any] = {}
        """Settings as they were asked for last; some are asked for with every memory."""
        self.version = 0
        """Counts the times that a setting may have changed."""
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
        """The schema of each single file, by its name; what `parse_overrides` needs."""
        return self._schemas

    def load(self) -> list[Problem]:
        """Read every config file and return everything that is wrong.

        One with a mistake, or empty, keeps its last good values, at the first reading the defaults; one that is gone
        means the defaults. A family's file with a mistake gives at its first reading what is right in it.
        """
        paths = markdown_below(self._folder)
        there = {self._name(path) for path in paths}
        self._values = {name: values for name, values in self._values.items() if name in there}
        self._given = {name: given for name, given in self._given.items() if name in there}
        self._changed()
        return [problem for path in paths for problem in self.reload(path)]

    def reload(self, path: Path) -> list[Problem]:
        """Read one file again and take it over when nothing is wrong with it.

        Args:
            path: any file; one that is no config file is left alone.

        Returns:
            Everything that is wrong; then the values in use stay.
        """
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
        if name not in self._schemas:  # whoever asks for a family's file by its name must find it
            self._values.setdefault(name, by_key(given))
        return problems

    def get(self, schema: type[S]) -> S:
        """Return the settings of a single file that are in force.

        Raises:
            KeyError: when the schema is none of this configuration.
        """
        return cast(S, self._remembered((schema,), lambda: fill(schema, self._values.get(self._names[schema], {}))))

    def given(self, schema: type, key: str, one_of_them: str = "") -> list[Value]:
        """Return what a file says of a key, in force or kept out by a mistake; the default when it says nothing.

        Args:
            schema: the file's.
            key: a setting of it; where the file sets it twice there are two.
            one_of_them: of a family of files, the name of one, as in `names`.
        """
        name = f"{self._names[schema]}/{one_of_them}" if one_of_them else self._names[schema]
        found = [value for value in self._given.get(name, ()) if value.key == key]
        default = next(one.default for one in describe(schema) if one.key == key)
        return found or [Value(key, default, f"{FOLDER}/{name}.md", 0)]

    def get_named(self, schema: type[S], name: str) -> S:
        """Return the settings of one file of a family, such as one LLM profile, found in any case.

        Raises:
            UnknownName: says which there are.
        """
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
        """Return the names of a family's files, sorted."""
        folder = f"{self._names[schema]}/"
        return sorted(name.removeprefix(folder) for name in self._values if name.startswith(folder))

    def for_agent(self, schema: type[S], overrides: Mapping[str, Value]) -> S:
        """Return the settings of a single file as they hold for an agent with these overrides."""
        own = tuple(overrides.items())
        made = self._remembered(
            (schema, own), lambda: fill(schema, self._values.get(self._names[schema], {}), overrides)
        )
        return cast(S, made)

    def _changed(self) -> None:
        self.version += 1
        self._made.clear()

    def _remembered(self, key: tuple[object, ...], make: Callable[[], object]) -> object:
        """Return what was made for a key, or make it; everything is made anew when a file has changed."""
        if key not in self._made:
            if len(self._made) >= _MOST_MADE:
                self._made.clear()
            self._made[key] = make()
        return self._made[key]

    def keys(self) -> list[str]:
        """Return every key, as `file.key`, in the order of files and schemas."""
        return [f"{name}.{one.key}" for name, one in self._settings()]

    def explain(self, key: str, overrides: Mapping[str, Value] | None = None) -> list[tuple[Scalar, str]]:
        """Return the values of a setting and where each comes from, the one in force first and the default last.

        Args:
            key: a key, or `file.key` where two files have the same.
            overrides: what an agent sets for itself.

        Raises:
            UnknownName: when there is no such key, or several; it says which there are.
        """
        name, one = self.find(key)
        layers = [self._values.get(name, {})]
        if name in self._schemas and one.per_agent:
            layers.insert(0, dict(overrides or {}))
        found = [layer[one.key] for layer in layers if one.key in layer]
        return [*((value.value, f"{value.file}:{value.line}") for value in found), (one.default, "default")]

    def find(self, key: str) -> tuple[str, Setting]:
        """Return the name of the file that sets a key, and the setting.

        Args:
            key: a key, or `file.key` where two files have the same.

        Raises:
            UnknownName: when there is no such key, or several; it says which there are.
        """
        exact = self.named(key)
        if len(exact) == 1:
            return exact[0]
        if exact:
            names = ", ".join(f"{name}.{one.key}" for name, one in exact)
            raise UnknownName(f"several files have {key!r}; name one: {names}")
        raise UnknownName(f"there is no setting {key!r}{hint(key.strip(), self.words())}")

    def named(self, key: str) -> list[tuple[str, Setting]]:
        """Return every setting that a key, or `file.key`, means in any case, with the name of the file that sets it."""
        wanted = key.strip().lower()
        return [(name, one) for name, one in self._settings() if wanted in map(str.lower, _words(name, one))]

    def words(self) -> set[str]:
        """Return every key, alone and as `file.key`."""
        return {word for name, one in self._settings() for word in _words(name, one)}

    def _settings(self) -> Iterator[tuple[str, Setting]]:
        for name, schema in self._schemas.items():
            yield from ((name, one) for one in describe(schema))
        for folder, schema in self._families.items():
            for stem in self.names(schema):
                yield from ((f"{folder}/{stem}", one) for one in describe(schema))

    def _name(self, path: Path) -> str | None:
        """Return a config file's path under `config/` without ending; None for other files."""
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
    """Return what a setting is called, alone and with its file."""
    return (*setting.names, *(f"{file}.{name}" for name in setting.names))


def _named(made: S, name: str) -> S:
    """Return a settings instance that knows its file's name, when its schema has a plain field `name` for it."""
    instance = cast(Any, made)
    plain = {field.name for field in dataclasses.fields(instance) if "setting" not in field.metadata}
    return cast(S, dataclasses.replace(instance, name=name)) if "name" in plain else made
