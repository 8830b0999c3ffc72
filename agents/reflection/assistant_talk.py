"""Detects the assistant persona in replies: announcements, refusals, talk about the task, closing courtesies. Pure.

English rules; text in quotation marks is not examined.
"""

from __future__ import annotations

import re

from agents.text.english import sentences, unquoted
from agents.text.unwrapping import unwrapped

READ = 20_000
"""Characters of a reply that are read."""

LOOKED_AT = 2_000

_MARKUP = " -*_#=>~`"
_WHAT = r"(?:dreams?|insights?|reflections?|ratings?|story|narrative|paragraphs?)\b"
_YES = r"(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|al(?:l )?right|great|gladly|understood|got it|yes)"
_ANNOUNCED = re.compile(
    rf"(?:{_YES}\s?[,.!:–—-]\s?)?(?:here(?:['’]s| is| are| comes?| goes)|below is|the following is)\b"
    rf"[^.!?:]{{0,160}}?\b{_WHAT}[^.!?:]{{0,160}}(?:[.!?:]\s?|$)"
    rf"|{_YES}\s?(?:[.!:]\s|$)",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"[^.!?:\"“]{{0,80}}\b{_WHAT}[^.!?:\"“]{{0,80}}:", re.IGNORECASE)
_COURTESY = re.compile(
    r"\bI hope (?:this|that|you|it) (?:helps|dream|meets|works|captures|is what|fits|like)\b|\bfeel free to\b"
    r"|\blet me know (?:if|what you think|whether)\b|\b(?:happy|glad|pleased) to (?:help|assist|write|share|provide)\b"
    r"|\bwould you like me to\b|\bhere to (?:help|assist)\b",
    re.IGNORECASE,
)
_AI = r"(?:AI|artificial intelligence|(?:large )?language model|(?:virtual|helpful) assistant|chatbot)\b"
_REQUEST = (
    r"(?:(?:this|that|your|the) (?:request|prompt|task|instructions?)\b"
    r"|(?:that|this)(?=\s?(?:[.,;!]|$|as\b|because\b)))"
)
_TALK = re.compile(
    rf"\b(?:as|being|I am|I['’]m)(?: just| only| merely)? (?:an? |your )?{_AI}|\blanguage model\b|\bAI assistant\b"
    r"|\bthe user(?:['’]s)?\b(?! of\b)"
    rf"|\bI (?:can(?:no|['’])t|won['’]t|will not|am (?:not able|unable) to|['’]m (?:not able|unable) to)"
    rf" (?:do|fulfil+|comply with|(?:help|assist)(?: you)? with|complete|continue with) {_REQUEST}"
    r"|\bI (?:can(?:no|['’])t|won['’]t|am unable to) (?:assist|comply|generate|engage in)\b"
    r"|\b(?:based on|drawing on|using|from) (?:the|these|your|those) (?:given |provided )?memories\b"
    r"|\bmemories (?:(?:that )?you (?:provided|gave|shared)|provided|given|above|listed)\b"
    r"|\b(?:we|I) (?:need|should|have|must|will|['’]ll|am going|want) (?:to )?(?:now )?"
    r"(?:write|tell|create|craft|generate|produce|make up|come up with)\b[^.!?]{0,40}\bdream\b"
    r"|\blet me (?:think about|start|write|craft|create|see how|try to)\b|\bfirst[- ]person\b|\bword count\b"
    r"|\b(?:four|4)(?: to |-|–)(?:six|6) sentences\b",
    re.IGNORECASE,
)


def without_assistant_talk(reply: str) -> str:
    """Return a reply as one paragraph without announcements and courtesies; empty when an assistant speaks in it."""
    lines = [line.strip(_MARKUP) for line in unwrapped(reply[:READ]).split("\n")]
    lines = [line for line in lines if line]
    for _ in range(8):  # agreement, courtesy, announcement, heading: never more than this
        if not lines or (rest := _unannounced(lines[0])) == lines[0]:
            break
        lines[:1] = [rest] if rest else []
    kept: list[str] = []
    for sentence in sentences(re.sub(r"[*_#`>~]+", "", " ".join(lines))[:LOOKED_AT]):
        if speaks(sentence):
            return ""
        if _COURTESY.search(unquoted(sentence)):
            break
        kept.append(sentence)
    return " ".join(kept)


def speaks(sentence: str) -> bool:
    return _TALK.search(unquoted(sentence)) is not None


def _unannounced(line: str) -> str:
    if _HEADING.fullmatch(line):
        return ""
    if found := _ANNOUNCED.match(line):
        return line[found.end() :]
    first = next(iter(sentences(line[:LOOKED_AT])), "")
    return line.removeprefix(first).lstrip() if _COURTESY.search(unquoted(first)) else line
