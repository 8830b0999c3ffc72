"""The running world: opens the vault, starts the agents, runs the player's session and shuts down in order."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from agents.agent import Agent
from agents.commands.control import checked_kind
from agents.commands.models import describe_notice
from agents.definition import check_name
from agents.life.lent import LentMinds
from agents.life.mind_page import MindPages
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.llm.spending import keep_spending
from agents.llm.tokens import bundled_tokenizer
from mud.engine.chronicle import Chronicle, show_event, show_event_json
from mud.engine.engine import Step, WorldSettings
from mud.errors import LociError
from mud.portal.modes import Mode, Streams, mode_of
from mud.process import Signals, signals
from mud.server.checks import check_lives
from mud.server.garbage import collect_all, no_collections, short_collections
from mud.server.hosting import host_of, kind_of, lends
from mud.server.known_hosts import MODEL_ANSWERS, MODEL_SILENT
from mud.server.links import links_out
from mud.server.local import LocalPlayer
from mud.server.logs import logging_into
from mud.server.loop_timing import LoopTiming, TimedSelector
from mud.server.monitor import Monitor
from mud.server.people import People, look_through
from mud.server.regions.regions import Regions
from mud.server.reloading import Reloading
from mud.server.requests import SYNCED, UNSYNCED, carry_out, submit
from mud.server.traces import tracing
from mud.server.wiring import Parts, load_brains, must_have_words, opened
from mud.storage.paths import check_held
from mud.supervise import in_thread, supervise, timeout
from mud.world.events import Request
from mud.world.roles import Role

log = logging.getLogger(__name__)

Shown = TypeVar("Shown")

MODEL_GRACE = 5.0  # seconds that a running model call is given at shutdown
CLOSING_GRACE = 3.0  # seconds that the background tasks are given to end
COLLECT_AFTER = 600.0
"""Seconds between two looks whether nobody plays, and all garbage can be collected."""
SWITCHED_AFTER = 0.0002
"""Seconds that the event loop waits at most, after each file it touches, for a thread such as the index's to pause."""
COME_IN = 0.3
"""Seconds before agents start, doors open and archives are checked, so that the first screen is not delayed."""
COME_IN_AMONG_MANY = 1.5
"""The same seconds in a large vault, where all that begins then takes long, and whoever comes in would wait for it."""
DOORS_WITHIN = 10.0
"""Seconds that what takes longer at the start waits for the doors at most."""
CHECKED_AFTER = 10.0
"""Seconds before the files of a large vault are checked, which takes as long as its start."""
WEB = range(8000, 8016)
"""Ports of which the first free one serves the pages of a world that was started at a terminal."""
SAVING_SHARE = 20.0  # a saved state is followed by a pause of so many times what it took, as large worlds take long
LOOKED_AT = 200  # agents that are asked for what waits between two syncs
SYNC_EVERY = 1.0  # seconds between two syncs of ledger and archives to disk
ELAPSE_EVERY = 0.5  # seconds between two looks at what is due in the world by time alone
HELD_FOR = 0.2  # seconds that entries of many witnesses may wait, so that each archive is written once for many steps


class Options(NamedTuple):
    """How a world is run; see `python -m mud run --help`."""

    vault: Path
    name: str | None = None  # of the local player; None to ask at a terminal
    headless: bool = False  # there is no player; the chronicle goes to stdout
    seconds: float | None = None  # end after so long; None to run until the player leaves
    agents: bool = True
    brain: str | None = None  # name of every agent's brain, or `auto`; None to use each agent's own
    seed: int | None = None
    json: bool = False  # print events as JSON lines; only for a headless run
    plain: bool | None = None  # the line mode on a terminal, or not; None to decide by the terminal
    doors: Mapping[str, int] = MappingProxyType({})  # the port of each door of the network; 0 to keep it shut
    exact: bool = False  # agents live turn by turn also where nobody can perceive them
    minds: str | None = None  # where minds live; None to go by the settings


def run(options: Options) -> int:
    """Run a world until it ends and return the exit code."""
    if options.brain is not None:
        options = options._replace(brain=checked_kind(options.brain))
    name = check_name(options.name) if options.name is not None else None
    if options.minds is not None:
        kind_of(options.minds)
    sys.setswitchinterval(SWITCHED_AFTER)
    lend = partial(lends, options.minds)
    with ExitStack() as logged, ExitStack() as vault:
        with no_collections():
            parts = vault.enter_context(opened(options.vault, writable=True, lends=lend))
        logged.enter_context(logging_into(parts.vault / "log"))  # until the vault is closed
        logged.enter_context(tracing(os.environ))
        must_have_words(parts.texts)
        timing = LoopTiming()
        # First: what stands in the way of the chronicle has a line of its own.
        app = App(parts, options, name, timing=timing)
        if not parts.is_large:
            app.tell_what_is_wrong()
        # First: where no event loop can be made, no coroutine is left unawaited.
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(TimedSelector(timing))) as runner:
            runner.run(app.live())
    return 0


class App:
    """A running world."""

    def __init__(
        self,
        parts: Parts,
        options: Options,
        name: str | None,
        heard: Signals = signals,
        timing: LoopTiming | None = None,
    ) -> None:
        self._parts = parts
        self._options = options
        self._signals = heard
        self._stop = asyncio.Event()
        self._answered = asyncio.Event()
        self._doors_tried = asyncio.Event()
        """Set when each door of the network is open, or could not be opened."""
        self._requests: set[asyncio.Task[None]] = set()
        self._looked = 0  # place of the agent that is asked next for what waits
        self._unindexed: asyncio.Queue[Agent] = asyncio.Queue()
        """Those who were opened, and whose index may lack something."""
        self._asking: Counter[str] = Counter()  # how many requests of each character are not answered yet
        self._tasks: list[asyncio.Task[None]] = []
        self._unshown: OSError | None = None
        """Why stdout took no more; None while it works."""
        self._syncing = asyncio.Lock()  # two outcomes at once could be told in the wrong order
        self._unsynced = ""  # why the disk does not confirm writes; empty while it does
        chance = Random(options.seed)
        drives = SchedulerConfig(
            load_brains, parts.voice, parts.queue, parts.prompting, chance, parts.clock, options.brain,
            interpreter=parts.interpreter.get, habits=parts.world_files.habits, exact=options.exact,
        )  # fmt: skip
        self._living = Scheduler(parts.minds, parts.engine, drives, self._submitted)
        host = host_of(parts, options.minds, self._living.here)
        self._lent: LentMinds | None = None
        if parts.minds.lends:
            self._lent = LentMinds(parts.minds, parts.engine, drives, host, self._submitted, thinks=options.agents)
        else:
            self._living.host = host
        self._unheard: list[Step] | None = [] if options.agents else None
        """Steps from before the agents started; they observe them when they start."""
        parts.queue.budget.tell = lambda notice: self._tell(describe_notice(parts.texts.render, notice))
        parts.met_hosts.tell = self._tell_of_models
        self._reloading = Reloading(parts, self._tell, self._living if options.agents else None)
        self._people = People(parts, self._reloading, self._submit, self._catch_up)
        self._regions = Regions(parts, self._people, self._reloading, self._living if options.agents else None)
        self._monitor = Monitor(parts, self._people.sessions, lambda: self._unsynced, timing)
        streams = Streams(sys.stdin, sys.stdout, sys.__stderr__)
        mode = Mode.PIPE if options.headless else mode_of(options.plain, streams, os.environ)
        self._local = LocalPlayer(
            parts, self._people, mode, name, self._gone,
            lambda: parts.texts.render(UNSYNCED, why=self._unsynced) if self._unsynced else "",
        )  # fmt: skip
        self._pages = MindPages(parts.minds, self._reloading.watcher.wrote)
        parts.minds.on_close = self._pages.write
        parts.minds.on_correction = self._corrected
        parts.minds.on_open = self._opened
        show = self._until_gone(show_event_json if options.json else show_event) if options.headless else None
        self._chronicle = Chronicle(parts.vault / "log", parts.engine.world, show)

    def _corrected(self, agent: Agent) -> None:
        self._living.corrected(agent)
        self._pages.changed(agent)

    async def live(self) -> None:
        """Run until the player leaves, the time is over, a signal comes or stdout fails; then shut down in order.

        Raises:
            LociError: not every memory could be written to the archives.
            OSError: stdout failed, or the vault's folder was moved or replaced.
        """
        parts, engine = self._parts, self._parts.engine
        self._signals.end = partial(self._told_to_end, asyncio.get_running_loop())
        await parts.recall.start()
        observers = (
            parts.minds.observe, self._let_notice, self._pages.observe, self._chronicle.observe,
            self._people.news.observe, self._regions.departures.observe,
        )  # fmt: skip
        if self._lent is not None:
            engine.observe(self._lent.observe)
        for observe in (*observers, self._people.sessions.observe):
            engine.observe(observe)
        self._regions.arrivals.complete()
        self._tasks += [asyncio.create_task(supervise(name, task, parts.clock)) for name, task in self._duties()]
        if self._options.agents:
            for name in self._living.profiles():
                parts.queue.prepare(name)
        parts.minds.held.seconds, parts.minds.held.of_cold_minds = HELD_FOR, True
        with short_collections():
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
        with suppress(RuntimeError):  # the loop has ended: the world is closed already
            loop.call_soon_threadsafe(self._stop.set)
        return True

    def tell_what_is_wrong(self) -> None:
        """Show what is wrong in the vault, before the world runs or, of a large one, soon afterwards."""
        notice = links_out(self._parts.vault)
        for line in (*self._parts.told_at_start(), *([notice] if notice else [])):
            if not self._local.tell_later(f"loci: {line}"):
                print(f"loci: {line}", file=sys.stderr)

    async def _watch(self) -> None:
        if self._parts.is_large:
            await self._doors_opened()  # to watch very many folders takes as long as to come in
        await self._reloading.watch()

    async def _check_files(self) -> None:
        await self._parts.clock.sleep(CHECKED_AFTER)
        self._reloading.knows(await asyncio.to_thread(lambda: self._parts.problems))
        self.tell_what_is_wrong()

    def _gone(self, error: OSError) -> None:
        self._unshown = error
        self._stop.set()

    def _until_gone(self, show: Callable[[Shown], None]) -> Callable[[Shown], None]:
        def shown(what: Shown) -> None:
            try:
                show(what)
            except OSError as error:
                self._gone(error)
                raise

        return shown

    def _duties(self) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        parts = self._parts
        duties: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("indexing what was lived before", self._index_all),
            ("letting time pass", self._let_time_pass),
            ("saving", self._keep_saving),
            ("syncing", self._keep_syncing),
            ("counting what models cost", lambda: keep_spending(parts.vault, parts.queue.budget, parts.clock)),
            ("mind pages", self._pages.run),
            ("watching the vault", self._watch),
            ("looking through archives", self._check_lives),
            ("loading the tokenizer", self._load_tokenizer),
            ("collecting garbage", self._collect_garbage),
            ("journeys to other worlds", self._regions.departures.run),
        ]
        if parts.is_large:
            duties.append(("checking the files", self._check_files))
        if self._ports():
            duties.append(("the doors", self._open_doors))
        if self._options.agents:
            duties += [("agents", self._live_on), ("watching the models", self._watch_models)]
        if self._lent is not None:
            duties.append(("minds elsewhere", self._lent.run))
        return duties

    async def _until_over(self) -> None:
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(self._stop.wait())]
        if self._options.seconds is not None:
            waits.append(asyncio.create_task(self._parts.clock.sleep(self._options.seconds)))
        if not self._options.headless:
            waits.append(asyncio.create_task(self._local.play(lambda: self._answered)))
        done, rest = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            task.result()

    async def _open_doors(self) -> None:
        """Serve all doors of the network until the world ends. One that cannot be opened is told; the others are."""
        # Imported here because a world without a network needs none of it.
        from mud.server.doors import serve_doors

        if not self._options.headless:
            await self._parts.clock.sleep(COME_IN)
        ports, name = self._ports(), lambda: self._local.name
        left = len(ports)

        def told(text: str, kind: str) -> None:
            nonlocal left
            self._tell(text, kind)
            left -= 1
            if not left:
                self._doors_tried.set()

        await serve_doors(self._parts, self._people, ports, told, name, self._monitor)

    def _ports(self) -> dict[str, Sequence[int]]:
        """Return the ports that each door may take. At a terminal the pages are served unless that was forbidden."""
        ports: dict[str, Sequence[int]] = {} if self._local.mode is Mode.PIPE else {"web": WEB}
        ports |= {name: [port] for name, port in self._options.doors.items()}
        return {name: some for name, some in ports.items() if some[0]}

    def _submit(self, who: str, line: str, role: Role) -> Step:
        step = submit(self._parts.engine, self._parts.minds, who, line, role)
        self._submitted(step)
        return step

    def _catch_up(self, agent: Agent) -> None:
        """Index what the index lacks of the memory of a character that came in."""
        self._spawn(self._parts.minds.catch_up(agent))

    def _tell(self, text: str, kind: str = "notice") -> None:
        """Show a text to the owners that are in the world, else on stderr."""
        if not self._people.tell_owners(text, kind) and not self._local.tell_later(text, kind):
            print(text, file=sys.stderr, flush=True)

    def _submitted(self, step: Step) -> None:
        for request in step.requests:
            self._asking[request.who] += 1
            self._spawn(self._carry_out(request))

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    async def _carry_out(self, request: Request) -> None:
        outcome = await carry_out(self._parts, request, self._reloading.everything, self._people)
        try:
            self._parts.engine.answer(request, outcome)
            look_through(self._people.sessions, self._parts.minds.resting)
        finally:
            self._asking -= Counter([request.who])
            self._answered.set()

    async def _live_on(self) -> None:
        """Load brains and summarizers in a thread, so that the event loop is not blocked, then run the agents.

        The doors come first: it takes seconds to let very many begin, and who waits at a door is in by then.
        """
        await self._doors_opened()
        await asyncio.to_thread(self._living.prepare)
        await asyncio.to_thread(self._parts.minds.means.summarizers.names)
        await self._living.begin_all()
        await self._open_host()
        unheard, self._unheard = self._unheard or [], None
        for step in unheard:
            self._living.observe(step)
        await self._living.run()

    async def _doors_opened(self) -> None:
        """Wait until the doors of the network are open, if there are any, and whoever waited there is in."""
        if self._ports():
            with suppress(TimeoutError):
                await timeout(DOORS_WITHIN, self._doors_tried.wait(), self._parts.clock)
        await self._parts.clock.sleep(COME_IN_AMONG_MANY if self._parts.is_large else COME_IN)

    async def _open_host(self) -> None:
        """Start the host of the minds. One that cannot be started is told; they live in this process then."""
        try:
            await self._living.host.open(())
        except LociError as error:
            self._tell(f"{error}; the world goes on without it")
            return
        if name := (await self._living.host.status()).name:
            self._tell(name, "news")

    def _let_notice(self, step: Step) -> None:
        if self._unheard is None:
            self._living.observe(step)
        else:
            self._unheard.append(step)

    async def _index_all(self) -> None:
        for agent in self._parts.minds.in_use():
            self._unindexed.put_nowait(agent)
        while True:
            agent = await self._unindexed.get()
            if self._parts.minds.in_use_by_slug(agent.slug) is agent:
                await self._parts.minds.catch_up(agent)

    def _opened(self, agent: Agent) -> None:
        """Watch the files of an agent that was left closed until now, and complete its index when there is time."""
        self._reloading.watch_agent(agent.folder, scanned=False)
        self._unindexed.put_nowait(agent)

    async def _check_lives(self) -> None:
        await self._parts.clock.sleep(2 * CHECKED_AFTER if self._parts.is_large else COME_IN)
        problems = await in_thread(partial(check_lives, self._parts.vault))
        self._reloading.report(problem for problem in problems if problem not in self._parts.problems)

    async def _load_tokenizer(self) -> None:
        """Load what counts tokens, which the first prompt or fold would otherwise wait for."""
        await self._parts.clock.sleep(COME_IN)
        await asyncio.to_thread(bundled_tokenizer)

    async def _collect_garbage(self) -> None:
        """Go through all objects every so often, while nobody would have to wait for it."""
        while True:
            await self._parts.clock.sleep(COLLECT_AFTER)
            if not any(self._people.sessions):
                collect_all()

    async def _let_time_pass(self) -> None:
        """Let happen what rules put off until now, and the parts of the day begin."""
        while True:
            self._parts.engine.elapse()
            await self._parts.clock.sleep(ELAPSE_EVERY)

    async def _keep_saving(self) -> None:
        saved, clock = -1, self._parts.clock
        await self._doors_opened()
        while True:
            started = clock.monotonic()
            if self._parts.engine.number != saved and await self._saved():
                saved = self._parts.engine.number
            pause = self._parts.configuration.get(WorldSettings).state_interval
            await clock.sleep(max(pause, SAVING_SHARE * (clock.monotonic() - started)))

    async def _saved(self) -> bool:
        """Save the state as it is now, once all that it includes is on disk; return whether that could be done."""
        parts = self._parts
        await parts.minds.held.write_out()
        state = parts.state()
        if self._lent is not None:
            await self._lent.lending.safe(state.step)
        await asyncio.sleep(0)  # as each of these two goes through all agents
        if parts.unwritten(state.step) or not await self._synced(whole=True):
            return False
        async with self._syncing:
            await asyncio.to_thread(parts.write, state)  # as disks take their time
        return True

    async def _keep_syncing(self) -> None:
        while True:
            await self._parts.clock.sleep(SYNC_EVERY)
            self._write_what_waits()
            await self._synced()
            self._people.close_left(self._asking)

    def _write_what_waits(self, *, whole: bool = False) -> None:
        """Retry entries and folds that could not be written, also for agents that perceive nothing new.

        At most `LOOKED_AT` agents have their turn, or with `whole` all.
        """
        minds = self._parts.minds
        agents = minds.in_use()
        some = agents if whole else agents[self._looked : self._looked + LOOKED_AT]
        self._looked = self._looked + LOOKED_AT if self._looked + LOOKED_AT < len(agents) else 0
        for agent in some:
            if agent.memory.waiting:
                self._reloading.bring_back(agent)
            minds.remembered(agent, agent.memory.retry() if agent.memory.waiting else ())

    async def _synced(self, *, whole: bool = False) -> bool:
        """Sync and return whether the disk confirmed it. The owner is told when that changes, not every time.

        Very many archives are synced only with `whole`.
        """
        async with self._syncing:
            archives = whole or not self._parts.minds.many_unsynced
            why = await asyncio.to_thread(self._parts.sync, archives=archives)
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
            if not host or answered.get(host) is answers:  # unknown profile, or host reported already
                return
            answered[host] = answers
            self._tell_of_models(self._parts.texts.render(MODEL_ANSWERS if answers else MODEL_SILENT, host=host))

        await self._living.watch_models(tell)

    def _tell_of_models(self, text: str) -> None:
        if self._local.mode is not Mode.PIPE:
            self._tell(text)
        else:  # on a pipe, stdout carries replies and events only
            print(text, file=sys.stderr, flush=True)

    async def _close(self) -> None:
        """Shut down in order: stop thinking, finish due folds, remove the player, save."""
        parts = self._parts
        await self._living.stop()
        await self._living.host.end()
        await parts.minds.finish_folds(MODEL_GRACE)
        await parts.queue.close(0)
        for session in self._people.sessions:
            session.ask_no_more()
        await asyncio.gather(*self._requests, return_exceptions=True)
        self._people.leave_all()
        if self._lent is not None:
            await self._lent.stop()
        self._write_what_waits(whole=True)
        await self._reloading.stop()
        async with self._syncing:  # no older state is written after the last one
            with suppress(OSError):  # nothing is lost on a full disk: the ledger has it all
                parts.sync()  # even if `save` refuses because an archive lacks entries
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
