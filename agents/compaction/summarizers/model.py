"""The summarizer that asks a language model, with the prompts of `vault/prompts/`.

It trusts no reply: it only tidies one, and whoever asked for the summary checks it. Memories that are too many for one
prompt are summarized in parts, and the parts combined.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from agents.compaction.summarizers._summarizer import Prompts, Source, Summarizer, Writing
from agents.compaction.wording import flat, sentences
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from mud.errors import Problem, VaultProblem

SUMMARIZE = "summarize.md"
COMBINE = "combine.md"
PLACES = {SUMMARIZE: ("name", "memories", "again"), COMBINE: ("name", "longterm", "recent", "again")}
"""The prompts and the places each may use."""

_NEEDED = {SUMMARIZE: ("memories",), COMBINE: ("longterm", "recent")}
_PLACE = re.compile(r"\{(\w+)\}")
_AGAIN = ", a few sentences, only names and numbers that stand above"
_CUT = re.compile(r"\n\s*(?:#|---|===|<\||</)|<\|[^|>]*\|>|</?s>")
_LEAD = re.compile(r"^[\s>*_\"“]*(?=\S)")


def parse_prompt(text: str, file: str) -> str:
    """Return a prompt of `vault/prompts/`, checked; what stands in the file is what the model reads.

    Args:
        text: the whole file.
        file: what problems call it; its last part is its name.

    Raises:
        VaultProblem: with every place that is unknown or missing.
    """
    name = file.rpartition("/")[2]
    known, needed = PLACES[name], _NEEDED[name]
    found = {match[1]: text.count("\n", 0, match.start()) + 1 for match in _PLACE.finditer(text)}
    problems = [
        Problem(file, line, place, f"there is no such place; there is: {', '.join(known)}")
        for place, line in found.items()
        if place not in known
    ]
    problems += [
        Problem(file, 0, place, f"missing; expected {{{place}}} where the model shall read it")
        for place in needed
        if place not in found
    ]
    if problems:
        raise VaultProblem(problems)
    return text.rstrip()  # a model continues "> " far worse than ">"


def _filled(template: str, **places: str) -> str:
    return _PLACE.sub(lambda match: places[match[1]], template)


def write(source: Source, prompts: Prompts) -> Writing:
    """Write a summary by asking the model; its last reply, tidied, is the text."""
    again = _AGAIN if source.again else ""
    if not source.entries:
        texts = [text for text in source.earlier if text.strip()]
        if len(texts) == 1:
            return texts[0]
        return (yield from _combined(source, texts, prompts, again))
    parts = []
    for entries in _parts(source.entries, source.max_source_tokens):
        memories = "\n".join(flat(entry.text) for entry in entries)
        reply = yield _filled(prompts(SUMMARIZE), name=source.name, memories=memories, again=again)
        parts.append(tidy(reply, source))
    if len(parts) == 1:
        return parts[0]
    return (yield from _combined(source, parts, prompts, again))


def _combined(source: Source, texts: Sequence[str], prompts: Prompts, again: str) -> Writing:
    """Combine summaries two by two, oldest first."""
    whole = texts[0]
    for text in texts[1:]:
        reply = yield _filled(prompts(COMBINE), name=source.name, longterm=whole, recent=text, again=again)
        whole = tidy(reply, source)
    return whole


def _parts(entries: Sequence[Entry], most: int) -> Iterator[list[Entry]]:
    """Split memories into stretches of at most `most` tokens; one memory alone may be longer."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        tokens = estimate(entry.text) + 1
        if part and size + tokens > most:
            yield part
            part, size = [], 0
        part.append(entry)
        size += tokens
    if part:
        yield part


def tidy(reply: str, source: Source) -> str:
    """Return a reply without what models leave around one: cue marks, what follows the summary, a sentence cut off.

    Args:
        reply: the raw reply.
        source: its limits are kept by cutting at a sentence's end.
    """
    text = unicodedata.normalize("NFC", reply)
    text = _LEAD.sub(lambda lead: '"' if lead[0].count('"') % 2 and text.count('"') % 2 == 0 else "", text, count=1)
    text = _CUT.split(text, maxsplit=1)[0].strip()
    if text.count('"') == 2 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1]
    lines = [line for line in map(flat, text.split("\n")) if line]
    found = sentences("\n".join(lines))
    if len(found) > 1 and not re.search(r"[.!?…][\"”»'’)]*$", found[-1]):
        found.pop()
    found = found[: source.max_sentences] if source.max_sentences else found
    while len(found) > 1 and estimate(" ".join(found)) > source.max_tokens:
        found.pop()
    return _as_lines(lines, found)


def _as_lines(lines: Sequence[str], found: Sequence[str]) -> str:
    """Join sentences, each on the line it came from, so that a list or a transcript can still be told from prose."""
    left = list(found)
    kept = []
    for line in lines:
        mine: list[str] = []
        while left and left[0] in line:
            mine.append(left.pop(0))
        if mine:
            kept.append(" ".join(mine))
    return "\n".join(kept)


MODEL = Summarizer(
    "model", "A language model writes, in the first person; what it makes up is thrown away.", write, True
)
