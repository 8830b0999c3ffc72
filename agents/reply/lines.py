"""One line of a model's reply read as a command. Pure.

Every pattern here is used on lines in which each run of blanks is one, see `agents.text.unwrapping.collapse_spaces`;
none looks for a run of them again.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection

from agents.reply.arguments import arguments_of, line_of
from agents.reply.reasons import is_reason, may_become_reason, parted
from agents.text.unwrapping import collapse_spaces, normalize_newlines
from mud.world.exits import names_exit
from mud.world.things import Exit

DEED = 12
"""Words of a deed at most, such as `put the silver key into the old box`; what is longer is prose."""

_SELF = ("@set-profile", "@set-description", "@set-goal")
_OWN = ("think", "note", "@overwrite-note", "recall", "remember", *_SELF)
"""Commands whose words nobody else hears: a reason among them is part of them."""
_SPEECH = ("say", "emote", "me", "whisper", "tell", *_OWN)
"""Commands whose words are kept exactly; others lose the mark of a sentence's end, which chat models like to set."""
_PRONOUNS = ("i", "me")
"""Verbs that prose begins with as often."""
_COLON = ("say", "emote")
"""Commands that a colon or comma may follow. `Note:` and `Look,` begin too many sentences that are none."""

_ELEMENT = re.compile(r"^<(@?[a-z][\w-]*)\s?>(.*?)(?:</\1\s?>)?$", re.I)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-f]{1,5});", re.I)
_AI = r"(?:ai|artificial intelligence|(?:large )?language model)(?: (?:language model|assistant|model))?\b"
_ASSISTANT = re.compile(
    rf"[\"“'(]*(?:(?:i['’]m sorry,? (?:but )?)?(?:as|being) an? {_AI}|i['’]m (?:just |only )?an? {_AI})", re.I
)
"""How the assistant begins that a model was trained to be; the character does not speak so."""
_TO_ME = re.compile(r"(?:me|us)\b", re.I)
_SECOND = re.compile(r"\s?(?:;|&&|,?\s(?:and )?then\s).*$")
_FENCE = re.compile(r"^\s?(?:```|~~~)\s?(?:[a-z]{1,12}\s?$)?|\s?(?:```|~~~)\s?$", re.I)
_BULLET = re.compile(r"^(?:[-*•·▪◦–—+]\s|\(?\d{1,2}[.)]\s|[>$#]+\s?|(?:=>|->|→|»|›)\s?)")
_LABEL = re.compile(
    r"^(?:(?:my|the|your|next|new|final|best|chosen)\s){0,2}"
    r"(?:command(?:\sline)?|action|reply|response|answer|output|input|move|turn|line)(?:\s\d{1,9})?"
    r"(?:\sand\sreason(?:ing)?)?(?:\s(?:as|for|by)\s\w+)?(?:\sis)?\s?(?::|=|->)\s?",
    re.I,
)
_CUE = re.compile(r"^[~\[(<]?\s?(\w[\w '’.-]{0,59}?)\s?[\])]?\s?(?:>|:(?=\s|$))\s?")
_CALL = re.compile(r"^(@?[a-z][\w-]*)\(\s?(.*?)\s?\)[;.]?$", re.I)
_SPOKEN = re.compile(r"^(?:says?|whispers? to ([^,\"“]+?))\s?[,:]?\s?[\"“](.+?)[\"”]?$", re.I)
_MARKED = re.compile(r"^([*_`]{1,3})(@?[A-Za-z][\w-]*)\1(?=$|\s|:)")
_PLACEHOLDER = re.compile(r"^[\[<{(][\w ,.'/|-]{1,40}[\]>})](?:$|[\s:])|[\[<{]your[ _]\w+[\]>}]", re.I)
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
_MARKS = ("`", "**")
"""What marks a command inside a sentence that goes on after it."""
_SHORT = {'"': "say", "“": "say", ":": "emote"}
_FIRST = re.compile(r"(@?\w[\w-]*)(?:[.!…]{1,9}(?=\s?(?:\||$))|(?P<colon>[:,])(?=\s|$)|(?P<second>(?=\s?;))|(?=\|))")
"""A first word that a mark ends: a whole deed, the words of speech, a second command, or a reason stand after it."""


def peeled(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Return a line without labels, bullets and wrappings; None when it is somebody else's turn."""
    if _ENTITY.search(line):
        line = " ".join(normalize_newlines(html.unescape(line)).split())
    element = _ELEMENT.match(line)
    if element and element[1].lower() in verbs and "</" in line:
        line = f"{element[1]} {element[2].strip()}".strip()
    for _ in range(8):  # models nest: a bullet, a label, a quotation; never deeper than this
        before = line
        line = _FENCE.sub("", line).strip()
        line = _BULLET.sub("", line)
        marked = _MARKED.match(line)
        line = marked[2] + line[marked.end() :] if marked and marked[2].lower() in verbs else line
        line = _LABEL.sub("", collapse_spaces(line.replace("**", "")), count=1) if not begins(line, verbs) else line
        cue = _CUE.match(line)
        if cue and not begins(line, verbs):
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
            if begins(inner, verbs):
                return inner
    return line


def begins(line: str, verbs: Collection[str]) -> bool:
    """Whether a line begins with a verb."""
    word, rest = _parted(line)
    first = word.lower()
    if first in _PRONOUNS and (word != first or (first == "i" and rest)):
        return False  # "I think so" is no inventory
    return first in verbs


def _parted(line: str) -> tuple[str, str]:
    """Return a line's first word, without a mark that only ends it, and what follows."""
    line = line.strip()
    found = _FIRST.match(line)
    if found:
        speaks = found[1].lower() in _SPEECH
        if (not found["colon"] or found[1].lower() in _COLON) and not (speaks and found["second"] is not None):
            return found[1], line[found.end() :].strip()
    word, _, rest = line.partition(" ")
    return word, rest.strip()


def command_of(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Return a bare line as a command; None when it is none."""
    if len(line) > 1 and line[0] in "/!~" and begins(line[1:], verbs):
        line = line[1:]
    call = _CALL.match(line)
    if call and call[1].lower() in verbs:
        pairs = arguments_of(call[2])
        return None if pairs is None else plain(line_of(call[1], pairs))
    if begins(line, verbs):
        return plain(line)
    spoken = _as_speech(line, name, verbs) or _shorthand(line, name, verbs)
    return plain(spoken) if spoken else None


def way_of(line: str, exits: Collection[str]) -> str | None:
    """Return a line that is nothing but the name of a way out, with a reason or without, as `go`; else None."""
    words, bar, reason = line.partition("|")
    name = words.strip().rstrip(" .!`*")
    if not any(names_exit(name, Exit(way, "")) for way in exits):
        return None
    return f"go {name} | {reason.strip()}" if bar and reason.strip() else f"go {name}"


def plain(line: str) -> str | None:
    """Return a line that begins with a verb in its usual form; None when it only repeats how the verb is used."""
    verb, rest = _parted(line)
    verb = verb.lower()
    words, _, reason = rest.partition("|")
    words, told = (words.strip(), "") if verb in _OWN else parted(words.strip())
    if _PLACEHOLDER.match(words) or words.startswith("<"):
        return None
    if verb not in _SPEECH:
        words = _SECOND.sub("", f" {words}").strip().rstrip(" .!…;`*")
        if not verb.startswith("@") and (re.search(r"[,:]|\?$", words) or len(words.split()) >= DEED):
            return None  # names of things and ways hold no such marks; sentences that begin like a deed do
    elif verb in ("say", "think"):
        words = _unmarked(words)
    if verb in _SPEECH and (not words or _ASSISTANT.match(words) or (verb == "tell" and _TO_ME.match(words))):
        return None
    reason = reason.strip(" |") or told
    return f"{verb} {words}".strip() + (f" | {reason}" if reason else "")


def _unmarked(words: str) -> str:
    """Take the quotation marks off words that stand in one pair of them."""
    for opening, closing, inside in (('"“', '"”', '"“”'), ("'‘", "'’", '"“”'), ("«", "»", "«»")):
        if len(words) > 1 and words[0] in opening and words[-1] in closing:
            inner = words[1:-1].strip()
            return words if any(sign in inner for sign in inside) else inner
    return words


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


def _shorthand(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Read `"Hello.` and `:waves` as a person's are read; a sentence with a quotation inside is neither."""
    starred = len(line) > 2 and line[0] == line[-1] == "*"
    verb = "emote" if starred else _SHORT.get(line[:1])
    words = line[1:].strip().rstrip("*" if starred else '"”').strip()
    words = words[len(name) + 1 :] if starred and words.startswith(f"{name} ") else words
    if verb is None or verb not in verbs or not words or re.search(r"[\"“”*]", words) or not words[0].isalnum():
        return None
    return f"{verb} {words}"


def with_reason(command: str, below: str) -> str:
    """Add the reason that stands on a line of its own below the command."""
    head, _, words = below.strip().replace("**", "").partition(":")
    if "|" in command or not is_reason(head):
        return command
    reason = words.strip().removesuffix(_PAIRS.get(head[:1], "")).strip()
    return f"{command} | {reason}" if reason else command


def may_be_reason(begun: str) -> bool:
    """Return whether the line that begins so may become a reason."""
    head, colon, _ = begun.replace("**", "").partition(":")
    return is_reason(head) if colon else may_become_reason(head)
