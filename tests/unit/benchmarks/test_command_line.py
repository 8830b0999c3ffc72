from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.__main__ import main


@pytest.mark.parametrize("argv", [[], ["--json"], ["nothing"]])
def test_a_bench_that_is_not_there_is_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    assert "NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["--vault", "DIR", "--json", "recall", "--data", "x"],
        ["recall", "--data", "x", "--vault", "DIR", "--json"],
        ["--vault", "DIR", "recall", "--data", "x"],
    ],
)
def test_what_every_command_takes_may_stand_before_or_behind_the_name(
    tmp_path: Path, argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "The kiln is cold."}\n')
    (tmp_path / "data-questions.jsonl").write_text("")
    given = [str(tmp_path / "nowhere") if one == "DIR" else str(data) if one == "x" else one for one in argv]
    assert main(given) == 1
    assert f"there is no vault in {tmp_path / 'nowhere'}" in capsys.readouterr().err


def test_the_help_names_every_bench(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "is what was lived through found again" in capsys.readouterr().out
