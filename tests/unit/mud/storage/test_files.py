"""Names, atomic writes, careful reads, and one writer per vault."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mud.errors import VaultLocked, VaultProblem
from mud.storage.files import (
    free_stem,
    link_or_copy,
    lock_vault,
    read_if_there,
    read_text,
    sha256_text,
    slugify,
    sweep_leftovers,
    write_atomic,
    write_unsynced,
)
from tests.disks import file_size_limit

# Holds a vault, and has a child that was given its folder and lives until stdin ends.
LEAVE = """
import subprocess, sys
from pathlib import Path
from mud.storage.files import lock_vault
from mud.storage.paths import check_held
vault = Path(sys.argv[1])
with lock_vault(vault):
    child = subprocess.Popen(["cat"], pass_fds=[check_held(vault)[0]])
    print("held", flush=True)
    child.wait()
"""
HOLD = """
import sys
from pathlib import Path
from mud.storage.files import lock_vault
with lock_vault(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Eliza", "eliza"),
        ("Eliza the Kind", "eliza-the-kind"),
        ("Eliza's  Garden!", "elizas-garden"),
        ("../../x", "x"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("/etc/passwd", "etc-passwd"),
        ("C:\\new", "c-new"),
        ("Ελίζα", "ελίζα"),
        ("Élise", "élise"),
        ("E\u0301lise", "élise"),
        ("モス", "モス"),
        ("हिन्दी", "हिन्दी"),
        ("CON", "x-con"),
        ("a\0b\nc", "a-b-c"),
        ("-a-", "a"),
        ("null", "null"),
    ],
)
def test_a_slug_is_readable_in_any_script(name: str, slug: str) -> None:
    assert slugify(name) == slug


@settings(deadline=None)
@given(st.text(max_size=300))
@example("İ" * 100)
@example("e'\u0301")
@example("a" * 59 + " b")
@example("𐍈" * 90)
@example("ΑΣ Σ")
def test_a_slug_is_one_safe_name_and_its_own_slug(name: str) -> None:
    slug = slugify(name)
    assert slug
    assert slug == slugify(slug)
    assert len(slug) <= 62
    assert len(slug.encode()) <= 182
    assert not set(slug) & set('/\\:*?"<>|.\0\n ')
    assert slug[0] not in ".-"
    assert (Path("vault") / slug).resolve().parent == Path("vault").resolve()


def test_a_taken_stem_gets_the_next_free_number() -> None:
    assert free_stem(set(), "moss") == "moss"
    assert free_stem({"moss"}, "moss") == "moss-2"
    assert free_stem({"moss", "moss-2", "moss-4"}, "moss") == "moss-3"


def test_a_file_is_written_as_it_is_and_nothing_stays_beside(tmp_path: Path) -> None:
    path = tmp_path / "ελίζα" / "agent.md"
    write_atomic(path, "one\r\ntwo\n")
    write_atomic(path, "three\r\n")
    assert path.read_bytes() == b"three\r\n"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("write", [write_atomic, write_unsynced])
def test_a_folder_is_made_but_not_those_above_it(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "eliza/notes/moss.md", "He mends clocks.")
    assert not list(tmp_path.iterdir()), "whoever took a folder away is not to find it again"


@pytest.mark.parametrize("write", [write_atomic, write_unsynced])
def test_permissions_survive_a_write(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    kept = tmp_path / "kept.md"
    kept.write_text("old")
    kept.chmod(0o640)
    write(kept, "new")
    assert kept.read_text() == "new"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "recent.md"
    write_atomic(path, "the old text")
    with file_size_limit(100), pytest.raises(OSError, match="File too large") as caught:
        write_atomic(path, "x" * 1000)
    assert caught.value.errno == errno.EFBIG
    assert path.read_text() == "the old text"
    assert list(tmp_path.iterdir()) == [path]


WRITE_FOR_EVER = """
import sys
from pathlib import Path
from mud.storage.files import write_atomic
print("writing", flush=True)
while True:
    write_atomic(Path(sys.argv[1]), "x" * 200_000)
"""


def test_what_a_killed_write_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "recent.md"
    with subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        while not any(tmp_path.glob(".*.tmp")):
            assert writer.poll() is None
        writer.send_signal(signal.SIGKILL)
        assert writer.wait(30) == -signal.SIGKILL
    kept = [path, *(tmp_path / name for name in (".notes.tmp", "0123456789ab.tmp", ".0123456789AB.tmp", ".a.md.swp"))]
    for one in kept:
        one.write_text("a person's")
    (tmp_path / ".0123456789ab.tmp").write_text("half a te")
    (tmp_path / ".ffffffffffff.tmp").mkdir()
    sweep_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / ".ffffffffffff.tmp"])
    sweep_leftovers(tmp_path / "nowhere")


def test_a_lone_surrogate_is_written_visibly_not_fatally(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a.md", "a\ud800b")
    assert (tmp_path / "a.md").read_bytes() == b"a\\ud800b"
    assert sha256_text("a\ud800b") == hashlib.sha256(b"a\\ud800b").hexdigest()


def test_reading_keeps_every_byte(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("\ufeffa\r\nb\u2028".encode())
    assert read_text(tmp_path / "a.md") == "\ufeffa\r\nb\u2028"


def test_a_file_that_cannot_be_text_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(VaultProblem, match=r"^config/a\.md:2: this line is not UTF-8 text"):
        read_text(path, file="config/a.md")


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x" * 11)
    with pytest.raises(VaultProblem, match=r"it is too long: [0-9]+ bytes; expected at most 10"):
        read_text(tmp_path / "a.md", limit=10)
    assert read_text(tmp_path / "a.md", limit=11) == "x" * 11


def test_a_missing_file_is_told_or_none(tmp_path: Path) -> None:
    with pytest.raises(VaultProblem, match="there is no such file"):
        read_text(tmp_path / "a.md")
    assert read_if_there(tmp_path / "a.md") is None


def test_what_is_no_file_is_never_waited_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    for path in (tmp_path / "pipe.md", tmp_path):
        with pytest.raises(VaultProblem, match="this is no ordinary file"):
            read_text(path)


def test_a_vault_has_one_writer_and_the_second_is_told_who_it_is(tmp_path: Path) -> None:
    with lock_vault(tmp_path):
        with pytest.raises(VaultLocked, match=rf"in use by process {os.getpid()};") as caught, lock_vault(tmp_path):
            pass
        assert caught.value.pid == os.getpid()
    with lock_vault(tmp_path):
        pass


def test_who_is_told_that_a_vault_is_in_use_reads_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    vault = Path("vault")
    vault.mkdir()
    with lock_vault(vault), pytest.raises(VaultLocked) as caught, lock_vault(vault):
        pass
    assert str(caught.value).startswith(f"the vault in {tmp_path / vault} is in use by process {os.getpid()}; ")


def test_a_killed_process_frees_the_vault(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(VaultLocked) as caught, lock_vault(tmp_path):
            pass
        assert caught.value.pid == holder.pid
        holder.send_signal(signal.SIGKILL)
        assert holder.wait(30) == -signal.SIGKILL
    with lock_vault(tmp_path):
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def test_a_killed_process_frees_the_vault_also_while_a_child_of_it_lives_on(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEAVE, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait(30)
        with lock_vault(tmp_path):
            assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def test_a_vault_that_is_not_there_is_a_problem_not_a_traceback(tmp_path: Path) -> None:
    with (
        pytest.raises(VaultProblem, match="the vault cannot be locked: No such file or directory"),
        lock_vault(tmp_path / "nowhere"),
    ):
        pass


def test_a_file_that_need_not_wait_for_the_disk_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.md"
    write_unsynced(path, "one\n")
    write_unsynced(path, "two\n")
    assert path.read_text() == "two\n"
    with file_size_limit(4), pytest.raises(OSError, match=r"."):
        write_unsynced(path, "much longer\n")
    with pytest.raises(OSError, match=r"."):
        write_unsynced(tmp_path / "new", "a folder is there")
    assert [found.name for found in sorted(tmp_path.rglob("*"))] == ["new", "a.md"]
    assert path.read_text() == "two\n"


STOLEN = """
import sys
from pathlib import Path
from mud.errors import VaultLocked
from mud.storage.files import lock_vault
try:
    with lock_vault(Path(sys.argv[1])):
        print("both write")
except VaultLocked as locked:
    print(locked.pid)
"""


@pytest.mark.parametrize("again", [False, True])
def test_whoever_removes_the_note_of_who_holds_a_vault_lets_nobody_in(tmp_path: Path, *, again: bool) -> None:
    def second() -> str:
        run = [sys.executable, "-c", STOLEN, str(tmp_path)]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()

    with lock_vault(tmp_path):
        assert second() == str(os.getpid())
        (tmp_path / ".lock").unlink()
        if again:
            (tmp_path / ".lock").write_text("77\n")
        assert second() == ("77" if again else "None")
        assert (tmp_path / ".lock").exists() is again, "who does not get the vault writes nothing into it"
    assert second() == "both write"


def test_a_lock_that_is_a_link_is_told_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "bashrc").write_text("mine")
    (tmp_path / "vault/.lock").symlink_to(tmp_path / "bashrc")
    with pytest.raises(VaultProblem, match=r"\.lock: this is a link"), lock_vault(tmp_path / "vault"):
        pass
    assert (tmp_path / "bashrc").read_text() == "mine"
    (tmp_path / "vault/.lock").unlink()
    with lock_vault(tmp_path / "vault"):
        pass


def test_where_folders_cannot_be_locked_the_note_is(tmp_path: Path) -> None:
    """A process that locks the note alone, as on some network file systems, keeps everybody else out too."""
    with (tmp_path / ".lock").open("w") as note:
        fcntl.flock(note, fcntl.LOCK_EX)
        with pytest.raises(VaultLocked), lock_vault(tmp_path):
            pass
    with lock_vault(tmp_path):
        pass


def test_a_file_gets_a_further_name_where_the_file_system_has_them(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"whole")
    assert link_or_copy(tmp_path / "one", tmp_path / "a/b/two")
    assert (tmp_path / "a/b/two").samefile(tmp_path / "one")


def test_a_file_on_another_file_system_is_copied(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"whole")
    elsewhere = next((path for path in (Path("/dev/shm"), Path.home()) if os.access(path, os.W_OK)), tmp_path)
    with tempfile.TemporaryDirectory(dir=elsewhere) as folder:
        linked = link_or_copy(tmp_path / "one", Path(folder, "two"))
        assert linked == (elsewhere.stat().st_dev == tmp_path.stat().st_dev)
        assert Path(folder, "two").read_bytes() == b"whole"


def test_a_link_gets_no_further_name(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("/etc/hostname")
    with pytest.raises(VaultProblem):
        link_or_copy(tmp_path / "one", tmp_path / "two")
    assert not (tmp_path / "two").exists()
