from __future__ import annotations

import json
from pathlib import Path

import pytest

from mud.command_line import main
from mud.server.checks import check_vault
from mud.server.wiring import opened
from mud.world.matching import plain
from tests.vaults import SHIPPED, copy_vault, without_vectors


def _generate(folder: Path, *argv: str, vault: Path = SHIPPED) -> int:
    return main(["generate", str(folder), "--vault", str(vault), *argv])


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _list_voices(vault: Path, *voices: str) -> None:
    """Write which voices the people of a generated world may have, instead of those that were listed."""
    people = vault / "text/generate/people.md"
    before, _, rest = people.read_text(encoding="utf-8").partition("**voices**:\n")
    listed = "".join(f"- {voice}\n" for voice in voices)
    after = rest[rest.index("\n\n") :]
    people.write_text(f"{before}**voices**:\n{listed}{after}", encoding="utf-8")


@pytest.mark.parametrize(("places", "people"), [(1, 0), (1, 3), (2, 1), (40, None)])
def test_a_generated_vault_has_no_mistake(
    tmp_path: Path, places: int, people: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [] if people is None else ["--agents", str(people)]
    assert _generate(tmp_path / "new", "--locations", str(places), "--seed", "3", "--json", *more) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["locations"], told["agents"]) == (places, people if people is not None else places // 2)
    assert check_vault(tmp_path / "new") == []


def test_the_same_seed_makes_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("one", "5"), ("two", "5"), ("other", "6")):
        assert _generate(tmp_path / name, "--locations", "30", "--seed", seed) == 0
    assert _files(tmp_path / "one") == _files(tmp_path / "two") != _files(tmp_path / "other")


def test_everybody_has_a_home_a_workplace_and_a_voice_and_all_names_differ(tmp_path: Path) -> None:
    assert _generate(tmp_path / "new", "--locations", "120", "--agents", "80", "--seed", "1") == 0
    with opened(without_vectors(tmp_path / "new"), writable=True) as parts:
        names = [plain(thing.name) for thing in parts.engine.world.things.values()]
        assert len(set(names)) == len(names)
        locations = {location.name for location in parts.engine.world.locations()}
        agents = [agent.definition for agent in parts.minds.opened()]
        assert len(agents) == 80
        for one in agents:
            assert (one.location or "").strip("[]") in locations
            assert any(name in one.profile for name in locations)
            assert {habit.place for habit in one.habits if habit.place} & locations


@pytest.mark.parametrize("listed", [(), ("gruff", "moss")])
def test_people_of_a_generated_town_have_the_voices_that_the_vault_lists_and_no_others(
    tmp_path: Path, listed: tuple[str, ...]
) -> None:
    vault = copy_vault(tmp_path)
    if listed:
        _list_voices(vault, *listed)
    assert _generate(tmp_path / "new", "--locations", "20", "--agents", "60", "--seed", "1", vault=vault) == 0
    with opened(without_vectors(tmp_path / "new"), writable=True) as parts:
        voices = {agent.definition.voice for agent in parts.minds.opened()}
    assert voices == set(listed or ("default", "gentle", "gruff", "merry"))


def test_the_generated_world_lives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _generate(tmp_path / "new", "--locations", "12", "--agents", "6", "--seed", "2") == 0
    capsys.readouterr()
    vault = without_vectors(tmp_path / "new")
    assert main(["simulate", "--vault", str(vault), "--steps", "40", "--seed", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 40


def test_what_is_there_already_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/letter.md").write_text("mine", encoding="utf-8")
    assert _generate(tmp_path / "new", "--locations", "3") == 1
    assert "is there already" in capsys.readouterr().err
    assert _files(tmp_path) == {"new/letter.md": b"mine"}


@pytest.mark.parametrize("argv", [["--locations", "0"], ["--locations", "5001"], ["--locations", "x"], []])
def test_a_wrong_number_is_wrong_usage(tmp_path: Path, argv: list[str]) -> None:
    assert _generate(tmp_path / "new", *argv) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("{district} is built", "{distric} is built", "text/generate/names.md"),
        ("**adjectives**", "**other**", "text/generate/names.md has no list adjectives"),
    ],
)
def test_a_mistake_in_the_words_is_told_and_leaves_nothing(
    tmp_path: Path, old: str, new: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = copy_vault(tmp_path)
    words = vault / "text/generate/names.md"
    words.write_text(words.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert _generate(tmp_path / "new", "--locations", "40", "--seed", "1", vault=vault) == 1
    assert why in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["vault"]


def test_a_listed_voice_without_texts_is_told_by_file_and_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = copy_vault(tmp_path)
    _list_voices(vault, "default", "grufff")
    assert _generate(tmp_path / "new", "--locations", "4", vault=vault) == 1
    told = capsys.readouterr().err
    assert "text/generate/people.md:" in told
    assert "there are no texts for 'grufff'" in told
    assert "did you mean gruff?" in told
    assert [str(problem) in told for problem in check_vault(vault)] == [True]
