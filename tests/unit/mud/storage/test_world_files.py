"""The world's files: read with every mistake told, and only ever given a missing id."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.world_files import SavedState, WorldFiles, assign_ids, read_state, set_state_aside, write_state
from mud.world import names
from mud.world.channels import Channel, ChannelLine
from mud.world.things import Exit, Kind, Thing

LIBRARY = """---
id: "#1003"
type: location
aliases: [reading room]
exits:
  south: "[[The Lobby]]"
  ladder: "[[loft|up there]]"   # one way
  hole: "#1003"
---
# The Library

Dust turns in a blade of light.
"""
LOBBY = '---\nid: "#1001"\nexits:\n  north: "[[the library]]"\n---\n# The Lobby\n\nHooks.\n'
LOFT = '---\nid: "#1002"\ntype: location\n---\n# The Loft Above\n'
LAMP = '---\nid: "#2001"\ntype: item\nlocation: "[[The Library]]"\nfixed: true\n---\n# lamp\n## Description\nBrass.\n'
CAT = '---\nid: "#3001"\nlocation: "#1001"\n---\n# Simonides\n'

IDS = st.integers(0, 10**9).map("#{}".format)


def write(vault: Path, name: str, text: str) -> Path:
    path = vault / "world" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    write(tmp_path, "locations/library", LIBRARY)
    write(tmp_path, "locations/lobby", LOBBY)
    write(tmp_path, "locations/loft", LOFT)
    write(tmp_path, "items/lamp", LAMP)
    write(tmp_path, "characters/cat", CAT)
    return tmp_path


def told(vault: Path) -> list[str]:
    return [str(problem) for problem in WorldFiles(vault).load()[1]]


def test_things_are_read_and_links_lead_to_ids(vault: Path) -> None:
    definitions, problems = WorldFiles(vault).load()
    assert problems == []
    found = {definition.file: definition for definition in definitions}
    assert found["world/locations/library.md"].thing == Thing(
        id="#1003",
        kind=Kind.LOCATION,
        name="The Library",
        description="Dust turns in a blade of light.",
        aliases=("reading room",),
        exits=(Exit("south", "#1001"), Exit("ladder", "#1002"), Exit("hole", "#1003")),
    )
    lamp = found["world/items/lamp.md"]
    assert (lamp.place, lamp.thing.fixed, lamp.thing.description) == ("#1003", True, "Brass.")
    assert found["world/characters/cat.md"].place == "#1001"
    assert found["world/locations/lobby.md"].place is None


def test_every_planted_mistake_is_told_with_file_line_and_key(vault: Path) -> None:
    write(vault, "locations/library", LIBRARY.replace("[[The Lobby]]", "[[The Loby]]").replace("location", "item", 1))
    write(vault, "locations/loft", LOFT.replace("#1002", "#1001").replace("The Loft Above", "the lobby"))
    write(vault, "items/lamp", "---\nid: 12\nfixd: true\naliases: [null]\nlocation: 5\nfixed: maybe\n---\n# lamp\n")
    write(vault, "items/box", '---\nid: "#9"\nlocation: "[[box]]"\n---\n# box\n')
    write(vault, "items/nameless", '---\nid: "#10"\n---\nA thing.\n')
    write(vault, "characters/cat", "---\nid: #3001\nlocation: [[The Lobby]]\n---\n# Cat\n")
    (vault / "world" / "items" / "raw.md").write_bytes(b"\xff")
    assert told(vault) == [
        'world/characters/cat.md:2: id: it is empty; expected # and a number in quotes, such as "#1003" '
        "(without quotes # begins a comment)",
        'world/characters/cat.md:3: location: a link needs quotes; expected "[[The Lobby]]"',
        "world/items/box.md:3: location: a thing cannot be in itself; expected a link to a location",
        'world/items/lamp.md:2: id: 12 is no id; expected # and a number in quotes, such as "#1003"',
        "world/items/lamp.md:3: fixd: unknown key; expected one of id, type, aliases, location, fixed, "
        "holds, capacity, key, states, opens, light, switch, wearable, food; "
        "did you mean fixed?",
        "world/items/lamp.md:4: aliases: an alias is no text; expected names, in quotes where they look like a number, "
        "true or null",
        "world/items/lamp.md:5: location: it leads nowhere; "
        'expected a link or an id in quotes, such as "[[The Lobby]]" or "#1003"',
        "world/items/lamp.md:6: fixed: 'maybe' is neither; expected true or false",
        "world/items/nameless.md:4: it has no name; expected a line '# Name' under the front matter",
        "world/items/raw.md:1: this line is not UTF-8 text; save the file as UTF-8",
        "world/locations/library.md:3: type: 'item' does not belong into this folder; expected location",
        "world/locations/library.md:6: exits.south: '[[The Loby]]' is nothing there is; "
        'expected a link to a location, "[[Name]]", or its id; did you mean The Lobby?',
        "world/locations/loft.md:2: id: #1001 is the id of world/locations/lobby.md too; expected an id of its own",
        "world/locations/loft.md:5: name: world/locations/lobby.md is called 'the lobby' too; "
        "expected a name of its own",
    ]


def test_an_exit_cannot_lead_into_an_item_and_exits_must_be_lines(vault: Path) -> None:
    write(vault, "locations/lobby", LOBBY.replace("[[the library]]", "[[lamp]]"))
    write(vault, "locations/loft", LOFT.replace("type: location", "exits: [up]"))
    assert [line.split(";")[0] for line in told(vault)] == [
        "world/locations/lobby.md:4: exits.north: '[[lamp]]' is nothing there is",
        "world/locations/loft.md:3: exits: these are no exits",
    ]


def test_exits_that_differ_in_case_alone_are_told(vault: Path) -> None:
    write(vault, "locations/lobby", LOBBY.replace("---\n#", '  North: "#1003"\n---\n#'))
    assert told(vault) == ["world/locations/lobby.md:5: exits.North: set twice in different case; expected once"]


def test_a_file_just_begun_is_left_alone(vault: Path) -> None:
    write(vault, "locations/new", "\n")
    write(vault, "locations/.hidden", "x")
    assert told(vault) == []


def test_the_texts_as_they_were_loaded_are_kept_also_of_files_that_are_empty_or_wrong(vault: Path) -> None:
    (vault / "world/items/begun.md").write_text("", "utf-8")
    (vault / "world/items/wrong.md").write_text("---\nid: [\n", "utf-8")
    files = WorldFiles(vault)
    files.load()
    assert files.loaded == files.texts(files.files())
    (vault / "world/items/wrong.md").unlink()
    files.load()
    assert "world/items/wrong.md" not in files.loaded


def test_a_missing_id_is_written_and_nothing_else_changes(vault: Path) -> None:
    new = write(vault, "locations/attic", '---\nexits:\n  down: "[[The Lobby]]" # a hatch\n---\n# The Attic\n\nOld.\n')
    bare = write(vault, "items/stone", "# stone\r\n\r\nGrey.\r\n")
    write(vault, "locations/lobby", LOBBY.replace("---\n#", '  up: "[[The Attic]]"\n---\n#'))
    definitions, problems = WorldFiles(vault).load()
    assert [(problem.file, problem.key) for problem in problems] == [
        ("world/items/stone.md", "id"),
        ("world/locations/attic.md", "id"),
    ]
    before = {path: path.read_bytes() for path in (vault / "world").rglob("*.md")}
    assert assign_ids(vault, definitions, 2500) == 3004
    assert new.read_bytes() == before.pop(new).replace(b"---\n# The", b'id: "#3002"\n---\n# The')
    assert bare.read_bytes() == b'---\r\nid: "#3003"\r\n---\r\n' + before.pop(bare)
    assert {path: path.read_bytes() for path in before} == before
    definitions, problems = WorldFiles(vault).load()
    assert problems == []
    lobby = next(one.thing for one in definitions if one.thing.name == "The Lobby")
    assert Exit("up", "#3002") in lobby.exits


def test_a_wrongly_typed_id_is_never_replaced(vault: Path) -> None:
    path = write(vault, "items/lamp", LAMP.replace('"#2001"', "2001"))
    definitions, _ = WorldFiles(vault).load()
    assert "lamp" not in [one.thing.name for one in definitions]
    assign_ids(vault, definitions, 1)
    assert "id: 2001\n" in path.read_text()


@settings(deadline=None)
@given(
    st.integers(0, 10**9),
    st.integers(0, 10**9),
    st.dictionaries(IDS, IDS, max_size=6),
    st.dictionaries(IDS, IDS, max_size=3),
    st.dictionaries(IDS, st.text(max_size=10), max_size=3),
)
def test_the_state_reads_back_as_it_was_written(
    step: int, next_id: int, where: dict[str, str], away: dict[str, str], names: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = SavedState(step, next_id, where, away)
        text = write_state(Path(folder), state, names)
        assert (Path(folder) / "world" / "state.md").read_bytes() == text.encode()
        assert read_state(Path(folder)) == state


def test_the_state_shows_people_who_is_where(tmp_path: Path) -> None:
    state = SavedState(7, 3002, {"#2001": "#1003"}, {"#3001": "#1001"})
    names = {"#2001": "lamp", "#1003": "The Library", "#3001": "A|B", "#1001": "The Lobby"}
    text = write_state(tmp_path, state, names)
    assert "| lamp | The Library |\n| A\\|B | away, last in The Lobby |\n" in text


def test_no_state_is_none_and_a_broken_one_is_told(tmp_path: Path) -> None:
    assert read_state(tmp_path) is None
    write(tmp_path, "state", "---\nstep: x\nnext_id: 1\nwhere: {a: 1}\n---\n")
    with pytest.raises(VaultProblem) as caught:
        read_state(tmp_path)
    assert [str(problem) for problem in caught.value.problems] == [
        "world/state.md:2: step: it is not in order; expected a whole number",
        "world/state.md:4: where: it is not in order; expected an id behind each id",
        "world/state.md:1: away: it is not in order; expected an id behind each id",
    ]


def test_a_state_set_aside_overwrites_no_other(tmp_path: Path) -> None:
    for number in (1, 2):
        write_state(tmp_path, SavedState(number, 1000, {}, {}))
        assert set_state_aside(tmp_path) == f"log/state-broken-{number}.md"
        assert read_state(tmp_path) is None
    assert "step: 1" in (tmp_path / "log/state-broken-1.md").read_text(encoding="utf-8")


def test_names_are_one_however_their_letters_are_composed(vault: Path) -> None:
    write(vault, "locations/caf\u00e9", '---\nid: "#20"\n---\n# Caf\u00e9\n\nSmoke.\n')
    write(vault, "locations/cafe\u0301", '---\nid: "#21"\n---\n# CAFE\u0301\n\nMirrors.\n')
    write(vault, "items/cup", '---\nid: "#22"\nlocation: "[[cafe\u0301]]"\n---\n# cup\n')
    write(vault, "items/jug", '---\nid: "#23"\nlocation: "[[caf\u00e9]]"\n---\n# jug\n')
    found, problems = WorldFiles(vault).load()
    assert [str(one).partition("; ")[2] for one in problems] == ["expected a name of its own"]
    assert len({one.place for one in found if one.thing.id in ("#22", "#23")}) == 1


def test_holding_twice_as_many_names_against_each_other_is_twice_the_work(tmp_path: Path) -> None:
    def lines(count: int) -> int:
        gone_through, vault = 0, tmp_path / str(count)
        for number in range(count):
            write(vault, f"locations/p{number}", f"# Chamber of number {count}{number * 7919:07}\n\nA room.\n")

        def note(frame: FrameType, event: str, _: object) -> Any:
            nonlocal gone_through
            gone_through += event == "line"
            return note if frame.f_code.co_filename == names.__file__ else None

        before = sys.gettrace()
        sys.settrace(note)
        try:
            WorldFiles(vault).load()
        finally:
            sys.settrace(before)
        return gone_through

    assert lines(400) < 2.3 * lines(200)


def test_after_an_edit_only_what_was_edited_is_gone_through_again(vault: Path) -> None:
    read: list[str] = []

    def look(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_name == "examine_document":
            read.append(frame.f_locals["file"])

    WorldFiles(vault).load()
    write(vault, "locations/lobby", LOBBY + "A mat of its own.\n")
    sys.setprofile(look)
    try:
        WorldFiles(vault).load()
    finally:
        sys.setprofile(None)
    assert read == ["world/locations/lobby.md"]


@given(
    st.dictionaries(
        st.from_regex(r"[^\W_][\w-]{0,23}", fullmatch=True).filter(lambda name: name == name.casefold()),
        st.lists(st.text().map(lambda text: " ".join(sanitize(text).split())), max_size=3),
    )
)
@settings(deadline=None)  # the disk may be slow
def test_channels_are_saved_whatever_they_are_called_and_whatever_is_said(said: dict[str, list[str]]) -> None:
    channels = tuple(
        Channel(name, ("#3001", "#3002"), tuple(ChannelLine("2026-01-01T00:00:00.000Z", "Ann", one) for one in lines))
        for name, lines in said.items()
    )
    with tempfile.TemporaryDirectory() as folder:
        write_state(Path(folder), SavedState(1, 1000, {}, {}, channels=channels))
        found = read_state(Path(folder))
    assert found is not None
    assert set(found.channels) == set(channels)


@pytest.mark.parametrize("wrong", ["[]", "{town: {}}", "{town: {members: [], lines: [hello]}}", "{town: {members: 1}}"])
def test_channels_that_make_no_sense_are_told(wrong: str, tmp_path: Path) -> None:
    write_state(tmp_path, SavedState(1, 1000, {}, {}))
    path = tmp_path / "world" / "state.md"
    path.write_text(path.read_text("utf-8").replace("channels: {}", f"channels: {wrong}"), "utf-8")
    with pytest.raises(VaultProblem, match="members and lines behind each name"):
        read_state(tmp_path)
