"""What holds whatever a builder types: the vault is in order after each line, and all of it can be taken back."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.unit.mud.server.building.site import content, site

NAMES = ("sundial", "here", "The Den", "The Loft", "iron key", "tin cup", "Eliza")
WAYS = ("north", "den", "out", "gate")
name, way = st.sampled_from(NAMES), st.sampled_from(WAYS)
lines = st.one_of(
    st.builds("@dig {} = {}, {}".format, st.sampled_from(["The Den", "The Inn"]), way, way),
    st.builds("@open {} = {}, {}".format, way, name, way),
    st.builds("@{} {}".format, st.sampled_from(["unlink", "create", "destroy", "clone"]), st.one_of(name, way)),
    st.builds("@{} {} = {}".format, st.sampled_from(["rename", "alias", "describe", "rule", "clone"]), name, name),
    st.builds("@set {} {}".format, name, st.sampled_from(["fixed = true", "tags = a, b", "location = The Loft"])),
    way,
)


@settings(max_examples=examples(40))
@given(st.lists(lines, min_size=2, max_size=12))
async def test_whatever_is_built_leaves_the_vault_in_order_and_can_be_taken_back(typed: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with site(Path(folder)) as here:
            before = content(here.vault)
            for line in typed:
                await here.type(line)
                assert here.problems() == []
                assert here.world.location_of(here.bert.session.own) is not None
            await here.type("@teleport #1002")
            for _ in typed:
                await here.type("@undo")
            assert content(here.vault) == before
            assert here.hall.told == []
