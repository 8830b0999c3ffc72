"""Tokens counted by a real llama.cpp server: exactly, at once, and in a status."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.llm.backends.openai_compatible import OPENAI_COMPATIBLE
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from agents.llm.tokens import BY_SERVER, TokenCounter, at_most
from mud.registry import Registry
from mud.server.wiring import RealClock
from tests.houses import house
from tests.live_server import LiveServer
from tests.scripts import SCRIPTS
from tests.settings import proves
from tests.vaults import copy_vault

TEXTS = [
    "Dust turns in a blade of light. Somebody has left a chair by the window, facing out.",
    'Moss says, "The old key is under the third stone, by the fountain."',
    "I promised Tamsin 12 copper feathers before the bell rings at half past seven.",
    "You see here: sundial. Exits: north, east, west, gate",
    "Καλημέρα, 猫が好き 😀",
] * 4


def queue_of(server: LiveServer) -> ModelQueue:
    profile = LLMProfile(host=server.address)
    return ModelQueue(lambda name: profile, Registry("backend", [OPENAI_COMPATIBLE]), RealClock())


async def test_a_view_is_counted_exactly_and_single_texts_nearly_so(live_server: LiveServer) -> None:
    queue = queue_of(live_server)
    counter = TokenCounter(ask=queue.token_counter())
    exact = live_server.tokens("\n".join(TEXTS))
    assert await counter.calibrate(TEXTS) == exact
    assert counter.total(TEXTS) == (exact, BY_SERVER)
    summed = sum(map(counter.view(), TEXTS))
    assert exact <= summed <= 1.2 * exact
    await queue.close(0)


@pytest.mark.parametrize("name", sorted(SCRIPTS))
async def test_no_text_in_any_script_takes_more_than_is_counted_whatever_was_learned_from_english(
    live_server: LiveServer, name: str
) -> None:
    queue = queue_of(live_server)
    counter = TokenCounter(ask=queue.token_counter())
    lines = [f'{number}. Moss says, "{SCRIPTS[name]}"' for number in range(6)]
    exact = live_server.tokens("\n".join(lines))
    assert exact <= sum(map(counter.prompts(), lines)) + len(lines) - 1
    await counter.calibrate([*TEXTS[:4]] * 4)
    assert counter.ratio < 1
    assert exact <= sum(map(counter.prompts(), lines)) + len(lines) - 1
    await queue.close(0)


def test_plain_text_is_counted_at_most_a_third_too_high(live_server: LiveServer) -> None:
    text = "\n".join(TEXTS[:4])
    assert live_server.tokens(text) <= at_most(text) <= 1.33 * live_server.tokens(text)


@proves("memory_compaction.token_counter")
@pytest.mark.parametrize(("way", "by"), [("auto", BY_SERVER), ("characters", "a quarter of the characters")])
async def test_a_status_says_what_counted(tmp_path: Path, live_server: LiveServer, way: str, by: str) -> None:
    vault = copy_vault(tmp_path)
    think = vault / "config/llm/think.md"
    think.write_text(think.read_text().replace("http://127.0.0.1:8080", live_server.address))
    agent = vault / "agents/moss/agent.md"
    agent.write_text(agent.read_text().replace("brain: auto\n", f"brain: auto\ntoken_counter: {way}\n"))
    async with house(tmp_path, RealClock()) as home:
        moss = home.agent("Moss")
        moss.memory.append_raw([{"text": text} for text in TEXTS])
        await moss.measure()
        tokens = home.minds.status(moss)["tokens"]
    exact = live_server.tokens("\n".join(TEXTS)) if way == "auto" else sum(-(-len(text) // 4) for text in TEXTS)
    assert (tokens["view"], tokens["counted_by"], tokens["estimated"]) == (exact, by, False)


async def test_a_fold_by_tokens_is_decided_by_the_servers_own_count(tmp_path: Path, live_server: LiveServer) -> None:
    vault = copy_vault(tmp_path)
    think = vault / "config/llm/think.md"
    think.write_text(think.read_text().replace("http://127.0.0.1:8080", live_server.address))
    plain = ["Aurelio met Zbigniew, Oisin, Thorvald, Saoirse, Quilliam, Ingeborg, Xochitl and Kwame"] * 20
    exact = live_server.tokens("\n".join(plain))
    keys = f"strategy: layered\nmin_saving_tokens: 0\nmax_summary_tokens: 40\nthreshold_tokens: {round(1.15 * exact)}\n"
    assert sum(map(at_most, plain)) > 1.15 * exact, "without the server a fold would be due"
    agent = vault / "agents/moss/agent.md"
    agent.write_text(agent.read_text().replace("brain: auto\n", f"brain: auto\n{keys}"))
    async with house(tmp_path, RealClock()) as home:
        moss = home.agent("Moss")
        moss.memory.append_raw([{"text": text} for text in plain])
        assert moss.compactor.due()
        await moss.measure()
        assert not moss.compactor.due()
