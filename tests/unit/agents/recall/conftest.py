from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.recall.lexical import LexicalIndex
from agents.recall.searching import BUDGET


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., LexicalIndex]]:
    """Give a function that opens the index, and close what the test left open."""
    indexes: list[LexicalIndex] = []

    def start(
        path: Path = tmp_path / ".index" / "lexical.sqlite3", private: bool = False, budget: int = BUDGET
    ) -> LexicalIndex:
        indexes.append(LexicalIndex(path, private=private, budget=budget))
        return indexes[-1]

    yield start
    for index in indexes:
        index.close()
