"""Settings of what a prompt holds: each changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.houses import house
from tests.pasts import talks
from tests.settings import proves, put, put_own
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
        prompt = await home.parts.prompting.next_prompt(tamsin)
    assert sum(fact in prompt.text for fact in FACTS) == shown
    left_out = {3: (), 2: ("1 related note beyond related_tokens",)}.get(
        shown, (f"{3 - shown} related notes beyond related_tokens",)
    )
    assert prompt.shed == left_out


@proves("thinking.experience_share", "thinking.experience_least")
@pytest.mark.parametrize(
    ("share", "least", "window", "shown"),
    [
        (0.0, 300, 8192, 0),
        (0.01, 0, 8192, 1),
        (0.01, 0, 16_384, 2),
        (0.05, 0, 8192, 2),
        (0.01, 200, 8192, 2),
    ],
)
async def test_past_experiences_take_no_more_than_their_share_of_the_window_or_the_least_that_is_set(
    tmp_path: Path, share: float, least: int, window: int, shown: int
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "memory_compaction", immediate_window=2, recent_window=16)
    put(vault, "llm/think", num_ctx=window)
    put_own(vault, "tamsin", experience_share=share, experience_least=least)
    async with house(tmp_path) as home:
        tamsin = home.agent("Tamsin")
        tamsin.memory.append_raw(talks(160))
        tamsin.compactor.fold_due_now()
        await home.minds.catch_up(tamsin)
        prompt = await home.parts.prompting.next_prompt(tamsin)
    assert prompt.text.count(" (memories ") == shown
    missing = {0: "2 related experiences beyond experience_share", 1: "1 related experience beyond experience_share"}
    assert prompt.shed == ((missing[shown],) if shown < 2 else ())
