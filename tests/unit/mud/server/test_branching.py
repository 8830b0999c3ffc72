from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from mud.clock import VirtualClock
from mud.command_line import main
from mud.errors import LociError, Refusal
from mud.server.branching import _written, branch, rewind
from mud.server.checks import check_vault
from mud.server.requests import carry_out
from mud.server.wiring import Parts, opened
from mud.simulation.differences import memory_differences, parting, thing_differences
from mud.simulation.figures import state_hash
from mud.simulation.replay import replay
from mud.simulation.run import SimulationPlan, simulate
from mud.storage.zip_files import Member
from mud.world.events import Request
from mud.world.roles import Role
from tests.processes import memories
from tests.settings import put
from tests.unit.mud.server.lobby import lobby
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import check_life, go_on, ledger

DESK = """---
id: "#900001"
location: "[[The Garden]]"
---
# desk

A desk of {wood}.
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", immediate_window=8, recent_window=8)
    return vault


def _live(vault: Path, steps: int = 120, seed: int = 7) -> str:
    return str(simulate(SimulationPlan(vault, steps, None, seed, keep=True), lambda text: None)["state_hash"])


def _hash(vault: Path) -> str:
    with opened(vault, writable=False) as parts:
        return state_hash(parts.engine.world, parts.minds.opened())


def _rewound(vault: Path, target: Path, step: int) -> Path:
    with opened(vault, writable=False) as parts:
        assert rewind(parts, target, step).step == step
    return target


def _contents(vault: Path) -> dict[str, bytes]:
    return {str(path.relative_to(vault)): path.read_bytes() for path in vault.rglob("*") if path.is_file()}


def _differing(a: Path, b: Path) -> tuple[tuple[int, int, int], list[str], list[str]]:
    """Return where two vaults part, the names of things and the texts of memories that differ."""
    with opened(a, writable=False) as here, opened(b, writable=False) as there:
        things = [one.name for one in thing_differences(here.engine.world, there.engine.world)]
        return parting(a, b), things, [one.text for one in memory_differences(here, there)]


def test_a_branch_is_as_the_vault_and_nothing_differs(vault: Path, tmp_path: Path) -> None:
    came_to = _live(vault)
    done = branch(vault, tmp_path / "other")
    assert done.shared > 10  # the versions of summaries, and the world that was kept
    assert check_vault(tmp_path / "other") == []
    assert _hash(tmp_path / "other") == came_to
    last = ledger(vault)[-1]["step"]
    assert done.step == last
    assert _differing(vault, tmp_path / "other") == ((last, last, last), [], [])


def test_both_live_on_without_touching_each_other_and_are_compared(vault: Path, tmp_path: Path) -> None:
    _live(vault)
    other = tmp_path / "other"
    parted = branch(vault, other).step
    before = _contents(other)
    _live(vault, 100, seed=8)
    assert _contents(other) == before
    now = _contents(vault)
    _live(other, 80, seed=9)
    assert {name: data for name, data in _contents(vault).items() if now.get(name) != data} == {}
    for one in (vault, other):
        assert check_vault(one) == []
        assert replay(one, verify=True).difference is None
        for slug in ("eliza", "moss"):
            check_life(one, slug)
    (same, *lasts), things, texts = _differing(vault, other)
    assert same == parted
    assert lasts == [ledger(one)[-1]["step"] for one in (vault, other)]
    assert set(things) & {"Eliza", "Moss", "Tamsin", "Corvin"}
    since = [one["text"] for vault in (vault, other) for one in memories(vault, "moss") if one["source"] > parted]
    assert since
    assert set(since) <= set(texts)


def _fill_first_files(vault: Path) -> None:
    """Have the first halves of ledger and archives stand in full files, as after years."""
    for path in (vault / "log/ledger-0000000001.jsonl", *vault.glob("agents/*/archive/0000000001.jsonl")):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        known = [json.loads(line) for line in lines]
        half = next(at for at in range(len(lines) // 2, len(lines)) if "seq" in known[at] or "step" in known[at])
        commits = [line for line, one in zip(lines[:half], known, strict=False) if "covers" in one]
        number = known[half].get("seq") or known[half]["step"]
        path.write_text("".join(lines[:half]), "utf-8")
        path.with_name(f"{path.stem[:-10]}{number:010d}.jsonl").write_text(
            "".join(commits[-1:] + lines[half:]), "utf-8"
        )


LINES = (
    "say the lantern hangs here", "@correct lantern -> lamp", "@forget-memory 1", "@undo-correction 1", "note A -> b.",
    "@compact-memories Eliza", "@rebuild-summaries Eliza", "@rebuild-summaries Moss", "@create tin cup", "@undo",
)  # fmt: skip


async def _type(folder: Path, lines: Sequence[str]) -> None:
    async with lobby(folder, VirtualClock()) as hall:
        olive = hall.owner()
        await hall.type(olive, *lines)
        hall.people.leave(olive.session)
        hall.parts.save()


def _use_everything(folder: Path) -> None:
    """Have all written to that the program writes in the vault of a folder."""
    vault, given = folder / "vault", folder / "given.jsonl"
    asyncio.run(_type(folder, LINES))
    _live(vault, 60)
    given.write_text("".join(f"{json.dumps({'text': f'barrel {number}'})}\n" for number in range(30)))
    for words in (("remember", "eliza", str(given), "--no-wait"), ("compact", "moss")):
        assert main([*words, "--vault", str(vault)]) == 0


def test_whatever_is_done_in_either_no_shared_file_is_written_in_place(tmp_path: Path, vault: Path) -> None:
    _live(vault)
    _fill_first_files(vault)
    assert check_vault(vault) == []
    (tmp_path / "b").mkdir()
    other = tmp_path / "b/vault"
    done = branch(vault, other)
    shared = [path for path in other.rglob("*") if path.is_file() and path.stat().st_nlink > 1]
    assert len(shared) == done.shared
    kinds = {re.sub(r"agents/[^/]+|[\d-]+", "", path.relative_to(other).as_posix()) for path in shared}
    assert kinds == {
        "log/ledger.jsonl",
        "log/worlds/.json",
        "/archive/.jsonl",
        "/summaries/recent.md",
        "/summaries/longterm.md",
    }
    with ExitStack() as stack:
        held = [(stack.enter_context(path.open("rb")), path.read_bytes()) for path in shared]
        for folder in (tmp_path, tmp_path / "b"):
            _use_everything(folder)
            assert [file.seek(0) or file.read() for file, _ in held] == [data for _, data in held]
            assert check_vault(folder / "vault") == []
            assert replay(folder / "vault", verify=True).difference is None


@pytest.mark.parametrize("share", [0.05, 0.3, 0.62, 0.97])
def test_a_rewind_is_the_world_as_it_was_and_lives_on(vault: Path, tmp_path: Path, share: float) -> None:
    _live(vault, 300)
    step = int(len(ledger(vault)) * share)
    past = _rewound(vault, tmp_path / "past", step)
    assert check_vault(past) == []
    assert [one["step"] for one in ledger(past)] == list(range(1, step + 1))
    found = replay(past, verify=True)
    assert (found.difference, found.last) == (None, step)
    for folder in (vault / "agents").iterdir():
        kept = memories(past, folder.name)
        assert kept == [one for one in memories(vault, folder.name) if one["source"] <= step]
    go_on(past, "it was ever thus")
    assert check_vault(past) == []
    assert replay(past, verify=True).difference is None
    for slug in ("eliza", "moss"):
        check_life(past, slug)


def test_a_rewind_to_the_last_step_is_a_branch(vault: Path, tmp_path: Path) -> None:
    came_to = _live(vault)
    past = _rewound(vault, tmp_path / "past", ledger(vault)[-1]["step"])
    assert _hash(past) == came_to
    assert _differing(vault, past)[1:] == ([], [])


def test_a_rewind_has_the_files_of_the_world_of_then(vault: Path, tmp_path: Path) -> None:
    desk = vault / "world/items/desk.md"
    steps = []
    for wood in ("oak", "ash"):
        desk.write_text(DESK.format(wood=wood), encoding="utf-8")
        go_on(vault, f"this is {wood}")
        steps.append(ledger(vault)[-1]["step"])
    desk.unlink()
    go_on(vault, "it is gone")
    for wood, step in zip(("oak", "ash"), steps, strict=True):
        past = _rewound(vault, tmp_path / wood, step)
        assert (past / "world/items/desk.md").read_text("utf-8") == DESK.format(wood=wood)
        assert check_vault(past) == []
        with opened(past, writable=False) as parts:
            assert parts.engine.world.things["#900001"].description == f"A desk of {wood}."


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_full_files_of_the_ledger_are_kept_and_shared(vault: Path, tmp_path: Path, share: float) -> None:
    _live(vault)
    steps = (vault / "log/ledger-0000000001.jsonl").read_text("utf-8").splitlines(keepends=True)
    half, step = len(steps) // 2, int(share * len(steps))
    (vault / "log/ledger-0000000001.jsonl").write_text("".join(steps[:half]), "utf-8")
    (vault / f"log/ledger-{half + 1:010d}.jsonl").write_text("".join(steps[half:]), "utf-8")
    past, other = _rewound(vault, tmp_path / "past", step), tmp_path / "other"
    branch(vault, other)
    for one, last in ((past, step), (other, len(steps))):
        assert [record["step"] for record in ledger(one)] == list(range(1, last + 1))
        file = one / "log/ledger-0000000001.jsonl"
        assert file.samefile(vault / "log/ledger-0000000001.jsonl") == (last > half)
        go_on(one, "it goes on")
        assert replay(one, verify=True).difference is None
        assert check_vault(one) == []
    assert "".join(steps[:half]) == (vault / "log/ledger-0000000001.jsonl").read_text("utf-8")


def test_a_world_that_was_killed_is_rewound_to_what_only_its_ledger_has(vault: Path, tmp_path: Path) -> None:
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        parts.engine.observe(parts.minds.observe)
        for number in range(1, 7):
            assert not parts.engine.step("#2001", f"say {number}", Role.AGENT).failed
            if number == 2:
                parts.save()
    shutil.rmtree(vault / "agents/eliza/archive")  # it was not written yet
    past = _rewound(vault, tmp_path / "past", 4)
    go_on(past, "five")
    assert [one["text"] for one in memories(past, "eliza") if one["kind"] == "said"][-3:] == [
        f'You say, "{words}"' for words in ("3", "4", "five")
    ]


def test_a_note_that_a_person_wrote_without_dates_is_as_it_is_now(vault: Path, tmp_path: Path) -> None:
    _live(vault, 20)
    note = vault / "agents/eliza/notes/by-hand.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("# By hand\n\nThe fin is missing.\n", "utf-8")
    past = _rewound(vault, tmp_path / "past", 9)
    assert (past / "agents/eliza/notes/by-hand.md").read_text("utf-8") == note.read_text("utf-8")


def test_a_note_that_was_replaced_later_is_as_it_was(vault: Path, tmp_path: Path) -> None:
    _live(vault, 20)
    history = vault / "agents/eliza/notes/history"
    history.mkdir(parents=True)
    (history.parent / "key.md").write_text("# Key\n\nnow\n", "utf-8")
    for stamp in ("20200101-000000", "29990101-000000", "29990101-000000-2"):
        (history / f"key-{stamp}.md").write_text(f"# Key\n\n{stamp}\n", "utf-8")
    past = _rewound(vault, tmp_path / "past", 9) / "agents/eliza/notes"
    assert (past / "key.md").read_text("utf-8") == "# Key\n\n29990101-000000\n"
    assert [path.name for path in (past / "history").iterdir()] == ["key-20200101-000000.md"]


def test_who_came_later_is_in_no_rewind(vault: Path, tmp_path: Path) -> None:
    go_on(vault, "early")
    step = ledger(vault)[-1]["step"]
    simulate(SimulationPlan(vault, 30, 6, 7, keep=True), lambda text: None)
    assert len(list((vault / "agents").iterdir())) == 6
    past = _rewound(vault, tmp_path / "past", step)
    assert len(list((past / "agents").iterdir())) == 4
    assert check_vault(past) == []


@pytest.mark.parametrize(
    "name", ["../evil.md", "/{}/evil.md", "config/evil.md", "world/items/../../../evil.md", "\0.md"]
)
def test_a_name_in_a_ledger_that_is_none_of_the_worlds_files_is_not_written(
    vault: Path, tmp_path: Path, name: str
) -> None:
    name = name.format(str(tmp_path).strip("/"))
    go_on(vault, "early")
    path = vault / "log/ledger-0000000001.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[-1]["files"] = {name: "evil"}
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    past = _rewound(vault, tmp_path / "past", lines[-1]["step"])
    assert list(tmp_path.rglob("evil.md")) == []
    assert check_vault(past) == []


@pytest.mark.parametrize("name", ["../evil.md", "/evil.md", "world/../../evil.md"])
def test_a_file_that_leads_out_of_a_vault_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LociError, match="is no name of a file in a vault"):
        list(_written(tmp_path / "in", [Member(name, b"")]))


def test_what_cannot_be_rewound_leaves_nothing(vault: Path, tmp_path: Path) -> None:
    _live(vault, 20)
    with pytest.raises(LociError, match="the ledger has no step 900; its last one is"):
        _rewound(vault, tmp_path / "past", 900)
    text = (vault / "log/ledger-0000000001.jsonl").read_text("utf-8").splitlines(keepends=True)
    (vault / "log/ledger-0000000001.jsonl").write_text("".join(text[:1] + text[2:]), "utf-8")
    with pytest.raises(LociError, match="the ledger lacks a step between 0 and 9"):
        _rewound(vault, tmp_path / "past", 9)
    (vault / "log/worlds/0000000000.json").unlink()
    with pytest.raises(LociError, match="the world before step 3 was not kept"):
        _rewound(vault, tmp_path / "past", 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["vault"]


def _ask(parts: Parts, what: str, **args: str) -> str:
    request = Request(what, "#2001", 1, args)
    outcome = asyncio.run(carry_out(parts, request, list))
    return outcome.text if isinstance(outcome, Refusal) else outcome.reply


def _names(folder: Path) -> Sequence[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_owner_asks_for_both_inside_the_world(vault: Path, tmp_path: Path) -> None:
    _live(vault, 20)
    with opened(vault, writable=True, clock=VirtualClock(), alone=True) as parts:
        assert "is a vault as this one is now, at step" in _ask(parts, "branch", name="What if?")
        assert "is there already and is not empty" in _ask(parts, "branch", name="what if")
        for wrong in ("..", "/", "🜁", "../x", "/tmp/x", "x/y", "..\\x", ".x", "~x"):
            assert _ask(parts, "branch", name=wrong).startswith("@branch takes a plain name and no path, with a letter")
        assert "as this one was after step 9;" in _ask(parts, "rewind", step="9")
        assert "as this one was after step 9;" in _ask(parts, "rewind", step="9")
        last = parts.engine.number
        for wrong in ("x", "-1", "1.5"):
            told = f"@rewind takes the number of a step; there are steps 1 to {last}."
            assert _ask(parts, "rewind", step=wrong) == told
        for wrong, shown in (("0", "0"), ("900", "900"), ("9" * 30, f"{10**15 - 1}...")):
            told = f"There is no step {shown} to go back to; there are steps 1 to {last}."
            assert _ask(parts, "rewind", step=wrong) == told
    assert _names(tmp_path) == ["vault", "vault-9", "vault-9-2", "what-if"]
    for name in ("what-if", "vault-9"):
        assert check_vault(tmp_path / name) == []
    assert json.loads((tmp_path / "vault-9/log/ledger-0000000001.jsonl").read_text().splitlines()[-1])["step"] == 9
