from __future__ import annotations

from pathlib import Path

import pytest

from mud.commands import Outcome
from mud.errors import Problem, Refusal
from mud.server.requests import carry_out
from mud.storage.world_state import read_state
from mud.world.events import Request
from tests.houses import House, house


async def _told(home: House, request: Request, problems: list[Problem] | None = None) -> str:
    outcome = await carry_out(home.parts, request, lambda: problems or [])
    assert isinstance(outcome, Outcome)
    return outcome.reply


async def _refused(home: House, request: Request) -> str:
    outcome = await carry_out(home.parts, request, list)
    assert isinstance(outcome, Refusal)
    return outcome.text


async def test_saving_names_the_step(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert str(home.engine.number) in await _told(home, Request("save", ann.id, 1))
        state = read_state(home.parts.vault)
        assert state is not None
        assert state.step == home.engine.number


async def test_what_cannot_be_saved_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        (home.parts.vault / "world/state.md").mkdir()
        told = await _refused(home, Request("save", "#1", 1))
        assert "could not be saved" in told


async def test_reloading_says_what_is_wrong(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        request = Request("reload", "#1", 1)
        assert "nothing is wrong" in await _told(home, request)
        told = await _told(home, request, [Problem("config/world.md", 3, "line_limit", "it is wrong")])
        assert "config/world.md:3: line_limit: it is wrong" in told


async def test_a_setting_is_shown_with_its_origin_and_an_unknown_one_with_a_suggestion(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = await _told(home, Request("show_config", "#1", 1, {"key": "immediate_window"}))
        assert "64 (from config/memory_compaction.md:" in told
        assert "immediate_window" in await _told(home, Request("show_config", "#1", 1))


async def test_a_setting_is_shown_as_it_is_written_in_its_file(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = await _told(home, Request("show_config", "#1", 1))
        for file in ("memory_compaction", "thinking", "recall", "world"):
            for line in (home.parts.vault / f"config/{file}.md").read_text(encoding="utf-8").splitlines():
                if line.startswith("**"):
                    key, _, value = line.removeprefix("**").partition("**:")
                    written = value.strip() or '""'
                    assert f"{file}.{key}: {written} (from config/{file}.md:" in told


async def test_a_setting_that_is_what_it_would_be_unset_overrules_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        told = await _told(home, Request("show_config", "#1", 1, {"key": "immediate_window"}))
        assert "default is 64 too" in told
        assert "instead of" not in told


@pytest.mark.parametrize(
    ("key", "told", "hint"),
    [
        ("nix", 'There is no setting "nix".', "@show-config lists all there are"),
        ("imediate_window", 'There is no setting "imediate_window".', "did you mean immediate_window?"),
        ("backend", '"backend" could be llm/dream.backend, llm/embed.backend, ', ""),
        ("x" * 99, f'There is no setting "{"x" * 60}...".', "@show-config lists all there are"),
    ],
)
async def test_a_setting_that_there_is_not_is_refused_with_what_may_be_meant(
    tmp_path: Path, key: str, told: str, hint: str
) -> None:
    async with house(tmp_path) as home:
        refusal = await carry_out(home.parts, Request("show_config", "#1", 1, {"key": key}), list)
        assert isinstance(refusal, Refusal)
        assert refusal.text.startswith(told)
        assert refusal.hint == hint


@pytest.mark.parametrize("name", ["recall", "note", "think_aloud", "memory_status", "compact", "impersonate"])
async def test_whatever_is_asked_for_somebody_without_a_mind_is_refused(tmp_path: Path, name: str) -> None:
    async with house(tmp_path) as home:
        assert await _refused(home, Request(name, "#1", 1, {"query": "x", "title": "x", "text": "x", "reason": ""}))


async def test_a_faulty_answer_is_refused_without_a_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        told = await _refused(home, Request("recall", ann.id, 1))  # without its query
        assert "recall" in told
        assert "Traceback" not in told
        assert "KeyError" in caplog.text


async def test_the_requests_of_one_person_are_answered_in_order(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        replies = [(await home.ask(ann, line)).reply for line in ("note A -> one", "recall one", "@memory-status")]
        assert "A" in replies[0]
        assert replies[2].startswith("Memory of Ann")
        assert [entry.kind for entry in ann.memory.tail] == ["note", "result"]
