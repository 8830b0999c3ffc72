"""A file of the world with a mistake in it: the running world stays as it is, and one mistake is told once."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.command_line import main
from mud.errors import Problem
from mud.server.checks import check_files
from mud.server.wiring import opened
from mud.storage.files import write_atomic
from mud.storage.world_files import WorldFiles
from mud.world.roles import Role
from tests.examples import examples
from tests.houses import texts_of
from tests.processes import loci
from tests.unit.mud.server.stage import edited
from tests.unit.mud.server.test_reloading import NEW
from tests.vaults import SHIPPED, copy_vault, without_vectors
from tests.worlds import snapshot

LIBRARY = "world/locations/the-library.md"
FILES = sorted(path.relative_to(SHIPPED).as_posix() for path in (SHIPPED / "world").glob("*/*.md"))

MISTAKES: tuple[Callable[[str], str], ...] = (
    lambda text: text.replace('id: "', 'id: "x', 1),
    lambda text: re.sub(r'^id: ("#\d+)"', r"id: \1", text, flags=re.M),
    lambda text: re.sub(r'(\[\[[^]]+\]\])"', r"\1", text, count=1),
    lambda text: re.sub(r'"(\[\[[^]]+\]\])"', r"\1", text, count=1),
    lambda text: re.sub(r"^(type: \w+)$", r"\1: \1", text, flags=re.M),
    lambda text: re.sub(r"^type: ", "tipe: ", text, flags=re.M),
    lambda text: text.replace("---\n# ", "\n# "),
    lambda text: re.sub(r"^# .*$", "", text, flags=re.M),
    lambda text: "---\n\x00" + text.removeprefix("---\n"),
)


def with_mistake(vault: Path, file: str, mistake: Callable[[str], str]) -> bool:
    """Make a mistake in a file; return whether there was a place for it."""
    text = (vault / file).read_text(encoding="utf-8")
    write_atomic(vault / file, mistake(text))
    return mistake(text) != text


MEANWHILE = "until they are mended, the world goes by what can be read of these files"


def checked(vault: Path) -> list[Problem]:
    """Return what `check` finds in the files of the world, and what other files say of them."""
    with opened(vault, writable=False) as parts:
        return [one for one in parts.problems if one.file.startswith(("world/", "agents/"))]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [('"#1003"', '"#1003', 2), ("room]", "room", 4), ('Bindery]]"', "Bindery]]", 7), ("---\n# The Library", "", 1)],
)
async def test_a_file_that_cannot_be_read_takes_no_exit_out_of_the_running_world(
    tmp_path: Path, old: str, new: str, line: int
) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        before = snapshot(on.home.engine.world)
        on.replace(LIBRARY, old, new)
        (told,) = on.told
        assert told.startswith(f"(the vault) {LIBRARY}:{line}: ")
        on.replace("world/locations/the-lobby.md", "type: location", "type: location\ntags: [hall]")
        assert snapshot(on.home.engine.world) == before
        on.home.type(ann, "go north")
        assert "north" in on.home.type(ann, "look").reply
        assert on.home.type(ann, "go north").reply.startswith("You walk from The Lobby to The Library")
        assert {problem.file for problem in on.reloading.everything()} == {LIBRARY}
        assert {problem.file for problem in checked(on.vault)} == {LIBRARY}


async def test_an_edit_of_another_file_acts_while_one_it_leads_to_is_broken(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann", "The Lobby")
        on.replace(LIBRARY, '"#1003"', '"#1003')
        on.replace("world/locations/the-lobby.md", "exits:\n", 'exits:\n  ramp: "[[The Library]]"\n')
        assert "The Library" in on.home.type(ann, "go ramp").reply


async def test_a_file_that_takes_the_id_of_another_is_wrong_whichever_comes_first(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        before = snapshot(on.home.engine.world)
        own = re.compile(r'^id: "(#\d+)"$', re.M)
        files = ("world/items/bronze-fin.md", "world/items/wax-tablet.md")
        first, last = (own.search((on.vault / file).read_text(encoding="utf-8")) for file in files)
        assert first
        assert last
        on.replace(files[0], first[1], last[1])
        (told,) = on.told
        assert f"{files[0]}:2: id: " in told
        assert snapshot(on.home.engine.world) == before


def test_at_the_start_what_can_be_read_of_a_broken_file_is_there_and_it_is_said(
    tmp_path: Path,
) -> None:
    vault = copy_vault(tmp_path)
    whole = {one.file: one for one in WorldFiles(vault).load()[0]}
    assert with_mistake(vault, LIBRARY, lambda text: text.replace('Lobby]]"', "Lobby]]"))
    assert {one.file: one for one in WorldFiles(vault).load()[0]} == whole
    with opened(vault, writable=True) as parts:
        told = parts.told_at_start()
        assert [line.split(":")[0] for line in told] == [LIBRARY, MEANWHILE]
    (vault / "world/items/raw.md").write_bytes(b"\xff")
    with opened(vault, writable=True) as parts:
        *_, meanwhile, without = parts.told_at_start()
        assert meanwhile == MEANWHILE
        assert without == "what world/items/raw.md describes is not in the world until then"
        assert {one.file for one in parts.problems} == {LIBRARY, "world/items/raw.md"}


@pytest.mark.parametrize("text", ["", '---\nid: "#1003"\ntype: loca', "\ufffd"])
def test_a_file_that_was_cut_off_is_one_mistake(tmp_path: Path, text: str) -> None:
    vault = copy_vault(tmp_path)
    (vault / LIBRARY).write_bytes(text.encode("utf-8") if text != "\ufffd" else b"\xff\xfe")
    (problem,) = checked(vault)
    assert (problem.file, problem.line) == (LIBRARY, 1)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FILES), st.sampled_from(MISTAKES)), min_size=1, max_size=3))
def test_mistakes_in_some_files_change_nothing_and_are_told_of_these_files_alone(
    mistakes: list[tuple[str, Callable[[str], str]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vault = copy_vault(Path(folder))
        files = WorldFiles(vault)
        before, problems = files.load()
        assert problems == []
        wrong = {file for file, mistake in mistakes if with_mistake(vault, file, mistake)}
        after, problems = files.load()
        assert after == before
        assert {problem.file for problem in problems} == wrong
        assert all(problem.line > 0 for problem in problems)
        first, anew = WorldFiles(vault).load()
        assert {problem.file for problem in anew} == wrong
        untouched = {one.file for one in before} - wrong
        assert {one.file for one in first} >= untouched


MOSS = "agents/moss/agent.md"
WREN = "agents/wren/agent.md"


def lived(tmp_path: Path) -> Path:
    """Return a saved vault in which Moss remembers something."""
    vault = without_vectors(copy_vault(tmp_path))
    with opened(vault, writable=True) as parts:
        moss = parts.minds.get("Moss")
        parts.engine.observe(parts.minds.observe)
        parts.engine.step(moss.id, "say The brass key is mine.", Role.OWNER)
        parts.save()
    return vault


def spoil(vault: Path, old: str, new: str) -> None:
    """Put a mistake into the file of Moss."""
    text = (vault / MOSS).read_text(encoding="utf-8")
    assert old in text
    (vault / MOSS).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("brain: auto", "brain: atuo"),
        ('id: "#2002"', "id: 2002"),
        ('id: "#2002"\n', "  id: x: y\n"),
        ("location:", "location: [["),
        ("# Moss", "Moss"),
    ],
)
def test_at_the_start_a_mistake_takes_its_own_key_and_never_the_agent(tmp_path: Path, old: str, new: str) -> None:
    vault = lived(tmp_path)
    spoil(vault, old, new)
    before = (vault / MOSS).read_bytes()
    with opened(vault, writable=True) as parts:
        moss = parts.minds.get("Moss")
        assert (moss.id, moss.name, moss.definition.brain) == ("#2002", "Moss", "auto")
        assert any("The brass key" in text for text in texts_of(moss))
        assert parts.engine.world.location_of("#2002") is not None
        first, *_, meanwhile = parts.told_at_start()
        assert first.startswith(MOSS)
        assert meanwhile == "until they are mended, the world goes by what can be read of these files"
    assert (vault / MOSS).read_bytes() == before


@pytest.mark.parametrize("asked", [["status", "Moss"], ["recall", "Moss", "key", "--lexical"], ["prompt", "Moss"]])
def test_who_is_kept_out_by_their_file_is_told_as_that_and_with_the_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: list[str]
) -> None:
    vault = lived(tmp_path)
    (vault / MOSS).write_bytes(b"\xff\xfe no text")
    with opened(vault, writable=True) as parts:
        assert parts.minds.find("Moss") is None
        assert parts.told_at_start()[-1] == "Moss is not in the world until then"
    assert main([*asked, "--vault", str(vault)]) == 1
    told = capsys.readouterr().err
    assert f"Moss is not in the world, as {MOSS} cannot be used: {MOSS}" in told
    assert "there is no agent" not in told


async def test_an_id_that_a_save_took_out_is_written_back_and_no_mistake(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        on.write(WREN, NEW)
        wren = on.home.agent("Wren")
        on.home.parts.save()
        on.write(WREN, NEW.replace("Quick.", "Slow."))
        on.write("world/locations/the-lobby.md", (on.vault / "world/locations/the-lobby.md").read_text() + "\n")
        assert on.told == []
        assert on.reloading.everything() == []
        assert f'id: "{wren.id}"' in (on.vault / WREN).read_text(encoding="utf-8")
        assert wren.definition.description == "Slow."


async def test_an_id_that_was_changed_is_told_once_with_its_line_by_all_alike(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        moss = on.home.agent("Moss")
        on.home.engine.step(moss.id, "say Here.", Role.OWNER)
        on.home.parts.save()
        on.replace(MOSS, '"#2002"', '"#2999"')
        (told,) = on.told
        assert told == f"(the vault) {MOSS}:2: id: '#2999' is wrong: an id never changes; expected '#2002'"
        lobby = "world/locations/the-lobby.md"
        on.write(lobby, (on.vault / lobby).read_text(encoding="utf-8") + "\n")
        assert on.told == [told]
        assert [f"(the vault) {one}" for one in on.reloading.everything()] == [told]
        assert [f"(the vault) {one}" for one in check_files(on.vault)] == [told]


def test_a_start_tells_each_mistake_in_one_line_and_then_what_it_does_without(tmp_path: Path) -> None:
    vault = lived(tmp_path)
    spoil(vault, "brain: auto", "brain: atuo")
    (vault / "world/items/raw.md").write_bytes(b"\xff")
    told = loci("run", "--headless", "--no-agents", "--seconds", "0.01", "--vault", vault).stderr.splitlines()
    assert [line.split(": ")[1] for line in told[:2]] == [f"{MOSS}:6", "world/items/raw.md:1"]
    assert told[2:] == [
        "loci: until they are mended, the world goes by what can be read of these files",
        "loci: what world/items/raw.md describes is not in the world until then",
    ]


WRONG = {
    "world/items/a.md": "---\nwight: 3\n---\n# Anvil\n\nAn anvil.\n",
    "world/items/b.md": '---\nlocation: "[[Nowhere At All]]"\n---\n# Bell\n\nA bell.\n',
    "world/items/c.md": "# Ju\u200bg\n\nA jug.\n",
    "world/items/d.md": "# me\n\nA me.\n",
    "world/items/e.md": "# Bronze Fin\n\nAnother fin.\n",
    "agents/xa/agent.md": '---\ntype: agent\nlocation: "[[Nowhere]]"\n---\n# Xa\n',
    "agents/xb/agent.md": '---\ntype: agent\nlocation: "[[The Garden]]"\nvoice: nosuch\n---\n# Xb\n',
    "agents/xc/agent.md": '---\ntype: agent\nlocation: "[[The Garden]]"\n---\n# \u0415liza\n',
}
RIGHT = {
    "world/items/h.md": '---\nlocation: "[[The Garden]]"\n---\n# Horn\n\nA horn.\n',
    "agents/xd/agent.md": '---\ntype: agent\nlocation: "[[The Garden]]"\n---\n# Xd\n',
}


def put(vault: Path, file: str, text: str) -> Path:
    """Write a file of a vault and return its path."""
    path = vault / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_an_id_is_written_into_a_new_file_that_is_right_and_into_no_other(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    for file, text in (WRONG | RIGHT).items():
        put(vault, file, text)
    for _ in range(2):
        with opened(vault, writable=True) as parts:
            names = {one.name for one in parts.engine.world.things.values()}
            assert {"Horn", "Xd"} <= names
            assert not {"Anvil", "Bell", "me", "Xa", "Xb", "\u0415liza"} & names
            assert set(WRONG) <= {one.file for one in parts.problems}
            assert not [one for one in parts.problems if "has no id yet" in one.message]
            parts.save()
        assert {file: (vault / file).read_text("utf-8") for file in WRONG} == WRONG
        assert all("\nid: " in (vault / file).read_text("utf-8") for file in RIGHT)
    put(vault, "world/items/a.md", "# Anvil\n\nAn anvil.\n")
    put(vault, "agents/xb/agent.md", WRONG["agents/xb/agent.md"].replace("voice: nosuch\n", ""))
    with opened(vault, writable=True) as parts:
        assert {"Anvil", "Xb"} <= {one.name for one in parts.engine.world.things.values()}


async def test_while_the_world_runs_it_is_the_same_and_what_is_mended_comes_in(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        room = '---\nexits:\n  south: "[[The Garden]]"\n{}---\n# Cellar\n\nA cellar.\n'
        files = WRONG | {"world/locations/cellar.md": room.format("wight: 3\n")}
        for file, text in files.items():
            put(on.vault, file, text)
        jar = put(on.vault, "world/items/jar.md", '---\nlocation: "[[Cellar]]"\n---\n# Jar\n\nA jar.\n')
        on.noticed(*files, "world/items/jar.md")
        on.reloading.everything()
        assert {file: (on.vault / file).read_text("utf-8") for file in files} == files
        assert all(any(one.startswith(f"{file}:") for one in map(_plain, on.told)) for file in files), on.told
        put(on.vault, "world/locations/cellar.md", room.format(""))
        on.noticed("world/locations/cellar.md")
        world = on.home.engine.world
        found = {one.name: one.id for one in world.things.values()}
        assert world.where[found["Jar"]] == found["Cellar"]
        assert "\nid: " in jar.read_text("utf-8")


def _plain(told: str) -> str:
    """Return what was told from the file's name on."""
    return told[max(0, min((at for top in ("world/", "agents/") if (at := told.find(top)) >= 0), default=0)) :]


LOOKS = "looks like "
FIN = '---\nid: "{}"\nlocation: "[[The Garden]]"\n---\n# {}\n\nA fin.\n'
ALIKE = "Brоnze Fin"  # its o is Cyrillic


def blamed(vault: Path) -> list[str]:
    """Return the files with a name that looks like another's."""
    return [one.file for one in check_files(vault) if LOOKS in one.message]


@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize("file", ["world/items/a-fin.md", "world/items/zz-fin.md"])
def test_of_two_names_that_look_alike_the_one_that_was_not_there_is_blamed(
    tmp_path: Path, file: str, *, saved: bool
) -> None:
    vault = copy_vault(tmp_path)
    if saved:
        with opened(vault, writable=True) as parts:
            parts.save()
    put(vault, file, FIN.format("#9" if saved else "#7003", ALIKE))
    assert blamed(vault) == [file]


def test_of_two_that_were_both_there_the_one_with_the_higher_id_is_blamed(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "world/items/a-fin.md", FIN.format("#7003", ALIKE))
    with opened(vault, writable=True) as parts:
        parts.save()
    assert blamed(vault) == ["world/items/a-fin.md"]


@pytest.mark.parametrize("saved", [True, False])
def test_a_thing_that_is_newer_than_an_agent_is_blamed_and_not_the_agent(tmp_path: Path, *, saved: bool) -> None:
    vault = copy_vault(tmp_path)
    if saved:
        with opened(vault, writable=True) as parts:
            parts.save()
    put(vault, "world/items/doll.md", FIN.format("#1999" if saved else "#7003", "\u0415liza"))
    assert blamed(vault) == ["world/items/doll.md"]


def test_of_two_agents_the_one_that_the_state_does_not_know_is_blamed(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with opened(vault, writable=True) as parts:
        parts.save()
    put(vault, "agents/aa/agent.md", '---\nid: "#7"\nlocation: "[[The Garden]]"\n---\n# \u0415liza\n')
    assert blamed(vault) == ["agents/aa/agent.md"]
