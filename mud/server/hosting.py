"""Opens minds of a vault in a process that is not the world's; see `agents.hosts`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from random import Random

from agents.compaction.summarizer import parse_style
from agents.hosts import HostKind, HostOfMinds, HostPlace, HostSettings
from agents.hosts.local import LocalHost
from agents.life.prompting import Prompting
from agents.life.thinking import PendingCalls, SchedulerConfig, Thinking
from agents.memory.archive import OpenArchives
from agents.mind.interpreter import InterpreterFiles
from agents.mind.templates import Templates
from agents.mind.thinker import FALLBACK
from agents.population import Population
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from mud.errors import LociError
from mud.process import temporary_folder
from mud.registry import load
from mud.server.checks import FAMILIES, SCHEMAS, thought_templates
from mud.server.garbage import short_collections
from mud.server.wiring import Parts, RealClock, load_brains, load_commands, model_queue, population, vault_in, voiced
from mud.storage.configuration import Configuration
from mud.storage.paths import SHIPPED
from mud.storage.texts import TextStore

HOSTS = load("agents.hosts", HostKind, "host of minds")
MAKER = "mud.server.hosting:hosted"
"""Names `hosted` for a host that starts processes; see `agents.hosts.HostPlace`."""
OPEN_FILES = 512
"""Archives whose files are open at once: more than in a world, as most minds here perceive something in every tick."""
ENDING = 5.0
"""Seconds that folds are given at the end."""


def kind_of(minds: str) -> tuple[HostKind, str]:
    """Return the kind of host that a text such as `ray` or `ray://HOST:PORT` names, and its address.

    Raises UnknownName, and LociError for an address where none is taken.
    """
    name, mark, address = minds.partition("://")
    kind = HOSTS.get(name)
    if mark and not (kind.form and address):
        forms = ", ".join([*HOSTS.names(), *(one.form for one in HOSTS if one.form)])
        raise LociError(f"minds cannot live at {minds!r}; expected one of {forms}")
    return kind, minds if address else ""


def lends(minds: str | None, configuration: Configuration) -> bool:
    """Return whether minds live apart from the world; for `minds` see `host_of`."""
    return kind_of(minds or configuration.get(HostSettings).minds)[0].apart


def host_of(parts: Parts, minds: str | None, here: LocalHost) -> HostOfMinds:
    """Return the host of a world's minds.

    Args:
        minds: names it; None for that in the settings.
        here: the host of the minds of this process.
    """
    settings = partial(parts.configuration.get, HostSettings)
    kind, address = kind_of(minds or settings().minds)
    return kind.start(HostPlace(parts.vault, address, MAKER, here, settings))


@asynccontextmanager
async def hosted(vault: Path, name: str, index: Path | None = None) -> AsyncIterator[LocalHost]:
    """Open a vault for minds that are lent to this process; none is open at first, and all are closed at the end.

    The world holds the vault's lock meanwhile: nothing is written in it here but the folders of the minds that were
    lent. Minds think by instinct, as a model's prompt needs the world.

    Args:
        vault: the folder; LociError is raised when there is no vault in it.
        name: of this process, for leases.
        index: the folder for the index, where the next process finds it; None for a temporary one.
    """
    place = nullcontext(index) if index is not None else temporary_folder("loci-minds-")
    with place as folder, short_collections():
        async with _hosted(vault_in(vault), name, folder) as host:
            yield host


@asynccontextmanager
async def _hosted(vault: Path, name: str, index: Path) -> AsyncIterator[LocalHost]:
    clock, commands = RealClock(), load_commands()
    configuration, texts = Configuration(vault, SCHEMAS, FAMILIES), TextStore(vault / "text", SHIPPED / "text")
    summaries = Templates(vault / "prompts/summaries", None, parse_style, "prompts/summaries")
    for part in (configuration, texts, summaries):
        part.load()
    minds: Population
    queue = model_queue(vault, configuration, commands, clock, None, None, lambda: minds)
    recall = RecallService(index, partial(configuration.get, RecallSettings), clock)
    minds = population(vault, configuration, texts, summaries, recall, clock, queue, None, writable=True)
    minds.archives = OpenArchives(OPEN_FILES)
    minds.inner.load()
    templates = thought_templates(vault, configuration, lambda: minds.definitions.values())
    templates.load()
    drives = SchedulerConfig(
        load_brains, partial(voiced, texts), queue, Prompting(minds, templates, commands), Random(), clock, FALLBACK,
        traced=False, interpreter=InterpreterFiles(vault).get,
    )  # fmt: skip
    host = LocalHost(minds, Thinking(minds, drives, PendingCalls()).begin, name)
    await recall.start(vectors=False)
    try:
        yield host
    finally:
        await minds.finish_folds(ENDING)
        await host.end()
        await queue.close(0)
        await recall.stop()
