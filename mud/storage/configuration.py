"""All config files of the vault, read at the start and after each save, with the source of every value.

Precedence: `agent.md`, the file in `config/`, the default. A file that is empty or has a mistake changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

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
        instead: texts that are read in place of files, to see what would be wrong with them.
    """

    def __init__(
        self,
        vault: Path,
        schemas: Mapping[str, type],
        families: Mapping[str, type] | None = None,
        instead: Mapping[Path, str] | None = None,
    ) -> None:
        self._folder = vault / FOLDER
        self._instead = instead or {}
        self.schemas = dict(schemas)
        self._families = dict(families or {})
        self._values: dict[str, dict[str, Value]] = {}
        self._given: dict[str, list[Value]] = {}
        self._made: dict[tuple[object, ...], Any] = {}  # cache; some settings are requested with every memory
        self.version = 0  # incremented whenever a setting may have changed
        self._names = {schema: name for name, schema in [*self.schemas.items(), *self._families.items()]}
        if len(self._names) != len(self.schemas) + len(self._families):
            raise ValueError("one schema is given for two config files")
        owners: dict[str, str] = {}
        for name, schema in self.schemas.items():
            for key in (key for one in describe(schema) if one.per_agent for key in one.names):
                if owners.setdefault(key, name) != name:
                    raise ValueError(f"{name} and {owners[key]} both let agents set {key!r}")

    def load(self) -> list[Problem]:
        """Read every config file; return all problems.

        A file that is empty or has a mistake keeps its last good values; a new file of a family with a mistake gives
        its valid ones.
        """
        paths = list(dict.fromkeys([*markdown_below(self._folder), *self._instead]))
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
        schema = self.schemas.get(name) or self._families.get(PurePosixPath(name).parent.as_posix())
        if schema is None:
            known = one_of([*self.schemas, *(f"{folder}/..." for folder in self._families)])
            near = hint(name, self.schemas, "{}.md".format)
            return [Problem(file, 0, "", f"no part of the program reads this file; {known}{near}")]
        try:
            text = self._instead[path] if path in self._instead else read_if_there(path, file=file)
            if text is None:
                return []
            given, problems = examine_settings(text, schema, file)
        except VaultProblem as error:
            text, given, problems = "", [], list(error.problems)
        if text.strip():
            self._given[name] = given
            if not problems:
                self._values[name] = by_key(given)
        if name not in self.schemas:  # a family's file must be found by its name
            self._values.setdefault(name, by_key(given))
        return problems

    def _name(self, path: Path) -> str | None:
        """Return the path under `config/` without extension; None for other files."""
        if not path.is_relative_to(self._folder) or path.suffix != ".md" or path.name == "README.md":
            return None
        inside = path.relative_to(self._folder)
        return None if any(part.startswith(".") for part in inside.parts) else inside.with_suffix("").as_posix()

    def _changed(self) -> None:
        self.version += 1
        self._made.clear()

    def given(self, schema: type, key: str, one_of_them: str = "") -> list[Value]:
        """Return what a file says of a key, even if a mistake keeps it from being used; else the default.

        `one_of_them` is the name of a file in a family.
        """
        name = f"{self._names[schema]}/{one_of_them}" if one_of_them else self._names[schema]
        found = [value for value in self._given.get(name, ()) if value.key == key]
        default = next(one.default for one in describe(schema) if one.key == key)
        return found or [Value(key, default, f"{FOLDER}/{name}.md", 0)]

    def get(self, schema: type[S]) -> S:
        return self.for_agent(schema, {})

    def for_agent(self, schema: type[S], overrides: Mapping[str, Value]) -> S:
        """Return the settings of a single file with the overrides of an agent.md."""
        values = self._values.get(self._names[schema], {})
        return self._remembered((schema, tuple(overrides.items())), lambda: fill(schema, values, overrides))

    def get_named(self, schema: type[S], name: str) -> S:
        """Return the settings of one file of a family, ignoring case. Raises UnknownName with the names there are."""
        return self._remembered((schema, name), lambda: self._named(schema, name))

    def _named(self, schema: type[S], name: str) -> S:
        family, known = self._names[schema], {one.lower(): one for one in self.names(schema)}
        stem = known.get(name.lower())
        if stem is None:
            near = hint(name, known, known.__getitem__)
            there = ", ".join(known.values()) or "none"
            raise UnknownName(f"there is no {FOLDER}/{family}/{name}.md; there is: {there}{near}")
        made: Any = fill(schema, self._values[f"{family}/{stem}"])
        plain = {field.name for field in dataclasses.fields(made) if "setting" not in field.metadata}
        named: S = dataclasses.replace(made, name=stem) if "name" in plain else made
        return named

    def _remembered(self, key: tuple[object, ...], make: Callable[[], S]) -> S:
        if key not in self._made and len(self._made) >= _MOST_MADE:
            self._made.clear()
        made: S = self._made[key] if key in self._made else self._made.setdefault(key, make())
        return made

    def names(self, schema: type) -> list[str]:
        folder = f"{self._names[schema]}/"
        return sorted(name.removeprefix(folder) for name in self._values if name.startswith(folder))

    def keys(self) -> list[str]:
        return [f"{name}.{one.key}" for name, one in self._settings()]

    def words(self) -> set[str]:
        return {word for name, one in self._settings() for word in _words(name, one)}

    def named(self, key: str) -> list[tuple[str, Setting]]:
        """Return every setting with this key or `file.key`, ignoring case, with its file name."""
        wanted = key.strip().lower()
        return [(name, one) for name, one in self._settings() if wanted in map(str.lower, _words(name, one))]

    def find(self, key: str) -> tuple[str, Setting]:
        """Return file name and setting of a key or `file.key`. Raises UnknownName for none or several."""
        found = self.named(key)
        if len(found) > 1:
            names = ", ".join(f"{name}.{one.key}" for name, one in found)
            raise UnknownName(f"several files have {key!r}; name one: {names}")
        if not found:
            raise UnknownName(f"there is no setting {key!r}{hint(key.strip(), self.words())}")
        return found[0]

    def explain(self, key: str, overrides: Mapping[str, Value] | None = None) -> list[tuple[Scalar, str]]:
        """Return the values of a setting with their sources, the one in force first, the default last.

        Raises UnknownName as `find` does.
        """
        return self.layers(*self.find(key), overrides)

    def layers(self, name: str, one: Setting, overrides: Mapping[str, Value] | None = None) -> list[tuple[Scalar, str]]:
        """Return what `explain` does of a setting in a file."""
        layers = [self._values.get(name, {})]
        if name in self.schemas and one.per_agent:
            layers.insert(0, dict(overrides or {}))
        found = [layer[one.key] for layer in layers if one.key in layer]
        return [*((value.value, f"{value.file}:{value.line}") for value in found), (one.default, "default")]

    def _settings(self) -> Iterator[tuple[str, Setting]]:
        families = ((f"{folder}/{stem}", one) for folder, one in self._families.items() for stem in self.names(one))
        for name, schema in [*self.schemas.items(), *families]:
            yield from ((name, one) for one in describe(schema))


def _words(file: str, setting: Setting) -> tuple[str, ...]:
    return (*setting.names, *(f"{file}.{name}" for name in setting.names))
