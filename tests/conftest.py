"""What every test can ask for."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A busy machine is no bug: an example may take as long as it takes. The check is free of luck: the same examples each
# time, so what it says depends on the change alone; `make torture` draws others (LOCI_EXAMPLES=new).
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("LOCI_EXAMPLES", "same"))


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, the only loop this program uses."""
    return "asyncio"
