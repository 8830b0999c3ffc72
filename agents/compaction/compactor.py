"""The compactor: one life's folds, from the question whether one is due to the commit.

plan -> guardrail -> summarize -> validate -> guardrail -> commit. At most one fold is in flight; what arrives meanwhile
stays outside it, and only an emergency overtakes one that waits for a model, which then yields. A model that fails or
makes things up is tried once more and then replaced by the extractive summarizer. An automatic fold never raises: what
went wrong stands in the memory's warnings, and it is tried again later. Nothing is folded while the archive cannot be
written, and what is not folded stays visible word for word.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from agents.compaction.commits import Commit
from agents.compaction.drafts import SummaryDraft, SummaryWriter
from agents.compaction.fold import Fold, check_join
from agents.compaction.plan import AUTOMATIC, EMERGENCY, MANUAL, PRESSURE, FoldPlan
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import Strategy
from agents.compaction.strategy_view import StrategyView
from agents.compaction.summarizer import Prompts, Summarizer
from agents.compaction.view_size import StrategyContext
from agents.llm.backend import Completion
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from agents.memory.ranges import spoken
from agents.memory.summaries import Summary
from mud.clock import Clock, iso
from mud.errors import LociError, Unavailable
from mud.registry import Registry

FIRST_PAUSE = 2.0
"""Seconds before a fold that failed is tried again by itself; each further failure doubles it."""
LONGEST_PAUSE = 300.0
SENTENCE = 8
"""Tokens of a short sentence; nobody asks a model to say in one what takes no more than that."""

Ask = Callable[[str, str], Awaitable[Completion]]
"""Asks the language model: the prompt, and the name of the LLM profile."""


class Compactor:
    """Folds one life.

    Args:
        memory: the life.
        settings: gives the settings of the moment.
        strategies, summarizers: the plug-ins.
        model: asks the language model; None when there is none.
        clock: the time.
        log: takes lines for the log.
        on_commit: is told of every commit.
        prompts: gives a prompt style by its name; needed with a model.
        around: what is outside the memory: the model's window, sleep, how tokens are counted.
        before_fold: is told of the memories right before their fold is committed, where the strategy keeps a journal.
    """

    def __init__(
        self,
        memory: Memory,
        settings: Callable[[], CompactionSettings],
        strategies: Registry[Strategy],
        summarizers: Registry[Summarizer],
        model: Ask | None,
        clock: Clock,
        log: Callable[[str], None],
        on_commit: Callable[[Commit], None],
        prompts: Prompts | None = None,
        around: StrategyContext | None = None,
        before_fold: Callable[[Sequence[Entry]], None] = lambda entries: None,
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._clock = clock
        self._log = log
        self._on_commit, self._before_fold = on_commit, before_fold
        self._scribe = SummaryWriter(summarizers, model, prompts)
        self.outlook = StrategyView(memory, settings, strategies, around or StrategyContext())
        """How the life stands and what is shown of it."""
        self._pause = FIRST_PAUSE
        self._not_before = 0.0
        self._skip: tuple[CompactionSettings, int] | None = None
        """Since the last fold would have saved too little: the settings then, and the tokens of the view from which on
        another is tried while they hold, one that takes more."""
        self.busy = False
        self.yields = False
        """What is under way waits for a model or its turn, and looks again before it commits: an emergency may come in
        between."""
        self.skipped = 0
        """Automatic folds that were not made because they would have saved too little."""
        self._noted: tuple[CompactionSettings, str] | None = None

    def forget(self) -> None:
        """Know nothing of the life any more; another begins in its place."""
        self._pause, self._not_before, self._skip = FIRST_PAUSE, 0.0, None
        self.skipped, self._noted = 0, None
        self.outlook.forget()

    @property
    def notice(self) -> str:
        """Why the last fold that was asked for did not happen; empty when it did, or other settings hold now."""
        return self._noted[1] if self._noted is not None and self._noted[0] == self._settings() else ""

    def _note(self, text: str) -> None:
        self._noted = (self._settings(), text)

    @property
    def pause(self) -> float:
        """Seconds until a fold that failed may be tried again by itself; 0 for at once."""
        return max(0.0, self._not_before - self._clock.monotonic())

    def due(self) -> bool:
        """Return whether a fold should begin now. Cheap: asked after every memory."""
        return self._planned() is not None

    def emergency(self) -> bool:
        """Return whether the view takes too much to wait for anything, a fold that waits for a model included."""
        plan = self._planned(overtaking=True)
        return plan is not None and plan.reason == EMERGENCY

    def _planned(self, at_once: bool = False, overtaking: bool = False) -> FoldPlan | None:
        """Return the fold to begin now.

        Args:
            at_once: not to wait after one that failed.
            overtaking: what is under way may be overtaken, by an emergency.
        """
        if self.busy and not (overtaking and self.yields):
            return None
        if self._memory.waiting or not (at_once or self._clock.monotonic() >= self._not_before):
            return None
        if self._skip is not None and self._skip[0] != self._settings():
            self._skip = None
        plan = self.outlook.planned(self._skip[1] if self._skip is not None else 0)
        return plan if plan is None or not self.busy or plan.reason == EMERGENCY else None

    async def fold_due(self, may_ask_model: bool = True) -> list[Commit]:
        """Fold until nothing is due; never raises but when cancelled, and then the watermark has not moved.

        Args:
            may_ask_model: a model may be asked, if there is one.

        Returns:
            What was committed.
        """
        done: list[Commit] = []
        while (plan := self._planned()) is not None:
            commit = await self._fold(plan, may_ask_model)
            if commit is not None:
                done.append(commit)
            if self.due():
                await self._clock.sleep(0)  # an arrear of many folds must not keep everybody else from their turn
        return done

    def fold_due_now(self) -> list[Commit]:
        """Fold until nothing is due, by rules and without awaiting: for bulk, and for the end. Never raises.

        What waits for a model or its turn is overtaken by an emergency, and by nothing else.
        A strategy whose summaries only a model may write folds nothing here when there is one.
        """
        done: list[Commit] = []
        if self._asks() and not self.outlook.wanted().may_fall_back:
            return done
        plan = self._planned(at_once=True, overtaking=True)
        while plan is not None:
            failed, commit = self._not_before, self._by_rules(plan)
            done += [commit] if commit is not None else []
            plan = self._planned(at_once=True, overtaking=True) if self._not_before <= failed else None
        return done

    def make_room(self, through: int) -> Commit | None:
        """Fold at once, by rules, so that the next prompt need not leave out what no summary holds. Never raises.

        What waits for a model is overtaken, and a summary may be no shorter than what it stands for. Nothing happens
        while the archive cannot be written, for a while after a fold that failed, while folds are off, or where only a
        model may write summaries.

        Args:
            through: the last memory that the prompt would leave out.
        """
        if (self.busy and not self.yields) or self._memory.waiting or self.pause:
            return None
        if self._asks() and not self.outlook.wanted().may_fall_back:
            return None
        plan = self.outlook.pressed(through)
        return self._by_rules(plan, at_any_length=True) if plan is not None else None

    def _by_rules(self, plan: FoldPlan, at_any_length: bool = False) -> Commit | None:
        return self._guarded(lambda: self._fold_at_once(plan, [], at_any_length))

    def _asks(self) -> bool:
        """Return whether a model writes the summaries."""
        return self._scribe.may_ask(self._settings()) and self.outlook.wanted().may_ask

    async def fold_now(self, reason: str = MANUAL, may_ask_model: bool = True) -> Commit | None:
        """Fold everything that may be folded, due or not; None when that is nothing, and `notice` says why.

        Args:
            reason: who asked, such as `manual`.
            may_ask_model: a model may be asked, if there is one.
        """
        plan = self._manual(reason)
        return await self._fold(plan, may_ask_model) if plan is not None else None

    def _manual(self, reason: str) -> FoldPlan | None:
        memory = self._memory
        memory.retry()
        if self.busy:
            self._note("a fold is under way already")
        elif memory.waiting:
            self._note("the archive cannot be written; nothing is folded until it can")
        else:
            plan = self.outlook.manual(reason)
            self._note("" if plan else self.outlook.why_nothing())
            return plan
        return None

    async def _fold(self, plan: FoldPlan, may_ask_model: bool) -> Commit | None:
        if not (may_ask_model and self._asks()):
            return self._by_rules(plan)
        self.busy = True
        try:
            return await self._fold_by_model(plan)
        except Exception as error:  # a fold must never end a tick; the memory shows what happened
            self._failed(error)
            return None
        finally:
            self.busy = False

    async def _fold_by_model(self, plan: FoldPlan) -> Commit | None:
        job = self._begin(plan)
        if plan.reason == MANUAL and self.outlook.count(job.replaced()) <= SENTENCE:
            self._refused(plan, "is not shorter than they")
            return None
        self.yields = True
        try:
            settings = self._settings()
            sources = job.sources(self._memory.name, settings, self.outlook.when)
            drafts, rejected = await self._scribe.ask(sources, settings)
        finally:
            self.yields = False
        if self._memory.watermark >= plan.first:
            self._refused(plan, "came too late: they were folded meanwhile", stay=False)
            return None
        if plan.reason != MANUAL and job.settings != self._settings() and self.outlook.planned() is None:
            self._refused(plan, "is not wanted any more")
            return None
        may_fall_back = job.strategy.wanted(self._settings()).may_fall_back
        if not may_fall_back and any(draft.fell_back for draft in drafts):
            raise Unavailable("; ".join(rejected))
        self._memory.refresh()
        if not self._overtaken(job):
            return self._commit(job, drafts, rejected)
        if not may_fall_back:
            raise Unavailable("a summary was edited meanwhile")
        rejected.append("a summary was edited meanwhile; its text was taken up by rules")
        return self._fold_at_once(plan, rejected)

    def _guarded(self, work: Callable[[], Commit | None]) -> Commit | None:
        under_way = self.busy, self.yields
        self.busy, self.yields = True, False
        try:
            return work()
        except Exception as error:  # as above
            self._failed(error)
            return None
        finally:
            self.busy, self.yields = under_way

    def _fold_at_once(self, plan: FoldPlan, rejected: list[str], at_any_length: bool = False) -> Commit | None:
        """Fold by rules, from what the files hold now, without awaiting: nobody can come in between."""
        job = self._begin(plan, quiet=bool(rejected))
        sources = job.sources(self._memory.name, self._settings(), self.outlook.when)
        return self._commit(job, [self._scribe.by_rules(source) for source in sources], rejected, at_any_length)

    def _begin(self, plan: FoldPlan, quiet: bool = False) -> Fold:
        memory, settings = self._memory, self._settings()
        if not quiet:
            windows = f"{settings.immediate_window} immediate, {settings.recent_window} recent"
            self._say(f"Starting compaction ({memory.total} memories, {windows})")
        memory.refresh()
        if plan.first != memory.watermark + 1:
            raise LociError(f"the fold of {plan.first} to {plan.last} does not begin after memory {memory.watermark}")
        entries = tuple(memory.read(*plan.told))
        check_join(plan, entries, memory.recent)
        if not entries:  # nobody can tell of nothing; what reaches further says what it does not know
            plan = self.outlook.widened(plan)
            entries = tuple(memory.read(plan.first, plan.last))
        return Fold(
            plan, self.outlook.strategy, entries, settings, memory.longterm, memory.recent, self._clock.monotonic()
        )

    def _overtaken(self, job: Fold) -> bool:
        held = [summary.text for summary in (self._memory.longterm, self._memory.recent) if summary is not None]
        return held != job.texts() or self._memory.watermark + 1 != job.plan.first

    def _commit(
        self, job: Fold, drafts: list[SummaryDraft], rejected: list[str], at_any_length: bool = False
    ) -> Commit | None:
        memory, plan, at = self._memory, job.plan, iso(self._clock.now())
        if memory.waiting:
            memory.retry()
        if memory.waiting:
            raise Unavailable("the archive cannot be written")
        made = {draft.source.tier: self._summary(job, draft, at) for draft in drafts}
        before, stays = self.outlook.tokens(), job.stays()
        texts, gone = [summary.text for summary in (*stays, *made.values())], job.gone()
        commit = Commit(
            number=memory.compactions + 1,
            reason=plan.reason,
            at=at,
            first=plan.first,
            last=plan.last,
            recent=made.get("recent"),
            longterm=made.get("longterm"),
            chars=sum(map(len, [*gone, *job.folded()])),
            tokens=self.outlook.count(gone) + self.outlook.tokens_of(plan.first, plan.last),
            saved=before - self.outlook.tokens_after(plan.last, texts),
            before=len(job.earlier()) + memory.total - memory.watermark,
            kept=memory.total - plan.last,
            kept_chars=self.outlook.chars_of(plan.last + 1, memory.total),
            seconds=self._clock.monotonic() - job.seconds,
            rejected=tuple(rejected),
            stays=stays,
        )
        if not at_any_length and not self._allowed(job, commit, before):
            return None
        event = {
            "event": plan.event,
            "at": at,
            "covers": {"first": plan.first, "last": plan.last},
            "longterm": None,
            "recent": None,
            "tokens": dict(commit.told.tokens),
            "reason": plan.reason,
            "number": commit.number,
            **({"unread": gaps} if (gaps := job.gaps()) else {}),
        }
        if job.strategy.journals:
            self._before_fold(job.entries)
        for message in memory.commit(commit.longterm, commit.recent, job.entries, event):
            self._log(f"[Memory] {memory.name}: {message}")
        self._committed(commit)
        return commit

    def _allowed(self, job: Fold, commit: Commit, before: int) -> bool:
        """Return whether a fold saves what it must: as a rule something; one that is asked for need not save more.

        A waterfall that is due may save nothing, as its next summaries wait for this one, but the view never grows.
        """
        must = job.strategy.least_saving(self._settings()) if commit.reason == AUTOMATIC else 0
        if commit.saved >= max(0 if commit.recent is not None and commit.reason != MANUAL else 1, must):
            return True
        why = (
            f"saves {commit.saved} tokens, and {must} are asked for" if commit.saved > 0 else "is not shorter than they"
        )
        if commit.reason != MANUAL:
            self._skip = (self._settings(), before + self._until(commit, must))
        self._refused(job.plan, why)
        return False

    def _refused(self, plan: FoldPlan, why: str, stay: bool = True) -> None:
        """Say why a fold is not made; `stay`: its memories stay as they are."""
        self._note(f"a summary of {spoken(plan.first, plan.last)} {why}{'; they stay as they are' if stay else ''}")
        self._say(f"Compaction skipped ({self.notice})")

    def _until(self, commit: Commit, must: int) -> int:
        """Count a fold that was due and saved too little, and return by how much the view must grow before another.

        That is what it must save, or where that is nothing, as much again as it would have replaced; nothing at all
        where there is more to fold than it took.
        """
        if commit.reason == PRESSURE:
            more = self._memory.total - 1 > commit.last
        else:
            widest = self.outlook.manual(commit.reason)
            more = widest is not None and widest.last > commit.last
        if more:
            return 0
        self.skipped += 1
        return must or commit.tokens or 1

    def _summary(self, job: Fold, draft: SummaryDraft, at: str) -> Summary:
        """Return a draft as a summary with its receipt."""
        longterm = draft.source.tier == "longterm"
        covers = job.plan.longterm if longterm else job.plan.recent
        assert covers is not None
        lived = self.outlook.count(job.again()) + self.outlook.tokens_of(job.plan.first, job.plan.last)
        source = self.outlook.count(draft.source.earlier) + (lived if draft.source.entries else 0)
        made = draft.summary(covers, at, source, self.outlook.count([draft.text]))
        made = replace(made, strategy=job.plan.strategy, reason=job.plan.reason, unread=job.unread(made.tier))
        return job.deepened(made, draft.source)

    def _committed(self, commit: Commit) -> None:
        if commit.longterm is not None:
            self._say(f"Long-term summary updated ({len(commit.longterm.text)} chars)")
        if commit.recent is not None:
            self._say(f"Short-term summary updated ({len(commit.recent.text)} chars)")
        self._say(f"Compaction complete ({'first summary' if commit.number == 1 else commit.told.strategy})")
        self._pause, self._not_before, self._skip, self._noted = FIRST_PAUSE, 0.0, None, None
        self._memory.note_trouble("fold", None)
        self._memory.note_trouble("model", self._scribe.trouble)
        try:
            self._on_commit(commit)
        except Exception as error:  # whoever listens cannot undo a commit
            self._memory.note_trouble("listener", f"after the last fold: {error}")

    def _failed(self, error: Exception) -> None:
        """Say what went wrong, and wait before it is tried again."""
        why = str(error) or type(error).__name__
        self._note(f"the memories could not be folded ({why}); they stay as they are")
        self._memory.note_trouble("fold", self.notice)
        self._not_before = self._clock.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._say(f"Compaction failed ({why}); nothing is lost, it is tried again")

    def _say(self, text: str) -> None:
        self._log(f"[Memory] {self._memory.name}: {text}")
