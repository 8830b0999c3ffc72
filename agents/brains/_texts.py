"""Which texts the instinct speaks with, which places each may use, and what is wrong with a voice that was written.

The words themselves stand in `vault/text/instinct/`, one file for each voice; `default` has them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from agents.brains._disclosure import is_ignorant
from mud.registry import hint

_TOLD = "name person place when words"

TEXTS: dict[str, str] = {
    "manner.talk": "",
    "manner.ask": "",
    "manner.explore": "",
    "manner.gesture": "",
    "greet.first": "name place",
    "greet.known": "name place",
    "greet.remembers": "name words when",
    "greet.several": "name place",
    "greet.back": "name",
    "reply.how": "name place",
    "reply.thanks": "name",
    "reply.bye": "name",
    "reply.wish": "name",
    "reply.short": "name",
    "reply.unclear": "name",
    "reply.praise": "name",
    "reply.blame": "name",
    "reply.insult": "name",
    "reply.sorry": "name",
    "reply.joke": "name",
    "reply.time": "name",
    "reply.forget": "name",
    "reply.advice": "name place",
    "reply.follow": "name",
    "reply.stay": "name",
    "reply.errand": "name person",
    "reply.errand_done": "name person",
    "reply.errand_open": "name person",
    "talk.errand": "name person words",
    "reply.been": "name place",
    "reply.no_news": "name",
    "self.who": "name self place",
    "self.kind": "name",
    "self.goal": "name words",
    "self.know": "name",
    "self.know_words": "name words when place",
    "self.know_two": "name words others",
    "self.know_three": "name words others more",
    "self.your_name": "name",
    "self.wearing": "name",
    "self.stranger": "name",
    "ack.plain": "name",
    "ack.thing": "name thing",
    "ack.name": "name thing",
    "ack.ask": "name thing",
    "ack.changed": "name thing",
    "ack.link": "name person words",
    "ack.link_you": "name words",
    "ack.secret": "name",
    "ack.sad": "name",
    "ack.glad": "name",
    "ack.promise": "name",
    "ack.kept": "name",
    "ack.gift": "name",
    "opinion.place": "name place thing words",
    "opinion.thing": "name place thing",
    "opinion.person": "name person",
    "opinion.you": "name",
    "opinion.plain": "name",
    "answer.told": _TOLD,
    "answer.told_you": _TOLD,
    "answer.quoted": _TOLD,
    "answer.quoted_you": _TOLD,
    "answer.about": f"{_TOLD} thing",
    "answer.about_you": f"{_TOLD} thing",
    "answer.near": _TOLD,
    "answer.near_you": _TOLD,
    "answer.hearsay": f"{_TOLD} via",
    "answer.hearsay_you": f"{_TOLD} via",
    "answer.yes_told": _TOLD,
    "answer.yes_told_you": _TOLD,
    "answer.differ": f"{_TOLD} other others",
    "answer.differ_you": f"{_TOLD} other others",
    "answer.differ_mine": f"{_TOLD} other others",
    "answer.source": "name person place when",
    "answer.source_you": "name place when",
    "answer.source_via": "name person place when via",
    "answer.source_self": "name",
    "answer.source_known": "name",
    "answer.way": "name thing place",
    "answer.way_far": "name place",
    "answer.been": "name place",
    "answer.no_more": "name thing",
    "answer.in_view": "name place words",
    "answer.saw": "name place when words",
    "answer.self": "name place when words",
    "answer.looked": "name place when words",
    "answer.looked_there": "name place when words",
    "answer.note": "name thing words",
    "answer.summary": "name words",
    "answer.known": "name words",
    "answer.known_quoted": "name words",
    "answer.known_near": "name words",
    "answer.time": _TOLD,
    "answer.time_saw": "name place when words",
    "answer.seen": _TOLD,
    "answer.person_here": "name person",
    "answer.thing_here": "name thing place",
    "answer.carried": "name thing",
    "answer.empty_handed": "name",
    "answer.i_am_here": "name place",
    "answer.you_are_here": "name place",
    "answer.place": "name place",
    "answer.place_words": "name place words",
    "answer.company": "name person",
    "answer.nobody_else": "name",
    "answer.acquainted": "name person",
    "answer.met_nobody": "name",
    "answer.again": "name",
    "unknown.thing": "name thing",
    "unknown.person": "name person",
    "unknown.plain": "name",
    "unknown.self": "name",
    "unknown.unseen": "name person",
    "unknown.not_told": "name",
    "unknown.way": "name thing",
    "talk.thing": "name thing",
    "talk.here": "name place",
    "talk.been": "name place",
    "talk.news": "name person words",
    "talk.saw": "name words",
    "talk.ask": "name",
    "emote.idle": "place",
    "emote.thing": "thing",
    "emote.nod": "name",
    "emote.sing": "name",
    "emote.dance": "name",
    "emote.greet": "name",
    "emote.sit": "name",
    "emote.hush": "name",
    "think.place": "place",
    "think.thing": "thing",
    "think.person": "person",
    "think.words": "person words",
    "note.thing": "place words",
    "note.place": "words",
    "note.told": "person place words",
    "reason.answer": "name",
    "reason.unknown": "name",
    "reason.asked": "name",
    "reason.told": "name",
    "reason.greet": "name",
    "reason.talk": "name",
    "reason.go": "thing place",
    "reason.look": "thing",
    "when.now": "",
    "when.minutes": "number",
    "when.hour": "",
    "when.hours": "number",
    "when.day": "",
    "when.days": "number",
    "word.somewhere": "",
    "self.goal_reached": "name words",
    "self.goal_sought": "name words place",
    "self.no_goal": "name",
    "goal.ask": "name thing place",
    "goal.ask_answer": "name thing",
    "goal.ask_place": "name thing",
    "goal.reached": "name thing place",
    "goal.topic": "name words",
    "goal.met": "name",
    "goal.answer": "name person words thing",
    "goal.stuck": "name thing place",
    "goal.stuck_answer": "name thing",
    "think.goal": "thing place",
    "think.stuck": "thing place",
    "think.stuck_answer": "thing",
    "note.goal": "place words",
    "reason.goal": "thing",
    "reason.goal_answer": "thing",
    "greet.warm": "name place",
    "greet.cool": "name place",
    "greet.morning": "name place",
    "night.good": "name place",
    "think.morning": "place",
    "emote.yawn": "place",
    "reason.rest": "",
    "reply.unwilling": "name",
    "opinion.kind": _TOLD,
    "opinion.kind_you": "name place when words",
    "opinion.rude": _TOLD,
    "opinion.rude_you": "name place when words",
    "answer.promise": _TOLD,
    "answer.promise_you": _TOLD,
    "answer.promise_kept": _TOLD,
    "answer.promise_kept_you": _TOLD,
    "answer.promise_silence": "name place when words",
    "answer.discreet": "name person",
    "answer.telling": "name person place when",
    "answer.telling_you": "name place when",
    "answer.telling_self": "name place when",
    "answer.first": _TOLD,
    "answer.first_you": "name place when words",
    "answer.met_first": "name place when",
    "answer.met_last": "name place when",
    "answer.overheard": f"{_TOLD} other",
    "answer.looks": _TOLD,
    "answer.met": "name person place when",
    "answer.way_first": "name thing place",
    "unknown.somebody": "name person",
    "unknown.said": "name person",
    "unknown.deed": "name",
    "self.profile": "name words",
    "reply.day": "name place thing person",
    "reply.day_quiet": "name here",
    "reply.night": "name",
    "unknown.promise": "name person",
    "unknown.promise_you": "name",
    "unknown.promise_mine": "name",
    "talk.new": "name thing place",
    "talk.gone": "name thing place",
    "talk.changed": "name place words",
    "think.new": "thing place",
    "think.gone": "thing place",
    "think.changed": "place words",
    "loop.echo": "partner times",
    "loop.farewell": "partner times",
    "loop.thanks": "partner times",
    "loop.greeting": "partner times",
    "loop.question": "partner times",
    "loop.nothing_new": "partner times",
    "loop.advice_hint": "partner",
    "loop.advice_silence": "partner",
    "loop.advice_move": "partner",
    "hint.repeats": "words",
    "hint.echoes": "person words",
    "hint.enough": "person",
}
"""Every text of the instinct: its key below the name of the voice, and the places its words may use."""

SHARES = {"never": 0.0, "seldom": 0.25, "sometimes": 0.5, "often": 0.8, "always": 1.0}
"""What the words of the `manner` section mean, as a share of the chances to do so."""

ME = "me"
"""The place of the speaker's own name, which every text may use that is spoken, thought or written."""
_NOT_SPOKEN = ("manner.", "loop.", "hint.")

PLACE = re.compile(r"\{(\w+)\}")
"""A place to be filled."""


def wrong_in(voice: Mapping[str, tuple[str, ...]], *, complete: bool = False) -> list[tuple[str, str]]:
    """Return what is wrong with a voice: pairs of a key and a message.

    Args:
        voice: its texts, by key below its name.
        complete: it is the voice that the others fall back on, and has to have every text.
    """
    wrong = []
    for key, variants in voice.items():
        if key not in TEXTS:
            wrong.append((key, f"the instinct has no such text{hint(key, TEXTS)}"))
            continue
        known = {*TEXTS[key].split(), *(() if key.startswith(_NOT_SPOKEN) else (ME,))}
        strange = sorted({place for text in variants for place in PLACE.findall(text)} - known)
        expected = TEXTS[key] or "no places"
        wrong.extend((key, f"{{{place}}} is no place of this text; expected {expected}") for place in strange)
        if key.startswith("manner.") and any(text.casefold() not in SHARES for text in variants):
            wrong.append((key, f"expected one of {', '.join(SHARES)}"))
        if key.startswith("unknown."):
            # Others hear these lines too and must not take them for knowledge.
            wrong.extend((key, f"does not say that the speaker does not know: {text}") for text in unclear(variants))
    if complete:
        wrong.extend((key, "this text is missing, and every voice may need it") for key in TEXTS if key not in voice)
    return wrong


def says_name(text: str, name: str, words: Collection[str]) -> bool:
    """Return whether a text says somebody's name, not a word that is only spelled so.

    Args:
        text: a text of a voice.
        name: the name.
        words: words that are no names, in lower case: one of these that only begins a sentence is taken for a word.
    """
    for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        begins = re.search(r"(?:^|[.!?])\W*$", text[: found.start()])
        if not begins or name.lower() not in words or re.match(r"[.,!?;:]|$", text[found.end() :]):
            return True
    return False


def unclear(variants: tuple[str, ...]) -> list[str]:
    """Return those of the variants that nobody would recognise as "I don't know"."""
    return [text for text in variants if not is_ignorant(text)]
