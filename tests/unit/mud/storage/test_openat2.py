"""A path is opened in one call with no link on it, and where the kernel has no such call, folder by folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mud.storage.openat2 import open_without_links

WITHOUT = """
import ctypes, errno, os, struct, sys
import pytest
from mud.storage.openat2 import open_without_links

filters = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x50000 | errno.ENOSYS), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in filters))
program = struct.pack("HxxxxxxP", len(filters), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # no new privileges
assert libc.prctl(22, 2, program) == 0, os.strerror(ctypes.get_errno())  # this filter of system calls
assert open_without_links(".", os.O_RDONLY) is None
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""
"""Forbids openat2 to its process, as an old kernel or a container's rules do, and runs tests."""


def test_a_path_is_opened_with_no_link_in_any_part(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("here")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "a/b/linked").symlink_to("file")
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    for name in ("a/b/file", str(tmp_path / "a/b/file")):
        at = open_without_links(name, os.O_RDONLY, 0, root)
        assert at is not None
        assert os.read(at, 9) == b"here"
        os.close(at)
    for name in ("link/b/file", "a/b/linked", "a/none", "a/b/file\0more", ""):
        assert open_without_links(name, os.O_RDONLY, 0, root) is None
    assert open_without_links("a/b/linked", os.O_WRONLY | os.O_CREAT, 0o600, root) is None
    os.close(root)


def test_a_file_is_made_with_its_mode(tmp_path: Path) -> None:
    at = open_without_links(str(tmp_path / "new"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    assert at is not None
    assert os.fstat(at).st_mode & 0o777 == 0o600
    os.close(at)


def test_links_are_kept_out_as_well_where_the_kernel_lacks_the_call() -> None:
    tests = [str(Path(__file__).with_name(name)) for name in ("test_paths.py", "test_jsonl.py")]
    ran = subprocess.run([sys.executable, "-c", WITHOUT, *tests], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
