"""The sample texts of the benchmarks, as files that anybody may read and change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent


def sample(name: str) -> dict[str, Any]:
    """Return the content of `NAME.yaml`."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return found
