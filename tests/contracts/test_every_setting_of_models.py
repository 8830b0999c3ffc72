"""Every setting of an LLM profile does what it says, seen from the other end of a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agents.life.prompting import Related
from agents.llm.backend import Completion
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from mud.server.wiring import Parts, opened
from mud.world.events import Perception
from tests.settings import proves, put
from tests.unit.agents.llm.stage import running, waiting
from tests.vaults import copy_vault

PROMPT = "You are Eliza in The Garden.\n~Eliza>"


@dataclass(frozen=True)
class Asked:
    """One request: its path, its headers in lower case, its decoded body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Server:
    """Speaks OpenAI's protocol: notes what it is asked, and answers once its gate is open."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[Asked] = asyncio.Queue()
        self.gate = asyncio.Event()
        self.gate.set()
        self.host = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
            self.asked.put_nowait(Asked(first.split()[1], headers, body))
            await self.gate.wait()
            choice = {"message": {"content": "look"}} if "messages" in body else {"text": "look"}
            reply = json.dumps({"choices": [choice], "model": body.get("model"), "data": [{"id": "listed"}]}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(reply) + reply)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # whoever asked has given up, which is what one of the tests is about
        finally:
            writer.close()


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    one = Server()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.host = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        try:
            yield one
        finally:
            one.gate.set()


@asynccontextmanager
async def asking(vault: Path) -> AsyncIterator[Parts]:
    with opened(vault, writable=True) as parts:
        try:
            yield parts
        finally:
            await parts.queue.close(0)


async def ask(parts: Parts, prompt: str = PROMPT) -> Completion:
    return await parts.queue.ask(lambda: prompt, "think", Urgency.THINK, "Eliza")


async def asked(vault: Path, **values: str | float | int | tuple[str, ...]) -> Asked:
    """Return what a server is asked for a thought when the profile `think` has these values."""
    async with serving() as server:
        put(vault, "llm/think", **({"host": server.host, "model": "small"} | values))
        async with asking(vault) as parts:
            assert (await ask(parts)).text == "look"
        return server.asked.get_nowait()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return copy_vault(tmp_path)


@proves("llm.backend")
async def test_the_backend_is_the_one_named(vault: Path) -> None:
    put(vault, "llm/think", backend="scripted", model="say I am a script.")
    async with asking(vault) as parts:
        assert (await ask(parts)).text == "say I am a script."
    assert (await asked(vault, backend="openai_compatible")).path.startswith("/v1/")


@proves("llm.host", "llm.model", "llm.temperature", "llm.max_tokens", "llm.stop")
async def test_the_host_is_asked_for_what_the_profile_says(vault: Path) -> None:
    one = await asked(vault, model="large", temperature=0.25, max_tokens=33, stop=("\n", "END"))
    other = await asked(vault, model="tiny", temperature=1.5, max_tokens=44, stop=())
    assert one.body == {
        "model": "large",
        "temperature": 0.25,
        "max_tokens": 33,
        "stop": ["\n", "END"],
        "prompt": PROMPT,
        "stream": False,
    }
    assert other.body == {"model": "tiny", "temperature": 1.5, "max_tokens": 44, "prompt": PROMPT, "stream": False}


@proves("llm.api")
@pytest.mark.parametrize(("api", "path"), [("completions", "/v1/completions"), ("chat", "/v1/chat/completions")])
async def test_the_api_is_the_one_chosen(vault: Path, api: str, path: str) -> None:
    one = await asked(vault, api=api)
    assert one.path == path
    assert ("messages" in one.body) is (api == "chat")


@proves("llm.api_key_env")
async def test_the_key_comes_from_the_variable_that_is_named(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCI_API_KEY_OF_MINE", "sk-lantern")
    assert (await asked(vault, api_key_env="LOCI_API_KEY_OF_MINE")).headers["authorization"] == "Bearer sk-lantern"
    assert "authorization" not in (await asked(vault, api_key_env="")).headers


@proves("llm.timeout")
async def test_a_call_is_given_up_after_its_timeout(vault: Path) -> None:
    async with serving() as server:
        server.gate.clear()
        put(vault, "llm/think", host=server.host, model="small", timeout=0.1)
        async with asking(vault) as parts:
            with pytest.raises(Unavailable, match=r"did not answer within 0\.1 s"):
                await asyncio.wait_for(ask(parts), 30)


@proves("llm.concurrency")
@pytest.mark.parametrize("most", [1, 2])
async def test_a_server_is_given_so_many_calls_at_once(vault: Path, most: int) -> None:
    async with serving() as server:
        server.gate.clear()
        put(vault, "llm/think", host=server.host, model="small", concurrency=most)
        async with asking(vault) as parts:
            calls = [asyncio.create_task(ask(parts)) for _ in range(2)]
            for _ in range(most):
                await asyncio.wait_for(server.asked.get(), 30)
            assert (running(parts.queue), waiting(parts.queue)) == (most, 2 - most)
            server.gate.set()
            assert [reply.text for reply in await asyncio.gather(*calls)] == ["look", "look"]


@proves("llm.num_ctx")
async def test_prompt_and_reply_together_never_exceed_the_window(vault: Path) -> None:
    put(vault, "llm/think", num_ctx=1024, max_tokens=100, backend="scripted", model="look")
    async with asking(vault) as parts:
        agent = parts.minds.get("Eliza")
        lines = [Perception(agent.id, "heard", f'Moss says, "Lamp {n} is lit."', "Moss") for n in range(200)]
        agent.memory.append(lines, "2026-01-01T00:00:00.000Z", 1)
        prompt = parts.prompting.build(agent, Related())
        assert (prompt.window, prompt.tokens <= 924, bool(prompt.shed)) == (1024, True, True)
        assert (await ask(parts, prompt.text)).text == "look"
        with pytest.raises(Unavailable, match="num_ctx 1024"):
            await ask(parts, "word " * 1000)


async def test_summaries_are_asked_for_within_the_window_of_their_profile(vault: Path) -> None:
    put(vault, "memory_compaction", immediate_window=2, recent_window=40)
    put(
        vault,
        "llm/summarizer",
        num_ctx=1024,
        max_tokens=200,
        backend="scripted",
        model="I heard Moss name a lamp of the Boathouse.",
    )
    async with asking(vault) as parts:
        agent = parts.minds.get("Eliza")
        lines = [
            Perception(agent.id, "heard", f'Moss says, "Lamp {n} of the Boathouse is lit."', "Moss") for n in range(43)
        ]
        agent.memory.append(lines, "2026-01-01T00:00:00.000Z", 1)
        await agent.compactor.fold_due()
        assert parts.queue.overview(["summarizer"])[0].totals.answered > 1
    assert agent.memory.recent is not None
    assert agent.memory.recent.method == "model"
