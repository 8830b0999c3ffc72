"""Answers `@show-text`: a text of the vault as it is now, its places, and where it stands."""

from __future__ import annotations

from mud.commands import LONGEST_SHOWN, Outcome, Say
from mud.errors import Refusal
from mud.registry import suggest
from mud.storage.texts import TextStore
from mud.world.narration import phrase, shortened

SHOWN = phrase("app.text.shown", "key", "text", "file", "line")
PLACES = phrase("app.text.places", "places")
BELOW = phrase("app.text.below", "key", "count")
NO_SUCH = phrase("app.text.no_such", "key")
NEAR = phrase("app.text.near", "key")
TOP = phrase("app.text.top", "keys")


def show_text(texts: TextStore, key: str) -> Outcome:
    """Return a text, or the keys below a part of a key; raises Refusal with the nearest key for another."""
    say = texts.render
    key = key.strip().rstrip(".")
    if texts.variants(key):
        return Outcome("\n".join(_explained(texts, key)))
    below = texts.keys(f"{key}.")
    if not below:
        near = suggest(key, {*texts.keys(""), *_parents(texts)})
        top = ", ".join(sorted({one.partition(".")[0] for one in texts.keys("")}))
        raise Refusal(
            say(NO_SUCH, key=shortened(key, LONGEST_SHOWN)), say(NEAR, key=near) if near else say(TOP, keys=top)
        )
    return Outcome("\n".join([say(BELOW, key=key, count=len(below)), *(f"  {one}" for one in below)]))


def _explained(texts: TextStore, key: str) -> list[str]:
    say: Say = texts.render
    file, line = texts.place(key)
    first, *others = (say(SHOWN, key=key, text=text, file=file, line=line) for text in texts.variants(key))
    places = ", ".join(f"{{{place}}}" for place in sorted(texts.places(key)))
    return [first, *others, *([say(PLACES, places=places)] if places else [])]


def _parents(texts: TextStore) -> set[str]:
    return {one.rpartition(".")[0] for one in texts.keys("")}
