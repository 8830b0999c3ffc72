"""An `agent.md` with a mistake: what the world goes by at its start, and what the program says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.checks import check_files
from mud.server.wiring import opened
from mud.world.roles import Role
from tests.houses import texts_of
from tests.processes import loci
from tests.unit.mud.server.stage import edited
from tests.unit.mud.server.test_reloading import NEW
from tests.vaults import copy_vault, without_vectors

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
