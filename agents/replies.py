"""One command line out of what models really send. Pure.

What is no command line becomes nothing: prose is never read as a command, and nothing is invented or corrected. The
first usable line wins; what stands after another character's cue is the model's own fancy and is not looked at. A reply
that opens with a whole command is read no further, so that one that comes bit by bit can be ended there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection

from agents.reply_objects import TRIES, command_in

READ = 20_000
"""Characters of a reply that are looked at."""
LINE = 2_000
"""Characters of one line that are looked at."""
LONGEST = 1_000
"""Characters of a command line; a longer one is cut after its last whole sentence or word."""
DEED = 12
"""Words of a deed at most, such as `put the silver key into the old box`; what is longer is prose."""
LEAD = 12
"""Lines that may stand before the command with which a reply opens: fences, labels, and one that ends on a colon."""

_SPEECH = ("say", "emote", "me", "whisper", "tell", "think", "note", "recall", "remember")
"""Commands whose words are kept exactly; others lose a full stop, which chat models like to set."""
_PRONOUNS = ("i", "me")
"""Verbs that prose begins with as often."""
_COLON = ("say", "emote")
"""Commands that may be followed by a colon. `Note:` and `Look:` begin too many sentences that are none."""

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|reflection)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.S | re.I)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)\s{0,9}>", re.I)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,9}final\s{0,9}<\|message\|>")
_TURN_END = re.compile(
    r"<\|(?:im_end|eot_id|end|return|endoftext|eom_id)\|>|</s>|<end_of_turn>|<\|im_start\|>(?!\s*assistant)|\[/INST\]"
)
_TURN_SIGN = re.compile(r"<\|[a-z_]{2,20}\|>(?:assistant)?|<s>|<start_of_turn>(?:model)?|\[INST\]|<<SYS>>")
_TAG = re.compile(
    r"</?(?:command|action|answer|response|reply|output|final|line|reason|code|p|b|i|br|tool_call|function_call|tools?)\s*/?>"
    r"|\[/?TOOL_CALLS?\]",
    re.I,
)
_ELEMENT = re.compile(r"^<(@?[a-z][\w-]*)\s*>(.*?)(?:</\1\s*>)?$", re.I)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-f]{1,5});", re.I)
_THINKS = re.compile(r"\s*<(think|thinking|thought|reasoning|reflection)\b[^>]*>", re.I)
_THOUGHT_SIGN = re.compile(r"</?(?:think|thinking|thought|reasoning|reflection)\b|<\|channel", re.I)
_FENCES = re.compile(r"^\s*(?:```|~~~)")
_NEXT_WORD = re.compile(r"\s*([A-Za-z]{1,20})[ ,.!?']")
_REASON_WORDS = frozenset(("private", "reason", "reasoning", "why", "rationale", "because"))
_AI = r"(?:ai|artificial intelligence|(?:large )?language model)(?: (?:language model|assistant|model))?\b"
_ASSISTANT = re.compile(
    rf"[\"“'(]*(?:(?:i['’]m sorry,? (?:but )?)?(?:as|being) an? {_AI}|i['’]m (?:just |only )?an? {_AI})", re.I
)
"""How the assistant begins that a model was trained to be; the character does not speak so."""
_TO_ME = re.compile(r"(?:me|us)\b", re.I)
_SECOND = re.compile(r"\s*(?:;|&&|,?\s+(?:and )?then\s).*$")
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


def clean_reply(raw: str, name: str, verbs: Collection[str]) -> str | None:
    """Return the command line that a model's reply holds; None when it holds none.

    Args:
        raw: the reply as it came, of any length.
        name: the agent's name, whose cue may stand before the line.
        verbs: every verb the agent may use, in lower case.
    """
    opening = _opening(raw[:READ], name, verbs)
    if opening is not None:
        return _short(opening)
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


def enough(so_far: str, name: str, verbs: Collection[str]) -> bool:
    """Return whether the beginning of a reply holds its whole command line, whatever may still come.

    `clean_reply` then gives the same line for this beginning and for every longer one. False inside a thought, a fence
    or an object that is still open, and where the next line may yet be the command's reason.

    Args:
        so_far: what has come of a reply.
        name: the agent's name.
        verbs: every verb the agent may use, in lower case.
    """
    return _opening(so_far[:READ], name, verbs) is not None


def _opening(raw: str, name: str, verbs: Collection[str]) -> str | None:
    """Return the command with which a reply opens, once nothing that follows can change it; else None."""
    text = _past_thoughts(_even(raw))
    lines = text.split("\n")
    whole = len(lines) - (len(lines[-1].lstrip()) <= LINE)  # of an endless line the beginning is all that is read
    led = False
    for number, line in enumerate(lines[: min(whole, LEAD)]):
        line = line.lstrip()[:LINE]
        if _THOUGHT_SIGN.search(line):
            return None
        for part in _unwrapped(line).split("\n"):
            bare = _peeled(part.strip()[:LINE], name, verbs)
            if bare is None:
                return None
            if bare.startswith(("{", "[{")):
                return _from_json("\n".join(lines[number:]), verbs, 1)
            command = _command(bare, name, verbs)
            if command:
                return _settled(command, lines, number, whole)
            if any(sign.isalnum() for sign in bare):
                if led or not bare.endswith(":"):
                    return None
                led = True
    return None


def _settled(command: str, lines: list[str], number: int, whole: int) -> str | None:
    """Return a command with its reason; None where what follows may still belong to it."""
    if sum(bool(_FENCES.match(line)) for line in lines[:number]) % 2:
        rest = lines[number + 1 : whole]
        if not any(_FENCES.match(line) for line in rest):
            return None
    following = next(((at, line) for at, line in enumerate(lines[number + 1 :], number + 1) if line.strip()), None)
    if "|" in command or len(lines[number].lstrip()) > LINE:
        return command
    if following is None:
        return None
    at, line = following
    word = _NEXT_WORD.match(line)
    if at >= whole and (word is None or word[1].lower() in _REASON_WORDS):
        return None
    return _with_reason(command, [line.strip()[:LINE]] if at < whole else [])


def _past_thoughts(text: str) -> str:
    """Return what stands after the thoughts that open a reply; nothing while one is open or holds another."""
    while found := _THINKS.match(text):
        end = re.compile(rf"</{found[1]}\s{{0,9}}>", re.I).search(text, found.end())
        if end is None or _THOUGHT_SIGN.search(text, found.end(), end.start()):
            return ""
        text = text[end.end() :]
    return text


def _unwrapped(raw: str) -> str:
    """Return a reply without thoughts, signs of turns, tags and what no line may hold."""
    text = _after(_CHANNEL, _even(raw))
    text = _after(_THOUGHT_END, _THOUGHT.sub("", text))
    text = _TURN_SIGN.sub("", _cut_at(_TURN_END, text.lstrip()))
    return _TAG.sub("\n", text)


def _even(raw: str) -> str:
    """Return a text with one kind of line end and of space, and without what could do something to a terminal."""
    even = raw.replace("\r", "\n").replace("\t", " ").replace("\u2028", "\n").replace("\u2029", "\n")
    return _CONTROL.sub("", even)


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
    if _ENTITY.search(line):
        line = " ".join(_even(html.unescape(line)).split())
    element = _ELEMENT.match(line)
    if element and element[1].lower() in verbs and "</" in line:
        line = f"{element[1]} {element[2].strip()}".strip()
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
    words = line.split(maxsplit=1)
    first = words[0].lower() if words else ""
    if first in _PRONOUNS and (words[0] != first or (first == "i" and len(words) > 1)):
        return False  # "I think so" is no inventory
    return first in verbs or (first.endswith(":") and first[:-1] in _COLON and first[:-1] in verbs)


def _command(line: str, name: str, verbs: Collection[str]) -> str | None:
    """Return a bare line as a command; None when it is none."""
    if len(line) > 1 and line[0] in "/!~" and _begins(line[1:], verbs):
        line = line[1:]
    call = _CALL.match(line)
    if call and call[1].lower() in verbs:
        line = f"{call[1]} {_bare_arguments(call[2])}".strip()
    if _begins(line, verbs):
        return _plain(line)
    return _as_speech(line, name, verbs) or _shorthand(line, name, verbs)


def _plain(line: str) -> str | None:
    """Return a line that begins with a verb in its usual form; None when it only repeats how the verb is used."""
    verb, _, rest = line.partition(" ")
    verb, rest = verb.lower().rstrip(":"), rest.strip()
    words, bar, reason = rest.partition("|")
    words = words.strip()
    if _PLACEHOLDER.match(words) or words.startswith("<"):
        return None
    if verb not in _SPEECH:
        words = _SECOND.sub("", f" {words}").strip().rstrip(" .;`*")
        if not verb.startswith("@") and (re.search(r"[,:]|\?$", words) or len(words.split()) >= DEED):
            return None  # names of things and ways hold no such marks; sentences that begin like a deed do
    elif verb in ("say", "think"):
        words = _unmarked(words)
    if verb in _SPEECH and (not words or _ASSISTANT.match(words) or (verb == "tell" and _TO_ME.match(words))):
        return None
    reason = reason.strip(" |")
    return f"{verb} {words}".strip() + (f" | {reason}" if bar and reason else "")


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


def _bare_arguments(inside: str) -> str:
    """Return the words of `say("Hello", reason="...")`: the first of them."""
    quoted = re.match(r"""^(?:\w+\s*=\s*)?(["'])(.*?)\1""", inside)
    return quoted[2] if quoted else inside


def _with_reason(command: str, following: list[str]) -> str:
    """Add the reason that stands on a line of its own below the command."""
    found = _REASON.match(following[0].replace("**", "")) if following else None
    return f"{command} | {found[1].strip()}" if found and "|" not in command else command


def _from_json(text: str, verbs: Collection[str], tries: int = TRIES) -> str | None:
    """Read a reply that is an object with a command in it, bare, in a code fence or a list; None when it is none."""
    if _begins(text.strip(), verbs):
        return None
    line = command_in(text, lambda verb: _begins(verb, verbs), tries)
    return _plain(line) if line else None


def _short(line: str) -> str | None:
    """Cut an endless line after a whole sentence or word; None for one that has neither."""
    if len(line) <= LONGEST:
        return line
    head = line[:LONGEST]
    ends = [found.end() for found in re.finditer(r"[.!?…][\"”')]*(?=\s)", head)]
    cut = head[: ends[-1]] if ends and ends[-1] > LONGEST // 4 else head.rpartition(" ")[0]
    return cut if len(cut.split()) > 2 else None
