"""Long answers, a screenful at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.portal.pages import LOWEST, Pages


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"line %d\r\n" % number for number in range(first, last + 1))


def opened(rows: int | None) -> tuple[Pages, list[bytes]]:
    shown: list[bytes] = []
    return Pages(shown.append, lambda: rows), shown


def test_enter_shows_the_next_page_until_there_is_none() -> None:
    pages, shown = opened(11)
    pages.show(numbered(1, 25))
    assert (shown, pages.held) == ([numbered(1, 10)], True)
    assert pages.take("")
    assert pages.take("  ")
    assert shown[1:] == [numbered(11, 20), numbered(21, 25)]
    assert not pages.held
    assert not pages.take("")  # an empty line means nothing any more


@pytest.mark.parametrize("typed", ["q", " Q "])
def test_q_ends_it(typed: str) -> None:
    pages, shown = opened(11)
    pages.show(numbered(1, 25))
    assert pages.take(typed)
    assert not pages.held
    assert not pages.take(typed)
    assert shown == [numbered(1, 10)]


def test_another_line_ends_it_and_is_to_be_carried_out() -> None:
    pages, shown = opened(11)
    pages.show(numbered(1, 25))
    assert not pages.take("look")
    pages.show(numbered(1, 3))
    assert shown == [numbered(1, 10), numbered(1, 3)]


@pytest.mark.parametrize("rows", [None, 0, LOWEST - 1, 26, 100])
def test_what_fits_and_what_is_for_no_known_window_comes_at_once(rows: int | None) -> None:
    pages, shown = opened(rows)
    pages.show(numbered(1, 25))
    assert (shown, pages.held) == ([numbered(1, 25)], False)


@given(st.lists(st.integers(1, 60)), st.integers(LOWEST, 40), st.booleans())
def test_who_goes_on_reads_everything_in_order(sizes: list[int], rows: int, finishes: bool) -> None:
    pages, shown = opened(rows)
    for size in sizes:
        pages.show(numbered(1, size))
    while pages.held:
        if finishes:
            pages.finish()
        else:
            assert pages.take("")
            assert len(shown[-1].splitlines()) < rows
    assert b"".join(shown) == b"".join(numbered(1, size) for size in sizes)
