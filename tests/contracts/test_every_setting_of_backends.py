"""Every setting that only some backends read does what it says, from a vault's file to what a server is sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.llm.backends.ollama import Ollama
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.profiles import LLMProfile
from mud.server.wiring import load_commands, opened
from mud.storage.settings import Scalar
from mud.world.roles import Role
from tests.live_server import LiveServer
from tests.ollama_adapter import adapting
from tests.settings import proves, put
from tests.vaults import copy_vault, without_vectors


def profile_of(vault: Path, **values: Scalar) -> LLMProfile:
    """Return the profile of thoughts after these keys were set in its file."""
    put(vault, "llm/think", **values)
    with opened(vault, writable=False) as parts:
        return parts.configuration.get_named(LLMProfile, "think")


@proves("llm.keep_alive", "llm.think")
async def test_ollama_is_told_how_long_to_keep_the_model_and_how_long_it_thinks(
    tmp_path: Path, live_server: LiveServer
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    async with adapting(live_server) as adapter:
        for keep, think in (("", "auto"), ("30m", "never"), ("-1", "auto")):
            profile = profile_of(vault, backend="ollama", host=adapter.host, keep_alive=keep, think=think)
            model = Ollama(profile)
            await model.complete("~Eliza>", profile)
            await model.close()
    told = [(body.get("keep_alive"), body.get("think")) for body in adapter.asked]
    assert told == [(None, None), ("30m", False), (-1, None)]


@proves("llm.commands_only")
@pytest.mark.parametrize("only", [True, False])
async def test_a_real_server_is_held_to_the_commands_of_the_world(
    tmp_path: Path, live_server: LiveServer, only: bool
) -> None:
    known = tuple(one.usage for one in load_commands() if one.for_models and one.role <= Role.AGENT)
    set_so = profile_of(copy_vault(tmp_path), host=live_server.address, commands_only=only, temperature=1.5)
    model = OpenAICompatible(set_so)
    replies = [await model.complete("The water goes", replace(set_so, commands=known)) for _ in range(3)]
    await model.close()
    verbs = {(reply.text.split() or [""])[0] for reply in replies}
    assert (verbs <= {usage.split()[0] for usage in known}) is only
