from __future__ import annotations

import json
import os
import subprocess
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from mud.command_line import main
from tests.disks import file_size_limit
from tests.processes import memories, texts
from tests.vaults import copy_vault, without_vectors


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def _life(tmp_path: Path, *records: object) -> str:
    path = tmp_path / "life.jsonl"
    path.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in records) + "\n", encoding="utf-8")
    return str(path)


def _remember(vault: Path, *argv: str) -> int:
    return main(["remember", *argv, "--json", "--vault", str(vault)])


def test_a_life_is_appended_folded_and_numbered(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(tmp_path, *({"text": f"Pear {number} fell."} for number in range(300)))
    assert _remember(vault, "Eliza", life) == 0
    record = json.loads(capsys.readouterr().out)
    keys = ["first", "last", "count", "compactions", "summarizer", "model", "summaries"]
    keys += ["lines", "taken", "resumed_after", "known", "error", "seconds"]
    assert list(record) == keys
    assert (record["first"], record["last"], record["count"], record["compactions"]) == (1, 300, 300, 3)
    assert _remember(vault, "eliza", life, "--no-wait") == 0
    assert json.loads(capsys.readouterr().out)["first"] == 301
    assert texts(memories(vault, "eliza")) == [f"Pear {number} fell." for number in range(300)] * 2


GOOD = "I sat by the pear tree with Moss, who says that the pears fall."


def _model(vault: Path, replies: str) -> None:
    """Have a model that says these texts in turn write summaries."""
    profile = f"**backend**: scripted\n**model**: {replies}\n"
    (vault / "config/llm/summarizer.md").write_text(profile, "utf-8")


def test_it_says_that_rules_write_the_summaries_and_asks_nobody(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _model(vault, GOOD)
    life = _life(tmp_path, *({"text": f"Pear {number} fell."} for number in range(300)))
    for argv in ((), ("--summarizer", "extractive")):
        assert _remember(vault, "Eliza", life, *argv) == 0
        said = capsys.readouterr()
        assert said.err.startswith("summaries are written by rules\n")
        record = json.loads(said.out)
        assert (record["summarizer"], record["model"]) == ("extractive", None)
        assert set(record["summaries"]) == {"extractive"}


def test_what_an_earlier_run_wrote_and_did_not_fold_is_folded_by_the_next(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(tmp_path, *({"text": f"Pear {number} fell."} for number in range(300)))
    config = vault / "config/memory_compaction.md"
    on = config.read_text("utf-8")
    config.write_text(on.replace("**auto_enabled**: true", "**auto_enabled**: false"), "utf-8")
    assert _remember(vault, "Eliza", life) == 0
    assert json.loads(capsys.readouterr().out)["compactions"] == 0
    config.write_text(on, "utf-8")
    assert _remember(vault, "Eliza", life, "--resume") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["count"], record["compactions"]) == (0, 3)


def test_a_model_that_is_asked_for_writes_the_summaries_whatever_the_settings_say(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _model(vault, GOOD)
    config = vault / "config/memory_compaction.md"
    config.write_text(config.read_text().replace("**summarizer**: model", "**summarizer**: extractive"), "utf-8")
    life = _life(tmp_path, *[{"text": 'Moss says, "The pears fall from the tree."', "actor": "Moss"}] * 129)
    assert _remember(vault, "Eliza", life, "--summarizer", "model") == 0
    said = capsys.readouterr()
    assert "summaries are written by the model I sat by" in said.err
    assert "(config/llm/summarizer)" in said.err
    record = json.loads(said.out)
    assert (record["summarizer"], record["model"], record["summaries"]) == ("model", "scripted", {"model": 1})
    assert GOOD in (vault / "agents/eliza/summaries/recent.md").read_text()
    assert main(["remember", "Eliza", life, "--summarizer", "model", "--vault", str(vault)]) == 0
    assert " by scripted, " in capsys.readouterr().out


def test_without_a_model_that_is_asked_for_nothing_is_remembered_and_nobody_made(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (vault / "config/llm/summarizer.md").write_text("**host**: http://127.0.0.1:9\n", "utf-8")
    life = _life(tmp_path, {"text": "One pear."})
    assert _remember(vault, "Wendell", life, "--create", "--summarizer", "model") == 1
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("loci: no model writes summaries: config/llm/summarizer: ")
    assert line.endswith("; nothing was remembered, and --summarizer extractive does without")
    assert not (vault / "agents/wendell").exists()


def test_line_ends_of_other_worlds_inside_a_text_do_not_cut_it_and_are_spaces(tmp_path: Path, vault: Path) -> None:
    text = "one\u2028two\u2029three\x85four\x0bfive\x0csix"
    path = tmp_path / "life.jsonl"
    line = '{"text": "' + text.replace("\x0b", "\\u000b").replace("\x0c", "\\f") + '"}'
    path.write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n")
    assert _remember(vault, "Eliza", str(path)) == 0
    assert texts(memories(vault, "eliza")) == ["one two three four five six"]


def test_an_empty_life_is_no_error(tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "life.jsonl").write_text("")
    assert _remember(vault, "Eliza", str(tmp_path / "life.jsonl")) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["first"], record["last"], record["count"]) == (None, None, 0)


def test_every_wrong_line_is_named_and_nothing_is_kept(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "life.jsonl"
    deep = "[" * 100_000
    path.write_text(f'{{"text": "fine"}}\n{{"no": 1}}\nnonsense\n7\n{deep}\n{{"text": "x", "kind": "dreamt"}}\n')
    assert _remember(vault, "Eliza", str(path)) == 1
    told = capsys.readouterr().err
    assert [line for line in range(1, 7) if f"life.jsonl:{line}: " in told] == [2, 3, 4, 5, 6]
    assert memories(vault, "eliza") == []


def test_a_key_that_nothing_reads_is_told_once_and_the_memory_kept(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(tmp_path, {"text": "a"}, {"text": "b", "plaec": "The Mill"}, {"text": "c", "plaec": "x", "seq": 3})
    assert _remember(vault, "Eliza", life) == 0
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if line.startswith("passed over")] == [
        "passed over: life.jsonl:2: plaec: unknown key; expected one of text, at, kind, actor, place, reason, failed, "
        "importance, id; did you mean place?",
        "passed over: life.jsonl:3: seq: unknown key; expected one of text, at, kind, actor, place, reason, failed, "
        "importance, id",
    ]
    assert texts(memories(vault, "eliza")) == ["a", "b", "c"]


def test_somebody_new_is_made_only_when_asked_and_lives_in_the_world(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(tmp_path, {"text": "I was born."})
    assert _remember(vault, "Wendell", life) == 1
    assert "there is no agent 'Wendell'" in capsys.readouterr().err
    assert _remember(vault, "Wendell", life, "--create") == 0
    capsys.readouterr()
    assert main(["check", "--vault", str(vault)]) == 0
    assert main(["prompt", "Wendell", "--vault", str(vault)]) == 0
    shown = capsys.readouterr().out
    assert "I was born." in shown
    assert "The Garden" in shown


@pytest.mark.parametrize("json", [True, False])
def test_an_empty_life_makes_nobody(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], json: bool
) -> None:
    (tmp_path / "life.jsonl").write_text("\n \n")
    argv = ["remember", "Wendell", str(tmp_path / "life.jsonl"), "--create", "--vault", str(vault)]
    assert main([*argv, "--json"] if json else argv) == 1
    said = capsys.readouterr()
    assert said.err == "loci: there is nothing to remember in life.jsonl, and nobody was made\n"
    assert said.out == ""
    assert not (vault / "agents/wendell").exists()


def test_whoever_is_there_already_is_told_that_there_was_nothing(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "life.jsonl").write_text("")
    assert main(["remember", "Eliza", str(tmp_path / "life.jsonl"), "--no-wait", "--vault", str(vault)]) == 0
    assert capsys.readouterr().out == "There is nothing to remember in life.jsonl.\n"


def test_one_memory_is_one(tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["remember", "Eliza", _life(tmp_path, {"text": "One pear."}), "--no-wait", "--vault", str(vault)]
    assert main(argv) == 0
    assert capsys.readouterr().out.startswith("Eliza: 1 memory, 0 folds, ")


def test_what_is_no_json_is_said_in_our_own_words(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "life.jsonl"
    path.write_text('{"text": "fine"}\n{"text": "x"\nnonsense\n{"text": "y",}\n' + "[" * 100_000 + "\n")
    assert _remember(vault, "Eliza", str(path)) == 1
    said = ["this is not valid JSON"] * 3 + ["this is nested too deep"]
    assert capsys.readouterr().err.splitlines() == [
        *(f"loci: life.jsonl:{line}: {what}" for line, what in enumerate(said, 2)),
        "loci: nothing of life.jsonl was remembered",
    ]
    assert memories(vault, "eliza") == []


def test_a_number_too_long_to_be_one_is_said_in_our_own_words(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "life.jsonl"
    path.write_text('{"text": "x", "mass": ' + "9" * 100_000 + "}\n")
    assert _remember(vault, "Eliza", str(path)) == 1
    assert capsys.readouterr().err.splitlines() == [
        "loci: life.jsonl:1: a number has 100,000 digits; expected at most 300",
        "loci: nothing of life.jsonl was remembered",
    ]


@pytest.mark.parametrize("key", ["text", "actor", "place", "reason"])
def test_half_a_character_is_refused_and_nothing_is_written(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    path = tmp_path / "life.jsonl"
    path.write_text('{"text": "fine"}\n' + json.dumps({"text": "One.", key: "half \ud800 pair"}) + "\n")
    assert _remember(vault, "Eliza", str(path)) == 1
    assert f"life.jsonl:2: {key}: " in capsys.readouterr().err
    assert memories(vault, "eliza") == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"text": "One.", "at": null, "text": "Two."}', "the key 'text' stands twice; expected once"),
        ('{"text": "One.", "more": {"a": 1, "a": 1}}', "the key 'a' stands twice; expected once"),
        ('{"text": "One.", "id": ' + "7" * 6000 + "}", "a number has 6,000 digits; expected at most 300"),
        ('{"text": "One.", "else": [-' + "7" * 6000 + "]}", "a number has 6,000 digits; expected at most 300"),
    ],
)
def test_a_line_of_which_a_part_would_be_lost_is_refused_and_nothing_is_written(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], line: str, says: str
) -> None:
    path = tmp_path / "life.jsonl"
    path.write_text(f'{{"text": "fine"}}\n{line}\n')
    assert _remember(vault, "Eliza", str(path)) == 1
    assert f"loci: life.jsonl:2: {says}\n" in capsys.readouterr().err
    assert memories(vault, "eliza") == []


@pytest.mark.parametrize("name", ["The Garden", "garden", "Sundial", "the SUNDIAL"])
def test_the_name_of_a_place_or_a_thing_makes_nobody(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert _remember(vault, name, _life(tmp_path, {"text": "x"}), "--create") == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "take another name" in told
    assert len(list(vault.glob("agents/*"))) == 4


@pytest.mark.parametrize("name", ['"', "#7", "[[x]]", "../evil", "Simonides"])
def test_a_name_that_cannot_be_one_makes_nobody(tmp_path: Path, vault: Path, name: str) -> None:
    assert _remember(vault, name, _life(tmp_path, {"text": "x"}), "--create") == 1
    assert len(list(vault.glob("agents/*"))) == 4


def test_a_life_may_come_through_a_pipe(vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text('{"text": "One."}\n\n{"text": "Two."}\n'))
    writer.start()
    assert _remember(vault, "eliza", str(pipe)) == 0
    writer.join()
    said = capsys.readouterr()
    assert json.loads(said.out)["count"] == 2
    assert f"waiting for the memories that come through {pipe}" in said.err


def test_a_device_is_no_file_of_memories(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _remember(vault, "eliza", "/dev/zero") == 1
    assert capsys.readouterr().err == "loci: /dev/zero is no ordinary file; expected a file or a pipe\n"


def test_of_a_line_that_is_too_long_no_more_is_held_than_a_line_may_have(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "life.jsonl"
    path.write_text('{"text": "One."}\n')
    os.truncate(path, 3 * 1024**3)
    tracemalloc.start()
    try:
        assert _remember(vault, "eliza", str(path)) == 1
        assert tracemalloc.get_traced_memory()[1] < 100 * 1024**2
    finally:
        tracemalloc.stop()
    said = "life.jsonl cannot be read: line 2 is too long; expected at most 16,777,216 bytes"
    assert capsys.readouterr().err == f"loci: {said}\n"


def test_a_pipe_is_read_no_further_than_a_line_that_is_too_long(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    endless = subprocess.Popen(["sh", "-c", 'exec cat /dev/zero > "$0"', pipe])
    try:
        assert _remember(vault, "eliza", str(pipe)) == 1
        assert "pipe cannot be read: line 1 is too long" in capsys.readouterr().err
    finally:
        endless.kill()
        endless.wait()


@pytest.mark.parametrize(("raw", "says"), [(b'{"text": "\xff"}\n', "not UTF-8"), (None, "cannot be read")])
def test_a_file_that_cannot_be_read_says_why(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], raw: bytes | None, says: str
) -> None:
    path = tmp_path / "life.jsonl"
    if raw is not None:
        path.write_bytes(raw)
    assert _remember(vault, "eliza", str(path)) == 1
    assert says in capsys.readouterr().err


def _record_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


PEARS = [f"Pear {number} fell into the long grass behind the mill." for number in range(1500)]


def test_a_full_disk_says_what_was_kept_and_resume_goes_on_from_there_exactly(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(tmp_path, *({"text": text} for text in PEARS))
    with file_size_limit(150_000):
        assert _remember(vault, "Eliza", life, "--no-wait") == 1
    said = capsys.readouterr()
    record = json.loads(said.out)
    kept = record["taken"]
    assert (record["first"], record["last"], record["count"], record["lines"]) == (1, kept, kept, 1500)
    assert 0 < kept < 1500
    assert texts(memories(vault, "eliza")) == PEARS[:kept]
    told = f"{kept} of the 1,500 lines of life.jsonl are remembered, as memories 1-{kept}"
    assert f"loci: {told}, and --resume goes on from there: " in said.err
    assert record["error"] in said.err
    assert _remember(vault, "Eliza", life, "--no-wait", "--resume") == 0
    said = capsys.readouterr()
    assert f"{told}; it is gone on from there" in said.err
    record = json.loads(said.out)
    assert (record["first"], record["last"], record["resumed_after"]) == (kept + 1, 1500, kept)
    assert texts(memories(vault, "eliza")) == PEARS
    assert _remember(vault, "Eliza", life, "--no-wait", "--resume") == 0
    record = _record_of(capsys)
    assert (record["first"], record["count"], record["taken"]) == (None, 0, 1500)
    assert texts(memories(vault, "eliza")) == PEARS


def test_the_same_file_once_more_says_that_it_is_there_already_and_comes_once_more(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(tmp_path, {"text": "One pear."}, {"text": "Two pears."})
    assert _remember(vault, "Eliza", life) == 0
    assert "already" not in capsys.readouterr().err
    assert _remember(vault, "Eliza", life) == 0
    told = "2 of the 2 lines of life.jsonl are remembered, as memories 1-2; they come once more; --resume goes on from"
    assert told in capsys.readouterr().err
    assert texts(memories(vault, "eliza")) == ["One pear.", "Two pears."] * 2


def test_a_file_that_was_written_on_is_gone_on_with_and_one_that_was_changed_is_not(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _remember(vault, "Eliza", _life(tmp_path, {"text": "One."}, {"text": "Two."})) == 0
    other = tmp_path / "other"
    other.mkdir()
    assert _remember(vault, "Eliza", _life(other, {"text": "One!"}, {"text": "Two."}), "--resume") == 1
    assert "nothing of life.jsonl is remembered as it is now, but other lines are" in capsys.readouterr().err
    longer = _life(tmp_path, {"text": "One."}, {"text": "Two."}, {"text": "Three."})
    assert _remember(vault, "Eliza", longer, "--resume") == 0
    assert texts(memories(vault, "eliza")) == ["One.", "Two.", "Three."]


def test_a_memory_of_an_id_that_is_taken_is_passed_over_by_the_same_agent_alone(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    life = _life(
        tmp_path, *({"text": f"{word}.", "id": id} for word, id in zip("ABCD", ["1", "2", "1", "4"], strict=True))
    )
    for _ in range(2):
        assert _remember(vault, "Eliza", life) == 0
    said = capsys.readouterr()
    assert [json.loads(line)["known"] for line in said.out.splitlines()] == [1, 4]
    assert "4 lines passed over: memories of the same id are there already" in said.err
    assert texts(memories(vault, "eliza")) == ["A.", "B.", "D."]
    assert [one["id"] for one in memories(vault, "eliza")] == ["1", "2", "4"]
    assert _remember(vault, "Moss", life) == 0
    assert texts(memories(vault, "moss")) == ["A.", "B.", "D."]


def test_ids_and_resuming_go_together(tmp_path: Path, vault: Path) -> None:
    life = _life(tmp_path, *({"text": text, "id": f"pear-{at % 900}"} for at, text in enumerate(PEARS)))
    with file_size_limit(100_000):
        assert _remember(vault, "Eliza", life, "--no-wait") == 1
    assert _remember(vault, "Eliza", life, "--no-wait", "--resume") == 0
    assert _remember(vault, "Eliza", life, "--no-wait") == 0
    assert texts(memories(vault, "eliza")) == PEARS[:900]


@pytest.mark.parametrize(
    "at",
    [
        "yesterday", "2026-02-31T10:00:00Z", "2026-02-31T10:00:00.000Z", "0000-01-01T00:00:00Z", "2026-13-01",
        "12026-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+01:00", "2026-W07", "20260101",
        "2026-01-01T25:00:00Z", "2026-01-01T10", "10:00", "2026-01-01x10:00", "2026-01-01T10:00:00 CET", "٢٠٢٦-01-01",
    ],
)  # fmt: skip
def test_a_date_that_is_none_is_refused_with_its_line_and_nothing_is_written(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], at: str
) -> None:
    assert _remember(vault, "Eliza", _life(tmp_path, {"text": "One."}, {"text": "Two.", "at": at})) == 1
    assert f"life.jsonl:2: at: {at!r} is no time; expected one such as" in capsys.readouterr().err
    assert not (vault / "agents/eliza/archive").exists()


def test_a_date_that_can_be_read_in_one_way_is_kept_in_utc(tmp_path: Path, vault: Path) -> None:
    given = {
        "2026-11-20T07:21:37.123Z": "2026-11-20T07:21:37.123Z",
        "2026-11-20T07:21:37+02:00": "2026-11-20T05:21:37.000Z",
        "2026-11-20 07:21-0530": "2026-11-20T12:51:00.000Z",
        "2026-11-20T07:21:37,5z": "2026-11-20T07:21:37.500Z",
        "2026-11-20T07:21:37": "2026-11-20T07:21:37.000Z",
        "2026-11-20": "2026-11-20T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
        "0001-01-01": "0001-01-01T00:00:00.000Z",
    }
    assert _remember(vault, "Eliza", _life(tmp_path, *({"text": "A pear.", "at": at} for at in given))) == 0
    assert [one["at"] for one in memories(vault, "eliza")] == list(given.values())


@pytest.mark.parametrize(("id", "why"), [(7, "7 is no text"), ("x" * 201, "it is too long")])
def test_an_id_that_is_none_is_refused(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str], id: object, why: str
) -> None:
    assert _remember(vault, "Eliza", _life(tmp_path, {"text": "One.", "id": id})) == 1
    assert f"life.jsonl:1: id: {why}" in capsys.readouterr().err
