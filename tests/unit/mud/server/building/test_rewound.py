from __future__ import annotations

from pathlib import Path

from mud.server.branching import rewind
from mud.server.checks import check_vault
from mud.server.wiring import opened
from mud.simulation.replay import replay
from tests.unit.mud.server.building.site import content, site

LINES = (
    "@create oak bench",
    "@describe oak bench = It creaks.",
    "@rename oak bench = ash bench",
    "@dig The Clock Shop = shop, out",
    "go shop",
    "@describe here = Clocks on every wall.",
    "go out",
    "@destroy ash bench",
    "@undo",
    "say all is well",
)


async def test_what_builders_made_is_played_again_and_taken_back_to_every_step(tmp_path: Path) -> None:
    then: dict[int, dict[str, bytes]] = {}
    async with site(tmp_path) as there:
        vault = there.vault
        for line in LINES:
            await there.type(line)
            then[there.hall.home.engine.number] = {
                file: text for file, text in content(vault).items() if file.startswith("world/")
            }
        garden = "world/locations/the-garden.md"  # a hand edit while it runs
        there.write(garden, there.text(garden) + "\nSwept.\n")
        there.hall.reloading.changed(frozenset({vault / garden}))
        then[there.hall.home.engine.number] = {
            file: text for file, text in content(vault).items() if file.startswith("world/")
        }
    assert replay(vault, verify=True).difference is None
    for step, files in then.items():
        past = tmp_path / f"past-{step}"
        with opened(vault, writable=False) as parts:
            rewind(parts, past, step)
        assert {file: text for file, text in content(past).items() if file.startswith("world/")} == files
        assert check_vault(past) == []
        assert replay(past, verify=True).difference is None
