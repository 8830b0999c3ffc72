"""What every test can ask for."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A busy machine is no bug: an example may take as long as it takes.
settings.register_profile("loci", deadline=None)
settings.load_profile("loci")


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, the only loop this program uses."""
    return "asyncio"
