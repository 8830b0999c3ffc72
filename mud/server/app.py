"""Run a world: open the vault, wake the agents, let somebody in, carry out what commands ask for, close in order."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from agents.brains import Brain
from agents.commands.brain import checked_kind
from agents.commands.cost import describe_notice
from agents.definition import check_free, check_name, check_unread, find_definition, find_location, write_definition
from agents.life.mind_page import MindPages
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.llm.budget import keep_spending
from mud.engine.chronicle import Chronicle, show_event, show_event_json
from mud.engine.engine import Step, WorldSettings
from mud.errors import LociError, VaultProblem
from mud.portal.plain import run_plain, show_plain
from mud.portal.session import Session
from mud.portal.wrapped import draws, show_wrapped
from mud.registry import Registry
from mud.sanitize import VisibleFormatter, visible
from mud.server.checks import check_lives
from mud.server.links import links_out
from mud.server.phrases import MODEL_ANSWERS, MODEL_SILENT, SYNCED, UNSYNCED
from mud.server.possession import look_through, submit
from mud.server.reloading import Reloading
from mud.server.requests import carry_out
from mud.server.wiring import Parts, must_have_words, opened, spare_what_stays
from mud.signals import Signals, signals
from mud.storage.log_files import VaultLog
from mud.storage.paths import check_held
from mud.supervise import in_thread, supervise
from mud.world.events import Request
from mud.world.things import Thing

__all__ = ["App", "Options", "run"]

log = logging.getLogger(__name__)

Shown = TypeVar("Shown")
"""What is shown: a text, or an event."""

MODEL_GRACE = 5.0
"""Seconds that a call of a model is given when the world closes."""
CLOSING_GRACE = 3.0
"""Seconds that the world's own tasks are given to end."""
COME_IN = 0.3
"""Seconds after which agents begin to live and lives are looked through: who comes in is shown where they are first."""
SYNC_EVERY = 1.0
"""Seconds between two syncs of ledger and archives to the disk."""


class Options(NamedTuple):
    """How a world is run; see `python -m mud run --help`.

    Args:
        vault: the vault's folder.
        name: name of the player's character.
        headless: there is no player; the chronicle goes to stdout.
        seconds: end after so long; None for when the player leaves.
        agents: agents think.
        brain: name of every agent's brain, or `auto`; None for each its own.
        seed: seed of all chance; None for a fresh one.
        json: print what happens as JSON lines; for a headless run.
    """

    vault: Path
    name: str = "Visitor"
    headless: bool = False
    seconds: float | None = None
    agents: bool = True
    brain: str | None = None
    seed: int | None = None
    json: bool = False


def run(options: Options) -> int:
    """Run a world until its player leaves, its time is over, or it is told to end; return the exit code.

    Raises:
        LociError: when it cannot begin.
    """
    if options.brain is not None:
        options = options._replace(brain=checked_kind(options.brain))
    name = check_name(options.name)
    with opened(options.vault, writable=True) as parts:
        _log_into(parts.vault / "log")
        must_have_words(parts.texts)
        notice = links_out(parts.vault)
        for line in (*parts.told_at_start(), *([notice] if notice else [])):
            print(f"loci: {line}", file=sys.stderr)
        with asyncio.Runner() as runner:  # where no loop can be made, nothing waits for one
            runner.run(App(parts, options, name).live())
    return 0


def _load_brains() -> Registry[Brain]:
    # Here, and not above: it is a fifth of what is loaded, and whoever comes in need not wait for it.
    from mud.server.brains import load_brains

    return load_brains()


def _log_into(folder: Path) -> None:
    """Send the program's log into the vault, and warnings to stderr besides."""
    file = VaultLog(folder / "loci.log", kept=3)
    file.setFormatter(VisibleFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    shown = logging.StreamHandler()
    shown.setLevel(logging.WARNING)
    shown.setFormatter(_Plain())
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.handlers[:] = [file, shown]
    logging.raiseExceptions = False  # a full disk must not print a traceback for every line of the log
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log a line for every call


class _Plain(logging.Formatter):
    """Shows people what went wrong in one line; the traceback is in the log file."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message alone."""
        return f"loci: {visible(record.getMessage())}"


class App:
    """A running world.

    Args:
        parts: the opened vault.
        options: how it is run.
        name: name of the player's character, checked.
        heard: the signals that end it.
    """

    def __init__(self, parts: Parts, options: Options, name: str, heard: Signals = signals) -> None:
        self._parts = parts
        self._options = options
        self._name = name
        self._signals = heard
        self._stop = asyncio.Event()
        self._answered = asyncio.Event()
        self._requests: set[asyncio.Task[None]] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._session: Session | None = None
        self._unshown: OSError | None = None
        """Why stdout took no more; None while it takes everything."""
        self._unsynced = ""
        """Why the disk does not confirm what was written; empty while it does."""
        self._terminal = sys.stdin.isatty() and sys.stdout.isatty() and not options.headless and draws()
        chance = Random(options.seed)
        drives = SchedulerConfig(
            _load_brains, parts.voice, parts.queue, parts.prompting, chance, parts.clock, options.brain
        )
        self._living = Scheduler(parts.minds, parts.engine, drives, self._submitted)
        self._unheard: list[Step] | None = [] if options.agents else None
        """What happened before agents began to live, for them to notice then."""
        parts.queue.budget.tell = lambda notice: self._tell(describe_notice(parts.texts.render, notice))
        parts.met_hosts.tell = self._tell_of_models
        self._reloading = Reloading(parts, self._tell, self._living if options.agents else None)
        self._pages = MindPages(parts.minds, self._reloading.watcher.wrote)
        show = self._until_gone(show_event_json if options.json else show_event) if options.headless else None
        self._chronicle = Chronicle(parts.vault / "log", parts.engine.world, show)

    async def live(self) -> None:
        """Run until the player leaves, the time is over, a signal comes or stdout takes no more; then close in order.

        Raises:
            LociError: not everything that was answered could be written into the archives.
            OSError: stdout took no more, or the vault's folder is not where it was.
        """
        parts, engine = self._parts, self._parts.engine
        self._signals.end = partial(self._told_to_end, asyncio.get_running_loop())
        await parts.recall.start()
        for observe in (parts.minds.observe, self._let_notice, self._pages.observe, self._chronicle.observe):
            engine.observe(observe)
        self._tasks += [asyncio.create_task(supervise(name, task, parts.clock)) for name, task in self._duties()]
        if self._options.agents:
            for name in self._living.profiles():
                parts.queue.prepare(name)
        spare_what_stays()
        try:
            await self._until_over()
        finally:
            await self._close()
        check_held(parts.vault)
        if why := parts.unwritten():
            raise LociError(f"{why}; the next start gives it to them, if their folders are there then")
        if self._unshown is not None:
            raise self._unshown

    def _told_to_end(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Have a signal close the world in order, at whatever moment it comes."""
        with suppress(RuntimeError):  # the loop has ended: the world is closed, and the vault is being let go of
            loop.call_soon_threadsafe(self._stop.set)
        return True

    def _until_gone(self, show: Callable[[Shown], None]) -> Callable[[Shown], None]:
        """Return what shows something on stdout, and ends the world when that takes no more."""

        def shown(what: Shown) -> None:
            try:
                show(what)
            except OSError as error:
                self._unshown = error
                self._stop.set()
                raise

        return shown

    def _duties(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        """Return what has to be done all the time."""
        parts = self._parts
        duties: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("indexing what was lived before", self._index_all),
            ("saving", self._keep_saving),
            ("syncing", self._keep_syncing),
            ("counting what models cost", lambda: keep_spending(parts.vault, parts.queue.budget, parts.clock)),
            ("mind pages", self._pages.run),
            ("watching the vault", self._reloading.watcher.run),
            ("looking through archives", self._check_lives),
        ]
        if self._options.agents:
            duties += [("agents", self._live_on), ("watching the models", self._watch_models)]
        return duties

    async def _until_over(self) -> None:
        """Let the player in, or none, and wait for the end."""
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(self._stop.wait())]
        if self._options.seconds is not None:
            waits.append(asyncio.create_task(self._sleep(self._options.seconds)))
        if not self._options.headless:
            waits.append(asyncio.create_task(self._play()))
        done, rest = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            task.result()

    async def _sleep(self, seconds: float) -> None:
        await self._parts.clock.sleep(seconds)

    # the player

    async def _play(self) -> None:
        """Let the player in and carry on their session until they leave."""
        session = self._enter(self._until_gone(show_wrapped if self._terminal else show_plain))
        try:
            if self._terminal:
                words = self._parts.commands.words()
                # Here, and not above: only a terminal needs the library that draws one.
                from mud.portal.terminal import run_terminal

                await run_terminal(session, words, self._parts.vault / "log" / "history")
            else:
                await run_plain(session, lambda: self._answered, sys.stdin.fileno())
        finally:
            self._parts.engine.unobserve(session.observe)

    def _enter(self, show: Callable[[str], None]) -> Session:
        """Bring the player's character into the world, made at the first visit."""
        parts = self._parts
        agent = parts.minds.open(self._slug_of_player())
        parts.engine.witnesses.add(agent.id)
        self._reloading.watch_agent(agent.folder)
        session = Session(agent.id, lambda line: self._submit(agent.id, line), show)
        step = parts.engine.enter(agent.definition.thing(), self._start_of(agent.id).id)
        if step.failed:
            raise LociError(step.reply)
        self._session = session
        show(step.reply)
        parts.engine.observe(session.observe)
        self._tasks.append(asyncio.create_task(parts.minds.catch_up(agent)))
        return session

    def _slug_of_player(self) -> str:
        minds, world = self._parts.minds, self._parts.engine.world
        found = find_definition(self._name, minds.definitions)
        if found is not None and not found.person:
            raise LociError(f"{found.name} is played by a mind of the world; take another name with --as")
        if found is not None:
            return found.slug
        check_free(self._name, world)
        check_unread(self._name, self._parts.vault / "agents", minds.drafts)
        slug = write_definition(self._parts.vault / "agents", self._name, world.new_id(), person=True)
        problems = minds.load_definition(slug)
        if problems:
            raise VaultProblem(problems)
        return slug

    def _start_of(self, who: str) -> Thing:
        """Return where a character comes in: where it left, else the start location of `config/world.md`."""
        world = self._parts.engine.world
        left = world.get(world.away.get(who, ""))
        if left is not None:
            return left
        wanted = self._parts.configuration.get(WorldSettings).start_location
        found = find_location(wanted, world.locations())
        if found is None:
            log.warning("config/world.md: start_location: there is no %r; starting elsewhere", wanted)
        return found or world.locations()[0]

    def _submit(self, who: str, line: str) -> Step:
        step = submit(self._parts.engine, self._parts.minds, who, line)
        self._submitted(step)
        return step

    def _tell(self, text: str) -> None:
        """Tell the owner: on line where there is a session, else on stderr."""
        if self._session is not None:
            self._session.tell(text)
        else:
            print(text, file=sys.stderr, flush=True)

    # requests

    def _submitted(self, step: Step) -> None:
        for request in step.requests:
            self._spawn(self._carry_out(request))

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    async def _carry_out(self, request: Request) -> None:
        outcome = await carry_out(self._parts, request, self._reloading.everything)
        try:
            self._parts.engine.answer(request, outcome)
            if self._session is not None:
                look_through(self._session, self._parts.minds.resting)
        finally:
            self._answered.set()

    # duties

    async def _live_on(self) -> None:
        """Load what agents think and fold with, aside so that nobody waits for it, and have them live."""
        await self._parts.clock.sleep(COME_IN)
        await asyncio.to_thread(_load_brains)
        await asyncio.to_thread(self._parts.minds.means.summarizers.names)
        for agent in self._parts.minds.opened():
            if not agent.definition.person and agent.thinker is None:
                self._living.wake(agent)
        unheard, self._unheard = self._unheard or [], None
        for step in unheard:
            self._living.observe(step)
        await self._living.run()

    def _let_notice(self, step: Step) -> None:
        if self._unheard is None:
            self._living.observe(step)
        else:
            self._unheard.append(step)

    async def _index_all(self) -> None:
        for agent in self._parts.minds.opened():
            await self._parts.minds.catch_up(agent)

    async def _check_lives(self) -> None:
        """Tell what is wrong with memories; a long life takes a while to look through, for which nobody waits."""
        await self._parts.clock.sleep(COME_IN)
        problems = await in_thread(partial(check_lives, self._parts.vault))
        self._reloading.report(problem for problem in problems if problem not in self._parts.problems)

    async def _keep_saving(self) -> None:
        saved = -1
        while True:
            if self._parts.engine.number != saved and await self._synced():  # so that saving finds little left to sync
                saved = self._parts.engine.number
                self._parts.save()
            await self._parts.clock.sleep(self._parts.configuration.get(WorldSettings).state_interval)

    async def _keep_syncing(self) -> None:
        while True:
            await self._parts.clock.sleep(SYNC_EVERY)
            self._write_what_waits()
            await self._synced()

    def _write_what_waits(self) -> None:
        """Try again what could not be written or folded, also for who lives through nothing new."""
        for agent in self._parts.minds.opened():
            if agent.memory.waiting:
                self._reloading.bring_back(agent)
            self._parts.minds.remembered(agent.slug, agent.memory.retry() if agent.memory.waiting else ())

    async def _synced(self) -> bool:
        """Sync, and return whether the disk confirmed it; the owner is told once when it does not, and when it does."""
        try:
            await asyncio.to_thread(self._parts.sync)
            why = ""
        except OSError as error:
            why = error.strerror or str(error)
        if bool(why) != bool(self._unsynced):
            text = self._parts.texts.render(UNSYNCED, why=why) if why else self._parts.texts.render(SYNCED)
            log.info("%s", text)
            self._tell(text)
        self._unsynced = why
        return not why

    async def _watch_models(self) -> None:
        answered: dict[str, bool] = {}

        def tell(profile: str, answers: bool) -> None:
            host = self._parts.queue.overview([profile])[0].servers
            if (
                not host or answered.get(host) is answers
            ):  # no such profile, as check says, or another has the same server
                return
            answered[host] = answers
            self._tell_of_models(self._parts.texts.render(MODEL_ANSWERS if answers else MODEL_SILENT, host=host))

        await self._living.watch_models(tell)

    def _tell_of_models(self, text: str) -> None:
        if self._terminal:
            self._tell(text)
        else:  # on a pipe, stdout is for replies and events
            print(text, file=sys.stderr, flush=True)

    # the end

    async def _close(self) -> None:
        """Close in order: nobody thinks, what is due is folded, the player leaves, everything is saved."""
        parts = self._parts
        await self._living.stop()
        await parts.minds.finish_folds(MODEL_GRACE)
        await parts.queue.close(0)
        await asyncio.gather(*self._requests, return_exceptions=True)
        if self._session is not None:
            player = parts.engine.world.things[self._session.own]
            parts.engine.leave(player)
        self._write_what_waits()
        await self._reloading.stop()
        with suppress(OSError):  # a full disk at the end costs nothing: the ledger has it
            parts.sync()
            parts.save()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            _, stuck = await asyncio.wait(self._tasks, timeout=CLOSING_GRACE)
            for task in stuck:
                log.error("%s did not end; the world closes without it", task.get_name())
        self._pages.write_all()
        self._chronicle.close()
        await parts.recall.stop()
