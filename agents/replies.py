"""One command line out of what models really send. Pure.

What is no command line becomes nothing: prose is never read as a command, and nothing is invented or corrected. The
first usable line wins; what stands after another character's cue is the model's own fancy and is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

READ = 20_000
"""Characters of a reply that are looked at."""
LINE = 2_000
"""Characters of one line that are looked at."""
LONGEST = 1_000
"""Characters of a command line; a longer one is cut after its last whole sentence or word."""

_SPEECH = ("say", "emote", "whisper", "think", "note", "recall")
"""Commands whose words are kept exactly; others lose a full stop, which chat models like to set."""
_COLON = ("say", "emote")
"""Commands that may be followed by a colon. `Note:` and `Look:` begin too many sentences that are none."""

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|reflection)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.S | re.I)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)\s{0,9}>", re.I)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,9}final\s{0,9}<\|message\|>")
_TURN_END = re.compile(
    r"<\|(?:im_end|eot_id|end|return|endoftext|eom_id)\|>|</s>|<end_of_turn>|<\|im_start\|>(?!\s*assistant)|\[/INST\]"
)
_TURN_SIGN = re.compile(r"<\|[a-z_]{2,20}\|>(?:assistant)?|<s>|<start_of_turn>(?:model)?|\[INST\]|<<SYS>>")
_TAG = re.compile(r"</?(?:command|action|answer|response|reply|output|final|line|code|p|b|i)\s*/?>", re.I)
_CONTROL = re.compile(
    r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*(?:[a-z]{1,12}\s*$)?|\s*(?:```|~~~)\s*$", re.I)
_BULLET = re.compile(r"^(?:[-*•·▪◦–—+]\s+|\(?\d{1,2}[.)]\s+|[>$#]+\s*|(?:=>|->|→|»|›)\s*)")
_LABEL = re.compile(
    r"^(?:(?:my|the|your|next|new|final|best|chosen)\s+){0,2}"
    r"(?:command(?:\s+line)?|action|reply|response|answer|output|input|move|turn|line)(?:\s+\d+)?(?:\s+and\s+reason(?:ing)?)?"
    r"(?:\s+(?:as|for|by)\s+\w+)?(?:\s+is)?\s*(?::|=|->)\s*",
    re.I,
)
_REASON = re.compile(r"^(?:private\s+)?(?:reason|reasoning|why|rationale|because)\s*:\s*(.+)$", re.I)
_CUE = re.compile(r"^[~\[(<]?\s*(\w[\w '’.-]{0,59}?)\s*[\])]?\s*(?:>|:(?=\s|$))\s*")
_CALL = re.compile(r"^(@?[a-z][\w-]*)\(\s*(.*?)\s*\)[;.]?$", re.I)
_SPOKEN = re.compile(r"^(?:says?|whispers? to ([^,\"“]+?))\s*[,:]?\s*[\"“](.+?)[\"”]?$", re.I)
_MARKED = re.compile(r"^([*_`]{1,3})(@?[A-Za-z][\w-]*)\1(?=$|\s|:)")
_PLACEHOLDER = re.compile(r"^[\[<{(][\w ,.'/|-]{1,40}[\]>})]$")
_PAIRS = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "‘": "’",
    "«": "»",
    "(": ")",
    "[": "]",
    "<": ">",
    "**": "**",
    "*": "*",
    "_": "_",
}
_VERB_KEYS = ("command", "action", "cmd", "verb", "name", "function")
_WORD_KEYS = ("args", "arguments", "words", "text", "message", "target", "content", "input", "parameters")
_REASON_KEYS = ("reason", "reasoning", "why", "private_reason")
_MARKS = ("`", "**")
"""What marks a command inside a sentence that goes on after it."""
_SHORT = {'"': "say", "“": "say", ":": "emote"}


def clean_reply(raw: str, name: str, verbs: Collection[str]) -> str | None:
    """Return the command line that a model's reply holds; None when it holds none.

    Args:
        raw: the reply as it came, of any length.
        name: the agent's name, whose cue may stand before the line.
        verbs: every verb the agent may use, in lower case.
    """
    text = _unwrapped(raw[:READ])
    told = _from_json(text, verbs)
    if told is not None:
        return _short(told)
    lines = [line.strip()[:LINE] for line in text.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        bare = _peeled(line, name, verbs)
        if bare is None:
            return None
        command = _command(bare, name, verbs)
        if command:
            return _short(_with_reason(command, lines[number + 1 :]))
    return None


def _unwrapped(raw: str) -> str:
    """Return a reply without thoughts, signs of turns, tags and what no line may hold."""
    text = _CONTROL.sub("", raw.replace("\r", "\n").replace("\t", " ").replace("\u2028", "\n").replace("\u2029", "\n"))
    text = _after(_CHANNEL, text)
    text = _after(_THOUGHT_END, _THOUGHT.sub("", text))
    text = _TURN_SIGN.sub("", _cut_at(_TURN_END, text.lstrip()))
    return _TAG.sub("\n", text)


def _after(sign: re.Pattern[str], text: str) -> str:
    """Return what stands after the last of these signs; everything when there is none."""
    return text[max((found.end() for found in sign.finditer(text)), default=0) :]


def _cut_at(end: re.Pattern[str], text: str) -> str:
    """Cut a text at the first sign of its end that has something before it."""
    for found in end.finditer(text):
        if text[: found.start()].strip():
            return text[: found.start()]
    return end.sub("", text)


def _peeled(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Return a line without labels, bullets and wrappings; None when it is somebody else's turn."""
    for _ in range(8):  # models nest: a bullet, a label, a quotation; never deeper than this
        before = line
        line = _FENCE.sub("", line).strip()
        line = _BULLET.sub("", line)
        marked = _MARKED.match(line)
        line = marked[2] + line[marked.end() :] if marked and marked[2].lower() in verbs else line
        line = _LABEL.sub("", line.replace("**", ""), count=1) if not _begins(line, verbs) else line
        cue = _CUE.match(line)
        if cue and not _begins(line, verbs):
            if cue[1].casefold() == name.casefold():
                line = line[cue.end() :]
            elif cue[0].lstrip().startswith("~") or cue[0].rstrip().endswith(">"):
                return None
        line = _unquoted(line, verbs)
        if line == before:
            break
    return line


def _unquoted(line: str, verbs: Collection[str]) -> str:
    """Take a pair of quotation marks or brackets off a line that is a command inside them."""
    for opening, closing in _PAIRS.items():
        if line.startswith(opening) and len(line) > len(opening):
            inner = line[len(opening) :]
            inner = (inner.partition(closing)[0] if opening in _MARKS else inner.removesuffix(closing)).strip()
            if _begins(inner, verbs):
                return inner
    return line


def _begins(line: str, verbs: Collection[str]) -> bool:
    """Whether a line begins with a verb."""
    first = line.split(maxsplit=1)[0].lower() if line.split() else ""
    return first in verbs or (first.endswith(":") and first[:-1] in _COLON and first[:-1] in verbs)


def _command(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Return a bare line as a command; None when it is none."""
    if len(line) > 1 and line[0] in "/!" and _begins(line[1:], verbs):
        line = line[1:]
    call = _CALL.match(line)
    if call and call[1].lower() in verbs:
        line = f"{call[1]} {_bare_arguments(call[2])}".strip()
    if _begins(line, verbs):
        return _plain(line)
    return _as_speech(line, name, verbs) or _shorthand(line, verbs)


def _plain(line: str) -> str | None:
    """Return a line that begins with a verb in its usual form; None when it only repeats how the verb is used."""
    verb, _, rest = line.partition(" ")
    verb, rest = verb.lower().rstrip(":"), rest.strip()
    words, bar, reason = rest.partition("|")
    words = words.strip()
    if _PLACEHOLDER.match(words) or words.startswith("<"):
        return None
    if verb not in _SPEECH:
        words = words.rstrip(" .;`*")
    elif (
        verb in ("say", "think")
        and len(words) > 1
        and words[0] in '"“'
        and words[-1] in '"”'
        and not re.search(r"[\"“”]", words[1:-1])
    ):
        words = words[1:-1].strip()
    if verb in _SPEECH and not words:
        return None
    return f"{verb} {words}".strip() + (f" | {reason.strip()}" if bar and reason.strip() else "")


def _as_speech(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Read `You say, "..."`, the form of the agent's own memories, which base models go on with."""
    for who in ("you", "i", name.casefold()):
        if not line.casefold().startswith(f"{who} "):
            continue
        found = _SPOKEN.match(line[len(who) :].strip())
        verb = "whisper" if found and found[1] else "say"
        if found and verb in verbs:
            return f"{verb} {found[1] or ''} {found[2].strip()}".replace("  ", " ")
    return None


def _shorthand(line: str, verbs: Collection[str]) -> str | None:
    """Read `"Hello.` and `:waves` as a person's are read; a sentence with a quotation inside is neither."""
    starred = len(line) > 2 and line[0] == line[-1] == "*"
    verb = "emote" if starred else _SHORT.get(line[:1])
    words = line[1:].strip().rstrip("*" if starred else '"”').strip()
    if verb is None or verb not in verbs or not words or re.search(r"[\"“”*]", words) or not words[0].isalnum():
        return None
    return f"{verb} {words}"


def _bare_arguments(inside: str) -> str:
    """Return the words of `say("Hello", reason="...")`: the first of them."""
    quoted = re.match(r"""^(?:\w+\s*=\s*)?(["'])(.*?)\1""", inside)
    return quoted[2] if quoted else inside


def _with_reason(command: str, following: list[str]) -> str:
    """Add the reason that stands on a line of its own below the command."""
    found = _REASON.match(following[0].replace("**", "")) if following else None
    return f"{command} | {found[1].strip()}" if found and "|" not in command else command


def _from_json(text: str, verbs: Collection[str]) -> str | None:
    """Read a reply that is an object with a command in it, bare or in a code fence; None when it is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or _begins(text.strip(), verbs):
        return None
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    for told in _objects(found):
        verb = next((told[key] for key in _VERB_KEYS if isinstance(told.get(key), str)), "")
        words, reason = _first_text(told, _WORD_KEYS), _first_text(told, _REASON_KEYS)
        line = " ".join(f"{verb} {words}".split())
        if verb and _begins(line, verbs):
            return _plain(f"{line} | {reason}" if reason and "|" not in line else line)
    return None


def _objects(found: Any) -> Iterator[Mapping[str, Any]]:
    """Yield an object and those one step inside it."""
    if isinstance(found, dict):
        yield found
        yield from (inner for inner in found.values() if isinstance(inner, dict))


def _first_text(told: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first of these keys that holds words; a list or object of texts is joined."""
    for key in keys:
        value = told.get(key)
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            value = " ".join(one for one in value if isinstance(one, str))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _short(line: str) -> str | None:
    """Cut an endless line after a whole sentence or word; None for one that has neither."""
    if len(line) <= LONGEST:
        return line
    head = line[:LONGEST]
    ends = [found.end() for found in re.finditer(r"[.!?…][\"”')]*(?=\s)", head)]
    cut = head[: ends[-1]] if ends and ends[-1] > LONGEST // 4 else head.rpartition(" ")[0]
    return cut if len(cut.split()) > 2 else None
