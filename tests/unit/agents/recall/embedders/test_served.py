"""An embedder on a server: whatever the server does, there are right vectors or a clear sentence, and no key in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.tokens import estimate
from agents.recall.documents import Bill, EmbedderAway, StoreFailed
from agents.recall.embedders import BATCH, MODELS, PIECES, EmbedderKind, ServedEmbedder, _pieces
from agents.recall.embedders.hashing import HashingEmbedder
from agents.recall.embedders.openai_compatible import OPENAI_COMPATIBLE
from mud.errors import Unavailable
from mud.registry import load
from tests.embedding_servers import Answer, Fickle, listening, profile

FOLDER = Path("unused")
KEY = "sk-very-secret-1234"
NAME = "LOCI_API_KEY_TO_EMBED"
KINDS = load("agents.recall.embedders", EmbedderKind, "embedder")


@contextmanager
def started(fickle: Fickle, **keys: Any) -> Iterator[ServedEmbedder]:
    with listening(fickle.answer) as host:
        one = cast(ServedEmbedder, OPENAI_COMPATIBLE.make(FOLDER, profile(host, **keys)))
        try:
            yield one
        finally:
            one.close()


@contextmanager
def key_set() -> Iterator[None]:
    os.environ[NAME] = KEY
    try:
        yield
    finally:
        del os.environ[NAME]


def vectors_of(rows: list[Any]) -> Answer:
    return 200, {"data": [{"index": number, "embedding": row} for number, row in enumerate(rows)]}


def test_vectors_come_in_the_order_of_the_texts_and_in_batches() -> None:
    fickle, texts = Fickle(), [f"the lamp number {number} is lit" for number in range(2 * BATCH + 3)]
    with started(fickle) as one:
        fickle.asked.clear()
        np.testing.assert_allclose(one.embed(texts), HashingEmbedder().embed(texts), atol=1e-5)
        assert [len(body["input"]) for _, body in fickle.asked] == [BATCH, BATCH, 3]
        assert (one.dimension, one.model) == (384, "openai_compatible:speller:384")
        assert one.bill() == Bill(3, 6 * len(texts))
        assert one.bill() == Bill()


def test_the_key_is_sent_and_never_told() -> None:
    fickle = Fickle()
    with key_set(), started(fickle, api_key_env=NAME) as one:
        assert fickle.asked[0][0]["authorization"] == f"Bearer {KEY}"
        fickle.wrong = lambda body: (401, {"error": {"message": f"the key {KEY} is wrong"}})
        with pytest.raises(EmbedderAway, match="it wants another key") as caught:
            one.embed(["x"])
        assert KEY not in str(caught.value)


def test_a_key_that_is_not_set_is_told_by_the_name_of_its_variable() -> None:
    with listening(Fickle().answer) as host, pytest.raises(EmbedderAway, match=f"{NAME}, named under api_key_env"):
        OPENAI_COMPATIBLE.make(FOLDER, profile(host, api_key_env=NAME))


@pytest.mark.parametrize("kind", ["ollama", "openai_compatible"])
def test_a_server_that_is_not_there_is_told(kind: str) -> None:
    with listening(Fickle().answer) as host:
        gone = host
    with pytest.raises(EmbedderAway, match=f"nothing answers at {gone}"):
        KINDS.get(kind).make(FOLDER, profile(gone))


@pytest.mark.parametrize("kind", ["ollama", "openai_compatible"])
def test_without_a_profile_it_says_which_file_is_missing(kind: str) -> None:
    with pytest.raises(Unavailable, match=r"there is no config/llm/embed\.md"):
        KINDS.get(kind).make(FOLDER, None)


@pytest.mark.parametrize("kind", ["ollama", "openai_compatible"])
def test_an_address_that_is_none_is_told(kind: str) -> None:
    with pytest.raises(Unavailable, match="is no address of a server"):
        KINDS.get(kind).make(FOLDER, profile("my computer"))


JUNK: list[tuple[Answer | None, str]] = [
    ((200, b"<html>"), "not as a server of language models does"),
    ((200, {}), "was sent 1 texts and did not send as many vectors"),
    ((200, {"data": "none"}), "did not send as many vectors"),
    (vectors_of([]), "did not send as many vectors"),
    (vectors_of([[1.0, 2.0]] * 3), "did not send as many vectors"),
    (vectors_of([[]]), "did not send as many vectors"),
    (vectors_of([["a", "b"]]), "something else than vectors"),
    (vectors_of([None]), "did not send as many vectors"),
    (vectors_of([[1.0, float("nan")]]), "did not send as many vectors"),
    (vectors_of([[[1.0, 2.0], [2.0, 1.0]]]), "a vector for every token; llama.cpp's server takes --pooling mean"),
    ((501, {"error": {"message": "no"}}), "it was not started for embeddings"),
    ((404, {"error": "model not found"}), "check host and model in config/llm/embed.md"),
    ((500, {"error": {"message": "input is too large"}}), "answered 500: input is too large"),
    ((503, {}), "it is still loading its model, or too busy"),
    ((400, {"error": {"message": "no"}}), "answered 400: no"),
    (None, "broke off"),
]


@pytest.mark.parametrize(("answer", "told"), JUNK, ids=[told[:40] for _, told in JUNK])
@pytest.mark.parametrize("later", [False, True])
def test_junk_is_told_in_a_sentence(answer: Answer | None, told: str, later: bool) -> None:
    fickle = Fickle(wrong=None if later else lambda body: answer)
    if not later:
        with pytest.raises(EmbedderAway, match=told), started(fickle):
            pass
        return
    with started(fickle) as one:
        fickle.wrong = lambda body: answer
        with pytest.raises(EmbedderAway, match=told):
            one.embed(["The pears are ripe."])


def test_a_number_too_large_for_a_vector_is_junk_like_other_junk() -> None:
    fickle = Fickle()
    with started(fickle) as one:
        fickle.wrong = lambda body: (200, {"data": [{"index": 0, "embedding": [10**400] * 256}]})
        with pytest.raises(EmbedderAway):
            one.embed(["x"])


def test_vectors_of_another_length_end_it() -> None:
    fickle = Fickle()
    with started(fickle) as one:
        fickle.width = 256
        with pytest.raises(StoreFailed, match="now sends vectors of 256 numbers instead of 384"):
            one.embed(["x"])


def test_another_model_ends_it_at_the_next_greeting() -> None:
    fickle = Fickle()
    with started(fickle) as one:
        one.greet()
        fickle.model = "reader"
        with pytest.raises(StoreFailed, match="now has the model 'reader' instead of 'speller'"):
            one.greet()


def test_another_model_under_the_same_name_ends_it_at_the_next_greeting() -> None:
    fickle = Fickle()
    with started(fickle, model="any") as one:
        one.greet()
        fickle.shift = 1
        with pytest.raises(StoreFailed, match="now has another model"):
            one.greet()


def test_models_that_go_by_one_name_are_told_apart_at_every_start(tmp_path: Path) -> None:
    fickle = Fickle()
    names = []
    with listening(fickle.answer) as host:
        for shift in (0, 1, 0, 2, 1):
            fickle.shift = shift
            one = cast(ServedEmbedder, OPENAI_COMPATIBLE.make(tmp_path, profile(host, model="any")))
            names.append(one.model)
            one.close()
    first = "openai_compatible:any:384"
    assert names == [first, f"{first}:2", first, f"{first}:3", f"{first}:2"]


@pytest.mark.parametrize("text", ["", "[]", '{"openai_compatible:any:384": 7}', "{", '{"x": [["y"]]}'])
def test_what_is_known_of_models_is_begun_anew_when_it_is_of_no_use(tmp_path: Path, text: str) -> None:
    (tmp_path / MODELS).write_text(text, "utf-8")
    with listening(Fickle().answer) as host:
        one = cast(ServedEmbedder, OPENAI_COMPATIBLE.make(tmp_path, profile(host, model="any")))
        assert one.model == "openai_compatible:any:384"
        one.close()
    assert "openai_compatible:any:384" in (tmp_path / MODELS).read_text("utf-8")


def test_another_model_ends_it_at_the_next_call_where_the_server_names_its_own() -> None:
    fickle = Fickle()
    with started(fickle) as one:
        one.embed(["x"])
        assert "model" not in fickle.asked[-1][1]
        fickle.model = "reader"
        with pytest.raises(StoreFailed, match="now has the model 'reader' instead of 'speller'"):
            one.embed(["x"])


@pytest.mark.parametrize("refuses", [True, False])
def test_a_server_that_wants_a_name_or_tells_another_is_asked_by_the_name_that_it_lists(refuses: bool) -> None:
    fickle = Fickle()

    def named(body: dict[str, Any]) -> Answer:
        if "model" not in body and refuses:
            return 400, {"error": {"message": "model is missing"}}
        status, told = fickle.vectors(body)
        return status, {**told, "model": body.get("model", "the first that came to hand")}

    fickle.wrong = named
    with started(fickle) as one:
        assert one.embed(["x"]).shape == (1, 384)
        assert fickle.asked[-1][1]["model"] == "speller"


def test_a_text_that_is_refused_costs_the_others_nothing() -> None:
    fickle = Fickle()

    def refuse(body: dict[str, Any]) -> Answer:
        refused = any("poison" in text or len(text) > 300 for text in body["input"])
        return (400, {"error": {"message": "too long"}}) if refused else fickle.vectors(body)

    with started(fickle) as one:
        fickle.wrong = refuse
        long = "The lamps are lit. " * 40
        rows = one.embed(["a pear", "poison", long, ""])
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        np.testing.assert_allclose(rows[0], HashingEmbedder().embed(["a pear"])[0], atol=1e-5)
        assert float(rows[2] @ HashingEmbedder().embed([long])[0]) > 0.95


def test_the_next_host_stands_in_for_one_that_is_away() -> None:
    first, second = Fickle(), Fickle()
    with listening(first.answer) as one, listening(second.answer) as other:
        made = cast(ServedEmbedder, OPENAI_COMPATIBLE.make(FOLDER, profile(f"{one}, {other}")))
        first.wrong = lambda body: (500, {})
        made.embed(["x"])
        made.embed(["y"])
        second.wrong = lambda body: (500, {})
        with pytest.raises(EmbedderAway, match=r"answered 500; .*answered 500"):
            made.embed(["z"])
        made.close()
    assert [len(first.asked), len(second.asked)] == [4, 3]


def test_a_host_with_another_model_stands_in_for_nobody() -> None:
    first, second = Fickle(), Fickle()
    second.model = "reader"
    with listening(first.answer) as one, listening(second.answer) as other:
        made = cast(ServedEmbedder, OPENAI_COMPATIBLE.make(FOLDER, profile(f"{one}, {other}")))
        first.wrong = lambda body: (500, {})
        with pytest.raises(EmbedderAway, match=r"answered 500; .*has the model 'reader' instead of 'speller'"):
            made.embed(["x"])
        made.close()


def test_whoever_closes_it_after_a_failure_leaves_nothing_open() -> None:
    fickle = Fickle(wrong=lambda body: None)
    with suppress(EmbedderAway), started(fickle):
        raise AssertionError("it started without a server")


@given(st.text(max_size=400), st.integers(1, 40))
def test_the_pieces_of_a_text_are_its_beginning_and_fit(text: str, tokens: int) -> None:
    pieces = list(_pieces(text, tokens))
    assert 1 <= len(pieces) <= PIECES
    assert text.startswith("".join(pieces))
    assert len(pieces) == PIECES or "".join(pieces) == text
    assert all(estimate(piece) <= tokens or len(piece) == 1 for piece in pieces)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=300), max_size=80), st.sampled_from((None, 512, 600)))
def test_the_price_is_never_less_than_the_bill(texts: list[str], window: int | None) -> None:
    with started(Fickle(), num_ctx=window or 512) as one:
        one.bill()
        price = one.price(texts)
        one.embed(texts)
        bill = one.bill()
        assert bill.calls == price.calls
        assert bill.tokens <= price.tokens
