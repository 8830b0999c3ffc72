"""What every test can ask for."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, the only loop this program uses."""
    return "asyncio"
