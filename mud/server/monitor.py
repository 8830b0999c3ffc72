"""What the outside may ask of a running world: whether it works, and its figures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from mud.errors import LociError
from mud.portal.session import Sessions
from mud.server.loop_timing import LoopTiming
from mud.server.wiring import Parts
from mud.storage.paths import check_held
from mud.world.narration import counted

if TYPE_CHECKING:
    from mud.server.metrics import WorldMetrics


class Monitor:
    """Watches a world.

    Args:
        unsynced: returns why the disk does not confirm writes; empty while it does.
        timing: of the event loop that runs the world, if it is timed.
    """

    def __init__(
        self,
        parts: Parts,
        sessions: Sessions,
        unsynced: Callable[[], str] = str,
        timing: LoopTiming | None = None,
    ) -> None:
        self._parts, self._sessions, self._unsynced, self._timing = parts, sessions, unsynced, timing
        self._metrics: WorldMetrics | None = None

    def troubles(self) -> list[str]:
        """Return why the world does not work as it should, a sentence each without a name; empty while it does."""
        parts = self._parts
        late = sum(bool(one.memory.waiting or one.memory.missing_from is not None) for one in parts.minds.in_use())
        found = [
            f"the disk does not confirm what was written ({why})" if (why := self._unsynced()) else "",
            f"the ledger cannot be written ({parts.engine.unwritable})" if parts.engine.unwritable else "",
            f"{counted(late, 'archive')} cannot be written" if late else "",
            "a memory cannot be opened, though the ledger has something for it" if parts.minds.owed else "",
        ]
        try:
            check_held(parts.vault)
        except (LociError, OSError):
            found.append("the folder of the vault was moved or replaced")
        return [one for one in found if one]

    async def metrics(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        if self._metrics is None:
            # Imported here, in a thread, because few worlds are measured and it takes long.
            metrics = await asyncio.to_thread(import_module, "mud.server.metrics")
            self._metrics = metrics.WorldMetrics(self._parts, self._sessions, self._timing)
        return self._metrics.exposition()
