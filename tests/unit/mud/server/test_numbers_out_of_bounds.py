"""Numbers and nesting that no vault means: a problem of their file, and the rest goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.library import read_digest, steps_of
from agents.definition import read_definition
from agents.memory.archive import LEAP
from agents.memory.history import IMPORTANCE, events, examine, values_of
from agents.memory.memory import Memory
from mud.clock import VirtualClock
from mud.engine.ledger import Ledger
from mud.server.checks import FAMILIES, SCHEMAS
from mud.server.wiring import opened
from mud.storage.documents import examine_document, salvage_document
from mud.storage.front_matter import DEEPEST, LONGEST_FRONT
from mud.storage.settings import describe, examine_settings
from mud.storage.world_files import STATE
from mud.world.changes import Define
from mud.world.things import Kind, Thing
from mud.world.world import COUNTED_IDS, World
from tests.vaults import copy_vault, without_vectors

ODD = st.one_of(
    st.integers().map(str),
    st.integers(min_value=-(10**40), max_value=10**40).map(str),
    st.sampled_from(["9" * 10_000, "-" + "9" * 10_000, ".inf", "-.inf", ".nan", "nan", "1e999", "-1e999", "1e-999"]),
    st.sampled_from(["!!int " + "9" * 10_000, "!!float .nan", "!!float 1e999", "!!bool x", "!!binary x", "!!set {a}"]),
    st.sampled_from(["&a [x]", "*a", "[[[x]]]", "{a: {b: {c: d}}}", "[" * 400, "{a: " * 400, "[" * 40 + "]" * 40]),
    st.sampled_from(["", "null", "true", "~", "[]", "{}", "2025-01-01", "12:30", '"\\x00"', "'"]),
    st.text(max_size=30),
)
HUGE = "7" * 6000
"""More digits than Python makes a number of."""
NUMBERS = [(schema, one) for schema in (*SCHEMAS.values(), *FAMILIES.values()) for one in describe(schema)]


@given(st.sampled_from(NUMBERS), ODD, st.booleans())
def test_a_setting_is_within_its_bounds_or_a_problem(chosen, value: str, in_front: bool) -> None:  # type: ignore[no-untyped-def]
    schema, one = chosen
    text = f"---\n{one.key}: {value}\n---\n" if in_front else f"**{one.key}**: {value}\n"
    given_, _ = examine_settings(text, schema, "config/x.md")
    for found in given_:
        if one.type in ("int", "float"):
            assert one.low <= found.value <= one.high


def test_every_setting_that_is_a_number_has_both_bounds() -> None:
    assert [one.key for _, one in NUMBERS if one.type in ("int", "float") and None in (one.low, one.high)] == []


@given(st.lists(st.tuples(st.sampled_from(["id", "aliases", "location", "think_interval", "x", "fixed"]), ODD)))
def test_any_front_matter_is_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, keys: list[tuple[str, str]]
) -> None:
    text = "---\n" + "".join(f"{key}: {value}\n" for key, value in keys) + "---\n# Wren\n"
    examine_document(text, "a.md")
    salvage_document(text)
    folder = tmp_path_factory.mktemp("wren")
    (folder / "agent.md").write_bytes(text.encode("utf-8", "replace"))
    read_definition(folder, SCHEMAS)


@pytest.mark.parametrize(
    "front",
    [
        "a: " + "[" * 20_000,
        "a: " + "[" * 5_000 + "]" * 5_000,
        "a: " + "{a: " * 5_000,
        "".join(" " * depth + "a:\n" for depth in range(240)) + "x: [",
        "- " * 10_000,
        "a: [x\n" * 5_000,
        "".join(f"k{n}: v\n" for n in range(100_000)),
        "a: [x\n" * 100_000,
    ],
    ids=["open", "brackets", "braces", "lines", "lists", "mistakes", "long", "long and wrong"],
)
def test_a_front_matter_that_is_nested_or_long_beyond_reason_is_told_at_once(front: str) -> None:
    begun = time.process_time()
    _, problems = examine_document(f"---\n{front}\n---\n# Wren\n", "a.md")
    salvage_document(f"---\n{front}\n---\n# Wren\n")
    assert problems
    assert time.process_time() - begun < 5.0
    if len(front) > LONGEST_FRONT:
        assert problems[0].message.startswith(f"the front matter is too long: {len(front) + 1:,} characters")


def test_nesting_up_to_the_bound_is_read() -> None:
    depth = DEEPEST - 1
    document, problems = examine_document("---\na: " + "{a: " * depth + "x" + "}" * depth + "\n---\n", "a.md")
    assert problems == []
    assert document.front


@pytest.mark.parametrize("number", ["999999999", "1000000000", "999999999999"])
def test_after_the_highest_ids_others_still_arrive(tmp_path: Path, number: str) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    (vault / "world/items/star.md").write_text(f'---\nid: "#{number}"\nlocation: "[[The Loft]]"\n---\n# star\n')
    for at in range(3):
        folder = vault / "agents" / f"wren-{at}"
        folder.mkdir()
        (folder / "agent.md").write_text(f'---\nlocation: "[[The Loft]]"\n---\n# Wren {at}th\n')
        with opened(vault, writable=True) as parts:
            parts.save()
            assert parts.problems == []
            ids = {one.name: one.id for one in parts.engine.world.things.values()}
            assert len(ids) == len(set(ids.values()))
            assert {"star", *(f"Wren {one}th" for one in range(at + 1))} <= set(ids)
            assert parts.engine.world.new_id() not in ids.values()


@pytest.mark.parametrize("number", ["1000000000000", "9" * 16, "9" * 10_000])
def test_an_id_out_of_bounds_is_a_problem_of_its_file_and_others_arrive(tmp_path: Path, number: str) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    (vault / "world/items/star.md").write_text(f'---\nid: "#{number}"\nlocation: "[[The Loft]]"\n---\n# star\n')
    (vault / "agents/wren").mkdir()
    (vault / "agents/wren/agent.md").write_text('---\nlocation: "[[The Loft]]"\n---\n# Wren\n')
    with opened(vault, writable=True) as parts:
        (problem,) = parts.problems
        assert (problem.file, problem.line, problem.key) == ("world/items/star.md", 2, "id")
        assert "at most 12 digits" in problem.message
        assert len(problem.message) < 200
        assert len(parts.minds.get("Wren").id) < 8


def test_a_new_id_is_nobodys() -> None:
    world = World()
    for number in (COUNTED_IDS - 1, COUNTED_IDS, COUNTED_IDS + 1):
        world.apply([Define(Thing(f"#{number}", Kind.ITEM, f"thing {number}"))])
    assert world.new_id() == f"#{COUNTED_IDS + 2}"


@pytest.mark.parametrize("key", ["step", "next_id"])
def test_a_state_out_of_bounds_is_set_aside(tmp_path: Path, key: str) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    numbers = {"step": 0, "next_id": 1000, key: 10**17}
    (vault / STATE).write_text(
        f"---\nstep: {numbers['step']}\nnext_id: {numbers['next_id']}\nwhere: {{}}\naway: {{}}\n---\n"
    )
    with opened(vault, writable=True) as parts:
        assert [(one.file, one.key) for one in parts.problems] == [(STATE, key)]
        assert parts.engine.world.next_id < 10_000


def test_steps_out_of_bounds_are_passed_over_and_later_ones_are_found_again(tmp_path: Path) -> None:
    (tmp_path / "ledger-0000000001.jsonl").write_text(
        "".join(json.dumps({"step": step}) + "\n" for step in (1, 2, 10**18, 10**300))
        + '{"step": '
        + "9" * 10_000
        + "}\n"
    )
    ledger = Ledger(tmp_path)
    ledger.open()
    assert ledger.last == 2
    ledger.append(10**10, {})
    ledger.append(10**10 + 20_000, {})
    ledger.close()
    assert [one["step"] for one in Ledger(tmp_path).after(2)] == [10**10, 10**10 + 20_000]


@pytest.mark.parametrize("leap", [LEAP + 10, 10**12 - 2, 10**18], ids=str)
@pytest.mark.parametrize("file", ["0000000001.jsonl", None])
def test_a_memory_whose_number_leaps_is_passed_over_and_told_and_the_life_goes_on(
    tmp_path: Path, leap: int, file: str | None
) -> None:
    folder = tmp_path / "wren"
    before = Memory("Wren", folder, VirtualClock())
    before.open(writable=True)
    before.append_raw([{"text": f"The {number}. day."} for number in range(1, 4)])
    before.close()
    path = folder / "archive" / (file or f"{leap:010d}.jsonl")
    last = json.loads((folder / "archive/0000000001.jsonl").read_text().splitlines()[-1])
    with path.open("a") as archive:
        archive.writelines(json.dumps(last | {"seq": seq}, separators=(",", ":")) + "\n" for seq in (leap, leap + 1))
    after = Memory("Wren", folder, VirtualClock())
    after.open(writable=True)
    after.append_raw([{"text": "The day after."}])
    assert [entry.seq for entry in after.read(1, after.total)] == [1, 2, 3, 4]
    after.close()
    assert [name for name, _, _ in examine(folder / "archive").wrong] == [path.name]


def test_a_number_of_thousands_of_digits_in_a_life_is_read_as_none(tmp_path: Path) -> None:
    (tmp_path / "0000000001.jsonl").write_text(f'{{"seq":{HUGE},"at":""}}\n{{"event":"note"}}\n')
    assert [event for _, event in events(tmp_path, 1, 1)] == [{"event": "note"}]
    assert values_of({"event": IMPORTANCE, "values": {HUGE: 3, "4": 5}}) == {4: 5}
    (step,) = steps_of([f"[COMPACTED] She found 12 coins. (Compacted {HUGE} steps)"])
    assert step.stands_for == 1
    read_digest(f"Made {HUGE} LLM sub-calls. Completed {HUGE} steps ({HUGE} successful).", 2)
