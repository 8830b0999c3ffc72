"""Which texts the instinct speaks with, and what is wrong with a voice that was written.

The words themselves stand in `vault/text/instinct/`, one file for each voice; `default` has them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

from mud.registry import hint

_KEYS = {
    "manner": "ask explore gesture talk",
    "greet": "back cool first known morning remembers several warm",
    "leave": "night plain subject",
    "night": "good",
    "reply": """
        advice been blame bye day day_quiet errand errand_done errand_open follow foreign forget how insult joke night
        no_news offer permit praise short sorry stay thanks time trust unclear unwilling wish
    """,
    "ack": """
        ask birth birthday called changed death fear gift glad illness kept know link link_you love luck name plain
        plan promise retold sad secret thing trouble
    """,
    "answer": """
        acquainted again been carried company differ differ_mine differ_you discreet empty_handed exits fact fact_you
        first first_you hearsay hearsay_fact hearsay_you i_am_here in_view known known_near known_quoted likes looked
        faint faint_you looked_there looks met met_first met_last met_nobody near near_you no_exits no_more
        nobody_else note
        nothing_here overheard part part_you person_here place place_words promise promise_kept promise_kept_you
        promise_you quoted quoted_you saw seen self source source_known source_self source_via source_you summary
        telling telling_you thing_here things told told_you way way_far way_first you_are_here
    """,
    "unknown": "deed not_told person plain promise promise_mine promise_you said self somebody thing unseen way",
    "opinion": "kind kind_you person place plain rude rude_you thing you",
    "self": "about goal kind know no_goal profile stranger wearing who your_name",
    "talk": "ask been changed errand gone here new news thing",
    "topic": """
        agree ask_person ask_self ask_view did disagree dislike far habit like look news person seen self unsure where
    """,
    "goal": "answer ask ask_answer ask_place met reached stuck stuck_answer topic",
    "emote": "dance greet hush idle nod pet sing sit thing yawn",
    "think": "changed goal gone morning new person place stuck stuck_answer thing",
    "note": "goal place thing told",
    "reason": "answer asked go goal goal_answer greet look rest unknown",
    "when": "day days hour hours minutes now",
    "hint": "echoes enough repeats",
    "loop": "advice_hint advice_move advice_silence echo farewell greeting nothing_new question thanks",
}
TEXTS = tuple(f"{section}.{key}" for section, keys in _KEYS.items() for key in keys.split())
"""Every text of the instinct, by its key below the name of the voice."""

ME = "me"
"""The place of the speaker's own name, which every text may use that is spoken, thought or written."""
_NOT_SPOKEN = ("manner.", "loop.", "hint.")
PLACES = frozenset(("name", "person", "place", "thing", "words", "when", "via", "other", "others", "part", "self",
                    "here", "number", "partner", "times"))  # fmt: skip
"""The places of texts. Which of them a text has is shown by the voice `default`."""

SHARES = {"never": 0.0, "seldom": 0.25, "sometimes": 0.5, "often": 0.8, "always": 1.0}
"""What the words of the `manner` section mean, as a share of the chances to do so."""

PLACE = re.compile(r"\{(\w+)\}")


def wrong_in(
    voice: Mapping[str, tuple[str, ...]],
    is_ignorant: Callable[[str], bool],
    default: Mapping[str, tuple[str, ...]] | None = None,
) -> list[tuple[str, str]]:
    """Return what is wrong with a voice, as pairs of a key and a message.

    Args:
        voice: its texts.
        is_ignorant: returns whether a text says that its speaker does not know.
        default: the voice whose texts it may leave out, and whose places it may use; None for that voice itself.
    """
    wrong = []
    for key, variants in voice.items():
        if key not in TEXTS:
            wrong.append((key, f"the instinct has no such text{hint(key, TEXTS)}"))
            continue
        known = PLACES if default is None or key not in default else _places_in(default[key])
        spoken = known if key.startswith(_NOT_SPOKEN) else known | {ME}
        expected = " ".join(sorted(known)) or "no places"
        strange = sorted(_places_in(variants) - spoken)
        wrong.extend((key, f"{{{place}}} is no place of this text; expected {expected}") for place in strange)
        if key.startswith("manner.") and any(text.casefold() not in SHARES for text in variants):
            wrong.append((key, f"expected one of {', '.join(SHARES)}"))
        if key.startswith("unknown."):
            # Others hear these lines too and must not take them for knowledge.
            unclear = [text for text in variants if not is_ignorant(text)]
            wrong.extend((key, f"does not say that the speaker does not know: {text}") for text in unclear)
    if default is None:
        wrong.extend((key, "this text is missing, and every voice may need it") for key in TEXTS if key not in voice)
    return wrong


@lru_cache(maxsize=1 << 13)
def _places_in(variants: tuple[str, ...]) -> frozenset[str]:
    return frozenset(place for text in variants for place in PLACE.findall(text))


def says_name(text: str, name: str, words: Collection[str]) -> bool:
    """Return whether a text says somebody's name; one of `words`, in lower case, that begins a sentence is a word."""
    for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        begins = re.search(r"(?:^|[.!?])\W*$", text[: found.start()])
        if not begins or name.lower() not in words or re.match(r"[.,!?;:]|$", text[found.end() :]):
            return True
    return False
