"""The process of the backend `embedded`: llama.cpp's server with one model, for the one program that started it.

Run as a script, with one line of JSON on its input, see `start`; it writes one line of JSON, `{"address": ...}` or
`{"error": ...}`, and ends when its input does, so also when the other program is killed. It imports nothing of this
project, which would cost it a second.

Why a process of its own: loading and closing hold Python's lock, for 0.3 to 2 s measured, in which the world would
stand still; what goes wrong inside llama.cpp ends its process; and its memory can be given back.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO


def start(order: dict[str, Any]) -> Any:
    """Start the server and return it; it runs as long as it is held.

    The order holds `model`, the file of the weights; `name`, what the model is called in its replies; `window`, in
    tokens; `key`, what every request must carry; `threads`; `cache_mib`, what may be kept of prompts that were read;
    and `batch`, the tokens of a prompt that are read at once: between two batches a call can be cancelled.

    Raises:
        Exception: whatever the package raises, for a missing package ImportError.
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
    """Start what is ordered, say where it listens, and wait until nothing more can be ordered."""
    line = orders.readline()
    if not line:
        return
    try:
        server = start(json.loads(line))
        said = {"address": server.listening_address}
    except Exception as error:  # told to the program that waits for it
        said = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(said), file=answers, flush=True)
    orders.read()


if __name__ == "__main__":
    # What llama.cpp prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer_and_wait(sys.stdin, answers)
    os._exit(0)  # a call under way would be waited for, and nobody waits for it any more
