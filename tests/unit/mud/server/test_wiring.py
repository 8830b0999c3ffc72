from __future__ import annotations

import os
from pathlib import Path

import pytest

from mud.errors import LociError, Unavailable, VaultLocked, VaultProblem
from mud.server.wiring import RealClock, load_brains, load_commands, opened, opened_for_recall
from mud.storage.files import lock_vault
from mud.storage.world_files import read_state
from mud.world.roles import Role
from tests.houses import house, texts_of
from tests.settings import put
from tests.vaults import copy_vault


def _snapshot(vault: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(vault.rglob("*")) if path.is_file()}


def test_the_shipped_vault_is_put_together_without_a_problem(tmp_path: Path) -> None:
    with opened(copy_vault(tmp_path), writable=True) as parts:
        assert parts.problems == []
        assert {agent.name for agent in parts.minds.opened()} == {"Eliza", "Moss", "Tamsin", "Corvin"}
        here = parts.engine.world.location_of(parts.minds.get("Moss").id)
        assert here is not None
        assert here.name == "The Library"


def test_a_missing_vault_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LociError, match="there is no vault"), opened(tmp_path / "none", writable=False):
        pass


def test_a_folder_with_nothing_of_a_vault_is_none(tmp_path: Path) -> None:
    (tmp_path / "somebody's").mkdir()
    (tmp_path / "letter.txt").write_text("Dear Moss")
    with pytest.raises(LociError, match="there is no vault"), opened(tmp_path, writable=True):
        pass
    assert not (tmp_path / ".lock").exists()


def test_a_vault_without_a_location_is_a_problem_with_a_name(tmp_path: Path) -> None:
    for name in ("world", "text"):
        (tmp_path / "vault" / name).mkdir(parents=True)
    with pytest.raises(VaultProblem, match="there is no location to be in"), opened(tmp_path / "vault", writable=True):
        pass


def test_there_is_one_writer_and_a_reader_takes_no_lock(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with opened(vault, writable=True):
        with pytest.raises(VaultLocked, match=str(os.getpid())), opened(vault, writable=True):
            pass
        with opened(vault, writable=False) as reader:
            assert not reader.writable
        with opened_for_recall(vault) as asking:
            assert (asking.writable, asking.reading) == (False, "the vault is in use")
    with opened_for_recall(vault) as asking:
        assert asking.writable
    with lock_vault(vault):
        pass


def test_a_reader_writes_and_repairs_nothing(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    (vault / "agents/wren").mkdir()
    (vault / "agents/wren/agent.md").write_text('---\nlocation: "[[The Library]]"\n---\n# Wren\n')
    (vault / "world/items/spoon.md").write_text('---\nlocation: "[[The Library]]"\n---\n# spoon\n')
    (vault / "log").mkdir(exist_ok=True)
    (vault / "log/ledger-0000000001.jsonl").write_text('{"step":1,"at":"x","who":"#1","left":[]}\n{"step":2,"at":')
    before = _snapshot(vault)
    with opened(vault, writable=False) as parts:
        wren = parts.minds.get("Wren")
        assert wren.id.startswith("#")
        assert parts.engine.world.location_of(wren.id) is not None
        assert "" not in parts.engine.world.things
    assert _snapshot(vault) == before


def test_ids_are_written_once_and_stay(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    for slug, name in (("wren", "Wren"), ("finch", "Finch")):
        (vault / "agents" / slug).mkdir()
        (vault / "agents" / slug / "agent.md").write_text(f'---\nlocation: "[[The Library]]"\n---\n# {name}\n')
    (vault / "world/items/spoon.md").write_text('---\nlocation: "[[The Library]]"\n---\n# spoon\n')
    with opened(vault, writable=True) as parts:
        ids = {thing.name: thing.id for thing in parts.engine.world.things.values()}
        assert len(set(ids.values())) == len(ids)
        assert {"Wren", "Finch", "spoon"} <= set(ids)
    files = _snapshot(vault / "agents") | _snapshot(vault / "world/items")
    with opened(vault, writable=True) as parts:
        assert {thing.name: thing.id for thing in parts.engine.world.things.values()} == ids
    assert files.items() <= (_snapshot(vault / "agents") | _snapshot(vault / "world/items")).items()


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("config/world.md", "The Garden", "The Gaden", "start_location"),
        ("config/memory_compaction.md", "**profile**: summarizer", "**profile**: sumarizer", "profile"),
        ("agents/eliza/agent.md", 'location: "[[The Garden]]', 'location: "[[The Gaden]]', "location"),
        ("agents/eliza/agent.md", "voice: eliza", "voice: elisa", "voice"),
        ("agents/moss/agent.md", "# Moss", "# Eliza", "name"),
        ("agents/moss/agent.md", 'id: "#2002"', 'id: "#2001"', "id"),
        ("agents/moss/agent.md", 'id: "#2002"', 'id: "#1001"', "id"),
    ],
)
def test_a_name_of_nothing_and_a_name_taken_are_told_and_the_world_starts(
    tmp_path: Path, file: str, old: str, new: str, key: str
) -> None:
    vault = copy_vault(tmp_path)
    text = (vault / file).read_text(encoding="utf-8")
    assert old in text
    (vault / file).write_text(text.replace(old, new), encoding="utf-8")
    line = text[: text.index(old)].count("\n") + 1 if key != "name" else 0
    with opened(vault, writable=True) as parts:
        (problem,) = parts.problems
        assert (problem.file, problem.line, problem.key) == (file, line, key)
        assert parts.engine.world.locations()
        assert parts.minds.get("Eliza").id == "#2001"


@pytest.mark.parametrize(
    ("file", "old", "new", "keys"),
    [
        (
            "agents/eliza/agent.md",
            'location: "[[The Garden]]"',
            'brain: foo\nprofile: nosuch\nlocation: "[[Atlantis]]"',
            {"brain", "location", "profile"},
        ),
        ("agents/eliza/agent.md", "voice: eliza", "voice: elisa\nbrian: auto", {"voice", "brian"}),
        ("agents/eliza/agent.md", "voice: eliza", "voice: eliza\nprofile: nosuch", {"profile"}),
        (
            "config/memory_compaction.md",
            "**profile**: summarizer",
            "**profile**: nosuch\n\n**immediate_window**: 0",
            {"profile", "immediate_window"},
        ),
        (
            "config/world.md",
            "**start_location**: The Garden",
            "**start_location**: The Garden\n**start_location**: Atlantis",
            {"start_location"},
        ),
    ],
)
def test_one_mistake_hides_no_other(tmp_path: Path, file: str, old: str, new: str, keys: set[str]) -> None:
    vault = copy_vault(tmp_path)
    text = (vault / file).read_text(encoding="utf-8")
    assert old in text
    (vault / file).write_text(text.replace(old, new).replace("brain: auto\n", ""), encoding="utf-8")
    with opened(vault, writable=False) as parts:
        assert {problem.key for problem in parts.problems} == keys
        assert {problem.file for problem in parts.problems} == {file}
        places = [(problem.line, problem.key, problem.message) for problem in parts.problems]
        assert len(set(places)) == len(places)


async def test_a_broken_state_is_set_aside_and_the_world_made_from_the_ledger(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann", "The Library")
        home.type(ann, "say hello")
        home.parts.save()
        number = home.engine.number
    vault = home.parts.vault
    (vault / "world/state.md").write_text("---\nstep: many\n---\n", encoding="utf-8")
    with opened(vault, writable=False) as parts:
        assert [problem.file for problem in parts.problems] == ["world/state.md"] * len(parts.problems) != []
        assert parts.engine.number == number
    assert (vault / "world/state.md").exists()
    with opened(vault, writable=True) as parts:
        assert (parts.engine.number, parts.engine.world.away[ann.id]) == (number, home.place("The Library"))
        assert texts_of(parts.minds.get("Ann")) == texts_of(ann)
        assert "log/state-broken-1.md" in caplog.text
    assert not (vault / "world/state.md").exists()
    (vault / "world/state.md").mkdir()
    with opened(vault, writable=True) as parts:
        assert parts.engine.number == number
    assert (vault / "log/state-broken-2.md").is_dir()


async def test_a_memory_that_cannot_be_opened_leaves_one_asleep_and_the_world_runs(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.parts.save()
        before = read_state(home.parts.vault)
        home.type(ann, "say hello")
        eliza, moss = home.agent("Eliza"), home.agent("Moss")
        kept = texts_of(eliza)
    archive = next((eliza.folder / "archive").iterdir())
    archive.rename(tmp_path / "kept")
    archive.mkdir()
    for writable in (False, True):
        with opened(home.parts.vault, writable=writable) as parts:
            (problem,) = parts.problems
            assert problem.file == "agents/eliza"
            assert "Eliza stays asleep: the memory of Eliza cannot be opened" in problem.message
            assert moss.id in parts.engine.witnesses
            assert eliza.id not in parts.engine.witnesses
            assert parts.minds.by_slug("eliza") is None
            with pytest.raises(Unavailable, match="the memory of Eliza cannot be opened"):
                parts.minds.get("Eliza")
            if writable:
                parts.save()
    assert read_state(home.parts.vault) == before
    archive.rmdir()
    (tmp_path / "kept").rename(archive)
    with opened(home.parts.vault, writable=True) as parts:
        assert texts_of(parts.minds.get("Eliza")) == kept


def test_an_id_of_somebody_kept_out_by_a_mistake_is_given_to_nobody(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    (vault / "agents/wren").mkdir()
    (vault / "agents/wren/agent.md").write_text('---\nid: "#7000"\nbrain: foo\n---\n# Wren\n')
    with opened(vault, writable=True) as parts:
        assert parts.engine.world.new_id() == "#7001"


def test_a_front_matter_not_in_order_gets_no_id_and_stops_nothing(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    spoon = vault / "world/items/spoon.md"
    spoon.write_text("---\nlocation: [[The Library]]\n---\n# spoon\n")
    before = spoon.read_bytes()
    with opened(vault, writable=True) as parts:
        assert {problem.file for problem in parts.problems} == {"world/items/spoon.md"}
        assert "spoon" not in {thing.name for thing in parts.engine.world.things.values()}
    assert spoon.read_bytes() == before


def test_what_a_kill_left_half_written_is_swept_away_by_the_writer_alone(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    left = [vault / folder / ".0123456789ab.tmp" for folder in ("world", "world/items", "agents/eliza")]
    for path in left:
        path.write_text("half")
    with opened(vault, writable=False):
        assert all(path.exists() for path in left)
    with opened(vault, writable=True):
        assert not any(path.exists() for path in left)


def test_a_vault_that_cannot_be_locked_is_asked_by_reading(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    (vault / ".lock").mkdir()
    with opened_for_recall(vault) as parts:
        assert not parts.writable
        assert parts.reading.startswith("the vault cannot be written to (.lock: this is no ordinary file;")
    with pytest.raises(VaultProblem, match=r"^\.lock: this is no ordinary file;"), opened(vault, writable=True):
        pass


def test_what_goes_wrong_while_asking_is_not_taken_for_a_vault_in_use(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with pytest.raises(VaultLocked, match="elsewhere"), opened_for_recall(vault):
        raise VaultLocked("elsewhere", None)
    with lock_vault(vault):
        pass


async def test_the_state_waits_for_what_the_archives_could_not_take(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        home.type(ann, "think one")
        home.parts.save()
        state = read_state(home.parts.vault)
        assert state is not None
        assert state.step == home.engine.number
        (moss := home.agent("Moss")).folder.joinpath("archive").write_text("in the way")
        home.type(moss, "think two", Role.AGENT)
        assert moss.memory.waiting == 1
        home.parts.save()
        assert read_state(home.parts.vault) == state
    (moss.folder / "archive").unlink()
    async with house(tmp_path) as home:
        assert texts_of(home.agent("Moss"))[-1] == 'You think, "two"'


def test_both_kinds_of_command_and_of_brain_are_there() -> None:
    assert {"look", "think", "@memory-status"} <= set(load_commands().names())
    assert load_brains().names() == ["instinct", "language", "remote"]


async def test_the_machines_clock_never_goes_back() -> None:
    clock = RealClock()
    before, moment = clock.monotonic(), clock.now()
    await clock.sleep(0)
    assert clock.monotonic() >= before
    assert clock.now() >= moment


@pytest.mark.parametrize("only", [True, False])
async def test_the_profile_of_thoughts_knows_the_commands_that_its_replies_are_held_to(
    tmp_path: Path, only: bool
) -> None:
    vault = copy_vault(tmp_path)
    put(vault, "llm/think", commands_only=only)
    with opened(vault, writable=True) as parts:
        profile = parts.queue.hosts.open_to(parts.queue.hosts.profile("think"))[0].profile
        await parts.queue.close(0)
    assert ("say <words>" in profile.commands) is only
