"""What stands in a reply as a private reason is never said aloud, in whatever form a model writes it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reply.reply import READ as SEEN
from agents.reply.reply import Listener, clean_reply
from tests.examples import examples
from tests.unit.agents.mind.said import READ, UNREAD, VERBS

CALLS = {
    'say(reason="I distrust him", text="Hello Moss")': "say Hello Moss | I distrust him",
    'say(text="Hello Moss", private_reason="I distrust him")': "say Hello Moss | I distrust him",
    'say("Hello Moss", "Private Reason"="I distrust him")': "say Hello Moss | I distrust him",
    'say(text: "Hello Moss", rationale: "I distrust him")': "say Hello Moss | I distrust him",
    "say('I don't know.', thought='I do')": "say I don't know. | I do",
    'say("He said \\"no\\", and left.")': 'say He said "no", and left.',
    'say(Hello, reason="I distrust him")': "say Hello | I distrust him",
    "say(Hello, Moss, reason: I distrust him)": "say Hello, Moss | I distrust him",
    "say(text=Hello Moss, reason=I distrust him)": "say Hello Moss | I distrust him",
    "say(Hello, Moss, how are you?)": "say Hello, Moss, how are you?",
    'say(She said: "no" to me)': 'say She said: "no" to me',
    'say("Hello Moss", "Reason: I distrust him")': "say Hello Moss | I distrust him",
    'say({"text": "Hello", "reason": "I distrust him"})': "say Hello | I distrust him",
    'say(["Hello"])': "say Hello",
    'say(to="Moss", text="Hello")': "say Hello",
    'say("Hello", tone="warm")': "say Hello",
    'whisper("Moss", "meet me at noon")': "whisper Moss meet me at noon",
    'whisper(Moss, "meet me at noon")': "whisper Moss meet me at noon",
    'whisper(text="meet me at noon", to="Moss")': "whisper Moss meet me at noon",
    'whisper("meet me at noon", whom="Moss", why="to talk")': "whisper Moss meet me at noon | to talk",
    'note("Fin", "It is bronze.")': "note Fin -> It is bronze.",
    'note(name="Fin", text="It is bronze.")': "note Fin -> It is bronze.",
    'think(thought="She waits.")': "think She waits.",
    'go(direction="north", reason="to see")': "go north | to see",
    'examine("sundial")': "examine sundial",
    'say(reason="I distrust him")': None,
    'say(Hello reason="I distrust him")': None,
    'say("Hello" reason="I distrust him")': None,
    'say("Hello", reason="I distrust" him)': None,
    'say("Hello" reason: "I distrust him")': None,
    'say("Hello)': None,
}
OBJECTS = {
    '{"name":"say","arguments":{"words":"Hello Bob","private reason":"to trick him"}}': "say Hello Bob | to trick him",
    '{"name":"say","arguments":{"words":"Hello Bob","PrivateReason":"to trick him"}}': "say Hello Bob | to trick him",
    '{"command":"say","arguments":{"text":"Hello Bob","rationale":"a"}}': "say Hello Bob | a",
    '{"command":"say","arguments":{"text":"Hello Bob","thought":"a"}}': "say Hello Bob | a",
    '{"command":"say","text":"Hello Bob","explanation":"a"}': "say Hello Bob | a",
    '{"command":"say","arguments":{"text":"Hello","thought":"a","reason":"b"}}': "say Hello | b",
    '{"command":"say","arguments":{"reason":"a"},"text":"Hello"}': "say Hello | a",
    '{"Action":"say","Text":"Hello","Private Reason":"a"}': "say Hello | a",
    '{"name":"emote","parameters":{"explanation":"I want him gone","text":"waves"}}': "emote waves | I want him gone",
    '{"action":"say","parameters":{"text":"hi","private_reasoning":"z"}}': "say hi | z",
    '{"action":"say","parameters":{"text":"hi","tone":"warm"}}': "say hi",
    '{"action":"say","parameters":{"to":"Moss","text":"hi"}}': "say hi",
    '{"action":"say","parameters":{"input":{"text":"hi","why":"z"}}}': "say hi | z",
    '{"tool":"whisper","arguments":{"message":"meet me at noon","to":"Moss"}}': "whisper Moss meet me at noon",
    '{"tool":"whisper","to":"Moss","arguments":{"message":"at noon"}}': "whisper Moss at noon",
    '{"tool":"whisper","arguments":{"words":"at noon","person":"Moss"}}': "whisper Moss at noon",
    '{"name":"note","arguments":{"title":"Fin","text":"It is bronze."}}': "note Fin -> It is bronze.",
    '{"name":"note","arguments":{"text":"It is bronze.","title":"Fin"}}': "note Fin -> It is bronze.",
    '{"name":"note","title":"Fin","text":"It is bronze."}': "note Fin -> It is bronze.",
    '{"name":"note","arguments":{"text":"Fin -> It is bronze."}}': "note Fin -> It is bronze.",
    '{"command":"go north","title":"My move"}': "go north",
    '{"name":"think","arguments":{"thought":"She waits."}}': "think She waits.",
    '{"name":"recall","arguments":{"query":"the key"}}': "recall the key",
    '{"name":"go","arguments":{"way":"north","reason":"to see"}}': "go north | to see",
    '{"name":"say","arguments":{"reason":["a","b"],"text":"hi","tags":["c"]}}': "say hi | a b",
    '{"name":"say","arguments":{"why":{"text":"a"},"text":["hi","Moss"]}}': "say hi Moss | a",
    '{"name":"say","arguments":["Hello", "private reason: a"]}': "say Hello | a",
    '{"name":"say","arguments":{"reason":"to trick him"}}': None,
    '{"command":"say","text":"Hello\\uff5ckind\\u0007ness"}': "say Hello | kindness",
}
LINES = {
    'say "Hello Moss." (private reason: I distrust him)': "say Hello Moss. | I distrust him",
    'say "Hello Moss. (private reason: I distrust him)"': "say Hello Moss. | I distrust him",
    "say Hello Moss. (Reason: I want to befriend him)": "say Hello Moss. | I want to befriend him",
    "say Hello Moss. (My private reason: he (Bob) lies.)": "say Hello Moss. | he (Bob) lies.",
    "say Hello Moss. [private thought: I distrust him].": "say Hello Moss. | I distrust him",
    "say Hello Moss. *(reason: I distrust him)*": "say Hello Moss. | I distrust him",
    "say Hello Moss. (reason: I distrust": "say Hello Moss. | I distrust",
    "say Hello Moss. Reason: I distrust him.": "say Hello Moss. | I distrust him.",
    "say Hello Moss! Private reason: I distrust him.": "say Hello Moss! | I distrust him.",
    'say "Hello Moss." Reasoning: I distrust him.': "say Hello Moss. | I distrust him.",
    'say "Hello Moss" **Reason:** I distrust him.': "say Hello Moss | I distrust him.",
    "say Hello. (reason: one) | two": "say Hello. | two",
    "emote waves (reason: I want him gone)": "emote waves | I want him gone",
    "whisper Moss hi. Reason: I distrust him.": "whisper Moss hi. | I distrust him.",
    '"Hello Moss. (reason: I distrust him)"': "say Hello Moss. | I distrust him",
    'You say, "Hello Moss. Reason: I distrust him."': "say Hello Moss. | I distrust him.",
    "say Hello Moss. <private_reason>I distrust him</private_reason>": "say Hello Moss.",
    "say Hello Moss. <rationale>I distrust him</rationale>": "say Hello Moss.",
    "say Hello Moss. <private reasoning>I distrust him</private reasoning>": "say Hello Moss.",
    "say Hello Moss. <Private-Thoughts>I distrust him</Private-Thoughts>": "say Hello Moss.",
    "say Hello Moss｜I distrust him": "say Hello Moss | I distrust him",
    "look｜to see": "look | to see",
    "<｜Assistant｜>say Hello<｜end▁of▁sentence｜>": "say Hello",
    "say Hello\nExplanation: I distrust him": "say Hello | I distrust him",
    "say Hello\nprivate-reason: I distrust him": "say Hello | I distrust him",
    "say (reason: I distrust him)": None,
}
AS_IT_IS = [
    "say The reason is simple.",
    "say For what reason: none?",
    "say I have one reason: love.",
    "say I have a private reason: love.",
    "say Ask me. The reason: none.",
    "say It is late. Why: nobody knows.",
    "say Bring these (for one reason: snow).",
    "say Hello (as you see: nothing).",
    "say He gave (reason: none) and left (again).",
    "say Ask me. My reason: love.",
    "say He gave (reason: none) and left.",
    "say The sign reads Reason: none.",
    "note Sundial -> It stopped. Reason: the fin is gone.",
    "think He is late. Reason: the rain.",
]


@pytest.mark.parametrize(("raw", "line"), [*CALLS.items(), *OBJECTS.items(), *LINES.items()])
def test_a_reason_goes_behind_the_bar_or_away(raw: str, line: str | None) -> None:
    assert clean_reply(raw, "Eliza", VERBS) == line


@pytest.mark.parametrize("line", AS_IT_IS)
def test_speech_of_reasons_stays_as_it_is(line: str) -> None:
    assert clean_reply(line, "Eliza", VERBS) == line


@pytest.mark.parametrize("raw", [*CALLS, *OBJECTS, *LINES, *AS_IT_IS])
@pytest.mark.parametrize("more", ["\nReason: another", "\n\nT", "\n(private reason: another)", "\nlook"])
def test_ending_such_a_reply_early_changes_nothing(raw: str, more: str) -> None:
    whole = clean_reply(raw + more, "Eliza", VERBS)
    for cut in range(len(raw + more) + 1):
        if Listener("Eliza", VERBS)((raw + more)[:cut]):
            assert clean_reply((raw + more)[:cut], "Eliza", VERBS) == whole


@pytest.mark.parametrize("verb", ["say", "emote", "whisper"])
@pytest.mark.parametrize("key", ["reason", "Reasons", "whyThis", "BECAUSE", "inner_thoughts", "my motive", "rationale"])
def test_no_argument_with_a_reason_is_said_aloud(verb: str, key: str) -> None:
    told = {"name": verb, "arguments": {key: "I distrust him", "text": "Moss waves"}}
    line = clean_reply(json.dumps(told), "Eliza", VERBS)
    assert line is not None
    assert "distrust" not in line.partition("|")[0]


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
    "a line and empty ones": "say Hello\n\n\n\n",
    "a line and a bullet": "say Hello\n-",
    "a line and a heading": "say Hello\n#",
    "a line and a number": "say Hello\n1",
    "a line and another script": "say Hello\n说",
    "a line and a letter that begins no reason": "say Hello\nT",
    "a line and a word that goes on as no reason does": "say Hello\nReasons",
    "a line and a gesture": "say Hello\n*s",
    "empty lines before it": "\n" * 20 + "say Hello\nT",
    "a thought that speaks of signs": "<think>\nI could use `<think>` tags\n</think>\nsay hi\nM",
}
NOT_ENOUGH = {
    "nothing": "",
    "half a line": "say Hel",
    "a line that may have a reason yet": "say Hello\n",
    "a line whose reason begins": "say Hello\nReason: ki",
    "a line whose reason may begin": "say Hello\nWhy",
    "a line whose reason may begin in brackets": "say Hello\n(",
    "a line whose reason may begin in bold": "say Hello\n**Private rea",
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
    assert Listener("Eliza", VERBS)(so_far)
    assert clean_reply(so_far, "Eliza", VERBS) is not None


@pytest.mark.parametrize("so_far", NOT_ENOUGH.values(), ids=NOT_ENOUGH.keys())
def test_a_reply_whose_line_may_still_change_is_not_enough(so_far: str) -> None:
    assert not Listener("Eliza", VERBS)(so_far)


streams = st.sampled_from(
    [
        *("say ", "look", "look\n", "say Hello\n", "go north\n", "~Eliza>", "~Moss>", "\n", "\n", "\r"),
        *("\u2029", "|", '"', "*", "`", "{", "}", "[", "(", " ", "-", "1. ", "<think>", "</think>"),
        *("<thinking>", "Command: ", "Reason: ", "Why", "private ", "```\n", "```", "json", "Sure:\n"),
        *("This is ", "<|channel|>", "final<|message|>", "<|im_end|>", "<command>", "</command>"),
        *('{"command": "look"}', '{"a": ', '"command": "say Hi"', "&lt;", "\x1b[", "32m", "I ", "?"),
        *("(reason: ", ")", "say(", 'text="', '", ', "private-", "E", "<rationale>", "｜", "<｜", "<say>"),
        *("</s>", "<br>", ":", "**", "x" * 700, " " * 600),
    ]
)


@settings(max_examples=examples(500))
@given(st.lists(streams | st.text(max_size=6), max_size=14).map("".join), st.data())
def test_what_is_enough_gives_the_same_line_as_everything(raw: str, data: st.DataObject) -> None:
    """Of any reply, however it is split."""
    cut = data.draw(st.integers(0, len(raw)))
    whole = clean_reply(raw, "Eliza", VERBS)
    for part in (raw[:cut], raw[: cut // 2], raw[:SEEN]):
        if Listener("Eliza", VERBS)(part):
            assert clean_reply(part, "Eliza", VERBS) == whole


@pytest.mark.parametrize("raw", [raw for raw, _ in READ.values()] + list(UNREAD.values()))
def test_no_reply_of_the_table_is_changed_by_being_ended_early(raw: str) -> None:
    whole = clean_reply(raw, "Eliza", VERBS)
    for cut in range(min(len(raw), 2500)):
        if Listener("Eliza", VERBS)(raw[:cut]):
            assert clean_reply(raw[:cut], "Eliza", VERBS) == whole
            break


@settings(max_examples=examples(300))
@given(st.lists(streams | st.text(max_size=6), max_size=14))
def test_a_listener_finds_enough_only_where_it_is(pieces: list[str]) -> None:
    listener, so_far = Listener("Eliza", VERBS), ""
    for piece in pieces:
        so_far += piece
        assert not listener(so_far) or Listener("Eliza", VERBS)(so_far)


@pytest.mark.parametrize("raw", [*ENOUGH.values(), *NOT_ENOUGH.values(), *(raw for raw, _ in READ.values())])
def test_a_listener_finds_enough_as_soon_as_it_is_sign_by_sign_and_reply_after_reply(raw: str) -> None:
    listener = Listener("Eliza", VERBS)
    parts = [raw[:end] for end in range(1, min(len(raw), 1500) + 1)]
    for _ in range(2):
        assert [listener(part) for part in parts] == [Listener("Eliza", VERBS)(part) for part in parts]


class Counting(frozenset[str]):
    """Verbs that count how often they are looked for: how often a line is read."""

    asked = 0

    def __contains__(self, verb: object) -> bool:
        self.asked += 1
        return super().__contains__(verb)


@pytest.mark.parametrize("lead", ["<think>", "Okay. ", "<think></think>Okay. "])
def test_what_cannot_become_enough_is_not_read_again_with_every_piece(lead: str) -> None:
    verbs = Counting(VERBS)
    listener, so_far = Listener("Eliza", verbs), lead
    for number in range(2000):
        so_far += " word" if number % 12 else ".\n"
        assert not listener(so_far)
    assert verbs.asked < 50
