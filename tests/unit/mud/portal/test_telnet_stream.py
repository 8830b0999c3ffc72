"""Bytes of a telnet client cut into lines."""

from __future__ import annotations

import re
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from mud.portal.telnet_stream import HIGH, LineBuffer

MOST = 50


def lines_of(buffer: LineBuffer, most: int = MOST) -> list[tuple[str, bool]]:
    lines = []
    while (line := buffer.next(most)) is not None:
        lines.append((line.text, line.cut))
    return lines


TYPED = st.lists(
    st.sampled_from([b"say ", b"\r\n", b"\r\0", b"\n", b"\r", b"x" * 30, "é".encode(), b"\0"]), max_size=30
).map(b"".join)


@given(TYPED, st.data())
def test_any_chunking_gives_the_same_lines(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=12)))
    buffer, lines = LineBuffer(), []
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        buffer.feed(data[start:end], MOST)
        if draw.draw(st.booleans()):
            lines += lines_of(buffer)
    lines += lines_of(buffer)
    whole = re.split(rb"\r\0*\n|\n|\r", data)[:-1]
    expected = [one.replace(b"\0", b"") for one in whole]
    assert lines == [(one[:MOST].decode("utf-8", "replace"), len(one) > MOST) for one in expected]


def test_ten_megabytes_without_a_newline_take_no_more_memory_than_the_line_that_is_kept() -> None:
    buffer, chunk = LineBuffer(), b"x" * 65_536
    tracemalloc.start()
    for _ in range(160):
        buffer.feed(chunk, 8192)
        assert not buffer.full
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 500_000
    buffer.feed(b"\nsay hi\n", 8192)
    assert lines_of(buffer, 8192) == [("x" * 8192, True), ("say hi", False)]


def test_many_short_lines_are_full_until_they_are_taken_and_take_no_more_memory_than_they_have_bytes() -> None:
    buffer = LineBuffer()
    tracemalloc.start()
    buffer.feed(b"a\n" * HIGH, MOST)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert buffer.full
    assert most < 12 * HIGH
    assert len(lines_of(buffer)) == HIGH
    assert not buffer.full
