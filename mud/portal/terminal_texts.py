"""What the terminal shows as coloured texts, in the colours of the terminal itself, as its owner likes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from mud.clock import Clock
from mud.commands import Say
from mud.portal import terminal_words as words
from mud.portal.portal import MemoryBar, OpenMind
from mud.portal.scene import Scene
from mud.portal.session import Message
from mud.world.map import Map
from mud.world.narration import Mark
from mud.world.text_map import Cell, sketch

MARKS = {
    "place": "bold green", "person": "cyan", "item": "yellow", "exit": "green", "speech": "bold",
    "here": "bold reverse",
}  # fmt: skip
"""The style of each mark of messages and drawings; each can be told without colours or does not matter."""
KINDS = {
    "refusal": "red",
    "question": "bold",
    "news": "italic",
    "whisper": "magenta",
    "channel": "magenta",
    "departure": "dim",
    "arrival": "dim",
}
"""The style of what is not marked in messages of a kind."""
_ADDRESS = re.compile(r"https?://[^\s\"<>]+")
_BEFORE_ADDRESS = re.compile(r" (?=https?://)")
BLOCKS = (("█", "green"), ("▓", "cyan"), ("░", "yellow"))
"""Long-term, recent and word for word in the bar of a memory."""


def marked(text: str, marks: Sequence[Mark], style: str = "") -> Text:
    result = Text(text, style)
    for mark in marks:
        result.stylize(MARKS[mark.kind], mark.start, mark.end)
    return result


def told(message: Message) -> str:
    """Return what a message says; what the program tells has addresses on lines of their own, so as to be copied."""
    return _BEFORE_ADDRESS.sub("\n", message.text) if message.kind == "news" else message.text


def message_text(message: Message) -> Text:
    """Return a message with its marks; addresses of pages are links for terminals that know them."""
    result = marked(told(message), message.marks, KINDS.get(message.kind, ""))
    for found in _ADDRESS.finditer(message.text):
        result.stylize(Style(link=found[0]), *found.span())
    return result


def clock_text(clock: Clock) -> Text:
    """Return day and time where the people of the world are."""
    return Text(f"{clock.now().astimezone(clock.zone):%a %d %b %H:%M}")


def map_text(map: Map, scene: Scene | None, room: Cell, say: Say) -> Text:
    """Draw the surroundings so that they fit: with names where there is room, else with boxes, and the exits below."""
    if scene is None:
        return Text(say(words.NOWHERE), "dim")
    ways = ways_text(scene, say)
    columns, rows = room
    named = sketch(map, scene.id, names=True)
    roomy = named.size[0] <= columns and named.size[1] <= rows
    window = (max(columns, 1), max(rows - len(scene.ways), 3))
    drawing = named if roomy else sketch(map, scene.id, names=False, window=window)
    return Text("\n").join([marked(drawing.text, drawing.marks), ways])


def ways_text(scene: Scene, say: Say) -> Text:
    """Return a line for each exit, with where it leads as far as that is known."""
    lines = [
        Text(say(words.EXIT, name=way.name, place=way.place) if way.place else say(words.UNKNOWN, name=way.name))
        for way in scene.ways
    ]
    for line, way in zip(lines, scene.ways, strict=True):
        line.highlight_words([way.name], MARKS["exit"])
    return Text("\n").join(lines)


def names_text(scene: Scene | None, say: Say) -> Text:
    """Return who and what is here, a line each."""
    if scene is None:
        return Text(say(words.NOBODY), "dim")
    people = [
        Text(say(words.ASLEEP, name=one.name) if one.asleep else one.name, "dim" if one.asleep else MARKS["person"])
        for one in scene.people
    ]
    items = [Text(name, MARKS["item"]) for name in scene.items]
    return Text("\n").join([*(people or [Text(say(words.NOBODY), "dim")]), *items])


def carried_text(scene: Scene | None, say: Say) -> Text:
    carried = scene.carrying if scene else ()
    return Text("\n".join(carried), MARKS["item"]) if carried else Text(say(words.NOTHING), "dim")


def bar_text(bar: MemoryBar | None, columns: int, say: Say) -> Text:
    """Return a memory as a bar with its key, and what comes next."""
    if bar is None:
        return Text(say(words.NO_MEMORY), "dim")
    counts = bar[:3]
    total = sum(counts)
    result, drawn = Text(), 0
    for at, (count, (block, style)) in enumerate(zip(counts, BLOCKS, strict=True), 1):
        end = round(columns * sum(counts[:at]) / total) if total else 0
        end = min(max(end, drawn + bool(count)), columns)
        result.append(block * (end - drawn), style)
        drawn = end
    for count, what, (block, style) in zip(counts, (words.LONGTERM, words.RECENT, words.VERBATIM), BLOCKS, strict=True):
        result.append(f"\n{block} ", style).append(f"{count:,} {say(what)}", "")
    result.append("\n")
    if bar.next_fold is None:
        return result.append(say(words.NO_FOLD), "dim")
    return result.append(say(words.NEXT, number=f"{bar.next_fold:,}", count=f"{bar.next_fold - total:,}"), "dim")


def mind_text(mind: OpenMind, columns: int, say: Say) -> Text:
    """Return a mind: its bar, its summaries, and its newest memories."""
    result = bar_text(mind.bar, columns, say)
    for title, text in ((words.LONGTERM, mind.longterm), (words.RECENT, mind.recent)):
        if text:
            result.append(f"\n\n{say(title).capitalize()}\n", "bold").append(text)
    if not mind.longterm and not mind.recent:
        result.append(f"\n\n{say(words.NONE_YET)}", "dim")
    if mind.newest:
        result.append(f"\n\n{say(words.NEWEST).capitalize()}\n", "bold").append("\n".join(mind.newest))
    return result
