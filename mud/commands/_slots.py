"""The arguments of a command, in a form such as `<words>`, `[name]` or `<title> -> <text>`.

`<slot>` is required, `[slot]` optional; `->` splits at its first occurrence. Adjacent slots, `<person> <words>`, arrive
as one text under the first name, as only the command knows where a name ends. Texts are kept as typed, but stripped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mud.errors import Refusal
from mud.world.narration import shortened

_SLOT = r"(?:<\w+>|\[\w+\])"
_FORM = re.compile(rf"(?:(?P<a>{_SLOT})(?: {_SLOT})*(?: -> (?P<b>{_SLOT})(?: {_SLOT})*)?)?")

SENTENCE = 2
"""Words after a verb from which a line is taken for speech: "where is Eliza"."""
LONGEST_SHOWN = 60
"""Characters."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a command's arguments, as shown in help. Raises ValueError for an invalid form."""

    text: str
    names: tuple[str, ...] = field(init=False, default=())
    needed: tuple[bool, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        found = _FORM.fullmatch(self.text)
        if not found:
            raise ValueError(f"no such form: {self.text!r}")
        slots = [slot for slot in found.groups() if slot]
        object.__setattr__(self, "names", tuple(slot[1:-1] for slot in slots))
        object.__setattr__(self, "needed", tuple(slot.startswith("<") for slot in slots))

    def read(self, verb: str, rest: str) -> list[str]:
        """Return one text for each slot; raises Refusal for a missing or an extra argument."""
        if not self.names:
            if rest.strip():
                raise Refusal(f"{verb} takes nothing after it.", f"type just: {verb}{_spoken(verb, rest.split())}")
            return []
        parts = [rest.strip()]
        if len(self.names) == 2:
            left, arrow, right = rest.partition("->")
            if not arrow and all(self.needed):
                raise Refusal("There is no -> in that.", f"the form is: {verb} {self.text}")
            parts = [left.strip(), right.strip()]
        for name, needed, part in zip(self.names, self.needed, parts, strict=True):
            if needed and not part:
                raise Refusal(f"{verb} needs more: {name}.", f"the form is: {verb} {self.text}")
        return parts


def _spoken(verb: str, words: Sequence[str]) -> str:
    """Return how to say the typed words, if they read as a sentence; verbs with @ are left out."""
    if verb.startswith("@") or len(words) < SENTENCE:
        return ""
    return f"; to ask or tell those here: say {shortened(' '.join([verb, *words]), LONGEST_SHOWN)}"
