from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.errors import LociError
from mud.storage.zip_files import Member, unpack_zip, write_zip

CONTENTS = {"world/locations/a.md": b"# A\n", "agents/ö/agent.md": b"# \xc3\x96\n", "log/x.jsonl": b""}


def packed(folder: Path) -> Path:
    """Write a good zip file."""
    write_zip(folder / "good.zip", (Member(*one) for one in CONTENTS.items()))
    return folder / "good.zip"


def test_what_was_packed_is_unpacked_and_private_files_stay_private(tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    count = write_zip(tmp_path / "it.zip", [*(Member(*one) for one in CONTENTS.items()), Member("k", b"?", True)])
    assert (count, unpack_zip(tmp_path / "it.zip", tmp_path / "to")) == (4, 4)
    assert {name: (tmp_path / "to" / name).read_bytes() for name in CONTENTS} == CONTENTS
    assert stat.S_IMODE((tmp_path / "to/k").stat().st_mode) == 0o600


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "later").mkdir()
    assert packed(tmp_path).read_bytes() == packed(tmp_path / "later").read_bytes()


def _entry(name: str, mode: int = stat.S_IFREG | 0o644) -> Callable[[zipfile.ZipFile], None]:
    def write(file: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, mode << 16
        file.writestr(info, b"elsewhere")

    return write


def _twice(file: zipfile.ZipFile) -> None:
    file.writestr("twice.md", b"1")
    with pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("twice.md", b"2")


def _bzipped(file: zipfile.ZipFile) -> None:
    file.writestr("b.md", b"1", zipfile.ZIP_BZIP2)


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (_entry("../evil.md"), "leads out of its folder"),
        (_entry("a/../../evil.md"), "leads out of its folder"),
        (_entry("/evil.md"), "leads out of its folder"),
        (_entry("..\\evil.md"), "leads out of its folder"),
        (_entry("a//b.md"), "leads out of its folder"),
        (_entry("link.md", stat.S_IFLNK | 0o777), "is a link or a special file"),
        (_entry("pipe", stat.S_IFIFO | 0o644), "is a link or a special file"),
        (_entry("a\x1b[2Jb.md"), "has a name that no file should have"),
        (_entry("n" * 300), "has a name that no file should have"),
        (_entry(".git/hooks/post-checkout"), "is part of no vault"),
        (_twice, "is there twice"),
        (_bzipped, "expected deflate"),
    ],
)
def test_an_entry_that_may_not_be_is_named_and_nothing_is_written(
    tmp_path: Path, write: Callable[[zipfile.ZipFile], None], told: str
) -> None:
    with zipfile.ZipFile(packed(tmp_path), "a") as file:
        write(file)
    (tmp_path / "to").mkdir()
    with pytest.raises(LociError, match=told) as caught:
        unpack_zip(tmp_path / "good.zip", tmp_path / "to")
    assert "\x1b" not in str(caught.value)
    assert list((tmp_path / "to").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.zip", "to"]


@given(st.data())
def test_whatever_is_done_to_a_zip_file_it_is_unpacked_or_refused(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = packed(Path(folder))
        whole = bytearray(path.read_bytes())
        cut = data.draw(st.integers(0, len(whole)))
        spots = st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255))
        for at, byte in data.draw(st.lists(spots, max_size=4)):
            whole[at] = byte
        path.write_bytes(whole if data.draw(st.booleans()) else whole[:cut])
        (Path(folder) / "to").mkdir()
        with suppress(LociError, OSError):
            unpack_zip(path, Path(folder) / "to")
        assert sorted(one.name for one in Path(folder).iterdir()) == ["good.zip", "to"]
