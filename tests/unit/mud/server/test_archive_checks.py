"""What is wrong with memories that the program wrote: `check` names it with file and line."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from agents.memory.entries import Entry
from agents.memory.history import examine, examine_file, sources_of
from mud.command_line import main
from mud.commands import Outcome
from mud.server.checks import check_lives
from mud.server.requests import carry_out
from mud.world.events import Request
from tests.houses import house
from tests.vaults import copy_vault

LINE = '{"seq":%d,"at":"2026-11-20T07:21:37.123Z","kind":"told","text":"A pear fell.","source":%d}\n'
FILE = "agents/moss/archive/0000000001.jsonl"


def told(vault: Path) -> list[str]:
    return [str(problem) for problem in check_lives(vault)]


def archive_of(vault: Path, **files: str) -> Path:
    """Give Moss an archive of these files, each named `f` and its first memory."""
    archive = vault / "agents/moss/archive"
    archive.mkdir(exist_ok=True)
    for name, text in files.items():
        (archive / f"{int(name[1:]):010d}.jsonl").write_text(text, encoding="utf-8")
    return archive


def lines(first: int, last: int) -> list[str]:
    return [LINE % (seq, seq) for seq in range(first, last + 1)]


def without(number: int) -> Callable[[list[str]], list[str]]:
    return lambda known: known[: number - 1] + known[number:]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda known: known, []),
        (lambda known: [*known, '{"seq":11,"at":'], []),
        (without(4), [f"{FILE}:4: memory 4 is lost before this line; expected every memory from 1 on"]),
        (
            lambda known: known[:3] + known[6:],
            [f"{FILE}:4: memories 4-6 are lost before this line; expected every memory from 1 on"],
        ),
        (
            lambda known: [*known[:5], known[2], *known[5:]],
            [f"{FILE}:6: memory 3 stands here again; expected it once (first in line 3)"],
        ),
        (
            lambda known: [*known[:3], known[4], known[3], *known[5:]],
            [f"{FILE}:5: memory 4 stands behind memory 5; expected them in order"],
        ),
        (
            lambda known: [*known[:3], "{broken\n", "\x00\n", *known[5:]],
            [
                f"{FILE}:4: this line and 1 more behind it cannot be read; expected one JSON object, "
                "with the number of a memory as seq or an event"
            ],
        ),
        (
            lambda known: [*known[:3], known[3].replace("seq", "sqe"), *known[4:]],
            [
                f"{FILE}:4: this line cannot be read; expected one JSON object, "
                "with the number of a memory as seq or an event"
            ],
        ),
        (
            lambda known: [*known[:3], known[3].replace('"A pear fell."', "null"), *known[4:]],
            [f"{FILE}:4: this line cannot be read; expected at, kind and text, each a text"],
        ),
        (
            lambda known: [*known[:3], "{broken\n", *known[6:]],
            [
                f"{FILE}:4: this line cannot be read; expected one JSON object, "
                "with the number of a memory as seq or an event",
                f"{FILE}:5: memories 4-6 are lost before this line; expected every memory from 1 on",
            ],
        ),
        (
            lambda known: [*known, '{"event":"auto_compact","recent":{"file":7}}\n'],
            [
                f"{FILE}:11: this line is a commit that cannot be used; expected what its summaries cover, "
                "and their files",
            ],
        ),
    ],
)
def test_a_lost_doubled_or_broken_line_is_named(
    tmp_path: Path, change: Callable[[list[str]], list[str]], expected: list[str]
) -> None:
    vault = copy_vault(tmp_path)
    archive_of(vault, f1="".join(change(lines(1, 10))))
    assert told(vault) == expected


def test_a_file_that_is_gone_and_one_that_nothing_reads_are_named(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    archive = archive_of(vault, f11="".join(lines(11, 20)), f31="".join(lines(31, 40)))
    (archive / "21.jsonl").write_text("".join(lines(21, 30)), encoding="utf-8")
    assert told(vault) == [
        "agents/moss/archive/0000000011.jsonl:1: there is nothing of memories 1-10: the file before this one is gone; "
        "expected it beside this one",
        "agents/moss/archive/0000000011.jsonl:10: memories 21-30 are lost before this line; "
        "expected every memory from 11 on",
        "agents/moss/archive/21.jsonl: nothing reads this file; expected a name such as 0000000001.jsonl",
    ]


def test_a_broken_agents_file_does_not_hide_what_is_wrong_with_its_archive(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    archive_of(vault, f1="".join(without(2)(lines(1, 5))))
    (vault / "agents/moss/agent.md").write_bytes(b"\xff")
    assert [one.split(":")[0] for one in told(vault)] == [FILE]


def test_status_covers_only_what_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = copy_vault(tmp_path)
    # Broken in between: it begins and ends as it should, so that counting does not notice.
    known = lines(1, 1500)
    known[6] = known[6].replace("told", 'to"ld')
    archive_of(vault, f1="".join(known))
    main(["status", "Moss", "--json", "--vault", str(vault)])
    record = json.loads(capsys.readouterr().out)
    assert record["unreadable"] == [{"first": 7, "last": 7}]
    assert [one["line"] for one in record["problems"]] == [7]
    main(["status", "Moss", "--vault", str(vault)])
    report = capsys.readouterr().out
    assert "1-1500 but for 7, which cannot be read" in report or "gap 7" in report
    assert "whole" not in report
    assert f"{FILE}:7: this line cannot be read" in report


async def lived(tmp_path: Path, folder: str = "old") -> Path:
    """Have Ann say ten things in front of Eliza, keep her folder as it is after five, and return the vault."""
    async with house(tmp_path) as home:
        vault, ann = home.parts.vault, home.enter("Ann")
        for number in range(10):
            if number == 5:
                shutil.copytree(vault / "agents/eliza", tmp_path / folder)
            home.type(ann, f"say I counted {number} pears.")
        home.parts.save()
    return vault


async def test_a_life_as_it_was_lived_has_no_mistake(tmp_path: Path) -> None:
    vault = await lived(tmp_path)
    assert told(vault) == []


async def test_an_archive_that_is_older_than_the_ledger_is_named_where_its_memories_should_stand(
    tmp_path: Path,
) -> None:
    vault = await lived(tmp_path)
    shutil.rmtree(vault / "agents/eliza")
    shutil.copytree(tmp_path / "old", vault / "agents/eliza")
    (problem,) = told(vault)
    assert problem.startswith("agents/eliza/archive/0000000001.jsonl:6: 5 memories that the ledger left with Eliza in ")
    assert problem.endswith(": this archive is older than the ledger; expected the one saved last")
    async with house(tmp_path) as home:  # what is lived from now on does not cover it up
        home.type(home.enter("Ann"), "say I counted the rest.")
        home.parts.save()
    (problem,) = told(vault)
    assert problem.startswith("agents/eliza/archive/0000000001.jsonl:7: 5 memories ")


async def test_an_archive_whose_steps_are_not_in_order_lacks_nothing(tmp_path: Path) -> None:
    vault = await lived(tmp_path)
    path = vault / "agents/eliza/archive/0000000001.jsonl"
    memories = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for one, source in zip(memories, [one["source"] for one in reversed(memories)], strict=True):
        one["source"] = source
    path.write_text("".join(f"{json.dumps(one)}\n" for one in memories), "utf-8")
    assert told(vault) == []


async def test_what_a_kill_left_to_be_given_back_is_no_mistake(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        vault, ann = home.parts.vault, home.enter("Ann")
        home.type(ann, "say I counted the pears.")
        home.parts.save()
        eliza = home.agent("Eliza").folder / "archive/0000000001.jsonl"
        saved = eliza.read_bytes()
        home.type(ann, "say I counted them again.")
    eliza.write_bytes(saved)
    assert told(vault) == []


async def test_a_line_of_the_ledger_that_is_no_step_is_named(tmp_path: Path) -> None:
    vault = await lived(tmp_path)
    (ledger,) = (vault / "log").glob("ledger-*.jsonl")
    known = ledger.read_bytes().split(b"\n")
    known[0] = b"{broken"
    ledger.write_bytes(b"\n".join(known))
    assert told(vault)[0] == (
        f"log/{ledger.name}:1: this line is no step and is passed over; "
        "expected one JSON object with the number of a step"
    )


THING = {"id": "#7", "kind": "item", "name": "x"}


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"changes": [{"fly": "#1"}]}, 'what is no change, and it is passed over: {"fly": "#1"}; expected one such as'),
        ({"changes": [{"put": "#1000"}]}, 'what is no change, and it is passed over: {"put": "#1000"}; expected'),
        ({"changes": [{"define": THING | {"kind": "cloud"}}]}, "what is no change, and it is passed over: "),
        ({"changes": [{"define": THING | {"aliases": [5]}}]}, "what is no change, and it is passed over: "),
        ({"changes": 5}, "what is no change, and it is passed over: 5; expected"),
        ({"changes": [{"put": "#88888", "into": "#1000"}]}, "this step names #88888, and what it says of it is passed"),
        ({"changes": [{"awake": "Ann"}]}, "this step names Ann, and what it says of it is passed over; expected"),
        ({"left": [{"who": "#1000"}]}, 'left what is no memory, and it is passed over: {"who": "#1000"}; expected'),
        ({"left": [{"who": "#99999", "kind": "saw", "text": "x"}]}, "this step names #99999, and what it says of it"),
        ({"left": [{"who": "#1000", "kind": "saw", "text": "x"}], "at": 5}, "this step has no time, and what it left"),
    ],
)
def test_of_a_step_that_cannot_be_used_everybody_tells_the_same_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], step: dict[str, object], says: str
) -> None:
    vault = asyncio.run(lived(tmp_path))
    (ledger,) = (vault / "log").glob("ledger-*.jsonl")
    known = ledger.read_text("utf-8").splitlines()
    number = json.loads(known[-1])["step"] + 1
    record = {"step": number, "at": "2999-01-01T00:00:00.000Z", "who": "#1", "changes": [], "left": [], **step}
    ledger.write_text("\n".join([*known, json.dumps(record), ""]), "utf-8")
    (problem,) = told(vault)
    assert problem.startswith(f"log/{ledger.name}:{len(known) + 1}: this step ")
    assert says in problem
    assert main(["check", "--vault", str(vault)]) == 1
    assert capsys.readouterr() == (f"{problem}\n", "")
    assert main(["status", "Moss", "--vault", str(vault)]) == 0
    assert capsys.readouterr().out.count(problem) == 1
    assert asyncio.run(reloaded(tmp_path)).count(problem) == 1


async def reloaded(tmp_path: Path) -> str:
    """Return what `@reload` says in a world that was made from the vault again."""
    async with house(tmp_path) as home:
        outcome = await carry_out(home.parts, Request("reload", "#1", 1), list)
    assert isinstance(outcome, Outcome)
    return outcome.reply


async def test_a_step_that_names_what_was_taken_away_by_hand_since_is_no_mistake(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        vault, ann = home.parts.vault, home.enter("Ann", "The Loft")
        home.parts.save()
        assert not home.type(ann, "take lamp glass").failed
    (vault / "world/items/lamp-glass.md").unlink()
    assert told(vault) == []


class GivenUp(Exception):
    """Nobody waits any more."""


def test_a_look_through_lives_can_be_given_up_between_two_files_and_two_steps(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    archive_of(vault, f1="".join(lines(1, 4)), f5="".join(lines(5, 8)), f9="".join(lines(9, 12)))
    (vault / "log").mkdir(exist_ok=True)
    (vault / "log/ledger-0000000001.jsonl").write_text('{"step":1}\n{"step":2}\n')
    asked: list[int] = []
    check_lives(vault, lambda: asked.append(1))
    assert len(asked) >= 5
    for most in range(len(asked)):
        left = iter(range(most))

        def between(left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise GivenUp

        with pytest.raises(GivenUp):
            check_lives(vault, between)


def test_a_file_that_is_not_decoded_is_one_without_a_mistake(tmp_path: Path) -> None:
    chance = Random(3)
    whole = memory_lines(12)
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] = chance.choice(b'0123456789abu\\"{},:\n \x00\xc3\xff')
                case 1:
                    del data[at : at + chance.choice([1, 1, 30, 300])]
                case 2:
                    data[at:at] = data[at : at + chance.choice([1, 5, 200])]
                case 3:
                    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) + 1
                    data[at:at] = data[start:end] if chance.random() < 0.5 else b""
                    data[start:start] = data[start:end] if chance.random() < 0.5 else b""
        known = bytes(data[: data.rfind(b"\n") + 1])
        if (found := sources_of(known, 1)) is not None:
            assert examine_file(known, 1, None) == ([], [], found), known
    assert sources_of(whole, 1) == list(range(101, 113))


def memory_lines(count: int) -> bytes:
    """Return an archive's file as the program writes it: memories with all that may stand in them, and an event."""
    told = ('a "pear" fell\\', "ein Apfel für Zoë\t\x7f", "plain", "two\nlines \U0001f350")
    memories = [
        Entry(
            seq, "2026-11-20T07:21:37.123Z", "said", ("Moss", None)[seq % 2], (None, "The Library")[seq % 2],
            told[seq % 4], (None, "to see")[seq % 2], seq % 3 == 0, seq % 10 + 1, 100 + seq,
            id=("x-1", None)[seq % 2], origin=("f85c", None)[seq % 2],
        ).to_json()
        for seq in range(1, count + 1)
    ]  # fmt: skip
    memories.insert(5, '{"event":"import","at":"2026-11-20T07:21:37.123Z"}')
    return "".join(f"{line}\n" for line in memories).encode()


def test_it_writes_nothing_and_is_quick_with_a_hundred_thousand_memories(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    files = {f"f{first}": "".join(lines(first, min(first + 4095, 100_000))) for first in range(1, 100_001, 4096)}
    archive = archive_of(vault, **files)
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    begun = time.process_time()
    assert told(vault) == []
    assert time.process_time() - begun < 5
    tracemalloc.start()
    found = examine(archive)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.count_from(100_000) == 1
    assert kept < 1_500_000
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before
