"""Reads what is said without asking: courtesies, wishes, moods, praise and blame, corrections, and what is told.

Pure rules over English words. What it cannot read it calls something told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from agents.brains._words import is_small, is_weak, telling
from agents.text.addressing import asks


class Sort(StrEnum):
    """What a line wants of its listener."""

    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    NIGHT = "good night"
    WISH = "wish"
    SAD = "sad"
    GLAD = "glad"
    PRAISE = "praise"
    BLAME = "blame"
    SORRY = "sorry"
    SHORT = "short"
    TOLD = "told"
    QUESTION = "question"


_GREETING = re.compile(
    r"^(?:hi|hiya|hello|hey|howdy|greetings|welcome|good (?:morning|day|afternoon|evening)|well met|"
    r"(?:nice|good|glad|pleased|lovely) to (?:meet|see) you|i(?:'m| am) \w+[.!]*$|my name is \w+[.!]*$|it(?:'s|"
    r" is) me\b)",
    re.I,
)
_SOULS = r"(?:any|some) ?(?:body|one)"
_HAIL = re.compile(
    rf"^(?:(?:hi|hiya|hello|hey|hallo|halloo)\b\W*(?:is )?{_SOULS}|{_SOULS}|is {_SOULS}(?= (?:there|home|in|awake)\b))"
    r"(?: (?:else|out|up|in))? (?:here|there|home|around|about|in|awake|listening)\W*$"
    r"|^(?:hi|hiya|hello|hey|hallo|halloo|good (?:morning|day|evening|afternoon))?\W*"
    r"(?:are you (?:still )?(?:there|here|awake|listening))?\W*$",
    re.I,
)
"""What is called into a room by who does not see yet whether anybody is in it, or whether they are heard."""
_THANKS = re.compile(r"\b(?:thanks|thank you|much obliged|i appreciate)\b|^(?:cheers|ta)\b", re.I)
_LEAVING = re.compile(
    r"\b(?:good-?bye|bye|bye-bye|farewell|cheerio|so long|take care|good ?night|sleep well|sweet dreams|"
    r"see you(?: (?:all|later|soon|around|again|tomorrow))*|until (?:later|next time|tomorrow|we meet again)|"
    r"have an? (?:\w+ )?(?:day|night|evening|morning|time|sleep|rest)|"
    r"(?:it )?(?:was|has been) (?:so |very |really )?(?:nice|lovely|good|great|a pleasure|wonderful|a joy)"
    r" (?:to )?(?:talk|speak|chat|meet|see)(?:ing)?(?: (?:to|with))?(?: you)?(?: all)?|"
    r"(?:nice|lovely|good|great) (?:talk|speak|chatt|meet|see)ing (?:(?:to|with) )?you(?: all)?|"
    r"i (?:\w+ )?enjoyed (?:it|(?:this|our|the) (?:talk|chat|conversation|visit))|"
    r"i (?:must|have to|should|will|need to|had better) (?:go|leave|be off|be going|sleep)"
    r"(?: (?:now|home|to bed|to sleep))*|"
    r"i(?:'m| am) (?:off|leaving|going)(?: (?:now|home|to bed|to sleep))*|"
    r"(?:it(?:'s| is) )?time (?:for me )?to (?:go|leave|sleep)(?: (?:home|to bed))?)\b",
    re.I,
)
_NIGHT = re.compile(r"\bgood ?night\b|\bsleep well\b|\bsweet dreams\b|\b(?:to (?:bed|sleep)|sleep now)\b", re.I)
_THANKS_FOR = re.compile(
    r"\b(?:thanks|thank you)(?: (?:so|very) much)?(?: for (?:everything|all|the \w+|your \w+))?", re.I
)
_WISH = re.compile(
    r"^(?:please,? |no,? |now |let's |let us |would you |could you |will you |can you |i want you to |"
    r"i'd like you to )*"
    r"(?:follow|come|go|take|give|bring|fetch|help|drop|open|close|lend|pass|sing|dance|wait|stay|leave|walk|run|put|pick|hand|"
    r"show|read|write|wave|smile|jump|sit|stand|look|examine|stop|introduce|teach|promise|forgive|try|play|"
    r"build|mend|fix|draw|guess|choose|greet|"
    r"kiss|hug|warn|forget|ask|be (?:quiet|silent|still)|shut up|hush|tell)\b"
    r"(?! (?:is|are|was|were|it like)\b)",
    re.I,
)
_HOLD_ON = re.compile(
    r"^(?:(?:oh|no|but|sorry),? )*(?:wait|hold on|stop)(?: a (?:moment|second|minute))?\s*[,.;:!-]+\s*(?=\w)", re.I
)
"""What stops one's own line to put it right; a wish to wait is all of a line."""
_POLITE_WISH = re.compile(
    r"^(?:please,? )*(?:would|could|will|can|"
    r"won't) you (?:please )?(?P<wish>\w+.*)",
    re.I,
)
_TELLING = re.compile(r"tell|show (?!\w+ (?:around|about|the way))", re.I)
"""Wishes to be told something, which are questions."""
_SAD = re.compile(
    r"\bi(?:'m| am|'ve been| have been| feel| felt| was)(?: \w+){0,2} (?:sad|tired|lonely|unhappy|afraid|scared|"
    r"ill|sick|"
    r"cold|hungry|lost|worried|weary|exhausted|angry|miserable|homesick|bored|upset|anxious|nervous|ashamed|"
    r"sorry for)\b|"
    r"\bi (?:miss|lost|have lost|mourn)\b.*\b(?:father|mother|wife|husband|brother|sister|son|daughter|friend|"
    r"dog|cat|home)\b|"
    r"\b(?:died|passed away|is dead) (?:today|yesterday|this morning|last night|last week)\b|\bi (?:cried|"
    r"could cry|hate my life)\b",
    re.I,
)
_GLAD = re.compile(
    r"\bi(?:'m| am|'ve been| have been| feel| felt)(?: \w+){0,2} (?:happy|glad|well|fine|delighted|cheerful|"
    r"excited|proud|"
    r"content|better|rested|merry|great|wonderful|pleased|relieved|in love)\b",
    re.I,
)
_PRAISE = re.compile(
    r"\byou(?:'re| are| were| seem| look)(?: \w+){0,2} (?:kind|nice|good|clever|wise|sweet|lovely|beautiful|"
    r"wonderful|great|"
    r"right|helpful|funny|brave|amazing|dear|charming|pretty|brilliant|patient|generous)\b|"
    r"\bi (?:\w+ )?(?:like|love|admire|trust|adore) you\b|^(?:well done|bravo|good (?:girl|boy|answer|work|job)|"
    r"wonderful|"
    r"excellent|splendid|lovely|brilliant|very good|how (?:kind|nice|lovely))\b",
    re.I,
)
_NAMES = "fool|idiot|liar|pig|thief|coward|dunce|imbecile|moron|ass|donkey|cow|rat|toad|cheat|nuisance|scoundrel|rascal"
"""What nobody likes to be called."""
_BLAME = re.compile(
    r"\byou(?:'re| are| were| seem)(?: \w+){0,2} (?:stupid|wrong|mad|crazy|useless|rude|boring|mistaken|silly|"
    r"lying|dull|slow|"
    r"ugly|strange|odd|impossible|annoying|repeating|horrible|awful|disgusting|worthless|ridiculous|pathetic|"
    rf"{_NAMES})\b|\byou (?:lie|lied|already said|repeat)\b|"
    r"\byou (?:(?:old|stupid|silly|dirty|lying|little|big|damned|miserable|wretched|lazy|ugly) ){0,3}"
    rf"(?:{_NAMES})\b|\byou (?:look|sound|smell|behave) like (?:\w+ ){{0,2}}(?:{_NAMES})\b|"
    r"\bi (?:\w+ )?(?:hate|dislike|don't (?:like|trust|believe|care)(?: about)?) you\b|"
    r"^(?:(?:no,? )?that(?:'s| is) (?:not true|wrong|nonsense|a lie|not right|false|rubbish|not what i)|"
    r"nonsense|liar|rubbish)\b",
    re.I,
)
_INSULT = re.compile(
    rf"\b(?:{_NAMES}|stupid|useless|ugly|disgusting|worthless|ridiculous|pathetic|horrible|awful|"
    r"(?:hate|dislike|don't like|don't care(?: about)?) you)\b",
    re.I,
)
_SORRY = re.compile(
    r"^(?:i(?:'m| am) (?:so |very |really )?sorry|sorry|forgive me|my apologies|excuse me|"
    r"pardon)\b",
    re.I,
)
_SHORT = re.compile(
    r"^(?:i (?:don't|do not|can't|cannot) (?:understand|follow|know|see|remember|believe it)|i (?:see|"
    r"understand|know|agree)|"
    r"(?:that|it|this)(?:'s| is| was| sounds) (?:\w+ )?(?:interesting|nice|good|strange|true|odd|sad|funny|"
    r"enough|all|fine|"
    r"right|possible|great|beautiful|lovely|curious))\W*$|^(?:please )?(?:repeat|say) (?:that|it)\b.*$|"
    r"^(?:indeed|exactly|perhaps|maybe|sure|of course|never mind|you(?:'re| are) (?:very |most )?welcome)\W*$|"
    r"^(?:what|such) an? (?:\w+ ){1,2}(?:\w+)(?: (?:you have|this is|it is|that is))?(?: here| there)?\W*$",
    re.I,
)
_REMEMBER = re.compile(
    r"^(?:please\s+)?(?:remember|note|mark my words|listen|know|keep in mind|for your information|by the way|"
    r"you should know|let me tell you|did you know|i(?:'ll| will| want to| must) tell you(?: something)?|guess what|"
    r"you know what|i (?:have )?heard|they say|people say|it is said)"
    r"(?:\s+(?:this|well))?\s*(?:that\b|[:,;.!…-])?\s*",
    re.I,
)
_CORRECTION = re.compile(
    r"^(?:oh,? |but |well,? |sorry,? |i (?:was|am) (?:wrong|mistaken)[.,:;]? |i made a mistake[.,:;]? )*"
    r"(?:no|nay|actually|in fact|wait|correction|i meant?|that(?:'s| is| was) wrong|not any ?more|sorry|"
    r"i was (?:wrong|mistaken))(?:[\s,]{1,3}(?:no|wait|sorry|actually|hold on)(?=[\s,.;:!])){0,3}"
    r"(?=[\s,.;:!])[\s,.;:!]*(?:it turns out |the truth is |in truth )?(?:that )?",
    re.I,
)
_CHANGED = re.compile(
    r"\b(?:is|are|lives?|works?|keeps?|kept|hangs?|lies|stands?|costs?|leaves|starts?|goes|sits|has|"
    r"have)\b[^.]*(?<!just )\bnow\b|"
    r"\b(?:no longer|any ?more|instead|has moved|have moved|was moved|moved (?:it|them|him|her|the|my|to)|changed|"
    r"has been (?:put|moved|taken|sold))\b",
    re.I,
)
_THING = re.compile(
    r"\b(the|a|an|my|your|our|his|her|their|this|that|these|those)\s+((?:[\w'’-]+\s+){0,2}?[\w'’-]+)"
    r"(?=\s+(?:is|are|was|were|has|had|have|will|can|could|in|on|at|under|behind|near|by|of|for|from|with|to|"
    r"and|or|that|"
    r"which|who|when|where|if|lies|stands|sits|does|did|again|now|yesterday|today|tomorrow|tonight|last|hangs|comes|goes|leaves|keeps|closes|opens|"
    r"because|only|like|nearby|"
    r"works|lives|wants|plays|belongs|needs|grows|bought|lost|sold|made|came|went|began|begins|took|said|says|told)\b"
    r"|\s*[,.;:!?…]|\s*$)",
    re.I,
)
_NAME_GIVEN = re.compile(
    r"^(?:(?i:my name is|my name['’]s|i am called|i['’]m called|call me|i am|i['’]m)) "
    r"([^\W\d_][\w'’-]*(?: [A-ZÀ-ÖØ-Þ][\w'’-]*){0,2})[.!]*$"
)
_FINITE = re.compile(r"\s+(?:is|are|was|were|has|had|have|will|can)\b", re.I)
_NO_NOUN = re.compile(
    r"\w+(?:ed|ing|ly)|\w+['’]s|names?|best|worst|same|rest|most|least|first|last|second|other|next|whole|old|new|"
    r"danced?|sang|sung|lost|found|told|went|came|gone|ran|sat|fell|broke|made|took|got|hurt|hurts|sleeps|sick|ill|dead",
    re.I,
)
_PREDICATE = re.compile(
    r"\b(?:why|when|how|since when)?\s*\b(?:is|are|was|were|does|do|did|has|have|had|can|will|would|should)\s+$", re.I
)
_COPULA = re.compile(
    r"\bwh(?:ere|o|at)(?:'s| is| are| was| were)?\s+(?:is|are|was|were)?\s*$|\bwh(?:ere|o|"
    r"at) (?:is|are|was|were)\s+$",
    re.I,
)
_KEPT = ("the", "his", "her", "their")
_AS_HEARD = {"my": "your", "your": "my", "our": "your"}
KIN_WORDS = """
    sister brother aunt uncle father mother wife husband son daughter cousin nephew niece friend neighbour grandmother
    grandfather grandson granddaughter dog cat horse
"""
_KIN = frozenset(KIN_WORDS.split())
_TIME_WORDS = """
    day night morning evening afternoon week month year time while moment hour summer winter spring autumn way lot bit
    sort kind matter thing place
"""
_TIMES = frozenset(_TIME_WORDS.split())

_COURTESIES = (
    (Sort.FAREWELL, re.compile(rf"{_LEAVING.pattern}(?:,? [\w'’]+){{0,3}}[.!…]*$", re.I)),
    (Sort.SORRY, _SORRY),
    (Sort.THANKS, _THANKS),
    (Sort.GREETING, _GREETING),
)
_MOODS = ((Sort.BLAME, _BLAME), (Sort.PRAISE, _PRAISE), (Sort.SAD, _SAD), (Sort.GLAD, _GLAD))


def sort_of(bare: str, told: list[str], words: tuple[str, ...], speaker: str) -> Sort:
    """Say what a line wants that asks nothing.

    Args:
        bare: the line without names called.
        told: its sentences that tell something.
        words: their telling words.
        speaker: name of who spoke.
    """
    if told and _is_wish(told[0]):
        return Sort.WISH
    if _SHORT.match(bare):
        return Sort.SHORT
    for sort, pattern in _MOODS:
        # A mood is the whole of a short line; in a longer one it goes with what is told.
        if pattern.search(bare) and len(words) <= 5:
            return sort
    own = telling(speaker)
    news = [word for word in words if word not in own]
    if len(news) > 1 or any(not is_weak(word) for word in news):
        return Sort.TOLD
    return next((sort for sort, pattern in _COURTESIES if pattern.search(bare)), Sort.SHORT)


def parting_in(words: str, names: Iterable[str]) -> Sort | None:
    """Return whether a line takes leave, for the night or else, and does nothing besides; None when it does not.

    Args:
        words: the line.
        names: names that may be called in it.
    """
    if not _LEAVING.search(words):
        return None
    rest = _THANKS_FOR.sub("", _LEAVING.sub("", words)).strip(" ,;.!…-")
    if len(telling(rest, names)) > 1 or _WISH.match(rest):
        return None
    return Sort.NIGHT if _NIGHT.search(words) else Sort.FAREWELL


def feeling_of(part: str) -> Sort | None:
    """Return the feeling towards its listener that a sentence shows; None when it shows none."""
    found = ((Sort.BLAME, _BLAME), (Sort.PRAISE, _PRAISE), (Sort.SORRY, _SORRY), (Sort.THANKS, _THANKS))
    return next((sort for sort, pattern in found if pattern.search(part)), None)


def is_insult(part: str) -> bool:
    """Return whether blame is meant to hurt, and no claim that something is wrong."""
    return _INSULT.search(part) is not None


def feels(part: str) -> bool:
    """Return whether a sentence tells how its speaker feels."""
    return any(pattern.search(part) for _, pattern in _MOODS)


def hails(words: str) -> bool:
    """Return whether a line only calls out for whoever may be here, which is a greeting in the form of a question."""
    return _HAIL.match(words.strip()) is not None


def wish_in(sentence: str) -> str:
    """Return the wish in a polite question, such as "wave to me" of "could you wave to me?"; empty when it is none."""
    found = _POLITE_WISH.match(sentence)
    if (
        not found
        or not _WISH.match(found["wish"])
        or re.match(r"tell|show (?!\w+ (?:around|about|the way))", found["wish"], re.I)
    ):
        return ""
    return found["wish"].rstrip("?!. ")


def thing_in(text: str) -> str:
    """Return the first thing a text names with an article, as its listener would call it: "my boat" is "your boat"."""
    for found in _THING.finditer(text):
        article, words = found[1].casefold(), found[2]
        if article in ("this", "that", "these", "those") and " " in words:
            continue  # "that bees dance" is no thing
        if " " in words and _PREDICATE.search(text[: found.start()]) and not _COPULA.search(text[: found.start()]):
            words = words.rsplit(" ", 1)[0]  # "why is the sundial broken" asks for the sundial
        if words.casefold() in _TIMES or (words.casefold().split()[-1] in _TIMES and article in ("this", "that")):
            continue
        if telling(words) and not any(is_small(word) for word in words.split()):
            if words.split()[0].casefold() in _KIN:
                first, *more = words.split()
                words = " ".join([first, *(word for word in more[:1] if word[0].isupper())])
            return f"{_AS_HEARD.get(article, article if article in _KEPT else 'the')} {words}"
    return ""


def clear_thing_in(text: str) -> str:
    """Return the first thing a text names, as its listener would call it, only when it is surely one: else "".

    Two words after an article may be a thing and what it did ("the mayor danced"); they count where a form of "to be"
    or the like comes after or before them, or after "a".
    """
    found = _THING.search(text)
    thing = thing_in(text[: found.end()] + "." if found else "")
    if not found or not thing:
        return ""
    words = thing.split(" ")[1:]
    if _NO_NOUN.fullmatch(words[-1]):
        return ""
    if len(words) == 1 and (" " not in found[2] or _PREDICATE.search(text[: found.start()])):
        return thing
    if _FINITE.match(text, found.end()) or _COPULA.search(text[: found.start()]):
        return thing
    return thing if found[1].casefold() in ("a", "an") and not words[-1].endswith("s") else ""


def name_given(statement: str) -> str:
    """Return the name by which a speaker says they are called; empty when the line says anything else."""
    found = _NAME_GIVEN.match(statement)
    if not found:
        return ""
    name = found[1]
    return "" if is_small(name.split()[0]) or (not found[0].casefold().startswith("my") and name[0].islower()) else name


def is_kin(thing: str) -> bool:
    """Return whether what is spoken of is somebody near to a person, not a thing."""
    return any(word in _KIN for word in thing.casefold().split())


def told_in(parts: Iterable[str], name: str) -> list[str]:
    """Return the sentences that tell something: no questions, no courtesies, no "remember that" before them."""
    bare = (_REMEMBER.sub("", part, count=1).strip() for part in parts if not asks(part))
    return [part for part in bare if part and not is_courtesy(part, name)]


def is_courtesy(part: str, name: str) -> bool:
    """Return whether a sentence is nothing but a greeting, thanks, an apology or a farewell."""
    if not any(pattern.search(part) for _, pattern in _COURTESIES):
        return False
    rest = part
    for _, pattern in _COURTESIES:
        rest = pattern.sub("", rest)
    return len(telling(rest, (name,))) <= 1


def is_small_talk(part: str) -> bool:
    """Return whether a sentence is of moods, praise or blame only, or a wish: nothing that would answer a question."""
    passing = any(pattern.search(part) for _, pattern in _MOODS[:2]) or _SHORT.match(part)
    return bool(passing) or _is_wish(part)


def _is_wish(part: str) -> bool:
    return _WISH.match(_HOLD_ON.sub("", part, count=1)) is not None


def corrects(part: str) -> bool:
    """Return whether a sentence takes back something said before, or says that it is so no longer."""
    return _CORRECTION.match(part) is not None or _CHANGED.search(part) is not None


def without_correction(part: str) -> str:
    """Return a sentence without the "no" or "actually" that it opens with."""
    bare = _CORRECTION.sub("", part, count=1).strip()
    return bare or part
