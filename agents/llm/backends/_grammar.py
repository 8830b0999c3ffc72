"""A grammar of the commands there are, in llama.cpp's GBNF: with it a reply can be nothing but one command line.

It knows forms, not the world: whether there is such a door is the engine's to say. Pure.
"""

from __future__ import annotations

import functools
import json
import re

from agents.llm.profiles import LLMProfile

_SLOT = re.compile(r"<[^>]*>|\[[^\]]*\]|\S+")
_FREE = ("words", "text", "query")
"""Slots for whatever somebody has to say; all others are for names of persons, things, ways or notes."""
_RULES = r"""words ::= first (" " word)*
first ::= [^ \t\r\n|\[<{(\x01-\x1f\x7f] [^ \t\r\n|\x01-\x1f\x7f]*
word ::= [^ \t\r\n|\x01-\x1f\x7f]+
name ::= bare (" " bare){0,10}
bare ::= [^ \t\r\n|\[\]<>{}():;,.?*@"`\x01-\x1f\x7f] [^ \t\r\n|\[\]<>{}():;,?*@"`\x01-\x1f\x7f]*
"""
"""Words do not begin as a slot of the list of commands does, which models like to repeat; a name holds no marks of a
sentence and no more words than a name has. What is beyond that would be taken for prose, and the turn lost."""


def grammar_for(profile: LLMProfile) -> str:
    """Return the grammar that a profile asks for, empty for none.

    Only a reply that ends with its line can be held to one: a profile whose `stop` has no end of line is not.
    """
    wanted = profile.commands_only and profile.commands and "\n" in profile.stop
    return grammar_of(profile.commands) if wanted else ""


@functools.lru_cache(maxsize=8)
def grammar_of(usages: tuple[str, ...]) -> str:
    """Return a grammar of command lines, each with a private reason after `|` or without.

    In the forms of commands, such as `look [name]`, a `<slot>` must be filled, a `[slot]` may be, and other words stand
    as they are. What a slot is called says what may stand in it.
    """
    forms = " |\n    ".join(map(_form, usages))
    # The cue ends without a space, so that a reply begins with one, or, from some models, without.
    return f'root ::= " "? command (" | " words)? "\\n"\ncommand ::= {forms}\n{_RULES}'


def _form(usage: str) -> str:
    verb, *slots = _SLOT.findall(usage)
    rule = [json.dumps(verb)]
    for slot in slots:
        filled = f'" " {"words" if slot[1:-1] in _FREE else "name"}'
        rule.append({"[": f"({filled})?", "<": filled}.get(slot[0], json.dumps(f" {slot}")))
    return " ".join(rule)
