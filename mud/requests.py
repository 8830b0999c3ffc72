"""Answers to the requests that reach outside the world: saving, reloading, settings; the minds answer their own."""

from __future__ import annotations

import logging
from collections.abc import Callable

from mud.build import Parts
from mud.commands._command import Outcome
from mud.errors import LociError, Problem, Refusal, UnknownName
from mud.storage.settings import describe
from mud.world.events import Request
from mud.world.narration import phrase

log = logging.getLogger(__name__)

SAVED = phrase("app.save.saved", "step")
NOT_SAVED = phrase("app.save.not_saved", "why")
RELOADED = phrase("app.reload.reloaded")
WRONG = phrase("app.reload.wrong", "problems")
SETTING = phrase("app.config.setting", "key", "value", "origin")
OVERRULED = phrase("app.config.overruled", "value", "origin")
UNANSWERED = phrase("app.requests.unanswered", "name")

Reload = Callable[[], list[Problem]]


async def carry_out(parts: Parts, request: Request, reload: Reload) -> Outcome | Refusal:
    """Do what a command asked for.

    Args:
        parts: the opened vault.
        request: what is asked.
        reload: reads everything of the vault again and returns what is wrong.

    Returns:
        The answer; a Refusal when it cannot be done. Never raises for anything a person can cause.
    """
    try:
        match request.name:
            case "save":
                return _save(parts)
            case "reload":
                return _reload(parts, reload)
            case "show_config":
                return _show_config(parts, request.args.get("key", ""))
        return await parts.answerers.get(request.name).run(parts.minds, request)
    except Refusal as refusal:
        return refusal
    except LociError as error:
        return Refusal(str(error))
    except Exception:
        log.exception("the request %s of %s failed", request.name, request.who)
        return Refusal(parts.texts.render(UNANSWERED, name=request.name))


def _save(parts: Parts) -> Outcome:
    try:
        parts.sync()
        parts.save()
    except OSError as error:
        raise Refusal(parts.texts.render(NOT_SAVED, why=error.strerror or error)) from None
    return Outcome(parts.texts.render(SAVED, step=parts.engine.number))


def _reload(parts: Parts, reload: Reload) -> Outcome:
    problems = reload()
    if problems:
        return Outcome(parts.texts.render(WRONG, problems="\n".join(map(str, problems))))
    return Outcome(parts.texts.render(RELOADED))


def _show_config(parts: Parts, key: str) -> Outcome:
    configuration = parts.configuration
    try:
        keys = [key] if key else configuration.keys()
        return Outcome("\n".join(_explained(parts, one, full=bool(key)) for one in keys))
    except UnknownName as error:
        raise Refusal(str(error)) from None


def _explained(parts: Parts, key: str, *, full: bool) -> str:
    (value, origin), *others = parts.configuration.explain(key)
    lines = [parts.texts.render(SETTING, key=key, value=_shown(value), origin=origin)]
    if full:
        helps = {one.key: one.help for schema in parts.configuration.schemas.values() for one in describe(schema)}
        lines += [helps[name] for name in [key.rpartition(".")[2]] if name in helps]
        lines += [parts.texts.render(OVERRULED, value=_shown(other), origin=where) for other, where in others]
    return "\n".join(lines)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, (str, tuple)) else str(value)
