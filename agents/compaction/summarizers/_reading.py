"""Analysis of a statement: promises, numbers, names and places, and its worth. Used as weights only."""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from agents.text.english import DULL, PLAIN, word_set

CACHED = 8192
"""Cache size in statements: small talk repeats, and the sentences of a summary are read at every fold."""
_MOST_WORDS = 14  # content words that count at most
_LEAST_WORDS = 2  # content words needed for a number, a place or a promise to count
_PROMISED = 6.0  # added for a promise that is not a mere acknowledgement

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_NAMES = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’-]+)*")
_MARKS_AFTER = frozenset({"", ",", ".", "!", "?", ";"})
_DIGIT = re.compile(r"\d")
_SAID = re.compile(r'[^"“]*["“](.*)["”]', re.DOTALL)

_DROPPED = (
    PLAIN
    | DULL
    | word_set(
        """seen going gotten lots hi hey thanks thank glad great nice really cool awesome wow amazing sounds like just
    right sure okay yeah yep yup nope super definitely totally absolutely special wonderful inspiring important
    fun happy pretty feel feels felt mean means stuff kind gonna wanna cause people time life haha lol proud
    success believe passion passionate talented talent incredible incredibly congrats congratulations positive
    luck lucky shine shining dedicated dedication determination determined optimistic stoked excited exciting
    best pushing keep fantastic impressive lovely perfect welcome hear heart support supportive appreciate
    journey moments amazingly hope hopefully blast vibe vibes able gotta been chat talk catch forward inspire
    inspires inspired encouraging encourage encouragement i'm i've i'd i'll it's that's you're you've you'll
    what's there's they're we're don't didn't can't isn't wasn't won't doesn't haven't couldn't wouldn't let's
    he's she's a b c d e f g h i j k l m n o p q r s t u v w x y z"""
    )
)
_PLEDGING = re.compile(r"\b(?:i will|i['’]ll|i shall|my word|you must|never forget)\b")
_BINDS = re.compile(r"\b(?:(?:i will|i['’]ll|i shall)(?! (?:not|never) forget)|my word)\b")
"""Binding promises; not forgetting is a grudge or thanks."""
_OF_WHAT = re.compile(
    r"(?:^|[.;!?] )(?:(?:and|but|so|well),? )?(?:i|you|he|she|we|they|it|there)\b[^.,:;!?]* (\w+)"
    r" i(?: will|['’]ll| shall)(?: not| never)? \w+(?=[.,;!?]|$)"
)
"""A relative clause with `I will`, which is no promise: `there are places I will not name`."""
_HEDGED = re.compile(
    r"\b(?:i (?:think|guess|suppose|believe|reckon|imagine|gather|fancy|heard|hear)|(?:so|as) (?:they|people|folk) say"
    r"|they say|people say|somebody said|someone said|perhaps|maybe|might be|may be|rumou?rs?|rumou?red|supposedly"
    r"|apparently|allegedly|probably|not sure|if i remember|as far as i know|if you ask me|it seems)\b"
)
_ASKING = re.compile(
    r"\b(?:please|help me|help us|(?:can|could|will|would) you|you (?:must|should|have to|need to)"
    r"|i (?:need|want|ask) you|remember your|remember to|don['’]t forget"
    r"|do not forget|(?<!['’]ll )(?<!will )never forget"
    r"|beware|(?:^|[.,:;!-] |\band )(?:tell (?:nobody|no one|him|her|them)|ask (?:for|him|her|them)"
    r"|(?:bring|find|give|show|carry|take|fetch|meet|tell) (?:me|us|it|them|this|that|the|your)))\b"
)
HEARD_YOU = re.compile(
    r"\bI(?: will|['’]ll| shall) (?:remember|note|think|keep (?:that|it|this) in mind|bear)\b"
    r"|\b(?:thank you|thanks|I see|I understand|I hear you|good to know|noted)\b",
    re.IGNORECASE,
)
_FILLERS = re.compile(r"^(?:(?:well|ah|oh|hm|so|yes|no|hey|hi|look|listen|wow|you (?:see|know)),? )+")
_TIE = re.compile(
    r"\bi (?:was|am|became|have been) (?:a|an|the|your)\b|\byou and i\b"
    r"|\b(?:on|by) (?:your|my) side\b|\b(?:stand|stood|sit) by\b"
    r"|\byou (?:swore|promised|owe|taught|saved|raised|betrayed)\b"
    r"|\bi (?:taught|saved|raised|owe|trust|warned|love) you\b"
)
"""Roles and relations between people: `I was a drummer`, `you and I`, `I taught you`."""
_I = word_set("i my i'm i’m i've i’ve i'd i’d")
_LIVED = (
    "born come came grew have had own keep kept live lived work worked served sailed studied learned learnt make made"
    " build built mend mended sell sold buy bought write wrote paint play played teach taught drive drove run ran lost"
    " left married want wanted wish collect carry cannot can't can’t eat drink speak owe lent borrowed gave stole found"
    " broke lied quarrelled fought"
)
_KIN = (
    "name mother father mum dad parents sister brother wife husband son daughter child children boy girl uncle aunt"
    " cousin grandmother grandfather gran family friend neighbour dog cat horse house home farm ship boat shop trade"
    " work job teacher master birthday village country"
)
_MAY_BE_OF_SELF = frozenset(f"{_LIVED} {_KIN} am was became i'm i’m".split())
_OF_SELF = re.compile(
    r"\bi(?:['’]m| am| was| became)(?: not| no longer| still| only| once)?"
    r" (?:a|an|the|your|from|born|afraid|allergic|called|named|new)\b"
    r"|\bi(?:['’]ve|['’]d)?(?: (?:also|once|still|always|never|only|used to|have to|had to|have|had|was))*"
    rf" (?:{_LIVED.replace(' ', '|')})\b"
    r"|\bmy (?:own |real |late |dear |first |second |last |only |old |elder |younger |little |best |favou?rite )*"
    rf"(?:{_KIN.replace(' ', '|')})\b"
)
_YOU = re.compile(r"\byou(?:rs?|rself|['’]re|['’]ve|['’]ll)?\b")

_COUNTS, _PLEDGES, _MAY_PLEDGE, _DECIDES, _WEIGHS, _MAY_HEDGE, _LASTS, _PLACES, _ADDRESSES, _MAY_ASK, _TOUCHES = (
    1 << at for at in range(11)
)
_TABLES = {
    _COUNTS: """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
        dozens third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth hundreds thousands millions""",
    _PLEDGES: "promise promised promises promising swear swears swore sworn vow vows vowed oath pledge pledged",
    _MAY_PLEDGE: "will i'll i’ll shall word must forget",
    _DECIDES: "decide decided decision chose chosen choose agreed refuse refused resolved settled accepted quit",
    _WEIGHS: """secret secrets hidden hide hides buried danger dangerous dead died dies death born birth hate hates
        hated friend enemy enemies brother sister mother father daughter son wife husband parents uncle aunt
        cousin grandmother grandfather teacher taught apprentice learned lost missing stolen steals stole
        thief cheats cheated liar owe owes owed debt paid pay price cost sold bought married marries marry
        wedding engaged divorced flood fire war sick ill illness healed cured warning warned beware treasure
        code password named name invited invite found gift gave inherited oldest longest regret trust
        trusted betrayed forgive forgave moved worked trade hired fired won award birthday surgery hospital
        pregnant adopted adoption allergic opened murdered killed prison captain ship quarrel quarrelled quarreled
        quarrels argued argument insulted insult blamed blame accused accuse struck apologised apologized sorry lent
        borrowed present hurt broke broken""",
    _TOUCHES: """always child children never love loved wish dream afraid fear family friends work job plan plans
        planned planning key name remember spring summer autumn winter midsummer midwinter noon midnight
        dawn dusk yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january
        february april june july august september october november december""",
    _MAY_HEDGE: """think guess suppose believe reckon imagine gather fancy heard hear say said perhaps maybe might may
        rumor rumors rumour rumours rumored rumoured supposedly apparently allegedly probably not if far seems""",
    _LASTS: "lies lie lives live kept hidden hid buried stands hangs stored locked under beneath behind inside",
    _PLACES: "in at under behind beneath near by on inside beside below above",
    _ADDRESSES: "you your yours yourself you're you've you'll you’re you’ve you’ll",
    _MAY_ASK: """please help you need want remember forget beware tell ask bring find give show carry take fetch meet
        could would""",
}
_MARKS: dict[str, int] = {}
for _mark, _table in _TABLES.items():
    for _word in _table.split():
        _MARKS[_word] = _MARKS.get(_word, 0) | _mark
_MARKED = frozenset(_MARKS)
COUNTING = frozenset(_TABLES[_COUNTS].split()) | {"zero", "first", "second"}


class StatementContent(NamedTuple):
    """The analysis of a statement.

    Args:
        words, names: content words; capitalized words inside a sentence, without the person addressed; lower case.
        worth: the value of keeping it: small talk 0 to 2, a fact 3 to 12.
        promise: it promises something or says what must be done.
        binds: it is a promise that is not a mere acknowledgement.
    """

    words: frozenset[str]
    names: frozenset[str]
    heavy: frozenset[str]
    worth: float
    counted: bool
    promise: bool
    question: bool
    hedged: bool
    placed: bool
    asks: bool
    binds: bool

    @property
    def states(self) -> bool:
        return not self.question and (self.promise or self.counted or self.placed or bool(self.names))


@lru_cache(maxsize=CACHED)
def read(text: str) -> StatementContent:
    low = text.lower()
    every = frozenset(map(intern, _TOKEN.findall(low)))  # share equal strings to save memory
    words = every - _DROPPED
    names, called = _named(text, words)
    marks = weighty = 0
    for word in every & _MARKED:
        mark = _MARKS[word]
        marks |= mark
        weighty += 15 if mark & _WEIGHS else 6 if mark & _TOUCHES else 0  # integers: a set has no order
    counted = bool(marks & _COUNTS) or _DIGIT.search(low.replace("100%", "")) is not None
    sworn = bool(marks & _PLEDGES)
    promise = weighs = binds = sworn
    if marks & _MAY_PLEDGE and not sworn:
        said = _OF_WHAT.sub(_unless_thing, low)
        promise = _PLEDGING.search(said) is not None
        weighs = promise and not HEARD_YOU.search(text)
        binds = weighs and _BINDS.search(said) is not None
    hedged = bool(marks & _MAY_HEDGE) and _HEDGED.search(low) is not None
    placed = bool(marks & _LASTS) and bool(marks & _PLACES)
    asks = bool(marks & _MAY_ASK) and _ASKING.search(low) is not None
    question = low.rstrip("\"'”’ ").endswith("?")
    told = len(words)
    worth = 0.4 * min(told - 0.5 * len(names) - len(called), _MOST_WORDS) + min(3.0, weighty / 10)
    if question:
        worth -= 1.5
    elif told >= _LEAST_WORDS:
        worth += _PROMISED * weighs + 2.5 * counted + 1.5 * placed + (1.5 if marks & _DECIDES else 0.0)
    if not question and told:
        if ("i" in every or marks & _ADDRESSES) and _TIE.search(low):
            worth += 1.5
        if not every.isdisjoint(_I) and not every.isdisjoint(_MAY_BE_OF_SELF) and _OF_SELF.search(low):
            worth += 1.5
    worth += 1.0 * asks - 2.5 * hedged
    if marks & _ADDRESSES and _YOU.search(_FILLERS.sub("", low)):
        worth += 0.6
    heavy = names | {word for word in words if word in COUNTING or word[0].isdigit()} if names or counted else names
    binds = binds and not question and told >= _LEAST_WORDS
    return StatementContent(words, names, heavy, worth, counted, promise, question, hedged, placed, asks, binds)


def _unless_thing(found: re.Match[str]) -> str:
    return found[0] if found[1] in _DROPPED else ""


def _named(text: str, words: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    names: list[str] = []
    called: list[str] = []
    for row in _NAMES.finditer(text):
        first, end = row.span()
        calls = text[first - 2] in ",;:" and text[end : end + 1] in _MARKS_AFTER
        (called if calls else names).extend(row[0].lower().split(" "))
    found = words.intersection(names)
    return found, words.intersection(called) - found


def spoken(text: str) -> str:
    found = _SAID.match(text) if '"' in text or "“" in text else None
    return found[1] if found else text
