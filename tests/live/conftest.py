"""What tests of whole worlds can ask for."""

from __future__ import annotations

from tests.live_server import live_server
from tests.syscalls import can_trace

__all__ = ["live_server"]

# Faults of system calls need a machine on which these can be traced: Linux, on one of two kinds of processor, and let.
collect_ignore = [] if can_trace() else ["test_faults.py", "test_index_faults.py"]
