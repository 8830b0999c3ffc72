"""The entries of the library's histories, and summaries of them by rules, which later summaries parse and carry over.

An entry is a string, or an object or mapping with `text`, or with `reasoning`, `code`, `output` and `llm_calls`. In
its output numbers, `word: value` pairs and error names are found by patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from agents.text.english import all_words, content_words, flat, names, numbers
from mud.world.sentences import is_abbreviated

MARK = "[COMPACTED]"
"""Prefix of a summary entry in every form; used to recognise earlier summaries."""
COMMENT = "# Previous steps summarized above"

_COUNT = re.compile(r"\(Compacted (\d{1,9}) steps\)\s*\Z")
_PARTS = ("reasoning", "code", "output")

_TASK_CHARS, _FINDING_CHARS, _VALUE_CHARS = 100, 50, 30
_FINDINGS = 3
LEAST_ROOM = 1000
"""Minimum characters for the content of earlier summaries."""
_PAIRS = 2

_NUMBER = re.compile(r"\b\d+(?:,\d{3})*(?:\.\d+)?\b")
_PAIR = re.compile(r"\b(\w+):\s*([^\n,]+)")
_FAILED = re.compile("error|exception|traceback|failed", re.IGNORECASE)
_NONE = re.compile(
    r"""
      \bterror\w*
    | \b(?:0|no|zero|not\ an?|without|free\ of) (?:\ (?:any|more|other|new|further|fatal|known|unexpected|syntax))?
        \ (?:(?:errors|exceptions|tracebacks)\b | error\(s\))
    | \b(?:no|zero|not\ an?|without) (?:\ (?:any|more|other|new|further|fatal|known|unexpected|syntax))?
        \ (?:error|exception|traceback)\b
    | (?:^|[,;:(|/]|\b(?:and|with|had)\b) [ ]* 0 (?:\ (?:tests?|checks?|of\ \d+|out\ of\ \d+))? \ failed\b
    | \b(?:none|nothing|never|not|zero|no\ \w+) \ failed\b
    | \b(?:\w{1,20}_)?(?:errors?|exceptions?|tracebacks?|failed)(?:_\w{1,20}|\ (?:count|found|raised|seen|total))?
        [ ]*[:=][ ]* (?:0|none|null|false|\[\]) [ ]* (?=[,;)\]}|]|\.(?!\d)|$)
    | \berror-free\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""Mentions of errors that only say that there are none."""
KINDS = ("ValueError", "TypeError", "KeyError", "IndexError")
OTHER = "Error"

_ENDS = re.compile(r"[.!?…]+(?=[\"”»'’)\]]*\s)")
_LABELS = ("Working on: ", "Completed ", "Made ", "Earlier: ", "Key findings: ", "Resolved issues: ")
_NEXT = re.compile(rf"(?:(?<=[.;] )|\A)(?={'|'.join(_LABELS)})")
_COMPLETED = re.compile(r"Completed (\d{1,9}) steps(?: \((\d{1,9}) successful\))?")
_MADE = re.compile(r"Made (\d{1,9}) LLM sub-calls")
_MARKS = " .;"


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """The content of one entry: the three parts of a step, or a single text as `output` (then `whole` is true)."""

    reasoning: str
    code: str
    output: str
    calls: int
    whole: bool

    @property
    def chars(self) -> int:
        return len(self.reasoning) + len(self.code) + len(self.output)

    @property
    def text(self) -> str:
        return self.output if self.whole else self.reasoning

    @property
    def is_summary(self) -> bool:
        return self.text.startswith(MARK)

    @property
    def summary(self) -> str:
        return _COUNT.sub("", self.text).removeprefix(MARK).rstrip().removesuffix(COMMENT).strip()

    @property
    def stands_for(self) -> int:
        count = _COUNT.search(self.output) if self.is_summary else None
        return int(count[1]) if count else 1


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """The summary entry of a history of objects, readable as a step and as one text."""

    reasoning: str
    code: str
    output: str
    text: str
    timestamp: str
    llm_calls: tuple[Any, ...] = ()
    execution_time: float = 0.0


def entries_of(history: Any) -> list[Any]:
    """Return the entries of a history: a sequence, or an object with `entries`; raises TypeError otherwise."""
    entries = history if isinstance(history, Sequence) else getattr(history, "entries", history)
    if isinstance(entries, str | bytes | Mapping) or not (isinstance(entries, Iterable) and isinstance(entries, Sized)):
        raise TypeError(
            f"a history is a list of entries, or has one as .entries; this is of type {type(history).__name__}"
        )
    return list(entries)


def steps_of(entries: Iterable[Any]) -> list[HistoryStep]:
    """Return the content of entries; raises TypeError for an unknown form."""
    return [_step(entry, number) for number, entry in enumerate(entries, 1)]


def _step(entry: Any, number: int) -> HistoryStep:
    if isinstance(entry, str):
        return HistoryStep("", "", entry, 0, True)
    made, text = _part(entry, "llm_calls"), _part(entry, "text")
    calls = len(made) if isinstance(made, Sized) else made if isinstance(made, int) else 0
    if text is not None:
        return HistoryStep("", "", str(text), calls, True)
    if not any(name in entry if isinstance(entry, Mapping) else hasattr(entry, name) for name in _PARTS):
        expected = "an entry is a string, or has text, or reasoning, code, output"
        raise TypeError(f"entry {number} is of type {type(entry).__name__}: {expected}")
    reasoning, code, output = ("" if (part := _part(entry, name)) is None else str(part) for name in _PARTS)
    return HistoryStep(reasoning, code, output, calls, False)


def _part(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, Mapping) else getattr(entry, name, None)


def summary_lines(summary: str, steps: int, with_comment: bool = True) -> tuple[str, str, str]:
    return f"{MARK} {summary}", COMMENT if with_comment else "", f"(Compacted {steps} steps)"


def as_text(lines: Iterable[str]) -> str:
    return "\n".join(filter(None, lines))


def summary_entry(like: Any, lines: tuple[str, str, str], timestamp: str) -> Any:
    """Return a summary entry in the form of `like`: a string, a dict with the same keys, or a `SummaryEntry`."""
    text = as_text(lines)
    if isinstance(like, str):
        return text
    if not isinstance(like, Mapping):
        return SummaryEntry(*lines, text, timestamp)
    entry: dict[str, Any] = dict(zip(_PARTS, lines, strict=True)) if like.get("text") is None else {"text": text}
    extra = {"llm_calls": [], "timestamp": timestamp}
    return entry | {name: value for name, value in extra.items() if name in like}


@dataclass(frozen=True, slots=True)
class Digest:
    """The content of a summary by rules: `steps` of 0 and `successful` of None mean unknown."""

    task: str = ""
    steps: int = 0
    successful: int | None = 0
    calls: int = 0
    findings: tuple[str, ...] = ()
    issues: frozenset[str] = frozenset()
    earlier: tuple[str, ...] = ()

    def parts(self) -> list[str]:
        """Return its parts as text; none contains the end of a sentence."""
        known = "" if self.successful is None else f" ({self.successful} successful)"
        parts = [
            f"Working on: {self.task}" if self.task else "",
            f"Completed {self.steps} steps{known}" if self.steps else "",
            f"Made {self.calls} LLM sub-calls" if self.calls else "",
            f"Earlier: {'; '.join(self.earlier)}" if self.earlier else "",
            f"Key findings: {'; '.join(self.findings)}" if self.findings else "",
            f"Resolved issues: {', '.join(sorted(self.issues))}" if self.issues else "",
        ]
        return [part for part in parts if part]

    def after(self, earlier: Digest) -> Digest:
        """Return this digest merged with an earlier one."""
        known = self.successful is not None and earlier.successful is not None
        other = earlier.task and self.task and earlier.task != self.task
        told = (f"worked on {earlier.task}",) if other else ()
        return Digest(
            self.task or earlier.task,
            self.steps + earlier.steps,
            (self.successful or 0) + (earlier.successful or 0) if known else None,
            self.calls + earlier.calls,
            _once(earlier.findings + self.findings),
            self.issues | earlier.issues,
            _once(earlier.earlier + told + self.earlier),
        )

    def untold(self, text: str) -> Digest:
        """Return the findings, issues and earlier sentences that a text does not contain."""
        words, digits = all_words(text), numbers(text)

        def told(item: str) -> bool:
            said = content_words(item)
            known = numbers(item) <= digits and names(item).keys() <= words
            return known and len(said & words) * 2 >= len(said)

        return Digest(
            findings=tuple(item for item in self.findings if not told(item)),
            issues=frozenset(item for item in self.issues if not told(item)),
            earlier=tuple(item for item in self.earlier if not told(item)),
        )

    def within(self, chars: int) -> Digest:
        """Return it with findings and earlier sentences cut to so many characters each."""
        return replace(
            self,
            findings=tuple(item for end in oldest_and_newest(self.findings, chars) for item in end),
            earlier=tuple(item for end in oldest_and_newest(self.earlier, chars) for item in end),
        )

    def ever_shorter(self) -> Iterator[Digest]:
        """Yield ever shorter forms: without counts, then with fewer findings, then without the task."""
        yield self
        bare = replace(self, successful=None)
        yield bare
        bare = replace(bare, calls=0)
        yield bare
        yield from bare.with_fewer_findings()
        yield replace(bare, findings=(), task="")

    def with_fewer_findings(self) -> Iterator[Digest]:
        for left in range(len(self.findings) - 1, -1, -1):
            yield replace(self, findings=self.findings[:left])


def _once(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def oldest_and_newest(items: Sequence[str], chars: int) -> tuple[list[str], list[str]]:
    """Return the items that fit into so many characters, taken from both ends in turn."""
    old: list[str] = []
    new: list[str] = []
    while len(old) + len(new) < len(items):
        from_new = len(new) < len(old)
        item = items[-1 - len(new)] if from_new else items[len(old)]
        item = item if old else item[:chars]
        chars -= len(item)
        if chars < 0:
            break
        (new if from_new else old).append(item)
    return old, new[::-1]


def digest_steps(steps: Sequence[HistoryStep], task: str, with_findings: bool) -> Digest:
    # Most outputs name no error at all, and to look for the second pattern takes ten times as long.
    harmless = [_NONE.sub("", step.output) if _FAILED.search(step.output) else "" for step in steps]
    failed = [bool(_FAILED.search(text)) for text in harmless]
    findings: dict[str, None] = {}
    for item in (item_of(one) for step in steps for one in _findings(step.output) if with_findings):
        if item:
            findings[item] = None
        if len(findings) == _FINDINGS:
            break
    return Digest(
        task=item_of(task[:_TASK_CHARS]),
        steps=len(steps),
        successful=sum(bool(step.output.strip()) and not bad for step, bad in zip(steps, failed, strict=True)),
        calls=sum(step.calls for step in steps),
        findings=tuple(findings),
        issues=frozenset(
            next((kind for kind in KINDS if kind in text), OTHER)
            for text, bad in zip(harmless, failed, strict=True)
            if bad
        ),
    )


def _findings(output: str) -> Iterator[str]:
    if 1 <= len(list(islice(_NUMBER.finditer(output), 4))) <= 3:
        yield output.strip()[:_FINDING_CHARS]
    for pair in islice(_PAIR.finditer(output), _PAIRS):
        yield f"{pair[1]}={pair[2].strip()[:_VALUE_CHARS]}"


def item_of(text: str) -> str:
    """Return a text as a list item: on one line, without semicolons and sentence ends."""
    line = flat(text).replace(";", ",")
    ends = _ENDS.sub(lambda end: end[0] if is_abbreviated(end.string, end.end()) else ",", f"{line} ")
    return ends.rstrip(" .!?…,")


def read_digest(summary: str, steps: int) -> Digest:
    """Parse a summary of so many steps; text in no known form is kept as sentences."""
    digest = Digest(steps=steps, successful=None)
    prose: list[str] = []
    for piece in filter(None, (part.strip(_MARKS) for part in _NEXT.split(summary))):
        read = _read(digest, piece)
        if read is None:
            prose += filter(None, map(item_of, sentences_of(piece)))
        else:
            digest = read
    return replace(digest, earlier=_once((*digest.earlier, *prose)))


def _read(digest: Digest, piece: str) -> Digest | None:
    label = next((label for label in _LABELS if piece.startswith(label)), "")
    rest = piece[len(label) :]
    items = tuple(item for part in rest.split("; ") if (item := item_of(part)))
    if label == "Working on: ":
        return replace(digest, task=item_of(rest))
    if label == "Earlier: ":
        return replace(digest, earlier=_once(digest.earlier + items))
    if label == "Key findings: ":
        return replace(digest, findings=_once(digest.findings + items))
    if label == "Resolved issues: " and {*rest.split(", ")} <= {*KINDS, OTHER}:
        return replace(digest, issues=digest.issues | {*rest.split(", ")})
    if made := _MADE.fullmatch(piece):
        return replace(digest, calls=digest.calls + int(made[1]))
    if (completed := _COMPLETED.fullmatch(piece)) and int(completed[1]) == digest.steps:
        return replace(digest, successful=int(completed[2]) if completed[2] else None)
    return None


_BREAK = re.compile(r"\s*\n\s*(?:\n\s*|(?=(?:[-*•]|\d+[.)])\s))")
_BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_END = re.compile(r"(?<=[.!?…])[\"”»'’)\]]*\s+")


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text; doubtful places are split, so that a limit holds however they are counted."""
    found: list[str] = []
    for line in _BREAK.split(text):
        plain = flat(_BULLET.sub("", line.strip()))
        start = 0
        for end in _END.finditer(plain):
            if not is_abbreviated(plain, end.start()):
                found.append(plain[start : end.end()].strip())
                start = end.end()
        found.append(plain[start:])
    return [sentence for sentence in found if sentence.strip(_MARKS)]


def joined(parts: Sequence[str], most: int) -> str:
    """Join parts into at most so many sentences; the excess is joined to the last one by semicolons."""
    tail = "; ".join([part.rstrip(_MARKS) for part in parts[most - 1 : -1]] + list(parts[-1:]))
    sentences = [*parts[: most - 1], tail] if len(parts) > most else parts
    return " ".join(one if re.search(r"[.!?…][\"”»'’)\]]*$", one) else f"{one}." for one in sentences)
