"""The library as one who only has the package sees it."""

from __future__ import annotations

import doctest
import subprocess
import sys

import agents.compaction
from tests.vaults import ROOT

HEAVY = (
    "asyncio",
    "yaml",
    "numpy",
    "chromadb",
    "httpx",
    "mud.storage",
    "mud.engine.engine",
    "agents.memory",
    "agents.llm",
)


def test_the_example_of_the_package_runs_as_it_is_written() -> None:
    ran = doctest.testmod(agents.compaction)
    assert (ran.failed, ran.attempted) == (0, 11)


def test_importing_it_brings_neither_world_nor_disk_nor_net() -> None:
    program = f"import sys, agents.compaction; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_its_settings_are_read_in_either_order() -> None:
    for first, second in (
        ("agents.compaction", "agents.compaction.settings"),
        ("agents.compaction.settings", "agents"),
    ):
        subprocess.run([sys.executable, "-c", f"import {first}, {second}"], cwd=ROOT, check=True)
