from __future__ import annotations

from pathlib import Path

import pytest

from agents.llm.tokens import estimate
from agents.prompt import OPTIONAL, PLACES, TEMPLATES, PromptParts, Template, build_prompt, parse_template
from mud.errors import VaultProblem
from tests.vaults import SHIPPED

STABLE = parse_template((SHIPPED / "prompts/think.md").read_text("utf-8"), "prompts/think.md")


def build(parts: PromptParts, template: Template) -> str:
    return build_prompt(parts, template, window=8192, reserve=96, count=estimate).text


def test_an_empty_template_is_a_problem_and_no_crash() -> None:
    with pytest.raises(VaultProblem):
        parse_template("", "prompts/think.md")


def test_a_template_saved_on_windows_reads_the_same() -> None:
    text = Path("vault/prompts/think.md").read_text("utf-8")
    assert parse_template("\ufeff" + text.replace("\n", "\r\n"), STABLE.file) == STABLE


def test_other_braces_are_plain_text() -> None:
    text = "{{x}} { } {A}\n" + "\n\n".join(f"{{{place}}}" for place in PLACES) + "\n~{name}>"
    with pytest.raises(VaultProblem, match=r"\{x\}"):
        parse_template(text, "prompts/think.md")
    plain = parse_template(text.replace("{{x}}", ""), "prompts/think.md")
    assert "{ } {A}" in build(PromptParts("Eliza"), plain)


@pytest.mark.parametrize("file", TEMPLATES.values())
def test_a_template_from_before_the_optional_places_goes_on_as_it_was(file: str) -> None:
    text = (SHIPPED / "prompts" / file).read_text("utf-8")
    older = "".join(line for line in text.splitlines(True) if "{now}" not in line and "{carried}" not in line)
    assert older.count("\n") == text.count("\n") - len(OPTIONAL)
    parts = PromptParts("Eliza", now="Tuesday", carried=("lamp glass",))
    told = build(parts, parse_template(older, file))
    assert told == build(PromptParts("Eliza"), parse_template(text, file))
