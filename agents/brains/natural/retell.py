"""Turns what somebody said into a sentence about them, and finds the part of a sentence that a question asks for.

Pure grammar by the word lists of the vault. Where it is unclear who is meant there is no result, and the words are
quoted instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.brains.natural.words import Words, cut
from agents.text.addressing import mentions
from agents.text.english import numbers
from agents.text.grammar import past_of
from mud.world.sentences import sentences

_PIECE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[\W_]+")
_QUOTES = frozenset('"“”«»‘?')
_BE = {"am": ("are", "is"), "was": ("were", "was"), "wasn't": ("weren't", "wasn't"), "have": ("have", "has"),
       "haven't": ("haven't", "hasn't"), "do": ("do", "does"), "don't": ("don't", "doesn't"), "are": ("are", "are")}  # fmt: skip
_MY = {"am": "am", "are": "am", "were": "was", "weren't": "wasn't", "aren't": "am not"}
_SHORT = {"'m": "am", "'ve": "have", "'ll": "will", "'re": "are", "'d": "would"}
_JOINS = frozenset(("and", "but", "or", "then"))


def third(verb: str, words: Words) -> str:
    """Return a verb after "I" as it stands after a name: `keep` gives `keeps`, `kept` and `can` stay.

    Args:
        verb: the verb.
        words: the word lists.
    """
    low = verb.casefold().replace("’", "'")
    if low in _BE:
        return _BE[low][1]
    if low in words.of("modal"):
        return verb
    past = past_of(low) == low and not low.endswith("eed")
    if past or (words.stem(low) != cut(low) and past_of(low) == f"{low}ed"):
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
    while rest:
        low = rest.casefold().replace(",", " ").replace("’", "'")
        for opener in sorted(words.of("opener"), key=len, reverse=True):
            plain = opener.replace("-", " ")
            flat = " ".join(low.split())
            if flat.startswith(f"{plain} ") and (
                rest[len(plain)] in ",:;.!" or " " in plain or plain in words.of("adverb")
            ):
                rest = rest[len(plain) :].lstrip(" ,:;.!-–—")
                break
        else:
            return rest
    return rest


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


class _Turning:
    """One sentence on its way from "I" to another person.

    Args:
        text: the sentence.
        name: how who said it is called; empty for "you".
        words: the word lists.
    """

    def __init__(self, text: str, name: str, words: Words) -> None:
        self._pieces = _PIECE.findall(text)
        self._at = [place for place, piece in enumerate(self._pieces) if piece[0].isalnum()]
        self._low = [self._pieces[place].casefold().replace("’", "'") for place in self._at]
        self._name, self._words = name, words
        self._named = False
        """The name was said as the subject, so that "they" and "their" are clear."""
        self._mine = False
        """The clause has "I" as its subject."""
        self._present = False
        self.own = False
        """It is known who "you" is."""

    def turned(self) -> str | None:
        low = self._low
        if not low:
            return None
        own = self.own or not {"i", "i'm", "i've", "i'll", "i'd", "my", "me", "mine"}.isdisjoint(low)
        if not own and any(word.partition("'")[0] in ("you", "your", "yours") for word in low):
            return None  # "you" may be anybody
        if self._name and not {"we", "us", "ourselves", "we're", "we've", "we'll", "myself"}.isdisjoint(low):
            return None
        if low[0] in self._words.of("kin") and len(low) > 1 and low[1] not in ("of", "and"):
            self._put(0, f"{self._whose()} {low[0]}")
        for at in range(len(low)):
            if not self._turn(at):
                return None
        told = "".join(self._pieces)
        first = self._pieces[self._at[0]]
        small = low[0] in self._words.stop or low[0] in self._words.of("determiner")
        keeps = first.startswith("I'") or first == "I" or (self._name and first.startswith(self._name))
        return told[0].lower() + told[1:] if small and not keeps else told

    def _put(self, at: int, word: str) -> None:
        self._pieces[self._at[at]] = word

    def _whose(self) -> str:
        return f"{self._name}'s" if self._name else "your"

    def _gap(self, at: int) -> str:
        """Return what stands between a word and the next."""
        return self._pieces[self._at[at] + 1] if self._at[at] + 1 < len(self._pieces) else ""

    def _is_clear(self, at: int) -> bool:
        """Return whether "they" can be nobody else: no other name stands before."""
        before = (self._pieces[place] for place in self._at[1:at])
        return all(
            piece[0].islower() or piece.startswith((self._name, "I")) or not piece[0].isalpha() for piece in before
        )

    def _turn(self, at: int) -> bool:
        """Turn one word; return whether that was clear."""
        word = self._low[at]
        head, mark, tail = word.partition("'")
        short = _SHORT.get(f"{mark}{tail}", "")
        before = self._low[at - 1] if at else ""
        if head == "i" and (short or not mark):
            return self._subject(at, before, short)
        if head == "you" and (short or not mark):
            return self._you(at, before, short)
        if word in ("we", "us"):
            self._put(at, "you")
        elif head == "we" and short:
            self._put(at, f"you {short}")
        elif word in ("my", "our"):
            self._put(at, "their" if self._name and self._named and self._is_clear(at) else self._whose())
        elif word in ("mine", "ours"):
            self._put(at, ("theirs" if self._named else self._whose()) if self._name else "yours")
        elif word == "me":
            self._put(at, ("them" if self._named else self._name) if self._name else "you")
        elif word in ("myself", "ourselves"):
            self._put(at, "yourself" if word == "myself" else "yourselves")
        elif word in ("your", "yours", "yourself"):
            self._put(at, {"your": "my", "yours": "mine"}.get(word, "myself"))
        elif word in ("this", "these"):
            return self._pointed(at, word)
        elif before in _JOINS and self._mine:
            self._joined(at, word)
        return True

    def _subject(self, at: int, before: str, short: str) -> bool:
        """Turn "I" and the verb after it."""
        if before in _BE or before in self._words.of("modal"):
            return before not in _BE and not self._name and not short  # "so am I"
        both = before == "and" and not self._mine and at <= 3 and (at == 2 or self._low[0] in ("my", "the"))
        self._mine = not both
        who = self._name or "you"
        if self._named:
            if before in ("and", "but", "or") and not short and self._name:
                self._put(at, "")
                self._pieces[self._at[at] + 1] = ""
                who = ""
            else:
                who = "they" if self._name else who
        form = 1 if self._name and who != "they" else 0
        if short:
            if short == "would" and at + 1 < len(self._low) and self._is_past(self._low[at + 1]):
                short = "had"
            self._put(at, f"{who} {_BE[short][form] if short in _BE else short}")
            self._named = bool(self._name)
            self._present = short in ("am", "have")
            return True
        if who:
            self._put(at, who)
        verb = self._verb_after(at)
        if verb is None:
            return False
        word = self._low[verb]
        if not both and word in _BE:
            self._put(verb, _BE[word][form])
        elif not both and form:
            turned = third(self._pieces[self._at[verb]], self._words)
            self._present = turned != self._pieces[self._at[verb]]
            self._put(verb, turned)
        self._named = bool(self._name) and not both
        return True

    def _verb_after(self, at: int) -> int | None:
        """Return the place of the verb after a subject; None when something else follows."""
        while at + 1 < len(self._low) and self._gap(at).strip() in ("", ","):
            at += 1
            word = self._low[at]
            if word not in self._words.of("adverb") and not (word.endswith("ly") and len(word) > 4):
                return at if word.replace("'", "").isalpha() and word not in self._words.of("determiner") else None
        return None

    def _is_past(self, word: str) -> bool:
        return word == "better" or (past_of(word) == word and word not in self._words.of("modal"))

    def _you(self, at: int, before: str, short: str) -> bool:
        """Turn "you" into "I" or "me"."""
        after = self._low[at + 1] if at + 1 < len(self._low) else ""
        opens = not before or before in ("that", "because", "if", "when", "and", "but", "as", "what", "where", "while")
        opens = opens or "," in self._pieces[self._at[at] - 1]
        if short:
            self._put(at, f"I {_MY.get(short, short)}")
        elif opens:
            self._put(at, "I")
            if after in _MY:
                self._put(at + 1, _MY[after])
                self._low[at + 1] = "-"
        else:
            self._put(at, "me")
        return True

    def _pointed(self, at: int, word: str) -> bool:
        """Turn "this lantern" into "that lantern"; "this morning" stays, and "this" alone is unclear."""
        after = self._low[at + 1] if at + 1 < len(self._low) and self._gap(at) == " " else ""
        if after in self._words.of("time"):
            return True
        self._put(at, "that" if word == "this" else "those")
        return bool(after) and after not in self._words.stop

    def _joined(self, at: int, word: str) -> None:
        """Turn a further verb of "I": "I keep bees and sell honey", "I came and was glad"."""
        if word in _BE and word != "do":
            form = _BE[word][1 if self._name else 0]
            self._put(at, form)
        elif self._name and self._present:
            after = self._low[at + 1] if at + 1 < len(self._low) else ""
            irregular = past_of(word) not in (word, f"{word}ed", f"{word}d") and word not in self._words.of(
                "determiner"
            )
            bare = at > 1 and self._at[at] - self._at[at - 2] == 4 and self._low[at - 3 : at - 2] == ["i"]
            takes = after in self._words.of("determiner")
            plain = word not in self._words.stop and word not in self._words.of("adverb")
            if plain and (irregular or takes or bare):
                self._put(at, third(self._pieces[self._at[at]], self._words))


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
    found = find() if find else None
    return found.strip(" ,;:.!-–—") or None if found else None


class _Sentence:
    """A sentence in which a part is looked for.

    Args:
        text: the sentence.
        question: telling words of the question.
        words: the word lists.
    """

    def __init__(self, text: str, question: Sequence[str], words: Words) -> None:
        self._text, self._words = text.strip().rstrip(".!…"), words
        found = [(m.start(), m.end()) for m in _PIECE.finditer(self._text) if m[0][0].isalnum()]
        self._spans = found
        self._as_said = [self._text[start:end] for start, end in found]
        self._low = [word.casefold().replace("’", "'") for word in self._as_said]
        self._asked = {words.stem(word) for word in question}

    def _is(self, at: int, name: str) -> bool:
        return 0 <= at < len(self._low) and self._low[at] in self._words.of(name)

    def _cut(self, first: int, end: int) -> str:
        """Return the words from the first up to, without, the end."""
        return self._text[self._spans[first][0] : self._spans[end - 1][1]] if first < end else ""

    def _runs_on(self, at: int) -> bool:
        """Return whether a word follows the one before it without a mark between them."""
        return 0 < at < len(self._low) and not self._text[self._spans[at - 1][1] : self._spans[at][0]].strip()

    def _known(self, at: int) -> bool:
        return self._words.stem(self._low[at]) in self._asked

    def _number_at(self, at: int) -> int:
        """Return the place after the number that begins here; the same place for none."""
        end = at
        while end < len(self._low) and (end == at or self._runs_on(end)):
            word = self._low[end]
            figure = (word[0].isdigit() or bool(numbers(word)) or word in self._words.of("many")) and word != "second"
            ordinal = word.endswith(("th", "rd", "st", "first", "third")) and not word.endswith("thousand")
            linked = word in ("and", "a", "one") and end + 1 < len(self._low) and end > at - (word != "and")
            if not (figure and not ordinal) and not (linked and self._number_at(end + 1) > end + 1) and word != "one":
                break
            end += 1
        return end

    def number(self) -> str | None:
        """Return a number with its noun, the one that the question names if there are several."""
        best: tuple[int, int, str] | None = None
        at = 0
        while at < len(self._low):
            end = self._number_at(at)
            if end == at:
                at += 1
                continue
            last = end
            while last < len(self._low) and last - end < 2 and self._runs_on(last) and not self._ends_noun(last):
                last += 1
            if last < len(self._low) and self._low[last] == "old":
                last += 1
            told = self._cut(at, last)
            named = sum(self._known(place) for place in range(end, last))
            timed = at > 0 and self._low[at - 1] in ("at", "in") and last == end
            best = max(best or (-9, 0, ""), (named - timed, -at, told))
            at = last
        return best[2] if best else None

    def _ends_noun(self, at: int) -> bool:
        word = self._low[at]
        return word in self._words.stop or self._is(at, "clause") or self._is(at, "place_head") or word.endswith("ly")

    def _times(self) -> list[tuple[int, int]]:
        """Return where phrases of time stand, each with its end; what follows one another is one."""
        found: list[tuple[int, int]] = []
        at = 0
        while at < len(self._low):
            end = self._time_at(at)
            if end > at:
                if found and found[-1][1] == at and self._runs_on(at):
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((at, end))
            at = max(end, at + 1)
        return found

    def _time_at(self, at: int) -> int:
        """Return the place after the phrase of time that begins here; the same place for none."""
        if self._is(at, "always_time"):
            return at + 2 if self._is(at + 1, "time") and self._runs_on(at + 1) else at + 1
        counted = self._number_at(at)
        if counted == at and self._low[at] in ("a", "an", "some"):
            counted = at + 1
        if counted > at and counted + 1 < len(self._low) and self._low[counted + 1] in ("ago", "later"):
            return counted + 2
        if not self._is(at, "time_head"):
            return at
        for end in range(at + 1, min(at + 5, len(self._low))):
            if not self._runs_on(end):
                break
            word = self._low[end]
            if self._is(end, "time") or (word.isdigit() and len(word) == 4 and self._low[at] in ("in", "since")):
                while end + 1 < len(self._low) and self._runs_on(end + 1) and self._is(end + 1, "time"):
                    end += 1
                if end + 2 < len(self._low) and self._low[end + 1] == "of" and self._is(end + 2, "time"):
                    end += 2
                return end + 1
            numbered = bool(numbers(word)) or word[0].isdigit() or self._is(end, "hour")
            if numbered and self._low[at] in (
                "at",
                "by",
                "before",
                "after",
                "until",
                "till",
                "since",
                "around",
                "about",
            ):
                more = end + 1
                while more < len(self._low) and (
                    self._is(more, "time") or self._is(more, "hour") or self._low[more] in ("past", "to")
                ):
                    more += 1
                clock = more == len(self._low) or self._ends_noun(more) or not self._runs_on(more)
                if clock and self._low[at] in ("at", "by", "before", "after", "until", "till", "since"):
                    return more
            if not (numbered or word in ("the", "a", "every", "of", "last", "next", "past", "this", "late", "early", "my",
                                         "your", "to", "half") or self._words.stem(word) == "old"):  # fmt: skip
                break
        return at

    def time(self) -> str | None:
        """Return when something is: a phrase of time, or the clause that says it."""
        found = self._times()
        if found:
            return self._cut(*max(found, key=lambda span: (span[1] - span[0], -span[0])))
        for at, word in enumerate(self._low):
            if (
                word in ("when", "before", "after", "until", "since", "during", "while")
                and at
                and at + 1 < len(self._low)
            ):
                return self._cut(at, len(self._low))
        return None

    def place(self) -> str | None:
        """Return where something is: the phrase with a preposition, the one that the question leads to."""
        timed = {at for first, end in self._times() for at in range(first, end)}
        found: list[tuple[int, str]] = []
        at = 0
        while at < len(self._low):
            word = self._low[at]
            particle = word in ("up", "down", "off", "out") and self._is(at + 1, "place_head")
            if at in timed or particle or not (self._is(at, "place_head") or self._is(at, "place_word")):
                at += 1
                continue
            end = at + 1
            while end < len(self._low) and self._runs_on(end) and end not in timed and not self._is(end, "clause"):
                if self._low[end] == "to" and word != "next" and not self._is(end - 1, "place_head"):
                    break
                end += 1
            bare = end == at + 1 and not self._is(at, "place_word")
            to_do = word == "to" and not (
                self._is(at + 1, "determiner") or self._as_said[min(at + 1, end - 1)][0].isupper()
            )
            if not bare and not to_do:
                wanted = (word in ("to", "into", "from", "off", "towards")) == (
                    not {"go", "from", "come"}.isdisjoint(self._asked)
                )
                found.append((2 * wanted - sum(map(self._known, range(at, end))), self._cut(at, end)))
            at = end
        return max(found, key=lambda one: one[0])[1] if found else None

    def person(self) -> str | None:
        """Return who it is: the doer of what is asked, or a name or person that the question does not say."""
        end = self._noun_end(0)
        verb = end
        while (
            self._is(verb, "adverb") or (self._is(verb, "modal") and verb + 1 < len(self._low)) or self._is_finite(verb)
        ):
            verb += 1
        doer = self._cut(0, end) if end and verb < len(self._low) and self._runs_on(verb) else ""
        asked = any(map(self._known, range(end)))
        by = self._low.index("by") if "by" in self._low[2:] else 0
        if by and any(map(self._is_finite, range(by))) and (last := self._noun_end(by + 1)) > by + 1:
            return self._cut(by + 1, last)
        if doer and not asked and (self._known(verb) or self._known(end)):
            return doer
        for at in range(len(self._low)):
            named = self._as_said[at][0].isupper() and (at > 0 or self._low[at] not in self._words.stop)
            if not named or self._known(at) or self._is(at, "time") or self._low[at] == "i":
                continue
            if at and (self._is(at - 1, "place_head") or self._low[at - 1] == "of") and self._low[at - 1] not in _WITH:
                continue
            if (last := self._noun_end(at)) > at:
                return self._cut(at, last).removesuffix("'s").removesuffix("’s")
        for at in range(1, len(self._low)):
            if self._low[at - 1] in _WITH and self._is(at, "determiner") and (last := self._noun_end(at)) > at + 1:
                return self._cut(at, last)
        return doer if doer and not asked else None

    def _is_finite(self, at: int) -> bool:
        return at < len(self._low) and self._low[at] in _FINITE

    def _noun_end(self, at: int) -> int:
        """Return the place after the person named from here on: "my sister", "Old Tom", "the miller's boy", "you"."""
        end = at
        if at < len(self._low) and self._low[at] in ("you", "i", "he", "she", "they", "we"):
            return at + 1
        while end < len(self._low) and (end == at or self._runs_on(end)):
            word = self._low[end]
            name = self._as_said[end][0].isupper() and (end > at or word not in self._words.stop)
            whose = self._is(end, "determiner") or word.endswith("'s")
            noun = end > at and not self._as_said[end - 1][0].isupper() and end - at < 4 and not self._ends_noun(end)
            if noun and end - at > 1 and not self._low[end - 1].endswith("'s"):
                noun = not word.endswith("s") and past_of(word) != word and not self._known(end)
            if not (name or (whose and (end == at or name or word.endswith("'s"))) or noun):
                break
            end += 1
        return end if end > at and not (end == at + 1 and self._is(at, "determiner")) else at

    def reason(self) -> str | None:
        """Return why: the clause that gives the reason, or the purpose."""
        for at, word in enumerate(self._low):
            if at and word in ("because", "since", "so") and at + 1 < len(self._low):
                return self._cut(at, len(self._low))
        for at in range(2, len(self._low) - 1):
            if self._low[at] == "to" and not self._is(at + 1, "determiner") and self._as_said[at + 1][0].islower():
                return self._cut(at, len(self._low)) if not self._is(at - 1, "adverb") else None
        return None

    def colour(self) -> str | None:
        """Return the colour, with its shade."""
        for at in range(len(self._low)):
            if self._is(at, "colour") or self._low[at].split("-")[-1] in self._words.of("colour"):
                end = at + 1
                while end < len(self._low) and (
                    self._is(end, "colour") or (self._low[end] == "and" and self._is(end + 1, "colour"))
                ):
                    end += 1
                first = at - 1 if self._is(at - 1, "colour_shade") else at
                return self._cut(first, end)
        return None

    def name(self) -> str | None:
        """Return what somebody or something is called."""
        found: list[tuple[int, str]] = []
        at = 0
        while at < len(self._low):
            named = self._as_said[at][0].isupper() and at > 0 and not self._known(at) and self._low[at] != "i"
            if not named:
                at += 1
                continue
            end = at + 1
            while end < len(self._low) and self._runs_on(end) and self._as_said[end][0].isupper():
                end += 1
            head = self._is(at - 1, "name_head") or (
                self._low[at - 1] in ("of", "to", "it") and not self._is(at, "time")
            )
            found.append((head, self._cut(at, end)))
            at = end
        best = max(found, key=lambda one: one[0], default=None)
        return best[1] if best else None


_WITH = ("by", "to", "with", "from")
_FINITE = frozenset("is are was were be been am has have had does do did will would can could".split())


def lead(statement: str, pronoun: str, words: Words) -> str:
    """Return whom or what a statement is about, as its speaker says it, that a pronoun may mean; "" for none.

    Args:
        statement: the sentence before the pronoun.
        pronoun: he, she, it, they, his or her.
        words: the word lists.
    """
    sentence = _Sentence(statement, (), words)
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(sentence._low):
        end = sentence._noun_end(at)
        if end == at or sentence._low[at] in ("i", "you", "he", "she", "they", "we", "it", "me", "him", "them"):
            at += 1
            continue
        low = sentence._low[at:end]
        person = not words.of("person").isdisjoint(low)
        named = sentence._as_said[at][0].isupper() and low[0] not in words.of("determiner")
        if pronoun in ("he", "his", "him"):
            fits = (person or named) and words.of("female").isdisjoint(low)
        elif pronoun in ("she", "her"):
            fits = (person or named) and words.of("male").isdisjoint(low)
        elif pronoun in ("they", "their", "them", "those", "these"):
            fits = low[-1].endswith("s") or "and" in low
        else:
            fits = not person and not named and not sentence._is(end - 1, "time")
        if fits:
            text = sentence._cut(at, end)
            found.append((at == 0, f"the {text.split(' ', 1)[1]}" if low[0] in ("a", "an", "some") else text))
        at = end
    best = max(found, key=lambda one: one[0], default=(0, ""))[1]
    return f"{best[0].lower()}{best[1:]}" if best and best.split()[0].lower() in words.of("determiner") else best


def with_subject(statement: str, who: str) -> str:
    """Return a statement with somebody in place of the pronoun it begins with: "she had red hair", "his name is Tom".

    Args:
        statement: the sentence.
        who: whom or what the pronoun means.
    """
    first, _, rest = statement.partition(" ")
    head, mark, tail = first.replace("’", "'").partition("'")
    low = head.casefold()
    if low in ("his", "her", "their", "its"):
        return f"{who}'s {rest}"
    short = {"s": "is", "ll": "will", "d": "would", "re": "are", "ve": "have"}.get(tail, "") if mark else ""
    return " ".join(one for one in (who, short, rest) if one)


def with_pronoun(text: str, pronoun: str, who: str, words: Words) -> str:
    """Return a question with somebody in place of its first pronoun: "how old is she?" gives "how old is my sister?".

    Args:
        text: the question.
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
            pieces[at] = f"{who}'s" if whose else f"{who}{mark}{tail}"
            return "".join(pieces)
    return text


def own_words(profile: str, words: Words) -> tuple[str, ...]:
    """Return the sentences of a profile that begin with "you" or "your", as its agent says them.

    Args:
        profile: who it is, in prose that speaks to it.
        words: the word lists.
    """
    told: list[str] = []
    for sentence in sentences(profile):
        first = sentence.split(" ", 1)[0].casefold()
        if first.partition("'")[0] in ("you", "your") and not words.is_secret(sentence):
            turning = _Turning(sentence, "", words)
            turning.own = True
            if (mine := turning.turned()) and "you" not in mine.casefold().split():
                told.append(f"{mine[0].upper()}{mine[1:]}")
    return tuple(told)
