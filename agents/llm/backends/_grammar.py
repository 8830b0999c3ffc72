"""A grammar of the commands in llama.cpp's GBNF: with it a reply can only be one command line."""

from __future__ import annotations

import functools
import json
import re

from agents.llm.profiles import LLMProfile

_SLOT = re.compile(r"<[^>]*>|\[[^\]]*\]|\S+")
_FREE = ("words", "text", "query")
_RULES = r"""words ::= first (" " word)*
first ::= [^ \t\r\n|\[<{(\x01-\x1f\x7f] [^ \t\r\n|\x01-\x1f\x7f]*
word ::= [^ \t\r\n|\x01-\x1f\x7f]+
name ::= bare (" " bare){0,10}
bare ::= [^ \t\r\n|\[\]<>{}():;,.?*@"`\x01-\x1f\x7f] [^ \t\r\n|\[\]<>{}():;,?*@"`\x01-\x1f\x7f]*
"""
"""Words do not begin like a slot, which models like to repeat. A name has no punctuation and at most eleven words, or
the reply would be read as prose.
"""


def grammar_for(profile: LLMProfile) -> str:
    """Return the profile's grammar, or "" for none; a grammar needs an end of line among the profile's stops."""
    wanted = profile.commands_only and profile.commands and "\n" in profile.stop
    return grammar_of(profile.commands) if wanted else ""


@functools.lru_cache(maxsize=8)
def grammar_of(usages: tuple[str, ...]) -> str:
    """Return a grammar of command lines with an optional reason. A `<slot>` of a usage is required."""
    forms = " |\n    ".join(map(_form, usages))
    # The prompt ends without a space, so most models begin a reply with one, and some do not.
    return f'root ::= " "? command (" | " words)? "\\n"\ncommand ::= {forms}\n{_RULES}'


def _form(usage: str) -> str:
    verb, *slots = _SLOT.findall(usage)
    rule = [json.dumps(verb)]
    for slot in slots:
        filled = f'" " {"words" if slot[1:-1] in _FREE else "name"}'
        rule.append({"[": f"({filled})?", "<": filled}.get(slot[0], json.dumps(f" {slot}")))
    return " ".join(rule)
