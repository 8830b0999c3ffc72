"""Leaving, and what the owner asks of the program."""

from __future__ import annotations

import pytest

from mud.world.roles import Role
from tests.worlds import do, make_engine, refused


@pytest.mark.parametrize("line", ["quit", "exit", "bye", "QUIT"])
def test_quitting_ends_the_session_for_a_person_and_never_for_a_mind(line: str) -> None:
    assert do(make_engine(), line, role=Role.GUEST).quit
    assert not refused(make_engine(), line, role=Role.AGENT).quit


@pytest.mark.parametrize(
    ("line", "name", "args"),
    [
        ("@save", "save", {}),
        ("@reload", "reload", {}),
        ("@show-config", "show_config", {"key": ""}),
        ("@show-config immediate_window", "show_config", {"key": "immediate_window"}),
    ],
)
def test_what_reaches_outside_the_world_is_a_request(line: str, name: str, args: dict[str, str]) -> None:
    step = do(make_engine(), line)
    [request] = step.requests
    assert (request.name, dict(request.args), request.keep) == (name, args, None)
    assert step.left == ()
