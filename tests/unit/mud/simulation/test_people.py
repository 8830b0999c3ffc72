from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from agents.definition import find_location
from mud.engine.engine import Step
from mud.errors import LociError
from mud.server.phrases import check_texts
from mud.server.wiring import Parts, opened
from mud.simulation.people import INTERVALS, make_up
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


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
            assert one.voice in {"corvin", "default", "eliza", "moss", "tamsin"}
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
    (vault / "text/newcomers.md").unlink()
    with opened(vault, writable=True) as parts, pytest.raises(LociError, match=r"newcomers\.md has no list names"):
        make_up(parts, 5, Random(7))
