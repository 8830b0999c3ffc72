"""The compactor: when it folds, what it writes, and what it does when a model, a disk or a person gets in its way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.compaction.due import next_at
from agents.compaction.status import coverage, holes
from agents.llm.backend import Completion
from agents.memory.summaries import parse_summary
from mud.errors import Unavailable
from tests.lives import Disk, Life, PowerCut, heard, reply, waiting_model

GOOD = "I sat in the Library with Moss, who told me again and again that the wind had turned."
INVENTED = "I sat in the Library with Zebulon, who told me that the wind had turned."


def events(life: Life) -> list[dict[str, object]]:
    lines = (line for path in sorted((life.folder / "archive").iterdir()) for line in path.read_text().splitlines())
    return [data for line in lines if "event" in (data := json.loads(line))]


def tiles(life: Life) -> bool:
    return holes(coverage(life.compactor.view.shown()), life.memory.total + life.memory.waiting) == ([], [])


def test_folds_are_due_at_129_193_and_257(tmp_path: Path) -> None:
    life = Life(tmp_path)
    folded_at = []
    for _ in range(300):
        before = len(life.commits)
        life.live(1)
        if len(life.commits) > before:
            recent, longterm = life.commits[-1].newest, life.commits[-1].longterm
            folded_at.append((life.memory.total, longterm.covers if longterm else None, recent.covers))
        assert next_at(life.compactor.view) == {0: 129, 1: 193, 2: 257, 3: 321}[len(life.commits)]
        assert tiles(life)
    assert folded_at == [(129, None, (1, 65)), (193, (1, 65), (66, 129)), (257, (1, 129), (130, 193))]


def test_a_late_fold_takes_the_ranges_it_would_have_taken_on_time(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.memory.append([heard(f"word {number}") for number in range(300)], "2026-11-20T07:21:37.123Z", 1)
    assert [commit.newest.covers for commit in life.compactor.fold_due_now()] == [(1, 65), (66, 129), (130, 193)]
    assert not life.compactor.due()


class Hurry:
    """A pace at which a fold takes at least so many memories; it takes down the turns."""

    def __init__(self, least: int) -> None:
        self.least, self.turns = least, 0

    async def wait(self) -> None:
        await asyncio.sleep(0)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        self.turns += 1
        yield

    def at_least(self) -> int:
        return self.least


@pytest.mark.parametrize(("least", "ranges"), [(0, [(1, 65), (66, 129)]), (100, [(1, 100)]), (500, [(1, 136)])])
async def test_a_fold_in_a_hurry_takes_more_and_leaves_the_immediate_window(
    tmp_path: Path, least: int, ranges: list[tuple[int, int]]
) -> None:
    life, pace = Life(tmp_path), Hurry(least)
    life.memory.append([heard(f"word {number}") for number in range(200)], "2026-11-20T07:21:37.123Z", 1)
    assert [commit.newest.covers for commit in await life.compactor.fold_due(pace)] == ranges
    assert pace.turns == len(ranges) + 1
    assert tiles(life)


def test_the_log_says_what_seed_000_shows(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(193)
    first, second = life.commits
    assert second.longterm is not None
    assert life.logged == [
        "[Memory] Wren: Starting compaction (129 memories, 64 immediate, 64 recent)",
        f"[Memory] Wren: Short-term summary updated ({len(first.newest.text)} chars)",
        "[Memory] Wren: Compaction complete (first summary)",
        "[Memory] Wren: Starting compaction (193 memories, 64 immediate, 64 recent)",
        f"[Memory] Wren: Long-term summary updated ({len(second.longterm.text)} chars)",
        f"[Memory] Wren: Short-term summary updated ({len(second.newest.text)} chars)",
        "[Memory] Wren: Compaction complete (waterfall)",
    ]


def test_a_fold_leaves_the_files_that_the_design_shows(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(193)
    names = sorted(path.name for path in (tmp_path / "summaries").iterdir())
    assert names[:3] == ["longterm-20260101-001605.md", "longterm.md", "recent-20260101-001045.md"]
    assert names[3:] == ["recent-20260101-001605.md", "recent.md"]
    current = (tmp_path / "summaries" / "recent.md").read_text()
    keys = [line.split(":")[0] for line in current.split("---")[1].strip().splitlines()]
    assert keys == [
        "type", "summary_type", "covers", "reference", "memory_count", "updated", "strategy", "method", "reason",
        "depth", "tokens", "compression_ratio", "retention", "faithful", "retention_sample",
    ]  # fmt: skip
    assert "covers: {first: 66, last: 129}\n" in current
    assert "\n---\n# Recent Memory Summary\n\n" in current
    version = (tmp_path / "summaries" / "recent-20260101-001605.md").read_text()
    assert version.startswith(current)
    assert version.count("\n- ") == 64
    assert '- 129. Moss says, "The wind has turned again, for the 129. time."' in version


def test_the_commit_line_names_files_and_their_hashes(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(193)
    first, second = events(life)
    assert first["longterm"] is None
    assert second["event"] == "auto_compact"
    assert second["covers"] == {"first": 66, "last": 129}
    assert second["reason"] == "automatic"
    for tier in ("longterm", "recent"):
        record = second[tier]
        assert isinstance(record, dict)
        assert (tmp_path / "summaries" / record["file"]).is_file()
        assert len(record["sha256"]) == 64


async def test_a_manual_fold_takes_everything_outside_the_immediate_window(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    commit = await life.compactor.fold_now("manual")
    assert commit is not None
    assert commit.newest.covers == (1, 36)
    assert events(life)[-1]["event"] == "manual_compact"
    record = commit.record()
    assert (record["original_entries"], record["compacted_entries"], record["preserved_entries"]) == (100, 65, 64)
    assert record["compacted_chars"] == len("".join([*(one.text for one in life.memory.tail), commit.newest.text]))
    assert record["used_llm"] is False
    assert record["range"] == {"first": 1, "last": 36}
    assert next_at(life.compactor.view) == 36 + 64 + 64


async def test_a_manual_fold_of_nothing_says_so(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(64)
    assert await life.compactor.fold_now("manual") is None
    assert life.compactor.notice == "nothing is older than the newest 64 memories"
    assert not (tmp_path / "summaries").exists()


async def test_a_forced_fold_of_one_tiny_memory_does_not_grow_the_view(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(immediate_window=1)
    life.memory.append([heard("Hi.", "Bo"), heard("Yes.", "Bo")], "2026-11-20T07:21:37.123Z", 1)
    commit = await life.compactor.fold_now("manual")
    assert commit is not None
    assert 0 < len(commit.newest.text) < len('Bo says, "Hi."')


async def test_a_good_reply_of_the_model_becomes_the_summary(tmp_path: Path) -> None:
    asked = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append((prompt, profile))
        return reply(f" {GOOD}\n\n# Memories:\nMoss says")

    life = Life(tmp_path, model=model)
    life.set(profile="my-profile", auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    (commit,) = await life.compactor.fold_due()
    assert (commit.newest.text, commit.newest.method, commit.newest.model) == (GOOD, "model", "test-model")
    assert commit.newest.tokens["prompt"] == 100
    assert commit.newest.faithful
    ((prompt, profile),) = asked
    assert profile == "my-profile"
    assert prompt.startswith('# Memories:\nMoss says, "The wind')
    assert prompt.endswith("\n>")
    assert "method: model\nmodel: test-model\n" in life.summary_file("recent").read_text()


async def test_a_reply_that_invents_somebody_is_tried_once_more_and_then_thrown_away(tmp_path: Path) -> None:
    asked = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        return reply(INVENTED)

    life = Life(tmp_path, model=model)
    life.set(auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    (commit,) = await life.compactor.fold_due()
    assert len(asked) == 2
    assert asked[0] != asked[1]
    assert commit.newest.method == "extractive"
    assert "Zebulon" not in commit.newest.text
    assert commit.newest.tokens["prompt"] == 200, "what was spent is on the receipt"
    assert "the name Zebulon is not in the source" in commit.rejected[0]
    assert "Zebulon" in life.memory.warnings[0]


async def test_a_second_try_may_be_good(tmp_path: Path) -> None:
    replies = [INVENTED, GOOD]

    async def model(prompt: str, profile: str) -> Completion:
        return reply(replies.pop(0))

    life = Life(tmp_path, model=model)
    life.set(auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    (commit,) = await life.compactor.fold_due()
    assert (commit.newest.text, commit.newest.method) == (GOOD, "model")


async def test_a_model_that_is_down_is_asked_once_and_the_fold_is_made_by_rules(tmp_path: Path) -> None:
    asked = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        raise Unavailable("http://localhost:11434 does not answer")

    life = Life(tmp_path, model=model)
    life.live(193)
    life.set(immediate_window=8, recent_window=8)
    commits = await life.compactor.fold_due()
    assert len(asked) == len(commits)
    assert {commit.newest.method for commit in commits} == {"extractive"}
    assert any("does not answer" in warning for warning in life.memory.warnings)
    assert tiles(life)


async def test_what_arrives_while_the_model_answers_stays_outside_the_fold(tmp_path: Path) -> None:
    life = Life(tmp_path, model=waiting_model)
    life.set(auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    folding = life.compactor.fold_due()
    folding.send(None)
    assert life.compactor.busy
    assert not life.compactor.due()
    assert await life.compactor.fold_now("manual") is None
    assert life.compactor.notice == "a fold is under way already"
    life.memory.append([heard(f"late {number}") for number in range(10)], "2026-11-20T07:21:37.123Z", 500)
    with pytest.raises(StopIteration):
        folding.send(reply(GOOD))
    assert life.commits[0].newest.covers == (1, 65)
    assert tiles(life)
    assert not life.compactor.busy


async def test_a_cancelled_fold_leaves_the_watermark_where_it_was(tmp_path: Path) -> None:
    life = Life(tmp_path, model=waiting_model)
    life.set(auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    folding = life.compactor.fold_due()
    folding.send(None)
    with pytest.raises(asyncio.CancelledError):
        folding.throw(asyncio.CancelledError())
    assert life.memory.watermark == 0
    assert not life.compactor.busy
    assert [commit.newest.covers for commit in life.compactor.fold_due_now()] == [(1, 65)]


async def test_an_edit_during_a_fold_wins_and_the_plan_is_made_again_by_rules(tmp_path: Path) -> None:
    life = Life(tmp_path, model=waiting_model)
    life.live(129)
    life.set(auto_enabled=False)
    life.live(64)
    life.set(auto_enabled=True)
    folding = life.compactor.fold_due()
    folding.send(None)
    path = life.summary_file("recent")
    path.write_text(path.read_text().replace("My first memories", "Quite secretly, my first memories"))
    with pytest.raises(StopIteration):
        folding.send(reply(GOOD))
    commit = life.commits[-1]
    assert commit.longterm is not None
    assert "Quite secretly" in commit.longterm.text, "the edit was taken up"
    assert commit.newest.method == "extractive"
    assert any("Quite secretly" in text for text in life.edited_versions())


def test_a_text_saved_in_the_very_moment_of_the_commit_is_kept(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(192)
    path = life.summary_file("recent")
    base = life.disk.writes

    def save(number: int) -> None:
        if number == base + 4:  # after the last look of the fold, before the commit line
            path.write_text(path.read_text().replace("My first memories", "Quite secretly, my first memories"))

    life.disk.meanwhile = save
    life.live(1)
    assert any("Quite secretly" in text for text in life.edited_versions())
    assert parse_summary(path.read_text(), "recent", "").covers == (66, 129)


def test_nothing_is_folded_while_the_archive_cannot_be_written(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(120)
    life.disk.full = True
    life.live(30)
    assert life.memory.total == 120
    assert life.memory.waiting == 30
    assert not life.commits
    assert tiles(life)
    assert "30 memories wait" in life.memory.warnings[0]
    life.disk.full = False
    life.live(1)
    assert life.memory.total == 151
    assert [commit.newest.covers for commit in life.commits] == [(1, 65)]
    assert life.memory.warnings == []


def test_a_disk_that_fills_during_the_fold_changes_nothing_and_it_is_tried_again_later(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(auto_enabled=False)
    life.live(129)
    life.set(auto_enabled=True)
    life.disk.full = True
    assert life.compactor.fold_due_now() == []
    assert life.memory.watermark == 0
    assert "could not be folded" in life.compactor.notice
    assert not life.compactor.due(), "it waits before it is tried again"
    life.disk.full = False
    life.clock.advance(10)
    assert life.compactor.due()
    assert len(life.compactor.fold_due_now()) == 1
    assert life.memory.warnings == []


def test_a_listener_that_fails_does_not_undo_a_commit(tmp_path: Path) -> None:
    life = Life(tmp_path)

    def listen(commit: object) -> None:
        raise OSError("the index is gone")

    life.on_commit = listen
    life.start()
    life.live(129)
    assert life.memory.watermark == 65
    assert "the index is gone" in life.memory.warnings[0]


def test_a_strategy_that_does_not_exist_is_said_and_the_waterfall_folds(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="watterfall")
    life.live(129)
    assert life.memory.watermark == 65
    assert "there is no strategy 'watterfall'" in life.memory.warnings[0]


def test_a_fold_after_the_tenth_still_knows_the_first(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.memory.append([heard("The key lies under the blue stone at the mill, promise to tell nobody.", "Ada")], "", 1)
    life.live(64 + 11 * 64)
    assert len(life.commits) >= 10
    assert "blue stone" in life.longterm.text
    assert "Ada" in life.longterm.text


@pytest.mark.parametrize("half", [False, True])
def test_a_power_cut_at_any_write_of_a_fold_rolls_forward_or_back(tmp_path: Path, half: bool) -> None:
    counted = Life(tmp_path / "counted")
    counted.live(192)
    before = counted.disk.writes
    counted.live(1)
    writes = counted.disk.writes - before
    assert writes == 1 + 2 + 1 + 2, "the memory, two versions, the commit line, the two files in use"
    for cut in range(writes + 1):
        life = Life(tmp_path / f"cut-{cut}")
        life.live(192)
        life.disk.cut_after(cut, half)
        try:
            life.live(1)
        except PowerCut:
            pass
        life.disk = Disk()
        life.start()
        assert tiles(life)
        assert life.messages == [] or (half and "torn" in life.messages[0])
        assert life.edited_versions() == []
        assert life.memory.watermark == (129 if cut >= 4 else 65)
        for tier in ("longterm", "recent"):
            held, path = getattr(life.memory, tier), life.summary_file(tier)
            assert path.exists() == (held is not None)
            if held is not None:
                assert parse_summary(path.read_text(), tier, "").covers == held.covers
        life.live(200)
        assert tiles(life)
        assert len(life.memory.read(1, 999)) == life.memory.total
