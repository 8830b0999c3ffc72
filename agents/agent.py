"""One agent, put together: who it is, what it remembers, and, while it lives, how it perceives and thinks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from agents.actor import RECENT, Actor
from agents.compaction.commits import Commit
from agents.compaction.compactor import Compactor
from agents.compaction.drafts import Scribe
from agents.compaction.gauge import Surroundings
from agents.compaction.integrity import shown_texts
from agents.compaction.micro import Micro
from agents.compaction.rebuild import Rebuild
from agents.compaction.settings import CompactionSettings
from agents.definition import Definition
from agents.life import Life
from agents.llm.counting import TokenCounter
from agents.llm.profiles import LLMProfile
from agents.means import Count, Means
from agents.memory.entries import Entry
from agents.memory.journal import Journal
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.memory.seeds import Seeds
from agents.recall.documents import Listed, documents_of, versions_of
from agents.sleeping import Keeper
from agents.thinker import Thinker
from agents.thinking import ThinkingSettings, think_profile
from agents.trace_file import TraceFile
from mud.errors import UnknownName
from mud.storage.configuration import Configuration

log = logging.getLogger(__name__)


@dataclass
class Agent:
    """One agent or person.

    Args:
        definition: who it is; replaced when its file is edited.
        folder: `vault/agents/<slug>`.
        memory: what it lived through.
        notes: its notes.
        compactor: folds its memories.
        settings: its compaction settings of the moment.
        thinking: its settings of thinking of the moment.
        actor: its senses and hands.
        life: its memory as a whole: what is done with it goes through here.
        keeper: keeps its journal.
        rebuild: makes its summaries anew.
        seeds: memories that people wrote for it.
        traces: how its lines came about.
        counter: counts the tokens of what it remembers.
        thinker: decides for it; None for a person, and while nobody thinks.
    """

    definition: Definition
    folder: Path
    memory: Memory
    notes: Notes
    compactor: Compactor
    settings: Callable[[], CompactionSettings]
    thinking: Callable[[], ThinkingSettings]
    actor: Actor
    life: Life
    keeper: Keeper
    rebuild: Rebuild
    seeds: Seeds
    traces: TraceFile
    counter: TokenCounter = field(default_factory=TokenCounter)
    thinker: Thinker | None = None

    @property
    def name(self) -> str:
        """Its name as shown."""
        return self.definition.name

    @property
    def id(self) -> str:
        """Id of its character."""
        return self.definition.id

    @property
    def slug(self) -> str:
        """Name of its folder."""
        return self.definition.slug

    @property
    def sees_from(self) -> int | None:
        """Number of the oldest memory that a brain has before its eyes; None when it has none."""
        newest = self.memory.newest(RECENT)
        return newest[0].seq if newest else None

    @property
    def head_is_full(self) -> bool:
        """Whether, awake, it remembers as much word for word as it would fold asleep."""
        outlook = self.compactor.outlook
        if not outlook.strategy.journals:
            return False
        standing = outlook.standing()
        return not standing.asleep and standing.tokens() > int(self.settings().sleep_threshold * standing.window)

    def relieve(self) -> bool:
        """Fold at once, by rules, when a view takes too much of the window for a prompt; return whether it did."""
        if not self.compactor.emergency():
            return False
        standing = self.compactor.outlook.standing()
        taken = f"{standing.tokens()} of {standing.window} tokens of the window are taken"
        log.warning("[Memory] %s: %s; emergency compaction", self.name, taken)
        return bool(self.compactor.fold_due_now())

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Within it nothing that is remembered or noted waits for the disk; its end makes up for that."""
        with self.memory.in_bulk(), self.notes.in_bulk():
            yield

    async def measure(self) -> None:
        """Have the model's server count the tokens of what is shown, if it can: they are exact from then on."""
        await self.counter.calibrate(shown_texts(self.memory, self.settings(), self.compactor.outlook))

    def documents(self) -> list[Listed]:
        """Return what is to be found by meaning: every summary ever made, as it now reads, and every note.

        Of two that cover the same the later holds: those in use, which people may have edited, come last.
        """
        memory = self.memory
        in_use = [summary for summary in (memory.longterm, memory.recent) if summary is not None]
        return [*versions_of(memory.versions(), memory.version), *documents_of(in_use, self.notes.all())]


def put_together(
    means: Means,
    definition: Definition,
    defined: Callable[[], Definition],
    sleeps: Callable[[str], bool],
    remembered: Callable[[Sequence[Entry]], None],
    committed: Callable[[Commit], None],
    fold_soon: Callable[[], None],
) -> Agent:
    """Return an agent whose memory is not opened yet.

    Args:
        means: what minds need from outside.
        definition: who it is.
        defined: gives who it is at the moment; its file may be edited.
        sleeps: tells whether the character with an id is asleep.
        remembered: is told of new memories.
        committed: is told of every fold.
        fold_soon: begins the folds that are due.
    """
    settings = _Settings(means.configuration, defined)
    folder = means.vault / "agents" / definition.slug
    memory = Memory(definition.name, folder, means.clock, definition.aliases, in_ram=settings().runtime_cap)
    ask = means.ask

    def thinking() -> ThinkingSettings:
        return means.configuration.for_agent(ThinkingSettings, defined().overrides)

    count = partial(_asked, means.count, thinking) if means.count is not None else None
    counter = TokenCounter(lambda: settings().token_counter, count, lambda: compactor.outlook.strategy.by_tokens)
    keeper = Keeper(memory, Journal(folder), definition.slug)
    model = (lambda prompt, profile: ask(definition.name, prompt, profile)) if ask is not None else None
    compactor = Compactor(
        memory,
        settings,
        means.strategies,
        means.summarizers,
        model,
        means.clock,
        log.info,
        committed,
        means.prompts,
        Surroundings(
            owner=definition.slug,
            window=lambda: think_profile(means.configuration, defined().overrides).num_ctx,
            asleep=lambda: sleeps(defined().id),
            counting=counter.counting,
            scale=lambda: counter.scale,
        ),
        keeper.keep,
    )
    micro = Micro(memory, settings, lambda: compactor.outlook.strategy.masks, definition.slug, means.clock)
    life = Life(memory, compactor, micro, means.clock, fold_soon, keeper.forget)
    notes, actor = Notes(folder / "notes"), Actor(life, remembered)
    scribe, seeds = Scribe(means.summarizers, model, means.prompts), Seeds(memory, means.clock, writable=means.writable)
    rebuild = Rebuild(memory, settings, compactor, scribe, means.clock, log.info, keeper.keep)
    traces = TraceFile(means.vault / "log/traces" / definition.slug)
    own = (memory, notes, compactor, settings, thinking, actor, life, keeper, rebuild, seeds, traces, counter)
    return Agent(definition, folder, *own)


class _Settings:
    """Gives an agent's compaction settings of the moment; made anew when a file has changed, as every memory asks.

    Args:
        configuration: the settings of all.
        defined: gives who it is at the moment.
    """

    def __init__(self, configuration: Configuration, defined: Callable[[], Definition]) -> None:
        self._configuration, self._defined = configuration, defined
        self._made: tuple[Definition, int, CompactionSettings] | None = None

    def __call__(self) -> CompactionSettings:
        """Return them, with prompts that fit into the window of their LLM profile, if there is that profile."""
        definition, version = self._defined(), self._configuration.version
        if self._made is None or self._made[0] is not definition or self._made[1] != version:
            made = self._configuration.for_agent(CompactionSettings, definition.overrides)
            self._made = (definition, version, _within_window(made, self._configuration))
        return self._made[2]


def _within_window(settings: CompactionSettings, configuration: Configuration) -> CompactionSettings:
    """Return compaction settings whose prompts fit into the window of their LLM profile, if there is that profile."""
    try:
        profile = configuration.get_named(LLMProfile, settings.profile)
    except UnknownName:
        return settings
    return settings.within(profile.num_ctx - profile.max_tokens)


async def _asked(count: Callable[[str], Count], thinking: Callable[[], ThinkingSettings], text: str) -> int | None:
    """Ask the server that an agent thinks with at the moment how many tokens a text takes."""
    return await count(thinking().think_profile)(text)
