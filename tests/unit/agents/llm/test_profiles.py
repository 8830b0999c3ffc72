from __future__ import annotations

from pathlib import Path

import pytest

from agents.llm.profiles import LLMProfile
from mud.storage.settings import describe, fill
from tests.settings import parse_settings

SHIPPED = Path("vault/config/llm")


def shipped(name: str) -> LLMProfile:
    values, problems = parse_settings((SHIPPED / f"{name}.md").read_text("utf-8"), LLMProfile, name)
    assert problems == []
    return fill(LLMProfile, values)


@pytest.mark.parametrize("name", ["think", "summarizer", "dream"])
def test_a_shipped_profile_shows_every_key_with_its_help(name: str) -> None:
    text = (SHIPPED / f"{name}.md").read_text("utf-8")
    values, _ = parse_settings(text, LLMProfile, name)
    assert set(values) == {one.key for one in describe(LLMProfile)}
    assert all(one.help.rstrip(".") in text for one in describe(LLMProfile))


def test_a_summary_has_its_own_stop_and_length() -> None:
    think, summarizer = shipped("think"), shipped("summarizer")
    assert "\n" in think.stop
    assert "\n" not in summarizer.stop
    assert summarizer.max_tokens > think.max_tokens


def test_a_backend_that_there_is_not_is_a_problem_with_file_line_and_key() -> None:
    _, problems = parse_settings("# x\n\n**backend**: openai_compatable\n", LLMProfile, "config/llm/think.md")
    assert [str(problem).startswith("config/llm/think.md:3: backend: ") for problem in problems] == [True]
    assert "openai_compatible" in str(problems[0])
