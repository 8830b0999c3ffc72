"""One agent: its definition, its memory, and the parts that perceive and think."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from agents.compaction.engine import Compactor
from agents.compaction.folds import Commit, CompactionServices
from agents.compaction.rebuild import Rebuild
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import shown_texts
from agents.compaction.view import UNLIMITED, MaskLog, StrategyContext
from agents.definition import AgentDefinition
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import CHARACTERS, TokenCounter
from agents.memory.entries import Entry, Range
from agents.memory.journal import Journal
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.memory.seeds import Seeds
from agents.mind.actor import RECENT, Actor
from agents.mind.character_memory import CharacterMemory
from agents.mind.journal_keeper import JournalKeeper
from agents.mind.services import Count, Services
from agents.mind.settings import ThinkingSettings, think_profile
from agents.mind.thinker import Thinker
from agents.mind.traces import TraceFile
from agents.recall.documents import Listed, documents_of, versions_of
from agents.text.daytime import lasted, passed
from mud.errors import UnknownName
from mud.storage.configuration import Configuration
from mud.storage.settings import Value

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass
class Agent:
    """One agent or person.

    Args:
        definition: replaced when its file is edited.
        folder: `vault/agents/<slug>`.
        settings, thinking, profile: return the current settings.
        life: the end of its turns, and reading its files anew.
        thinker: None for a person, and while nobody thinks.
        unreadable: memories that the last check of the whole archive could not read.
    """

    definition: AgentDefinition
    folder: Path
    memory: Memory
    notes: Notes
    compactor: Compactor
    settings: Callable[[], CompactionSettings]
    thinking: Callable[[], ThinkingSettings]
    profile: Callable[[], LLMProfile]
    actor: Actor
    life: CharacterMemory
    keeper: JournalKeeper
    rebuild: Rebuild
    seeds: Seeds
    traces: TraceFile
    counter: TokenCounter = field(default_factory=TokenCounter)
    thinker: Thinker | None = None
    unreadable: Sequence[Range] = ()

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def id(self) -> str:
        return self.definition.id

    @property
    def slug(self) -> str:
        return self.definition.slug

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

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Do not wait for the disk within the block; its end makes up for that."""
        with self.memory.in_bulk(), self.notes.in_bulk():
            yield

    async def measure(self) -> None:
        """Calibrate the token counter with the model's server, if that can count."""
        await self.counter.calibrate(shown_texts(self.compactor.view))

    def documents(self) -> list[Listed]:
        """Return the documents to index: every version of a summary, and every note.

        Of two with the same range the later one counts: those in use, which people may have edited, come last.
        """
        memory = self.memory
        in_use = [summary for summary in (memory.longterm, memory.recent) if summary is not None]
        return [*versions_of(memory.versions(), memory.version), *documents_of(in_use, self.notes.all())]


def put_together(
    means: Services,
    definition: AgentDefinition,
    defined: Callable[[], AgentDefinition],
    sleeps: Callable[[str], bool],
    remembered: Callable[[Sequence[Entry]], None],
    committed: Callable[[Commit], None],
    fold_soon: Callable[[], None],
    room: Callable[[], int],
) -> Agent:
    """Build an agent; its memory is not opened yet.

    Args:
        defined: returns the current definition.
        sleeps: whether the character with an id sleeps.
        remembered, committed: called with new entries, and with each fold.
        fold_soon: starts due folds.
        room: returns the tokens for summaries and memories in the next prompt.
    """
    configuration, models = means.configuration, means.models
    settings = _Current(configuration, defined, lambda own: _compaction_settings(configuration, own))
    thinking = _Current(configuration, defined, lambda own: configuration.for_agent(ThinkingSettings, own))
    profile = _Current(configuration, defined, lambda own: think_profile(configuration, own))
    folder = means.vault / "agents" / definition.slug
    memory = Memory(definition.name, folder, means.clock, definition.aliases, in_ram=settings().runtime_cap)
    ask = means.ask
    count = partial(_asked, means.count, thinking) if means.count is not None else None
    ratios = models.ratios if models is not None else None
    counter = TokenCounter(lambda: settings().token_counter, count, ratios, lambda: profile().identity)
    keeper = JournalKeeper(memory, Journal(folder), definition.slug)
    model = (lambda prompt, profile: ask(definition.name, prompt, profile)) if ask is not None else None
    context = StrategyContext(
        owner=definition.slug,
        window=lambda: profile().num_ctx,
        asleep=lambda: sleeps(defined().id),
        counting=counter.view,
        scale=lambda: counter.ratio,
        when=lambda first, last: lasted(means.say, first, last, means.clock.zone),
        passed=lambda before, after: passed(means.say, before, after, means.clock.zone),
        room=lambda: UNLIMITED if settings().token_counter == CHARACTERS else room(),
    )
    services = CompactionServices(means.strategies, means.summarizers, means.clock, log.info, model, means.prompts)
    compactor = Compactor(memory, settings, services, committed, context, keeper.keep)
    masks = MaskLog(compactor.view, means.clock)
    life = CharacterMemory(memory, compactor, masks, fold_soon, keeper.forget)
    notes, actor = Notes(folder / "notes"), Actor(memory, remembered)
    seeds, rebuild = Seeds(memory, means.clock, writable=means.writable), Rebuild(compactor)
    traces = TraceFile(means.vault / "log/traces" / definition.slug)
    own = (memory, notes, compactor, settings, thinking, profile, actor, life, keeper, rebuild, seeds, traces, counter)
    return Agent(definition, folder, *own)


class _Current(Generic[T]):
    """A value made from the vault's settings and an agent's own, cached until a file changes."""

    def __init__(
        self,
        configuration: Configuration,
        defined: Callable[[], AgentDefinition],
        make: Callable[[Mapping[str, Value]], T],
    ) -> None:
        self._configuration, self._defined, self._make = configuration, defined, make
        self._made: tuple[AgentDefinition, int, T] | None = None

    def __call__(self) -> T:
        definition, version = self._defined(), self._configuration.version
        if self._made is None or self._made[0] is not definition or self._made[1] != version:
            self._made = (definition, version, self._make(definition.overrides))
        return self._made[2]


def _compaction_settings(configuration: Configuration, own: Mapping[str, Value]) -> CompactionSettings:
    """Return compaction settings that fit the windows of the LLM profiles."""
    settings = configuration.for_agent(CompactionSettings, own)
    settings = settings.for_prompts(think_profile(configuration, own).num_ctx)
    try:
        profile = configuration.get_named(LLMProfile, settings.profile)
    except UnknownName:
        return settings
    return settings.within(profile.num_ctx - profile.max_tokens)


async def _asked(count: Callable[[str], Count], thinking: Callable[[], ThinkingSettings], text: str) -> int | None:
    return await count(thinking().think_profile)(text)
