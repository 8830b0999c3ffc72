"""Reads a line spoken to an agent: is it a greeting, thanks, a farewell, a wish, something told, or which question.

Pure rules over English words. What it cannot read it calls a plain question or something told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.brains._words import is_small, is_weak, telling
from agents.perception import Utterance, asks, mentions, sentences, without_address


class Sort(StrEnum):
    """What a line wants of its listener."""

    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    WISH = "wish"
    SHORT = "short"
    TOLD = "told"
    QUESTION = "question"


class Asks(StrEnum):
    """What a question asks for."""

    HOW_ARE_YOU = "how are you"
    WHO_ARE_YOU = "who are you"
    KNOW_ME = "do you know me"
    WHERE_ARE_WE = "where are we"
    WHO_IS_HERE = "who is here"
    GOAL = "what do you want"
    NEWS = "what is new"
    SAID = "what did somebody say"
    SEEN = "where is somebody"
    WHERE = "where"
    WHO = "who"
    WHEN = "when"
    COUNT = "how many"
    OTHER = "what"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Args:
        asks: what it asks for.
        telling: its telling words.
        person: the name of the one it is about; None when it is about nobody known.
        own: it is about the asker's own things ("where did I", "my sister").
        yours: it is about who is asked ("where do you live").
    """

    asks: Asks
    telling: tuple[str, ...] = ()
    person: str | None = None
    own: bool = False
    yours: bool = False

    @property
    def strong(self) -> tuple[str, ...]:
        """The telling words that are not general ones."""
        return tuple(word for word in self.telling if not is_weak(word))


@dataclass(frozen=True, slots=True)
class Line:
    """A line, read.

    Args:
        sort: what it wants.
        telling: its telling words.
        question: the question in it, for the sort `question`.
        statement: the sentences in it that tell something, for the sort `told`.
        thing: what it is about, with its article, as the listener would call it; empty when that cannot be read.
    """

    sort: Sort
    telling: tuple[str, ...] = ()
    question: Question | None = None
    statement: str = ""
    thing: str = ""


_GREETING = re.compile(
    r"^(?:hi|hiya|hello|hey|howdy|greetings|welcome|good (?:morning|day|afternoon|evening)|well met|nice to meet you|"
    r"pleased to meet you)\b",
    re.I,
)
_THANKS = re.compile(r"\b(?:thanks|thank you|much obliged|i appreciate)\b|^(?:cheers|ta)\b", re.I)
_FAREWELL = re.compile(
    r"\b(?:good-?bye|bye|bye-bye|farewell|good night|see you(?: (?:later|soon|around|tomorrow))?|so long|take care|"
    r"until (?:later|next time|tomorrow)|i (?:must|have to|should|will|need to) (?:go|leave|be off)(?: now)?|"
    r"i'm (?:off|leaving|going)(?: now)?)\b[\s\w]{0,12}[.!…]*$",
    re.I,
)
_WISH = re.compile(
    r"^(?:please\s+)?(?:follow|come|go|take|give|bring|fetch|help|drop|open|close|sing|dance|wait|stay|leave|walk|run|"
    r"show|read|write|wave|smile|jump)\b(?!.*\b(?:is|are|was|were)\b)",
    re.I,
)
_REMEMBER = re.compile(
    r"^(?:please\s+)?(?:remember|note|mark my words|listen|know|keep in mind|for your information|by the way|"
    r"you should know|let me tell you|did you know|i(?:'ll| will| want to| must) tell you(?: something)?)"
    r"(?:\s+(?:this|well))?\s*(?:that\b|[:,;.!…-])?\s*",
    re.I,
)
_FIXED: tuple[tuple[Asks, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (Asks.HOW_ARE_YOU, r"\bhow (?:are|do|have) you\b(?: (?:been|do|feel|doing|feeling|today|now|keeping))*\W*$"),
        (Asks.HOW_ARE_YOU, r"\bhow(?:'s| is) (?:it going|life)\b|\bare you (?:well|all right|alright|ok|okay|happy)\b"),
        (Asks.WHO_ARE_YOU, r"\bwho are you\b|\bwhat(?:'s| is) your name\b|\btell me (?:about|of) yourself\b"),
        (Asks.WHO_ARE_YOU, r"\bwhat (?:should|shall|do|may|can) (?:i|we|they|people) call you\b|\bwhat are you\W*$"),
        (Asks.KNOW_ME, r"\b(?:know|remember|recogni[sz]e|recall) me\W*(?:now|still|at all)?\W*$|\bwho (?:am i|i am)\b"),
        (Asks.KNOW_ME, r"\bhave we met\b|\bwhat(?:'s| is) my name\b"),
        (Asks.WHERE_ARE_WE, r"\bwhere (?:are we|am i|are you)\b|\bwhat(?:'s| is) this place\b|\bwhat place is this\b"),
        (Asks.WHO_IS_HERE, r"\bwho(?:'s| is| else is)(?: all| else)? (?:here|around|with (?:us|you))\b"),
        (Asks.WHO_IS_HERE, r"\bare (?:you|we) alone\b"),
        (
            Asks.GOAL,
            r"\bwhat do you want\W*$|\bwhat are you (?:looking|searching|waiting) for\b|\byour (?:goal|plan)\b",
        ),
    )
)
_NEWS = re.compile(
    r"\bnews\b|\bwhat(?:'s| is) (?:new|up|happening|going on)\b|\bwhat are you (?:doing|up to)\b|\bwhat happened\b|"
    r"\b(?:what|where) have you (?:seen|heard|been|done|found|noticed|looked)\b|\bwhat did you (?:see|do|hear|find)\b|"
    r"\bwhere did you go\b|\b(?:tell|show) (?:me|us) (?:something|a story|anything)\b|\bhow was your (?:day|morning)\b",
    re.I,
)
_SAID = re.compile(
    r"\bwhat (?:(?:did|does|has|was|were|have|had) )?(?P<who>[\w'’ -]+?) (?:just |ever |also )?"
    r"(?:say|said|saying|tell|told|telling|mention|mentioned|whisper|whispered|talk|talked|talking)\b(?P<about>.*)",
    re.I,
)
_SEEN = re.compile(r"\b(?:where(?:'s| is| was| did| has)|have you seen|did you see|seen)\b", re.I)
_OWN = re.compile(r"\b(?:i|my|mine|me|i've|i'd|we|our)\b", re.I)
_YOURS = re.compile(r"\b(?:you|your|yours|yourself)\b", re.I)
_THING = re.compile(
    r"\b(the|a|an|my|your|our|his|her|their|this|that|these|those)\s+((?:[\w'’-]+\s+){0,2}?[\w'’-]+)"
    r"(?=\s+(?:is|are|was|were|has|had|will|can|could|in|on|at|under|behind|near|by|of|for|from|with|to|and|or|that|"
    r"which|who|when|where|if|lies|stands|sits|does|did|again|now)\b|\s*[,.;:!?…]|\s*$)",
    re.I,
)
_KEPT = ("the", "his", "her", "their")
_AS_HEARD = {"my": "your", "your": "my", "our": "your"}
_REMIND = re.compile(
    r"\b(?:tell|remind|show) (?:me|us)\b|"
    r"\b(?:do|can|could|would|will) you (?:still )?(?:remember|recall|know|tell|say)\b|"
    r"\bi (?:wonder|forgot|forget|want to know)\b|\bany idea\b|"
    r"\bwho (?:has |had )?(?:told|tell|said)(?: to)?(?: you| me)?\b|\b(?:have you|did you ever) heard?\b",
    re.I,
)


def read(said: Utterance, name: str, people: Iterable[str]) -> Line:
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
    if asking:
        # Who adds a question to a question means the last; what went before says what it is about.
        question = read_question(asking[-1], said.speaker, name, names)
        if not question.strong and question.asks in (Asks.OTHER, Asks.WHERE, Asks.WHO, Asks.WHEN, Asks.COUNT):
            context = telling(bare, (name,))
            question = replace(question, telling=context)
        return Line(Sort.QUESTION, question.telling, question, thing=thing_in(asking[-1]) or thing_in(bare))
    return _read_statement(bare, parts, name)


def _read_statement(bare: str, parts: list[str], name: str) -> Line:
    """Read a line that asks nothing."""
    told = told_in(parts, name)
    words = telling(" ".join(told), (name,))
    if told and _WISH.match(told[0]):
        return Line(Sort.WISH, words)
    if len(words) > 1 or any(not is_weak(word) for word in words):
        return Line(Sort.TOLD, words, statement=" ".join(told), thing=thing_in(" ".join(told)))
    for sort, pattern in ((Sort.FAREWELL, _FAREWELL), (Sort.THANKS, _THANKS), (Sort.GREETING, _GREETING)):
        if pattern.search(bare):
            return Line(sort, words)
    return Line(Sort.SHORT, words, statement=bare)


def thing_in(text: str) -> str:
    """Return the first thing a text names with an article, as its listener would call it: "my boat" is "your boat"."""
    for article, words in _THING.findall(text):
        if article.casefold() in ("this", "that", "these", "those") and " " in words:
            continue  # "that bees dance" is no thing
        if telling(words) and not any(is_small(word) for word in words.split()):
            small = article.casefold()
            return f"{_AS_HEARD.get(small, small if small in _KEPT else 'the')} {words}"
    return ""


def told_in(parts: Iterable[str], name: str) -> list[str]:
    """Return the sentences that tell something: no questions, no courtesies, no "remember that" before them."""
    bare = (_REMEMBER.sub("", part, count=1).strip() for part in parts if not asks(part))
    return [part for part in bare if part and not _is_courtesy(part, name)]


def _is_courtesy(part: str, name: str) -> bool:
    """Return whether a sentence is nothing but a greeting, thanks or a farewell."""
    if not any(pattern.search(part) for pattern in (_GREETING, _THANKS, _FAREWELL)):
        return False
    rest = telling(_FAREWELL.sub("", _THANKS.sub("", _GREETING.sub("", part))), (name,))
    return len(rest) <= 1


def read_question(sentence: str, asker: str, name: str, people: Iterable[str]) -> Question:
    """Read one sentence that asks.

    Args:
        sentence: the sentence.
        asker: name of who asks.
        name: name of who is asked.
        people: names of everybody the asked one knows.
    """
    for kind, pattern in _FIXED:
        if pattern.search(sentence):
            return Question(kind, person=asker)
    own = bool(_OWN.search(_REMIND.sub("", sentence)))
    known = [person for person in people if mentions(sentence, person)]
    said = _SAID.search(sentence)
    if said:
        who = _whom(said["who"], asker, name, known)
        about = telling(said["about"] if who else said[0], (name, *([who] if who else ())))
        return Question(Asks.SAID, about, who, own)
    words = telling(_REMIND.sub("", sentence), (name,))
    person = known[0] if known else None
    if _NEWS.search(sentence) and all(is_weak(word) or word in ("news", "new", "story", "seen") for word in words):
        return Question(Asks.NEWS, person=asker)
    if (
        person
        and _SEEN.search(sentence)
        and not set(words) - set(telling(person)) - {"see", "seen", "go", "gone", "went"}
    ):
        return Question(Asks.SEEN, words, person)
    yours = bool(_YOURS.search(_REMIND.sub("", sentence)))
    return Question(_kind(sentence), words, person, own, yours)


def _whom(who: str, asker: str, name: str, known: list[str]) -> str | None:
    """Say whom "what did ... say" means; None for somebody nobody knows."""
    if who.casefold() in ("i", "we", "you"):
        return name if who.casefold() == "you" else asker
    return next((person for person in known if mentions(who, person)), None)


def _kind(sentence: str) -> Asks:
    """Say what a question asks for by its question word, wherever it stands."""
    found = re.search(r"\b(where|whereabouts|who|whom|whose|when|how (?:many|much|old|far|long))\b", sentence, re.I)
    if not found:
        return Asks.OTHER
    word = found[1].casefold()
    if word.startswith("how"):
        return Asks.COUNT
    if word.startswith("where"):
        return Asks.WHERE
    return Asks.WHEN if word == "when" else Asks.WHO
