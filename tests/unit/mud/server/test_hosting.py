"""Where minds live, as `run --minds` names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mud.errors import LociError, UnknownName
from mud.server.hosting import HOSTS, kind_of, lends
from mud.server.wiring import opened
from tests.vaults import copy_vault, without_vectors


def test_each_kind_is_found_by_its_name_and_some_with_an_address() -> None:
    assert [kind_of(name) for name in HOSTS.names()] == [(one, "") for one in HOSTS]
    assert kind_of("ray://head:6379") == (HOSTS.get("ray"), "ray://head:6379")


@pytest.mark.parametrize("minds", ["", "elsewhere", "elsewhere://here"])
def test_an_unknown_kind_is_told_which_there_are(minds: str) -> None:
    with pytest.raises(UnknownName, match=r"there is no host of minds .*; there is: local, process, ray, websocket"):
        kind_of(minds)


@pytest.mark.parametrize("minds", ["local://", "process://here", "websocket://127.0.0.1:8020", "ray://"])
def test_an_address_is_taken_only_where_one_is_needed(minds: str) -> None:
    with pytest.raises(LociError, match="expected one of local, process, ray, websocket, ray://HOST:PORT"):
        kind_of(minds)


def test_a_mind_that_lives_apart_says_where_it_would_not(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    told = r"^The mind of Eliza lives apart .*; in a world .* --minds local it can be\.$"
    with (
        opened(vault, writable=True, lends=lambda configuration: lends("process", configuration)) as parts,
        pytest.raises(LociError, match=told),
    ):
        parts.minds.get("Eliza")
