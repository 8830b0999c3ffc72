"""What stands in a file: descriptions, keys, sections."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import suppress

from mud.commands import Outcome
from mud.errors import LociError, Refusal
from mud.server.building.files import Draft
from mud.server.building.request import LONGEST_TEXT, PLACES, BuildingRequest, link
from mud.server.questions import ask_lines
from mud.storage.document_edits import (
    add_item,
    remove_key,
    remove_section,
    replace_description,
    replace_section,
)
from mud.storage.documents import Document, link_name, parse_document, replace_key
from mud.storage.front_matter import parse_front
from mud.storage.merging import merge
from mud.world import traits
from mud.world.changes import SetState
from mud.world.narration import listed, phrase
from mud.world.roles import Role
from mud.world.things import Thing

log = logging.getLogger(__name__)

DESCRIPTION = "Description"
AGENT_KEYS = ("aliases", "location", "voice", "goal")
"""What builders may set of an agent; other keys cost money or tell of its mind, and are the owner's."""
AGENT_SECTIONS = (DESCRIPTION, "Profile", "Habits", "Reflexes")
OWN_SECTIONS = ("Own profile", "Own description", "Own goal")
"""What an agent wrote of itself, which may hold what only it perceived."""
LISTS = ("aliases", "states", "tags", "cssclasses")
"""Keys that hold lists, which are typed with commas between."""
_LINKED = ("location", "key")
_HEADING = re.compile(r"\w[^\n#\[\]]{0,60}")

DESCRIBED = phrase("building.describe.done", "name", "file")
ALIASES = phrase("building.alias.done", "name", "names", "file")
NO_ALIASES = phrase("building.alias.none", "name", "file")
SET = phrase("building.set.done", "name", "key", "value", "file")
UNSET = phrase("building.set.unset", "name", "key", "file")
BEGINS = phrase("building.set.begins", "name")
WHICH_KEY = phrase("building.set.which")
NEVER_SET = phrase("building.set.never", "key")
WAYS_ELSEWHERE = phrase("building.set.ways", "key")
AGENT_KEYS_ARE = phrase("building.set.agent", "keys")
LOCKED = phrase("building.lock.done", "name", "key", "file")
UNLOCKED = phrase("building.lock.none", "name", "file")
RULED = phrase("building.rule.done", "name", "file")
VERBED = phrase("building.verb.done", "name", "verb", "file")
WHICH_VERB = phrase("building.verb.which")
EDITING = phrase("building.edit.editing", "section", "file", "text")
NOTHING_YET = phrase("building.edit.nothing_yet")
EDITED = phrase("building.edit.done", "section", "file")
BAD_SECTION = phrase("building.edit.bad_section")
AGENT_SECTIONS_ARE = phrase("building.edit.agent", "sections")
BOTH = phrase("building.edit.both", "section", "file", "aside")
EXAMINED = phrase("building.examine.done", "file", "text")
OWN_LEFT_OUT = phrase("building.examine.own")


async def describe(ask: BuildingRequest) -> Outcome:
    thing, text = ask.thing(), ask.text(ask.args["text"])
    file = _write_section(ask, thing, DESCRIPTION, text, f"@describe {thing.name}")
    return ask.outcome([ask.say(DESCRIBED, name=thing.name, file=file)])


def _write_section(ask: BuildingRequest, thing: Thing, section: str, text: str, what: str) -> str:
    """Set a section of a thing's file; return the file."""
    file, draft = ask.file(thing), ask.building.draft()
    draft.set(file, _with_section(ask, draft.text(file), thing, section, text, file))
    ask.carry_out(what, draft)
    return file


def _with_section(ask: BuildingRequest, held: str, thing: Thing, section: str, text: str, file: str) -> str:
    if section == DESCRIPTION and not ask.is_agent(thing):
        return replace_description(held, text, file)
    return replace_section(held, section, text, file) if text else remove_section(held, section, file)


async def alias(ask: BuildingRequest) -> Outcome:
    thing, draft = ask.thing(), ask.building.draft()
    file, names = ask.file(thing), [ask.name(one) for one in ask.args["names"].split(",") if one.strip()]
    text = draft.text(file)
    draft.set(file, replace_key(text, "aliases", names, file) if names else remove_key(text, "aliases", file))
    ask.carry_out(f"@alias {thing.name}", draft)
    if not names:
        return ask.outcome([ask.say(NO_ALIASES, name=thing.name, file=file)])
    return ask.outcome([ask.say(ALIASES, name=thing.name, names=listed(names), file=file)])


async def set_key(ask: BuildingRequest) -> Outcome:
    thing, key, typed = ask.thing(), ask.args["key"].casefold(), ask.args["value"]
    _may_be_set(ask, thing, key)
    file = ask.file(thing)
    held = ask.building.draft().text(file)
    values = list(_values(key, typed))
    texts = [remove_key(held, key, file) if one is None else replace_key(held, key, one, file) for one in values]
    drafts = [_drafted(ask, file, text) for text in texts]
    problems = [ask.building.problems(one) for one in drafts]
    fits = next((at for at, wrong in enumerate(problems) if not wrong), 0)
    changes = ask.carry_out(f"@set {thing.name} {key}", drafts[fits])
    shown = ask.say(SET, name=thing.name, key=key, value=typed, file=file)
    lines = [shown if values[fits] is not None else ask.say(UNSET, name=thing.name, key=key, file=file)]
    if key == "location" and values[fits] is not None and thing.id in ask.world.where:
        lines.append(ask.say(BEGINS, name=thing.name))
    return ask.outcome(lines, changes)


def _may_be_set(ask: BuildingRequest, thing: Thing, key: str) -> None:
    if not key:
        raise Refusal(ask.say(WHICH_KEY))
    if key in ("id", "type"):
        raise Refusal(ask.say(NEVER_SET, key=key))
    if key in PLACES:
        raise Refusal(ask.say(WAYS_ELSEWHERE, key=key))
    if ask.is_agent(thing) and key not in AGENT_KEYS:
        raise Refusal(ask.say(AGENT_KEYS_ARE, keys=listed(list(AGENT_KEYS))))


def _drafted(ask: BuildingRequest, file: str, text: str) -> Draft:
    draft = ask.building.draft()
    draft.set(file, text)
    return draft


def _values(key: str, typed: str) -> Iterator[object]:
    """Yield what a typed value may mean, the likeliest first; None takes the key out."""
    front = parse_front(f"---\nvalue: {typed}\n---\n", "")
    commented = "#" in typed and typed[0] not in "\"'["  # a comment in a file; here it was meant
    value = typed if front.problems or commented else front.values.get("value")
    if key in _LINKED and isinstance(value, str) and link_name(value) is None and not value.startswith("#"):
        value = link(value)
    if key in LISTS and isinstance(value, str):
        yield [one.strip() for one in typed.split(",")]
    yield value
    if isinstance(value, bool | int | float):
        yield typed


async def lock(ask: BuildingRequest) -> Outcome:
    thing, draft = ask.thing(), ask.building.draft()
    key = ask.thing("key") if ask.args["key"] else None
    file = ask.file(thing)
    text = draft.text(file)
    front = parse_document(text, file).front
    held = front.get("states")
    states = [one for one in held if one not in ("locked", "open")] if isinstance(held, list) else []
    if key is not None:
        text = text if front.get("opens") is True else replace_key(text, "opens", True, file)
        text = replace_key(text, "key", link(key.name), file)
        text = replace_key(text, "states", [*states, "locked"], file)
    else:
        text = remove_key(text, "key", file)
        text = replace_key(text, "states", states, file) if states else remove_key(text, "states", file)
    draft.set(file, text)
    changes = ask.carry_out(f"@lock {thing.name}", draft)
    changes.append(SetState(thing.id, traits.LOCKED, on=key is not None))
    if key is None:
        return ask.outcome([ask.say(UNLOCKED, name=thing.name, file=file)], changes)
    changes.append(SetState(thing.id, traits.OPEN, on=False))
    return ask.outcome([ask.say(LOCKED, name=thing.name, key=key.name, file=file)], changes)


async def rule(ask: BuildingRequest) -> Outcome:
    thing, rule = ask.thing(), ask.text(ask.args["rule"]).removeprefix("- ")
    file = _add(ask, thing, "Rules", rule, f"@rule {thing.name}")
    return ask.outcome([ask.say(RULED, name=thing.name, file=file)])


async def verb(ask: BuildingRequest) -> Outcome:
    thing, verb, text = ask.thing(), ask.args["verb"].casefold(), ask.text(ask.args["text"])
    if not verb.isalpha():
        raise Refusal(ask.say(WHICH_VERB))
    file = _add(ask, thing, "Verbs", f"{verb}: {text}", f"@verb {thing.name} {verb}", f"{verb}:")
    return ask.outcome([ask.say(VERBED, name=thing.name, verb=verb, file=file)])


def _add(ask: BuildingRequest, thing: Thing, section: str, item: str, what: str, instead_of: str = "") -> str:
    if ask.is_agent(thing):
        raise Refusal(ask.say(AGENT_SECTIONS_ARE, sections=listed(list(AGENT_SECTIONS))))
    file, draft = ask.file(thing), ask.building.draft()
    draft.set(file, add_item(draft.text(file), section, item, file, instead_of))
    ask.carry_out(what, draft)
    return file


async def examine_file(ask: BuildingRequest) -> Outcome:
    thing = ask.thing()
    file = ask.file(thing)
    text = ask.building.read(file)
    if ask.is_agent(thing) and ask.asker.role < Role.OWNER:
        shown = text
        for section in OWN_SECTIONS:
            shown = remove_section(shown, section, file)
        if shown != text:
            return ask.outcome([ask.say(EXAMINED, file=file, text=shown.strip()), ask.say(OWN_LEFT_OUT)])
    return ask.outcome([ask.say(EXAMINED, file=file, text=text.strip())])


async def edit(ask: BuildingRequest) -> Outcome:
    """Ask for the lines of a section. What others changed in it meanwhile is kept beside what was typed."""
    thing = ask.thing()
    file = ask.file(thing)
    section = _section_named(ask, thing, parse_document(ask.building.read(file), file))
    shown = _section_of(ask, file, section)
    question = ask.say(EDITING, section=section, file=file, text=shown or ask.say(NOTHING_YET))

    def keep(lines: list[str]) -> None:
        with suppress(OSError, LociError):
            aside = ask.building.keep_aside(file, "\n".join(lines))
            log.warning("a text for %s that was not ended is in %s", file, aside)

    lines = await ask_lines(ask.asker, ask.say, question, LONGEST_TEXT, shown.splitlines(), lost=keep)
    typed = ask.text("\n".join(lines))
    now = _section_of(ask, file, section)
    merged = merge(_lined(shown), _lined(typed), _lined(now))
    if merged is None:
        aside = ask.building.keep_aside(file, typed)
        raise Refusal(ask.say(BOTH, section=section, file=file, aside=aside))
    _write_section(ask, ask.thing(), section, ask.text(merged), f"@edit {thing.name}/{section}")
    return ask.outcome([ask.say(EDITED, section=section, file=file)])


def _lined(text: str) -> str:
    return f"{text}\n" if text else ""


def _section_named(ask: BuildingRequest, thing: Thing, document: Document) -> str:
    """Return the heading that is meant, as the file writes it. Raises Refusal for one that no file may have."""
    typed = ask.args["section"] or DESCRIPTION
    wanted = " ".join(typed.split())
    if ask.is_agent(thing):
        known = next((one for one in AGENT_SECTIONS if one.casefold() == wanted.casefold()), None)
        if known is None:
            raise Refusal(ask.say(AGENT_SECTIONS_ARE, sections=listed(list(AGENT_SECTIONS))))
        return known
    if not _HEADING.fullmatch(wanted):
        raise Refusal(ask.say(BAD_SECTION))
    known = next((one for one in document.sections if one.casefold() == wanted.casefold()), None)
    return known or wanted[:1].upper() + wanted[1:]


def _section_of(ask: BuildingRequest, file: str, section: str) -> str:
    document = parse_document(ask.building.read(file), file)
    held = document.section(section)
    return document.intro if held is None and section == DESCRIPTION else (held or "").strip()
