from __future__ import annotations

from pathlib import Path

import pytest

from mud.errors import LociError
from tests.benchmarks._bench import Report, Table, require_block, write_block

REPORT = Report("pears", {}, [Table(["tree", "pears"], [["old", "7"], ["very young", "12"]])], "Counted twice.")
PAGE = "# Orchard\n\n<!-- bench pears -->\nwhat was here\n<!-- end -->\n\nThe rest.\n"


def test_a_table_is_markdown_with_its_columns_in_line() -> None:
    assert str(REPORT.tables[0]).splitlines() == [
        "| tree       | pears |",
        "|------------|------:|",
        "| old        |     7 |",
        "| very young |    12 |",
    ]


def test_a_table_of_no_rows_keeps_its_head() -> None:
    assert str(Table(["a", "b"], [])).splitlines() == ["| a   |   b |", "|-----|----:|"]


def test_only_what_stands_between_the_marks_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    write_block(page, REPORT)
    written = page.read_text()
    assert written == PAGE.replace("what was here", str(REPORT))
    write_block(page, REPORT)
    assert page.read_text() == written


def test_the_marks_of_another_bench_stay_as_they_are(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench plums -->\nplums\n<!-- end -->\n" + PAGE)
    write_block(page, REPORT)
    assert page.read_text().startswith("<!-- bench plums -->\nplums\n<!-- end -->\n# Orchard\n")


@pytest.mark.parametrize("text", ["nothing", "<!-- bench pears -->\n", "<!-- end -->\n<!-- bench pears -->\n"])
def test_a_page_without_the_marks_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(LociError, match="expected the line <!-- bench pears -->, and <!-- end --> after it"):
        write_block(page, REPORT)
    assert page.read_text() == text


def test_a_page_that_cannot_be_read_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    require_block(None, "pears")
    with pytest.raises(LociError, match="cannot be read: No such file"):
        require_block(tmp_path / "none.md", "pears")
