"""What one compaction would replace: what is new in it, what was known, how a model is asked, and what would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.compaction.library.digest import Digest, read_digest
from agents.compaction.library.steps import HistoryStep, as_text, summary_lines
from agents.text.english import flat

REASONING_CHARS, CODE_CHARS, OUTPUT_CHARS = 200, 150, 100
"""How much of each part of a step a model is shown; of an entry that is one text, as much as of reasoning."""
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


@dataclass(frozen=True, slots=True)
class PlannedCompaction:
    """What one compaction would replace.

    Args:
        steps: the old entries, at least one of them no summary.
        task: what they work on.
    """

    steps: Sequence[HistoryStep]
    task: str

    @property
    def fresh(self) -> list[HistoryStep]:
        """Return the entries that are no summaries."""
        return [step for step in self.steps if not step.is_summary]

    @property
    def earlier(self) -> list[HistoryStep]:
        """Return the summary entries of earlier compactions."""
        return [step for step in self.steps if step.is_summary]

    @property
    def count(self) -> int:
        """Return how many steps the summary will stand for, those of an earlier summary included."""
        return sum(step.stands_for for step in self.steps)

    def known(self) -> Digest:
        """Return all that the earlier summaries say."""
        known = Digest()
        for step in self.earlier:
            known = read_digest(step.summary, step.stands_for).after(known)
        return known

    def lines(self, summary: str) -> tuple[str, str, str]:
        """Return the lines of its summary entry, without the comment where that alone would make the history longer."""
        return summary_lines(summary, self.count, self.saves(summary, with_comment=True))

    def saves(self, summary: str, with_comment: bool = False) -> bool:
        """Return whether the whole entry of a summary, in any form, is shorter than what it replaces."""
        entry = as_text(summary_lines(summary, self.count, with_comment))
        return len(entry) < sum(step.chars for step in self.steps)

    def first_that_saves(self, summaries: Sequence[str]) -> str:
        """Return the first of some summaries that saves something, empty when none does.

        The comment is a part of a step's form, and is given up last; one text rather does without it.
        """
        commented = (False,) if self.fresh[0].whole else (True, False)
        return next((one for comment in commented for one in summaries if self.saves(one, comment)), "")

    def prompt(self, most: int) -> str:
        """Return how a model is asked for a summary.

        Args:
            most: sentences that it may have.
        """
        earlier = "".join(_EARLIER.format(count=one.stands_for, summary=one.summary) for one in self.earlier)
        first = 1 + sum(one.stands_for for one in self.earlier)
        return _ASK.format(
            limit=f"{most} sentence{'s' * (most > 1)}",
            task=self.task or "(not said)",
            earlier=earlier,
            steps="\n".join(_shown(step, number) for number, step in enumerate(self.fresh, first)),
        )


def _shown(step: HistoryStep, number: int) -> str:
    """Return a step as a model is shown it: each part on one line, and no more of it than its preview."""
    if step.whole:
        return f"Step {number}: {flat(step.output)[:REASONING_CHARS]}"
    parts = [
        ("Reasoning", flat(step.reasoning)[:REASONING_CHARS]),
        ("Code", flat(step.code)[:CODE_CHARS]),
        ("Output", flat(step.output)[:OUTPUT_CHARS]),
    ]
    return "\n".join([f"Step {number}", *(f"  {label}: {text}" for label, text in parts if text)])
