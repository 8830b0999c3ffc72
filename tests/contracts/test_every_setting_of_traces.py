"""The setting of traces does what it says: how much of them is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.houses import house, puppet
from tests.settings import proves, put, put_own
from tests.vaults import copy_vault


@proves("thinking.trace_megabytes")
@pytest.mark.parametrize(("megabytes", "most", "least"), [(0.0, 0, 0), (0.02, 20_000, 10_000), (1.0, 100_000, 30_000)])
@pytest.mark.parametrize("own", [False, True])
async def test_traces_take_as_many_megabytes_as_are_set(
    tmp_path: Path, megabytes: float, most: int, least: int, own: bool
) -> None:
    vault = copy_vault(tmp_path)
    if own:
        put_own(vault, "eliza", trace_megabytes=megabytes)
    else:
        put(vault, "thinking", trace_megabytes=megabytes)
    async with house(tmp_path) as home:
        living = home.living(brains=[puppet(lambda here: f"emote {'hums ' * 20}")], override="puppet")
        eliza = home.agent("Eliza")
        living.begin(eliza)
        for _ in range(150):
            await living.act(eliza, waiting=False)
    assert least <= sum(path.stat().st_size for path in vault.glob("log/traces/eliza/*")) <= most
