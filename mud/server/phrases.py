"""Every phrase that the code uses, to check the vault's texts against, and the phrases of `app`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from agents.brains import wrong_in
from mud.errors import Problem
from mud.registry import modules
from mud.storage.texts import Text, TextStore
from mud.world.narration import Phrase, phrase

MODEL_ANSWERS = phrase("app.models.answers", "host")
MODEL_SILENT = phrase("app.models.silent", "host")
UNSYNCED = phrase("app.disk.unsynced", "why")
SYNCED = phrase("app.disk.synced")

_OTHERS = (
    "mud.engine.engine", "mud.server.known_hosts", "mud.server.requests", "mud.server.reloading", "mud.commands._here",
    "agents.text.daytime", "agents.life.scheduler",
    "agents.life.prompting", "agents.commands._answer", "agents.reflection.dreams",
    "agents.reflection", "agents.reflection.insights", "agents.reflection.note_taking",
)  # fmt: skip
"""Modules with phrases that are no plug-ins; given as names because some of them import this module."""

VOICES = "instinct."
"""Prefix of the keys of agents' texts; the name of a voice follows."""
DEFAULT_VOICE = "default"
"""The voice that the others fall back on."""


def check_texts(texts: TextStore) -> list[Problem]:
    """Return what is wrong with the vault's texts: the program's phrases and the voices."""
    return texts.check(load_phrases(), check_voices)


def check_voices(texts: Mapping[str, Text]) -> list[Problem]:
    below: dict[str, dict[str, Text]] = {DEFAULT_VOICE: {}}
    for key, text in sorted(texts.items()):
        if key.startswith(VOICES):
            voice, _, own = key.removeprefix(VOICES).partition(".")
            below.setdefault(voice, {})[own] = text
    problems = []
    for voice, found in below.items():
        told = {own: text.variants for own, text in found.items()}
        for own, message in wrong_in(told, complete=voice == DEFAULT_VOICE):
            file, line = (found[own].file, found[own].line) if own in found else (f"text/instinct/{voice}.md", 0)
            problems.append(Problem(file, line, own, message))
    return problems


def load_phrases() -> list[Phrase]:
    found = {own.key: own for own in (MODEL_ANSWERS, MODEL_SILENT, UNSYNCED, SYNCED)}
    others = [importlib.import_module(name) for name in _OTHERS]
    for module in (*others, *modules("mud.commands"), *modules("agents.commands")):
        for value in vars(module).values():
            if isinstance(value, Phrase):
                found[value.key] = value
    return list(found.values())
