"""The library form of seed 001: compaction of any list of entries, without a world, an agent or a vault.

A history becomes one summary of its old entries, and the newest entries unchanged. What earlier summaries say is
carried over, the oldest and the newest of it if there is too much. If no summary is shorter than what it would
replace, nothing is compacted.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count, islice
from typing import Any, NamedTuple

from agents.compaction.judge.reading import JudgedTexts, telling_of
from agents.compaction.settings import PRESETS
from agents.text.english import flat
from mud.clock import iso
from mud.errors import Unavailable, UnknownName
from mud.world.sentences import is_abbreviated

MARK = "[COMPACTED]"  # prefix of a summary entry in every form; used to recognise earlier summaries
COMMENT = "# Previous steps summarized above"

_COUNT = re.compile(r"\(Compacted (\d{1,9}) steps\)\s*\Z")
_PARTS = ("reasoning", "code", "output")

_TASK_CHARS, _FINDING_CHARS, _VALUE_CHARS = 100, 50, 30
_FINDINGS = 3
LEAST_ROOM = 1000  # minimum characters for the content of earlier summaries
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
        there = JudgedTexts([text])

        def told(item: str) -> bool:
            read, said = JudgedTexts([item]), telling_of(item)
            known = read.numbers <= there.numbers and read.names.keys() <= there.words
            return known and len(said & there.words) * 2 >= len(said)

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


log = logging.getLogger(__name__)

_now = partial(datetime.now, UTC)
_REASONING_CHARS, _CODE_CHARS, _OUTPUT_CHARS = 200, 150, 100
"""Maximum characters of each part of a step in a prompt; an entry with a single text gets as many as reasoning."""
_ASK = """Summarize these steps of a longer task in at most {limit}.

Task: {task}
{earlier}
Steps:
{steps}

Say what was attempted, what was found and how far the task got, and which errors there were and how they were \
resolved. Name every finding, name and number that the task still needs. Write at most {limit} and nothing else."""
_EARLIER = """
Summary of the {count} steps before these, which yours replaces too:
{summary}
"""
_NO_SUMMARY = re.compile(
    r"^\W*(?:as an ai\b|(?:i(?:['’]m| am) )?sorry\b|i(?:['’]m| am) unable\b|i can(?:not|['’]t)\b)|\{\w*\}",
    re.IGNORECASE,
)
_SHOWN = 5  # turns that a context shows in full
_PREVIEW_CHARS, _TRACE_CHARS = 100, 30
_PREVIEWS = 3  # turns of one fold that keep a long preview, so that the beginning of a conversation stays


@dataclass(frozen=True, slots=True)
class CompactionConfig:
    """When and how a history is compacted. Raises TypeError or ValueError for an invalid value."""

    min_entries_for_compaction: int = 5  # fewer entries are never compacted, however long they are
    # max_entries_before_compaction and max_chars_before_compaction: compact from so many entries or characters on
    max_entries_before_compaction: int = 10
    max_chars_before_compaction: int = 8000
    summary_max_sentences: int = 3
    preserve_last_n_entries: int = 2
    include_key_findings: bool = True
    use_llm_for_summary: bool = True
    fallback_to_deterministic: bool = True  # write by rules when the model fails; otherwise its error is raised

    def __post_init__(self) -> None:
        for one in fields(self):
            value: Any = getattr(self, one.name)
            whole = type(one.default) is int
            if type(value) is not (int if whole else bool):
                raise TypeError(f"{one.name} is {value!r}; expected {'a whole number' if whole else 'True or False'}")
            least = int(one.name == "summary_max_sentences")
            if value < least:
                raise ValueError(f"{one.name} is {value}; the least is {least}")

    @classmethod
    def preset(cls, name: str) -> CompactionConfig:
        """Return a preset by its name, such as `aggressive`; raises UnknownName."""
        if name not in PRESETS:
            raise UnknownName(f"there is no preset {name!r}; there is: {', '.join(PRESETS)}")
        return cls(**PRESETS[name])


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """The result of one compaction; the summary is empty when nothing was compacted."""

    original_entries: int
    # compacted_entries and compacted_chars: sizes afterwards; the summary counts as one entry, without its marks
    compacted_entries: int
    original_chars: int
    compacted_chars: int
    summary: str
    preserved_entries: list[Any] = field(default_factory=list)  # the newest entries, the same objects
    timestamp: str = field(default_factory=lambda: iso(_now()))  # ISO-8601, UTC
    used_llm: bool = False

    @property
    def compression_ratio(self) -> float:
        """The share of the characters that was removed, 0.0 for an empty history."""
        return 1.0 - self.compacted_chars / self.original_chars if self.original_chars else 0.0


class MemoryCompactor:
    """Compacts a history into one summary of the old entries and the newest entries unchanged.

    `llm_connector`: any object with `generate_response(prompt=...)` that returns text; None for summaries by rules.
    """

    def __init__(
        self, config: CompactionConfig | None = None, llm_connector: Any = None, *, now: Callable[[], datetime] = _now
    ) -> None:
        self.config = config or CompactionConfig()
        self._connector = llm_connector
        self._now = now

    def set_llm_connector(self, connector: Any) -> None:
        self._connector = connector

    def should_compact(self, history: Any) -> bool:
        """Return whether a history is due: it has enough entries, and many entries or many characters."""
        return self._due(steps_of(entries_of(history)))

    def _due(self, steps: Sequence[HistoryStep]) -> bool:
        config = self.config
        if len(steps) < config.min_entries_for_compaction:
            return False
        chars = sum(step.chars for step in steps)
        return len(steps) >= config.max_entries_before_compaction or chars >= config.max_chars_before_compaction

    def compact(self, history: Any, task: str | None = "", force: bool = False) -> CompactionResult:
        """Return the result of compacting a history, which is not modified.

        `history`: any sequence of entries, or an object that has one as `entries`. `task`: what the entries work on.
        `force`: compact even if it is not due. Raises TypeError when it is no history of known entries; Exception (the
        model's error, without `fallback_to_deterministic`).
        """
        entries = entries_of(history)
        steps = steps_of(entries)
        cut = max(0, len(entries) - self.config.preserve_last_n_entries)
        summary, used_llm = "", False
        if (force or self._due(steps)) and not all(step.is_summary for step in steps[:cut]):
            summary, used_llm = self._summary(_PlannedCompaction(steps[:cut], task or ""))
        chars = sum(step.chars for step in steps)
        left = sum(step.chars for step in steps[cut:])
        return CompactionResult(
            original_entries=len(entries),
            compacted_entries=1 + len(entries) - cut if summary else len(entries),
            original_chars=chars,
            compacted_chars=len(summary) + left if summary else chars,
            summary=summary,
            preserved_entries=entries[cut:] if summary else entries,
            timestamp=iso(self._now()),
            used_llm=used_llm,
        )

    def apply_compaction(self, history: Any, compaction_result: CompactionResult) -> list[Any]:
        """Return the compacted history: the summary entry, in the form of the others, and the newer entries.

        Raises TypeError when it is no history of known entries; ValueError when the result belongs to another history.
        """
        if not compaction_result.summary:
            return history if isinstance(history, list) else entries_of(history)
        entries = entries_of(history)
        cut = _cut(entries, compaction_result)
        planned = _PlannedCompaction(steps_of(entries[:cut]), "")
        like = next((entries[at] for at, step in enumerate(planned.steps) if not step.is_summary), (*entries, "")[0])
        lines = planned.lines(compaction_result.summary)
        return [summary_entry(like, lines, compaction_result.timestamp), *entries[cut:]]

    def _summary(self, planned: _PlannedCompaction) -> tuple[str, bool]:
        """Return a summary that saves characters (or an empty string), and whether a model wrote it."""
        known = planned.known().within(max(LEAST_ROOM, self.config.max_chars_before_compaction // 4))
        if self.config.use_llm_for_summary and self._connector is not None and planned.saves("?"):
            try:
                text = self._asked(planned, known)
            except Exception as error:
                if not self.config.fallback_to_deterministic:
                    raise
                log.info("no summary from the model, rules write it: %s", error)
            else:
                if planned.saves(text):
                    return text, True
                if not self.config.fallback_to_deterministic:
                    return "", False
        digest = digest_steps(planned.fresh, planned.task, self.config.include_key_findings)
        # All candidates keep what the earlier summaries say; only the new part gets shorter.
        shorter = (digest, *digest.with_fewer_findings()) if planned.earlier else digest.ever_shorter()
        summaries = [joined(one.after(known).parts(), self.config.summary_max_sentences) for one in shorter]
        return planned.first_that_saves(summaries), False

    def _asked(self, planned: _PlannedCompaction, known: Digest) -> str:
        """Return the model's summary within the limit, plus what it omits of the earlier summary."""
        most = self.config.summary_max_sentences
        reply = self._connector.generate_response(prompt=planned.prompt(most))
        found = sentences_of(reply.replace(MARK, " "))[:most] if isinstance(reply, str) else []
        if not found:
            raise Unavailable("the model's summary is empty")
        if _NO_SUMMARY.search(reply):
            raise Unavailable("the model refused, or sent its template back")
        return joined([*found, *known.untold(" ".join(found)).parts()], most)


def _cut(entries: Sequence[Any], result: CompactionResult) -> int:
    kept = result.preserved_entries
    for start in (result.original_entries - len(kept), len(entries) - len(kept)):
        if start >= 0 and entries[start : start + len(kept)] == kept:
            return start
    raise ValueError("the result is of another history: what it preserved is not there")


@dataclass(frozen=True, slots=True)
class _PlannedCompaction:
    """The entries that one compaction would replace, at least one of them no summary."""

    steps: Sequence[HistoryStep]
    task: str

    @property
    def fresh(self) -> list[HistoryStep]:
        return [step for step in self.steps if not step.is_summary]

    @property
    def earlier(self) -> list[HistoryStep]:
        return [step for step in self.steps if step.is_summary]

    def known(self) -> Digest:
        known = Digest()
        for step in self.earlier:
            known = read_digest(step.summary, step.stands_for).after(known)
        return known

    def lines(self, summary: str, with_comment: bool | None = None) -> tuple[str, str, str]:
        with_comment = self.saves(summary, with_comment=True) if with_comment is None else with_comment
        return summary_lines(summary, sum(step.stands_for for step in self.steps), with_comment)

    def saves(self, summary: str, with_comment: bool = False) -> bool:
        """Return whether the whole summary entry, in any form, is shorter than what it replaces."""
        return len(as_text(self.lines(summary, with_comment))) < sum(step.chars for step in self.steps)

    def first_that_saves(self, summaries: Sequence[str]) -> str:
        """Return the first summary that saves characters, or an empty string. The comment is dropped last."""
        commented = (False,) if self.fresh[0].whole else (True, False)
        return next((one for comment in commented for one in summaries if self.saves(one, comment)), "")

    def prompt(self, most: int) -> str:
        earlier = self.earlier
        return _ASK.format(
            limit=f"{most} sentence{'s' * (most > 1)}",
            task=self.task or "(not said)",
            earlier="".join(_EARLIER.format(count=one.stands_for, summary=one.summary) for one in earlier),
            steps="\n".join(map(_shown, self.fresh, count(1 + sum(one.stands_for for one in earlier)))),
        )


def _shown(step: HistoryStep, number: int) -> str:
    if step.whole:
        return f"Step {number}: {flat(step.output)[:_REASONING_CHARS]}"
    parts = (
        ("Reasoning", flat(step.reasoning)[:_REASONING_CHARS]),
        ("Code", flat(step.code)[:_CODE_CHARS]),
        ("Output", flat(step.output)[:_OUTPUT_CHARS]),
    )
    return "\n".join([f"Step {number}", *(f"  {label}: {text}" for label, text in parts if text)])


class Turn(NamedTuple):
    """A question and its answer, with the compacted steps that led to it and their summary."""

    user_message: str
    assistant_response: str
    task: str = ""
    history: tuple[Any, ...] = ()
    summary: str = ""


class ConversationMemory:
    """Keeps all turns of a conversation and builds the context for a prompt from them.

    With more than `max_turns` unfolded turns, the older half is folded. In a context, every turn appears in a form:

        the newest five  in full
        older turns      the first 100 characters of question and answer
        folded turns     three turns of each fold with 100 characters, the others with 30
        middle turns     only counted, if the older ones exceed `max_chars_before_compaction` (at least 1,000)
    """

    def __init__(self, compactor: MemoryCompactor | None = None, max_turns: int = 20) -> None:
        if max_turns < 1:
            raise ValueError(f"max_turns is {max_turns}; the least is 1")
        self.compactor = compactor or MemoryCompactor()
        self.max_turns = max_turns
        self._turns: list[Turn] = []
        self._traces: list[str] = []

    @property
    def turns(self) -> list[Turn]:
        return list(self._turns)

    def add_turn(self, user_message: str, assistant_response: str, history: Any = None, task: str = "") -> None:
        """Add a turn; its steps, in any form that the compactor accepts, are compacted when due."""
        steps: list[Any] = []
        summary = ""
        if history is not None:
            result = self.compactor.compact(history, task)
            steps, summary = self.compactor.apply_compaction(history, result), result.summary
        self._turns.append(Turn(user_message, assistant_response, task, tuple(steps), summary))
        if len(self._turns) - len(self._traces) > self.max_turns:
            folded = self._turns[len(self._traces) : len(self._turns) - max(1, self.max_turns // 2)]
            self._traces += [_preview(turn, _PREVIEW_CHARS) for turn in folded[:_PREVIEWS]]
            self._traces += [_preview(turn, _TRACE_CHARS) for turn in folded[_PREVIEWS:]]

    def get_context(self) -> str:
        """Return the conversation for a prompt: the older turns in brackets, then the newest in full."""
        cut = max(len(self._traces), len(self._turns) - _SHOWN)
        older = [*self._traces, *(_preview(turn, _PREVIEW_CHARS) for turn in self._turns[len(self._traces) : cut])]
        parts = [_whole(turn) for turn in self._turns[cut:]]
        if older:
            old, new = oldest_and_newest(older, max(LEAST_ROOM, self.compactor.config.max_chars_before_compaction))
            left = len(older) - len(old) - len(new)
            told = [*old, *([f"({left} more)"] if left else []), *new]
            parts.insert(0, f"[Previous conversation ({len(older)} turns): {' | '.join(told)}]")
        return "\n\n".join(parts)

    def clear(self) -> None:
        self._turns.clear()
        self._traces.clear()


def _whole(turn: Turn) -> str:
    lines = [f"User: {turn.user_message}", f"Assistant: {turn.assistant_response}"]
    return "\n".join([*lines, f"Steps: {turn.summary}"] if turn.summary else lines)


def _preview(turn: Turn, chars: int) -> str:
    lines = flat(turn.user_message), flat(turn.assistant_response)
    asked, answered = (line if len(line) <= chars else f"{line[:chars]}..." for line in lines)
    return f"Q: {asked} A: {answered}"
