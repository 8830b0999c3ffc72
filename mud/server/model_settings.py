"""Answers `@llm-config`: how each use of a model is set and where, changes of that, and one small call as a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agents.commands.models import EMBED
from agents.llm.backend import named_host
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.commands import LONGEST_SHOWN, Outcome
from mud.errors import Refusal, Unavailable
from mud.portal.session import HIDDEN
from mud.registry import suggest
from mud.server.settings_editor import SettingsEditor
from mud.server.wiring import Parts
from mud.storage.settings import describe
from mud.world.narration import listed, phrase, shortened

PROFILE = phrase("app.llm.profile", "name")
VALUE = phrase("app.llm.value", "key", "value", "origin")
CHANGED = phrase("app.llm.changed", "name", "key", "value", "origin")
ANSWERED = phrase("app.llm.answered", "name", "model", "seconds", "words")
SILENT = phrase("app.llm.silent", "name", "why")
TRY = phrase("app.llm.try", "name", "host")
UNTESTED = phrase("app.llm.untested", "name")
NO_SUCH = phrase("app.llm.no_such", "name", "names")
NEAR = phrase("app.llm.near", "name")
USAGE = phrase("app.llm.usage")
KEY = phrase("app.llm.key")
KEY_HINT = phrase("app.llm.key_hint")
PROMPT = phrase("app.llm.prompt")

KEYS = ("host", "model", "backend", "api", "temperature", "max_tokens", "num_ctx", "timeout")
OWNER = "@llm-config"  # whose call it is in `@cost`
WORDS = 80  # characters of a reply that are shown

TakeUp = Callable[[Path, str], None]


async def configure_models(parts: Parts, what: str, take_up: TakeUp | None) -> Outcome:
    """Show all uses of models or one, set a value, or test one. Raises LociError with one sentence for a mistake.

    Args:
        take_up: has a changed file read again; by the configuration alone when None.
    """
    if HIDDEN in what:
        raise Refusal(parts.texts.render(KEY), parts.texts.render(KEY_HINT))
    name, _, rest = what.strip().partition(" ")
    key, _, value = rest.strip().partition(" ")
    if name:
        name = _profile(parts, name)
    editor = SettingsEditor(parts, take_up or (lambda path, text: _reread(parts, path)))
    match (key, value.strip()):
        case ("", _):
            names = [name] if name else parts.configuration.names(LLMProfile)
            return Outcome("\n".join(line for one in names for line in _shown(parts, editor, one)))
        case ("test", ""):
            return Outcome(await _test(parts, name))
        case (_, ""):
            raise Refusal(parts.texts.render(USAGE))
        case (_, typed):
            return Outcome(await _change(parts, editor, name, key, typed))


def _reread(parts: Parts, path: Path) -> None:
    parts.configuration.reload(path)


def _profile(parts: Parts, name: str) -> str:
    names, say = parts.configuration.names(LLMProfile), parts.texts.render
    found = next((one for one in names if one.casefold() == name.casefold()), None)
    if found is None:
        near = suggest(name, names)
        told = say(NO_SUCH, name=shortened(name, LONGEST_SHOWN), names=listed(names))
        raise Refusal(told, say(NEAR, name=near) if near else say(USAGE))
    return found


def _shown(parts: Parts, editor: SettingsEditor, name: str) -> list[str]:
    say, rows = parts.texts.render, [one for one in describe(LLMProfile) if one.key in KEYS]
    told = {one.key: editor.setting(f"llm/{name}", one) for one in rows}
    values = {key: (_host(parts, name) if key == "host" else row["typed"], row["origin"]) for key, row in told.items()}
    return [
        say(PROFILE, name=name),
        *(say(VALUE, key=key, value=values[key][0], origin=values[key][1]) for key in KEYS),
    ]


def _host(parts: Parts, name: str) -> str:
    """Return the address of a profile without a password in it."""
    return named_host(parts.configuration.get_named(LLMProfile, name))


async def _change(parts: Parts, editor: SettingsEditor, name: str, key: str, typed: str) -> str:
    file = f"llm/{name}"
    was = editor.setting(file, editor.find(file, key))["typed"]
    now = await editor.change(file, key, typed, was)
    value = _host(parts, name) if key == "host" else now["typed"]
    return parts.texts.render(CHANGED, name=name, key=key, value=value, origin=now["origin"])


async def _test(parts: Parts, name: str) -> str:
    say = parts.texts.render
    if name.casefold() == EMBED:
        raise Refusal(say(UNTESTED, name=name))
    try:
        reply = await parts.queue.ask(lambda: say(PROMPT), name, Urgency.PERSON, OWNER)
    except Unavailable as error:
        raise Refusal(say(SILENT, name=name, why=error), say(TRY, name=name, host=_host(parts, name))) from None
    words = shortened(" ".join(reply.text.split()), WORDS)
    return say(ANSWERED, name=name, model=reply.model or "?", seconds=f"{reply.seconds:.2f}", words=words)
