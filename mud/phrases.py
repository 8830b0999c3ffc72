"""Every phrase that the code uses, so that the vault's texts can be held to them; and those of `app` itself."""

from __future__ import annotations

from types import ModuleType

from agents import daytime, living, prompting
from agents.brains._texts import wrong_in
from agents.commands import _answer, _count, _edit, _when, _why_told
from agents.inner import dreams, inner, insights, learned, reflection
from mud import engine, met_hosts, reloading, requests
from mud.checks import VOICES
from mud.commands import _find, _view, _waking
from mud.errors import Problem
from mud.registry import modules
from mud.storage.texts import TextStore
from mud.world.narration import Phrase, phrase

MODEL_ANSWERS = phrase("app.models.answers", "host")
MODEL_SILENT = phrase("app.models.silent", "host")
UNSYNCED = phrase("app.disk.unsynced", "why")
SYNCED = phrase("app.disk.synced")

_OTHERS: tuple[ModuleType, ...] = (
    engine, met_hosts, requests, reloading, daytime, living, prompting, _find, _view, _waking, _answer, _count, _edit,
    _when, _why_told, dreams, inner, insights, learned, reflection,
)  # fmt: skip
"""Modules that are no plug-ins and speak."""


DEFAULT_VOICE = "default"
"""The voice that the others fall back on."""


def check_texts(texts: TextStore) -> list[Problem]:
    """Return what is wrong with the vault's texts: what the program says, and what minds speak with."""
    problems = texts.check(load_phrases())
    below: dict[str, dict[str, tuple[str, ...]]] = {DEFAULT_VOICE: {}}
    for key in texts.keys(VOICES):
        voice, _, own = key.removeprefix(VOICES).partition(".")
        below.setdefault(voice, {})[own] = texts.variants(key)
    for voice, found in below.items():
        for own, message in wrong_in(found, complete=voice == DEFAULT_VOICE):
            file, line = texts.place(f"{VOICES}{voice}.{own}")
            problems.append(Problem(file, line, own, message))
    return problems


def load_phrases() -> list[Phrase]:
    """Return every phrase, each once."""
    found = {own.key: own for own in (MODEL_ANSWERS, MODEL_SILENT, UNSYNCED, SYNCED)}
    for module in (*_OTHERS, *modules("mud.commands"), *modules("agents.commands")):
        for value in vars(module).values():
            if isinstance(value, Phrase):
                found[value.key] = value
    return list(found.values())
