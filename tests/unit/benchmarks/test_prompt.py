from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.llm.backend import Completion
from agents.prompt.prompt import Prompt, PromptSection
from tests.benchmarks.__main__ import main
from tests.benchmarks._prompt.evening import MeasuredThought
from tests.benchmarks._prompt.experiences import seen_in
from tests.benchmarks._prompt.telling import row_of, table, told
from tests.benchmarks._prompt.watching import Call
from tests.live_server import LiveServer, live_server
from tests.settings import put
from tests.unit.benchmarks.running import record_of, run_bench
from tests.vaults import copy_vault, without_vectors

__all__ = ["live_server"]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    copy = without_vectors(copy_vault(tmp_path))
    put(copy, "memory_compaction", immediate_window=6, recent_window=6)
    put(copy, "llm/think", max_tokens=12, num_ctx=768)
    return copy


def short(server: LiveServer, *more: object) -> tuple[object, ...]:
    return ("--host", server.address, "--lexical", "--thoughts", 1, "--agents", 1, "--past", 9, *more)


def test_a_real_server_says_how_much_of_each_order_it_had_read_before(
    vault: Path, live_server: LiveServer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench prompt -->\n<!-- end -->\n")
    record = record_of("prompt", vault, capsys, *short(live_server, "--table", page))
    stable, classic = record["orders"]
    assert (stable["order"], classic["order"]) == ("stable", "classic")
    for row in (stable, classic):
        assert row["thoughts"] == 1
        assert 1 <= row["calls"] <= 2
        assert 0 < row["cached_share"] < 1
        assert 0 < row["volatile_tokens"] < row["prompt_tokens"]
        assert row["read_anew_tokens"] == pytest.approx(row["prompt_tokens"] * (1 - row["cached_share"]), abs=3)
        assert row["seconds_p50"] > 0
        assert 0 <= row["own_lines"] <= 1
    assert sorted(path.name for path in vault.glob("agents/*/*")) == ["agent.md"] * 4, "the vault itself stays"
    assert "| classic | " in page.read_text()


@pytest.mark.torture
def test_the_same_seed_lives_the_same_evening(
    vault: Path, live_server: LiveServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put(vault, "llm/think", temperature=0.0)
    one, other = (
        record_of("prompt", vault, capsys, *short(live_server, "--orders", "stable", "--seed", 3))["orders"][0]
        for _ in range(2)
    )
    for row in (one, other):
        for key in ("seconds_p50", "seconds_mean", "cached_share", "read_anew_tokens"):  # the server knows it by now
            row.pop(key)
    assert one == other


def test_a_server_that_is_not_there_is_said_in_one_sentence(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("--host", "http://127.0.0.1:9", "--lexical", "--thoughts", 1, "--past", 1)
    assert run_bench("prompt", vault, *argv) == 1
    assert "the model did not answer: http://127.0.0.1:9: down since" in capsys.readouterr().err


def test_more_agents_than_there_are_are_refused(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_bench("prompt", vault, "--host", "http://127.0.0.1:9", "--lexical", "--agents", 9) == 1
    assert "9 agents are to think, and" in capsys.readouterr().err


def test_no_vault_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "--host", "http://127.0.0.1:9", "--vault", str(tmp_path / "none")]) == 1
    assert "there is no vault in" in capsys.readouterr().err


def test_prompts_of_grown_lives_show_two_past_experiences_and_no_server_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", immediate_window=16, recent_window=16)
    record = record_of("prompt", vault, capsys, "--parts", "experiences", "--lexical", "--seeds", "3", "--steps", 900)
    rows = record["experiences"]
    assert [(row["seed"], row["by"], row["prompts"]) for row in rows] == [(3, "words", 24)]
    assert sum(row["two"] for row in rows) >= 22
    for row in rows:
        assert row["two"] + row["one"] + row["none"] == 24
        assert 0 < row["tokens"] < row["prompt_tokens"]
    assert sorted(path.name for path in vault.glob("agents/*/*")) == ["agent.md"] * 4, "the vault itself stays"


def test_only_whole_experiences_of_two_sentences_are_counted() -> None:
    lines = (
        '- I was at the mill. … Ann said, "A bell rang." (memories 1-65)',
        '- Ann said, "A bell. Two bells." (memories 66-129)',
        "- I slept. It rained. (memory 130)",
    )
    text = "RELATED PAST EXPERIENCES:\n" + "\n".join(lines)
    section = PromptSection("experiences", 40, text)
    assert seen_in(Prompt(text, 50, 512, 96, (section,), (), None)) == (2, 40, 50)
    assert seen_in(Prompt("x", 1, 512, 96, (), (), None)) == (0, 0, 1)


def _thought(cached: int | None, read: int | None, seconds: float, own: bool, folds: int = 0) -> MeasuredThought:
    prompt = Prompt("x", 1, 512, 96, (), (), None)
    return MeasuredThought(
        "Ann", (Call(prompt, Completion("", read, 3, 0.1, "/models/tiny", cached)),), (50,), seconds, own, folds
    )


def _row(*thoughts: MeasuredThought) -> dict[str, Any]:
    return row_of("stable", thoughts)


def test_the_share_is_of_all_tokens_and_not_of_thoughts() -> None:
    row = _row(_thought(900, 1000, 1.0, True), _thought(0, 3000, 9.0, False, 1), _thought(900, 1000, 2.0, True))
    assert (row["cached_share"], row["prompt_tokens"], row["read_anew_tokens"]) == (0.36, 1667, 1067)
    assert (row["seconds_p50"], row["seconds_mean"], row["own_lines"], row["folds"]) == (2.0, 4.0, 2, 1)
    assert "| stable |         0.36 |        1,667 |" in str(table([row]))
    assert "asked of tiny" in told([row], 4, 240)


def test_a_server_that_does_not_say_what_it_knew_is_no_zero() -> None:
    row = _row(_thought(None, 1000, 1.0, True))
    assert (row["cached_share"], row["read_anew_tokens"]) == (None, None)
    assert "not told" in str(table([row]))
