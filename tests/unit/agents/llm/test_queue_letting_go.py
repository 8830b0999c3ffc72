"""Models that no profile names any more are let go of, as soon as nobody asks them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agents.llm.backend import Completion
from agents.llm.backends.embedded import EMBEDDED
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, settle

A = LLMProfile(backend="scripted", host="a", timeout=60)
B = replace(A, host="b")


def asked(stage: Stage, name: str = "think") -> asyncio.Task[Completion]:
    return asyncio.create_task(stage.queue.ask(lambda: "x", name, Urgency.THINK, "Eliza"))


async def closed(model: ScriptedModel) -> bool:
    await settle()
    try:
        await model.check(A)
    except Unavailable:
        return True
    return False


def hosts(stage: Stage) -> list[str]:
    return [one.host for one in stage.queue.health()]


async def test_a_model_that_no_profile_names_any_more_is_closed_and_its_host_forgotten() -> None:
    stage = Stage({"a": ScriptedModel(["one"]), "b": ScriptedModel(["two"])}, {"think": A})
    await asked(stage)
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think"])
    assert await closed(stage.models["a"])
    assert hosts(stage) == []
    assert (await asked(stage)).text == "two"
    assert hosts(stage) == ["b"]
    assert not await closed(stage.models["b"])


async def test_a_model_that_another_profile_names_stays() -> None:
    stage = Stage({"a": ScriptedModel(["one", "two"]), "b": ScriptedModel()}, {"think": A, "summarizer": A})
    await asked(stage)
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think", "summarizer"])
    assert not await closed(stage.models["a"])
    assert (await asked(stage, "summarizer")).text == "two"


async def test_a_call_under_way_is_not_disturbed_and_its_model_closed_after_it() -> None:
    stage = Stage({"a": ScriptedModel([gate := Gate("well")]), "b": ScriptedModel(["two"])}, {"think": A})
    thought = asked(stage)
    await settle()
    stage.profiles["think"] = B
    stage.queue.hosts.keep_only(["think"])
    assert not await closed(stage.models["a"])
    gate.open()
    assert (await thought).text == "well"
    assert await closed(stage.models["a"])
    assert hosts(stage) == []


async def test_closing_waits_for_a_model_that_is_being_let_go_of() -> None:
    class Slow(ScriptedModel):
        ended = False

        async def close(self) -> None:
            await asyncio.sleep(0)
            await super().close()
            self.ended = True

    model = Slow(["one"])
    stage = Stage({"a": model}, {"think": A})
    await asked(stage)
    stage.queue.hosts.keep_only([])
    await stage.queue.close(0)
    assert model.ended


@pytest.mark.parametrize("model", ["", "~/weights/small.gguf"])
def test_an_embedded_model_is_called_by_its_file(model: str) -> None:
    named = EMBEDDED.host(LLMProfile(model=model))
    assert named.endswith(f"{Path(model).expanduser() if model else 'SmolLM2'} with a window of 8192 tokens")


def test_two_files_of_one_name_are_two_models_and_a_link_is_its_file(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "small.gguf").touch()
    (tmp_path / "link.gguf").symlink_to(tmp_path / "one" / "small.gguf")
    files = ("one/small.gguf", "two/small.gguf", "link.gguf")
    one, two, link = (EMBEDDED.host(LLMProfile(model=str(tmp_path / file))) for file in files)
    assert one != two
    assert one == link
