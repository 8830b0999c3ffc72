"""Settings of what a prompt holds: each changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.houses import house
from tests.settings import proves, put_own
from tests.vaults import copy_vault, without_vectors

FACTS = ("The boathouse has a split oar.", "In the boathouse hangs a lamp.", "Swifts nest under the boathouse roof.")


@proves("thinking.related_tokens")
@pytest.mark.parametrize(("tokens", "shown"), [(0, 0), (30, 1), (1000, 3)])
async def test_of_what_is_related_as_much_is_shown_as_set(tmp_path: Path, tokens: int, shown: int) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put_own(vault, "tamsin", related_tokens=tokens)
    async with house(tmp_path) as home:
        tamsin = home.agent("Tamsin")
        for number, fact in enumerate(FACTS):
            home.minds.add_note(tamsin, f"boathouse {number}", fact, None)
        await home.minds.catch_up(tamsin)
        ann = home.enter("Ann", "The Boathouse")
        home.type(ann, "say Tamsin, what is new in the boathouse?")
        assert home.minds.prompt_of is not None
        prompt = await home.minds.prompt_of(tamsin)
    assert sum(fact in prompt.text for fact in FACTS) == shown
    left_out = {3: (), 2: ("1 related text beyond related_tokens",)}.get(
        shown, (f"{3 - shown} related texts beyond related_tokens",)
    )
    assert prompt.shed == left_out
