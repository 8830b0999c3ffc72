from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from agents.recall.embedders.minilm import MINILM, WEIGHTS_SHA256, checked_files
from mud.errors import Unavailable


def test_the_vectors_are_those_that_the_model_is_published_with(tmp_path: Path) -> None:
    # The example of the model's card, computed by its authors' library.
    rows = MINILM.make(tmp_path, None).embed(["This is an example sentence", "Each sentence is converted"])
    np.testing.assert_allclose(rows[0, :5], [0.067657, 0.063496, 0.048713, 0.079305, 0.037448], atol=2e-6)
    np.testing.assert_allclose(rows[1, :4], [0.086439, 0.102763, 0.005395, 0.002044], atol=2e-6)


def test_other_words_for_the_same_are_nearer_than_the_same_words_for_another(tmp_path: Path) -> None:
    asked, right, wrong = MINILM.make(tmp_path, None).embed(
        ["Where is the thing that opens the door?", "The brass key is under the flowerpot.", "The soup is hot today."]
    )
    assert asked @ right > asked @ wrong + 0.1


def test_the_graph_is_built_once_and_a_broken_one_is_built_again(tmp_path: Path) -> None:
    before = MINILM.make(tmp_path, None).embed(["a key"])
    (graph,) = tmp_path.glob("*.onnx")
    assert WEIGHTS_SHA256[:12] in graph.name
    built = graph.stat().st_mtime_ns
    MINILM.make(tmp_path, None)
    assert graph.stat().st_mtime_ns == built
    graph.write_bytes(graph.read_bytes()[:1000])
    np.testing.assert_array_equal(MINILM.make(tmp_path, None).embed(["a key"]), before)
    assert [file.name for file in tmp_path.iterdir()] == [graph.name]


def test_a_graph_of_somebody_else_is_not_run_but_built_anew(tmp_path: Path) -> None:
    before = MINILM.make(tmp_path, None).embed(["a key"])
    (graph,) = tmp_path.glob("*.onnx")
    strange = onnx.load(graph)
    strange.graph.node[-1].op_type = "Mul"
    onnx.save(strange, graph)
    np.testing.assert_array_equal(MINILM.make(tmp_path, None).embed(["a key"]), before)


def test_weights_that_are_not_the_known_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(Unavailable, match=r"not the known ones: model\.safetensors has sha256"):
        checked_files(tmp_path)
    with pytest.raises(Unavailable, match="cannot be read"):
        checked_files(tmp_path / "nowhere")
