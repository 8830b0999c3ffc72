"""What an agent was asked to tell somebody else: it says so when they meet, once, with whose words they are.

What was asked in a whisper is told in one. An errand stands in the memory of the line that asked for it, and is done by
the memory of the line that told it; a new start finds both in the tail.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from agents.brains import Decision, Situation
from agents.brains._words import is_secret_words, is_small
from agents.brains.instinct.answers import inserted
from agents.brains.instinct.self import Self
from agents.memory.entries import Entry
from agents.memory.perception import Utterance, heard_in, remembered
from agents.text.addressing import mentions, without_address

MOST = 8
"""Errands that an agent keeps; a ninth takes the place of the first."""

_BEFORE = (
    r"(?i:(?:please|now|then|and|oh|just|kindly|(?:w|c)ould you|(?:will|can) you|(?:don['’]t forget|remember|"
    r"i want you|i(?:['’]d| would) like you) to),?\s+)*"
)
_WHO = r"(?P<who>[^\W\d_][\w'’-]*)"
_MARK = r"(?::|,?\s+(?i:that)\b|\s+(?i:to)\b)"
_WORDS = r"\s*(?P<words>\S.*)$"
_HIM = r"(?i:him|her|them|it)"
_FORMS = [
    re.compile(form, re.S)
    for form in (
        rf"(?i:when(?:ever)?|if|once)\s+(?i:you)\s+(?i:see|meet|find)\s+{_WHO},?\s+{_BEFORE}"
        rf"(?i:tell|remind|warn)\s+{_HIM}(?:{_MARK}|\s){_WORDS}",
        rf"{_BEFORE}(?i:tell|remind|warn)\s+{_WHO}(?P<mark>{_MARK}|\s){_WORDS}",
        rf"{_BEFORE}(?i:let)\s+{_WHO}\s+(?i:know)(?:{_MARK}|\s){_WORDS}",
        rf"{_BEFORE}(?i:pass\s+(?:it\s+)?on|say)\s+(?i:to)\s+{_WHO}{_MARK}{_WORDS}",
        rf"{_BEFORE}(?i:say)\s+(?P<words>(?i:hello|hi|goodbye|good \w+))\s+(?i:to)\s+{_WHO}\b",
    )
]
_DONE_YET = re.compile(
    r"(?:\W|and|so|but|well|now)*(?:did|have) you (?:\w+ )?(?:tell|told|give|gave|given|deliver(?:ed)?|pass(?:ed)?|"
    r"say|said|mention(?:ed)?|speak|spoken|spoke)\b",
    re.I,
)
_END = re.compile(r"[.!?]\s+")
_NOTHING_SAID = re.compile(
    r"(?:about|what|how|where|when|why|which|who|whom|whose|whether|if|everything|nothing|something|all|a|an|your|more|"
    r"off|apart|me|us)\b",
    re.I,
)
"""How what is no statement begins, when no mark says that it is one."""


class Errand(NamedTuple):
    """Words that are to be told.

    Args:
        seq: the memory of the line that asked for it.
        sender: name of who asked.
        to: name of whom they are for.
        words: the words.
        private: nobody else is to hear them.
    """

    seq: int
    sender: str
    to: str
    words: str
    private: bool


def asked_of(words: str, name: str) -> tuple[str, str] | None:
    """Return whom a line asks one to tell something, and what; None when it asks for nothing of the kind.

    Args:
        words: the line.
        name: one's own name.
    """
    line = without_address(words, (name,)).strip(" ?")
    for found in (form.match(line, start) for start in _starts(line) for form in _FORMS):
        if found is None:
            continue
        who, told, marked = found["who"], found["words"], found.groupdict().get("mark", ":").strip()
        stated = marked or (len(told.split()) > 1 and not _NOTHING_SAID.match(told))
        if stated and who[0].isupper() and not is_small(who) and who != name:
            return who, told
    return None


def _names_both(errand: Errand, words: str) -> bool:
    return mentions(words, errand.to) and mentions(words, errand.sender)


def _starts(line: str) -> list[int]:
    """Return where the sentences of a line begin."""
    return [0, *(end.end() for end in _END.finditer(line))]


class Errands:
    """One agent's errands.

    Args:
        me: the agent's own.
    """

    def __init__(self, me: Self) -> None:
        self._me = me
        self._open: deque[Errand] = deque(maxlen=MOST)
        self._done: deque[Errand] = deque(maxlen=MOST)

    def begin(self, recent: Sequence[Entry]) -> None:
        """Find again what was asked and is not yet done: a line that asked, and was answered with the names of both."""
        asked: list[Errand] = []
        for entry in recent:
            said = remembered(entry)
            if said is None:
                continue
            if said.speaker:
                errand = self._read(said, entry.seq)
                asked += [errand] if errand else []
            elif told := [one for one in self._open if inserted(one.words).casefold() in said.words.casefold()]:
                for one in told:
                    self._finish(one)
            elif taken := next((one for one in reversed(asked) if _names_both(one, said.words)), None):
                asked.remove(taken)
                self._open.append(taken)

    def _finish(self, errand: Errand) -> None:
        self._open.remove(errand)
        self._done.append(errand)

    def _read(self, said: Utterance, seq: int) -> Errand | None:
        if said.speaker in self._me.company.minds:
            return None
        found = asked_of(said.words, self._me.name)
        private = said.private or is_secret_words(said.words)
        return Errand(seq, said.speaker, *found, private) if found else None

    def report(self, said: Utterance, situation: Situation) -> Decision | None:
        """Say whether something was told that who asks wanted told; None when that is not what they ask."""
        if not (self._open or self._done) or not _DONE_YET.match(without_address(said.words, (self._me.name,))):
            return None
        for errands, key in ((self._open, "reply.errand_open"), (self._done, "reply.errand_done")):
            for one in reversed(errands):
                if one.sender == said.speaker and (mentions(said.words, one.to) or "message" in said.words):
                    places = {"name": one.sender, "person": one.to}
                    private = one.private or said.private
                    asked = Utterance(said.speaker, said.words, private)
                    why = "was asked about an errand"
                    return self._me.say(situation, asked, (key,), places, why, cites=(str(one.seq),))
        return None

    def accept(self, said: Utterance, situation: Situation) -> Decision | None:
        """Promise to tell what a person asks one to tell somebody else; None when that is not what they ask.

        Args:
            said: the line.
            situation: the situation.
        """
        errand = self._read(said, heard_in(situation.recent, said))
        if errand is None or self._me.bonds.is_cool(said.speaker):
            return None
        self._open.append(errand)
        self._me.company.greeted([said.speaker], situation.seconds)
        places = {"name": said.speaker, "person": errand.to}
        return self._me.say(situation, said, ("reply.errand",), places, "was asked to tell somebody something")

    def tell(self, situation: Situation) -> Decision | None:
        """Tell somebody who is here what is for them; None when there is nothing."""
        here = [person.name for person in situation.people] if self._open else []
        for errand in self._open:
            to = next((name for name in here if mentions(name, errand.to)), "")
            if to:
                places = {"name": to, "person": errand.sender, "words": inserted(errand.words)}
                said = Utterance(to, "", errand.private)
                why = f"was asked by {errand.sender} to tell it"
                decision = self._me.say(situation, said, ("talk.errand",), places, why, cites=(str(errand.seq),))
                if decision is None or decision.text != "talk.errand":
                    return None  # it has no words for it that are new; it lives on, and will have some
                self._finish(errand)
                return decision
        return None
