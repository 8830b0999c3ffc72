"""Analysis of statements (promises, numbers, names, worth), and retelling a memory in the first person and the past.

`Moss says, "..."` becomes `Moss said, "..."`. Unknown words are left unchanged: a wrong tense is better than a wrong
statement. No word is added that could be a name.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import NamedTuple

from agents.memory.entries import Entry
from agents.text.english import DULL, PLAIN, flat, missing_marks, sentences, unquoted, word_set
from agents.text.grammar import NO_VERBS, base_of, first_person, past_of, split_quotes, with_past

CACHED = 8192  # cache size in statements: small talk repeats, and the sentences of a summary are read at every fold
LONGEST_QUOTE = 180  # maximum characters; of a longer quotation the best sentences are taken
_SHORT_QUOTE = 80  # quotations up to so many characters are not shortened, because they would lose their sense
_LONGEST_SENTENCE = 240  # maximum characters; of a longer sentence a part is taken
_MOST_WORDS = 14  # content words that count at most
_LEAST_WORDS = 2  # content words needed for a number, a place or a promise to count
_PROMISE_TOLD = 8.0  # the same when a part of a memory is chosen, acknowledgements included
_PROMISED = 6.0  # added for a promise that is not a mere acknowledgement

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_NAMES = re.compile(r"(?<=[\w,;:] )[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’-]+)*")
_MARKS_AFTER = frozenset({"", ",", ".", "!", "?", ";"})
_DIGIT = re.compile(r"\d")
_SPEECH = re.compile(r'[^"“]*["“](.*)["”]', re.DOTALL)
_YOU = re.compile(r"\byou(?:rs?|rself)?\b", re.IGNORECASE)

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
_MARKS: Counter[str] = Counter()
for _mark, _table in _TABLES.items():
    _MARKS.update(dict.fromkeys(_table.split(), _mark))
COUNTING = frozenset(_TABLES[_COUNTS].split()) | {"zero", "first", "second"}


class StatementContent(NamedTuple):
    """The analysis of a statement."""

    # words and names: content words; capitalized words inside a sentence, without the person addressed; lower case
    words: frozenset[str]
    names: frozenset[str]
    heavy: frozenset[str]
    worth: float  # the value of keeping it: small talk 0 to 2, a fact 3 to 12
    counted: bool
    promise: bool  # it promises something or says what must be done
    question: bool
    hedged: bool
    placed: bool
    asks: bool
    binds: bool  # it is a promise that is not a mere acknowledgement

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
    for word in every & _MARKS.keys():
        mark = _MARKS[word]
        marks |= mark
        weighty += 15 if mark & _WEIGHS else 6 if mark & _TOUCHES else 0  # integers: a set has no order
    counted = bool(marks & _COUNTS) or _DIGIT.search(low.replace("100%", "")) is not None
    promise = weighs = binds = bool(marks & _PLEDGES)
    if marks & _MAY_PLEDGE and not promise:
        said = _OF_WHAT.sub(lambda found: found[0] if found[1] in _DROPPED else "", low)
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


def _named(text: str, words: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of names, and of names by which somebody is addressed."""
    names: list[str] = []
    called: list[str] = []
    for row in _NAMES.finditer(text):
        first, end = row.span()
        calls = text[first - 2] in ",;:" and text[end : end + 1] in _MARKS_AFTER
        (called if calls else names).extend(row[0].lower().split(" "))
    found = words.intersection(names)
    return found, words.intersection(called) - found


def spoken(text: str) -> str:
    """Return what is said in a text, or the text itself."""
    found = _SPEECH.match(text)
    return found[1] if found else text


_TELLING = 1.8  # worth below which a sentence is dropped if another one has more
_MOST_LONG = 4  # long sentences of a memory that are examined
_SPOKEN = re.compile(r"""^([^"]*)"(.*)"([.!?]?)$""")
_OPEN = re.compile(r"""(?<![.!?"”»'’)\]])$|(?<![.!?])["”»'’)\]]+$""")
_ENDS_WITH_DOTS = re.compile(r"""(?:…|\.\.\.)["”»'’)\]]*$""")
_ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]][.!?]?")
"""A bracketed remark, such as where something was read, without a sentence of its own."""
_SHOWN = frozenset({"result", "saw", "note"})
_OWN = re.compile(
    r"(^|[.!?]\s+)You((?:\s+\w+ly)?)\s+(?:(cannot|can't|can’t|do not|don't|don’t|are not|aren't)\b|(\w+))"
)
_OWN_SHORT = re.compile(r"\b[Yy]ou(?:['’](re|ve|ll|d))\b")
_OWN_BE = re.compile(r"\b[Yy]ou (are|were|have|had|can|could|will|would|must|should|see|know|feel|want)\b")
_OF_ME = re.compile(
    r"You(?:r|['’](?:re|ve|ll|d)|(?: \w+ly)? (?:are|were|have|had|will|would|must|should|can|could|may|might|used|owe"
    r"|love|hate|like|belong|always|never|promised|said|killed|stole|live|lived|come|came|was|is))\b[^\"]*$"
)
_MINE = {
    **{"you": "me", "your": "my", "yours": "mine", "yourself": "myself"},
    **{"You": "I", "Your": "My", "Yours": "Mine", "Yourself": "Myself"},
}
_OF_YOU = re.compile(rf"\b(?:{'|'.join(_MINE)})\b")
_NEGATED = {"do": "did not", "ca": "could not", "ar": "was not"}
_SAYINGS = {"told": "told me", "thought": "thought", "note": "noted", "dream": "dreamed"}

_DOTS = "…"
_LEAST = 40  # minimum characters of a part of a sentence; less is hardly understandable
_CLAUSES = 4  # number of clauses, from the first, at which a part may begin
_MARGIN = 1.8  # additional worth that a later clause needs, because the first has the subject
_A_CHARACTER = 0.05  # cost of a character: plain words are hardly worth theirs, because they displace other facts

_JOINS = "and|but|or|nor|yet|so|for|which|who|whom|whose|where|when|while|because|since|though|although|until|if|as"
_CLAUSE = re.compile(rf"\s*;(?=\s)|:(?=\s)|\s+[-–—]+(?=\s)|—|[；：。]|,(?=\s+(?:{_JOINS})\b)")
_COMMA = re.compile(r",(?=\s)|[，、]")
_BLANK = re.compile(r"\s+")
_NEW = re.compile(r";\s+|\s+[-–—]+\s+|—|；|,\s+(?=(?:and|but)\b)")
"""Separators after which a part may begin: the clause is independent."""
_ENDS = " ,;:-–—，、；：。"
_BARE = "\"'“”‘’()[],;:.!?"
_BRACKETS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))

_QUOTED = re.compile(r'(?P<who>[^",]+) said, "(?P<what>[^"]+)"[.!]?')
_VOW = re.compile(
    r"(?:[,.;!…]|\s[-–—])\s+(?:and )?(?:"
    r"i (?:promise|swear|vow)(?: (?:it|that|this|you|to you|you that|it to you))?"
    r"|(?:that is|that['’]s|it is|it['’]s|this is) (?:a|my) (?:promise|vow)"
    r"|(?:you have|you['’]ve got|i give you) my word(?: (?:on|for) (?:it|that))?"
    r"|(?:up)?on my (?:word|hono[u]?r)|my word(?: of hono[u]?r)?(?: on (?:it|that))?"
    r"|you (?:can|may) (?:count|rely|depend) on (?:it|that|me)"
    r")[.!]?\Z",
    re.IGNORECASE,
)
_LONGEST_VOW = 48  # maximum characters of a vow at the end
_FILLER = re.compile(
    r"(?:well|oh|ah|hm|you see|you know|look|listen|by the way|to tell (?:you )?the truth|truth be told"
    r"|in truth|to be (?:honest|frank)|honestly),\s+|(?:then|so|and|but),?\s+(?=I\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?:I am|I['’]m|[Mm]y name is|[Mm]y name['’]s) ([^,.]+?)(?:\.|,?\s+and|,)\s+(?=I\b|[Mm]y\b)")


def retell(entry: Entry, name: str = "") -> str:
    """Return a memory as the agent tells it, in the past if the verb is known; empty if it cannot be told."""
    reason = entry.reason if entry.kind not in ("said", "thought") else None  # speech explains itself
    return _retold(entry.kind, None if entry.actor == name else entry.actor, entry.text, reason, name)


@lru_cache(maxsize=4096)
def _retold(kind: str, actor: str | None, text: str, reason: str | None, name: str) -> str:
    text = flat(text)
    speech = _SPOKEN.match(text) if kind in ("heard", "told", "said", "thought") else None
    if speech and len(speech[1]) <= _LONGEST_SENTENCE:
        inside = _passage(speech[2], _ENDS_WITH_DOTS if actor is None else None, said=True).replace('"', "'")
        text = f'{speech[1]}"{inside}"{speech[3]}' if inside else ""
    else:
        text = _passage(text, _OPEN if kind in _SHOWN else None)
    if not text:
        return ""
    found = (first_person(one, name) for one in sentences(_told(kind, actor, text, name)))
    told = " ".join(_fewer_words(ended(one), name) for one in found if re.search(r"\w", one) and closed(one))
    because = _passage(flat(reason), said=True).replace('"', "'") if reason and told.startswith("I ") else ""
    return f'{told.rstrip(".")}, because "{because}".' if because else told


def _told(kind: str, actor: str | None, text: str, name: str) -> str:
    if kind in ("heard", "told") and _OF_ME.match(text):
        return f'{flat(actor) if actor else "Somebody"} told me, "{text.replace(chr(34), chr(39))}"'
    if text.startswith(("You ", "You'", "You’")):
        parts = split_quotes(text)
        return _mine("".join(part if at % 2 else _OWN.sub(_past_own, part) for at, part in enumerate(parts)))
    if actor and text.startswith(f"{actor} "):
        return _others(text, actor)
    own = actor is None and text.startswith(("I ", "I'", "I’", f"{name} "))
    if own or len(split_quotes(text)) > 1 or kind in ("saw", "did", "moved", "result"):
        return _mine(text)
    names_me = _YOU.search(text) or not all(first_person(one, name) for one in sentences(text))
    if kind == "told" and actor is None and not names_me:
        opens = text.split()[0].casefold() in PLAIN  # of any other word, a capital could make a name
        return text[:1].upper() + text[1:] if opens else text  # the speaker is unknown
    who = (actor or "Somebody") if kind in ("heard", "told") else "I"
    return f'{flat(who)} {_SAYINGS.get(kind, "said")}, "{text.replace(chr(34), chr(39))}"'


def _past_own(match: re.Match[str]) -> str:
    start, adverb, negated, verb = match.groups()
    if negated:
        return f"{start}I{adverb} {_NEGATED[negated[:2]]}"
    is_verb = verb.islower() and verb.isalpha() and verb not in COUNTING and verb not in NO_VERBS
    return f"{start}I{adverb} {past_of(verb) if is_verb else verb}"


def _mine(text: str) -> str:
    parts = split_quotes(text)
    for at in range(0, len(parts), 2):
        part = _OWN_SHORT.sub(lambda found: {"re": "I was", "ve": "I had"}.get(found[1], "I would"), parts[at])
        part = _OWN_BE.sub(lambda found: f"I {past_of(found[1])}", part)
        parts[at] = _OF_YOU.sub(lambda found: _MINE[found[0]], part)
    return "".join(parts)


def _others(text: str, actor: str) -> str:
    rest = text[len(actor) + 1 :]
    match = re.match(r"((?:\w+ly\s+)?)([a-z]+)\b(?!['’])", rest)
    if match and match[2].endswith("s") and match[2] not in NO_VERBS and len(match[2]) > 1:
        more, gap, said = rest[match.end() :].partition('"')
        more, end = with_past(more)
        if end < len(more):  # ambiguous (verb or noun), so the rest is dropped
            more, gap, said = f"{more[:end]}.", "", ""
        rest = f"{match[1]}{past_of(base_of(match[2]))}{more}{gap}{said}"
    return f"{actor} {_mine(rest)}"


def ended(text: str) -> str:
    """Return a sentence with its end mark; dots do not count as one."""
    bare = text.rstrip("\"”»'’)] ")
    if bare.endswith((".", "!", "?")):
        return text
    return f"{bare[:-1]}." if bare == text and bare.endswith("…") and len(bare) > 1 else f"{text}."


def closed(text: str) -> bool:
    """Return whether every quotation in a text is closed."""
    even = text.count('"') % 2 == 0 and text.count("“") == text.count("”")
    if "“" not in text and "\n" not in text:
        return even
    open_still = unquoted(text).replace('""', "")
    return even and not any(mark in open_still for mark in '"“”')


@lru_cache(maxsize=4096)
def _passage(text: str, scrap: re.Pattern[str] | None = None, *, said: bool = False) -> str:
    """Return the best sequence of sentences, or a part of a long one; `scrap` matches a cut-off end."""
    every = sentences(text)
    found = [
        one if closed(one) and not _ASIDE.fullmatch(one) and not (scrap and scrap.search(one)) else "" for one in every
    ]
    fit = [one if len(one) <= _LONGEST_SENTENCE else "" for one in found]
    whole = _in_a_row(text, every, fit)
    if fit == found:
        return whole
    parts = (_shortened(text, one, said) for one in found if len(one) > _LONGEST_SENTENCE)
    return max([whole, *islice(filter(None, parts), _MOST_LONG)], key=_tells)


def _in_a_row(text: str, every: list[str], found: list[str]) -> str:
    """Return the best sequence of sentences; "" in `found` stands for those that must not be used."""
    first, end = 0, len(found)
    if not all(found) or len(text) > LONGEST_QUOTE:
        first, end = _best(found)
    elif len(text) > _SHORT_QUOTE and len(found) > 1:
        read_of = list(map(read, found))
        tells = [at for at, one in enumerate(read_of) if one.worth >= _TELLING or (one.names and not one.question)]
        first, end = (tells[0], tells[-1] + 1) if tells else (first, end)
    if end - first == len(found):
        return " ".join(found)
    marks = missing_marks(text, every)[first:end]
    return f"{marks[0][0]}{' '.join(found[first:end])}{marks[-1][1]}" if marks else ""


def _best(found: list[str]) -> tuple[int, int]:
    best, most = (0, 0), 0.0
    for start in range(len(found)):
        row, end = "", start
        for one in found[start:]:
            longer = f"{row} {one}".strip()
            if not one or (row and len(longer) > LONGEST_QUOTE):
                break
            row, end = longer, end + 1
        if row and (worth := _tells(row)) > most:
            best, most = (start, end), worth
    return best


def _tells(row: str) -> float:
    found = read(row)
    return len(found.words) + 6.0 * found.counted + _PROMISE_TOLD * found.promise + 0.01


def _fewer_words(text: str, name: str) -> str:
    """Return a quotation without fillers, self-introduction and vows; `not`, `if` and `unless` are never dropped."""
    said = _QUOTED.fullmatch(text)
    if said is None:
        return text
    who, what = said.groups()
    verb, filler = "said", _FILLER.match(what)
    what = what[filler.end() :] if filler else what
    called = _CALLED.match(what)
    if called and called[1] == (name if who == "I" else who):
        what = what[called.end() :]
    if (vow := _VOW.search(what, max(0, len(what) - _LONGEST_VOW))) and read(what[: vow.start()]).binds:
        what, verb = f"{what[: vow.start()]}.", "promised"
    return f'{who} {verb}, "{what[:1].upper()}{what[1:]}"' if len(what) < len(said["what"]) else text


def _shortened(text: str, sentence: str, said: bool) -> str:
    """Return the best part of a long sentence; of unquoted ones only the beginning, so that it can stand alone."""
    starts = islice((found.end() for found in _NEW.finditer(sentence)), _CLAUSES) if said else ()
    parts: list[tuple[float, int, str]] = []
    for start in (0, *(start for start in starts if _balanced(sentence[:start]))):
        for part in _parts(sentence[start : start + 2 * LONGEST_QUOTE], said):
            found = read(part)
            worth = found.worth + len(found.names) - _A_CHARACTER * len(part) - (_MARGIN if start else 0.0)
            parts += [(worth, -start, part)] if any(map(str.isalnum, part)) else []
    if not parts:
        return ""
    _, start, part = max(parts)
    before, behind = missing_marks(text, [part])[0]
    return f"{before}{_DOTS if start else ''}{part}{'' if sentence.endswith(part) else _DOTS}{behind}"


def _parts(text: str, anywhere: bool) -> list[str]:
    if _LEAST <= len(text) <= LONGEST_QUOTE and _balanced(text):
        return [text]
    for marks in (_CLAUSE, _COMMA, *((_BLANK,) if anywhere else ())):
        ends = marks.finditer(text, _LEAST, LONGEST_QUOTE + 12)
        places = [end.start() for end in ends if end.start() <= LONGEST_QUOTE]
        clean = (at for at in reversed(places) if not _cuts(text, at, marks is _BLANK) and _balanced(text[:at]))
        if found := [text[:at].rstrip(_ENDS) for at in islice(clean, None if marks is _CLAUSE else 1)]:
            return found
    return []


def _cuts(text: str, at: int, within: bool) -> bool:
    """Return whether a cut would split a name or a number, or, within a clause, leave a dangling word."""
    last = text[max(0, at - 60) : at].split()[-1]
    after = [one.strip(_BARE) for one in text[at : at + 60].lstrip(_ENDS).split()[:3]]
    counted = [_counts(one) for one in after]
    if _counts(last.strip(_BARE)) and (within or any(counted[:2])):
        return True
    if not within:
        return False
    named = last[0].isupper() and any(one[:1].isupper() and one.lower() not in PLAIN for one in after)
    hangs = last.lower().strip(_BARE) in PLAIN or last.endswith((".", "'s", "’s"))
    return named or hangs or any(counted[:1])


def _counts(word: str) -> bool:
    return not COUNTING.isdisjoint(word.lower().split("-")) or any(map(str.isnumeric, word))


def _balanced(text: str) -> bool:
    return '"' not in unquoted(text).replace('""', "") and all(
        text.count(one) == text.count(end) for one, end in _BRACKETS
    )
