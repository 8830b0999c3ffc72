"""The grammar of a told sentence: it is turned to another person, and its subject, time, place and number are found.

Pure grammar by the word lists of the vault. Where it is unclear who is meant there is no result, and the words are
quoted instead.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from agents.brains.instinct.words import HEARD, Words, cut, tokens
from agents.text.addressing import mentions
from agents.text.grammar import past_of
from mud.world.sentences import is_abbreviated, sentences

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CLAUSES = re.compile(r"\s*[,;:–—]\s*|\s+but\s+", re.IGNORECASE)
_QUOTES = frozenset('"“”«»‘?')
_BE = {"am": ("are", "is"), "was": ("were", "was"), "wasn't": ("weren't", "wasn't"), "have": ("have", "has"),
       "haven't": ("haven't", "hasn't"), "do": ("do", "does"), "don't": ("don't", "doesn't")}  # fmt: skip
_AM = {"are": "am", "were": "was", "weren't": "wasn't", "aren't": "am not"}
_SHORT = {"m": "am", "ve": "have", "ll": "will", "re": "are", "d": "would", "s": "is"}
_TURNED = {"my": ("your", "their", "{}'s"), "our": ("your", "their", "{}'s"), "mine": ("yours", "theirs", "{}'s"),
           "ours": ("yours", "theirs", "{}'s"), "me": ("you", "them", "{}"), "us": ("you", "", ""),
           "myself": ("yourself", "", ""), "ourselves": ("yourselves", "", "")}  # fmt: skip
"""What stands for these words: to who said them, to others where it is clear who they are, and where it is not."""
_YOURS = {"your": "my", "yours": "mine", "yourself": "myself"}
_JOINS = ("and", "but", "or", "then")
_CLOCK = ("at", "by", "before", "after", "until", "till", "since", "around")
_FINITE = ("is", "are", "was", "were", "be", "been", "has", "have", "had", "does", "do", "did")
_OF = ("by", "to", "with", "from")
_GOING = ("to", "into", "from", "off", "towards")
_HIM = ("he", "his", "him")
_PRONOUNS = ("i", "you", "he", "she", "they", "we", "it", "me", "him", "them", "her", "his")


def third(verb: str, words: Words) -> str:
    """Return a verb after "I" as it stands after a name: `keep` gives `keeps`, `kept` and `can` stay."""
    low = verb.casefold().replace("’", "'")
    if low in _BE:
        return _BE[low][1]
    past = past_of(low) == low and not low.endswith("eed")
    if low in words.of("modal") or past or (words.stem(low) != cut(low) and past_of(low) == f"{low}ed"):
        return verb
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if low.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


@lru_cache(maxsize=HEARD)
def opened(statement: str, words: Words) -> str:
    """Return a statement without what only opens it, such as "well," or "by the way"."""
    rest = statement.strip()
    low = rest.casefold().replace("’", "'")
    fits = _openings(words).get(low[:1], ())
    found = next((one for one in fits if low.startswith(one) and not low[len(one) :][:1].isalnum()), "")
    alone = rest[len(found) :][:1] in tuple(",:;.!") or " " in found or found in words.of("adverb")
    after = rest[len(found) :].lstrip(" ,:;.!-–—")
    return opened(after, words) if found and alone and after else rest


@lru_cache(maxsize=8)
def _openings(words: Words) -> Mapping[str, Sequence[str]]:
    """Return what may only open a statement, by its first letter, the longest first."""
    found = defaultdict[str, list[str]](list)
    for one in sorted(words.of("opener") | words.of("corrects"), key=len, reverse=True):
        found[one[:1]].append(one.replace("-", " "))
    return found


@lru_cache(maxsize=1 << 12)
def retell(statement: str, speaker: str, listener: str, words: Words) -> str | None:
    """Return what somebody said as a sentence for somebody else, without its end mark; None when that is unclear.

    "My uncle keeps a lighthouse" of Ann becomes "your uncle keeps a lighthouse" for Ann, "Ann's uncle keeps a
    lighthouse" for everybody else. What was said to the teller ("your garden") becomes theirs ("my garden").

    Args:
        statement: the sentence.
        speaker: who said it.
        listener: who hears it now.
        words: the word lists.
    """
    text = opened(statement, words).strip().rstrip(".!… ")
    if not text or not _QUOTES.isdisjoint(statement) or (speaker != listener and mentions(text, listener)):
        return None
    return _Turning(text, speaker if speaker != listener else "", words).turned()


@lru_cache(maxsize=64)
def own_words(profile: str, words: Words) -> tuple[str, ...]:
    """Return the sentences of a profile that begin with "you" or "your", as its agent says them."""
    told = []
    for sentence in sentences(profile):
        first = sentence.split(" ", 1)[0].casefold().partition("'")[0]
        mine = _Turning(sentence.rstrip(), "", words, known=True).turned() if first in ("you", "your") else None
        if mine and "you" not in mine.casefold().split() and not words.is_secret(sentence):
            end = "" if mine.endswith(("?", "!")) else "."
            told.append(f"{mine[0].upper()}{mine[1:]}{end}")
    return tuple(told)


class _Sentence:
    """A sentence: its words, what stands between them, and which phrases of nouns, time, place and number it has.

    Args:
        text: the sentence.
        words: the word lists.
        question: the telling words of a question that it answers.
    """

    def __init__(self, text: str, words: Words, question: Sequence[str] = ()) -> None:
        self._text, self._words = text.strip().rstrip(".!…"), words
        self._spans = [found.span() for found in _WORD.finditer(self._text)]
        self._said = [self._text[start:end] for start, end in self._spans]
        self._low = [word.casefold().replace("’", "'") for word in self._said]
        self._question = frozenset(question)
        self._asked = {words.stem(word) for word in question if word not in words.stop or word == "i"}

    def _word(self, at: int) -> str:
        return self._low[at] if 0 <= at < len(self._low) else ""

    def _is(self, at: int, *names: str) -> bool:
        """Return whether a word is of one of these lists."""
        return any(self._word(at) in self._words.of(name) for name in names)

    def _gap(self, at: int) -> str:
        """Return what stands before a word."""
        return self._text[self._spans[at - 1][1] if at else 0 : self._spans[at][0]]

    def _runs_on(self, at: int) -> bool:
        """Return whether there is a word here that follows the one before it without a mark between them."""
        if not 0 < at < len(self._low):
            return at == 0 and bool(self._low)
        gap, digits = self._gap(at), f"{self._low[at - 1][-1:]}{self._low[at][:1]}".isdigit()
        short = gap == ". " and is_abbreviated(self._text, self._spans[at - 1][1] + 1)
        return not gap.strip() or short or (digits and gap in tuple(".,:"))

    def _cut(self, first: int, end: int) -> str:
        """Return the words from the first up to, without, the end."""
        return self._text[self._spans[first][0] : self._spans[end - 1][1]] if first < end else ""

    def _best(self, spans: Iterable[tuple[int, int]], fits: Callable[[int, int], int] = lambda *_: 0) -> str:
        """Return the phrase that fits best, the first of equals."""
        return self._cut(*max(spans, key=lambda span: fits(*span), default=(0, 0)))

    def _runs(self, end_of: Callable[[int], int], first: int = 0) -> Iterator[tuple[int, int]]:
        """Yield where phrases begin and end, given the place after the phrase that begins at one."""
        at = first
        while at < len(self._low):
            end = end_of(at)
            if end > at:
                yield at, end
            at = max(end, at + 1)

    def _knows(self, first: int, end: int) -> int:
        """Return how many words of a phrase the question says."""
        return sum(self._words.stem(word) in self._asked for word in self._low[first:end])

    def _named(self, at: int) -> bool:
        """Return whether a word is a name by its capital."""
        capital = at < len(self._said) and self._said[at][0].isupper() and self._low[at].partition("'")[0] != "i"
        return capital and not (at == 0 and self._low[0] in self._words.stop)

    def _ends_noun(self, at: int) -> bool:
        return self._low[at] in self._words.stop or self._is(at, "clause", "place_head") or self._low[at].endswith("ly")

    def _is_number(self, at: int) -> bool:
        word = self._word(at)
        return bool(word) and (word[0].isdigit() or word.split("-")[0] in self._words.of("number"))

    def _is_person(self, at: int, end: int) -> bool:
        """Return whether a phrase is a name, or says somebody: "my sister"."""
        placed = self._is(at - 1, "place_head") and self._word(at - 1) not in _OF
        name = any(map(self._named, range(at, end))) and not self._is(at, "time") and not placed
        return name or not self._words.of("persons").isdisjoint(self._low[at:end])

    # ---- phrases ----

    def _noun_end(self, at: int) -> int:
        """Return the place after the noun from here on: "my sister", "Old Tom", "the miller's boy", "you"."""
        if self._word(at) in _PRONOUNS and not (self._is(at, "determiner") and self._word(at) in ("her", "his")):
            return at + 1
        end = at
        while end - at < 4 and (self._runs_on(end) or end == at):
            word = self._word(end)
            head = word.partition("'")[0]
            name = self._said[end][0].isupper() and head not in (self._words.stop if end == at else _PRONOUNS)
            whose = (end == at and self._is(end, "determiner")) or (
                word.endswith("'s") and head not in self._words.stop
            )
            noun = end > at and not self._named(end - 1) and not self._ends_noun(end)
            if noun and end - at > 1 and not self._low[end - 1].endswith("'s"):
                noun = not word.endswith(("s", "ed")) and past_of(word) != word and not self._knows(end, end + 1)
            if not (name or whose or noun):
                break
            end += 1
        return at if end == at + 1 and self._is(at, "determiner") else end

    def _name_end(self, at: int) -> int:
        end = at
        while self._named(end) and (end == at or self._runs_on(end) or self._gap(end) == ", "):
            end += 2 if self._word(end + 1) == "and" and self._named(end + 2) else 1
        return end

    def _number_end(self, at: int) -> int:
        one = self._low[at] == "one" and self._runs_on(at + 1) and not self._ends_noun(at + 1)
        end = at + (one or self._is_number(at) or (self._low[at] in ("a", "one") and self._is_number(at + 1)))
        joins = ("and", "a") if end > at else ()
        while end > at and (self._is_number(end) or (self._word(end) in joins and self._is_number(end + 1))):
            end += 1
        last = end
        while last > at and last - end < 2 and self._runs_on(last) and not self._ends_noun(last):
            last += 1
        return last + (last > at and self._word(last) == "old")

    def _colour_end(self, at: int) -> int:
        end = at + (self._low[at].split("-")[-1] in (self._words.of("colour") | self._words.of("colour_shade")))
        while end > at and (self._is(end, "colour") or (self._word(end) == "and" and self._is(end + 1, "colour"))):
            end += 1
        return end if any(self._low[one].split("-")[-1] in self._words.of("colour") for one in range(at, end)) else at

    def _time_end(self, at: int) -> int:
        """Return the place after the phrase of time that begins here; the same place for none."""
        if self._is(at, "always_time"):
            return at + 1 + (self._is(at + 1, "time") and self._runs_on(at + 1))
        end = at + (self._low[at] in ("a", "an", "some"))
        while self._is_number(end):
            end += 1
        if end > at and self._word(end + 1) in ("ago", "later"):
            return end + 2
        end = at + 1
        while self._is(at, "time_head") and end < at + 5 and self._runs_on(end):
            clock = self._is_number(end) or self._is(end, "hour")
            if self._is(end, "time") or (self._low[end].isdigit() and len(self._low[end]) == 4):
                return self._through(end, "time", links=("of",))
            if clock and self._low[at] in _CLOCK:
                end = self._through(end, "time", "hour", "number", links=("past", "to"))
                return end if not self._runs_on(end) or self._ends_noun(end) else at
            if not (clock or self._is(end, "ordinal", "time_link")):
                break
            end += 1
        return at

    def _through(self, at: int, *names: str, links: Sequence[str]) -> int:
        """Return the place after words of these lists and numbers, and the words that link them."""
        while self._runs_on(at) and (self._is(at, *names) or self._low[at].isdigit() or self._low[at] in links):
            at += 1
        return at - (self._word(at - 1) in links)

    def _place_end(self, at: int) -> int:
        """Return the place after the phrase of place that begins here; the same place for none."""
        word = self._low[at]
        named = self._is(at + 1, "determiner") or self._named(at + 1)
        particle = word in ("up", "down", "off", "out") and self._is(at + 1, "place_head")
        if particle or not self._is(at, "place_head", "place_word") or (word == "to" and not named):
            return at
        if self._time_end(at) > at or (word == "there" and at == 0):
            return at
        end, short = at + 1, word == "by" or (word in _GOING and not self._goes())
        while self._runs_on(end) and self._time_end(end) == end and not self._is(end, "clause"):
            if (short and end > at + 1 and self._is(end, "place_head")) or (self._low[end] == "to" and word != "next"):
                break
            end += 1
        return end if end > at + 1 or self._is(at, "place_word") else at

    def _goes(self) -> bool:
        """Return whether the question asks where to or where from."""
        return not {"go", "from", "com", "mov"}.isdisjoint(self._asked)

    def _from(self, begins: Sequence[str]) -> str:
        """Return the clause that one of these words begins."""
        at = next((at for at in range(1, len(self._low) - 1) if self._low[at] in begins), len(self._low))
        return self._cut(at, len(self._low))

    # ---- parts ----

    def number(self) -> str:
        """Return a number with its noun, the one that the question names if there are several."""

        def fits(at: int, end: int) -> int:
            timed = self._word(at - 1) in ("at", "in") and all(map(self._is_number, range(at, end)))
            return self._knows(at, end) - timed

        return self._best((span for span in self._runs(self._number_end) if self._counts(*span)), fits)

    def _counts(self, at: int, end: int) -> bool:
        """Return whether a number is of what is asked: years of an age, a time of how long, and no date."""
        noun = [one for one in range(at, end) if not self._is_number(one) and self._low[one] not in ("a", "and", "old")]
        timed = any(self._is(one, "time") for one in noun)
        if end == at + 1 and len(self._low[at]) == 4 and self._low[at].isdigit():
            return "year" in self._question
        if not self._question.isdisjoint(("old", "age", "long")):
            return timed or not noun
        return not timed or bool(self._knows(at, end)) or not self._asked

    def time(self) -> str:
        """Return when something is: phrases of time, of which one may follow another, or the clause that says it."""
        found: list[tuple[int, int]] = []
        for at, end in self._runs(self._time_end):
            if self._word(end) == "of" and self._runs_on(end + 1):  # "in the winter of the comet"
                end = max(end + 2, self._noun_end(end + 1))
            follows = bool(found) and found[-1][1] == at and self._runs_on(at)
            found[-1 if follows else len(found) :] = [(found[-1][0] if follows else at, end)]
        clause = ("when", "before", "after", "until", "since", "during", "while")
        return self._best(found, lambda at, end: end - at) or self._from(clause) or self._date()

    def _date(self) -> str:
        """Return a day or month that stands alone, with what numbers it: "it is the ninth of June"."""
        end = at = next((at for at in range(len(self._low)) if self._is(at, "dated")), -1)
        while at > 0 and (
            self._is_number(at - 1) or self._is(at - 1, "ordinal") or self._word(at - 1) in ("of", "the")
        ):
            at -= 1
        return self._cut(at, end + 1) if end >= 0 else ""

    def place(self) -> str:
        """Return where something is: the phrase with a preposition, the one that the question leads to."""
        going = self._goes()

        def fits(at: int, end: int) -> int:
            return 2 * ((self._low[at] in _GOING) == going) - (self._low[at] == "by") - self._knows(at, end)

        return self._best(self._runs(self._place_end), fits)

    def person(self) -> str:
        """Return who it is: a person the question does not say, or else the doer of what it asks."""
        ends = ((at, self._noun_end(end + 1) if self._word(end) in ("named", "called") else end)
                for at, end in self._runs(self._noun_end))  # fmt: skip
        nouns = list(ends)
        names = {self._words.stem(word) for at, word in enumerate(self._low) if self._named(at)}
        for at, end in nouns if self._asked and self._asked <= names else ():  # "your daughter" of "your daughter Mia"
            name = next((one for one in range(at + 2, end) if self._named(one)), 0)
            if name and self._is(at, "determiner"):
                return self._cut(at, name)
        new = [(at, end) for at, end in nouns if not self._knows(at, end) and not self._low[end - 1].endswith("'s")]
        new = [(at, end) for at, end in new if self._low[at] not in _PRONOUNS or self._low[at : end + 1] == ["i"]]
        free = [(at, end) for at, end in new if not self._is(at - 1, "place_head") or self._word(at - 1) in _OF]
        doer = [span for span in free if span[0] == 0 or self._is_person(*span) or self._word(span[0] - 1) in _OF]
        asks_me = "i" in self._asked and self._word(0) == "you"
        you = [(0, 1)] if self._word(0) in ("you", "i") and not asks_me and self._knows(1, 3) else []
        by = next((at for at in range(2, len(self._low)) if self._low[at - 1] == "by" and not self._ends_noun(at)), 0)
        passive = [(by, by + 1)] if by and self._low[by - 2].endswith(("ed", "en")) else []  # "eaten by rats"
        return self._best([*you, *doer] or passive, lambda at, end: bool(you) or self._is_person(at, end))

    def reason(self) -> str:
        """Return why: the clause that gives the reason, or the purpose."""
        so = next((at for at in range(2, len(self._low) - 1) if self._low[at] == "so"), 0)
        if so and self._runs_on(so + 1):  # what stands before "so" is the reason for what stands behind it
            return self._cut(0, so) if self._knows(so, len(self._low)) else ""
        if found := self._from(("because", "since")):
            return found
        tos = (at for at in range(2, len(self._low) - 1) if self._low[at] == "to")
        at = next((at for at in tos if not (self._is(at + 1, "determiner") or self._named(at + 1))), len(self._low))
        return self._cut(at, len(self._low))

    def colour(self) -> str:
        """Return the colour, with its shade."""
        return self._best(self._runs(self._colour_end))

    def name(self) -> str:
        """Return what somebody or something is called."""

        def fits(at: int, _: int) -> int:
            if self._word(at - 1) in _PRONOUNS and self._words.stem(self._word(at - 2)) == "call":
                return 2
            return self._is(at - 1, "name_head") or self._word(at - 1) in ("of", "to", "it")

        found = [span for span in self._runs(self._name_end, 1) if not self._knows(span[0], span[0] + 1)]
        placed = [span for span in found if self._is(span[0] - 1, "place_head") and self._word(span[0] - 1) != "to"]
        return self._best([one for one in found if one not in placed and not self._is(one[0], "time")], fits)

    def lead(self, pronoun: str) -> str:
        """Return what a pronoun after this sentence may mean, what it begins with before all else; "" for none.

        It is never a contraction: neither "who's" nor the owner alone of "the baker's" is one who is spoken of.
        """
        spans = ((at, end) for at, end in self._runs(self._noun_end) if len(self._words.parts(self._word(end - 1))) < 2)
        nouns = ((at, end) for at, end in spans if self._cut(at, end).casefold() not in _PRONOUNS)
        fits = [span for span in nouns if self._may_mean(pronoun, *span)]
        gender = self._words.of("female" if pronoun in ("she", "her") else "male" if pronoun in _HIM else "")
        sure = [span for span in fits if not gender.isdisjoint(self._low[slice(*span)])]  # "Norwegian" is no "she"
        at, end = next(iter(sure or fits), (0, 0))
        text = self._cut(at, end)
        if not text or not self._is(at, "determiner"):
            return text
        any_ = self._low[at] in ("a", "an", "some", "this", "these") and " " in text
        return f"the {text.split(' ', 1)[1]}" if any_ else f"{text[0].lower()}{text[1:]}"

    def _may_mean(self, pronoun: str, at: int, end: int) -> bool:
        low, person = self._low[at:end], self._is_person(at, end)
        if pronoun in (*_HIM, "she", "her"):
            other = "male" if pronoun in ("she", "her") else "female"
            return person and self._words.of(other).isdisjoint(low)
        if pronoun in ("they", "their", "them"):
            return low[-1].endswith("s") and not low[-1].endswith(("ss", "'s")) and not self._named(end - 1)
        return not person and not self._is(end - 1, "time")


class _Turning(_Sentence):
    """One sentence on its way from "I" to another person.

    Args:
        text: the sentence.
        name: how who said it is called; empty for "you".
        words: the word lists.
        known: it is known who "you" is.
    """

    def __init__(self, text: str, name: str, words: Words, *, known: bool = False) -> None:
        super().__init__(text, words)
        self._heads = [word.partition("'")[0] for word in self._low]
        self._out = list(self._said)
        self._name, self._known = name, known
        self._named_once = self._mine = self._present = False
        """The name was said as the subject; "I" is the subject of the clause; its verb was turned."""

    def turned(self) -> str | None:
        """Return the sentence as it is told; None where it is unclear who is meant."""
        heads, words, name = self._heads, self._words, self._name
        who = {*heads}
        unclear = not self._known and who & {"you", *_YOURS} and not who & {"i", "my", "me", "mine"}
        if not heads or unclear or (name and who & {"we", "us", "ourselves", "myself"}):
            return None
        if heads[0] in words.of("kin") and heads[1:2] not in ([], ["of"], ["and"]):
            self._out[0] = f"{name}'s {heads[0]}" if name else f"your {heads[0]}"
        if not all(map(self._turn, range(len(heads)))):
            return None
        told = "".join(f"{self._gap(at)}{word}" if word else "" for at, word in enumerate(self._out))
        told += self._text[self._spans[-1][1] :]
        keeps = told.startswith(("I ", "I'")) or (name and told.startswith(name))
        small = heads[0] in words.stop or heads[0] in words.of("determiner")
        return told if keeps or not small else told[0].lower() + told[1:]

    def _turn(self, at: int) -> bool:
        """Turn one word; return whether that was clear."""
        word, head = self._low[at], self._heads[at]
        short = _SHORT.get(word.partition("'")[2], "")
        if head in ("i", "you") and (short or word == head):
            return self._subject(at, short) if head == "i" else self._you(at, short)
        if word in ("this", "these") and not self._is(at + 1, "time"):
            self._out[at] = "that" if word == "this" else "those"
            return self._word(at + 1) not in ("", *self._words.stop)
        if head == "we":
            self._out[at] = f"you {short}".strip()
        elif word in _TURNED:
            mine, clear, name = _TURNED[word]
            others = [one for one in self._said[1:at] if one[0].isupper() and not one.startswith((self._name, "I"))]
            only = self._named_once and not others
            self._out[at] = (clear if only else name.format(self._name)) if self._name else mine
        elif word in _YOURS:
            self._out[at] = _YOURS[word]
        elif self._word(at - 1) in _JOINS and self._mine:
            self._joined(at, word)
        return True

    def _subject(self, at: int, short: str) -> bool:
        """Turn "I" and the verb after it."""
        before, name = self._word(at - 1), self._name
        if before in _BE or before in self._words.of("modal"):
            return before not in _BE and not name and not short  # "so am I"
        both = before == "and" and not self._mine and at <= 3 and (at == 2 or self._low[0] in ("my", "the"))
        who, form = name or "you", int(bool(name))
        if name and self._named_once:
            who, form = ("", 1) if before in _JOINS[:3] and not short else ("they", 0)
        verb = None if short else self._verb_after(at)
        if verb is None and not short:
            return False
        if short:
            past = past_of(self._word(at + 1)) == self._word(at + 1) or self._word(at + 1) == "better"
            short = "had" if short == "would" and past else _BE[short][form] if short in _BE else short
        elif verb and not both:
            was, word = self._said[verb], self._low[verb]
            self._out[verb] = _BE[word][form] if word in _BE else third(was, self._words) if form else was
            self._present = bool(form) and self._out[verb] != was
        self._out[at] = f"{who} {short}".strip()
        self._mine, self._named_once = not both, bool(name) and not both
        return True

    def _verb_after(self, at: int) -> int | None:
        """Return the place of the verb after a subject; None when something else follows."""
        for verb in range(at + 1, len(self._low)):
            if self._gap(verb).strip() not in ("", ","):
                break
            word = self._low[verb]
            if word not in self._words.of("adverb") and not (word.endswith("ly") and len(word) > 4):
                return verb if word.replace("'", "").isalpha() and not self._is(verb, "determiner") else None
        return None

    def _you(self, at: int, short: str) -> bool:
        """Turn "you" into "I" where it is a subject, into "me" where it is none for sure."""
        before, after = self._word(at - 1), self._word(at + 1)
        opens = at == 0 or self._is(at - 1, "clause", "wh") or before in (*_JOINS, "than") or "," in self._gap(at)
        if short or opens or after in (*_AM, *_FINITE) or self._is(at + 1, "modal"):
            self._out[at] = f"I {_AM.get(short, short)}".strip()
            if after in _AM and not short:
                self._out[at + 1] = self._low[at + 1] = _AM[after]
            return True
        self._out[at] = "me"
        follows = self._is(at + 1, "determiner", "place_head", "place_word", "time", "clause", "stop", "adverb")
        return follows or not self._runs_on(at + 1)

    def _joined(self, at: int, word: str) -> None:
        """Turn a further verb of "I": "I keep bees and sell honey", "I came and was glad"."""
        words = self._words
        if word in _BE and word != "do":
            self._out[at] = _BE[word][int(bool(self._name))]
        elif self._present and word not in words.stop and not self._is(at, "adverb", "determiner"):
            irregular = past_of(word) not in (word, f"{word}ed", f"{word}d")
            if irregular or self._is(at + 1, "determiner") or self._word(at - 3) == "i":
                self._out[at] = third(self._said[at], words)


_PARTS: dict[str, Callable[[_Sentence], str]] = {
    "number": _Sentence.number, "when": _Sentence.time, "where": _Sentence.place, "who": _Sentence.person,
    "why": _Sentence.reason, "colour": _Sentence.colour, "name": _Sentence.name,
}  # fmt: skip


@lru_cache(maxsize=HEARD)
def part(statement: str, asks: str, question: tuple[str, ...], words: Words) -> str | None:
    """Return the part of a statement that a question asks for; None when it has none for sure."""
    stated = statement if asks == "why" or _denies(" ".join(question), words) else _stated(statement, words)
    found = _PARTS[asks](_Sentence(stated, words, question)) if asks in _PARTS else ""
    found = found.strip(" ,;:.!-–—")
    return None if found.casefold() in ("", "here", "there") else found


def _stated(statement: str, words: Words) -> str:
    """Return a statement without the clauses that deny something: "not in Delft but in Leiden" gives "in Leiden"."""
    if not _denies(statement, words):
        return statement
    return ", ".join(one for one in _CLAUSES.split(statement) if not _denies(one, words))


def _denies(text: str, words: Words) -> bool:
    said = f"-{'-'.join(tokens(text))}-"
    return any(f"-{one}-" in said for one in words.of("denial"))


@lru_cache(maxsize=HEARD)
def lead(statement: str, pronoun: str, words: Words) -> str:
    """Return whom or what a statement is about, as its speaker says it, that a pronoun may mean; "" for none."""
    return _Sentence(statement, words).lead(pronoun)


@lru_cache(maxsize=HEARD)
def pronoun_in(statement: str, words: Words) -> str:
    """Return the pronoun of a statement that surely means something said before; "" for none.

    "It rained" and "there were" mean nothing said before, and "it is time" need not.
    """
    low: list[str] = [one.casefold().replace("’", "'") for one in _WORD.findall(statement)]
    first, after = low[0] if low else "", low[2] if len(low) > 2 else ""
    head = first.partition("'")[0]
    if head in ("he", "she", "they") or first in ("his", "her", "their", "its"):
        return head
    if first == "it" and len(low) > 1 and words.stem(low[1]) not in map(words.stem, words.of("expletive")):
        plain = words.of("place_head") | words.of("colour") | words.of("standing")
        return "it" if low[1] not in ("is", "was") or after in plain else ""
    after_it = {"", *words.of("place_head")}
    ends = (word for word, follows in zip(low, [*low[1:], ""], strict=True) if follows in after_it)
    if not words.of("article").isdisjoint(low):
        return ""  # "I lost my ring and found it" says itself what it is
    return next((word for word in ends if word in ("it", "them", "him")), "") if head in ("i", "we") else ""


def with_pronoun(text: str, pronoun: str, who: str, words: Words) -> str:
    """Return a sentence with somebody in place of its first pronoun: "how old is she?" gives "how old is my sister?".

    Args:
        text: the sentence.
        pronoun: the pronoun, in lower case.
        who: whom or what it means.
        words: the word lists.
    """
    found = list(_WORD.finditer(text))
    for at, one in enumerate(found):
        head, mark, tail = one[0].casefold().replace("’", "'").partition("'")
        if head == pronoun.partition("'")[0]:
            after = found[at + 1][0].casefold() if at + 1 < len(found) else ""
            had = tail == "s" and (
                after in ("got", "been", "had") or (past_of(after) == after and after.endswith("ed"))
            )
            whose = head in ("his", "its", "their") or (head == "her" and after and after not in words.stop)
            verb = "has" if had else _SHORT.get(tail, tail)
            put = f"{who}'s" if whose else f"{who} {verb}" if mark else who
            return f"{text[: one.start()]}{put}{text[one.end() :]}"
    return text
