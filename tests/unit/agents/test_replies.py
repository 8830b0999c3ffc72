from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.replies import LONGEST, clean_reply

VERBS = frozenset(
    {
        *("say", "emote", "whisper", "look", "l", "go", "examine", "take", "drop", "think", "note", "recall"),
        *("who", "help", "inventory", "commands", "@my-profile"),
    }
)

READ = {
    "a plain line": ("say Hello, Moss.", "say Hello, Moss."),
    "a reason": ("say Hello | I want to be kind", "say Hello | I want to be kind"),
    "a space before it": ("  look\n", "look"),
    "capitals": ("SAY Hello", "say Hello"),
    "a sentence's capital and full stop": ("Go north.", "go north"),
    "an at sign": ("@my-profile", "@my-profile"),
    "a thought first": ("<think>\nShe asked me.\nsay nothing?\n</think>\n\nsay By the pond.", "say By the pond."),
    "a thought that began in the prompt": ("I should greet.\nsay no\n</think>\nsay Hello", "say Hello"),
    "a thinking tag": ("<thinking>go?</thinking>look", "look"),
    "two thoughts": ("<think>a</think><think>b</think>\nlook", "look"),
    "channels": (
        "<|channel|>analysis<|message|>We say hi.<|end|><|start|>assistant<|channel|>final<|message|>say Hi",
        "say Hi",
    ),
    "signs of turns": ("<|im_start|>assistant\nsay Hello<|im_end|>\n<|im_start|>user", "say Hello"),
    "an end sign": ("say Hello</s>", "say Hello"),
    "another end sign": ("look<|eot_id|>", "look"),
    "a label": ("Command: say Hello", "say Hello"),
    "a bold label": ("**Command:** say Hello", "say Hello"),
    "a bold label and a code mark": ("**Command**: `say Hello`", "say Hello"),
    "the classic label": ("Next command and reasoning as Eliza: go north | to see", "go north | to see"),
    "a numbered label": ("Action 1: examine fountain", "examine fountain"),
    "my next action is": ("My next action is: look", "look"),
    "command and reason on two lines": ("COMMAND: say Hello\nREASON: to greet her", "say Hello | to greet her"),
    "the own cue": ("~Eliza> say Hello", "say Hello"),
    "the cue without a tilde": ("Eliza> say Hello", "say Hello"),
    "the own name as in a play": ("Eliza: say Hello", "say Hello"),
    "the own name in brackets": ("[Eliza] say Hello", None),
    "an echoed prompt sign": ("> say Hello", "say Hello"),
    "three of them": (">>> look", "look"),
    "a shell's": ("$ look", "look"),
    "a bullet": ("- say Hello", "say Hello"),
    "a star": ("* look", "look"),
    "a number": ("1. look\n2. go north", "look"),
    "a number with a bracket": ("1) look", "look"),
    "an arrow": ("-> go north", "go north"),
    "a code fence": ("```\nsay Hello\n```", "say Hello"),
    "a code fence with a language": ("```text\nlook\n```", "look"),
    "a fence on one line": ("```say Hello```", "say Hello"),
    "code marks": ("`look`", "look"),
    "code marks and an explanation": ("`say Hello` - because she waits", "say Hello"),
    "quotation marks around all": ('"say Hello"', "say Hello"),
    "curly ones": ("“go north”", "go north"),
    "quotation marks around the words": ('say "Hello there."', "say Hello there."),
    "and a reason": ('say "Hello" | polite', "say Hello | polite"),
    "a quotation in the words": ('say He said "no" to me.', 'say He said "no" to me.'),
    "brackets": ("[say Hello]", "say Hello"),
    "a bold verb": ("**say** Hello", "say Hello"),
    "a verb with a colon": ("say: Hello", "say Hello"),
    "a slash": ("/look", "look"),
    "a tag": ("<command>say Hello</command>", "say Hello"),
    "a call": ('say("Hello")', "say Hello"),
    "a call with a name": ("say(words='Hello there')", "say Hello there"),
    "an empty call": ("look()", "look"),
    "a shorthand": ('"Hello, Moss!', "say Hello, Moss!"),
    "speech alone": ('"Hello there!"', "say Hello there!"),
    "the emote shorthand": (":waves slowly", "emote waves slowly"),
    "a starred deed": ("*waves slowly*", "emote waves slowly"),
    "the form of a memory": ('You say, "The key is here."', "say The key is here."),
    "that of the own name": ('Eliza says, "Hello"', "say Hello"),
    "a whisper's memory": ('You whisper to Moss, "psst"', "whisper Moss psst"),
    "two commands": ("look\nsay Hello", "look"),
    "politeness first": ("Sure! Here is my command:\n\nsay Hello", "say Hello"),
    "prose first, prose after": ("The visitor waits.\nsay Hello\nThis is polite.", "say Hello"),
    "then another's turn": ("say Hello\n~Moss> say Go away", "say Hello"),
    "JSON": ('{"command": "say", "args": "Hello", "reason": "kind"}', "say Hello | kind"),
    "JSON in a fence": ('```json\n{"command": "say Hello | kind"}\n```', "say Hello | kind"),
    "JSON within JSON": ('{"action": {"name": "go", "arguments": {"exit": "north"}}}', "go north"),
    "JSON with a list": ('{"cmd": "whisper", "args": ["Moss", "psst"]}', "whisper Moss psst"),
    "JSON after prose": ('I choose: {"verb": "look"}', "look"),
    "a note": ("note key -> under the third stone", "note key -> under the third stone"),
    "colours of a terminal": ("\x1b[32msay Hello\x1b[0m", "say Hello"),
    "control characters": ("s\x00ay Hel\x07lo\u202e", "say Hello"),
    "Windows lines": ("say Hello\r\nlook\r\n", "say Hello"),
    "another script": ("say Καλημέρα, Μόσχα!", "say Καλημέρα, Μόσχα!"),
}

UNREAD = {
    "nothing": "",
    "white space": " \n\t\n",
    "prose": "The garden is lovely at this hour.",
    "prose that greets": "Hello there, how are you?",
    "prose that wants": "I would like to say hello to Moss.",
    "prose with a verb and a comma": "Look, I think we should talk.",
    "a remark": "Note: I cannot act in the real world.",
    "an apology": "I'm sorry, but as a language model I have no hands.",
    "a thought without end": "<think>\nsay what? look where?",
    "another's turn": "~Moss> say Hello",
    "another's turn, bare": "Moss> look",
    "another's part in a play": "Moss: say something",
    "another's speech": 'Moss says, "Hello"',
    "an unknown verb": "dance wildly",
    "a verb without its words": "say",
    "an echoed usage": "say <words>",
    "another": "go [exit]",
    "a rule": "---",
    "a fence alone": "```",
    "a heading": "## Recent Past (Summary)",
    "JSON without a command": '{"mood": "happy"}',
    "JSON of another kind": '{"command": 7}',
    "half JSON": '{"command": "say Hello"',
    "HTML": "<html><body>502 Bad Gateway</body></html>",
    "a quoted sentence with speech in it": '"The garden," she said, "is lovely."',
    "one endless word": "say " + "x" * 50_000,
    "only signs": "!!!???***",
}


@pytest.mark.parametrize(("raw", "line"), READ.values(), ids=READ.keys())
def test_a_command_is_read_out_of_what_models_send(raw: str, line: str | None) -> None:
    assert clean_reply(raw, "Eliza", VERBS) == line


@pytest.mark.parametrize("raw", UNREAD.values(), ids=UNREAD.keys())
def test_what_holds_no_command_becomes_nothing(raw: str) -> None:
    assert clean_reply(raw, "Eliza", VERBS) is None


def test_an_endless_line_ends_after_a_whole_sentence() -> None:
    line = clean_reply("say " + "The moss grows slowly. " * 500, "Eliza", VERBS)
    assert line is not None
    assert len(line) <= LONGEST
    assert line.endswith("The moss grows slowly.")


def test_an_endless_sentence_ends_after_a_whole_word() -> None:
    line = clean_reply("say " + "and then " * 5000, "Eliza", VERBS)
    assert line is not None
    assert line.endswith(("and", "then"))


def test_a_verb_that_this_world_has_not_is_no_command() -> None:
    assert clean_reply("recall the key", "Eliza", {"say", "look"}) is None


def test_no_shorthand_is_read_where_its_verb_is_missing() -> None:
    assert clean_reply('"Hello!"', "Eliza", {"look"}) is None


@pytest.mark.parametrize(
    "junk", ["<think>", "{", "say ", "- ", "**", "<", '"', "~", "[", "`", "say(", "w ", ">", "(", "</think"]
)
def test_twenty_megabytes_of_anything_are_done_with_at_once(junk: str) -> None:
    line = clean_reply(junk * (20_000_000 // len(junk)), "Eliza", VERBS)
    assert line is None or len(line) <= LONGEST


fragments = st.sampled_from(
    [
        *("say ", "look", "~Eliza>", "~Moss>", "\n", "\u2029", "|", '"', "*", "`", "{", "}", "(", ")", " ", "-", "1. "),
        *("<think>", "</think>", "Command: "),
    ]
)


@settings(max_examples=400)
@given(st.lists(fragments | st.text(max_size=12), max_size=25).map("".join))
def test_a_line_is_always_one_line_and_begins_with_a_verb(raw: str) -> None:
    line = clean_reply(raw, "Eliza", VERBS)
    if line is not None:
        assert line.split()[0] in VERBS
        assert len(line.splitlines()) == 1
        assert line == line.strip()
        assert all(sign.isprintable() or sign.isspace() for sign in line) or not line.isascii()
