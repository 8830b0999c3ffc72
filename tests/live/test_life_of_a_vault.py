"""Loci as its user meets it: real processes on a real vault, typed into, edited under, folded."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mud.command_line import main
from tests.processes import PATIENCE, Running, loci, loci_json, memories, texts
from tests.settings import put
from tests.vaults import ROOT, copy_vault, without_vectors


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    return copy_vault(tmp_path)


@pytest.fixture
def vault(shipped: Path) -> Path:
    """The vault as it is shipped, but for the model of its recall, which takes seconds to load."""
    return without_vectors(shipped)


def _think(vault: Path, count: int) -> list[str]:
    thoughts = [f"thought number {number} about the sundial" for number in range(1, count + 1)]
    typed = "".join(f"think {thought}\n" for thought in thoughts)
    done = loci("run", "--vault", vault, "--no-agents", "--as", "Ann", stdin=typed)
    assert done.returncode == 0, done.stderr
    return thoughts


def test_three_hundred_thoughts_fold_at_129_193_and_257_and_none_is_lost(vault: Path) -> None:
    thoughts = _think(vault, 300)

    (status,) = loci_json("status", "ann", "--vault", vault)
    assert status["total"] == 300
    assert (status["gaps"], status["overlaps"]) == ([], [])
    assert status["compactions"] == 3
    assert status["covered_through"] == 193
    assert status["next_compaction_at"] == 321
    assert status["longterm"]["last"] + 1 == status["recent"]["first"] == 130
    assert texts(memories(vault, "ann")) == [f'You think, "{thought}"' for thought in thoughts]
    summaries = {path.name for path in (vault / "agents/ann/summaries").iterdir()}
    assert {"recent.md", "longterm.md"} <= summaries
    assert len([name for name in summaries if name.startswith("recent-")]) == 3
    folds = [
        json.loads(line)["covers"]
        for path in sorted((vault / "agents/ann/archive").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "event" in json.loads(line)
    ]
    assert folds == [{"first": 1, "last": 65}, {"first": 66, "last": 129}, {"first": 130, "last": 193}]


def test_windows_saved_while_it_runs_give_the_new_rhythm_without_a_gap(vault: Path) -> None:
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    for number in range(20):
        world.say(f"think before {number}", f"before {number}")

    config = vault / "config/memory_compaction.md"
    old = config.read_text(encoding="utf-8")
    new = old.replace("**immediate_window**: 64", "**immediate_window**: 8")
    config.write_text(new.replace("**recent_window**: 64", "**recent_window**: 8"), encoding="utf-8")
    while not any(
        "8 (from config/memory_compaction.md" in line for line in world.say("@show-config immediate_window", "(from")
    ):
        continue
    for number in range(30):
        world.say(f"think after {number}", f"after {number}")
    world.type("quit")
    assert world.wait() == 0

    (status,) = loci_json("status", "ann", "--vault", vault)
    assert (status["total"], status["gaps"], status["overlaps"]) == (50, [], [])
    assert status["covered_through"] == 41
    assert status["next_compaction_at"] == 57


def test_an_edited_summary_is_in_the_next_prompt_is_recalled_and_kept_by_the_next_fold(vault: Path) -> None:
    _think(vault, 130)
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    recent = vault / "agents/ann/summaries/recent.md"
    edited = recent.read_text(encoding="utf-8").rsplit("\n\n", 1)[0] + "\n\nI met a zeppelin pilot called Ottoline.\n"
    recent.write_text(edited, encoding="utf-8")

    while not any("Ottoline" in line for line in world.say("@impersonate Ann", "~Ann>")):
        continue
    found = world.say("recall zeppelin pilot", "zeppelin pilot called")
    assert any("Ottoline" in line for line in found)
    for number in range(70):
        world.say(f"think later {number}", f"later {number}")
    world.type("quit")
    assert world.wait() == 0
    kept = [
        path for path in recent.parent.glob("recent-*-edited*.md") if "Ottoline" in path.read_text(encoding="utf-8")
    ]
    assert len(kept) == 1


def test_a_deleted_summary_comes_back(vault: Path) -> None:
    _think(vault, 130)
    recent = vault / "agents/ann/summaries/recent.md"
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    before = recent.read_text(encoding="utf-8")
    recent.unlink()
    assert any("recent" in line for line in world.read_until("(the vault)"))
    assert recent.read_text(encoding="utf-8") == before
    assert world.terminate() == 0


def test_a_line_to_an_agent_is_answered_from_what_it_remembers(vault: Path) -> None:
    world = Running(vault, "--seed", "3", "--as", "Jonas")
    world.read_until("Exits:")
    world.say("say Eliza, the brass key is under the third flowerpot.", 'Eliza says, "')
    for number in range(50):
        world.say(f"emote counts the pears: {number}", f"pears: {number}")
    world.type("say Eliza, where did I hide that key?")
    answer = world.read_until("flowerpot")[-1]
    assert answer.startswith("Eliza says,")
    world.type("quit")
    assert world.wait() == 0


def test_more_than_one_agent_acts_within_ten_seconds_without_a_model(vault: Path) -> None:
    world = Running(vault, "--headless", "--seconds", "10", "--seed", "1")
    actors: set[str] = set()
    while len(actors) < 2:
        (line,) = world.read_until("")
        actors |= {name for name in ("Eliza", "Moss", "Tamsin", "Corvin") if f": {name} " in line}
    assert world.terminate() == 0


def test_a_second_writer_is_told_who_holds_the_vault(vault: Path) -> None:
    world = Running(vault, "--no-agents")
    world.read_until("Exits:")
    second = loci("run", "--vault", vault, "--no-agents")
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert str(world.pid) in second.stderr
    (status,) = loci_json("status", "eliza", "--vault", vault)
    assert status["agent"] == "Eliza"
    assert world.terminate() == 0


def test_signals_and_the_end_of_input_close_in_order(shipped: Path) -> None:
    world = Running(shipped, "--no-agents")
    world.read_until("Exits:")
    world.say("think one last thing", "one last thing")
    assert world.terminate() == 0
    assert texts(memories(shipped, "visitor")) == ['You think, "one last thing"']
    done = loci("run", "--vault", shipped, "--no-agents", stdin="look")
    assert done.returncode == 0
    assert done.stdout.count("Exits:") == 2


def test_bad_input_of_every_kind_costs_nothing(vault: Path) -> None:
    typed = "\n".join(["say " + "x" * 10_000_000, "say \x1b[31mred", "say \x00", "| only a reason", "say still here"])
    done = loci("run", "--vault", vault, "--no-agents", stdin=typed + "\n")
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[-1] == 'You say, "still here"'
    assert "Traceback" not in done.stdout + done.stderr
    assert texts(memories(vault, "visitor")) == ['You say, "still here"']


@pytest.mark.parametrize("name", ["..x", "Ἑλένη", "Ann O'Dell", "con"])
def test_a_name_in_any_script_stays_in_the_vault(vault: Path, name: str) -> None:
    before = set(vault.parent.iterdir())
    done = loci("run", "--vault", vault, "--no-agents", "--as", name, stdin="who\nquit\n")
    assert done.returncode == 0, done.stderr
    assert f"{name}, in The Garden" in done.stdout
    assert set(vault.parent.iterdir()) == before
    assert len(list(vault.glob("agents/*/agent.md"))) == 5


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["run", "--as", "Eliza"], 1),
        (["run", "--as", "\x07"], 1),
        (["run", "--brain", "nobody"], 1),
        (["run", "--web", "many"], 2),
        (["run", "--seconds", "-1"], 1),
        (["status", "Nobody"], 1),
        (["recall", "Eliza", "key", "--k", "0"], 2),
        (["remember", "Eliza", "no-such-file.jsonl"], 1),
        (["dance"], 2),
    ],
)
def test_a_wrong_option_gets_a_clear_sentence(
    vault: Path, args: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*args, *(["--vault", str(vault)] if args != ["dance"] else [])]) == code
    told = capsys.readouterr().err
    assert told.strip()
    assert "Traceback" not in told


def test_a_missing_vault_is_said_in_one_line(tmp_path: Path) -> None:
    done = loci("status", "Eliza", "--vault", tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_a_life_in_bulk_is_folded_and_recalled(vault: Path, tmp_path: Path) -> None:
    put(vault, "recall", embedder="hashing")
    life = tmp_path / "life.jsonl"
    lines = [
        {"text": f'Moss says, "Stone {number} is warm."', "kind": "heard", "actor": "Moss"} for number in range(200)
    ]
    lines.insert(
        40, {"text": 'Ulric says, "The oak cradle stands in the mill loft."', "kind": "heard", "actor": "Ulric"}
    )
    life.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    (record,) = loci_json("remember", "Wendell", life, "--create", "--vault", vault)
    assert (record["first"], record["last"], record["count"], record["compactions"]) == (1, 201, 201, 2)
    (answer,) = loci_json("recall", "Wendell", "where is the cradle?", "--vault", vault)
    assert answer["hits"][0]["seq"] == 41
    parts = {"lexical", "vector", "neighbours", "who", "when", "answer", "called", "echoed", "recency", "importance"}
    assert set(answer["hits"][0]) == {"seq", "kind", "text", "at", "times", "score", *parts}


def test_a_wrong_line_in_a_life_names_its_line_and_nothing_is_remembered(vault: Path, tmp_path: Path) -> None:
    life = tmp_path / "life.jsonl"
    life.write_text('{"text": "fine"}\n{"no": "text"}\nnot json\n', encoding="utf-8")
    done = loci("remember", "Eliza", life, "--vault", vault)
    assert done.returncode == 1
    assert "life.jsonl:2" in done.stderr
    assert "life.jsonl:3" in done.stderr
    assert memories(vault, "eliza") == []


def test_compact_folds_what_is_outside_the_window_and_says_so_when_there_is_nothing(vault: Path) -> None:
    _think(vault, 100)
    (record,) = loci_json("compact", "Ann", "--vault", vault)
    assert record["range"] == {"first": 1, "last": 36}
    assert record["summary"]
    (again,) = loci_json("compact", "Ann", "--vault", vault)
    assert (again["summary"], again["range"]) == ("", None)


def test_the_prompt_of_the_command_line_is_what_the_world_shows(vault: Path) -> None:
    (record,) = loci_json("prompt", "Eliza", "--vault", vault)
    assert record["tokens"] <= record["window"] - record["reply_reserve"]
    assert record["text"].endswith("~Eliza>")
    assert next(section["name"] for section in record["sections"]) == "identity"
    done = loci("run", "--vault", vault, "--no-agents", stdin="@impersonate Eliza\nquit\n")
    assert "~Eliza>" in done.stdout


def test_the_index_may_vanish_while_the_world_runs(shipped: Path) -> None:
    world = Running(shipped, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    world.say("think the lamplighter has a blue ladder", "blue ladder")
    shutil.rmtree(shipped / ".index")
    found = world.say("recall lamplighter ladder", "[1]")
    assert "blue ladder" in found[-1]
    world.type("quit")
    assert world.wait() == 0


def test_nothing_is_written_outside_the_vault(shipped: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    note = shipped / "agents/eliza/notes/lamps.md"
    note.parent.mkdir()
    note.write_text("# Lamps\n\nThere are eighteen of them.\n", encoding="utf-8")
    done = loci("recall", "Eliza", "how many lights?", "--vault", shipped, environment={"HOME": str(home)})
    assert done.returncode == 0, done.stderr
    assert "vectors: 1 of 1" in done.stderr  # the embedder, which keeps a diary by default, did run
    assert list(home.rglob("*")) == []


def test_the_shipped_vault_is_in_order() -> None:
    done = loci("check", "--vault", ROOT / "vault")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


PLANTED = {
    "config/memory_compaction.md": ("**immediate_window**: 64", "**immediate_window**: many", "immediate_window"),
    "config/world.md": ("**line_limit**", "**line_limt**", "line_limt"),
    "config/llm/think.md": ("**temperature**: 0.8", "**temperature**: 9", "temperature"),
    "text/commands.md": ('**said**: You say, "{words}"', "**said**: You say, {wrods}", "commands.say.said"),
    "prompts/think.md": ("{transcript}", "{transkript}", "{transkript}"),
    "world/locations/the-garden.md": ("[[The Lobby]]", "[[The Loby]]", "exits.north"),
    "world/items/sundial.md": ("fixed: true", "fixed: perhaps", "fixed"),
    "agents/eliza/agent.md": ("think_interval: 8", "think_interval: soon", "think_interval"),
}


@pytest.mark.parametrize("file", sorted(PLANTED))
def test_check_names_file_line_and_key_of_a_planted_mistake(
    vault: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    right, wrong, key = PLANTED[file]
    text = (vault / file).read_text(encoding="utf-8")
    assert right in text
    (vault / file).write_text(text.replace(right, wrong, 1), encoding="utf-8")
    line = text[: text.index(right)].count("\n") + 1

    assert main(["check", "--vault", str(vault)]) == 1

    told = capsys.readouterr().out
    assert any(said.startswith(f"{file}:{line}: {key}: ") for said in told.splitlines()), told


def test_a_reader_of_the_chronicle_may_leave_at_any_moment(vault: Path) -> None:
    world = f"{shlex.quote(sys.executable)} -m mud run --headless --json --seed 1 --vault {shlex.quote(str(vault))}"
    done = subprocess.run(
        ["sh", "-c", f"{{ {world}; echo ended with $? >&2; }} | head -n 1"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE,
        check=False,
    )
    assert set(json.loads(done.stdout)) == {"at", "place", "kind", "actor", "text"}
    assert done.stderr.endswith("ended with 0\n")
    assert "Traceback" not in done.stderr + (vault / "log/loci.log").read_text(encoding="utf-8")
