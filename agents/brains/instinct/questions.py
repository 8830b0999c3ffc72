"""Reads a line spoken to an agent: which question it asks, or what else it wants of its listener.

Pure rules over English words. What it cannot read it calls a plain question or something told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from agents.brains._words import is_secret_words, is_small, is_weak, names_in, telling
from agents.brains.instinct.asks import (
    BEEN,
    DID_I_SAY,
    DONE,
    FIXED,
    KIND,
    KINDNESS,
    KNOWS,
    MET,
    NAMED,
    NEWS,
    OPINION,
    PROMISED,
    SAID,
    SEEN,
    SEEN_WORDS,
    SPOKE,
    TOLD_WHEN,
    WAY,
    WORD,
    Asks,
    asked_by,
)
from agents.brains.instinct.statements import (
    Sort,
    clear_thing_in,
    corrects,
    hails,
    parting_in,
    sort_of,
    thing_in,
    told_in,
    wish_in,
)
from agents.memory.perception import Utterance
from agents.text.addressing import asks, mentions, without_address
from mud.world.sentences import sentences

__all__ = ["AskedQuestion", "Asks", "QuestionLine", "Sort", "read", "read_question", "thing_in", "told_in"]

_OWN = re.compile(r"\b(?:i|my|mine|me|i've|i'd|we|our)\b", re.I)
_YOURS = re.compile(r"\b(?:you|your|yours|yourself)\b", re.I)
_REMIND = re.compile(
    r"\b(?:tell|remind|show) (?:me|us)\b|"
    r"\b(?:do|did|can|could|would|will) you (?:still |happen to |by any chance )?(?:remember|recall|know|tell|say)\b|"
    r"\b(?:have you (?:ever )?seen|did you (?:ever )?see)\b|\blooks? like\b|"
    r"\bdo you (?:think|suppose|reckon|guess)\b|"
    r"\bi (?:wonder|forgot|forget|want to know)\b|\bany idea\b|"
    r"\bwho (?:has |had )?(?:told|tell|said)(?: to)?(?: you| me)?\b|\b(?:have you|did you ever) heard?\b|"
    r"\b(?:did|do) i (?:say|tell you|mention)\b|\bi (?:told you|said|mentioned)\b",
    re.I,
)
_CONTEXT = (Asks.OTHER, Asks.WHERE, Asks.WHO, Asks.WHEN, Asks.COUNT, Asks.WHY, Asks.COLOUR, Asks.NAME)
_NEWSY = ("news", "new", "story", "stories", "seen", "interesting", "gossip", "latest", "fresh", "doing")
_LIVING = re.compile(
    r"\bdo for (?:a living|work)\b|\b(?:earn|make) (?:a|his|her|their|your|my) (?:living|bread|"
    r"money)\b",
    re.I,
)
_MEASURE = re.compile(r"\bhow (?:old|tall|far|big|large|high|deep|wide)\b", re.I)
_WHISPERED_TO = re.compile(r"\bwhisper(?:ed)? to (?P<whom>[A-Z]\w+)")
_ASKED, _TOLD = re.compile(r"\bask(?:ed)?\b", re.I), re.compile(r"\b(?:tell|told|mention(?:ed)?)\b", re.I)
_CONFIDED = re.compile(r"(?!\W*(?:where|when|who|why|how)\b)", re.I)
_TO = re.compile(r"\W*(?:to )?(me|us|[A-Z]\w+)\b")
_GENERAL_COLOUR = frozenset(("colour", "color", "colours", "colors"))


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, read.

    Args:
        asks: what it asks for.
        telling: its telling words.
        person: the name of the one it is about; None when it is about nobody known.
        own: it is about the asker's own things ("where did I", "my sister").
        yours: it is about who is asked ("where do you live").
        subject: the words of what it is about, names before things; a statement without them says little.
        towards: the name of the one to whom something was done or said; empty for who is asked.
    """

    asks: Asks
    telling: tuple[str, ...] = ()
    person: str | None = None
    own: bool = False
    yours: bool = False
    subject: tuple[str, ...] = ()
    towards: str = ""

    @property
    def strong(self) -> tuple[str, ...]:
        """The telling words that are not general ones."""
        return tuple(word for word in self.telling if not is_weak(word))


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A line, read.

    Args:
        sort: what it wants.
        telling: its telling words.
        question: the question in it, for the sort `question`.
        statement: the sentences in it that tell something, for the sort `told`; the wish, for the sort `wish`.
        thing: what it is about, with its article, as the listener would call it; empty when that cannot be read.
        corrects: it takes back or changes something said before.
    """

    sort: Sort
    telling: tuple[str, ...] = ()
    question: AskedQuestion | None = None
    statement: str = ""
    thing: str = ""
    corrects: bool = False


def read(said: Utterance, name: str, people: Iterable[str]) -> QuestionLine:
    """Read a line spoken to an agent.

    Args:
        said: the line.
        name: the agent's own name.
        people: names of everybody it knows, for questions about them.
    """
    bare = without_address(said.words, (name,)) or said.words
    parts = sentences(bare)
    asking = [part for part in parts if asks(part)]
    names = [person for person in people if person and person.casefold() != name.casefold()]
    if asking and hails(without_address(bare.rstrip("?! "), (name,))):
        return QuestionLine(Sort.GREETING, statement=bare)
    if asking and (wish := wish_in(asking[-1])):
        return QuestionLine(Sort.WISH, telling(wish, (name,)), statement=wish)
    if not asking and (parting := parting_in(said.words, (name, said.speaker))):
        return QuestionLine(parting, statement=bare)
    if not asking:
        return _read_statement(bare, parts, name, said.speaker)
    # Who adds a question to a question means the last; what went before says what it is about.
    question = read_question(asking[-1], said.speaker, name, names)
    if not question.strong and question.asks in _CONTEXT:
        question = replace(question, telling=telling(bare, (name,)))
    return QuestionLine(Sort.QUESTION, question.telling, question, thing=clear_thing_in(asking[-1]))


def _read_statement(bare: str, parts: list[str], name: str, speaker: str) -> QuestionLine:
    """Read a line that asks nothing."""
    told = told_in(parts, name)
    words = telling(" ".join(told), (name,))
    sort = sort_of(bare, told, words, speaker)
    statement = " ".join(told)
    if sort in (Sort.TOLD, Sort.WISH):
        return QuestionLine(
            sort, words, statement=statement, thing=clear_thing_in(statement), corrects=any(map(corrects, told))
        )
    return QuestionLine(sort, words, statement=statement or bare)


def read_question(sentence: str, asker: str, name: str, people: Iterable[str]) -> AskedQuestion:
    """Read one sentence that asks.

    Args:
        sentence: the sentence.
        asker: name of who asks.
        name: name of who is asked.
        people: names of everybody the asked one knows.
    """
    if met := _of_meetings(sentence, asker, name, people):
        return met
    if _is_asked_for_its_name(sentence, name):
        return AskedQuestion(Asks.WHO_ARE_YOU, person=asker)
    for kind, pattern in FIXED:
        if pattern.search(sentence):
            return AskedQuestion(kind, person=asker)
    bare = _MEASURE.sub("", _LIVING.sub("work", _REMIND.sub("", sentence)))
    for kind, pattern in ((Asks.WAY, WAY), (Asks.BEEN, BEEN)):
        if (towards := pattern.search(sentence)) and (to := telling("".join(filter(None, towards.groups())), (name,))):
            return AskedQuestion(kind, to, subject=to)
    if NEWS.search(sentence) and all(is_weak(word) or word in _NEWSY for word in telling(bare, (name,))):
        return AskedQuestion(Asks.NEWS, person=asker)
    own, yours = bool(_OWN.search(bare)), bool(_YOURS.search(bare))
    called = names_in(sentence, (name,))
    known = [person for person in people if mentions(sentence, person)]
    person = known[0] if known else (called[0] if called else None)
    found = (
        _of_deeds(sentence, asker, name, [*known, *called])
        or _of_whereabouts(sentence, asker, name, [*known, *called], known)
        or _of_words(sentence, asker, name, known)
        or _of_everything(sentence, name, person)
    )
    if found:
        yours = found.yours or (yours and found.asks is not Asks.DID_I_SAY)  # there "you" is who was told
        return replace(found, own=own, yours=yours, subject=found.subject or _subject(sentence, called))
    words = tuple(word for word in telling(bare, (name,)) if word.casefold() not in _GENERAL_COLOUR)
    kind = _kind(sentence)
    return AskedQuestion(kind, words, known[0] if known else None, own, yours, _subject(sentence, called))


def _is_asked_for_its_name(sentence: str, name: str) -> bool:
    """Return whether a question is whether this is the one it was put to: "you are Eliza, aren't you?"."""
    who = rf"\W*(?:\w+ )?(?:you(?:['’]re| are| must be)|are you|is this) {re.escape(name)}\b"
    tag = r"(?:\W+(?:aren['’]t you|are you not|right|no|yes|isn['’]t it|by any chance))?\W*$"
    return re.match(who + tag, sentence, re.I) is not None


def _of_meetings(sentence: str, asker: str, name: str, people: Iterable[str]) -> AskedQuestion | None:
    """Read a question for a meeting, for a telling itself, or for what was said first or last."""
    if MET.search(sentence):
        last = re.search(r"\blast\b", sentence, re.I) or not re.search(r"\b(?:first|meet|met|known)\b", sentence, re.I)
        return AskedQuestion(Asks.MET, ("last",) if last else ("first",), asker)
    for kind, pattern in ((Asks.SPOKE, SPOKE), (Asks.TOLD_WHEN, TOLD_WHEN)):
        if not (found := pattern.search(sentence)):
            continue
        who, order, about = (
            next((text for key, text in found.groupdict().items() if key.rstrip("1234567") == part and text), "")
            for part in ("who", "order", "about")
        )
        person = _whose(who, asker, name, [*people, *names_in(sentence, (name,))])
        words = telling(about, (name,))
        if kind is Asks.SPOKE:
            order = order.casefold() or "last"
            verb = "ask" if _ASKED.search(sentence) else "tell" if _TOLD.search(sentence) else "say"
            words = ({"first": "first", "last": "last", "latest": "last"}.get(order, "just"), verb)
        return AskedQuestion(kind, words, person) if person else None
    return None


def _of_deeds(sentence: str, asker: str, name: str, known: list[str]) -> AskedQuestion | None:
    """Read a question for what somebody promised, or for how they treated who is asked."""
    if promised := PROMISED.search(sentence):
        parts = promised.groupdict()
        who = next(text for key, text in parts.items() if key.startswith("who") and text)
        about = next((text for key, text in parts.items() if key.startswith("about") and text), "")
        person = _whose(who, asker, name, known)
        return (
            AskedQuestion(Asks.PROMISED, telling(about, (name, asker, person)), person, yours=True) if person else None
        )
    for kind, pattern in ((Asks.KINDNESS, KINDNESS), (Asks.DONE, DONE)):
        if treated := pattern.search(sentence):
            return _of_treatment(kind, treated, asker, name, known)
    return None


def _of_treatment(kind: Asks, found: re.Match[str], asker: str, name: str, known: list[str]) -> AskedQuestion | None:
    """Return the question for how somebody treated somebody; None when it names somebody nobody knows."""
    parts = found.groupdict()
    who, whom, how = (
        next((text for key, text in parts.items() if key.rstrip("12345") == part and text), "")
        for part in ("who", "whom", "how")
    )
    person = _whose(who, asker, name, known) if who else ""
    towards = _whose(whom, asker, name, known) if whom else name
    if not towards or (who and not person):
        return None
    if kind is Asks.DONE and not whom:
        return AskedQuestion(kind, ("do",), person) if person not in ("", name) else None
    words = (("kind" if how.casefold() in KIND else "rude"),) if how else ()
    return AskedQuestion(kind, words, person or None, yours=True, towards="" if towards == name else towards)


def _whose(who: str, asker: str, name: str, known: list[str]) -> str:
    """Say whom a question for a deed means; empty for somebody nobody knows."""
    folded = who.casefold()
    if folded in ("i", "we", "my", "our", "me", "us"):
        return asker
    if folded in ("you", "your"):
        return name
    return next((person for person in known if mentions(who, person)), "")


def _of_whereabouts(
    sentence: str, asker: str, name: str, known: list[str], people: Iterable[str]
) -> AskedQuestion | None:
    """Read a question for where somebody is."""
    if not SEEN.search(sentence):
        return None
    rest = telling(_REMIND.sub("", sentence))
    for person in (*known, *(one for one in (name, asker) if mentions(sentence, one))):
        if not set(rest) - set(telling(person)) - SEEN_WORDS:
            met = person in people or person in (name, asker)
            return AskedQuestion(Asks.SEEN if met else Asks.WHERE, rest, person)
    return None


def _of_words(sentence: str, asker: str, name: str, known: list[str]) -> AskedQuestion | None:
    """Read a question for what somebody said, or whether they did."""
    aside = _WHISPERED_TO.search(sentence)
    if aside and aside["whom"] != name:
        return AskedQuestion(
            Asks.SAID, ("whisper",), next((one for one in known if one != aside["whom"]), asker), towards=aside["whom"]
        )
    if _CONFIDED.match(sentence) and (is_secret_words(sentence) or "whisper" in sentence.casefold()):
        mine = re.search(r"\b(?:did|do|have|had|what) (?:i|we)\b|\bmy\b", sentence, re.I)
        teller = asker if mine else next((one for one in known if one != asker), "")
        if teller:
            return AskedQuestion(Asks.SECRET, (), teller)
    told = DID_I_SAY.search(sentence)
    if (
        told
        and told["about"].strip(" ?.!")
        and not re.match(
            r"\W*(?:what|where|when|who|why|how|"
            r"which)\b",
            sentence,
            re.I,
        )
    ):
        who = _whom(told["who"] or told["who2"], asker, name, known)
        about = telling(told["about"], (name, *([who] if who else ())))
        return AskedQuestion(Asks.DID_I_SAY if about else Asks.SAID, about, who) if about or who else None
    said = SAID.search(sentence)
    if not said:
        return None
    who = _whom(said["who"], asker, name, known)
    if who == asker and re.match(r"\W*(?:is|are|was|were|my|the|[a-z]+ing)\b(?! about)", said["about"], re.I):
        return None  # "what did I say my sister is called" asks for the name
    if who is None and not names_in(said["who"]):
        return None  # what a label says is no talk
    about = telling(said["about"] if who else said[0], (name, *([who] if who else ())))
    to = _TO.match(said["about"])
    towards = _whose(to[1], asker, name, [*known, *names_in(sentence)]) if to and who else ""
    if towards and towards != name:
        return AskedQuestion(Asks.SAID, telling(" ".join(about), (towards,)), who, towards=towards)
    return AskedQuestion(Asks.SAID, about, who)


def _of_everything(sentence: str, name: str, person: str | None) -> AskedQuestion | None:
    """Read a question of taste or belief, or one for all that is known of something."""
    for kind, pattern in ((Asks.OPINION, OPINION), (Asks.ABOUT, KNOWS)):
        found = pattern.search(sentence)
        if kind is Asks.OPINION and re.match(r"\W*(?:where|when|who|whose|why|how (?!do you))\b", sentence, re.I):
            continue
        about = next((text for text in found.groups() if text), "") if found else None
        if about is None:
            continue
        words = telling(about, (name,))
        if kind is Asks.ABOUT and not words:
            continue
        return AskedQuestion(
            kind, words, person, yours=kind is Asks.OPINION, subject=words if kind is Asks.ABOUT else ()
        )
    return None


def _whom(who: str, asker: str, name: str, known: list[str]) -> str | None:
    """Say whom "what did ... say" means; None for somebody nobody knows."""
    if who.casefold() in ("i", "we", "you"):
        return name if who.casefold() == "you" else asker
    return next((person for person in known if mentions(who, person)), None)


def _subject(sentence: str, called: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a question is about: the names in it, else the thing."""
    if called:
        return called
    thing = telling(thing_in(sentence))
    return tuple(word for word in thing if not is_small(word) and not is_weak(word))[-1:]


def _kind(sentence: str) -> Asks:
    """Say what a question asks for by its question word, wherever it stands."""
    if re.search(r"\b(?:have you (?:ever )?seen|did you (?:ever )?see)\b", sentence, re.I):
        return Asks.WHERE
    if NAMED.search(sentence):
        return Asks.NAME
    found = WORD.search(sentence)
    return asked_by(found[1]) if found else Asks.OTHER
