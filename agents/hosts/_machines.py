"""The machines of a Ray cluster, each with one process for minds.

Ray places that process, and starts it again on its machine after it died. A machine is away when Ray says that its
process died, or when it has no pulse, as a frozen one or one that is cut off; until it answers again. A pulse has a
thread of its own, so that a busy process is not taken for a dead one.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from agents.hosts._mind_host import MindHost
from mud.errors import LociError, Refusal, Unavailable

log = logging.getLogger(__name__)

SCHEME = "ray://"
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
OBJECT_STORE = 80_000_000
"""Bytes of shared memory, the least that Ray takes: what a tick hands over is small."""
STARTING = 60.0
"""Seconds that machines are given to start their processes before the first minds are opened."""
RETURNS = 5.0
"""Seconds for which minds wait for a machine that has just left, rather than all going to those that are there."""
AGAIN = 0.2
"""Seconds between two attempts to reach a machine that is away."""
AT_ONCE = 64
"""Calls that a process answers at the same time."""
PULSE = "pulse"
"""Ray's concurrency group of pulses: a thread and an event loop of their own."""
BEAT = 1.0
"""Seconds between two pulses."""
SILENT = 10.0
"""Seconds without a pulse after which a machine is away."""
LONGEST = 100.0
"""Seconds that one call may take before a process counts as hung although it has a pulse; disks may be slow."""


class Machine:
    """One machine, and the process for minds on it."""

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self.born = ""
        """Tells the process that answers from those before; empty while none does."""
        self._actor = actor
        self.coming = asyncio.create_task(self._come())
        """Waits until it answers."""
        self.left = -math.inf
        """When it was last found to be away, by the clock of the event loop."""
        self.trouble = ""
        """Why its process cannot open minds; empty for nothing, also while it only starts."""
        self._beating: asyncio.Task[None] | None = None
        """Goes on for as long as it has a pulse."""
        self._let_go = False

    async def _come(self) -> None:
        import ray

        while not self.born:
            try:
                self.born = await self._actor.ready.remote()
                self.trouble = ""
            except ray.exceptions.RayError as error:
                if isinstance(error, ray.exceptions.RayTaskError) and (why := _told(error.cause)) != self.trouble:
                    log.warning("the machine %s cannot open minds: %s", self.name, why)
                    self.trouble = why
                await asyncio.sleep(AGAIN)
        self._beating = asyncio.create_task(self._beat(self.born))

    async def _beat(self, born: str) -> None:
        import ray

        with suppress(ray.exceptions.RayError, TimeoutError):
            while await asyncio.wait_for(self._actor.pulse.options(concurrency_group=PULSE).remote(), SILENT) == born:
                await asyncio.sleep(BEAT)
        self.leave()

    async def ask(self, method: str, *args: object) -> Any:
        """Call a method of its `MindHost`. Raises LociError, also when the machine is away or goes away meanwhile."""
        import ray

        if self._beating is None or self._beating.done():
            raise Unavailable(f"the machine {self.name} is away")
        call = asyncio.ensure_future(getattr(self._actor, method).remote(*args))
        try:
            await asyncio.wait([call, self._beating], timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise TimeoutError
            return call.result()
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, Refusal):
                raise cause from None
            raise Unavailable(_told(cause)) from None
        except (ray.exceptions.RayError, TimeoutError) as error:
            self.leave()
            raise Unavailable(f"the machine {self.name} does not answer ({type(error).__name__})") from None
        finally:
            call.cancel()

    def leave(self) -> None:
        """Take it to be away until it answers again."""
        if self.born:
            self.left = asyncio.get_running_loop().time()
        self.born = ""
        if self._beating is not None:
            self._beating.cancel()
        if self.coming.done() and not self._let_go:
            self.coming = asyncio.create_task(self._come())

    def bid(self, slug: str) -> bytes:
        """Return what this machine bids for a mind; the highest bid has it.

        This is rendezvous hashing: a machine that comes or goes moves only the minds that it has.
        """
        return blake2b(f"{self.name} {slug}".encode(), digest_size=8).digest()

    async def end(self) -> None:
        """Have its process clear up, and let go of it."""
        with suppress(LociError):
            await self.ask("end")
        self.let_go()

    def let_go(self) -> None:
        """Have its process killed, and wait for it no more."""
        import ray

        self._let_go = True
        for task in (self.coming, self._beating):
            if task is not None:
                task.cancel()
        with suppress(ray.exceptions.RayError):
            ray.kill(self._actor)


def _told(cause: BaseException) -> str:
    return str(cause) if isinstance(cause, LociError) else f"{cause!r}"


class Machines:
    """All machines of the cluster at an address; without one, of one that is this machine alone and ends with `end`."""

    def __init__(self, vault: Path, maker: str, address: str) -> None:
        self._vault, self._maker, self._address = vault, maker, address
        self._known: dict[str, Machine] = {}
        self._token = secrets.token_hex(8)
        self._own = ""  # the folder of the files of an own cluster, also of one that did not start
        self._connected = False

    async def present(self) -> list[Machine]:
        """Return those that answer, and those that left a moment ago and are expected back. Raises Unavailable.

        Wait for all the first time, and later, if need be, for one that answers.
        """
        begun = bool(self._known)
        found = self.look()
        coming = [one.coming for one in self._known.values() if not one.born]
        if coming and not (begun and found):
            until = asyncio.FIRST_COMPLETED if begun else asyncio.ALL_COMPLETED
            await asyncio.wait(coming, timeout=STARTING, return_when=until)
            found = self._answering()
        if not found:
            why = next((f": {one.trouble}" for one in self._known.values() if one.trouble), "")
            raise Unavailable(f"no machine of the Ray cluster answers{why}")
        since = asyncio.get_running_loop().time() - RETURNS
        return [one for one in self._known.values() if one.born or one.left > since]

    def _answering(self) -> list[Machine]:
        return [one for one in self._known.values() if one.born]

    def look(self) -> list[Machine]:
        """Bring the machines up to date with the nodes of the cluster; return those that answer. Raises Unavailable."""
        import ray

        try:
            if not self._connected:
                self._connect()
            nodes = {node["NodeID"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")}
        except (ray.exceptions.RayError, OSError, RuntimeError) as error:
            why = str(error).strip().partition("\n")[0] or type(error).__name__
            raise Unavailable(f"the Ray cluster cannot be reached: {why}") from None
        for gone in self._known.keys() - nodes:
            self._known.pop(gone).let_go()
        for new in nodes - self._known.keys():
            self._known[new] = Machine(new[:12], self._actor(new))
        return self._answering()

    def _connect(self) -> None:
        """Join the cluster, or start one that is this machine alone. Takes ten seconds."""
        import ray

        if not ray.is_initialized():
            os.environ.update(QUIET)
            code = ray.job_config.JobConfig(code_search_path=[str(Path(__file__).parents[2])])
            ray.init(**self._where(), job_config=code, log_to_driver=False, logging_level=logging.CRITICAL)
        self._connected = True

    def _where(self) -> Mapping[str, Any]:
        if self._address:
            return {"address": self._address.removeprefix(SCHEME)}
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else Ray would write one into the home folder
        self._own = self._own or tempfile.mkdtemp(prefix="loci-ray-")
        return {
            "address": "local", "include_dashboard": False, "num_cpus": 1, "num_gpus": 0,
            "object_store_memory": OBJECT_STORE, "_temp_dir": self._own, "_system_config": {"worker_niceness": 0},
        }  # fmt: skip

    def _actor(self, node: str) -> Any:
        import ray

        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": 0, "max_concurrency": AT_ONCE}
        made = ray.remote(concurrency_groups={PULSE: 1})(MindHost).options(scheduling_strategy=here, **options)
        return made.remote(str(self._vault), self._maker, f"ray-{node[:12]}-{self._token}")

    async def end(self) -> None:
        """Close the minds on all machines, and let go of these."""
        import ray

        await asyncio.gather(*(machine.end() for machine in self._known.values()))
        self._known.clear()
        if self._own:
            await asyncio.to_thread(partial(ray.shutdown))
            shutil.rmtree(self._own, ignore_errors=True)
