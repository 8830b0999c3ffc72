"""A night with a real, small model: whatever it says, the memory stays sound and only what holds is kept."""

from __future__ import annotations

import re
from pathlib import Path

from agents.memory.history import events, read_weighed
from mud.server.wiring import RealClock
from mud.world.events import INSIGHT
from tests.houses import house
from tests.live_server import LiveServer
from tests.settings import put
from tests.unit.agents.reflection.test_inner import TALK, hear, night, of_kind
from tests.vaults import copy_vault, without_vectors


async def test_a_night_with_a_real_model_brings_a_dream_and_nothing_that_was_not_lived(
    tmp_path: Path, live_server: LiveServer
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "inner_life", reflection_threshold=20)
    put(vault, "llm/dream", host=live_server.address, api="chat", max_tokens=60, temperature=0.0)
    async with house(tmp_path, RealClock()) as home:
        eliza = home.agent("Eliza")
        hear(home, eliza)
        await night(home, eliza)
        (dream,) = of_kind(eliza, "dream")
        assert dream.text.startswith("I dreamed: ")
        assert all(1 <= entry.importance <= 10 for entry in read_weighed(eliza.memory, 1, eliza.memory.total))
        thoughts = of_kind(eliza, "thought")
        assert thoughts, "by the model or by rules, this life gives something to think about"
        lived = " ".join(entry.text for entry in eliza.memory.read(1, len(TALK)))
        for entry in thoughts:
            told = re.fullmatch(r"I have come to think: (.+) \((?:memory|memories) ([\d, ]+)\)", entry.text)
            assert told is not None
            assert entry.mark == INSIGHT
            assert {int(seq) for seq in told[2].split(", ")} <= set(range(1, len(TALK) + 1))
            names = re.findall(r"(?<=\w )[A-Z]\w+", told[1])
            assert all(name in lived or name == "Garden" for name in names)
        names = [event["event"] for _, event in events(eliza.folder / "archive", 1, eliza.memory.total)]
        assert names == ["importance", "reflection", "notes_kept"]
        spent = {row.task: row.total.calls for row in home.parts.queue.budget.spending.rows()}
        assert spent == {"dreams": 1, "reflections": 2}
