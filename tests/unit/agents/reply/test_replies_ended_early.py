"""A reply that comes bit by bit is ended where its line stands, and that changes no line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reply.reply import READ as SEEN
from agents.reply.reply import Listener, clean_reply
from tests.unit.agents.mind.said import READ, UNREAD, VERBS

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


@settings(max_examples=500)
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


@settings(max_examples=300)
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
