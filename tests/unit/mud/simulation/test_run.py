from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.definition import find_location
from mud.clock import VirtualClock
from mud.engine.engine import Step
from mud.errors import LociError, VaultLocked
from mud.server.checks import check_texts, voices_in
from mud.server.wiring import Parts, opened
from mud.simulation.figures import state_hash
from mud.simulation.run import INTERVALS, SimulationPlan, make_up, place_for, simulate
from mud.storage.files import lock_vault
from tests.disks import file_size_limit
from tests.processes import memories
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

HALL = """---
id: "#9001"
type: location
exits:
  out: "[[The Lobby]]"
---
# Chronicle Hall

Every year hangs on a nail of its own.
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return copy_vault(tmp_path)  # with vectors on, as it is shipped: a simulation goes by words alone


def _run(vault: Path, steps: int = 150, agents: int | None = 8, seed: int = 7, *, keep: bool = False) -> dict[str, Any]:
    return simulate(SimulationPlan(vault, steps, agents, seed, keep), lambda text: None)


def _files(vault: Path) -> dict[str, bytes]:
    return {str(path.relative_to(vault)): path.read_bytes() for path in vault.rglob("*") if path.is_file()}


CLOCK = """---
id: "#7001"
location: "[[The Garden]]"
---
# hall clock

## Rules

- when say if chance 1 in 2: it becomes struck; it becomes not struck; say "A spring whirs."
- when it becomes struck: make hall clock in The Loft; after 30 seconds: make hall clock; it becomes chimed
- when enter: it becomes seen; describe it "Seen by {actor}."
"""


def test_one_seed_makes_one_world_with_rules_in_it_too(vault: Path) -> None:
    plain = _run(vault)
    (vault / "world/items/hall-clock.md").write_text(CLOCK, encoding="utf-8")
    first, again = _run(vault), _run(vault)
    assert first["state_hash"] == again["state_hash"] != plain["state_hash"]
    assert first["events"] == again["events"]


def test_one_seed_makes_one_world_and_another_seed_another(vault: Path) -> None:
    first, again, other = _run(vault), _run(vault), _run(vault, seed=8)
    measured = ("wall_seconds", "cpu_seconds", "commands_per_second", "rss_mb", "rss_mb_at_half")
    assert {key: first[key] for key in first if key not in measured} == {
        key: again[key] for key in again if key not in measured
    }
    assert other["state_hash"] != first["state_hash"]


def test_a_copy_leaves_the_vault_as_it_was(vault: Path) -> None:
    before = _files(vault)
    record = _run(vault)
    assert record["memories"] > 100
    assert _files(vault) == before


@pytest.mark.parametrize("name", ["chronicler", "history", "traces", "notes"])
def test_no_agent_is_left_out_of_a_copy_because_of_its_name(vault: Path, name: str) -> None:
    (vault / "agents/moss").rename(vault / "agents" / name)
    assert _run(vault, 10, None)["agents"] == 4


def test_no_place_is_left_out_of_a_copy_because_of_its_name(vault: Path) -> None:
    usual = _run(vault, 10, None)["locations"]
    (vault / "world/locations/chronicle-hall.md").write_text(HALL, encoding="utf-8")
    assert _run(vault, 10, None)["locations"] == usual + 1


def test_old_logs_and_old_versions_are_not_copied(vault: Path) -> None:
    for name in ("log/chronicle.md", "log/loci.log.1", "log/traces/a.jsonl", "agents/moss/notes/history/a.md"):
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        with (vault / name).open("wb") as file:
            file.truncate(2_000_000)
    with file_size_limit(1_000_000):
        assert _run(vault, 10, None)["agents"] == 4


def test_a_copy_is_made_in_memory_only_where_there_is_room_and_nobody_said_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    assert place_for(1000, tmp_path) == tmp_path
    assert place_for(10**18, tmp_path) is None
    assert place_for(1000, tmp_path / "gone") is None
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert place_for(1000, tmp_path) is None


def test_what_is_kept_is_on_the_disk_as_a_real_run_would_leave_it(vault: Path) -> None:
    record = _run(vault, 300, keep=True)
    ledger = [json.loads(line) for line in (vault / "log/ledger-0000000001.jsonl").read_text("utf-8").splitlines()]
    typed = [step for step in ledger if step["line"] is not None and step["who"].startswith("#2")]  # no animal's
    assert len(typed) == record["steps"] == 300
    assert sum(not step["failed"] for step in typed) == record["commands"]
    assert sum(len(memories(vault, path.name)) for path in (vault / "agents").iterdir()) == record["memories"]
    assert (vault / "log/chronicle.md").read_text("utf-8").count("\n") > 50
    traces = [line for path in (vault / "log/traces").rglob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    assert len(traces) == 300
    assert not any('"line":null' in line for line in traces)  # a turn that just passed leaves none
    with opened(vault, writable=False) as parts:
        agents = parts.minds.opened()
        assert state_hash(parts.engine.world, agents) == record["state_hash"]
        assert len(agents) == record["agents"] == 8
        for agent in agents:
            status = parts.minds.status(agent)
            assert (status["gaps"], status["overlaps"], status["warnings"]) == ([], [], [])
            assert status["index"]["lexical_through"] == agent.memory.total
            assert (agent.folder / "mind.md").is_file()


def test_folds_are_made_on_time_and_by_rules(vault: Path) -> None:
    put(vault, "memory_compaction", immediate_window=6, recent_window=5)
    record = _run(vault, 200, keep=True)
    with opened(vault, writable=False) as parts:
        folded = [agent.memory for agent in parts.minds.opened()]
        assert sum(memory.compactions for memory in folded) == record["compactions"] > 20
        assert {memory.recent.method for memory in folded if memory.recent} == {"extractive"}
        assert all(memory.total - memory.watermark < 12 for memory in folded)


def test_life_goes_on_where_it_was_left_and_time_does_not_go_back(vault: Path) -> None:
    first = _run(vault, 100, keep=True)
    second = _run(vault, 100, None, keep=True)
    assert second["agents"] == first["agents"]
    for folder in (vault / "agents").iterdir():
        moments = [record["at"] for record in memories(vault, folder.name)]
        assert moments == sorted(moments)
    with opened(vault, writable=False) as parts:
        total = sum(agent.memory.total for agent in parts.minds.opened())
        assert total == first["memories"] + second["memories"]


def test_a_vault_that_is_in_use_is_left_alone_but_may_be_copied(vault: Path) -> None:
    with lock_vault(vault):
        with pytest.raises(VaultLocked):
            _run(vault, 20, keep=True)
        assert _run(vault, 20)["steps"] == 20


def test_fewer_agents_than_there_are_and_none_at_all_are_refused(vault: Path) -> None:
    with pytest.raises(LociError, match="4 agents of its own; expected --agents 4 or more"):
        _run(vault, agents=3)
    for path in (vault / "agents").glob("*/agent.md"):
        path.unlink()
    with pytest.raises(LociError, match="no agents; say with --agents"):
        _run(vault, agents=None)
    assert _run(vault, 20, agents=2)["agents"] == 2


def test_no_vault_is_said(tmp_path: Path) -> None:
    with pytest.raises(LociError, match="there is no vault in"):
        _run(tmp_path / "nowhere")


def test_a_full_disk_ends_it_with_the_reason(vault: Path) -> None:
    with file_size_limit(30_000), pytest.raises(LociError, match="The ledger cannot be written"):
        _run(vault, 2000, keep=True)


def test_a_world_that_falls_asleep_for_good_is_not_waited_for(vault: Path) -> None:
    for slug in ("corvin", "moss", "tamsin"):
        (vault / f"agents/{slug}/agent.md").unlink()
    soon = VirtualClock().now() + timedelta(minutes=2)
    put(vault, "thinking", sleep_at=f"{soon:%H:%M}")  # and no time of waking
    with pytest.raises(LociError, match="nobody has done anything for 30 hours"):
        _run(vault, 2000, agents=None)


def test_how_far_it_is_is_said_ten_times(vault: Path) -> None:
    told: list[str] = []
    simulate(SimulationPlan(vault, 40, None, 7), told.append)
    assert [line for line in told if line.startswith("steps: ")][-1] == "steps: 40 of 40"
    assert len(told) == 10


def _made_up(parts: Parts, count: int, seed: int) -> list[tuple[str, str, str, float, str | None]]:
    made = [(agent.definition, agent.thinking()) for agent in make_up(parts, count, Random(seed))]
    return [(one.name, one.profile, one.voice, thinking.think_interval, one.location) for one, thinking in made]


def test_whoever_is_made_up_is_somebody_and_lives_in_the_world(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        locations = parts.engine.world.locations()
        for agent in make_up(parts, 12, Random(7)):
            one = agent.definition
            assert one.description
            assert one.profile.startswith("You ")
            assert INTERVALS[0] <= agent.thinking().think_interval <= INTERVALS[1]
            assert one.voice in voices_in(parts.texts)
            home = find_location((one.location or "").strip("[]"), locations)
            assert parts.engine.world.location_of(agent.id) == home
            assert agent.id in parts.engine.witnesses
    with opened(vault, writable=False) as again:
        assert len([agent for agent in again.minds.opened() if not agent.definition.person]) == 16
        assert again.problems == []
        assert [problem for problem in check_texts(again.texts) if "newcomers" in problem.file] == []


def test_nobody_witnesses_that_they_come_for_they_have_lived_here_all_along(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        steps: list[Step] = []
        parts.engine.observe(steps.append)
        made = make_up(parts, 12, Random(7))
        assert [step.who for step in steps] == [agent.id for agent in made]
        assert [(step.events, step.left) for step in steps] == [((), ())] * 12


def test_one_seed_makes_up_the_same_people_and_another_seed_others(tmp_path: Path) -> None:
    made = []
    for number, seed in enumerate((7, 7, 8)):
        folder = tmp_path / str(number)
        with opened(without_vectors(copy_vault(folder)), writable=True) as parts:
            made.append(_made_up(parts, 9, seed))
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_second_names_are_used_when_the_first_run_out_and_nobody_is_called_as_another(vault: Path) -> None:
    with opened(vault, writable=True) as parts:
        names = [agent.name for agent in make_up(parts, 90, Random(7))]
        assert len(set(names)) == 90
        assert any(" " in name for name in names)
        there = [thing.name for thing in parts.engine.world.things.values()]
        assert len(set(there)) == len(there)


def test_a_name_that_somebody_has_is_not_given_again(vault: Path) -> None:
    _lists(vault, "Eliza\n- Simonides\n- Tamsin\n- Ulla", "Eliza")
    with opened(vault, writable=True) as parts:
        assert [agent.name for agent in make_up(parts, 1, Random(7))] == ["Ulla"]


def _lists(vault: Path, first: str, second: str) -> None:
    path = vault / "text/newcomers.md"
    _, mark, rest = path.read_text("utf-8").partition("## person")
    path.write_text(f"# Who\n\n## names\n\n**first**:\n- {first}\n**second**:\n- {second}\n\n{mark}{rest}", "utf-8")


def test_too_few_names_and_a_missing_list_are_said(vault: Path) -> None:
    _lists(vault, "Ulla\n- Ulric", "Marsh")
    with opened(vault, writable=True) as parts, pytest.raises(LociError, match="names for 4 newcomers; expected 5"):
        make_up(parts, 5, Random(7))
    (vault / "text/newcomers.md").write_text("# Newcomers\n", "utf-8")
    with opened(vault, writable=True) as parts, pytest.raises(LociError, match=r"newcomers\.md has no list names"):
        make_up(parts, 5, Random(7))
