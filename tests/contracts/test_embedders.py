"""Every embedder of the registry keeps the same promises; the real weights of MiniLM are among them.

Those on a server are tried over real sockets: with a real llama.cpp server, and `ollama` with its protocol emulated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
import pytest

from agents.recall.embedders import Embedder, EmbedderKind, ServedEmbedder
from agents.recall.settings import EMBEDDERS
from mud.registry import load
from tests.embedding_servers import listening, llama, ollama, profile

KINDS = load("agents.recall.embedders", EmbedderKind, "embedder")
LINES = (
    'Moss says, "The moss grows slowly."',
    "The brass key lies under the third flowerpot.",
    "I walked north to the Library.",
    "Ein Satz über den Fluß.",
    "灯台に火がともった。",
    "",
    "\x00\x07 \u202e",
    "🗝️" * 8,
)


@pytest.fixture(scope="module", params=KINDS.names())
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    kind, folder = KINDS.get(request.param), tmp_path_factory.mktemp(".index")
    if not kind.served:
        yield kind.make(folder, None)
        return
    with listening(ollama) as adapter:
        address = adapter if kind.name == "ollama" else llama().address
        made = kind.make(folder, profile(address, num_ctx=64, timeout=60.0))
        yield made
        cast(ServedEmbedder, made).close()


def test_the_setting_offers_every_embedder_there_is() -> None:
    assert sorted(EMBEDDERS) == sorted([*KINDS.names(), "none"])


def test_a_row_of_length_one_for_every_text(embedder: Embedder) -> None:
    rows = embedder.embed(LINES)
    assert rows.shape == (len(LINES), embedder.dimension)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_in_any_company(embedder: Embedder) -> None:
    together = embedder.embed(LINES)
    turned = embedder.embed(LINES[::-1])[::-1]
    alone = np.stack([embedder.embed([line])[0] for line in LINES])
    np.testing.assert_allclose(together, turned, atol=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_text_is_nearest_to_itself_with_a_word_changed(embedder: Embedder) -> None:
    rows = embedder.embed(LINES[:4])
    changed = embedder.embed(["The brass key lies under the fourth flowerpot."])[0]
    assert int(np.argmax(rows @ changed)) == 1


def test_all_of_a_long_text_counts_up_to_the_limit(embedder: Embedder) -> None:
    long = "We sat by the river and mended nets. " * 30  # more than any of them reads in one piece
    plain, ended = embedder.embed([long, long + "Then the lighthouse fell into the sea with all its lamps."])
    assert not np.allclose(plain, ended, atol=1e-4)


def test_a_text_of_a_million_letters_is_no_trouble(embedder: Embedder) -> None:
    assert embedder.embed(["All work and no play. " * 50_000]).shape == (1, embedder.dimension)


def test_the_model_is_named(embedder: Embedder) -> None:
    assert embedder.model
    assert embedder.dimension > 0
