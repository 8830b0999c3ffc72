"""Answers `@narrative`: the newest events of the chronicle, by place and person, with times as people say them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from agents.text.daytime import DAWN, date_of, local, part_of_day
from mud.commands import LONGEST_SHOWN, Outcome, Say
from mud.engine.chronicle import ChronicleRecord, parse_chronicle
from mud.errors import Refusal
from mud.server.wiring import Parts
from mud.storage.paths import read_end
from mud.world.events import Request
from mud.world.narration import phrase, shortened
from mud.world.world import World

ROW = phrase("app.narrative.row", "when", "place", "text")
ROW_HERE = phrase("app.narrative.row_here", "when", "text")
NOTHING = phrase("app.narrative.nothing")
UNKNOWN = phrase("app.narrative.unknown", "name")
COUNT = phrase("app.narrative.count", "most")
THIS_PART = phrase("app.narrative.this_part", "part", "time")
TONIGHT = phrase("app.narrative.tonight", "time")
IN_THE_NIGHT = phrase("app.narrative.in_the_night", "time")
YESTERDAY = phrase("app.narrative.yesterday", "time")
EARLIER = phrase("app.narrative.earlier", "date", "time")

USUAL, MOST = 20, 200
BOUND = 256 * 1024  # bytes that are read from the end of each file
OLDER = 2  # older files that are read when the newest has too little
LATE = 22  # hour from which on it is night

Wanted = Callable[[ChronicleRecord], bool]


async def show_narrative(parts: Parts, request: Request) -> Outcome:
    """Return the newest events that match and that the character may know. Raises Refusal for an unknown name."""
    say, world = parts.texts.render, parts.engine.world
    name, count = _read(say, request.args["what"])
    known = None if request.args["may"] == "all" else _visited(world, request.who)
    place, wanted = _wanted(say, world, request.who, name, known)
    log = parts.vault / "log/chronicle.md"
    found = await asyncio.to_thread(
        _newest, log, lambda one: (known is None or one.place in known) and wanted(one), count
    )
    now = parts.clock.now().astimezone(parts.clock.zone)
    row = ROW_HERE if place else ROW
    lines = [say(row, when=time_in_words(say, one.at, now), text=one.text, **_place(place, one)) for one in found]
    return Outcome("\n".join(lines) or say(NOTHING))


def _place(place: bool, one: ChronicleRecord) -> dict[str, str]:
    return {} if place else {"place": one.place}


def _read(say: Say, what: str) -> tuple[str, int]:
    """Return the name, or an empty text, and the number behind it."""
    name, _, last = what.strip().rpartition(" ")
    if not re.fullmatch(r"-?[0-9]{1,9}", last):
        return what.strip(), USUAL
    if not 1 <= int(last) <= MOST:
        raise Refusal(say(COUNT, most=MOST))
    return name.strip(), int(last)


def _visited(world: World, who: str) -> set[str]:
    places = [world.location(id) for id in world.visited(who)]
    here = world.location_of(who)
    return {one.name for one in (*places, here) if one is not None}


def _wanted(say: Say, world: World, who: str, name: str, known: set[str] | None) -> tuple[bool, Wanted]:
    """Return whether a place is meant, and which events are; for a place that was never visited as for none at all."""
    if not name:
        return False, lambda one: True
    thing = world.location_of(who) if name.casefold() == "here" else world.called(name)
    if thing is None:
        raise Refusal(say(UNKNOWN, name=shortened(name, LONGEST_SHOWN)))
    if world.location(thing.id) is None:
        doer = re.compile(rf"{re.escape(thing.name)}(?!\w)")
        return False, lambda one: doer.match(one.text) is not None
    if known is not None and thing.name not in known:
        raise Refusal(say(UNKNOWN, name=shortened(name, LONGEST_SHOWN)))
    return True, lambda one: one.place == thing.name


def _newest(log: Path, wanted: Wanted, count: int) -> list[ChronicleRecord]:
    """Return the newest wanted events, oldest first, from the ends of the file and of a few older ones."""
    found: list[ChronicleRecord] = []
    for records in _files(log):
        found = [*filter(wanted, records), *found][-count:]
        if len(found) >= count:
            break
    return found


def _files(log: Path) -> Iterator[list[ChronicleRecord]]:
    for path in (log, *(log.with_name(f"{log.name}.{number}") for number in range(1, OLDER + 1))):
        try:
            yield parse_chronicle(read_end(path, BOUND))
        except OSError:
            return


def time_in_words(say: Say, at: str, now: datetime) -> str:
    """Return a written time in the zone of `now`, as `this morning at 7:21` or `yesterday at 22:05`."""
    moment = local(at, now.tzinfo)
    if moment is None:
        return at
    time = f"{moment.hour}:{moment:%M}"
    if moment.date() == now.date():
        if moment.hour < DAWN:
            return say(IN_THE_NIGHT, time=time)
        return (
            say(TONIGHT, time=time) if moment.hour >= LATE else say(THIS_PART, part=part_of_day(say, moment), time=time)
        )
    if moment.date() == now.date() - timedelta(days=1):
        return say(YESTERDAY, time=time)
    return say(EARLIER, date=date_of(say, moment.replace(tzinfo=None).isoformat()), time=time)
