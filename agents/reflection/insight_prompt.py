"""Insights from a model: parsing, checks and wording. Pure.

An insight is accepted when it is one sentence, cites shown entries, and has no name or number that these do not have.
It is stored as a thought such as `I have come to think: ... (memories 12, 40)`, with a mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from agents.compaction.judge.judge import SummaryEvidence, made_up, misquoted, taken_for_true
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import Entry
from agents.reflection.assistant_talk import READ, speaks
from agents.reflection.insights import CITED, Insight, Say
from agents.reflection.lived import lived, sentence
from agents.text.english import sentences
from agents.text.unwrapping import unwrapped
from mud.world.narration import phrase

MOST = 3
THOUGHT = phrase("minds.reflect.thought", "insight", "memories")
ONE = phrase("minds.reflect.one", "seq")
SEVERAL = phrase("minds.reflect.several", "seqs")
LONGEST = 240

_CITED = re.compile(
    r"^(?:\d{1,2}[.)]\s+)?(?P<text>\S.*?)\s*[(\[][^\d()\[\]#]{0,40}"
    r"(?P<cites>#?\d[\d\s,;&#]*(?:and\s+#?\d+)?)[)\]]\W*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[\W_]+")
_SAID = re.compile(r"^(?:insight\s*\d*\s*[:.-]\s*)?(?:I have come to think(?: that)?\s*[:,]?\s*)?", re.IGNORECASE)
_MODEL_TALK = re.compile(r"\b(?:you|your|insights?|memor(?:y|ies)|language model|AI)\b", re.IGNORECASE)


def kept(insight: Insight, say: Say) -> str:
    """Return an insight as the text of an entry."""
    seqs = ", ".join(map(str, insight.cites))
    memories = say(ONE, seq=seqs) if len(insight.cites) == 1 else say(SEVERAL, seqs=seqs)
    return say(THOUGHT, insight=sentence(insight.text), memories=memories)


def fresh(found: Iterable[Insight], earlier: Collection[str]) -> list[Insight]:
    """Return the first few insights whose sentence is in none of the earlier texts."""
    known = [text.casefold() for text in earlier]
    new: list[Insight] = []
    for one in found:
        said = sentence(one.text).casefold()
        again = re.compile(rf"(?<!\w){re.escape(said)}")
        if len(new) < MOST and not any(again.search(text) for text in known):
            known.append(said)
            new.append(one)
    return new


def parse_insights(reply: str, shown: Sequence[Entry], name: str) -> list[Insight]:
    """Return the acceptable insights in a reply: one a line, with entry numbers in brackets at its end."""
    by_seq = {entry.seq: entry for entry in shown}
    found: list[Insight] = []
    for line in unwrapped(reply[:READ]).splitlines():
        match = _CITED.match(_BULLET.sub("", line[: LONGEST * 2]))
        if match is None:
            continue
        text = _SAID.sub("", match["text"].strip(' "“”*_')).strip()
        numbers = {int(number) for number in re.findall(r"\d{1,9}", match["cites"])}
        if not numbers or not numbers <= by_seq.keys() or len(numbers) > CITED:
            continue
        if _holds(text, [by_seq[seq] for seq in sorted(numbers)], name):
            found.append(Insight(text, tuple(sorted(numbers))))
    return found


def _holds(text: str, cited: Sequence[Entry], name: str) -> bool:
    if not 4 <= len(text.split()) <= 40 or len(text) > LONGEST or len(sentences(text)) != 1 or text.endswith("?"):
        return False
    if _MODEL_TALK.search(text) or speaks(text) or not lived(cited):
        return False
    source = SummarySource(name, "recent", tuple(cited))
    told = sentence(text)
    return not (made_up(told, SummaryEvidence(source)) or misquoted(told, source) or taken_for_true(told, source))
