"""A judge of summaries that knows nothing of how Loci judges them: whom or what number does one name that is not there?

Written a second time on purpose, and by other means: it works on the written text, knows the whole cast of the made-up
world, and looks at whole names where the program looks at words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

_TOKEN = re.compile(r"[A-Za-z]+|\d[\d,]*(?:\.\d+)?|[^\sA-Za-z\d]|\n")


def _listed(text: str) -> list[str]:
    return text.split()


_STARTERS = _listed(
    "i we he she it they you my our his her its their the a an this that these those there here and but so or as at in "
    "on to of for from by with without when while then now after before since until if because although though not no "
    "all both each every some many most one others another it's i'm who what where why how once soon later today "
    "yesterday meanwhile also even only more again"
)
"""Words that may begin a sentence and name nobody."""
_SMALL = {
    word: value
    for value, word in enumerate(
        _listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
_ROUND = {
    word: 10 * value
    for value, word in enumerate(_listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_ORDINAL = {
    word: value for value, word in enumerate(_listed("third fourth fifth sixth seventh eighth ninth tenth"), start=3)
}


_SPEECH = (
    "(?:said|told|asked|replied|answered|promised|gave|showed|warned|explained|whispered|paid|sold|thought|came|went)"
)
"""What only a person does, so that the word before it is somebody's name."""


def strangers(summary: str, source: Iterable[str], own: str, cast: Collection[str]) -> list[str]:
    """Return every name and number of a summary that its source does not hold.

    Args:
        summary: the summary.
        source: memories, who acted and where, and the earlier summaries it took up.
        own: the agent's own name.
        cast: every person and place that the model could know from other lives.
    """
    whole = "\n".join([*source, own])
    found = [name for name in cast if _stands_in(name, summary) and not _stands_in(name, whole)]
    spelled = set(re.findall(r"[A-Za-z]+", whole))
    lower = {word.lower() for word in spelled}
    for word, opens, after_article in _capitalised(summary):
        acts = re.search(rf"\b{word} {_SPEECH}", summary) is not None
        known = word in spelled or (word.lower() in lower and (opens or after_article) and not acts)
        if not (known or word == "I" or (opens and word.lower() in _STARTERS)):
            found.append(word)
    runs = set(_runs(whole))
    found += [run for run in _runs(summary) if " " in run and not _tiled(run.split(), runs)]
    found += [f"{number:g}" for number in sorted(_numbers(summary) - _numbers(whole))]
    return list(dict.fromkeys(found))


def _stands_in(name: str, text: str) -> bool:
    bare = name.removeprefix("The ")
    return re.search(rf"\b{re.escape(bare)}\b", text, re.IGNORECASE) is not None


def _capitalised(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Yield words with a capital first: whether one begins a sentence or a quotation, and whether an article leads."""
    before = "."
    for token in _TOKEN.findall(text):
        if token[0].isupper():
            yield token, before in '.!?"“:…-\n', before.lower() in ("the", "a", "an", "my")
        before = token


def _runs(text: str) -> Iterator[str]:
    """Yield the names of a text: words with capitals that stand side by side, without what begins a sentence."""
    run: list[str] = []
    for token in [*_TOKEN.findall(text), "."]:
        if token[0].isupper() and not (token.lower() in _STARTERS and token != "The"):
            run.append(token)
            continue
        if run:
            yield " ".join(word for word in run if word != "The" or len(run) == 1)
        run = []


def _tiled(words: list[str], runs: Collection[str]) -> bool:
    """Whether names of the source, side by side, make up these words."""
    return not words or any(
        " ".join(words[:size]) in runs and _tiled(words[size:], runs) for size in range(1, len(words) + 1)
    )


def _numbers(text: str) -> set[float]:
    """Return the numbers of a text, in figures or in English words; the word `one` counts nothing."""
    found: set[float] = set()
    value: float | None = None
    for token in [*_TOKEN.findall(text.lower()), "."]:
        if token[0].isdigit():
            found.add(float(token.replace(",", "").rstrip(".")))
        step = _SMALL.get(token, _ROUND.get(token))
        if step is not None:
            tens = value is not None and value % 100 in _ROUND.values() and step < 10
            hundreds = value is not None and value >= 100 and value % 100 == 0 and step < 100
            if value is not None and not (tens or hundreds):
                found.add(value)
                value = None
            value = (value or 0) + step
        elif token in ("hundred", "thousand"):
            value = (value or 1) * (100 if token == "hundred" else 1000)
        elif token not in ("-", "and") or value is None:
            if token in _ORDINAL:
                found.add((value or 0) + _ORDINAL[token])
            elif value is not None:
                found.add(value)
            value = None
    return found - {1.0}
