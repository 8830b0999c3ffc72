"""Which model a server has, told by what it makes of one text: many take any name for the one model that they have."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mud.storage.files import write_atomic

FILE = "embedders.json"
"""The vectors that models made of that text, by the name they go by; it lies beside the vectors themselves."""
ALIKE = 0.98
"""The cosine from which on two vectors of one text are the same model's: another machine or quantization costs less."""


def alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Tell whether two unit vectors of one text are the same model's."""
    return one.shape == other.shape and float(one @ other) >= ALIKE


def own_name(folder: Path, name: str, vector: NDArray[np.float32]) -> str:
    """Return a model's name, with a number behind it when another model went by that name before.

    Args:
        folder: where vectors are kept.
        name: what the model goes by.
        vector: what it makes of the text.
    """
    path = folder / FILE
    known = _read(path)
    of_name = known.setdefault(name, [])
    for number, seen in enumerate(of_name, 1):
        if alike(np.array(seen, dtype=np.float32), vector):
            return _numbered(name, number)
    of_name.append([round(float(one), 6) for one in vector])
    with contextlib.suppress(OSError):  # a full disk must not keep anybody from recalling
        if folder.is_dir():
            write_atomic(path, json.dumps(known))
    return _numbered(name, len(of_name))


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}:{number}"


def _read(path: Path) -> dict[str, list[list[float]]]:
    """Return what is known; nothing when the file is not there or of no use, for it only spares work."""
    try:
        known = json.loads(path.read_text("utf-8"))
        return {name: [[float(one) for one in seen] for seen in rows] for name, rows in known.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
