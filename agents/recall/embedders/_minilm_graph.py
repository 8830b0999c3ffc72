"""The graph of MiniLM, built of its weights: BERT (Devlin et al., 2019) with mean pooling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mud.storage.paths import check_held

DIMENSION = 384
LAYERS = 6
HEADS = 12
EPSILON = 1e-12
OPSET = 17
"""The first with LayerNormalization."""


def _read_safetensors(path: Path) -> dict[str, Any]:
    """Return the float32 tensors: the format is header length, JSON header, raw data."""
    raw = path.read_bytes()
    end = 8 + int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, entry in json.loads(raw[8:end]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(raw[end + first : end + last], dtype="<f4").reshape(entry["shape"])
    return tensors


class _Graph:
    """A graph builder: each method adds a node and returns the name of its output."""

    def __init__(self, tensors: dict[str, Any]) -> None:
        self.tensors = tensors
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, value: Any) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.tensors[name])

    def linear(self, x: str, prefix: str) -> str:
        turned = self.constant(f"{prefix}.weight.T", self.tensors[f"{prefix}.weight"].T)
        return self.op("Add", self.op("MatMul", x, turned), self.weight(f"{prefix}.bias"))

    def norm(self, x: str, prefix: str) -> str:
        scale, shift = self.weight(f"{prefix}.weight"), self.weight(f"{prefix}.bias")
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)

    def gelu(self, x: str) -> str:
        erf = self.op("Erf", self.op("Div", x, self.constant("root2", np.float32(np.sqrt(2.0)))))
        grown = self.op("Mul", x, self.op("Add", erf, self.constant("one", np.float32(1.0))))
        return self.op("Mul", grown, self.constant("half", np.float32(0.5)))

    def heads(self, x: str, prefix: str, order: list[int]) -> str:
        shape = self.constant("split", np.array([0, 0, HEADS, DIMENSION // HEADS], dtype=np.int64))
        return self.op("Transpose", self.op("Reshape", self.linear(x, prefix), shape), perm=order)


def _embeddings(g: _Graph) -> str:
    words = g.op("Gather", g.weight("embeddings.word_embeddings.weight"), "ids")
    length = g.op("Gather", g.op("Shape", "ids"), g.constant("second", np.array([1], dtype=np.int64)))
    positions = g.op(
        "Slice",
        g.weight("embeddings.position_embeddings.weight"),
        g.constant("start", np.array([0], dtype=np.int64)),
        length,
    )
    first_type = g.constant("type", g.tensors["embeddings.token_type_embeddings.weight"][0])
    return g.norm(g.op("Add", g.op("Add", words, positions), first_type), "embeddings.LayerNorm")


def _layer(g: _Graph, x: str, bias: str, number: int) -> str:
    at = f"encoder.layer.{number}"
    query = g.heads(x, f"{at}.attention.self.query", [0, 2, 1, 3])
    key = g.heads(x, f"{at}.attention.self.key", [0, 2, 3, 1])
    value = g.heads(x, f"{at}.attention.self.value", [0, 2, 1, 3])
    scale = g.constant("scale", np.float32(np.sqrt(DIMENSION // HEADS)))
    scores = g.op("Add", g.op("Div", g.op("MatMul", query, key), scale), bias)
    mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
    joined = g.op("Reshape", mixed, g.constant("join", np.array([0, 0, DIMENSION], dtype=np.int64)))
    attended = g.norm(
        g.op("Add", g.linear(joined, f"{at}.attention.output.dense"), x), f"{at}.attention.output.LayerNorm"
    )
    inner = g.gelu(g.linear(attended, f"{at}.intermediate.dense"))
    return g.norm(g.op("Add", g.linear(inner, f"{at}.output.dense"), attended), f"{at}.output.LayerNorm")


def _pooled(g: _Graph, x: str) -> None:
    last = g.constant("last", np.array([2], dtype=np.int64))
    along = g.constant("along", np.array([1], dtype=np.int64))
    summed = g.op("ReduceSum", g.op("Mul", x, g.op("Unsqueeze", "mask", last)), along, keepdims=0)
    count = g.op("ReduceSum", "mask", along, keepdims=1)
    g.nodes.append(helper.make_node("Div", [summed, count], ["vectors"]))


def build_graph(weights: Path, graph: Path) -> None:
    """Build the graph of some weights and write it into a file."""
    g = _Graph(_read_safetensors(weights))
    hidden = g.constant("hidden", np.float32(-1e9))
    absent = g.op("Sub", g.constant("one", np.float32(1.0)), "mask")
    axes = g.constant("axes", np.array([1, 2], dtype=np.int64))
    bias = g.op("Mul", g.op("Unsqueeze", absent, axes), hidden)
    x = _embeddings(g)
    for number in range(LAYERS):
        x = _layer(g, x, bias, number)
    _pooled(g, x)
    made = helper.make_graph(
        g.nodes,
        "bert-mean",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"]),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"]),
        ],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", DIMENSION])],
        list(g.constants.values()),
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    graph.parent.mkdir(parents=True, exist_ok=True)
    beside = graph.with_suffix(".new")
    check_held(beside)  # building took a while
    onnx.save(model, str(beside))
    beside.replace(graph)
