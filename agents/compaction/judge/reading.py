"""How the judge reads: word lists, sentences, normalized words, names (in doubt, it is one) and numbers.

The summarizers have their own rules, so that neither repeats the other's mistakes. Numbers in English words are
normalized to figures; leading zeros are significant, as in a code, and the word `one` alone is no number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from unicodedata import category

from mud.world.sentences import is_abbreviated


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN = _words(
    """i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
    hers herself it its itself they them their theirs themselves this that these those here there who whom whose
    which what whoever whatever whichever somebody someone something anybody anyone anything everybody everyone
    everything nobody none nothing one ones other others another each either neither both all any some such same
    many much more most few fewer several less least enough half own people a an the and but or nor so yet for if
    unless until till since because although though while whereas whether when whenever where wherever why how as
    than then thus hence therefore however moreover nevertheless nonetheless likewise otherwise instead besides
    meanwhile afterwards afterward thereafter beforehand except in on at to of from by with without within into
    onto upon out off over under underneath above below beneath beside between beyond behind before after across
    along around about against among amid inside outside near toward towards through throughout during past up down
    aside apart back despite like per via am is are was were be been being do does did done doing have has had
    having can cannot could would should shall must isn aren wasn weren don doesn didn haven hasn hadn won wouldn
    shouldn couldn ain let thank looking listening walking standing sitting talking thinking wandering wondering
    remembering speaking seeing now today tonight tomorrow yesterday again ago already always almost alone also
    altogether anyway anyhow away early earlier late later lately ever never often seldom sometimes sometime
    occasionally once twice soon sooner still just first last lastly next finally eventually presently recently
    suddenly immediately usually gradually slowly quickly briefly quietly gently easily morning afternoon evening
    night day days time far farther further long everywhere somewhere anywhere nowhere elsewhere indeed certainly
    clearly probably possibly perhaps maybe really rather quite very too even only especially particularly
    similarly simply nearly overall strangely yes no not oh ah o alas hey hello goodbye farewell please thanks ok
    okay well hm hmm"""
)
"""Words that may begin a sentence and are no names. Words that are also names (will, may, rose) are excluded."""

ALSO_NAMES = _words(
    """april may june august autumn summer dawn eve monday tuesday wednesday thursday friday saturday sunday will
    bill rob bob jack frank mark art drew chase hunter miles reed cliff glen dale sue pat nick gene tom tim jim ray
    rich rod ross rusty sandy penny christian dean duke earl ernest guy harry holly joy hope faith grace charity
    patience mercy merry melody harmony honey victor ward wade warren lance mason max king queen prince lord lady
    baker butcher carter cooper cook fisher fletcher gardener gardner miller potter porter sawyer shepherd smith
    tanner taylor thatcher turner tyler walker weaver wheeler rose lily iris ivy daisy violet heather hazel olive
    poppy pansy tansy fern laurel myrtle basil ginger rosemary sage clay flint stone sterling pearl ruby amber jade
    opal coral crystal jewel jasper garnet birch ash aspen rowan linden willow alder elder forest wood woods marsh
    moss brook lake river bay ford park field hill vale stella nova star sky storm misty stormy sunny rain winter
    frost bella nell robin wren raven lark jay finch swift hawk fox wolf buck bear drake gale teddy piper major
    young grant hank lee marina dot chip skip rush mace peg vine van page carol angel christmas easter"""
)
"""Ordinary words that are also names: in lower case in the source they do not justify a name in a summary."""

_DULL = _words(
    """say says said saying see sees saw seen think thinks thought know knows knew known go goes went gone come
    comes came get gets got look looks looked tell tells told ask asks asked make makes made take takes took wonder
    wonders wondered good great big little new old thing things way bit lot kind will may might"""
)

_PLEDGES = _words(
    """promise promised promises promising swear swears swore sworn vow vows vowed oath pledge pledged word will
    shall i'll we'll i’ll we’ll"""
)
"""Words of which a promise contains at least one; used to avoid a slow search."""

CUES = _PLEDGES | _words(
    """must should need ought better never don't don’t dont not bring fetch give tell meet find keep wait follow
    help remember remind show leave stay stop open close ask beware always forget come go take look watch put"""
)

_SMALL = (
    "zero nought;one;two second twice;three third thrice;four fourth;five fifth;six sixth;seven seventh;eight eighth;"
    "nine ninth;ten tenth;eleven eleventh;twelve twelfth dozen;thirteen thirteenth;fourteen fourteenth;"
    "fifteen fifteenth;sixteen sixteenth;seventeen seventeenth;eighteen eighteenth;nineteen nineteenth"
)
_TENS = (
    "twenty twentieth;thirty thirtieth;forty fortieth fourty;fifty fiftieth;sixty sixtieth;seventy seventieth;"
    "eighty eightieth;ninety ninetieth"
)
_NO_NUMBERS = frozenset({"ones", "seconds", "twices", "thrices"})
_VALUES = {
    form: value
    for values, rows in ((range(20), _SMALL), (range(20, 100, 10), _TENS))
    for value, row in zip(values, rows.split(";"), strict=True)
    for word in row.split()
    for form in (word, f"{word[:-1]}ies" if word.endswith("y") else f"{word}s")
    if form not in _NO_NUMBERS
}
_GREAT = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SCALES = {form: value for word, value in _GREAT.items() for form in (word, f"{word}s", f"{word}th")}
COUNTING = frozenset((*_VALUES, *_SCALES))
_COUNTS = COUNTING - {"one"}
_ENDLESS = 10**18

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FIGURES = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?")
_PHRASE = re.compile(r"[^\W\d_]+|[^\s\w-]|\d")
_SHORT = frozenset({"s", "t", "ll", "ve", "re", "d", "m", ""})
_AFTER_ARTICLE = re.compile(r"\b(?:an?|the|this|that|these|those|my|your|his|her|its|our|their)\s+$", re.IGNORECASE)
_QUOTE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_END = re.compile(r"[.!?…]+[\"”»'’)\]]*(?=\s|$)|[.!?…][\"”»](?=\s)")
_NEXT = re.compile(r"\s*(\S)")
_BEFORE = " \t\"'“”‘’«»(*_"
_OPENS = frozenset(".!?…:;\n-–—>")


def unquoted(text: str) -> str:
    return _QUOTE.sub('""', text)


def sentences(text: str) -> list[str]:
    """Split a text into sentences. Quotations are not split; a line break ends a sentence."""
    return [sentence for line in text.split("\n") for sentence in _sentences_of(line.strip())]


@lru_cache(maxsize=2048)
def _sentences_of(line: str) -> tuple[str, ...]:
    ends = list(_END.finditer(line))
    if not ends or ends[0].end() == len(line):  # most lines are one sentence
        return (line,) if line else ()
    quotations = [match.span() for match in _QUOTE.finditer(line)]
    found: list[str] = []
    start = at = 0
    for match in ends:
        first, end = match.span()
        if end <= start:
            continue
        while at < len(quotations) and quotations[at][1] <= end:
            at += 1
        inside = at < len(quotations) and quotations[at][0] < first
        following = _NEXT.match(line, end)
        if inside or (following and following[1].islower()):
            continue
        if match[0] != "." or not is_abbreviated(line, end):
            found.append(line[start:end].strip())
            start = end
    return tuple(one for one in (*found, line[start:].strip()) if one)


@lru_cache(maxsize=32_768)
def normalize(written: str) -> str:
    """Return a word without case, possessive and contraction."""
    folded = unicodedata.normalize("NFKC", written).replace("’", "'").casefold()
    head, mark, tail = folded.rpartition("'")
    while mark and head and tail in _SHORT:
        folded = head[:-1] if tail == "t" and head.endswith("n") and len(head) > 2 else head
        head, mark, tail = folded.rpartition("'")
    return folded


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def keys_of(text: str) -> list[str]:
    return [normalize(word) for word in _WORD.findall(_composed(text))]


def telling_of(text: str) -> frozenset[str]:
    """Return the content words of a text: neither plain nor dull nor short."""
    words = frozenset(keys_of(text)) - PLAIN - _DULL
    return frozenset(word for word in words if len(word) > 2 or not word.isascii())


def rows_of(text: str, length: int) -> set[tuple[str, ...]]:
    found = keys_of(text)
    return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}


class CapitalizedToken(NamedTuple):
    """A capitalized word; it `opens` a sentence, line or quotation, or follows an `article`."""

    word: str
    key: str
    opens: bool
    article: bool


def capitals_of(text: str) -> list[CapitalizedToken]:
    text = _composed(text)
    found = []
    for match in _WORD.finditer(text):
        if match[0] != match[0].lower():
            before = text[max(0, match.start() - 12) : match.start()]
            bare = before.rstrip(_BEFORE)
            opens = not bare or bare[-1] in _OPENS or before[-1] in '"“‘«('
            article = _AFTER_ARTICLE.search(before) is not None
            found.append(CapitalizedToken(match[0], normalize(match[0]), opens, article))
    return found


def neighbours_of(text: str) -> Iterator[list[str]]:
    """Yield the rows of names that only a blank separates."""
    text = _composed(text)
    row: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match[0]
        named = word[0] != word[0].lower() and normalize(word) not in PLAIN
        if row and (not named or text[end : match.start()] != " "):
            yield row
            row = []
        if named:
            row.append(normalize(word))
        end = 0 if word.endswith(("'s", "’s")) else match.end()
    if row:
        yield row


class _Token(NamedTuple):
    """What stands between two blanks; `name` is a capitalized word at its beginning, which `goes_on` lets follow."""

    words: tuple[str, ...]
    name: str
    goes_on: bool
    figures: tuple[str, ...]
    counts: bool
    pledges: bool
    cues: bool
    joins: bool  # it may be part of a number of several words


_figures_of, _counts, _pledges, _cues = map(attrgetter, ("figures", "counts", "pledges", "cues"))


@lru_cache(maxsize=32_768)
def _token(written: str) -> _Token:
    """Cached, as most tokens of a text stand in many others."""
    words = tuple(_WORD.findall(written))
    first = _WORD.match(written)
    name = first[0] if first and first[0] != first[0].lower() else ""
    folded = {part for word in words for part in (word.casefold(), *word.casefold().split("'"))}
    counts = not folded.isdisjoint(_COUNTS)
    return _Token(
        words,
        name,
        goes_on=written[-1].isalnum() or written[-1] in ",;)&'’",
        figures=tuple(map(_normal_figures, _FIGURES.findall(written))),
        counts=counts,
        pledges=not folded.isdisjoint(_PLEDGES),
        cues=not folded.isdisjoint(CUES),
        joins=counts or all(key in COUNTING or key == "and" for key in keys_of(written)),
    )


class JudgedTexts:
    """Texts read once. What not every reader needs is computed on access."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = [_composed(text) for text in texts]
        self._rows = [[*map(_token, text.split())] for text in self.texts]
        self.names = self._names()
        """Normalized -> as written: capitalized words inside a sentence."""
        self.numbers = self._numbers()

    @cached_property
    def _written(self) -> set[str]:
        return {word for row in self._rows for token in row for word in token.words}

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(map(normalize, self._written))

    @cached_property
    def capitals(self) -> frozenset[str]:
        return frozenset(normalize(word) for word in self._written if word != word.lower())

    def _numbers(self) -> frozenset[str]:
        found: set[str] = set()
        for text, row in zip(self.texts, self._rows, strict=True):
            found.update(*filter(None, map(_figures_of, row)))
            if not text.isascii():
                found.update(sign for sign in text if category(sign) in ("No", "Nl"))
            if any(map(_counts, row)):
                words = zip(text.split(), row, strict=True)
                for joins, run in groupby(words, lambda word: word[1].joins):
                    spelled = list(run) if joins else []
                    if any(token.counts for _, token in spelled):
                        found.update(_numbers_in_words(" ".join(written for written, _ in spelled)))
        return frozenset(found)

    def _names(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for row in self._rows:
            follows = False
            for token in row:
                if follows and token.name:
                    found[normalize(token.name)] = token.name
                follows = token.goes_on
        return {key: name for key, name in found.items() if key not in PLAIN and key not in COUNTING}

    @property
    def may_promise(self) -> bool:
        """Whether a promise is possible; ten times faster than searching for one."""
        return any(any(map(_pledges, row)) for row in self._rows)

    @property
    def may_instruct(self) -> bool:
        return any(any(map(_cues, row)) for row in self._rows)

    @property
    def scripts(self) -> frozenset[str]:
        """The scripts without capitals, by the first word of the Unicode names of their letters."""
        signs = {sign for text in self.texts if not text.isascii() for sign in text}
        return frozenset(unicodedata.name(sign, "?").split()[0] for sign in signs if category(sign) == "Lo")


def _normal_figures(found: str) -> str:
    return "".join(sign if sign == "." else str(unicodedata.digit(sign)) for sign in found if sign != ",")


def _numbers_in_words(text: str) -> Iterator[str]:
    row: list[str] = []
    for token in [*_PHRASE.findall(text), "."]:
        word = token.casefold()
        if word in COUNTING:
            row.append(word)
        elif row and word != "and":
            yield from map(str, _numbers_of(row))
            row = []


def _numbers_of(row: list[str]) -> Iterator[int]:
    """Yield the numbers in a row of counting words; a word that cannot continue a number starts the next."""
    if row == ["one"]:
        return
    whole = part = 0
    room = top = _ENDLESS  # exclusive limit for the next word of the same number
    for at, word in enumerate(row):
        scale, value = _SCALES.get(word), _VALUES.get(word, 0)
        fits = value < room if scale is None else part < 100 if scale == 100 else scale < top
        if at and not fits:
            yield whole + part
            whole, part, room, top = 0, 0, _ENDLESS, _ENDLESS
        if scale is None:
            part, room = part + value, 10 if value >= 20 else 1
        elif scale == 100:
            part, room = max(part, 1) * 100, 100
        else:
            whole, part, room, top = whole + max(part, 1) * scale, 0, scale, scale
    yield whole + part
