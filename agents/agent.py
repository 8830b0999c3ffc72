"""One agent: its definition, its memory, and the parts that perceive and think."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from agents.compaction.correcting import correct_summaries
from agents.compaction.due import changes_nothing
from agents.compaction.engine import Compactor
from agents.compaction.folds import Commit, CompactionServices
from agents.compaction.rebuild import Rebuild
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import shown_texts
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Prompts, Summarizer
from agents.compaction.view import UNLIMITED, MaskLog, StrategyContext
from agents.definition import AgentDefinition
from agents.llm.backend import Completion
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from agents.llm.tokens import CHARACTERS, TokenCounter
from agents.memory.archive import OpenArchives
from agents.memory.corrections import Correction
from agents.memory.entries import Entry, Range
from agents.memory.history import examine
from agents.memory.journal import Journal
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.memory.seeds import Seeds
from agents.mind.actor import RECENT, Actor
from agents.mind.journal_keeper import JournalKeeper
from agents.mind.settings import ThinkingSettings, think_profile
from agents.mind.thinker import Thinker
from agents.mind.traces import traces_of
from agents.recall.documents import Listed, documents_of, versions_of
from agents.recall.recall import RecallService
from agents.text.daytime import date_name, lasted, passed
from mud.clock import Clock
from mud.commands import Say
from mud.errors import UnknownName
from mud.registry import Registry
from mud.storage.aliases import AliasFile
from mud.storage.configuration import Configuration
from mud.storage.settings import Value

log = logging.getLogger(__name__)

T = TypeVar("T")

PARTS = ("archive", "summaries", "notes", "journal.md", "journal-history.md", "mind.md")
"""The files and folders of a memory; `agent.md`, the definition of the character, is not one of them."""

Count = Callable[[str], Awaitable[int | None]]
"""Counts the tokens of a text on a server; None when it cannot say."""
Ask = Callable[[str, str, str], Awaitable[Completion]]
"""Asks a model for a summary: agent name, prompt, name of the LLM profile."""


@dataclass(frozen=True)
class Services:
    """What agents need from outside.

    Args:
        ask, count: None when no model may be asked; `count` makes the token counter of an LLM profile.
        silent: returns the model hosts that do not answer, one sentence each.
        writable: this process may write to the vault.
    """

    vault: Path
    configuration: Configuration
    say: Say
    strategies: Registry[Strategy]
    summarizers: Registry[Summarizer]
    recall: RecallService
    clock: Clock
    ask: Ask | None
    prompts: Prompts
    silent: Callable[[], list[str]]
    writable: bool
    count: Callable[[str], Count] | None = None
    models: ModelQueue | None = None


class CharacterMemory:
    """One character's memory.

    `fold_soon` starts due folds, and `folds_soon` tells whether one has been started and waits for its turn; `forget`
    drops what was computed from the old files.
    """

    def __init__(
        self,
        memory: Memory,
        compactor: Compactor,
        masks: MaskLog,
        fold_soon: Callable[[], object],
        forget: Callable[[], None] = lambda: None,
        folds_soon: Callable[[], bool] = lambda: False,
    ) -> None:
        self._memory, self._compactor, self._masks = memory, compactor, masks
        self._fold_soon, self._forget, self._folds_soon = fold_soon, forget, folds_soon
        self._troubled = False

    def next_turn(self) -> None:
        """End a turn: record newly masked results, then fold what is due. Never raises."""
        view, waits = self._compactor.view, self._folds_soon()
        if not self._troubled and ((waits and not view.strategy.masks) or changes_nothing(view)):
            return  # the case after nearly every memory
        trouble = None
        try:
            self._masks.turn()
        except Exception as error:  # masking only saves tokens; its failure must not stop the agent
            trouble = f"masked results could not be written down ({error})"
        self._troubled = trouble is not None
        self._memory.note_trouble("micro", trouble)
        if not waits and self._compactor.due():
            self._fold_soon()

    def reopen(self) -> None:
        """Read the memory anew from its folder; entries not yet written are dropped."""
        self._memory.open(writable=True)
        self._compactor.forget()
        self._masks.forget()
        self._forget()


class Household(Protocol):
    """What an agent needs of those who keep it: news of the world, and somebody to tell of new entries and folds."""

    def room_of(self, agent: Agent) -> int:
        """Return the tokens for summaries and memories in an agent's next prompt."""

    @property
    def archives(self) -> OpenArchives:
        """The archives of which few have their files open."""

    def used(self, agent: Agent) -> None:
        """Note that the tail of an agent's memory is read."""

    def sleeps(self, who: str) -> bool: ...

    def remembered(self, agent: Agent, entries: Sequence[Entry]) -> None: ...

    def committed(self, agent: Agent, commit: Commit) -> None: ...

    def fold_soon(self, agent: Agent) -> None: ...

    def folds_soon(self, agent: Agent) -> bool: ...


class Agent:
    """One agent or person. Its memory is not opened yet when it is made."""

    def __init__(self, means: Services, definition: AgentDefinition, household: Household) -> None:
        configuration, clock, ask, count = means.configuration, means.clock, means.ask, means.count
        self.definition = definition
        """Replaced when its file is edited."""
        self.slug = definition.slug
        self.folder = means.vault / "agents" / definition.slug
        self.settings = self._current(configuration, _compaction_settings)
        self.thinking = self._current(configuration, lambda made, own: made.for_agent(ThinkingSettings, own))
        self.profile = self._current(configuration, think_profile)
        self.thinker: Thinker | None = None
        """None for a person, and while nobody thinks."""
        self.unreadable: Sequence[Range] = ()
        """Memories that the last check of the whole archive could not read."""
        self.counter = TokenCounter(
            lambda: self.settings().token_counter,
            (lambda text: count(self.thinking().think_profile)(text)) if count is not None else None,
            means.models.ratios if means.models is not None else None,
            lambda: self.profile().identity,
        )
        self.memory = Memory(
            definition.name, self.folder, clock, definition.aliases, in_ram=self.settings().runtime_cap,
            together=household.archives, used=lambda: household.used(self),
        )  # fmt: skip
        self.notes = Notes(self.folder / "notes")
        self.aliases = AliasFile(self.folder)
        self.keeper = JournalKeeper(self.memory, Journal(self.folder), self.slug)
        context = StrategyContext(
            owner=self.slug,
            window=lambda: self.profile().num_ctx,
            asleep=lambda: household.sleeps(self.id),
            counting=self.counter.view,
            scale=lambda: self.counter.ratio,
            when=lambda first, last: lasted(means.say, first, last, clock.zone),
            day=lambda at: date_name(at, clock.zone),
            passed=lambda before, after: passed(means.say, before, after, clock.zone),
            room=lambda: UNLIMITED if self.settings().token_counter == CHARACTERS else household.room_of(self),
        )
        model = (lambda prompt, profile: ask(definition.name, prompt, profile)) if ask is not None else None
        services = CompactionServices(means.strategies, means.summarizers, clock, log.info, model, means.prompts)
        self.compactor = Compactor(
            self.memory,
            self.settings,
            services,
            lambda commit: household.committed(self, commit),
            context,
            self.keeper.keep,
        )
        self.rebuild = Rebuild(self.compactor)
        masks = MaskLog(self.compactor.view, clock)
        self.life = CharacterMemory(
            self.memory,
            self.compactor,
            masks,
            lambda: household.fold_soon(self),
            self.keeper.forget,
            lambda: household.folds_soon(self),
        )
        self.actor = Actor(self.memory, lambda entries: household.remembered(self, entries))
        self.seeds = Seeds(self.memory, clock, writable=means.writable)
        self.traces = traces_of(means.vault, self.slug)

    def _current(
        self, configuration: Configuration, make: Callable[[Configuration, Mapping[str, Value]], T]
    ) -> Callable[[], T]:
        """Return a function of the current value of some settings, which is made anew when a file has changed."""
        made: tuple[AgentDefinition, int, T] | None = None

        def current() -> T:
            nonlocal made
            definition, version = self.definition, configuration.version
            if made is None or made[0] is not definition or made[1] != version:
                made = (definition, version, make(configuration, definition.overrides))
            return made[2]

        return current

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def id(self) -> str:
        return self.definition.id

    @property
    def sees_from(self) -> int | None:
        """Number of the oldest memory shown to a brain; None when there is none."""
        newest = self.memory.newest(RECENT)
        return newest[0].seq if newest else None

    @property
    def head_is_full(self) -> bool:
        """Whether, awake, its unfolded memories exceed the threshold of sleep."""
        view = self.compactor.view
        if not view.strategy.journals:
            return False
        state = view.state()
        return not state.asleep and state.tokens() > int(self.settings().sleep_threshold * state.window)

    def relieve(self) -> bool:
        """Fold at once, by rules, when the memory takes too much of the window for a prompt; return whether it did."""
        if not self.compactor.emergency():
            return False
        standing = self.compactor.view.state()
        taken = f"{standing.tokens()} of {standing.window} tokens of the window are taken"
        log.warning("[Memory] %s: %s; emergency compaction", self.name, taken)
        return bool(self.compactor.fold_due_now())

    def make_room(self, through: int) -> bool:
        """Fold at once, by rules, what the next prompt would leave out, up to `through`; return whether it did."""
        commit = self.compactor.make_room(through)
        if commit is not None:
            log.info("[Memory] %s: no room in the prompt for memories up to %d; they are folded", self.name, through)
        return commit is not None

    def correct(self, correction: Correction) -> int:
        """Honour a correction from now on: in notes, journal, memories and summaries; return how many notes changed.

        The line in the archive is the last that may fail: what was changed before it is changed the same again when
        the correction is repeated. Raises OSError or LociError.
        """
        known = self.memory.corrections.with_one(correction)
        corrected = partial(known.text, known=self.memory.corrections.last)
        notes = self.notes.correct(corrected, correction.at)
        self.keeper.correct(corrected)
        self.memory.correct(correction)
        self.correct_summaries()
        return notes

    def correct_summaries(self) -> None:
        """Write the corrections into the summaries in use; those that cannot be written are only shown corrected."""
        try:
            correct_summaries(self.compactor)
        except OSError as error:
            self.memory.note_trouble("summaries", f"the corrected summaries cannot be written ({error})")

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Do not wait for the disk within the block; its end makes up for that."""
        with self.memory.in_bulk(), self.notes.in_bulk():
            yield

    async def measure(self) -> None:
        """Calibrate the token counter with the model's server, if that can count."""
        await self.counter.calibrate(shown_texts(self.compactor.view))

    async def look_through(self) -> None:
        """Find the unreadable memories of the archive, in a thread. Raises OSError."""
        self.unreadable = (await asyncio.to_thread(examine, self.memory.archive)).unreadable

    def documents(self) -> list[Listed]:
        """Return the documents to index: every version of a summary, and every note.

        Of two with the same range the later one counts: those in use, which people may have edited, come last.
        """
        memory = self.memory
        in_use = [summary for summary in (memory.longterm, memory.recent) if summary is not None]
        return [*versions_of(memory.versions(), memory.version), *documents_of(in_use, self.notes.all())]


def _compaction_settings(configuration: Configuration, own: Mapping[str, Value]) -> CompactionSettings:
    """Return compaction settings that fit the windows of the LLM profiles."""
    settings = configuration.for_agent(CompactionSettings, own)
    settings = settings.for_prompts(think_profile(configuration, own).num_ctx)
    with suppress(UnknownName):
        profile = configuration.get_named(LLMProfile, settings.profile)
        return settings.within(profile.num_ctx - profile.max_tokens)
    return settings
