"""A model server that is killed, hangs and answers junk in the middle of thoughts, again and again, under a real world.

Each time nobody is stuck, a person's `look` is answered within a second, and `@llm-status` tells the truth.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from tests.live.dying_model import Mortal
from tests.processes import PATIENCE, Running
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

INTERVAL = 1.0
"""Seconds between two thoughts of an agent; they vary by three tenths."""
TIMEOUT = 1.5
"""Seconds after which a call is given up."""
STALL = 1.0
"""Seconds within which a person's line is always answered."""
PASSES = 14
"""Turns in a row that an instinct may let pass while the model is away, which leave no trace: six were seen in four
hundred seconds. A pause between two traces that is longer is of an agent that is stuck."""
SLACK = 2.0
"""Seconds that a busy machine may take besides, where it is the agents who are timed."""
BETWEEN = 0.1
"""Seconds between two looks at the status."""

TRUTHS = {
    "well": (r"answers since", None),
    "killed": (r"down since", r"nothing answers at|broke off"),
    "hangs": (r"down since", r"did not answer within"),
    "drips": (r"down since", r"did not answer within"),
    "resets": (r"shaky since|down since", r"broke off"),
    "breaks": (r"shaky since|down since", r"broke off"),
    "babbles": (r"down since", r"answers, but not as a server of language models does"),
    "fails": (r"down since", r"answered 500"),
    "shrugs": (r"down since", r"answers, but not as a server of language models does"),
    "loads": (r"shaky since|down since", r"answered 503: it is still loading its model"),
    "floods": (r"down since", r"sent more than 2,000,000 bytes"),
}
"""What `@llm-status` says of the host in each state, and of its last trouble."""
DEATHS = [manner for manner in TRUTHS if manner != "well"]


class Witness:
    """A person in a world whose model is mortal.

    Args:
        vault: the world's vault.
        model: the model server.
    """

    def __init__(self, vault: Path, model: Mortal) -> None:
        self._vault = vault
        self._model = model
        self._marks = 0
        self._last: dict[str, float] = {}
        self.slowest = 0.0
        self.world = Running(vault, "--as", "Ann", "--seed", "1", errors=vault.parent / "errors")
        self.world.read_until("Exits:")

    def look(self) -> None:
        """Look around, and hold the world to its promptness."""
        started = time.monotonic()
        self.world.say("look", "Exits:")
        self.slowest = max(self.slowest, time.monotonic() - started)
        assert self.slowest < STALL, f"the world stalled for {self.slowest:.1f} s"

    def status(self) -> str:
        """Return what @llm-status says of the profile `think`."""
        self._marks += 1
        self.world.type("@llm-status")
        told = "\n".join(self.world.say(f"think mark {self._marks} here", f"mark {self._marks} here"))
        rows = re.search(r"^  think .*\n(?:    .*\n?)+", told, re.M)
        assert rows is not None, told
        _add_up(rows[0])
        return rows[0]

    def sees(self, manner: str) -> None:
        """Look and ask for the status until it says what is true."""
        state, trouble = TRUTHS[manner]
        end, pause, told = time.monotonic() + PATIENCE, threading.Event(), ""
        while time.monotonic() < end:
            self.look()
            told = self.status()
            if re.search(state, told) and (trouble is None or re.search(rf"last trouble: .*(?:{trouble})", told)):
                return
            pause.wait(BETWEEN)
        raise AssertionError(f"the model {manner}, but the status says {told}")

    def dies(self, manner: str) -> None:
        """Have the model misbehave in the middle of a thought, then get well; hold the world to both."""
        self._model.wait_for_a_thought(PATIENCE)
        self._model.be(manner)
        self.sees(manner)
        self._model.be("well")
        self.sees("well")

    def thoughts(self) -> dict[str, list[float]]:
        """Return when each agent ended a thought that asked the model or came to a line, in seconds, by its folder."""
        found: dict[str, list[float]] = {}
        for path in sorted((self._vault / "log/traces").glob("*/*.jsonl")):
            times = [datetime.fromisoformat(json.loads(line)["at"]) for line in path.read_text("utf-8").splitlines()]
            found.setdefault(path.parent.name, []).extend(one.timestamp() for one in times)
        return found


def _add_up(rows: str) -> None:
    """Hold the counts of a status to each other: every job has ended once or is still open."""
    numbers = [int(cell.replace(",", "")) for cell in rows.splitlines()[0].split()[1:7]]
    waiting, running, asked, answered, failed, cancelled = numbers
    assert 0 <= asked - answered - failed - cancelled <= waiting + running, rows


@pytest.fixture
def model() -> Iterator[Mortal]:
    one = Mortal()
    yield one
    one.kill()


@pytest.fixture
def vault(tmp_path: Path, model: Mortal) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    for path in vault.glob("agents/*/agent.md"):
        text = re.sub(r"(?m)^think_interval: .*$", f"think_interval: {INTERVAL:g}", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
    put(vault, "llm/think", host=model.address, timeout=TIMEOUT, concurrency=4)
    return vault


def survive(vault: Path, model: Mortal, deaths: list[str]) -> None:
    """Let the model die all these deaths, and see whether the world minds."""
    witness = Witness(vault, model)
    witness.sees("well")
    for manner in deaths:
        witness.dies(manner)
    witness.world.type("quit")
    assert witness.world.wait() == 0
    longest = {who: max(later - one for one, later in itertools.pairwise(at)) for who, at in witness.thoughts().items()}
    print(f"{len(deaths)} deaths; slowest look {witness.slowest:.2f} s; longest pauses of the agents {longest}")
    assert set(longest) == {path.name for path in (vault / "agents").iterdir() if path.name != "ann"}
    assert max(longest.values()) <= 1.3 * INTERVAL * (PASSES + 1) + TIMEOUT + SLACK, longest
    assert "Traceback" not in (vault / "log/loci.log").read_text("utf-8")


def test_the_world_goes_on_and_tells_the_truth_when_its_model_dies_in_mid_thought(vault: Path, model: Mortal) -> None:
    survive(vault, model, ["killed", "hangs", "floods"])


@pytest.mark.torture
def test_the_world_survives_a_hundred_deaths_of_its_model(vault: Path, model: Mortal) -> None:
    chance = Random(5)
    deaths = DEATHS * (100 // len(DEATHS))
    chance.shuffle(deaths)
    survive(vault, model, deaths)
