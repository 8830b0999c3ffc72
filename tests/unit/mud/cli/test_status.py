from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.wiring import opened
from tests.vaults import copy_vault

KEYS = [
    "agent",
    "total",
    "covered_through",
    "immediate",
    "recent",
    "longterm",
    "gaps",
    "overlaps",
    "next_compaction_at",
    "strategy",
    "compactions",
    "warnings",
    "index",
]


@pytest.mark.parametrize("name", ["Eliza", "ELIZA", "#2001", "eliza"])
def test_one_object_with_every_key_absent_things_null_and_lists_lists(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", name, "--json", "--vault", str(copy_vault(tmp_path))]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    record = json.loads(out)
    assert list(record)[: len(KEYS)] == KEYS
    assert (record["agent"], record["total"], record["recent"], record["immediate"]) == ("Eliza", 0, None, None)
    assert (record["gaps"], record["overlaps"], record["warnings"]) == ([], [], [])


def test_it_is_text_for_people_and_reads_while_another_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = copy_vault(tmp_path)
    with opened(vault, writable=True):
        assert main(["status", "Moss", "--vault", str(vault)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Memory of Moss\n")
    assert "No warnings.\nWhether models answer was not asked; in the running world @llm-status says it.\n" in told


def test_it_says_where_each_setting_comes_from_and_that_no_server_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = copy_vault(tmp_path)
    moss = vault / "agents/moss/agent.md"
    moss.write_text(moss.read_text().replace("brain: auto\n", "brain: auto\nstrategy: layered\n"))
    assert main(["status", "Moss", "--json", "--vault", str(vault)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["settings"]["strategy"] == {"value": "layered", "from": "agents/moss/agent.md:7"}
    assert record["settings"]["recent_window"]["from"].startswith("config/memory_compaction.md:")
    assert record["tokens"]["counted_by"] == "the tokenizer of all-MiniLM-L6-v2, on the high side"
    assert record["waits"].startswith("over 6,000 tokens")
