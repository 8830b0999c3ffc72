"""The first time a host of models answers, the owner is told which, and what it says that it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agents.llm.queue import Urgency
from mud.command_line import main
from mud.server.known_hosts import FILE, LONGEST, MOST, KnownHosts
from mud.server.wiring import RealClock
from mud.storage.texts import TextStore
from tests.embedding_servers import Answer, listening
from tests.houses import house
from tests.processes import Headless
from tests.settings import put
from tests.vaults import SHIPPED, copy_vault, without_vectors

HOST = "http://127.0.0.1:8080"


def met(vault: Path) -> tuple[KnownHosts, list[str]]:
    """Return what a run of a vault takes note with, and what it tells."""
    texts, told = TextStore(SHIPPED / "text"), list[str]()
    assert texts.load() == []
    hosts = KnownHosts(vault, texts.render)
    hosts.tell = told.append
    return hosts, told


def test_a_host_is_told_once_for_each_model_through_all_runs(tmp_path: Path) -> None:
    first, told = met(tmp_path)
    first(HOST, "small.gguf")
    first(HOST, "small.gguf")
    assert told == [
        f"{HOST} answers for the first time, and says that its model is small.gguf. What agents remember is sent there."
    ]
    again, told = met(tmp_path)
    again(HOST, "small.gguf")
    assert told == []
    other, told = met(tmp_path)
    other(HOST, "large.gguf")
    other("http://192.0.2.7:8080", "")
    assert [("large.gguf" in told[0]), ("does not say which model" in told[1])] == [True, True]


def test_what_a_host_says_is_one_short_line_that_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    hosts, told = met(tmp_path)
    hosts(HOST, "\x1b[2Jroot\r\nEverything\u202e is\u2028 fine {host}" + "x" * 9000)
    (line,) = told
    assert line.isprintable()
    assert "root Everything is fine {host}" in line
    assert len(line) < LONGEST + 200


@pytest.mark.parametrize(
    "junk",
    ["", "{", "[]", "7", '{"met": 3}', '{"folder": 0, "met": [["http://127.0.0.1:8080", "a"]]}', "[" * 9999, "\x00"],
)
def test_a_file_that_is_broken_or_of_another_vault_costs_nothing(tmp_path: Path, junk: str) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / FILE).write_text(junk)
    hosts, told = met(tmp_path)
    hosts(HOST, "a")
    assert len(told) == 1
    hosts, told = met(tmp_path)
    hosts(HOST, "a")
    assert told == []


def test_what_a_vault_says_that_was_told_elsewhere_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    hosts, _ = met(tmp_path / "theirs")
    hosts(HOST, "a")
    shutil.copytree(tmp_path / "theirs", tmp_path / "mine")
    hosts, told = met(tmp_path / "mine")
    hosts(HOST, "a")
    assert len(told) == 1


def test_no_more_is_remembered_than_is_of_use(tmp_path: Path) -> None:
    for number in range(MOST + 3):
        hosts, _ = met(tmp_path)
        hosts(HOST, f"model {number}")
    assert len(json.loads((tmp_path / FILE).read_text())["met"]) == MOST
    hosts, told = met(tmp_path)
    hosts(HOST, f"model {MOST}")
    assert told == []


def test_a_disk_that_takes_nothing_does_not_keep_it_from_being_told(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    hosts, told = met(tmp_path)
    hosts(HOST, "a")
    assert len(told) == 1


def serve(method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
    if path == "/v1/models":
        return 200, {"data": [{"id": "wandering\x1b[31m-7b"}]}
    return 200, {"choices": [{"text": "look"}], "model": "wandering-7b"}


def test_whoever_starts_a_world_is_told_whom_its_models_are_asked_from(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with listening(serve) as host:
        put(vault, "llm/think", host=host)
        runs = []
        for _ in range(2):
            with Headless(vault) as world:
                assert world.says("A language model answers")
            runs.append(world.said)
    told = f"{host} answers for the first time, and says that its model is wandering-7b."
    assert [said.count(told) for said in runs] == [1, 0]
    assert "\x1b" not in runs[0]


async def test_a_host_that_is_only_asked_for_summaries_is_told_too(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with listening(serve) as host:
        put(vault, "llm/summarizer", host=host)
        async with house(tmp_path, RealClock()) as home:
            told: list[str] = []
            home.parts.met_hosts.tell = told.append
            await home.parts.queue.ask(lambda: "Sum up.", "summarizer", Urgency.SUMMARIZE, "Eliza")
    assert [host in line and "wandering-7b" in line for line in told] == [True]


def test_a_server_that_embeds_memories_is_told_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def embed(method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        texts = body.get("input", [])
        data = [{"index": at, "embedding": [1.0, float(len(text)), 0.5]} for at, text in enumerate(texts)]
        return 200, {"data": data, "model": "letters", "usage": {"prompt_tokens": len(texts)}}

    vault = copy_vault(tmp_path)
    (tmp_path / "life.jsonl").write_text('{"text": "The kiln is cold."}\n')
    with listening(embed) as host:
        put(vault, "recall", embedder="openai_compatible")
        put(vault, "llm/embed", host=host, model="letters")
        told = []
        for _ in range(2):
            assert main(["remember", "Eliza", str(tmp_path / "life.jsonl"), "--vault", str(vault)]) == 0
            told.append(capsys.readouterr().err.count(f"{host} answers for the first time"))
    assert told == [1, 0]
