"""Turn a model's reply into one command line: `clean_reply`, and `Listener` for a reply that is still streaming.

Prose is never read as a command, nothing is corrected, and the first usable line wins.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice, pairwise, takewhile

from agents.reply.arguments import (
    TRIES,
    arguments_of,
    command_in,
    command_line,
    is_reason,
    may_become_reason,
    split_reason,
)
from agents.text.unwrapping import collapse_spaces, normalize_newlines, past_thoughts, thinks, unwrapped
from mud.world.exits import names_exit
from mud.world.things import Exit

READ, LINES, LINE = 20_000, 300, 2_000
"""Limits on what is read: characters of a reply, lines of it, characters of a line."""
LONGEST = 1_000
"""Characters of a command line; a longer one is cut after a sentence or word."""
LEAD = 12
"""Lines that may stand before the opening command: fences, labels, and one that ends with a colon."""
NEAR = 2

_FENCES = re.compile(r"^\s*(?:```|~~~)")
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_HEAD = 40  # characters that show whether a line is a reason
_NEVER = ""  # the reply does not open with a command


def clean_reply(raw: str, name: str, verbs: Collection[str], exits: Collection[str] = ()) -> str | None:
    """Return the command line in a model's reply of any length, or None.

    Args:
        name: the agent's name, which may stand before the line as a cue.
        verbs: every verb in lower case.
        exits: names of exits; a line that is only such a name becomes `go NAME`.
    """
    command = _opening(past_thoughts(normalize_newlines(raw[:READ])), name, verbs)
    text = unwrapped(raw[:READ])
    command = command or _from_json(text, verbs)
    lines = [line.strip()[:LINE] for line in text.split("\n") if line.strip()][:LINES]
    for line, below in pairwise([*lines, ""]):
        if command:
            break
        bare = _strip_wrappings(line, name, verbs)
        if bare is None:
            return None
        command = _as_command(bare, name, verbs) or _as_walking(bare, exits)
        command = _with_reason(command, below) if command else None
    return _shorten(command) if command else None


class Listener:
    """Tells of the beginning of a reply whether `clean_reply` returns the same command for every continuation."""

    def __init__(self, name: str, verbs: Collection[str]) -> None:
        self._name, self._verbs = name, verbs
        self._read = ""
        self._thinks = self._never = False

    def __call__(self, so_far: str) -> bool:
        if not (self._read and so_far.startswith(self._read)):
            self._read, self._thinks, self._never = "", False, False
        if self._never or not self._may_matter(so_far):
            return False
        self._read = so_far
        text = past_thoughts(normalize_newlines(so_far[:READ]))
        opening = _opening(text, self._name, self._verbs)
        self._thinks = text is None
        self._never = opening == _NEVER or (not opening and len(so_far) >= READ)
        return bool(opening)

    def _may_matter(self, so_far: str) -> bool:
        seen = len(self._read)
        if not seen or self._thinks:
            return not seen or ">" in so_far[seen:]
        return len(so_far) - seen > LINE // 4 or bool(_LINE_END.search(so_far, min(seen, len(so_far) - _HEAD)))


def _opening(text: str | None, name: str, verbs: Collection[str]) -> str | None:
    """Return the command that opens a reply and cannot change any more, None while undecided, or `_NEVER`."""
    if text is None:
        return None
    lines = text.lstrip().split("\n")
    whole = len(lines) - (len(lines[-1].lstrip()) <= LINE)  # only the beginning of an endless line is read
    led, seen = False, 0
    for number, part in islice(_parts(lines[: min(whole, LINES)]), LEAD):
        seen += 1
        bare = _strip_wrappings(part, name, verbs)
        if bare is None or thinks(part):
            return _NEVER
        if bare.startswith(("{", "[{")):
            return _from_json("\n".join(lines[number:]), verbs, 1)
        command = _as_command(bare, name, verbs)
        if command:
            return _complete(command, lines, number, whole)
        if any(sign.isalnum() for sign in bare):
            if led or not bare.endswith(":"):
                return _NEVER
            led = True
    return None if seen < LEAD and whole < LINES else _NEVER


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines):
        begun = line.lstrip()[:LINE]
        if thinks(begun):
            yield number, begun
        elif begun:
            parts = map(str.strip, unwrapped(begun).split("\n"))
            yield from ((number, part) for part in parts if part)


def _complete(command: str, lines: Sequence[str], number: int, whole: int) -> str | None:
    fenced = sum(bool(_FENCES.match(line)) for line in lines[:number]) % 2
    if fenced and not any(_FENCES.match(line) for line in lines[number + 1 : whole]):
        return None
    if "|" in command or len(lines[number].lstrip()) > LINE:
        return command
    at = number + 1 + sum(1 for _ in takewhile(lambda line: not line.strip(), lines[number + 1 : whole]))
    if at > number + 1 + NEAR:
        return command
    if at < whole:
        return _with_reason(command, lines[at].strip()[:LINE])
    if at >= len(lines):
        return None
    head, colon, _ = lines[at].replace("**", "").partition(":")
    return None if (is_reason(head) if colon else may_become_reason(head)) else command


def _from_json(text: str, verbs: Collection[str], tries: int = TRIES) -> str | None:
    if _begins_with_verb(text, verbs):
        return None
    line = command_in(text, lambda verb: _begins_with_verb(verb, verbs), tries)
    return _canonical(normalize_newlines(line)) if line else None


def _shorten(line: str) -> str | None:
    """Cut an endless line after a sentence or word; None when there is neither."""
    if len(line) <= LONGEST:
        return line
    head = line[:LONGEST]
    ends = [found.end() for found in re.finditer(r"[.!?…][\"”')]*(?=\s)", head)]
    cut = head[: ends[-1]] if ends and ends[-1] > LONGEST // 4 else head.rpartition(" ")[0]
    return cut if len(cut.split()) > 2 else None


# ---- one line ----

# Lines have had their runs of blanks collapsed (`agents.text.unwrapping.collapse_spaces`),
# so no pattern here matches runs of blanks.

DEED = 12
"""A line of so many words is prose; actions such as `put the silver key into the old box` are shorter."""

_SELF = ("@set-profile", "@set-description", "@set-goal")
_OWN = ("think", "note", "@overwrite-note", "recall", "remember", *_SELF)
"""Commands whose words nobody else hears; a reason in them is part of them."""
_SPEECH = ("say", "emote", "me", "whisper", "tell", *_OWN)
"""Commands whose words are kept exactly; others lose a final full stop, which chat models like to add."""
_PRONOUNS = ("i", "me")  # verbs that also begin prose
_COLON = ("say", "emote")
"""Commands that may be followed by a colon or comma. `Note:` and `Look,` begin too many sentences."""

_ELEMENT = re.compile(r"^<(@?[a-z][\w-]*)\s?>(.*?)(?:</\1\s?>)?$", re.I)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-f]{1,5});", re.I)
_AI = r"(?:ai|artificial intelligence|(?:large )?language model)(?: (?:language model|assistant|model))?\b"
_ASSISTANT = re.compile(
    rf"[\"“'(]*(?:(?:i['’]m sorry,? (?:but )?)?(?:as|being) an? {_AI}|i['’]m (?:just |only )?an? {_AI})", re.I
)
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
_PAIRS = {one[0]: one[-1] for one in ('""', "''", "``", "“”", "‘’", "«»", "()", "[]", "<>")}
_PAIRS |= {mark: mark for mark in ("**", "*", "_")}
_MARKS = ("`", "**")  # marks around a command inside a longer sentence
_SHORT = {'"': "say", "“": "say", ":": "emote"}
_FIRST = re.compile(r"(@?\w[\w-]*)(?:[.!…]{1,9}(?=\s?(?:\||$))|(?P<colon>[:,])(?=\s|$)|(?P<second>(?=\s?;))|(?=\|))")
"""A first word ended by a mark; after it comes nothing, the words of speech, a second command, or a reason."""


def _strip_wrappings(line: str, name: str, verbs: Collection[str]) -> str | None:
    if _ENTITY.search(line):
        line = " ".join(normalize_newlines(html.unescape(line)).split())
    element = _ELEMENT.match(line)
    if element and element[1].lower() in verbs and "</" in line:
        line = f"{element[1]} {element[2].strip()}".strip()
    for _ in range(8):  # models nest a bullet, a label and a quotation, never deeper than this
        before = line
        line = _FENCE.sub("", line).strip()
        line = _BULLET.sub("", line)
        marked = _MARKED.match(line)
        line = marked[2] + line[marked.end() :] if marked and marked[2].lower() in verbs else line
        if not _begins_with_verb(line, verbs):
            line = _LABEL.sub("", collapse_spaces(line.replace("**", "")), count=1)
        cue = _CUE.match(line)
        if cue and not _begins_with_verb(line, verbs):
            if cue[1].casefold() == name.casefold():
                line = line[cue.end() :]
            elif cue[0].lstrip().startswith("~") or cue[0].rstrip().endswith(">"):
                return None
        line = _unquoted(line, verbs)
        if line == before:
            break
    return line


def _unquoted(line: str, verbs: Collection[str]) -> str:
    for opening, closing in _PAIRS.items():
        if line.startswith(opening) and len(line) > len(opening):
            inner = line[len(opening) :]
            inner = (inner.partition(closing)[0] if opening in _MARKS else inner.removesuffix(closing)).strip()
            if _begins_with_verb(inner, verbs):
                return inner
    return line


def _begins_with_verb(line: str, verbs: Collection[str]) -> bool:
    word, rest = _split_verb(line)
    first = word.lower()
    if first in _PRONOUNS and (word != first or (first == "i" and rest)):
        return False  # "I think so" is no inventory
    return first in verbs


def _split_verb(line: str) -> tuple[str, str]:
    line = line.strip()
    if found := _FIRST.match(line):
        verb = found[1].lower()
        if (not found["colon"] or verb in _COLON) and not (verb in _SPEECH and found["second"] is not None):
            return found[1], line[found.end() :].strip()
    word, _, rest = line.partition(" ")
    return word, rest.strip()


def _as_command(line: str, name: str, verbs: Collection[str]) -> str | None:
    if len(line) > 1 and line[0] in "/!~" and _begins_with_verb(line[1:], verbs):
        line = line[1:]
    call = _CALL.match(line)
    if call and call[1].lower() in verbs:
        pairs = arguments_of(call[2])
        return None if pairs is None else _canonical(command_line(call[1], pairs))
    if _begins_with_verb(line, verbs):
        return _canonical(line)
    spoken = _as_speech(line, name, verbs) or _shorthand(line, name, verbs)
    return _canonical(spoken) if spoken else None


def _as_walking(line: str, exits: Collection[str]) -> str | None:
    """Return `go` for a line that is only the name of an exit, with or without a reason; else None."""
    words, _, reason = line.partition("|")
    name = words.strip().rstrip(" .!`*")
    if not any(names_exit(name, Exit(way, "")) for way in exits):
        return None
    return f"go {name} | {reason.strip()}" if reason.strip() else f"go {name}"


def _canonical(line: str) -> str | None:
    """Return a command in its usual form; None when it only repeats the verb's usage."""
    verb, rest = _split_verb(line)
    verb = verb.lower()
    words, _, reason = rest.partition("|")
    words, told = (words.strip(), "") if verb in _OWN else split_reason(words.strip())
    if _PLACEHOLDER.match(words) or words.startswith("<"):
        return None
    if verb not in _SPEECH:
        words = _SECOND.sub("", f" {words}").strip().rstrip(" .!…;`*")
        if not verb.startswith("@") and (re.search(r"[,:]|\?$", words) or len(words.split()) >= DEED):
            return None  # names hold no such marks; sentences that begin like an action do
    elif verb in ("say", "think"):
        words = _unmarked(words)
    if verb in _SPEECH and (not words or _ASSISTANT.match(words) or (verb == "tell" and _TO_ME.match(words))):
        return None
    reason = reason.strip(" |") or told
    return f"{verb} {words}".strip() + (f" | {reason}" if reason else "")


def _unmarked(words: str) -> str:
    for opening, closing, inside in (('"“', '"”', '"“”'), ("'‘", "'’", '"“”'), ("«", "»", "«»")):
        if len(words) > 1 and words[0] in opening and words[-1] in closing:
            inner = words[1:-1].strip()
            return words if any(sign in inner for sign in inside) else inner
    return words


def _as_speech(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Read `You say, "..."`, the form of the agent's memories, which base models continue."""
    for who in ("you", "i", name.casefold()):
        found = _SPOKEN.match(line[len(who) :].strip()) if line.casefold().startswith(f"{who} ") else None
        verb = "whisper" if found and found[1] else "say"
        if found and verb in verbs:
            return f"{verb} {found[1] or ''} {found[2].strip()}".replace("  ", " ")
    return None


def _shorthand(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Read `"Hello.` and `:waves` like a player's input, but not a sentence with a quotation inside."""
    starred = len(line) > 2 and line[0] == line[-1] == "*"
    verb = "emote" if starred else _SHORT.get(line[:1])
    words = line[1:].strip().rstrip("*" if starred else '"”').strip()
    words = words[len(name) + 1 :] if starred and words.startswith(f"{name} ") else words
    if verb is None or verb not in verbs or not words or re.search(r"[\"“”*]", words) or not words[0].isalnum():
        return None
    return f"{verb} {words}"


def _with_reason(command: str, below: str) -> str:
    head, _, words = below.strip().replace("**", "").partition(":")
    if "|" in command or not is_reason(head):
        return command
    reason = words.strip().removesuffix(_PAIRS.get(head[:1], "")).strip()
    return f"{command} | {reason}" if reason else command
