"""The setting for worlds between which characters go."""

from __future__ import annotations

from pathlib import Path

import pytest

from mud.server.checks import check_files
from tests.settings import proves, put
from tests.unit.mud.server.regions.stage import EAST, HOSTS, KEY, MOSS, SECRET, WEST, roads


@proves("regions.neighbours")
async def test_only_who_is_named_as_a_neighbour_is_gone_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    async with roads(tmp_path) as road:
        east = road.worlds[EAST]
        assert check_files(east.vault) == []
        put(east.vault, "regions", neighbours=())
        east.hall.parts.configuration.load()
        closed = await east.do(MOSS, "go bridge")
        assert closed.reply == f"The way is closed: {HOSTS[WEST]} is no neighbour of this world."
        assert (road.letters, road.at()) == ([], [EAST])
        assert [str(problem) for problem in check_files(east.vault)] == [
            f"world/locations/the-shore.md:4: exits.bridge: it leads to {HOSTS[WEST]}, which is no neighbour; "
            "name that world in config/regions.md"
        ]
