"""The summarizer that asks a language model, in one of the styles of `vault/prompts/summaries/`.

Replies are only tidied here. If the source exceeds one prompt, it is summarized piece by piece.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from agents.compaction.settings import PROMPT_WORDS, SECTIONS
from agents.compaction.summarizer import (
    HEADINGS,
    Prompts,
    Style,
    Summarizer,
    SummarySource,
    Writing,
    sections_of,
    tidy_sections,
)
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from agents.text.english import flat, sentences
from mud.errors import Unavailable

PREVIEWS = {"heard": 600, "told": 600, "said": 600, "thought": 400, "note": 400, "dream": 400, "result": 160}
"""Maximum characters of a memory in a prompt, by kind: speech gets more, because it cannot be looked up again."""
PREVIEW = 240

_AGAIN = ", a few sentences, only names and numbers that stand above"
_AGAIN_IN_SECTIONS = ", short, with all six headings, only names and numbers that stand above"
_CUT = re.compile(r"\n\s*(?:#|---|===|<\||</)|<\|[^|>]*\|>|</?s>")
_CUT_SECTIONS = re.compile(r"\n\s*(?:---|===|<\||</)|<\|[^|>]*\|>|</?s>")
_LEAD = re.compile(r"^[\s>*_\"“]*(?=\S)")
_ENDED = re.compile(r"[.!?…][\"”»'’)]*$")


def style_of(source: SummarySource, prompts: Prompts) -> Style:
    style = prompts(source.style)
    return style if style.sections or source.shape != SECTIONS else prompts(SECTIONS)


def write(source: SummarySource, prompts: Prompts) -> Writing:
    """Write a summary by asking the model; Unavailable if the earlier summary leaves no room for anything new."""
    style = style_of(source, prompts)
    again = (_AGAIN_IN_SECTIONS if style.sections else _AGAIN) if source.again else ""
    earlier = [text for text in source.earlier if text.strip()]
    whole = earlier.pop(0) if earlier else ""
    lines = [*earlier, *(_preview(entry) for entry in source.entries)]
    words = estimate(style.fill(name=source.name, memories="", earlier="", again=again))
    most = source.max_source_tokens - max(0, words - PROMPT_WORDS)
    while lines:
        memories = "\n".join(_fitting(lines, most, whole))
        prompt = style.fill(name=source.name, memories=memories, earlier=whole, again=again)
        whole = tidy((yield prompt), source, style)
    return whole


def _preview(entry: Entry) -> str:
    text, most = flat(entry.text), PREVIEWS.get(entry.kind, PREVIEW)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _fitting(lines: list[str], most: int, earlier: str) -> list[str]:
    """Remove from the front of `lines` what fits into one prompt, at least one line, cut if necessary."""
    room = most - estimate(earlier)
    if room < most / 4:
        raise Unavailable(f"the summary so far takes {most - room} of the {most} tokens that a prompt may hold")
    taken: list[str] = []
    while lines and (size := estimate(lines[0]) + 1) <= room:
        taken.append(lines.pop(0))
        room -= size
    if taken:
        return taken
    line = lines.pop(0)
    while len(line) > 1 and estimate(line) + 1 > room:
        line = f"{line[: len(line) * 3 // 4].rstrip('…')}…"
    return [line]


def tidy(reply: str, source: SummarySource, style: Style) -> str:
    """Return a reply within the limits, without cue marks, text after the summary, and an incomplete last sentence."""
    text = unicodedata.normalize("NFC", reply).lstrip()
    text = text.removeprefix(style.cue) if len(style.cue) > 1 else text
    ends = [at for stop in style.stops if (at := text.find(f"\n{stop}")) >= 0]
    text = text[: min(ends, default=len(text))]
    return _tidy_sections(text, source, style) if style.sections else _tidy_prose(text, source)


def _tidy_prose(text: str, source: SummarySource) -> str:
    text = _LEAD.sub(lambda lead: '"' if lead[0].count('"') % 2 and text.count('"') % 2 == 0 else "", text, count=1)
    text = _CUT.split(text, maxsplit=1)[0].strip()
    if text.count('"') == 2 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1]
    lines = [line for line in map(flat, text.split("\n")) if line]
    found = sentences("\n".join(lines))
    if len(found) > 1 and not _ENDED.search(found[-1]):
        found.pop()
    found = found[: source.max_sentences] if source.max_sentences else found
    while len(found) > 1 and estimate(" ".join(found)) > source.max_tokens:
        found.pop()
    return _as_lines(lines, found)


def _tidy_sections(text: str, source: SummarySource, style: Style) -> str:
    text = _CUT_SECTIONS.split(text, maxsplit=1)[0]
    first = style.cue.rstrip(":")
    found = sections_of(text)
    if first in HEADINGS and (not found or not found[0][0]):
        found = sections_of(f"{first}:\n{text}")
    while estimate(_written(found)) > source.max_tokens:
        longest = max(found, key=lambda section: len(section[1]))
        if len(longest[1]) < 2:
            break
        longest[1].pop()
    return tidy_sections(_written(found))


def _written(found: Sequence[tuple[str, list[str]]]) -> str:
    parts = ((f"{heading}:" if heading else "", *(f"- {flat(line)}" for line in lines)) for heading, lines in found)
    return "\n".join(line for part in parts for line in part if line)


def _as_lines(lines: Sequence[str], found: Sequence[str]) -> str:
    """Join sentences, keeping their lines, so that a list or a transcript can still be recognised."""
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
