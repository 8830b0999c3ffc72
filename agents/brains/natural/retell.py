"""Turns what somebody said into a sentence about them, and finds the part of a sentence that a question asks for.

Pure grammar by the word lists of the vault. Where it is unclear who is meant there is no result, and the words are
quoted instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.brains.natural.words import Words, cut
from agents.text.addressing import mentions
from agents.text.grammar import past_of
from mud.world.sentences import is_abbreviated, sentences

_PIECE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[\W_]+")
_QUOTES = frozenset('"“”«»‘?')
_BE = {"am": ("are", "is"), "was": ("were", "was"), "wasn't": ("weren't", "wasn't"), "have": ("have", "has"),
       "haven't": ("haven't", "hasn't"), "do": ("do", "does"), "don't": ("don't", "doesn't")}  # fmt: skip
_AM = {"are": "am", "were": "was", "weren't": "wasn't", "aren't": "am not"}
_SHORT = {"m": "am", "ve": "have", "ll": "will", "re": "are", "d": "would", "s": "is"}
_JOINS = ("and", "but", "or", "then")
_LEADS = ("", *_JOINS, "that", "because", "if", "when", "as", "what", "where", "while")
_FINITE = ("is", "are", "was", "were", "be", "been", "has", "have", "had", "does", "do", "did")
_OF = ("by", "to", "with", "from")
_GOING = ("to", "into", "from", "off", "towards")
_PRONOUNS = ("i", "you", "he", "she", "they", "we", "it", "me", "him", "them", "her", "his")


def third(verb: str, words: Words) -> str:
    """Return a verb after "I" as it stands after a name: `keep` gives `keeps`, `kept` and `can` stay.

    Args:
        verb: the verb.
        words: the word lists.
    """
    low = verb.casefold().replace("’", "'")
    if low in _BE:
        return _BE[low][1]
    past = past_of(low) == low and not low.endswith("eed")
    if low in words.of("modal") or past or (words.stem(low) != cut(low) and past_of(low) == f"{low}ed"):
        return verb
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if low.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


def opened(statement: str, words: Words) -> str:
    """Return a statement without what only opens it, such as "well," or "by the way".

    Args:
        statement: the sentence.
        words: the word lists.
    """
    rest = statement.strip()
    openers = sorted((one.replace("-", " ") for one in words.of("opener")), key=lambda one: (-len(one), one))
    while True:
        low = rest.casefold().replace("’", "'")
        found = next((one for one in openers if low.startswith(one) and not low[len(one) : len(one) + 1].isalnum()), "")
        alone = (
            rest[len(found) : len(found) + 1] in (",", ":", ";", ".", "!")
            or " " in found
            or found in words.of("adverb")
        )
        after = rest[len(found) :].lstrip(" ,:;.!-–—")
        if not found or not alone or not after:
            return rest
        rest = after


def is_past(clause: str) -> bool:
    """Return whether a clause has a verb in the past.

    Args:
        clause: the clause.
    """
    return any(past_of(word) == word and len(word) > 2 for word in clause.casefold().split())


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


def own_words(profile: str, words: Words) -> tuple[str, ...]:
    """Return the sentences of a profile that begin with "you" or "your", as its agent says them.

    Args:
        profile: who it is, in prose that speaks to it.
        words: the word lists.
    """
    told = []
    for sentence in sentences(profile):
        first = sentence.split(" ", 1)[0].casefold().partition("'")[0]
        mine = _Turning(sentence, "", words, known=True).turned() if first in ("you", "your") else None
        if mine and "you" not in mine.casefold().split() and not words.is_secret(sentence):
            told.append(f"{mine[0].upper()}{mine[1:]}")
    return tuple(told)


class _Turning:
    """One sentence on its way from "I" to another person.

    Args:
        text: the sentence.
        name: how who said it is called; empty for "you".
        words: the word lists.
        known: it is known who "you" is.
    """

    def __init__(self, text: str, name: str, words: Words, *, known: bool = False) -> None:
        self._pieces = _PIECE.findall(text)
        self._at = [place for place, piece in enumerate(self._pieces) if piece[0].isalnum()]
        self._low = [self._pieces[place].casefold().replace("’", "'") for place in self._at]
        self._heads = [word.partition("'")[0] for word in self._low]
        self._name, self._words, self._known = name, words, known
        self._named = self._mine = self._present = False
        """The name was said as the subject; "I" is the subject of the clause; its verb was turned."""

    def turned(self) -> str | None:
        heads, words = self._heads, self._words
        if not heads:
            return None
        if not self._known and {"you", "your", "yours"} & set(heads) and not {"i", "my", "me", "mine"} & set(heads):
            return None  # "you" may be anybody
        if self._name and {"we", "us", "ourselves", "myself"} & set(heads):
            return None
        if heads[0] in words.of("kin") and len(heads) > 1 and heads[1] not in ("of", "and"):
            self._put(0, f"{self._whose()} {heads[0]}")
        if not all(map(self._turn, range(len(heads)))):
            return None
        told = "".join(self._pieces)
        keeps = told.startswith(("I ", "I'")) or (self._name and told.startswith(self._name))
        small = heads[0] in words.stop or heads[0] in words.of("determiner")
        return told if keeps or not small else told[0].lower() + told[1:]

    def _put(self, at: int, word: str) -> None:
        self._pieces[self._at[at]] = word

    def _word(self, at: int) -> str:
        return self._low[at] if 0 <= at < len(self._low) else ""

    def _whose(self) -> str:
        return f"{self._name}'s" if self._name else "your"

    def _their(self, at: int, clear: str, plain: str) -> str:
        """Return a pronoun where it can mean nobody but the name that was said, else the plain form."""
        before = (self._pieces[place] for place in self._at[1:at])
        others = [one for one in before if one[0].isupper() and not one.startswith((self._name or "I", "I"))]
        return clear if self._name and self._named and not others else plain

    def _turn(self, at: int) -> bool:
        """Turn one word; return whether that was clear."""
        word, head = self._low[at], self._heads[at]
        short = _SHORT.get(word.partition("'")[2], "")
        if head == "i" and (short or word == "i"):
            return self._subject(at, short)
        if head == "you" and (short or word == "you"):
            self._you(at, short)
        elif word in ("this", "these"):
            return self._pointed(at, word)
        elif head == "we" or word == "us":
            self._put(at, f"you {short}".strip())
        elif word in ("my", "our"):
            self._put(at, self._their(at, "their", self._whose()))
        elif word in ("mine", "ours"):
            self._put(at, self._their(at, "theirs", self._whose() if self._name else "yours"))
        elif word == "me":
            self._put(at, self._their(at, "them", self._name or "you"))
        else:
            own = {"myself": "yourself", "ourselves": "yourselves", "your": "my", "yours": "mine", "yourself": "myself"}
            if word in own:
                self._put(at, own[word])
            elif self._word(at - 1) in _JOINS and self._mine:
                self._joined(at, word)
        return True

    def _subject(self, at: int, short: str) -> bool:
        """Turn "I" and the verb after it."""
        before = self._word(at - 1)
        if before in _BE or before in self._words.of("modal"):
            return before not in _BE and not self._name and not short  # "so am I"
        both = before == "and" and not self._mine and at <= 3 and (at == 2 or self._low[0] in ("my", "the"))
        who, form = self._name or "you", int(bool(self._name))
        if self._name and self._named:
            who, form = ("", 1) if before in ("and", "but", "or") and not short else ("they", 0)
        if short:
            past = past_of(self._word(at + 1)) == self._word(at + 1) or self._word(at + 1) == "better"
            short = "had" if short == "would" and past else _BE[short][form] if short in _BE else short
        self._put(at, f"{who} {short}".strip())
        if not who:
            self._pieces[self._at[at] + 1] = ""
        verb = None if short else self._verb_after(at)
        if verb is None and not short:
            return False
        if verb is not None and not both:
            was, word = self._pieces[self._at[verb]], self._low[verb]
            turned = _BE[word][form] if word in _BE else third(was, self._words) if form else was
            self._present = bool(form) and turned != was
            self._put(verb, turned)
        self._mine, self._named = not both, bool(self._name) and not both
        return True

    def _verb_after(self, at: int) -> int | None:
        """Return the place of the verb after a subject; None when something else follows."""
        while at + 1 < len(self._low) and self._pieces[self._at[at] + 1].strip() in ("", ","):
            at += 1
            word = self._low[at]
            if word not in self._words.of("adverb") and not (word.endswith("ly") and len(word) > 4):
                return at if word.replace("'", "").isalpha() and word not in self._words.of("determiner") else None
        return None

    def _you(self, at: int, short: str) -> None:
        """Turn "you" into "I" or "me"."""
        opens = self._word(at - 1) in _LEADS or self._word(at + 1) in _AM or "," in self._pieces[self._at[at] - 1]
        if short or not opens:
            self._put(at, f"I {_AM.get(short, short)}" if short else "me")
            return
        self._put(at, "I")
        if (after := self._word(at + 1)) in _AM:
            self._put(at + 1, _AM[after])
            self._low[at + 1] = ""

    def _pointed(self, at: int, word: str) -> bool:
        """Turn "this lantern" into "that lantern"; "this morning" stays, and "this" alone is unclear."""
        after = self._word(at + 1)
        if after not in self._words.of("time"):
            self._put(at, "that" if word == "this" else "those")
        return bool(after) and (after not in self._words.stop or after in self._words.of("time"))

    def _joined(self, at: int, word: str) -> None:
        """Turn a further verb of "I": "I keep bees and sell honey", "I came and was glad"."""
        words, after = self._words, self._word(at + 1)
        if word in _BE and word != "do":
            self._put(at, _BE[word][int(bool(self._name))])
        elif self._present and word not in words.stop | words.of("adverb") | words.of("determiner"):
            irregular = past_of(word) not in (word, f"{word}ed", f"{word}d")
            if irregular or after in words.of("determiner") or self._word(at - 3) == "i":
                self._put(at, third(self._pieces[self._at[at]], words))


def part(statement: str, asks: str, question: Sequence[str], words: Words) -> str | None:
    """Return the part of a statement that a question asks for; None when it has none for sure.

    Args:
        statement: the sentence, as it is told to who asks.
        asks: what is asked for: number when where who why colour name.
        question: the telling words of the question.
        words: the word lists.
    """
    sentence = _Sentence(statement, question, words)
    find = {"number": sentence.number, "when": sentence.time, "where": sentence.place, "who": sentence.person,
            "why": sentence.reason, "colour": sentence.colour, "name": sentence.name}.get(asks)  # fmt: skip
    return (find() or "").strip(" ,;:.!-–—") or None if find else None


class _Sentence:
    """A sentence in which a part is looked for.

    Args:
        text: the sentence.
        question: telling words of the question.
        words: the word lists.
    """

    def __init__(self, text: str, question: Sequence[str], words: Words) -> None:
        self._text, self._words = text.strip().rstrip(".!…"), words
        self._spans = [found.span() for found in _PIECE.finditer(self._text) if found[0][0].isalnum()]
        self._said = [self._text[start:end] for start, end in self._spans]
        self._low = [word.casefold().replace("’", "'") for word in self._said]
        self._asked = {words.stem(word) for word in question if word not in words.stop or word == "i"}

    def _is(self, at: int, *names: str) -> bool:
        """Return whether a word is of one of these lists."""
        return 0 <= at < len(self._low) and any(self._low[at] in self._words.of(name) for name in names)

    def _word(self, at: int) -> str:
        return self._low[at] if 0 <= at < len(self._low) else ""

    def _cut(self, first: int, end: int) -> str:
        """Return the words from the first up to, without, the end."""
        return self._text[self._spans[first][0] : self._spans[end - 1][1]] if first < end else ""

    def _runs_on(self, at: int) -> bool:
        """Return whether there is a word here that follows the one before it without a mark between them."""
        if not 0 < at < len(self._low):
            return at == 0 and bool(self._low)
        gap = self._text[self._spans[at - 1][1] : self._spans[at][0]]
        return not gap.strip() or (gap == ". " and is_abbreviated(self._text, self._spans[at - 1][1] + 1))

    def _known(self, at: int) -> bool:
        return self._words.stem(self._word(at)) in self._asked

    def _named(self, at: int) -> bool:
        """Return whether a word is a name by its capital."""
        capital = at < len(self._said) and self._said[at][0].isupper() and self._low[at] != "i"
        return capital and not (at == 0 and self._low[0] in self._words.stop)

    def _names_end(self, at: int) -> int:
        end = at
        while self._named(end) and (end == at or self._runs_on(end)):
            end += 2 if self._word(end + 1) == "and" and self._named(end + 2) else 1
        return end

    def _ends_noun(self, at: int) -> bool:
        return self._low[at] in self._words.stop or self._is(at, "clause", "place_head") or self._low[at].endswith("ly")

    def _is_number(self, at: int) -> bool:
        return bool(self._word(at)) and (
            self._low[at][0].isdigit() or self._low[at].split("-")[0] in self._words.of("number")
        )

    def number(self) -> str | None:
        """Return a number with its noun, the one that the question names if there are several."""
        best, at = (-9, 0, ""), 0
        while at < len(self._low):
            end = at + self._is_number(at) or at
            end = at + 1 if end == at and self._low[at] in ("a", "one") and self._is_number(at + 1) else end
            if end == at and not (self._low[at] == "one" and self._runs_on(at + 1) and not self._ends_noun(at + 1)):
                at += 1
                continue
            end = max(end, at + 1)
            while self._is_number(end) or (
                self._word(end) in ("and", "a") and self._is_number(end + 1) and self._runs_on(end)
            ):
                end += 1
            last = end
            while last - end < 2 and self._runs_on(last) and not self._ends_noun(last):
                last += 1
            last += self._word(last) == "old"
            timed = self._word(at - 1) in ("at", "in") and last == end
            best = max(best, (sum(map(self._known, range(end, last))) - timed, -at, self._cut(at, last)))
            at = last
        return best[2] or None

    def _time_at(self, at: int) -> int:
        """Return the place after the phrase of time that begins here; the same place for none."""
        if self._is(at, "always_time"):
            return at + 2 if self._is(at + 1, "time") and self._runs_on(at + 1) else at + 1
        counted = at + 1 if self._low[at] in ("a", "an", "some") else at
        while self._is_number(counted):
            counted += 1
        if counted > at and self._word(counted + 1) in ("ago", "later"):
            return counted + 2
        end = at + 1
        while self._is(at, "time_head") and end < at + 5 and self._runs_on(end):
            if self._is(end, "time") or (self._low[end].isdigit() and len(self._low[end]) == 4):
                return self._time_end(end + 1)
            clock = self._is_number(end) or self._is(end, "hour")
            if clock and self._low[at] in ("at", "by", "before", "after", "until", "till", "since", "around"):
                more = end + 1
                while self._is(more, "time", "hour", "number") or self._word(more) in ("past", "to"):
                    more += 1
                return more if not self._runs_on(more) or self._ends_noun(more) else at
            if not (clock or self._is(end, "ordinal", "time_link")):
                break
            end += 1
        return at

    def _time_end(self, end: int) -> int:
        while self._runs_on(end) and (self._is(end, "time") or (self._low[end] == "of" and self._is(end + 1, "time"))):
            end += 1
        return end

    def _times(self) -> list[tuple[int, int]]:
        """Return where phrases of time stand, each with its end; what follows one another is one."""
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(self._low):
            end = self._time_at(at)
            if end > at and found and found[-1][1] == at and self._runs_on(at):
                found[-1] = (found[-1][0], end)
            elif end > at:
                found.append((at, end))
            at = max(end, at + 1)
        return found

    def time(self) -> str | None:
        """Return when something is: a phrase of time, or the clause that says it."""
        if found := self._times():
            return self._cut(*max(found, key=lambda span: (span[1] - span[0], -span[0])))
        begins = ("when", "before", "after", "until", "since", "during", "while")
        return next(
            (self._cut(at, len(self._low)) for at in range(1, len(self._low) - 1) if self._low[at] in begins), None
        )

    def place(self) -> str | None:
        """Return where something is: the phrase with a preposition, the one that the question leads to."""
        timed = {at for first, end in self._times() for at in range(first, end)}
        going = not {"go", "from", "com", "mov"}.isdisjoint(self._asked)
        found: list[tuple[int, str]] = []
        at = 0
        while at < len(self._low):
            word, end = self._low[at], at + 1
            particle = word in ("up", "down", "off", "out") and self._is(at + 1, "place_head")
            if at not in timed and not particle and self._is(at, "place_head", "place_word"):
                while self._runs_on(end) and end not in timed and not self._is(end, "clause"):
                    leads = (
                        self._is(end, "place_head")
                        and end > at + 1
                        and (word == "by" or (word in _GOING and not going))
                    )
                    if leads or (self._low[end] == "to" and word != "next"):
                        break
                    end += 1
                to_do = word == "to" and not (self._is(at + 1, "determiner") or self._named(at + 1))
                if not to_do and (end > at + 1 or self._is(at, "place_word")) and (at or word != "there"):
                    fits = -(word == "by") + 2 * ((word in _GOING) == going) - sum(map(self._known, range(at, end)))
                    found.append((fits, self._cut(at, end)))
            at = end
        return max(found, key=lambda one: one[0])[1] if found else None

    def noun_end(self, at: int) -> int:
        """Return the place after the noun from here on: "my sister", "Old Tom", "the miller's boy", "you"."""
        if self._word(at) in _PRONOUNS and not (self._is(at, "determiner") and self._word(at) in ("her", "his")):
            return at + 1
        end = at
        while end - at < 4 and (self._runs_on(end) or end == at < len(self._low)):
            word = self._low[end]
            name = self._said[end][0].isupper() and (end > at or word not in self._words.stop)
            whose = (end == at and self._is(end, "determiner")) or word.endswith("'s")
            noun = end > at and not self._named(end - 1) and not self._ends_noun(end)
            if noun and end - at > 1 and not self._low[end - 1].endswith("'s"):
                noun = not word.endswith(("s", "ed")) and past_of(word) != word and not self._known(end)
            if not (name or whose or noun):
                break
            end += 1
        return at if end == at + 1 and self._is(at, "determiner") else end

    def person(self) -> str | None:
        """Return who it is: the doer of what is asked, or a name or person that the question does not say."""
        if found := self._standing():
            return found
        end = verb = self.noun_end(0)
        while (
            self._is(verb, "adverb")
            or self._word(verb) in _FINITE
            or (self._is(verb, "modal") and self._word(verb + 1))
        ):
            verb += 1
        doer = self._cut(0, end) if end and verb < len(self._low) and not any(map(self._known, range(end))) else ""
        doer = "" if doer.casefold() == "you" and "i" in self._asked else doer
        by = self._low.index("by") if "by" in self._low[2:] else 0
        if by and not set(_FINITE).isdisjoint(self._low[:by]) and (last := self.noun_end(by + 1)) > by + 1:
            return self._cut(by + 1, last)
        if doer and (self._known(verb) or self._known(end)):
            return doer
        for at in range(len(self._low)):
            placed = (
                at and (self._is(at - 1, "place_head") or self._low[at - 1] == "of") and self._low[at - 1] not in _OF
            )
            whose = self._low[at].endswith("'s")
            if self._named(at) and not (self._known(at) or self._is(at, "time") or placed or whose):
                return self._cut(at, self.noun_end(at))
            end = self.noun_end(at) if self._word(at - 1) in _OF and self._is(at, "determiner") else at
            if end > at + 1 and not any(map(self._known, range(at, end))):
                return self._cut(at, self.noun_end(at))
        return doer.removesuffix("'s name") or None

    def _standing(self) -> str:
        """Return who is asked for by nothing but a name: "your daughter" of "your daughter Mia is ill"."""
        names = {self._words.stem(word) for at, word in enumerate(self._low) if self._named(at)}
        for at in range(len(self._low)) if self._asked and self._asked <= names else ():
            end = next((one for one in range(at + 2, self.noun_end(at)) if self._named(one)), 0)
            if end and self._is(at, "determiner"):
                return self._cut(at, end)
        return ""

    def reason(self) -> str | None:
        """Return why: the clause that gives the reason, or the purpose."""
        for at in range(1, len(self._low) - 1):
            purpose = (
                at > 1 and self._low[at] == "to" and not self._is(at + 1, "determiner") and not self._named(at + 1)
            )
            if self._low[at] in ("because", "since", "so") or purpose:
                return self._cut(at, len(self._low))
        return None

    def colour(self) -> str | None:
        """Return the colour, with its shade."""
        for at, word in enumerate(self._low):
            if word.split("-")[-1] in self._words.of("colour"):
                end = at + 1
                while self._is(end, "colour") or (self._word(end) == "and" and self._is(end + 1, "colour")):
                    end += 1
                return self._cut(at - self._is(at - 1, "colour_shade"), end)
        return None

    def name(self) -> str | None:
        """Return what somebody or something is called."""
        found: list[tuple[bool, str]] = []
        at = 1
        while at < len(self._low):
            end = self._names_end(at)
            if end > at and not self._known(at):
                head = self._is(at - 1, "name_head") or (
                    self._low[at - 1] in ("of", "to", "it") and not self._is(at, "time")
                )
                found.append((head, self._cut(at, end)))
            at = max(end, at + 1)
        return max(found, key=lambda one: one[0])[1] if found else None

    def subjects(self, pronoun: str) -> list[tuple[bool, str]]:
        """Return what a pronoun after this sentence may mean, each with whether the sentence begins with it."""
        found: list[tuple[bool, str]] = []
        at = 0
        while at < len(self._low):
            end = self.noun_end(at)
            alone = end == at + 1 and self._low[at] in _PRONOUNS
            if end > at and not alone and self._fits(pronoun, at, end):
                text = self._cut(at, end)
                any_ = self._low[at] in ("a", "an", "some", "this", "these")
                found.append((at == 0, f"the {text.split(' ', 1)[1]}" if any_ and " " in text else text))
            at = max(end, at + 1)
        return found

    def _fits(self, pronoun: str, at: int, end: int) -> bool:
        low, words = self._low[at:end], self._words
        named = (
            self._named(at) and not self._is(at, "determiner", "time") and not (at and self._is(at - 1, "place_head"))
        )
        person = named or not words.of("persons").isdisjoint(low)
        if pronoun in ("he", "his", "him"):
            return person and words.of("female").isdisjoint(low)
        if pronoun in ("she", "her"):
            return person and words.of("male").isdisjoint(low)
        if pronoun in ("they", "their", "them"):
            return low[-1].endswith("s") and not low[-1].endswith(("ss", "'s")) and not self._named(end - 1)
        return not person and not self._is(end - 1, "time")


def lead(statement: str, pronoun: str, words: Words) -> str:
    """Return whom or what a statement is about, as its speaker says it, that a pronoun may mean; "" for none.

    Args:
        statement: the sentence before the pronoun.
        pronoun: he, she, it, they, his or her.
        words: the word lists.
    """
    best = max(_Sentence(statement, (), words).subjects(pronoun), key=lambda one: one[0], default=(False, ""))[1]
    return f"{best[0].lower()}{best[1:]}" if best and best.split()[0].lower() in words.of("determiner") else best


def pronoun_in(statement: str, words: Words) -> str:
    """Return the pronoun of a statement that surely means something said before; "" for none.

    "It rained" and "there were" mean nothing said before, and "it is time" need not.

    Args:
        statement: the sentence.
        words: the word lists.
    """
    low: list[str] = [one.casefold().replace("’", "'") for one in _PIECE.findall(statement) if one[0].isalnum()]
    first, after = low[0] if low else "", low[2] if len(low) > 2 else ""
    plain = words.of("place_head") | words.of("colour") | words.of("standing")
    if first in ("he", "she", "they", "his", "her", "their", "its") or first.partition("'")[0] in ("he", "she", "they"):
        return first.partition("'")[0]
    if first == "it" and len(low) > 1 and words.stem(low[1]) not in map(words.stem, sorted(words.of("expletive"))):
        return "it" if low[1] not in ("is", "was") or after in plain else ""
    if first in ("i", "we", "i've"):
        for at, word in enumerate(low):
            if word in ("it", "them", "him") and (at + 1 == len(low) or low[at + 1] in words.of("place_head")):
                return word
    return ""


def with_pronoun(text: str, pronoun: str, who: str, words: Words) -> str:
    """Return a sentence with somebody in place of its first pronoun: "how old is she?" gives "how old is my sister?".

    Args:
        text: the sentence.
        pronoun: the pronoun, in lower case.
        who: whom or what it means.
        words: the word lists.
    """
    pieces = _PIECE.findall(text)
    for at, piece in enumerate(pieces):
        head, mark, tail = piece.casefold().replace("’", "'").partition("'")
        if head == pronoun.partition("'")[0]:
            after = pieces[at + 2].casefold() if at + 2 < len(pieces) else ""
            whose = head in ("his", "its", "their") or (head == "her" and after and after not in words.stop)
            pieces[at] = f"{who}'s" if whose else f"{who} {_SHORT.get(tail, tail)}" if mark else who
            return "".join(pieces)
    return text
