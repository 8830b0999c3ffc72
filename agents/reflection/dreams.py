"""Dreams: choice of entries, wording by rules, checks of a model's wording. Pure.

A dream mixes entries of events, never earlier dreams. Its kind and its first words say that it is a dream.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from random import Random

from agents.compaction.judge.reading import keys_of, telling_of
from agents.memory.entries import Entry
from agents.memory.note_form import entry_text, is_blank, new_file, with_entry, with_newest
from agents.reflection.assistant_talk import without_assistant_talk
from agents.reflection.experiences import SPOKEN_TO_ME, asks, events_of, words_of
from agents.reflection.insights import Say
from agents.text.english import sentences
from mud.world.narration import phrase

REMEMBERED = phrase("minds.dream.remembered", "dream")
"""How a dream is remembered; summaries only mention it, see `agents.memory.entries.undreamt`."""
NOTE = phrase("minds.dream.note")
NOTED = 30
"""Number of dreams kept in that note, which is rewritten at each; the archive has all."""
RECENT = 24
CHUNKS = 4
CHUNK = (2, 4)
"""Least and most adjacent entries that stay together."""
FRAGMENTS = 3
LONGEST = 800
SHORT = 90

_LEAD = re.compile(r"(?:dream:|I dreamed(?: that)?[:,]?) ?", re.IGNORECASE)

DRONING = 0.4
"""Share of distinct words below which a model repeats itself."""
TELLING = 2
"""Content words that an entry needs to be used."""

IN = phrase("minds.dream.in_place", "place")
NOWHERE = phrase("minds.dream.nowhere")
SPOKE = phrase("minds.dream.spoke", "name", "words")
VOICE = phrase("minds.dream.voice", "words")
SAW = phrase("minds.dream.saw", "words")
STILL = phrase("minds.dream.turn_still", "name")
DOOR = phrase("minds.dream.turn_door", "place")
SILENT = phrase("minds.dream.turn_silent", "name")
TURNS = (STILL, DOOR, SILENT)
WOKE = phrase("minds.dream.end")


def places_to_look(first: int, chance: Random) -> list[tuple[int, int]]:
    """Return random short ranges of entries before `first`."""
    if first <= CHUNK[1]:
        return [(1, first - 1)] if first > 1 else []
    starts = sorted({chance.randint(1, first - CHUNK[1]) for _ in range(CHUNKS)})
    return [(start, start + chance.randint(*CHUNK) - 1) for start in starts]


def mixed(recent: Sequence[Entry], older: Iterable[Entry], chance: Random) -> list[Entry]:
    """Return the entries of events in shuffled groups of adjacent ones, without older ones of the same text."""
    newest = events_of(recent)[-RECENT:]
    told = {entry.text for entry in newest}
    rest = [*(entry for entry in events_of(older) if entry.text not in told), *newest]
    chunks: list[list[Entry]] = []
    while rest:
        size = chance.randint(*CHUNK)
        chunks.append(rest[:size])
        rest = rest[size:]
    chance.shuffle(chunks)
    return [entry for chunk in chunks for entry in chunk]


def by_rules(memories: Sequence[Entry], say: Say, chance: Random) -> str:
    """Return a short dream of the result of `mixed`, worded by rules; empty without entries."""
    if not memories:
        return ""
    places = list(dict.fromkeys(entry.place for entry in memories if entry.place))
    names = list(dict.fromkeys(entry.actor for entry in memories if entry.actor and entry.kind in SPOKEN_TO_ME))
    place = chance.choice(places) if places else ""
    parts = [say(IN, place=place) if place else say(NOWHERE)]
    telling = [one for one in memories if _words(one) and one.kind not in ("result", "told") and not asks(one)]
    telling.sort(key=lambda entry: -entry.importance)
    parts += filter(None, (_fragment(entry, names, say, chance) for entry in telling[:FRAGMENTS]))
    others = [one for one in places if one != place]
    turns = [turn for turn in TURNS if (names if "name" in turn.places else others)]
    if turns:
        turn = chance.choice(turns)
        if "name" in turn.places:
            parts.append(say(turn, name=chance.choice(names)))
        else:
            parts.append(say(turn, place=chance.choice(others)))
    return f"{', '.join(parts)}, {say(WOKE)}."


def _words(entry: Entry) -> str:
    first = next(iter(sentences(words_of(entry))), "")
    bare = re.sub(r"[\"“”]", "", first).strip(" .!?…")
    return bare if len(bare) <= SHORT and len(telling_of(bare)) >= TELLING else ""


def _fragment(entry: Entry, names: Sequence[str], say: Say, chance: Random) -> str:
    words = _words(entry)
    if entry.kind in ("said", "heard"):
        return say(SPOKE, name=chance.choice(names), words=words) if names else say(VOICE, words=words)
    return say(SAW, words=words) if entry.kind == "saw" else ""


def with_dream(raw: str, title: str, told: str, at: str, place: str | None) -> str:
    """Return the note of dreams with one more, limited to the newest."""
    entry = entry_text(f"> {told}", at, None, place)  # the quote mark distinguishes a dream from other entries
    return with_newest(new_file(title, entry) if is_blank(raw) else with_entry(raw, entry), NOTED)


def tidied(reply: str, lead: str = "") -> str:
    """Return a model's dream as one paragraph, without the usual opening (`lead`); empty when it is unusable."""
    text, before = without_assistant_talk(reply), ""
    while text != before:
        before, text = text, text.removeprefix(lead.strip()).strip(' "“”')
        text = text[found.end() :] if (found := _LEAD.match(text)) else text
    whole = ""
    for one in sentences(text):
        if len(whole) + len(one) + 1 > LONGEST:
            break
        whole = f"{whole} {one}".strip()
    words = keys_of(whole)
    droning = len(words) > 12 and len(set(words)) < DRONING * len(words)
    return whole if len(words) >= 5 and not droning else ""
