"""Servers that embed, over real sockets: a real llama.cpp with SmolLM2, Ollama's protocol, and a fickle one.

SmolLM2 was not made for embeddings: the mean of what it holds of a text is good enough to try the protocol with. No
real Ollama can be had here: its protocol is emulated, as far as its documentation tells.
"""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from agents.llm.profiles import LLMProfile
from agents.recall.embedders.hashing import HashingEmbedder
from tests.live_server import LiveServer, weights

OLLAMA_MODEL = "smollm2:latest"
OLLAMA_FIELDS = {"model", "input", "truncate", "options", "keep_alive", "dimensions"}

Answer = tuple[int, Any]
"""A status and what is sent as JSON; None hangs up instead."""


@functools.cache
def llama() -> LiveServer:
    """Start a llama.cpp server that embeds, once."""
    import xllamacpp  # costs half a second, which only tests with a model should pay

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = 2048
    params.n_parallel = 1
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.port = 0
    params.verbosity = 0
    server = xllamacpp.Server(params)
    return LiveServer(server.listening_address, server)


@contextmanager
def listening(answer: Callable[[str, str, dict[str, str], dict[str, Any]], Answer | None]) -> Iterator[str]:
    """Give the address of a server in a thread of its own.

    Args:
        answer: takes method, path, headers in lower case and decoded body of a request.
    """

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

        def do_GET(self) -> None:
            self._answer("GET", {})

        def do_POST(self) -> None:
            self._answer("POST", json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, method: str, body: dict[str, Any]) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            told = answer(method, self.path, headers, body)
            if told is None:
                return
            data = told[1] if isinstance(told[1], bytes) else json.dumps(told[1]).encode()
            self.send_response(told[0])
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def ollama(method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
    """Answer as Ollama does, by spelling alone, and refuse what it would take no notice of."""
    if (method, path) == ("GET", "/api/tags"):
        return 200, {"models": [{"name": OLLAMA_MODEL, "model": OLLAMA_MODEL}]}
    if (method, path) != ("POST", "/api/embed"):
        return 404, {"error": "404 page not found"}
    if unknown := body.keys() - OLLAMA_FIELDS:
        return 400, {"error": f"Ollama takes no notice of {', '.join(unknown)}"}
    if body["model"] not in (OLLAMA_MODEL, OLLAMA_MODEL.removesuffix(":latest")):
        return 404, {"error": f'model "{body["model"]}" not found, try pulling it first'}
    rows = [[float(one) for one in row] for row in HashingEmbedder().embed(body["input"])]
    tokens = sum(len(text.split()) for text in body["input"])
    return 200, {"model": body["model"], "embeddings": rows, "prompt_eval_count": tokens}


@dataclass
class Fickle:
    """A server that speaks OpenAI's protocol, knows spelling alone, and does what a test tells it.

    Args:
        width: numbers in a vector.
        model: what it lists.
        shift: another number makes other vectors of the same length, as another model under the same name does.
        wrong: what it answers instead; `hang up` for nothing at all, `away` to have it not listen.
    """

    width: int = 384
    model: str = "speller"
    shift: int = 0
    wrong: Callable[[dict[str, Any]], Answer | None] | None = None
    asked: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)
    """Headers and body of every request to embed."""

    def answer(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer | None:
        """Answer one request."""
        if path == "/v1/models":
            return 200, {"data": [{"id": self.model}]}
        self.asked.append((headers, body))
        if self.wrong is not None:
            return self.wrong(body)
        return self.vectors(body)

    def vectors(self, body: dict[str, Any]) -> Answer:
        """Return the right answer to a request to embed."""
        rows = np.roll(HashingEmbedder().embed(body["input"])[:, : self.width], self.shift, axis=1)
        data = [{"index": number, "embedding": [float(one) for one in row]} for number, row in enumerate(rows)]
        tokens = sum(len(text.split()) for text in body["input"])
        return 200, {"data": data[::-1], "model": self.model, "usage": {"prompt_tokens": tokens}}

    @property
    def texts(self) -> int:
        """How many texts it was asked to embed."""
        return sum(len(body["input"]) for _, body in self.asked)


def profile(host: str, **keys: Any) -> LLMProfile:
    """Return the LLM profile of an embedding server."""
    return LLMProfile(host=host, **{"num_ctx": 512, "timeout": 30.0, **keys})
