from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.replies import DEED, LONGEST, clean_reply, enough
from agents.replies import READ as SEEN

VERBS = frozenset(
    {
        *("say", "emote", "whisper", "look", "l", "go", "examine", "take", "drop", "think", "note", "recall"),
        *("who", "help", "inventory", "i", "commands", "tell", "me", "@my-profile"),
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
    "a thought within a thought": ("<think>one <think>two</think> three\nsay no</think>\nsay yes", "say yes"),
    "a thought about thinking": ("<think>\nWhat is <think> for?\n</think>\nlook", "look"),
    "a thought in capitals": ("<THINK>go?</THINK> look", "look"),
    "a reasoning tag and a command's": ("<reason>kindness</reason><command>say Hi</command>", "say Hi"),
    "the verb as a tag": ("<say>Hello</say>", "say Hello"),
    "a heading of the answer": ("### Response:\nsay Hello", "say Hello"),
    "a bulleted bold verb": ("- **say** Hello", "say Hello"),
    "a numbered code mark": ("1. `say Hello`", "say Hello"),
    "a bold line and its reason": ("**say Hello** | to be kind", "say Hello | to be kind"),
    "a cue twice": ("~Eliza> ~Eliza> say Hello", "say Hello"),
    "an echoed cue": ("> ~Eliza> say Hello", "say Hello"),
    "a tilde": ("~look", "look"),
    "the same over and over": ("Eliza>look\nEliza>look\nEliza>look\nEliza>lo", "look"),
    "a transcript continued": (
        "say Good morning.\n~Moss> say Good morning, Eliza.\n~Eliza> go north\n~Moss> look",
        "say Good morning.",
    ),
    "a scene continued": (
        "look\n\nThe Garden\nRoses stand along the wall.\nExits: north\nAlso here: Moss\n~Eliza> examine roses",
        "look",
    ),
    "a reason below an empty line": ("say Hello\n\nPrivate reason: to be kind", "say Hello | to be kind"),
    "YAML": ("command: say Hello\nreason: to greet her", "say Hello | to greet her"),
    "a bar too many": ("say Did you sleep? | It is polite. |", "say Did you sleep? | It is polite."),
    "single quotation marks": ("say 'I don't know.'", "say I don't know."),
    "French ones": ("say «Bonjour, Moss !»", "say Bonjour, Moss !"),
    "a gesture in a play": ("Eliza: *curtsies*", "emote curtsies"),
    "a gesture with the own name": ("*Eliza curtsies*", "emote curtsies"),
    "two deeds in a line": ("go north and then look", "go north"),
    "two deeds as in a shell": ("look && go north", "look"),
    "a deed and a line break's tag": ("say Hello<br>look", "say Hello"),
    "inventory alone": ("i", "i"),
    "emoji": ("say Good night 🌙👋", "say Good night 🌙👋"),
    "Chinese": ("say 你好,莫斯!", "say 你好,莫斯!"),
    "Arabic": ("say مرحبا يا موس | تحية", "say مرحبا يا موس | تحية"),
    "HTML entities": ("say I&#39;m here &amp; well", "say I'm here & well"),
    "an echoed sign as an entity": ("&gt; look", "look"),
    "a list of objects": ('[{"command": "say", "args": ["Hello"]}]', "say Hello"),
    "two objects": ('{"command": "look"}\n{"command": "go north"}', "look"),
    "an object and a remark with braces": ('{"command": "say Hi"} Hope this helps {smile}', "say Hi"),
    "braces before the object": ('I choose {this}: {"command": "look"}', "look"),
    "the verb as a key": ('{"thought": "She waits.", "say": "Hello"}', "say Hello"),
    "whom and what": ('{"command": "whisper", "target": "Moss", "message": "psst"}', "whisper Moss psst"),
    "a thing as a target": ('{"action": "examine", "target": "sundial"}', "examine sundial"),
    "a tool call": ('<tool_call>\n{"name": "say", "arguments": {"words": "Hi"}}\n</tool_call>', "say Hi"),
    "tool calls as a server sends them": (
        '{"tool_calls": [{"type": "function", "function": {"name": "go", "arguments": "{\\"exit\\": \\"north\\"}"}}]}',
        "go north",
    ),
    "a tool call with its sign": ('[TOOL_CALLS] [{"name": "look", "arguments": {}}]', "look"),
    "an object with a thought and a reason": (
        '{"thought": "Be kind.", "action": "say", "content": "Hello", "reason": "kindness"}',
        "say Hello | kindness",
    ),
    "an object over several lines": ('{\n  "command": "say",\n  "words": "Hello\nthere"\n}', "say Hello there"),
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
    "an empty list": "* \n* \n* \n* ",
    "thoughts only": "<think>say hello?</think>",
    "a thought in a thought without end": "<think>a<think>b</think>",
    "an assistant's refusal": "As an AI language model, I cannot take part in this.",
    "an assistant's apology": "I'm sorry, but I can't assist with that request.",
    "a refusal as speech": "say As an AI language model, I do not have feelings.",
    "another as speech": "say I'm an AI assistant, so I have no garden.",
    "a helpful one": "I am a helpful assistant, and I am here for your business.",
    "prose that begins with I": "I wanted to see the garden before noon.",
    "prose that begins with Me": "Me, I never liked the pond.",
    "prose that begins with a deed": "Take a deep breath and look at the world around you with new eyes.",
    "prose with a comma in a deed": "go to the next door, there is a new one",
    "an explanation of a command": "look at: a lamp that stands by the wall",
    "a usage with two places": "take [title] to [your_name]: Take a page of the book.",
    "the usage of the prompt": "examine <name>: Look closely at a thing.",
    "a question that begins with a verb": "Who are you?",
    "a wish": "Tell me more.",
    "somebody else's deed": 'She says, "Hello"',
    "the assistant's name as a cue": "Assistant: say Hello",
    "a play of two others": "Moss> look\nTamsin> say Hello",
    "the cue alone, over and over": "~Eliza>\n\nEliza is old.\n\n~Eliza>",
    "a verb in another language": "说 你好",
    "a label alone": "Next command: ",
    "a pretended description": "looks at you and waits for an answer.",
    "a location": "in the garden",
    "a story": "One day a man went to market.\nHe bought a lamp.\nThe lamp was blue.",
    "a list of lamps": "- a lamp: a candle.\n- a lamp: a candle.",
    "an object of places": '{"command": "say <words>"}',
}


@pytest.mark.parametrize(("raw", "line"), READ.values(), ids=READ.keys())
def test_a_command_is_read_out_of_what_models_send(raw: str, line: str | None) -> None:
    assert clean_reply(raw, "Eliza", VERBS) == line


@pytest.mark.parametrize("raw", UNREAD.values(), ids=UNREAD.keys())
def test_what_holds_no_command_becomes_nothing(raw: str) -> None:
    assert clean_reply(raw, "Eliza", VERBS) is None


def test_the_table_has_sixty_replies_and_more() -> None:
    assert len(READ) + len(UNREAD) >= 150


def test_a_deed_is_short() -> None:
    deed = "put " + "very " * (DEED - 3) + "small key"
    assert clean_reply(deed, "Eliza", {"put"}) == deed
    assert clean_reply(deed.replace("very", "very very", 1), "Eliza", {"put"}) is None


ENOUGH = {
    "a line and a word of the next": "say Hello\nThis ",
    "a line with its reason": "say Hello | kindness\n",
    "a line, its reason below, and a line end": "say Hello\nReason: kindness\n",
    "a thought before it": "<think>Hm.</think>\nlook\n\nYou ",
    "a lead before it": "Sure! Here is my command:\n\nsay Hello\n\nI ",
    "a fence that is closed": "```\nsay Hello\n```\n",
    "an object": '{"command": "look"}\n',
    "an object in a fence": '```json\n{"command": "look"}\n',
    "a tool call": '<tool_call>\n{"name": "look", "arguments": {}}\n',
    "an endless line": "say " + "and then " * 400,
}
NOT_ENOUGH = {
    "nothing": "",
    "half a line": "say Hel",
    "a line that may have a reason yet": "say Hello\n",
    "a line whose reason begins": "say Hello\nReason: ki",
    "a line whose reason may begin": "say Hello\nWhy",
    "a thought": "<think>\nsay Hello\nThis is what I say.\n",
    "a thought in a thought": "<think>a<think>b</think>\nsay Hello\nThis is ",
    "a fence": "```\nsay Hello\nlook\n",
    "an object": '{"command": "say Hello"\n',
    "a channel": "<|channel|>analysis<|message|>\nlook\nThis is ",
    "prose": "The roses are red.\nsay Hello\nThis is ",
    "another's turn": "~Moss> say Hello\nThis is ",
}


@pytest.mark.parametrize("so_far", ENOUGH.values(), ids=ENOUGH.keys())
def test_a_reply_that_holds_a_whole_line_is_enough(so_far: str) -> None:
    assert enough(so_far, "Eliza", VERBS)
    assert clean_reply(so_far, "Eliza", VERBS) is not None


@pytest.mark.parametrize("so_far", NOT_ENOUGH.values(), ids=NOT_ENOUGH.keys())
def test_a_reply_whose_line_may_still_change_is_not_enough(so_far: str) -> None:
    assert not enough(so_far, "Eliza", VERBS)


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


streams = st.sampled_from(
    [
        *(
            "say ",
            "look",
            "look\n",
            "say Hello\n",
            "go north\n",
            "~Eliza>",
            "~Moss>",
            "\n",
            "\n",
            "\r",
            "\u2029",
            "|",
            '"',
        ),
        *("*", "`", "{", "}", "[", "(", " ", "-", "1. ", "<think>", "</think>", "<thinking>", "Command: ", "Reason: "),
        *(
            "Why",
            "private ",
            "```\n",
            "```",
            "json",
            "Sure:\n",
            "This is ",
            "<|channel|>",
            "final<|message|>",
            "<|im_end|>",
        ),
        *(
            "<command>",
            "</command>",
            '{"command": "look"}',
            '{"a": ',
            '"command": "say Hi"',
            "&lt;",
            "\x1b[",
            "32m",
            "I ",
            "?",
        ),
        *("<say>", "</s>", "<br>", ":", "**", "x" * 700, " " * 600),
    ]
)


@settings(max_examples=500)
@given(st.lists(streams | st.text(max_size=6), max_size=14).map("".join), st.data())
def test_what_is_enough_gives_the_same_line_as_everything(raw: str, data: st.DataObject) -> None:
    """Of any reply, however it is split."""
    cut = data.draw(st.integers(0, len(raw)))
    whole = clean_reply(raw, "Eliza", VERBS)
    for part in (raw[:cut], raw[: cut // 2], raw[:SEEN]):
        if enough(part, "Eliza", VERBS):
            assert clean_reply(part, "Eliza", VERBS) == whole


@pytest.mark.parametrize("raw", [raw for raw, _ in READ.values()] + list(UNREAD.values()))
def test_no_reply_of_the_table_is_changed_by_being_ended_early(raw: str) -> None:
    whole = clean_reply(raw, "Eliza", VERBS)
    for cut in range(min(len(raw), 2500)):
        if enough(raw[:cut], "Eliza", VERBS):
            assert clean_reply(raw[:cut], "Eliza", VERBS) == whole
            break
