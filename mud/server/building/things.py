"""Things made, cloned, renamed and destroyed, and changes taken back."""

from __future__ import annotations

import re
from pathlib import Path

from agents.commands.control import put_away_folder
from mud.commands import Outcome
from mud.errors import Refusal
from mud.server.building.files import Draft
from mud.server.building.request import PLACES, BuildingRequest, entries, leads_to, link
from mud.storage.building_log import BuildingChange
from mud.storage.document_edits import remove_key, replace_entry, replace_title
from mud.storage.documents import link_name, parse_document, render_document, replace_key
from mud.storage.files import slugify
from mud.world.changes import Change, Put
from mud.world.matching import plain
from mud.world.names import folded
from mud.world.narration import listed, phrase
from mud.world.things import Kind, Thing

_LINK = re.compile(r"\[\[([^\[\]|#]+)((?:[|#][^\[\]]*)?)\]\]")
_START = re.compile(r"^(\*\*start_location\*\*:[ \t]*)(.*?)([ \t\r]*)$", re.M)
_LINKED = ("location", "key")

CREATED = phrase("building.create.done", "name", "file")
CREATES = phrase("building.create.seen", "actor", "name")
RENAMED = phrase("building.rename.done", "old", "name", "file")
RENAMED_LINKS = phrase("building.rename.links", "files")
AGENT_NAME = phrase("building.rename.agent", "name")
CLONED = phrase("building.clone.done", "name", "file")
NOT_CLONED = phrase("building.clone.agent", "name")
DESTROYED = phrase("building.destroy.done", "name", "file")
DESTROYS = phrase("building.destroy.seen", "actor", "name")
SOMEBODY_THERE = phrase("building.destroy.people", "name", "people")
FORGET = phrase("building.destroy.agent", "name")
FORGET_HINT = phrase("building.destroy.agent_hint", "name")
NOT_THERE = phrase("building.undo.not_there")
UNDONE = phrase("building.undo.done", "what")
LIVED = phrase("building.undo.lived", "name", "trash")


_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\S)")


async def create(ask: BuildingRequest) -> Outcome:
    bare = _ARTICLE.sub("", ask.args["name"])  # "the a red apple" is what people would read
    name, here, draft = ask.free_name(Kind.ITEM, bare), ask.here, ask.building.draft()
    file = ask.building.new_file(Kind.ITEM, name)
    front = {"id": ask.world.new_id(), "type": "item", "location": link(here.name)}
    draft.add(file, render_document(front, f"# {name}\n"))
    changes = ask.carry_out(f"@create {name}", draft)
    return ask.outcome([ask.say(CREATED, name=name, file=file)], changes, ask.seen(CREATES, name))


async def clone(ask: BuildingRequest) -> Outcome:
    thing, here, draft = ask.thing(), ask.here, ask.building.draft()
    if ask.is_mind(thing):
        raise Refusal(ask.say(NOT_CLONED, name=thing.name))
    name = ask.free_name(thing.kind, ask.args["name"]) if ask.args["name"] else _next_name(ask, thing)
    home = ask.file(thing)
    text = replace_key(draft.text(home), "id", ask.world.new_id(), home)
    for key in ("aliases", *PLACES):
        text = remove_key(text, key, home)
    if thing.kind is not Kind.LOCATION:
        text = replace_key(text, "location", link(here.name), home)
    file = ask.building.new_file(thing.kind, name)
    draft.add(file, replace_title(text, name, home))
    changes = ask.carry_out(f"@clone {thing.name}", draft)
    return ask.outcome([ask.say(CLONED, name=name, file=file), *ask.notes(name)], changes, ask.seen(CREATES, name))


def _next_name(ask: BuildingRequest, thing: Thing) -> str:
    bare = re.sub(r" \d+$", "", thing.name)
    taken = {plain(name) for one in ask.world.things.values() for name in one.names}
    return next(name for n in range(2, len(taken) + 3) if plain(name := f"{bare} {n}") not in taken)


async def destroy(ask: BuildingRequest) -> Outcome:
    thing, draft = ask.thing(), ask.building.draft()
    if ask.is_mind(thing):
        raise Refusal(ask.say(FORGET, name=thing.name), ask.say(FORGET_HINT, name=thing.name))
    moved = _emptied(ask, thing)
    file = ask.file(thing)
    draft.set(file, None)
    for other in ask.building.files():
        if other.startswith("world/locations/") and other != file:
            draft.set(other, _without(draft.text(other), other, thing, file))
    changes = ask.carry_out(f"@destroy {thing.name}", draft)
    lines = [ask.say(DESTROYED, name=thing.name, file=file), *ask.notes(*(_neighbours(ask, thing)))]
    return ask.outcome(lines, [*moved, *changes], ask.seen(DESTROYS, thing.name))


def _emptied(ask: BuildingRequest, thing: Thing) -> list[Change]:
    """Return the moves of what is in something that goes, to where the builder is. Raises Refusal for people in it."""
    if people := ask.world.people(thing.id):
        raise Refusal(ask.say(SOMEBODY_THERE, name=thing.name, people=listed([one.name for one in people])))
    return [Put(one.id, ask.here.id) for one in ask.world.contents(thing.id)]


def _without(text: str, file: str, thing: Thing, home: str) -> str:
    """Return the text of a place's file without the ways, or the doors, that lead to a thing."""
    for key, name, value in entries(parse_document(text, file)):
        if leads_to(value, thing, home):
            text = replace_entry(text, key, name, None, file)
    return text


def _neighbours(ask: BuildingRequest, thing: Thing) -> list[str]:
    return [place.name for way in thing.exits if (place := ask.world.location(way.to)) is not None]


async def rename(ask: BuildingRequest) -> Outcome:
    thing, draft = ask.thing(), ask.building.draft()
    if ask.is_mind(thing):
        raise Refusal(ask.say(AGENT_NAME, name=thing.name))
    name, file = ask.free_name(thing.kind, ask.args["name"], but=thing), ask.file(thing)
    draft.set(file, replace_title(draft.text(file), name, file))
    if _is_meant_by_links(ask, thing):
        _lead_to(ask, draft, thing, file, name)
    if _is_named_by_rules(ask, draft, thing):  # the old name means it still
        aliases = [*(one for one in thing.aliases if plain(one) != plain(name)), thing.name]
        draft.set(file, replace_key(draft.text(file), "aliases", aliases, file))
    linked = sorted(set(draft.after) - {file})
    home = _moved(ask, draft, thing, file, name)
    changes = ask.carry_out(f"@rename {thing.name}", draft)
    lines = [ask.say(RENAMED, old=thing.name, name=name, file=home)]
    lines += [ask.say(RENAMED_LINKS, files=listed(linked))] if linked else []
    return ask.outcome(lines, changes)


def _is_meant_by_links(ask: BuildingRequest, thing: Thing) -> bool:
    """Return whether links with its name lead to a thing: of several with one name they lead to the place."""
    alike = [one for one in ask.world.things.values() if one.id != thing.id and folded(one.name) == folded(thing.name)]
    return thing.kind is Kind.LOCATION or not alike


def _is_named_by_rules(ask: BuildingRequest, draft: Draft, thing: Thing) -> bool:
    """Return whether rules or conditions anywhere mean a thing by its name, without brackets."""
    bare = re.compile(rf"(?<!\[)\b{re.escape(plain(thing.name))}\b(?!\])", re.I)
    made = ask.world.live.made
    naming = (one for one in ask.world.things.values() if any(thing.id == id for _, id in one.traits.names))
    return any(bare.search(draft.text(ask.file(one))) for one in naming if one.id not in made)


def _lead_to(ask: BuildingRequest, draft: Draft, thing: Thing, home: str, name: str) -> None:
    """Have all links to a thing name it anew, in the world, in agents' files, and as the place where people begin."""
    minds = (f"agents/{one.slug}/agent.md" for one in ask.building.minds.definitions.values() if not one.person)
    for file in (*ask.building.files(), *minds):
        draft.set(file, _relinked(draft.text(file), file, thing, home, name))
    config = "config/world.md"
    if thing.kind is Kind.LOCATION and (ask.building.vault / config).is_file():
        text = draft.text(config)
        found = _START.search(text)
        if found and leads_to(found[2], thing, home):
            draft.set(config, text[: found.start(2)] + name + text[found.end(2) :])


def _relinked(text: str, file: str, thing: Thing, home: str, name: str) -> str:
    text = _LINK.sub(lambda one: f"[[{name}{one[2]}]]" if leads_to(link(one[1]), thing, home) else one[0], text)
    document = parse_document(text, file)
    for key in _LINKED:
        value = document.front.get(key)
        if isinstance(value, str) and link_name(value) is None and value != thing.id and leads_to(value, thing, home):
            text = replace_key(text, key, link(name), file)
    for key, way, value in entries(document):
        if link_name(value) is None and value != thing.id and leads_to(value, thing, home):
            text = replace_entry(text, key, way, link(name), file)
    return text


def _moved(ask: BuildingRequest, draft: Draft, thing: Thing, file: str, name: str) -> str:
    """Give the file the new name too, if it has the old one; return its path."""
    if not re.fullmatch(rf"{re.escape(slugify(thing.name))}(?:-\d+)?", Path(file).stem):
        return file
    if slugify(name) == slugify(thing.name):
        return file
    home, text = ask.building.new_file(thing.kind, name), draft.text(file)
    draft.set(file, None)
    draft.add(home, text)
    return home


async def undo(ask: BuildingRequest) -> Outcome:
    change = ask.building.last(ask.asker.own)
    if made := [one.file for one in change.files if one.file.startswith("agents/") and one.before is None]:
        return await _send_away(ask, change, made[0])
    moved = [one for thing in ask.building.made_by(change) for one in _emptied(ask, thing)]
    changes = ask.building.undo(ask.asker.own, change)
    return ask.outcome([ask.say(UNDONE, what=change.what)], [*moved, *changes])


async def _send_away(ask: BuildingRequest, change: BuildingChange, file: str) -> Outcome:
    """Take back the making of an agent: its folder, with all that it remembers since, goes into the trash."""
    minds, slug = ask.building.minds, Path(file).parent.name
    await minds.drop_folds(slug)
    definition = minds.definitions.get(slug)
    if definition is None:
        raise Refusal(ask.say(NOT_THERE))
    trash = put_away_folder(minds, definition)
    ask.building.log.pass_over(change)
    await minds.means.recall.forget(definition.id)
    told = ask.say(LIVED, name=definition.name, trash=trash.relative_to(ask.building.vault).as_posix())
    return ask.outcome([ask.say(UNDONE, what=change.what), told])
