from __future__ import annotations

import pytest

from agents.llm.backends.scripted import SCRIPTED, ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from mud.errors import Unavailable

PROFILE = LLMProfile(backend="scripted")


async def test_a_script_ends_in_words() -> None:
    model = ScriptedModel(["look"])
    assert (await model.complete("one", PROFILE)).text == "look"
    with pytest.raises(Unavailable, match="at its end"):
        await model.complete("two", PROFILE)
    assert model.prompts == ["one", "two"]


async def test_named_in_a_profile_it_says_its_texts_over_and_over() -> None:
    profile = LLMProfile(backend="scripted", model="say Hello. / look")
    model = SCRIPTED.make(profile)
    assert [(await model.complete("x", profile)).text for _ in range(3)] == ["say Hello.", "look", "say Hello."]


async def test_a_long_text_is_cut_at_a_word() -> None:
    profile = LLMProfile(backend="scripted", max_tokens=10)
    text = (await ScriptedModel(["all work and no play " * 9]).complete("x", profile)).text
    assert text
    assert ("all work and no play " * 9).startswith(text + " ")
    assert estimate(text) <= 10
