"""What tests of whole worlds can ask for."""

from __future__ import annotations

from tests.live_server import live_server
from tests.syscalls import MACHINE

__all__ = ["live_server"]

# Faults of system calls need a machine on which these can be traced: Linux, on one of two kinds of processor.
collect_ignore = [] if MACHINE is not None else ["test_faults.py", "test_index_faults.py"]
