"""What `check` names of the files that the program writes, a world names at its start, and the other way round."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.wiring import opened
from tests.vaults import copy_vault, without_vectors


@pytest.fixture(scope="module")
def lived_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault in which Eliza has a summary, and the ledger a step that she saw."""
    folder = tmp_path_factory.mktemp("lived")
    vault, given = without_vectors(copy_vault(folder)), folder / "given.jsonl"
    said = (f"On day {day} the miller Anna Berg brought {day} sacks of flour." for day in range(80))
    given.write_text("".join(json.dumps({"text": text}) + "\n" for text in said), "utf-8")
    for args in (["remember", "eliza", str(given), "--no-wait"], ["compact", "eliza"]):
        assert main([*args, "--vault", str(vault)]) == 0
    seen = {"who": "#2001", "kind": "saw", "text": "It rains.", "actor": None, "place": None}
    step = {"step": 1, "at": "2026-11-20T07:21:37.123Z", "who": None, "line": None, "failed": False, "changes": []}
    (vault / "log/ledger-0000000001.jsonl").write_text(json.dumps({**step, "left": [seen]}) + "\n", "utf-8")
    with opened(vault, writable=True) as parts:
        parts.save()
    return vault


@pytest.fixture
def vault(lived_once: Path, tmp_path: Path) -> Path:
    return shutil.copytree(lived_once, tmp_path / "vault")


def checked(vault: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    main(["check", "--vault", str(vault)])
    return capsys.readouterr().out.splitlines()


def at_start(vault: Path) -> list[str]:
    with opened(vault, writable=True) as parts:
        return parts.told_at_start()


def test_a_vault_that_was_lived_in_has_no_mistake(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(vault, capsys) == at_start(vault) == []


@pytest.mark.parametrize("text", ["[" * 100_000, '{"hour": 1e999}', "[]", None])
def test_what_was_spent_and_cannot_be_read_is_named(
    vault: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    path = vault / "log/spending.json"
    path.write_text(text or "", "utf-8")
    if text is None:
        os.truncate(path, 1 << 30)
    told = checked(vault, capsys)
    assert [line.split(":")[0] for line in told] == ["log/spending.json"]
    assert at_start(vault)[0] == told[0]


@pytest.mark.parametrize("line", ["[[[", '{"step":9e99}', "5"])
def test_a_whole_line_of_the_ledger_that_is_no_step_is_named_by_both(
    vault: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    with (vault / "log/ledger-0000000001.jsonl").open("a") as file:
        file.write(f"{line}\n")
    told = checked(vault, capsys)
    assert len(told) == 1
    assert told[0].startswith("log/ledger-0000000001.jsonl:2: this line is no step")
    assert at_start(vault)[0] == told[0]


def test_a_line_without_its_end_is_what_a_kill_leaves_and_no_mistake(
    vault: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with (vault / "log/ledger-0000000001.jsonl").open("a") as file:
        file.write('{"step":2,"li')
    assert checked(vault, capfd) == at_start(vault) == []
    assert not [record for record in caplog.records if record.levelname != "INFO"]
    assert (vault / "log/ledger-0000000001.jsonl.torn-1").read_text("utf-8") == '{"step":2,"li'


@pytest.mark.parametrize(
    "front", ["reference: eliza#99999999999999999999-1", "covers: {first: 99999999999999999999, last: 1}"]
)
def test_a_summary_that_covers_other_memories_is_named(
    vault: Path, capsys: pytest.CaptureFixture[str], front: str
) -> None:
    [path] = [path for path in (vault / "agents/eliza/summaries").glob("*.md") if path.stem in {"recent", "longterm"}]
    path.write_text(f"---\n{front}\n---\nA summary by hand.\n", "utf-8")
    [told] = checked(vault, capsys)
    assert told.startswith(f"agents/eliza/summaries/{path.name}: it must say that it covers memories ")


@pytest.mark.parametrize("at", ["+99999-01-01", "2026-99-99T00:00:00Z", "2026-02-30T00:00:00.000Z", "soon"])
def test_a_memory_whose_time_is_none_is_named_by_its_line(
    vault: Path, capsys: pytest.CaptureFixture[str], at: str
) -> None:
    path = vault / "agents/eliza/archive/0000000001.jsonl"
    lines = path.read_text("utf-8").splitlines()
    last = max(json.loads(line).get("seq", 0) for line in lines)
    text = json.dumps({"seq": last + 1, "at": at, "kind": "saw", "text": "A lamp \ud800 burns."})
    path.write_text("\n".join([*lines, text, ""]), "utf-8")
    [told] = checked(vault, capsys)
    assert told.startswith(f"agents/eliza/archive/0000000001.jsonl:{len(lines) + 1}: memory {last + 1} has a time that")


def test_a_folder_whose_id_is_taken_lacks_nothing_of_the_ledger(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (vault / "agents/eliza/agent.md").read_text("utf-8")
    (vault / "agents/zed").mkdir()
    (vault / "agents/zed/agent.md").write_text(text.replace("# Eliza", "# Zed", 1), "utf-8")
    told = checked(vault, capsys)
    assert [line.split(":")[:3] for line in told] == [["agents/zed/agent.md", "2", " id"]]


def test_of_a_second_bearer_of_a_name_the_file_is_said_to_be_out_of_the_world(vault: Path) -> None:
    (vault / "agents/zed").mkdir()
    (vault / "agents/zed/agent.md").write_text("---\nlocation: '[[The Garden]]'\n---\n# Eliza\n", "utf-8")
    told = at_start(vault)
    assert "who agents/zed/agent.md describes is not in the world until then" in told
    assert not any(line.startswith("Eliza is not") for line in told)


@pytest.mark.parametrize("name", ["you", "me", "all"])
def test_a_name_that_is_a_word_of_every_text_is_one_mistake(
    vault: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (vault / "agents/zed").mkdir()
    (vault / "agents/zed/agent.md").write_text(f"---\nlocation: '[[The Garden]]'\n---\n# {name}\n", "utf-8")
    told = checked(vault, capsys)
    assert {line.split(":")[0] for line in told} == {"agents/zed/agent.md"}
