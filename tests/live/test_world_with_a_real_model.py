"""A world whose agents think with a real, small language model: they act by it, and live on where it talks nonsense."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live_server import WINDOW, LiveServer
from tests.processes import PATIENCE, Running, loci_json
from tests.vaults import copy_vault, without_vectors

MAX_TOKENS = 40
NUM_CTX = 1024
LEAD = """\
~{name}> say The roses are late this year.
~{name}> say What a quiet morning this is.
~{name}> say I should water the beans before noon.
~{name}>"""
"""Ends the prompt template; from examples even a model as small as this one learns the form of a command."""
BETWEEN = 0.1
"""Seconds between two looks."""
LIVING = "eliza"
"""The others are taken out: a model of one thread has no time for them in a test."""


@pytest.fixture
def vault(tmp_path: Path, live_server: LiveServer) -> Path:
    copy = without_vectors(copy_vault(tmp_path))
    for path in copy.glob("agents/*/agent.md"):
        if path.parent.name == LIVING:
            _set(path, "think_interval", "2\nimmediate_window: 3\nrecent_window: 4", "{}: ")
        else:
            shutil.rmtree(path.parent)
    for name, tokens in (("think", MAX_TOKENS), ("summarizer", 30)):
        profile = copy / f"config/llm/{name}.md"
        _set(profile, "host", live_server.address)
        _set(profile, "max_tokens", tokens)
        _set(profile, "num_ctx", NUM_CTX)
    template = copy / "prompts/think.md"
    head, cue, rest = template.read_text(encoding="utf-8").rpartition("~{name}>")
    assert cue
    template.write_text(head + LEAD + rest, encoding="utf-8")
    return copy


def _set(path: Path, key: str, value: object, form: str = "**{}**: ") -> None:
    start = re.escape(form.format(key))
    text, count = re.subn(rf"(?m)^{start}.*$", f"{form.format(key)}{value}", path.read_text(encoding="utf-8"))
    assert count == 1, f"{path.name} has no {key}"
    path.write_text(text, encoding="utf-8")


def _until(there: Callable[[], object], what: str) -> None:
    """Look again and again whether something is there, within bounds."""
    end = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not there():
        assert time.monotonic() < end, f"no {what} came"
        pause.wait(BETWEEN)


def test_an_agent_thinks_with_a_real_model_and_lives_on_where_it_talks_nonsense(
    vault: Path, live_server: LiveServer
) -> None:
    world = Running(vault, "--as", "Ann", "--seed", "1")
    world.read_until("Exits:")
    for number in range(8):
        world.say(f"say The {number}. pear is ripe.", f"{number}. pear")
    log = vault / "log/loci.log"

    def thought() -> bool:
        pages = [path.read_text(encoding="utf-8") for path in vault.glob("agents/*/mind.md")]
        return any(re.search(r"## Last thought\n\n`.+` by language\b", page) for page in pages)

    _until(thought, "thought of the model")
    _until((vault / "agents/eliza/summaries/recent.md").exists, "summary")
    _set(vault / "config/llm/think.md", "max_tokens", 1)
    nonsense = re.compile(r"the model gave nothing that could be done: .* instinct takes this turn")
    _until(lambda: nonsense.search(log.read_text(encoding="utf-8")), "nonsense")
    world.type("quit")
    assert world.wait() == 0

    assert "Traceback" not in log.read_text(encoding="utf-8")
    assert "do not fit into num_ctx" not in log.read_text(encoding="utf-8")
    assert " answered 400" not in log.read_text(encoding="utf-8"), "the server found a prompt too long"
    _check_prompt(vault, live_server)
    _check_lives(vault)


def _check_prompt(vault: Path, live_server: LiveServer) -> None:
    """Hold the prompt of the moment to the window, by the model's own count."""
    (prompt,) = loci_json("prompt", "Eliza", "--vault", vault)
    assert live_server.tokens(prompt["text"]) <= prompt["tokens"] <= NUM_CTX - 1 < WINDOW


def _check_lives(vault: Path) -> None:
    """Hold every life to being whole, and every summary to being the model's or the one made by rules."""
    for slug in (LIVING, "ann"):
        (status,) = loci_json("status", slug, "--vault", vault)
        assert (status["gaps"], status["overlaps"]) == ([], [])
        assert status["recent"] is None or status["recent"]["method"] in ("model", "extractive")
