from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.agent import Agent
from agents.mind.traces import ModelCall, Trace
from agents.prompt.prompt import PromptSection
from mud.command_line import main
from mud.world.events import WHISPERED, Perception
from mud.world.roles import Role
from tests.houses import house

SECTIONS = (PromptSection("words", 3, "You are Eliza."), PromptSection("words", 2, "~Eliza>"))
AT = "2026-11-20T07:21:37.123Z"


def thought(
    agent: Agent, step: int, line: str, *, refused: str = "", rejected: str = "", brain: str = "language"
) -> None:
    call = ModelCall(reply=f"{line}\n", rejected=rejected, model="m", sections=SECTIONS)
    trace = Trace(step, AT, agent.id, line, name=agent.name, brain=brain, refused=refused, asked=(call,))
    agent.traces.keep(trace, 1_000_000)


def exported(vault: Path, *more: str) -> list[dict[str, Any]]:
    file = vault.parent / "out.jsonl"
    assert main(["export", "--training", str(file), "--vault", str(vault), *more]) == 0
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def lived(folder: Path) -> Path:
    """Three thoughts of Eliza, then a secret, then a fourth."""
    async with house(folder) as home:
        eliza = home.agent("Eliza")
        thought(eliza, 1, "say Hello. | to be polite")
        thought(eliza, 2, "go nowhere", refused="There is no way there.")
        thought(eliza, 3, "look", rejected="said before", brain="instinct")
        whisper = Perception(eliza.id, "heard", 'Ann whispers, "The key is here."', "Ann", mark=WHISPERED)
        eliza.memory.append([whisper], AT, 4)
        thought(eliza, 5, "say I know where it is.")
        ann = home.enter("Ann", "The Library")
        while home.engine.number < 5:
            home.type(ann, "look")
        return home.parts.vault


async def test_a_thought_is_a_chat_or_a_completion(tmp_path: Path) -> None:
    vault = await lived(tmp_path)
    first = exported(vault)[0]
    assert [one["role"] for one in first["messages"]] == ["user", "assistant"]
    assert first["messages"][0]["content"] == "You are Eliza.\n~Eliza>"
    assert first["messages"][1]["content"] == "say Hello. | to be polite"
    assert exported(vault, "--form", "completion")[0]["completion"] == " say Hello. | to be polite"


async def test_what_was_thought_with_a_secret_stays_out_unless_the_owner_lets_it_in(tmp_path: Path) -> None:
    vault = await lived(tmp_path)
    assert [one["step"] for one in exported(vault)] == [1, 2, 3]
    assert [one["step"] for one in exported(vault, "--whispers")] == [1, 2, 3, 5]


async def test_a_whisper_stays_out_even_when_it_was_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        thought(home.agent("Eliza"), 1, "whisper Ann The key is here.", refused="Ann is not here.")
        vault = home.parts.vault
    assert exported(vault) == []


@pytest.mark.parametrize(
    ("more", "steps"),
    [
        (("--outcome", "done"), [1]),
        (("--outcome", "refused"), [2]),
        (("--outcome", "rejected"), [3]),
        (("--brain", "language"), [1, 2]),
        (("--agent", "eliza"), [1, 2, 3]),
        (("--agent", "Moss"), []),
    ],
)
async def test_thoughts_can_be_chosen(tmp_path: Path, more: tuple[str, str], steps: list[int]) -> None:
    assert [one["step"] for one in exported(await lived(tmp_path), *more)] == steps


async def test_a_file_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = await lived(tmp_path)
    assert main(["export", "--training", str(tmp_path / "none/deep/out.jsonl"), "--vault", str(vault)]) == 1
    assert "cannot be written" in capsys.readouterr().err


async def test_in_the_world_the_owner_sees_counts_and_exports(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert "no thoughts" in (await home.ask(ann, "@training")).reply
        thought(home.agent("Eliza"), 1, "look")
        assert "Eliza: 1 done, 0 refused" in (await home.ask(ann, "@training")).reply
        assert "In log/training/chat-done.jsonl: 1 thought;" in (await home.ask(ann, "@training export done")).reply
        assert (home.parts.vault / "log/training/chat-done.jsonl").read_text("utf-8").count("\n") == 1
        assert (await home.ask(ann, "@training export nonsense")).failed
        assert home.type(ann, "@training", Role.PLAYER).failed
