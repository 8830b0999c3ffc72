from __future__ import annotations

from pathlib import Path

from mud.server.phrases import check_texts, load_phrases
from mud.server.wiring import SHIPPED
from mud.storage.texts import TextStore
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault


def test_the_shipped_words_fit_what_the_program_says() -> None:
    phrases = load_phrases()
    assert len({one.key for one in phrases}) == len(phrases) > 50
    assert {"app.save.saved", "commands.say.said", "minds.think.thought", "engine.events.enters"} <= {
        one.key for one in phrases
    }


def test_missing_unused_and_wrong_words_are_named_with_file_and_line(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    path = vault / "text/app.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("**saved**: Saved; step {step}", "**saved_**: Saved; step {step}"), encoding="utf-8")
    store = TextStore(vault / "text")
    assert store.load() == []
    told = {problem.key: problem for problem in check_texts(store)}
    assert set(told) == {"app.save.saved", "app.save.saved_"}
    assert told["app.save.saved_"].line > 1


def without(vault: Path, *keys: str) -> None:
    """Leave words out of a vault, as one from before they were needed has none."""
    for path in (vault / "text").glob("*.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if not line.startswith(tuple(f"**{key}**:" for key in keys))]
        path.write_text("\n".join(kept) + "\n", encoding="utf-8")


async def test_an_older_vault_is_lent_the_words_it_lacks_and_its_owner_told_where_they_stand(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    without(vault, "neither", "goodbye")
    async with edited(tmp_path) as on:
        texts = on.home.parts.texts
        first, second = check_texts(texts)
        assert (first.file, second.file) == ("text/commands.md", "text/minds.md")
        assert "no words for commands.quit.goodbye; those that came with the program are used" in first.message
        assert second.message.endswith(f"copy them from {SHIPPED / 'text/minds.md'}")
        assert "keeps your shape" in on.home.type(on.home.enter("Ann"), "quit").reply
        on.replace("text/minds.md", "You think, ", "You muse, ")
        on.write("text/commands.md", "")
        assert on.told == []
        assert texts.variants("minds.think.thought") == ('You muse, "{words}"',)
        assert texts.variants("commands.say.said")
        on.replace("text/minds.md", "**thought**:", "**thougth**:")
        assert any("minds.think.thought" in line for line in on.told)
        assert texts.variants("minds.think.thought")


def test_the_words_of_minds_are_checked_too(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    path = vault / "text/instinct/default.md"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("**"))
    lines[at] = lines[at].replace("**", "**qqq_", 1)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    store = TextStore(vault / "text")
    store.load()
    told = check_texts(store)
    assert told
    assert all(problem.file.startswith("text") for problem in told)
