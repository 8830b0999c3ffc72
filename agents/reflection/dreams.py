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
from agents.reflection.experiences import READ, SPOKEN_TO_ME, asks, events_of, words_of
from agents.text.english import sentences, unquoted
from agents.text.unwrapping import unwrapped
from mud.commands import Say
from mud.world.narration import phrase

LOOKED_AT = 2_000

_MARKUP = " -*_#=>~`"
_WHAT = r"(?:dreams?|insights?|reflections?|ratings?|story|narrative|paragraphs?)\b"
_YES = r"(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|al(?:l )?right|great|gladly|understood|got it|yes)"
_ANNOUNCED = re.compile(
    rf"(?:{_YES}\s?[,.!:–—-]\s?)?(?:here(?:['’]s| is| are| comes?| goes)|below is|the following is)\b"
    rf"[^.!?:]{{0,160}}?\b{_WHAT}[^.!?:]{{0,160}}(?:[.!?:]\s?|$)"
    rf"|{_YES}\s?(?:[.!:]\s|$)",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"[^.!?:\"“]{{0,80}}\b{_WHAT}[^.!?:\"“]{{0,80}}:", re.IGNORECASE)
_COURTESY = re.compile(
    r"\bI hope (?:this|that|you|it) (?:helps|dream|meets|works|captures|is what|fits|like)\b|\bfeel free to\b"
    r"|\blet me know (?:if|what you think|whether)\b|\b(?:happy|glad|pleased) to (?:help|assist|write|share|provide)\b"
    r"|\bwould you like me to\b|\bhere to (?:help|assist)\b",
    re.IGNORECASE,
)
_AI = r"(?:AI|artificial intelligence|(?:large )?language model|(?:virtual|helpful) assistant|chatbot)\b"
_REQUEST = (
    r"(?:(?:this|that|your|the) (?:request|prompt|task|instructions?)\b"
    r"|(?:that|this)(?=\s?(?:[.,;!]|$|as\b|because\b)))"
)
_TALK = re.compile(
    rf"\b(?:as|being|I am|I['’]m)(?: just| only| merely)? (?:an? |your )?{_AI}|\blanguage model\b|\bAI assistant\b"
    r"|\bthe user(?:['’]s)?\b(?! of\b)"
    rf"|\bI (?:can(?:no|['’])t|won['’]t|will not|am (?:not able|unable) to|['’]m (?:not able|unable) to)"
    rf" (?:do|fulfil+|comply with|(?:help|assist)(?: you)? with|complete|continue with) {_REQUEST}"
    r"|\bI (?:can(?:no|['’])t|won['’]t|am unable to) (?:assist|comply|generate|engage in)\b"
    r"|\b(?:based on|drawing on|using|from) (?:the|these|your|those) (?:given |provided )?memories\b"
    r"|\bmemories (?:(?:that )?you (?:provided|gave|shared)|provided|given|above|listed)\b"
    r"|\b(?:we|I) (?:need|should|have|must|will|['’]ll|am going|want) (?:to )?(?:now )?"
    r"(?:write|tell|create|craft|generate|produce|make up|come up with)\b[^.!?]{0,40}\bdream\b"
    r"|\blet me (?:think about|start|write|craft|create|see how|try to)\b|\bfirst[- ]person\b|\bword count\b"
    r"|\b(?:four|4)(?: to |-|–)(?:six|6) sentences\b",
    re.IGNORECASE,
)


def without_assistant_talk(reply: str) -> str:
    """Return a reply as one paragraph without announcements and courtesies; empty when an assistant speaks in it."""
    lines = [line.strip(_MARKUP) for line in unwrapped(reply[:READ]).split("\n")]
    lines = [line for line in lines if line]
    for _ in range(8):  # agreement, courtesy, announcement, heading: never more than this
        if not lines or (rest := _unannounced(lines[0])) == lines[0]:
            break
        lines[:1] = [rest] if rest else []
    kept: list[str] = []
    for sentence in sentences(re.sub(r"[*_#`>~]+", "", " ".join(lines))[:LOOKED_AT]):
        if speaks(sentence):
            return ""
        if _COURTESY.search(unquoted(sentence)):
            break
        kept.append(sentence)
    return " ".join(kept)


def speaks(sentence: str) -> bool:
    return _TALK.search(unquoted(sentence)) is not None


def _unannounced(line: str) -> str:
    if _HEADING.fullmatch(line):
        return ""
    if found := _ANNOUNCED.match(line):
        return line[found.end() :]
    first = next(iter(sentences(line[:LOOKED_AT])), "")
    return line.removeprefix(first).lstrip() if _COURTESY.search(unquoted(first)) else line


REMEMBERED = phrase("minds.dream.remembered", "dream")
"""How a dream is remembered; summaries only mention it, see `agents.memory.entries.undreamt`."""
NOTE = phrase("minds.dream.note")
NOTED = 30  # number of dreams kept in that note, which is rewritten at each; the archive has all
RECENT = 24
CHUNKS = 4
CHUNK = (2, 4)  # least and most adjacent entries that stay together
FRAGMENTS = 3
LONGEST = 800
SHORT = 90

_LEAD = re.compile(r"(?:dream:|I dreamed(?: that)?[:,]?) ?", re.IGNORECASE)

DRONING = 0.4  # share of distinct words below which a model repeats itself
TELLING = 2  # content words that an entry needs to be used

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
