"""Commands as tools: whatever a program sends becomes one line with just these words, or is refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mud.commands import read_line
from mud.errors import Refusal
from mud.portal.mcp.resources import line_for
from mud.portal.mcp.tools import REASON, as_tools, line_of, one_line
from mud.sanitize import sanitize
from mud.server.wiring import load_commands
from mud.world.roles import Role
from tests.worlds import TEXTS

COMMANDS = load_commands()
TOOLS = as_tools(COMMANDS, Role.OWNER)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), max_size=20)
TYPED = st.lists(st.one_of(WORDS, st.sampled_from(["|", "\\|", "->", "\n", "\r\n", " | ", "say", "@save"])), max_size=6)


def words_of(text: str) -> str:
    """Return a text as it comes out of a line."""
    return sanitize(one_line(text)).replace("\\|", "|")


@given(TYPED.map("".join), TYPED.map("".join))
def test_what_is_said_comes_out_as_it_was_and_the_reason_stays_private(said: str, reason: str) -> None:
    try:
        line = line_of(TOOLS["say"], {"words": said, REASON: reason}, TEXTS.render)
    except Refusal:
        assert not one_line(said)
        return
    assert "\n" not in line
    read = read_line(line, 10_000)
    assert read.verb == "say"
    assert read.rest.split() == words_of(said).split()
    assert (read.reason or "").split() == words_of(reason).split()


@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(st.text(max_size=8), st.one_of(st.none(), st.integers(), WORDS)))
def test_no_arguments_make_anything_but_a_line_of_that_command_or_a_refusal(
    name: str, arguments: dict[str, object]
) -> None:
    command = TOOLS[name]
    texts = dict.fromkeys(command.form.names, "a")
    try:
        line = line_of(command, texts | arguments, TEXTS.render)
    except Refusal:
        return
    assert line.split()[0] == command.name


@given(st.text(max_size=30))
def test_an_address_reads_only_what_the_table_names_and_never_anybody_else(path: str) -> None:
    line = line_for(f"loci://{path}")
    assert line is None or "\n" not in line
    if line is not None and line.startswith("@"):
        name, _, rest = line.partition(" ")
        assert rest in ("", "full") or (name == "@archive" and set(rest) <= set("0123456789-"))


def test_the_names_of_tools_are_those_of_commands_without_their_sign() -> None:
    assert {"look", "say", "go", "take", "recall", "note", "overwrite-note"} <= set(TOOLS)
    assert not {"@save", "save", "quit", "dig", "@dig"} & set(TOOLS)
    assert all(name.replace("-", "").isalnum() and len(name) <= 64 for name in TOOLS)
    assert not {"wait", "command"} & set(TOOLS)
