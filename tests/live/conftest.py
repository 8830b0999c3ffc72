"""What tests of whole worlds can ask for."""

from __future__ import annotations

from tests.live_server import live_server

__all__ = ["live_server"]
