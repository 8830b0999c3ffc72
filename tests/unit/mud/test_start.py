"""A start loads only what is needed before somebody has come in: module loading is nearly all of the time it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LATER = (
    "agents.brains.instinct.brain",
    "agents.brains.language",
    "agents.compaction.library",
    "agents.compaction.summarizers.extractive",
    "argon2",
    "chromadb",
    "httpx",
    "numpy",
    "onnxruntime",
    "prompt_toolkit",
    "rich",
    "starlette",
    "telnetlib3",
    "textual",
    "tokenizers",
)
"""What is loaded when it is needed, and not for a world to open."""
PROGRAM = """
import sys
from pathlib import Path
import mud.server.app
from mud.server.wiring import opened
with opened(Path(sys.argv[1]), writable=False):
    print(*sorted(sys.modules))
"""


@pytest.mark.parametrize("name", LATER)
def test_a_world_opens_without(name: str, loaded: frozenset[str]) -> None:
    assert name not in loaded


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root / "vault")], cwd=root, capture_output=True, text=True, check=True
    )
    return frozenset(done.stdout.split())
