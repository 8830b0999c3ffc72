"""How a strategy wants its summaries written."""

from __future__ import annotations

from typing import NamedTuple

PROSE = "prose"
SECTIONS = "sections"


class SummaryStyle(NamedTuple):
    """How summaries are written, where it differs from what the settings say.

    Args:
        shape: `prose`, or `sections` with seed 004's six headings.
        sentences: sentences of a rolling summary at most; None for as many as fit.
        may_ask: a model may be asked.
        may_fall_back: rules write when the model fails; else nothing is folded.
        findings: summaries by rules name numbers and values.
    """

    shape: str = PROSE
    sentences: int | None = None
    may_ask: bool = True
    may_fall_back: bool = True
    findings: bool = True
