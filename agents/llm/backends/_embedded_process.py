"""The process of the backend `embedded`: llama.cpp's server with one model. Run as a script.

It reads one line of JSON (see `start`), writes `{"address": ...}` or `{"error": ...}`, and ends when its input closes.
It is a process of its own because loading and closing hold Python's lock for 0.3 to 2 s (measured), and because
llama.cpp may crash. It imports nothing of this project, which would take a second.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO


def start(order: dict[str, Any]) -> Any:
    """Start the server and return it; it stops when the returned object is freed.

    In the order, `window` is in tokens, `key` is required in every request, and `batch` is the prompt tokens read at
    once: a call can be cancelled between two batches.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = order["model"], {order["name"]}
    params.n_ctx, params.n_parallel = order["window"], 1
    params.n_batch = params.n_ubatch = order["batch"]
    params.cache_ram_mib = order["cache_mib"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    params.api_keys, params.port, params.verbosity = [order["key"]], 0, 0
    params.endpoint_slots = params.ui = False
    return xllamacpp.Server(params)


def answer_and_wait(orders: TextIO, answers: TextIO) -> None:
    line = orders.readline()
    if not line:
        return
    try:
        server = start(json.loads(line))
        said = {"address": server.listening_address}
    except Exception as error:  # reported to the parent process
        said = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(said), file=answers, flush=True)
    orders.read()


if __name__ == "__main__":
    # What llama.cpp prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer_and_wait(sys.stdin, answers)
    os._exit(0)  # do not wait for calls under way
