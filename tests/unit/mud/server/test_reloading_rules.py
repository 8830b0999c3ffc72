"""The rules of things, edited while the world runs."""

from __future__ import annotations

from pathlib import Path

from tests.unit.mud.server.stage import edited

BELL = '---\nid: "#7001"\nlocation: "[[The Garden]]"\n---\n# hand bell\n\nSmall.\n\n## Rules\n\n'
FILE = "world/items/hand-bell.md"


async def test_an_edited_rule_acts_at_once_and_states_stay(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.write(FILE, f'{BELL}- when ring: it becomes loud; say "Ding."\n')
        assert on.home.type(ann, "ring hand bell").reply.endswith("Ding.")
        on.write(FILE, f'{BELL}- when ring if loud: say "Dong."\n- when pull: describe it "Bent."\n')
        assert on.home.type(ann, "ring hand bell").reply.endswith("Dong.")
        on.home.type(ann, "pull hand bell")
        on.write(FILE, f'{BELL}- when ring: say "{{it}} is still bent."\n')
        assert on.home.type(ann, "ring hand bell").reply.endswith("The hand bell is still bent.")
        assert "Bent." in on.home.type(ann, "x hand bell").reply
        on.replace(FILE, "Small.", "Mended.")
        assert "Mended." in on.home.type(ann, "x hand bell").reply
        assert on.told == []


async def test_a_file_with_a_broken_rule_keeps_its_last_good_reading(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.write(FILE, f'{BELL}- when ring: say "Ding."\n')
        on.write(FILE, f'{BELL}- when ring: say "Dong."\n- when ring: dance\n')
        (told,) = on.told
        assert f"{FILE}:12: Rules: 'dance' is no effect" in told
        assert on.home.type(ann, "ring hand bell").reply.endswith("Ding.")
        on.write(FILE, f'{BELL}- when ring: say "Dong."\n')
        assert on.home.type(ann, "ring hand bell").reply.endswith("Dong.")


async def test_a_rule_may_name_an_agent_and_a_name_that_nobody_has_is_told(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        ann = on.home.enter("Ann")
        on.write(FILE, f"{BELL}- when ring: Eliza becomes startled; move Eliza to The Library\n")
        on.home.type(ann, "ring hand bell")
        world = on.home.engine.world
        eliza = on.home.agent("Eliza").id
        assert list(world.live.of(eliza)) == ["startled"]
        assert world.where[eliza] == on.home.place("The Library")
        assert on.told == []
        on.write(FILE, f"{BELL}- when ring: Elsbeth becomes startled\n")
        assert "'Elsbeth' is nothing there is" in on.told[0]
