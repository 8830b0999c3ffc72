"""Minds that live apart from the world: they are lent to a host, and what they perceive is kept until it is safe there.

A mind has one host at a time, under an epoch that grows with each loan. What it perceived since the disk of its host
last confirmed its archive is kept here, as it is in the ledger; each new loan says how far the archive goes, and is
handed the rest, so that nothing is lost or remembered twice when hosts die. Until then the mind's character lives by
reflexes alone.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from heapq import nsmallest
from itertools import islice
from pathlib import Path

from agents.hosts import Answer, HostOfMinds, Kept, Lease, Lived, MindTurn, Wish
from mud.clock import Clock
from mud.errors import LociError, Unavailable
from mud.storage.lease import holder_of
from mud.supervise import done_within

log = logging.getLogger(__name__)

OPENED = 400
"""Minds that are lent with one call, so that those that are lent already need not wait long."""
HANDED = 300
"""Turns that are handed over with one call, so that lines of the first need not wait for those of all."""
AT_ONCE = 500
"""Thoughts that are under way at most; while more minds wait for theirs, those that thought longest ago come first."""
STEPS = 256
"""Steps that are handed to a mind with one call; a long absence is made up for in several."""
PATIENCE = 0.1
"""Seconds that a call waits for thoughts; later ones come with the next."""
EVERY = 0.05
"""Seconds between two calls."""
AGAIN = 0.5
"""Seconds until minds are lent again that no host took."""
CONFIRMED = 2.0
"""Seconds between two confirmations by the disk."""
ASKED = 2.0
"""Seconds after which a host is called even if there is nothing to hand over, so that one that died is noticed."""
LONGEST = 60.0
"""Seconds that the line of a mind is waited for at most."""
HOME = 10.0
"""Seconds within which a mind is to come home."""

Reflexes = Callable[[MindTurn], Awaitable[Answer]]
"""Lets a character act without its mind."""


class LentMind:
    """One mind, and what is not known to be safe in its archive."""

    def __init__(self, who: str, slug: str, epoch: int) -> None:
        self.who, self.slug = who, slug
        self.epoch = epoch
        self.lent = False
        self.kept = (0, 0)
        """The last step that its archive has something of, and how many memories."""
        self.unsafe: deque[Lived] = deque()
        """What it perceived since the disk last confirmed its archive, oldest first.

        While no host is there it grows without a bound, by all that the mind perceives. The ledger has the same, but is
        read at the start only.
        """
        self.turn: MindTurn | None = None
        """The turn it is to have next; its epoch is that of the next call."""
        self.thought = -math.inf
        """When its last line came."""
        self.line: asyncio.Future[Answer | None] | None = None
        """Waits for the line of its turn; None when the mind was called back meanwhile."""

    def lacking(self) -> tuple[Lived, ...]:
        """Return the next steps that its archive has not, or not all of."""
        step, count = self.kept
        return tuple(islice((one for one in self.unsafe if lacks(one, step, count)), STEPS))

    def answer(self, answer: Answer | None) -> None:
        if self.line is not None and not self.line.done():
            self.line.set_result(answer)

    def confirmed(self, kept: Kept) -> None:
        """Forget what the disk has for certain."""
        while self.unsafe and not lacks(self.unsafe[0], kept.step, kept.entries):
            self.unsafe.popleft()


def lacks(lived: Lived, step: int, count: int) -> bool:
    """Return whether an archive that ends with so many memories of a step lacks some of what was lived."""
    return lived.step > step or (lived.step == step and len(lived.perceptions) > count)


class Lending:
    """All minds of a world that live at a host.

    Args:
        agents: the folder of the agents' folders.
        reflexes: acts for who is lent to nobody at the moment.
        wished: is told that a mind would like to think.
        at_once: thoughts that are under way at most.
    """

    def __init__(
        self,
        host: HostOfMinds,
        agents: Path,
        reflexes: Reflexes,
        clock: Clock,
        wished: Callable[[Wish], object],
        at_once: int = AT_ONCE,
    ) -> None:
        self._host, self._agents, self._reflexes, self._clock, self._wished = host, agents, reflexes, clock, wished
        self._at_once = at_once
        self.minds: dict[str, LentMind] = {}
        """By id."""
        self._free: dict[str, LentMind] = {}
        """Those that are lent to nobody."""
        self._due: dict[str, LentMind] = {}
        """Those that may have something to be handed over."""
        self._asking: dict[str, LentMind] = {}
        """Those whose host was not asked for their next line yet."""
        self._thinking = 0
        """How many lines are waited for, those included."""
        self._dropped: dict[str, deque[Lived]] = {}
        """What those lacked, by id, who were dropped before they came home; they may come back."""
        self._trouble = ""
        """What the host said last of what is wrong with it."""
        self._asks_at = clock.monotonic()
        self._lends_at = clock.monotonic()

    def add(self, who: str, slug: str) -> None:
        """Begin to lend a mind. Raises OSError when its folder cannot be read."""
        mind = self.minds[who] = self._free[who] = LentMind(who, slug, holder_of(self._agents / slug).epoch)
        mind.unsafe = self._dropped.pop(who, mind.unsafe)

    def drop(self, who: str) -> None:
        """Lend a mind no more; see `bring_home`."""
        if (mind := self.minds.pop(who, None)) is not None:
            for known in (self._free, self._due, self._asking):
                known.pop(who, None)
            mind.answer(None)
            if mind.unsafe:
                self._dropped[who] = mind.unsafe

    async def bring_home(self, who: str) -> None:
        """Have a mind closed where it lives, with all that it perceived in its archive.

        Until the next await it is at nobody's, so that its folder may be moved and the mind be dropped; a mind that is
        not dropped then is lent anew. Raises LociError when its host does not give it back soon.
        """
        mind, until = self.minds.get(who), self._clock.monotonic() + HOME
        while mind is not None and self._clock.monotonic() < until:
            if mind.lent and not mind.lacking():
                self._call_back(mind)
                del self._free[who]
                try:
                    closed = await self._host.close([Lease(who, mind.slug, mind.epoch)])
                finally:
                    if self.minds.get(who) is mind:  # it may have been dropped meanwhile, and be back
                        self._free[who] = mind
                for kept in closed:
                    if not kept.trouble:
                        mind.confirmed(kept)
                if not mind.unsafe:
                    return
            await self._clock.sleep(EVERY)
        if mind is not None and (mind.unsafe or mind.lent):
            raise Unavailable("its mind lives apart, and its host has not given it back")

    def perceive(self, who: str, lived: Lived) -> None:
        """Keep what a mind perceived, and hand it over with the next call."""
        mind = self._due[who] = self.minds[who]
        mind.unsafe.append(lived)

    async def act(self, turn: MindTurn) -> Answer:
        """Return what a mind does now, or its reflexes while it is lent to nobody."""
        mind = self.minds[turn.who]
        if not mind.lent or mind.line is not None:
            return await self._reflexes(turn)
        line = asyncio.get_running_loop().create_future()
        mind.turn, mind.line = turn, line
        self._asking[turn.who] = mind
        self._thinking += 1
        try:
            if not await done_within(LONGEST, line, self._clock):
                return await self._reflexes(turn)
            return line.result() or await self._reflexes(turn)
        finally:
            mind.turn = mind.line = None
            self._asking.pop(turn.who, None)
            self._thinking -= 1

    async def run(self) -> None:
        confirming = asyncio.create_task(self._keep_confirming())
        try:
            while True:
                await self.call()
                await self._clock.sleep(EVERY)
        finally:
            confirming.cancel()

    async def _keep_confirming(self) -> None:
        """Have disks confirm what is written, which may take them long, while minds go on."""
        while True:
            await self._clock.sleep(CONFIRMED)
            with suppress(LociError):  # the next call notices it too
                await self.confirm()

    async def call(self) -> None:
        """Lend minds that are at nobody's, hand over what the others perceived, and take their lines."""
        try:
            await self._lend()
            await self._exchange()
        except LociError as error:
            self._lose_all(error)

    def _lose_all(self, error: LociError) -> None:
        log.warning("minds are by themselves: %s", error)
        self._lends_at = self._clock.monotonic() + AGAIN
        for mind in self.minds.values():
            self._call_back(mind)

    async def _exchange(self) -> None:
        if len(self._free) == len(self.minds):
            return  # nobody is lent, so no host need be there
        asked = self._next_asked()
        due = {who: self._due.pop(who) for who in list(islice(self._due, HANDED - len(asked)))}
        turns = [turn for who, mind in (asked | due).items() if (turn := _next_turn(mind, asks=who in asked))]
        if turns or self._thinking or self._clock.monotonic() >= self._asks_at:
            self._asks_at = self._clock.monotonic() + ASKED
            self._take(await self._host.tick(turns, PATIENCE))

    def _next_asked(self) -> dict[str, LentMind]:
        """Return those whose lines are asked for now: for whom a person waits, then those that thought longest ago."""

        def turn_of(mind: LentMind) -> tuple[bool, float]:
            return mind.turn is None or not mind.turn.waiting, mind.thought

        under_way = self._thinking - len(self._asking)
        next_ones = nsmallest(min(HANDED, self._at_once - under_way), self._asking.values(), turn_of)
        return {mind.who: self._asking.pop(mind.who) for mind in next_ones}

    async def _lend(self) -> None:
        if not self._free or self._clock.monotonic() < self._lends_at:
            return
        leases = [self._lease(mind) for mind in islice(self._free.values(), OPENED)]
        troubles: defaultdict[str, list[str]] = defaultdict(list)
        for kept in await self._host.open(leases):
            mind = self._free.pop(kept.who, None)
            if mind is None:
                continue  # it was dropped meanwhile
            if kept.trouble:
                troubles[kept.trouble].append(mind.slug)
                self._free[mind.who] = mind  # after all others
            else:
                mind.lent, mind.kept = True, (kept.step, kept.entries)
                self._due[mind.who] = mind
        if len(leases) > sum(map(len, troubles.values())):
            return  # some were lent, so there is no need to wait
        for trouble, slugs in troubles.items():
            log.warning("minds are by themselves, %d of them, such as %s: %s", len(slugs), slugs[0], trouble)
            self._lends_at = self._clock.monotonic() + AGAIN

    def _lease(self, mind: LentMind) -> Lease:
        mind.epoch = max(mind.epoch, holder_of(self._agents / mind.slug).epoch) + 1
        return Lease(mind.who, mind.slug, mind.epoch)

    def _take(self, answer: Answer) -> None:
        for kept in answer.kept:
            if (mind := self._lent(kept.who, kept.epoch)) is not None:
                mind.kept = (kept.step, kept.entries)
                if mind.lacking():
                    self._due[mind.who] = mind
        for line in answer.lines:  # one of an earlier epoch counts for nothing
            if (mind := self._lent(line.who, line.epoch)) is not None:
                mind.thought = self._clock.monotonic()
                mind.answer(Answer((line,)))
        for wish in answer.wishes:
            if self._lent(wish.who, wish.epoch) is not None:
                self._wished(wish)
        for who, epoch in answer.refused:
            if (mind := self._lent(who, epoch)) is not None:
                self._call_back(mind)

    def _lent(self, who: str, epoch: int) -> LentMind | None:
        mind = self.minds.get(who)
        return mind if mind is not None and mind.lent and mind.epoch == epoch else None

    async def confirm(self) -> None:
        """Forget what the disks of the hosts have for certain, and say what is wrong there. Raises LociError."""
        status = await self._host.status()
        if status.trouble != self._trouble:
            self._trouble = status.trouble
            log.warning("the host of minds %s: %s", status.name, status.trouble or "all is well again")
        for kept in status.kept:
            if (mind := self._lent(kept.who, kept.epoch)) is not None:
                mind.confirmed(kept)

    def _call_back(self, mind: LentMind) -> None:
        """Have a mind lent anew, and its character act by reflexes until then."""
        mind.lent = False
        self._free[mind.who] = mind
        mind.answer(None)

    @property
    def away(self) -> int:
        """Number of minds that are lent to nobody."""
        return len(self._free)

    def unsafe(self, through: float) -> list[str]:
        """Return the folders of the minds with something, up to a step, that no disk has confirmed."""
        return [mind.slug for mind in self.minds.values() if mind.unsafe and mind.unsafe[0].step <= through]

    async def safe(self, through: int) -> bool:
        """Wait, but not for long, until a disk has all that was perceived up to a step; return whether it has."""
        until = self._clock.monotonic() + 2 * CONFIRMED
        while self.unsafe(through) and self._clock.monotonic() < until:
            await self._clock.sleep(EVERY)
        return not self.unsafe(through)

    async def end(self) -> None:
        """Hand over the rest if that is possible, and call all minds back."""
        try:
            await self._exchange()
        except LociError as error:
            self._lose_all(error)
        try:
            lent = [Lease(mind.who, mind.slug, mind.epoch) for mind in self.minds.values() if mind.lent]
            for kept in await self._host.close(lent) if lent else ():
                if not kept.trouble:
                    self.minds[kept.who].confirmed(kept)
        finally:
            await self._host.end()


def _next_turn(mind: LentMind, *, asks: bool) -> MindTurn | None:
    lived, turn = mind.lacking() if mind.lent else (), mind.turn if asks else None
    if not mind.lent or not (lived or turn):
        return None
    if asks:
        mind.turn = None  # it is asked once; its line may come with a later call
    scene, waiting = (turn.scene, turn.waiting) if turn is not None else (None, False)
    return MindTurn(mind.who, mind.epoch, lived, scene, waiting)
