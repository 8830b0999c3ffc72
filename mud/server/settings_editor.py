"""Every setting with its origin, and changes to them in their files, checked as an edit by hand is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from mud.errors import Problem, Refusal
from mud.portal.views import Json
from mud.server.checks import FAMILIES, SCHEMAS, check_files
from mud.server.wiring import Parts
from mud.storage.configuration import FOLDER
from mud.storage.files import read_if_there, write_atomic
from mud.storage.settings import Setting, describe, read_typed, replace_setting, write_typed

LONGEST_TYPED = 4_000
TOLD = 3  # problems that a refused value is told at most


class SettingsEditor:
    """Shows and sets the settings of a vault.

    Args:
        take_up: has a file read again that was given a text.
    """

    def __init__(self, parts: Parts, take_up: Callable[[Path, str], None]) -> None:
        self._parts, self._take_up = parts, take_up
        self._changing = asyncio.Lock()

    def settings(self) -> list[Json]:
        """Return every setting, file by file."""
        configuration = self._parts.configuration
        files = [
            *SCHEMAS,
            *(f"{folder}/{name}" for folder, one in FAMILIES.items() for name in configuration.names(one)),
        ]
        return [self.setting(file, one) for file in files for one in describe(_schema(file))]

    def setting(self, file: str, setting: Setting) -> Json:
        """Return a setting with its value, where that comes from, and what it may be."""
        (value, origin), *_ = self._parts.configuration.layers(file, setting)
        own = [
            {"agent": one.name, "typed": write_typed(told.value), "origin": f"{told.file}:{told.line}"}
            for one in self._parts.minds.definitions.values()
            if setting.per_agent and file in SCHEMAS and (told := one.overrides.get(setting.key)) is not None
        ]
        return {
            "file": file,
            "key": setting.key,
            "type": setting.type,
            "typed": write_typed(value),
            "default": write_typed(setting.default),
            "origin": origin,
            "help": setting.help,
            "expected": setting.expected,
            "low": setting.low,
            "high": setting.high,
            "choices": list(setting.choices),
            "or_address": setting.or_address,
            "own": own,
        }

    async def change(self, file: str, key: str, typed: str, was: str) -> Json:
        """Set a setting in its file, and have the file read again. All that is not its value stays in the file.

        Raises LociError with what `check` would say when that would be a mistake; then nothing has changed.
        """
        setting = self.find(file, key)
        if len(typed) > LONGEST_TYPED or "\n" in typed or "\r" in typed:
            raise Refusal(f"A value is one line of at most {LONGEST_TYPED:,} characters.")
        try:
            value = read_typed(setting, typed)
        except ValueError as error:
            raise Refusal(f"{key}: {error}") from None
        name, path = f"{FOLDER}/{file}.md", self._parts.vault / FOLDER / f"{file}.md"
        async with self._changing:
            if self.setting(file, setting)["typed"] != was:
                raise Refusal(f"{key} was changed meanwhile; look at it again.")
            text = read_if_there(path, file=name) or ""
            changed = replace_setting(text, _schema(file), setting.key, value, name)
            if wrong := await asyncio.to_thread(self._made_wrong, path, changed):
                raise Refusal("\n".join(map(str, wrong[:TOLD])))
            if (read_if_there(path, file=name) or "") != text:
                raise Refusal(f"{name} was changed meanwhile; try again.")
            try:
                write_atomic(path, changed)
            except OSError as error:
                raise Refusal(f"{name} cannot be written: {error.strerror or error}.") from None
            self._take_up(path, changed)
        return self.setting(file, setting)

    def find(self, file: str, key: str) -> Setting:
        """Return a setting of a file; raises Refusal when there is none."""
        known = file in SCHEMAS or any(
            file == f"{folder}/{name}"
            for folder, one in FAMILIES.items()
            for name in self._parts.configuration.names(one)
        )
        found = next((one for one in describe(_schema(file)) if one.key == key), None) if known else None
        if found is None:
            raise Refusal(f"There is no setting {key} in {FOLDER}/{file}.md.")
        return found

    def _made_wrong(self, path: Path, changed: str) -> list[Problem]:
        """Return the problems that a changed text of a config file would cause."""
        vault = self._parts.vault
        known = check_files(vault)
        return [one for one in check_files(vault, instead={path: changed}) if one not in known]


def _schema(file: str) -> type:
    return SCHEMAS[file] if file in SCHEMAS else FAMILIES[file.rpartition("/")[0]]
