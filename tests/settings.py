"""Settings of a vault, set as a person sets them: in their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from mud.errors import Problem
from mud.server.checks import FAMILIES, SCHEMAS
from mud.storage.documents import replace_key
from mud.storage.settings import Scalar, Value, by_key, describe, examine_settings, write_typed

T = TypeVar("T", bound=Callable[..., object])


def proves(*keys: str) -> Callable[[T], T]:
    """Say which settings a test shows to change behaviour; a test holds these names to the settings there are."""
    assert all(key in set(every_key()) for key in keys), keys
    return lambda test: test


def every_key() -> Iterator[str]:
    """Yield every setting there is, as `file.key`, and for the files of a folder as `folder.key`."""
    for name, schema in [*SCHEMAS.items(), *FAMILIES.items()]:
        yield from (f"{name}.{one.key}" for one in describe(schema))


def put(vault: Path, name: str, **values: Scalar) -> None:
    """Set keys in a config file that shows them.

    Args:
        vault: the vault.
        name: the file under `config/`, without ending.
        values: the values by key.
    """
    path = vault / "config" / f"{name}.md"
    text = path.read_text("utf-8")
    for key, value in values.items():
        shown = re.search(rf"^\*\*{key}\*\*:.*$", text, re.M)
        assert shown is not None, f"config/{name}.md does not show {key}"
        text = f"{text[: shown.start()]}**{key}**: {write_typed(value)}{text[shown.end() :]}"
    path.write_text(text, "utf-8")


def put_own(vault: Path, slug: str, **values: Scalar) -> None:
    """Set keys in an agent's `agent.md`."""
    path = vault / "agents" / slug / "agent.md"
    text = path.read_text("utf-8")
    for key, value in values.items():
        text = replace_key(text, key, value, f"agents/{slug}/agent.md")
    path.write_text(text, "utf-8")


def parse_settings(text: str, schema: type, file: str) -> tuple[dict[str, Value], list[Problem]]:
    """Return the valid values of a config file by key, and its problems."""
    given, problems = examine_settings(text, schema, file)
    return by_key(given), problems


def render_settings(title: str, intro: str, settings: object) -> str:
    """Return a config file with every key and its help; `settings` is an instance, or a schema for its defaults."""
    parts = [f"# {title}\n", *([f"{intro.strip()}\n"] if intro else [])]
    for one in describe(settings if isinstance(settings, type) else type(settings)):
        value = one.default if isinstance(settings, type) else getattr(settings, one.key)
        parts += [f"**{one.key}**: {write_typed(value)}".rstrip(), f"_{one.help.rstrip('.')}: {one.expected}._\n"]
    return "\n".join(parts)
