"""The machines of a Ray cluster, each with one process for minds.

Ray places that process, and starts it again on its machine after it died. A machine that does not answer is away until
it does; one that joins the cluster gets its process when minds are opened next.
"""

from __future__ import annotations

import asyncio
import logging
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

SCHEME = "ray://"
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
OBJECT_STORE = 80_000_000
"""Bytes of shared memory, the least that Ray takes: what a tick hands over is small."""
STARTING = 60.0
"""Seconds that machines are given to start their processes before the first minds are opened."""
AGAIN = 0.2
"""Seconds between two attempts to reach a machine that is away."""
AT_ONCE = 64
"""Calls that a process answers at the same time."""


class Machine:
    """One machine, and the process for minds on it."""

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self.born = ""
        """Tells the process that answers from those before; empty while none does."""
        self._actor = actor
        self.coming = asyncio.create_task(self._come())
        """Waits until it answers."""

    async def _come(self) -> None:
        import ray

        while not self.born:
            try:
                self.born = await self._actor.ready.remote()
            except ray.exceptions.RayError:
                await asyncio.sleep(AGAIN)

    async def ask(self, within: float, method: str, *args: object) -> Any:
        """Call a method of its `MindHost`. Raises LociError; it is away when it has not answered `within` seconds."""
        import ray

        try:
            async with asyncio.timeout(within):
                return await getattr(self._actor, method).remote(*args)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, Refusal):
                raise cause from None
            raise Unavailable(str(cause) if isinstance(cause, LociError) else f"{cause!r}") from None
        except (ray.exceptions.RayError, TimeoutError) as error:
            self.leave()
            raise Unavailable(f"the machine {self.name} does not answer ({type(error).__name__})") from None

    def leave(self) -> None:
        """Take it to be away until it answers again."""
        self.born = ""
        if self.coming.done():
            self.coming = asyncio.create_task(self._come())

    def bid(self, slug: str) -> bytes:
        """Return what this machine bids for a mind; the highest bid has it."""
        return blake2b(f"{self.name} {slug}".encode(), digest_size=8).digest()

    def end(self) -> None:
        import ray

        self.coming.cancel()
        with suppress(ray.exceptions.RayError):
            ray.kill(self._actor)


class Machines:
    """All machines of the cluster at an address; without one, of one that is this machine alone and ends with `end`."""

    def __init__(self, vault: Path, maker: str, address: str) -> None:
        self._vault, self._maker, self._address = vault, maker, address
        self._known: dict[str, Machine] = {}
        self._token = secrets.token_hex(3)
        self._own = ""  # the folder of the files of an own cluster
        self._connected = False

    async def present(self) -> list[Machine]:
        """Return those that answer. Wait for all the first time, and later, if need be, for one. Raises Unavailable."""
        begun = bool(self._known)
        self._look()
        coming = [one.coming for one in self._known.values() if not one.born]
        if coming and (not begun or len(coming) == len(self._known)):
            until = asyncio.FIRST_COMPLETED if begun else asyncio.ALL_COMPLETED
            await asyncio.wait(coming, timeout=STARTING, return_when=until)
        found = [one for one in self._known.values() if one.born]
        if not found:
            raise Unavailable("no machine of the Ray cluster answers")
        return found

    def _look(self) -> None:
        """Bring the machines up to date with the nodes of the cluster."""
        import ray

        try:
            if not self._connected:
                self._connect()
            nodes = {node["NodeID"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")}
        except (ray.exceptions.RayError, OSError, RuntimeError) as error:
            raise Unavailable(f"the Ray cluster cannot be reached: {str(error).splitlines()[0]}") from None
        for gone in self._known.keys() - nodes:
            self._known.pop(gone).end()
        for new in nodes - self._known.keys():
            self._known[new] = Machine(new[:12], self._actor(new))

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
        self._own = tempfile.mkdtemp(prefix="loci-ray-")
        return {
            "address": "local", "include_dashboard": False, "num_cpus": 1, "num_gpus": 0,
            "object_store_memory": OBJECT_STORE, "_temp_dir": self._own,
        }  # fmt: skip

    def _actor(self, node: str) -> Any:
        import ray

        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": 0, "max_concurrency": AT_ONCE}
        made = ray.remote(MindHost).options(scheduling_strategy=here, **options)
        return made.remote(str(self._vault), self._maker, f"ray-{node[:12]}-{self._token}")

    async def end(self) -> None:
        """Let go of all machines, whose minds are to be closed before."""
        import ray

        for machine in self._known.values():
            machine.end()
        self._known.clear()
        if self._own:
            await asyncio.to_thread(partial(ray.shutdown))
            shutil.rmtree(self._own, ignore_errors=True)
