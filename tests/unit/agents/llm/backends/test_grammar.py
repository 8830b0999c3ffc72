from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from agents.llm.backends.embedded import Embedded
from agents.llm.backends.openai_compatible import grammar_of
from agents.llm.profiles import LLMProfile
from agents.reply.reply import clean_reply
from mud.server.wiring import load_commands
from mud.world.roles import Role
from tests.unit.agents.llm.backends.server import serving, whole

PROFILE = LLMProfile(backend="embedded", commands_only=True, commands=("look [name]", "say <words>"), temperature=1.5)
PROMPT = 'You are Eliza in The Garden.\nMoss says, "Where does the water go?"\n~Eliza>'


def usages() -> tuple[str, ...]:
    return tuple(one.usage for one in load_commands() if one.for_models and one.role <= Role.AGENT)


def test_a_grammar_has_a_form_for_every_command_and_a_place_for_a_reason() -> None:
    text = grammar_of(("look [name]", "go <way>", "note <title> -> <text>", "sleep"))
    assert text.splitlines()[:5] == [
        'root ::= " "? command (" | " words)? "\\n"',
        'command ::= "look" (" " name)? |',
        '    "go" " " name |',
        '    "note" " " name " ->" " " words |',
        '    "sleep"',
    ]


def rule(name: str) -> str:
    """Return a rule of the grammar as a pattern, which reads the same but for the names of rules and the spaces."""
    rules = dict(line.split(" ::= ") for line in grammar_of(("look",)).splitlines() if " ::= " in line)
    text = rules[name].replace('" "', "\0")
    for part in ("first", "word", "bare"):
        text = text.replace(part, f"(?:{rules.get(part, '')})") if part != name else text
    return re.sub(r"(?<=[\])*+}]) (?=[\[(])", "", text).replace("\0 ", " ").replace("[^  ", "[^ ")


LOOKS = ("look [name]: Look around", "look home:", "look *here*", "look at Ann, please", "look @home", "look where?")


@pytest.mark.parametrize(
    "reply", [*LOOKS, "look " + "a " * 11 + "b", "say <words>", "say [name]: hello", "say (softly)"]
)
def test_what_is_never_read_as_a_command_is_none_for_the_grammar_either(reply: str) -> None:
    verb, _, slot = reply.partition(" ")
    assert not re.fullmatch(rule("name" if verb == "look" else "words"), slot)


@pytest.mark.parametrize(
    "name", ["Moss", "the third stone", "St. Mary's well", "鍵", "up", "old-lamp 2", "a " * 10 + "b"]
)
def test_names_stand_in_the_slots_of_deeds(name: str) -> None:
    assert re.fullmatch(rule("name"), name)
    assert clean_reply(f"look {name}", "Eliza", ("look",)) == f"look {name}"


@pytest.mark.parametrize("changed", [{}, {"commands_only": False}, {"commands": ()}, {"stop": ("###",)}, {"stop": ()}])
async def test_only_a_reply_of_one_line_of_known_commands_is_held_to_them(changed: dict[str, Any]) -> None:
    async with serving(whole(200, {"choices": [{"text": "look"}]})) as (server, model):
        await model.complete(PROMPT, replace(PROFILE, host=server.profile.host, model="m", **changed))
    assert server.asked[0].get("grammar") == (None if changed else grammar_of(PROFILE.commands))


async def test_a_real_model_held_to_the_commands_of_the_world_says_nothing_else() -> None:
    known = {usage.split()[0] for usage in usages()}
    verbs = {verb.lower() for verb in known}
    free = replace(PROFILE, commands_only=False)
    held = replace(PROFILE, commands=usages())
    model = Embedded(held)
    replies = [await model.complete(PROMPT, held, lambda text: False) for _ in range(6)]
    loose = [await model.complete(PROMPT, free, lambda text: False) for _ in range(6)]
    await model.close()
    assert {reply.text.split()[0] for reply in replies} <= known
    assert not any("\n" in reply.text for reply in replies)
    assert any(clean_reply(reply.text, "Eliza", verbs) for reply in replies)  # a command may want more words
    assert not {(reply.text.split() or [""])[0] for reply in loose} <= known
