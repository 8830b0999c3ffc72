"""A life under everything at once: every strategy, settings that change, a slow or lying model, a full disk, edits.

Power cuts and restarts come between any two writes. Whatever happens, nothing is lost and everything is shown.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agents.compaction.settings import OWN, PRESETS
from agents.compaction.status import coverage, holes
from agents.compaction.view import StrategyContext
from agents.memory.summaries import parse_summary
from mud.errors import Unavailable
from tests.examples import examples
from tests.lives import STRATEGIES, Disk, Life, PowerCut, Reply, reply, waiting_model

REPLIES = (
    "I sat in the Library with Moss, who spoke of many things.",
    "I was with Zebulon, who gave me 7000 coins.",
    "",
    "Here is a summary of the memories: ...",
    "I remember how Moss spoke in the Library and how I listened.",
)
TIERS = st.sampled_from(["recent", "longterm"])
OFTEN = ["waterfall", "hierarchical", "entry_summary", "sleep", "layered", "hybrid"]
NAMES = st.sampled_from([*(OFTEN * 3), *STRATEGIES.names()])
"""Every strategy, those that fold more often."""
KINDS = ("heard", "heard", "result", "did", "said")
DUST = " Dust lies on every shelf here, and nobody has wiped it off for years, or so it looks in this light." * 2
SMALL = {
    "threshold_tokens": 200,
    "min_saving_tokens": 20,
    "max_summary_tokens": 120,
    "hybrid_entries": 15,
    "hybrid_keep": 4,
    "mask_keep": 3,
    "mask_block": 2,
    "preserve_entries": 3,
}
"""Settings under which every strategy has much to do in a short life."""
CHANGES = {
    "immediate_window": st.integers(1, 12),
    "recent_window": st.integers(1, 12),
    "max_entries_before_compaction": st.integers(3, 12),
    "preserve_last_n_entries": st.integers(0, 6),
    "preset": st.sampled_from([OWN, *PRESETS]),
    "fallback_to_deterministic": st.booleans(),
    "use_llm_for_summary": st.booleans(),
    "hybrid_keep": st.integers(1, 20),
    "mask_keep": st.integers(0, 5),
    "mask_block": st.integers(1, 4),
    "threshold_tokens": st.integers(100, 600),
    "sliding_entries": st.integers(1, 12),
    "auto_enabled": st.sampled_from([True, True, True, False]),
}
CHANGE = st.sampled_from(sorted(CHANGES)).flatmap(lambda key: st.tuples(st.just(key), CHANGES[key]))


def line(number: int) -> tuple[str, str]:
    """Return the kind and the text of the memory with a number."""
    kind = KINDS[number % len(KINDS)]
    said = f'Moss says, "word {number}."' if kind == "heard" else f"I do thing {number}."
    return kind, f"Shelf {number}.{DUST}" if kind == "result" else said


class LifeMachine(RuleBasedStateMachine):
    """What must hold after every step: the view tiles, nothing is lost, no edit is lost, nobody is invented."""

    @initialize(immediate=st.integers(1, 9), recent=st.integers(1, 9), strategy=NAMES)
    def begin(self, immediate: int, recent: int, strategy: str) -> None:
        self.room = tempfile.TemporaryDirectory()
        self.asleep = False
        around = StrategyContext(window=lambda: 256, asleep=lambda: self.asleep)
        self.life = Life(Path(self.room.name), Disk(), model=waiting_model, context=around)
        self.life.set(immediate_window=immediate, recent_window=recent, strategy=strategy, **SMALL)
        self.commits = 0
        self.looked_at: tuple[int, ...] = ()
        self.attempted: list[str] = []
        self.acknowledged = 0
        self.edits: dict[str, str] = {}
        self.folding: Coroutine[Any, Any, Any] | None = None
        self.edit_number = 0

    def teardown(self) -> None:
        if hasattr(self, "room"):
            self._drop_fold()
            self.life.disk.cut, self.life.disk.full = 0, False
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
            lines = [line(len(self.attempted) + at) for at in range(count)]
            self.attempted += [text for _, text in lines]
            records = [{"text": text, "kind": kind, "actor": "Moss", "place": "The Library"} for kind, text in lines]
            self.acknowledged += len(self.life.memory.append_raw(records, len(self.attempted)))

        self._risky(work)

    @rule()
    def fold_by_rules(self) -> None:
        def work() -> None:
            view = self.life.compactor.view
            self.life.memory.refresh()  # a fold takes an edit up first, and that may be of any length
            on, before = self.life.settings.auto_enabled, view.tokens()
            folds = self.life.compactor.fold_due_now()
            assert on or not folds, "off is off"
            assert view.tokens() == before - sum(fold.saved for fold in folds) <= before

        self._risky(work)

    @rule(count=st.integers(5, 30))
    def live(self, count: int) -> None:
        self.arrive(count)
        self.fold_by_rules()

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

    @precondition(lambda self: self.folding is None)
    @rule(count=st.integers(5, 30), manual=st.booleans(), answers=st.lists(st.sampled_from(REPLIES), max_size=3))
    def live_with_a_model(self, count: int, manual: bool, answers: list[str]) -> None:
        self.arrive(count)
        self.begin_fold(manual)
        for answer in answers:
            if self.folding is not None:
                self.the_model_answers(answer)

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
            waits = self.folding.send(answer) if error is None else self.folding.throw(error)
            while not isinstance(waits, Reply):  # it lets others have their turn, and waits for no model
                waits = self.folding.send(None)
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

    @rule(change=CHANGE)
    def change_a_setting(self, change: tuple[str, Any]) -> None:
        self.life.set(**{change[0]: change[1]})

    @rule(strategy=NAMES)
    def switch(self, strategy: str) -> None:
        self.life.set(strategy=strategy)

    @rule(asleep=st.booleans())
    def fall_asleep_or_wake(self, asleep: bool) -> None:
        self.asleep = asleep

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
        assert holes(coverage(self.life.compactor.view.shown()), memory.total + memory.waiting) == ([], [])
        if memory.recent is not None:
            assert memory.recent.covers[1] == memory.watermark
            assert memory.recent.covers[0] == (memory.longterm.covers[1] if memory.longterm else 0) + 1

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "life"):
            return
        memory = self.life.memory
        assert memory.total >= self.acknowledged
        now = (id(self.life.disk), self.life.disk.writes, memory.total, memory.watermark)
        if now == self.looked_at:
            return  # nothing was written since
        self.looked_at = now
        assert [entry.text for entry in memory.read(1, memory.total)] == self.attempted[: memory.total]
        assert [entry.text for entry in memory.tail] == self.attempted[memory.watermark :]

    @invariant()
    def a_mask_hides_nothing_that_was_heard_said_or_done(self) -> None:
        if not hasattr(self, "life"):
            return
        tail = self.life.compactor.view.shown().tail
        for entry in tail:
            kind, text = line(entry.seq - 1)
            assert (entry.kind, entry.actor, entry.place) == (kind, "Moss", "The Library")
            assert entry.text == text or (kind == "result" and len(entry.text) < len(text))
        results = [entry for entry in tail if entry.kind == "result"][-self.life.settings.mask_keep or len(tail) :]
        assert all(entry.text == line(entry.seq - 1)[1] for entry in results)

    @invariant()
    def no_fold_made_the_view_longer(self) -> None:
        if not hasattr(self, "life"):
            return
        assert all(commit.saved >= 0 for commit in self.life.commits[self.commits :])
        assert all(commit.saved > 0 for commit in self.life.commits[self.commits :] if commit.recent is None)
        self.commits = len(self.life.commits)

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
            excused = ("No space", "cannot be written", "down", "rejected", "edited meanwhile")
            assert all(any(one in text for one in excused) for text in wrong)


LifeMachine.TestCase.settings = settings(
    max_examples=examples(55), stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
test_a_life_is_whole_whatever_happens = LifeMachine.TestCase
