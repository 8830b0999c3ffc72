"""A life under everything at once: arrivals, a slow or lying model, a full disk, power cuts, restarts, edits."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agents.compaction.integrity import coverage, holes
from agents.memory.summaries import parse_summary
from mud.errors import Unavailable
from tests.lives import Disk, Life, PowerCut, heard, reply, waiting_model

REPLIES = (
    "I sat in the Library with Moss, who spoke of many things.",
    "I was with Zebulon, who gave me 7000 coins.",
    "",
    "Here is a summary of the memories: ...",
    "I remember how Moss spoke in the Library and how I listened.",
)
TIERS = st.sampled_from(["recent", "longterm"])
AT = "2026-11-20T07:21:37.123Z"


class LifeMachine(RuleBasedStateMachine):
    """What must hold after every step: the view tiles, nothing is lost, no edit is lost, nobody is invented."""

    @initialize(immediate=st.integers(1, 9), recent=st.integers(1, 9))
    def begin(self, immediate: int, recent: int) -> None:
        self.room = tempfile.TemporaryDirectory()
        self.life = Life(Path(self.room.name), Disk(), model=waiting_model)
        self.life.set(immediate_window=immediate, recent_window=recent)
        self.attempted: list[str] = []
        self.acknowledged = 0
        self.edits: dict[str, str] = {}
        self.folding: Coroutine[Any, Any, Any] | None = None
        self.edit_number = 0

    def teardown(self) -> None:
        if hasattr(self, "room"):
            self._drop_fold()
            self.life.memory.close()
            self.room.cleanup()

    def _drop_fold(self) -> None:
        if self.folding is not None:
            self.folding.close()
            self.folding = None

    def _restart(self) -> None:
        self._drop_fold()
        watermark = self.life.memory.watermark
        self.life.disk = Disk()
        self.life.start()
        total = self.life.memory.total
        assert self.life.memory.watermark >= watermark, "what was committed holds"
        for tier in ("longterm", "recent"):
            held = getattr(self.life.memory, tier)
            path = self.life.summary_file(tier)
            assert path.exists() == (held is not None)
            assert held is None or parse_summary(path.read_text(), tier, "").covers == held.covers
        assert self.acknowledged <= total <= len(self.attempted)
        del self.attempted[total:]
        self.acknowledged = total

    def _risky(self, work: Any) -> None:
        try:
            work()
        except PowerCut:
            self._restart()

    @rule(count=st.integers(1, 30))
    def arrive(self, count: int) -> None:
        def work() -> None:
            texts = [f'Moss says, "word {len(self.attempted) + at}."' for at in range(count)]
            self.attempted += texts
            told = [heard(text[len('Moss says, "') : -1]) for text in texts]
            written = self.life.memory.append(told, AT, len(self.attempted))
            self.acknowledged += len(written)

        self._risky(work)

    @rule()
    def fold_by_rules(self) -> None:
        self._risky(self.life.compactor.fold_due_now)

    @rule()
    def retry(self) -> None:
        def work() -> None:
            self.acknowledged += len(self.life.memory.retry())

        self._risky(work)

    @precondition(lambda self: self.folding is None)
    @rule(manual=st.booleans())
    def begin_fold(self, manual: bool) -> None:
        compactor = self.life.compactor
        self.folding = compactor.fold_now("manual") if manual else compactor.fold_due()
        self._lead(None)

    @precondition(lambda self: self.folding is not None)
    @rule(answer=st.sampled_from(REPLIES))
    def the_model_answers(self, answer: str) -> None:
        self._lead(reply(answer))

    @precondition(lambda self: self.folding is not None)
    @rule()
    def the_model_fails(self) -> None:
        self._lead(None, Unavailable("it is down"))

    @precondition(lambda self: self.folding is not None)
    @rule()
    def the_fold_is_cancelled(self) -> None:
        before = self.life.memory.watermark
        self._lead(None, asyncio.CancelledError())
        assert self.life.memory.watermark == before

    def _lead(self, answer: Any, error: BaseException | None = None) -> None:
        assert self.folding is not None
        before = self.life.memory.waiting
        try:
            self.folding.send(answer) if error is None else self.folding.throw(error)
        except (StopIteration, asyncio.CancelledError):
            self.folding = None
        except PowerCut:
            self.folding = None
            self._restart()
            return
        self.acknowledged += max(0, before - self.life.memory.waiting)

    @rule(full=st.booleans())
    def the_disk(self, full: bool) -> None:
        self.life.disk.full = full
        self.life.clock.advance(1000)

    @rule(writes=st.integers(0, 12), half=st.booleans())
    def the_power_will_go(self, writes: int, half: bool) -> None:
        if not self.life.disk.full and self.life.memory.waiting == 0:
            self.life.disk.cut_after(writes, half)

    @rule(count=st.integers(1, 20), more=st.integers(1, 20))
    def the_disk_is_full_for_a_while(self, count: int, more: int) -> None:
        self.life.disk.full = True
        self.arrive(count)
        self.fold_by_rules()
        self.life.disk.full = False
        self.life.clock.advance(1000)
        self.arrive(more)

    @rule()
    def kill(self) -> None:
        self._restart()

    @rule()
    def close_and_start(self) -> None:
        self._drop_fold()
        self._risky(self.life.memory.close)
        self._restart()

    @rule(immediate=st.integers(1, 12), recent=st.integers(1, 12))
    def change_windows(self, immediate: int, recent: int) -> None:
        self.life.set(immediate_window=immediate, recent_window=recent)

    @rule(tier=TIERS, honest=st.booleans())
    def edit(self, tier: str, honest: bool) -> None:
        path = self.life.summary_file(tier)
        if not path.exists():
            return
        self.edit_number += 1
        text = f"I, by hand, wrote edit number {self.edit_number}."
        raw = path.read_text()
        head = raw[: raw.index("\n---\n") + 5] if honest else "---\ncovers: {first: 1, last: 999}\n---\n"
        path.write_text(f"{head}# A Title\n\n{text}\n")
        self.edits[tier] = text

    @rule(tier=TIERS)
    def the_watcher_sees(self, tier: str) -> None:
        self._risky(lambda: self.life.memory.reload_summary(self.life.summary_file(tier)))

    @rule(tier=TIERS)
    def delete(self, tier: str) -> None:
        self.life.summary_file(tier).unlink(missing_ok=True)
        self.edits.pop(tier, None)

    @rule()
    def restore(self) -> None:
        self._risky(self.life.memory.restore_missing)

    @invariant()
    def the_view_tiles(self) -> None:
        if not hasattr(self, "life"):
            return
        memory = self.life.memory
        assert holes(coverage(self.life.compactor.outlook.view()), memory.total + memory.waiting) == ([], [])
        if memory.recent is not None:
            assert memory.recent.covers[1] == memory.watermark
            assert memory.recent.covers[0] == (memory.longterm.covers[1] if memory.longterm else 0) + 1

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "life"):
            return
        memory = self.life.memory
        assert memory.total >= self.acknowledged
        assert [entry.text for entry in memory.read(1, memory.total)] == self.attempted[: memory.total]
        assert [entry.text for entry in memory.tail] == self.attempted[memory.watermark :]

    @invariant()
    def no_edit_is_lost(self) -> None:
        if not hasattr(self, "life"):
            return
        for tier, text in self.edits.items():
            path = self.life.summary_file(tier)
            kept = [path.read_text()] if path.exists() else []
            assert any(text in one for one in [*kept, *self.life.edited_versions()]), f"{tier}: {text}"

    @invariant()
    def nobody_is_invented_and_every_summary_reads(self) -> None:
        if not hasattr(self, "life"):
            return
        memory = self.life.memory
        for summary in (memory.longterm, memory.recent):
            if summary is not None:
                assert summary.text.strip()
                assert "Zebulon" not in summary.text
                assert "summary of" not in summary.text
        for path in (self.life.folder / "summaries").glob("*-2*.md"):
            if "-edited" not in path.name:
                assert parse_summary(path.read_text(), path.name.split("-")[0], path.name, version=True).text

    @invariant()
    def folding_never_failed_but_for_the_disk(self) -> None:
        if hasattr(self, "life"):
            wrong = [text for text in self.life.memory.warnings if "could not be folded" in text]
            assert all("No space" in text or "cannot be written" in text for text in wrong)


LifeMachine.TestCase.settings = settings(
    max_examples=35, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
test_a_life_is_whole_whatever_happens = LifeMachine.TestCase
