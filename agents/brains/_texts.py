"""Which texts the instinct speaks with, which places each may use, and what is wrong with a voice that was written.

The words themselves stand in `vault/text/instinct/`, one file for each voice; `default` has them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from mud.registry import hint

_KEYS_BY_PLACES = {
    "": "manner.ask manner.explore manner.gesture manner.talk reason.rest when.day when.hour when.now",
    "name place": """
        answer.been answer.i_am_here answer.no_exits answer.nothing_here answer.place answer.way_far
        answer.you_are_here greet.cool greet.first greet.known greet.morning greet.several greet.warm leave.night
        leave.plain night.good reply.advice reply.been reply.how talk.been talk.here topic.ask_self topic.unsure
    """,
    "name words when": "greet.remembers",
    "name": """
        ack.birth ack.birthday ack.death ack.fear ack.gift ack.glad ack.illness ack.kept ack.know ack.love ack.luck
        ack.plain ack.plan ack.promise ack.sad ack.secret ack.trouble answer.again answer.empty_handed
        answer.met_nobody answer.nobody_else answer.source_known answer.source_self emote.dance emote.greet emote.hush
        emote.nod emote.pet emote.sing emote.sit goal.met greet.back opinion.plain opinion.you reason.answer
        reason.asked reason.greet reason.unknown reply.blame reply.bye reply.follow
        reply.foreign reply.forget reply.insult reply.joke reply.night reply.no_news reply.offer reply.permit
        reply.praise reply.short
        reply.sorry reply.stay reply.thanks reply.time reply.unclear reply.unwilling reply.wish self.kind self.know
        self.no_goal self.stranger self.wearing self.your_name talk.ask unknown.deed unknown.not_told unknown.plain
        unknown.promise_mine unknown.promise_you unknown.self
    """,
    "name person": """
        answer.acquainted answer.company answer.discreet answer.person_here opinion.person reply.errand
        reply.errand_done reply.errand_open unknown.person unknown.promise unknown.said unknown.somebody unknown.unseen
    """,
    "name person words": "ack.link talk.errand talk.news",
    "name self place": "self.who",
    "name words": """
        ack.link_you ack.retold answer.known answer.known_near answer.known_quoted answer.likes answer.summary
        goal.topic self.about self.goal self.profile
    """,
    "name thing": """
        ack.ask ack.called ack.changed ack.name ack.thing answer.carried answer.no_more goal.ask_answer goal.ask_place
        goal.stuck_answer talk.thing unknown.thing unknown.way
    """,
    "name place thing words": "opinion.place topic.far topic.look",
    "name place thing": """
        leave.subject opinion.thing topic.agree topic.ask_view topic.disagree topic.dislike topic.like topic.where
    """,
    "name person place when words": """
        answer.fact answer.first answer.looks answer.near answer.near_you answer.promise answer.promise_kept
        answer.promise_kept_you answer.promise_you answer.quoted answer.quoted_you answer.seen answer.told
        answer.told_you opinion.kind opinion.rude
    """,
    "name person place when words other": "answer.overheard",
    "name person place when words via": "answer.hearsay answer.hearsay_you",
    "name person place when words other others": "answer.differ answer.differ_mine answer.differ_you",
    "name person place when": "answer.met answer.source answer.telling",
    "name place when": "answer.met_first answer.met_last answer.source_you answer.telling_you",
    "name person place when via": "answer.source_via",
    "name place person words": "topic.did topic.news",
    "name place person": "topic.ask_person topic.person",
    "name place person when": "topic.seen",
    "name thing place": """
        answer.exits answer.thing_here answer.things answer.way answer.way_first goal.ask goal.reached goal.stuck
        talk.gone talk.new
    """,
    "name person place when part": "answer.part",
    "name place when part": "answer.part_you",
    "name person via words": "answer.hearsay_fact",
    "name place words": "answer.in_view answer.place_words talk.changed topic.habit topic.self",
    "name place when words": """
        answer.fact_you answer.first_you answer.looked answer.looked_there answer.saw
        answer.self opinion.kind_you opinion.rude_you
    """,
    "name thing words": "answer.note",
    "place": "emote.idle emote.yawn think.morning think.place",
    "thing": "emote.thing reason.goal reason.goal_answer reason.look think.stuck_answer think.thing",
    "person": "hint.enough think.person",
    "person words": "hint.echoes",
    "place words": "note.goal note.thing think.changed",
    "words": "hint.repeats note.place",
    "person place words": "note.told",
    "thing place": "reason.go think.goal think.gone think.new think.stuck",
    "number": "when.days when.hours when.minutes",
    "name person words thing": "goal.answer",
    "name place thing person": "reply.day",
    "name here": "reply.day_quiet",
    "partner times": "loop.echo loop.farewell loop.greeting loop.nothing_new loop.question loop.thanks",
    "partner": "loop.advice_hint loop.advice_move loop.advice_silence",
}

TEXTS = {key: places for places, keys in _KEYS_BY_PLACES.items() for key in keys.split()}
"""Every text of the instinct: its key below the name of the voice, and the places its words may use."""

SHARES = {"never": 0.0, "seldom": 0.25, "sometimes": 0.5, "often": 0.8, "always": 1.0}
"""What the words of the `manner` section mean, as a share of the chances to do so."""

ME = "me"
"""The place of the speaker's own name, which every text may use that is spoken, thought or written."""
_NOT_SPOKEN = ("manner.", "loop.", "hint.")

PLACE = re.compile(r"\{(\w+)\}")


def wrong_in(
    voice: Mapping[str, tuple[str, ...]], is_ignorant: Callable[[str], bool], *, complete: bool = False
) -> list[tuple[str, str]]:
    """Return what is wrong with a voice, as pairs of a key and a message.

    Args:
        voice: its texts.
        is_ignorant: returns whether a text says that its speaker does not know.
        complete: it must have every text.
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
            unclear = [text for text in variants if not is_ignorant(text)]
            wrong.extend((key, f"does not say that the speaker does not know: {text}") for text in unclear)
    if complete:
        wrong.extend((key, "this text is missing, and every voice may need it") for key in TEXTS if key not in voice)
    return wrong


def says_name(text: str, name: str, words: Collection[str]) -> bool:
    """Return whether a text says somebody's name; one of `words`, in lower case, that begins a sentence is a word."""
    for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        begins = re.search(r"(?:^|[.!?])\W*$", text[: found.start()])
        if not begins or name.lower() not in words or re.match(r"[.,!?;:]|$", text[found.end() :]):
            return True
    return False
