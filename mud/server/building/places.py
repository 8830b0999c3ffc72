"""Places, and the ways and doors between them."""

from __future__ import annotations

from mud.commands import Outcome
from mud.errors import Refusal
from mud.server.building.request import PLACES, BuildingRequest, link
from mud.storage.document_edits import remove_key, replace_entry
from mud.storage.documents import render_document
from mud.world.changes import Leave
from mud.world.matching import plain
from mud.world.narration import listed, phrase
from mud.world.things import Exit, Kind, Thing

GONE = phrase("building.ask.gone")
TOO_MANY_WAYS = phrase("building.ask.too_many_ways")
DUG = phrase("building.dig.done", "name", "ways", "file")
DUG_ALONE = phrase("building.dig.alone", "name", "file")
DIGS = phrase("building.dig.seen", "actor", "name")
OPENED = phrase("building.open.done", "ways")
OPENS = phrase("building.open.seen", "actor", "name")
WAY = phrase("building.open.way", "name", "origin", "destination")
UNLINKED = phrase("building.unlink.done", "name", "location")
BACK_STAYS = phrase("building.unlink.back", "name", "origin", "destination")
UNLINKS = phrase("building.unlink.seen", "actor", "name")
HUNG = phrase("building.door.done", "name", "way", "file")


async def dig(ask: BuildingRequest) -> Outcome:
    name, here, draft = ask.free_name(Kind.LOCATION, ask.args["name"]), ask.here, ask.building.draft()
    ways = [one for one in ask.args["ways"].split(",") if one.strip()]
    if len(ways) > 2:
        raise Refusal(ask.say(TOO_MANY_WAYS))
    there = [ask.free_way(here, ways[0])] if ways else []
    back = [ask.way(ways[1])] if ways[1:] else []
    file = ask.building.new_file(Kind.LOCATION, name)
    front: dict[str, object] = {"id": ask.world.new_id(), "type": "location"}
    if back:
        front["exits"] = {back[0]: link(here.name)}
    draft.add(file, render_document(front, f"# {name}\n"))
    if there:
        home = ask.file(here)
        draft.set(home, replace_entry(draft.text(home), "exits", there[0], link(name), home))
    changes = ask.carry_out(f"@dig {name}", draft)
    told = [ask.say(WAY, name=way, origin=here.name, destination=name) for way in there]
    told += [ask.say(WAY, name=way, origin=name, destination=here.name) for way in back]
    done = ask.say(DUG, name=name, ways=listed(told), file=file) if told else ask.say(DUG_ALONE, name=name, file=file)
    return ask.outcome([done, *ask.notes(name)], changes, ask.seen(DIGS, name))


async def open_way(ask: BuildingRequest) -> Outcome:
    here, place, draft = ask.here, ask.thing("place"), ask.building.draft()
    ends = [(here, ask.free_way(here, ask.args["way"]), place)]
    if back := ask.args.get("back"):
        ends.append((place, ask.free_way(place, back), here))
    for origin, way, goal in ends:
        file = ask.file(origin)
        draft.set(file, replace_entry(draft.text(file), "exits", way, link(goal.name), file))
    changes = ask.carry_out(f"@open {ends[0][1]}", draft)
    told = [ask.say(WAY, name=way, origin=origin.name, destination=goal.name) for origin, way, goal in ends]
    done = ask.say(OPENED, ways=listed(told))
    return ask.outcome([done, *ask.notes(here.name, place.name)], changes, ask.seen(OPENS, ends[0][1]))


async def unlink(ask: BuildingRequest) -> Outcome:
    here, name, draft = ask.here, ask.args["way"], ask.building.draft()
    way = next((one for one in here.exits if one.name == name), None)
    if way is None:
        raise Refusal(ask.say(GONE))
    file = ask.file(here)
    for key in PLACES:
        draft.set(file, replace_entry(draft.text(file), key, name, None, file))
    changes = ask.carry_out(f"@unlink {name}", draft)
    goal = ask.world.location(way.to)
    lines = [ask.say(UNLINKED, name=name, location=here.name)]
    if goal is not None:
        backs = [one for one in goal.exits if one.to == here.id]
        lines += [ask.say(BACK_STAYS, name=one.name, origin=goal.name, destination=here.name) for one in backs]
        lines += ask.notes(here.name, goal.name)
    return ask.outcome(lines, changes, ask.seen(UNLINKS, name))


async def door(ask: BuildingRequest) -> Outcome:
    here, draft = ask.here, ask.building.draft()
    way = next((one for one in here.exits if one.name == ask.args["way"]), None)
    goal = ask.world.location(way.to) if way is not None else None
    if way is None or goal is None:
        raise Refusal(ask.say(GONE))
    known = _item_called(ask, ask.args["name"])
    name = known.name if known is not None else ask.name(ask.args["name"])
    if known is None:
        front = {"id": ask.world.new_id(), "type": "item", "opens": True}
        draft.add(ask.building.new_file(Kind.ITEM, name), render_document(front, f"# {name}\n"))
    else:
        file = ask.file(known)
        draft.set(file, remove_key(draft.text(file), "location", file))
    for place, exit in [(here, way), *_way_back(goal, here)]:
        file = ask.file(place)
        draft.set(file, replace_entry(draft.text(file), "doors", exit.name, link(name), file))
    changes = ask.carry_out(f"@door {name}", draft)
    if known is not None:
        changes.append(Leave(known.id))  # it hangs in its frame now, and lies nowhere
    return ask.outcome([ask.say(HUNG, name=name, way=way.name, file=ask.file(here))], changes)


def _way_back(goal: Thing, here: Thing) -> list[tuple[Thing, Exit]]:
    """Return the way back, if there is just one."""
    found = [(goal, one) for one in goal.exits if one.to == here.id]
    return found if len(found) == 1 else []


def _item_called(ask: BuildingRequest, name: str) -> Thing | None:
    items = (one for one in ask.world.things.values() if one.kind is Kind.ITEM)
    return next((one for one in items if one.id == name or plain(name) in map(plain, one.names)), None)
