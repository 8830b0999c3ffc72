"""The file with a person's aliases."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.errors import VaultProblem
from mud.storage.aliases import FILE, MOST, NAME, AliasFile


@pytest.fixture
def aliases(tmp_path: Path) -> AliasFile:
    folder = tmp_path / "agents" / "ann"
    folder.mkdir(parents=True)
    return AliasFile(folder)


def test_an_alias_is_a_line_that_people_can_read_and_edit(aliases: AliasFile) -> None:
    assert aliases() == {}
    aliases.put("GS", "go south")
    assert aliases.path.read_text("utf-8").endswith("\n\n**GS**: go south\n")
    assert aliases() == {"gs": "go south"}
    aliases.path.write_text("**gs**: go south\n**hi**: say Hello, $*!\n\nMy own words.\n", "utf-8")
    assert aliases() == {"gs": "go south", "hi": "say Hello, $*!"}


def test_a_change_touches_only_its_own_line(aliases: AliasFile) -> None:
    aliases.path.write_text("# Mine\r\n\r\n**gs**: go south\r\nwords\r\n**hi**: say hi\r\n", "utf-8", newline="")
    aliases.put("gs", "go north")
    assert aliases.path.read_bytes() == b"# Mine\r\n\r\n**gs**: go north\nwords\r\n**hi**: say hi\r\n"
    aliases.put("hi", None)
    aliases.put("new", "look")
    assert aliases() == {"gs": "go north", "new": "look"}
    aliases.put("nobody", None)
    assert aliases() == {"gs": "go north", "new": "look"}


def test_mistakes_are_told_with_their_lines_and_are_no_aliases(aliases: AliasFile) -> None:
    text = "**gs**: go south\n**gs**: go north\n**two words**: look\n**look**: quit\n**no**:\n```\n**code**: x\n```\n"
    aliases.path.write_text(text, "utf-8")
    assert [(one.file, one.line, one.key) for one in aliases.problems({"look"})] == [
        ("agents/ann/aliases.md", 2, "gs"),
        ("agents/ann/aliases.md", 3, "two words"),
        ("agents/ann/aliases.md", 4, "look"),
        ("agents/ann/aliases.md", 5, "no"),
    ]
    assert aliases() == {"gs": "go south", "look": "quit"}  # which the command goes before


def test_no_more_than_so_many_are_used(aliases: AliasFile) -> None:
    aliases.path.write_text("".join(f"**a{number}**: look\n" for number in range(MOST + 5)), "utf-8")
    assert len(aliases()) == MOST
    assert len(aliases.problems()) == 5


def test_what_cannot_be_read_has_no_aliases_and_is_not_overwritten(aliases: AliasFile) -> None:
    aliases.path.write_bytes(b"**gs**: \xff\n")
    assert aliases() == {}
    with pytest.raises(VaultProblem, match="UTF-8"):
        aliases.put("gs", "go south")
    aliases.path.write_text("```\nopen", "utf-8")
    with pytest.raises(VaultProblem, match="not closed"):
        aliases.put("gs", "go south")
    assert aliases.path.read_text("utf-8") == "```\nopen"


def test_a_link_that_leads_out_of_the_vault_is_not_followed(aliases: AliasFile, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("**gs**: go south\n", "utf-8")
    aliases.path.symlink_to(tmp_path / "secret")
    aliases()
    with pytest.raises((VaultProblem, OSError)):
        AliasFile(tmp_path / "agents" / "ann").put("x", "look")


NAMES = st.from_regex(NAME, fullmatch=True)
LINES = st.text(st.characters(exclude_categories=("Cc", "Zl", "Zp", "Cs")), min_size=1).map(str.strip).filter(bool)


@given(st.dictionaries(NAMES.map(str.casefold).filter(NAME.fullmatch), LINES, max_size=8))
def test_what_was_set_is_read_back(tmp_path_factory: pytest.TempPathFactory, wanted: dict[str, str]) -> None:
    aliases = AliasFile(tmp_path_factory.mktemp("ann"))
    for name, text in wanted.items():
        aliases.put(name, text)
    assert AliasFile(aliases.path.parent)() == wanted
    assert wanted == {} or aliases.path.name == FILE
