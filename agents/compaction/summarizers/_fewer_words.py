"""A quotation told in fewer words: without those before and behind it that tell nothing its sentence does not.

`Bo said, "I'll pay you on the quay, my word on it."` becomes `Bo promised, "I'll pay you on the quay."`, and `Ada said,
"Well, I am Ada, and I keep bees."` becomes `Ada said, "I keep bees."` What is left are whole sentences, in the words
that were said: no `not`, `if` or `unless` is ever left out.
"""

from __future__ import annotations

import re

from agents.compaction.summarizers._reading import read

_SAID = re.compile(r'(?P<who>[^",]+) said, "(?P<what>[^"]+)"[.!]?')
_VOW = re.compile(
    r"(?:[,.;!…]|\s[-–—])\s+(?:and )?(?:"
    r"i (?:promise|swear|vow)(?: (?:it|that|this|you|to you|you that|it to you))?"
    r"|(?:that is|that['’]s|it is|it['’]s|this is) (?:a|my) (?:promise|vow)"
    r"|(?:you have|you['’]ve got|i give you) my word(?: (?:on|for) (?:it|that))?"
    r"|(?:up)?on my (?:word|hono[u]?r)|my word(?: of hono[u]?r)?(?: on (?:it|that))?"
    r"|you (?:can|may) (?:count|rely|depend) on (?:it|that|me)"
    r")[.!]?\Z",
    re.IGNORECASE,
)
"""What only vows, at the end of what is said."""
_LONGEST_VOW = 48
"""Characters from the end in which a vow may begin."""
_FILLER = re.compile(
    r"(?:well|oh|ah|hm|you see|you know|look|listen|by the way|to tell (?:you )?the truth|truth be told"
    r"|in truth|to be (?:honest|frank)|honestly),\s+|(?:then|so|and|but),?\s+(?=I\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?:I am|I['’]m|[Mm]y name is|[Mm]y name['’]s) ([^,.]+?)(?:\.|,?\s+and|,)\s+(?=I\b|[Mm]y\b)")
"""What only says how one is called, before what one tells of oneself."""


def fewer_words(text: str, name: str = "") -> str:
    """Return a quotation without fillers, the name of who says it and vows; any other sentence itself.

    Args:
        text: a sentence as it is told.
        name: whose memories they are, who speaks in them as I.
    """
    said = _SAID.fullmatch(text)
    if said is None:
        return text
    who, verb = said["who"], "said"
    filler = _FILLER.match(said["what"])
    what = said["what"][filler.end() :] if filler else said["what"]
    called = _CALLED.match(what)
    if called and called[1] == (name if who == "I" else who):
        what = what[called.end() :]
    if (vow := _VOW.search(what, max(0, len(what) - _LONGEST_VOW))) and read(what[: vow.start()]).binds:
        what, verb = f"{what[: vow.start()]}.", "promised"
    return f'{who} {verb}, "{what[:1].upper()}{what[1:]}"' if len(what) < len(said["what"]) else text
