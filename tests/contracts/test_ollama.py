"""Ollama's protocol as an adapter in front of a real llama.cpp server takes it: strictly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.llm.backend import Refused
from agents.llm.backends.ollama import Ollama
from agents.llm.profiles import LLMProfile
from tests.live_server import LiveServer
from tests.ollama_adapter import MODEL, adapting


async def test_every_setting_stands_where_it_counts(live_server: LiveServer) -> None:
    async with adapting(live_server) as adapter:
        profile = LLMProfile(backend="ollama", host=adapter.host, model="smollm2", stop=("\n", "###"))
        profile = replace(profile, temperature=0.25, max_tokens=7, num_ctx=2048, keep_alive="30m")
        model = Ollama(profile)
        await model.complete("the prompt", profile)
        await model.complete("the prompt", replace(profile, api="chat", stop=(), keep_alive="-1", think="never"))
        adapter.thinks = True
        await model.complete("the prompt", replace(profile, model="", think="low"), lambda text: True)
        await model.complete("the prompt", replace(profile, think="always"))
        await model.close()
    first, chat, low, always = adapter.asked
    assert first == {
        **{"model": "smollm2", "prompt": "the prompt", "stream": False, "raw": True, "keep_alive": "30m"},
        **{"options": {"temperature": 0.25, "num_predict": 7, "num_ctx": 2048, "stop": ["\n", "###"]}},
        **{"truncate": False, "shift": False},
    }
    assert (chat["raw"], chat["keep_alive"], chat["think"], "stop" in chat["options"]) == (False, -1, False, False)
    assert (low["model"], low["stream"], low["think"]) == (MODEL, True, "low")
    assert always["think"] is True


async def test_what_ollama_would_cut_or_not_do_is_refused(live_server: LiveServer) -> None:
    async with adapting(live_server) as adapter:
        profile = LLMProfile(backend="ollama", host=adapter.host, num_ctx=512)
        model = Ollama(profile)
        with pytest.raises(Refused, match="exceeds the context length"):
            await model.complete("hi " * 600, profile)
        with pytest.raises(Refused, match="does not support thinking"):
            await model.complete("hi", replace(profile, think="always"))
        await model.close()
