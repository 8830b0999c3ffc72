"""The settings in `config/recall.md`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from mud.registry import plug_in_names
from mud.storage.settings import setting

EVERYTHING = "everything"
SERVED = ("ollama", "openai_compatible")
"""The embedders that use the server of config/llm/embed.md."""
EMBEDDED = "embedded"
EXACT = 10_000
"""Vectors of one life that are searched exactly in a millisecond."""
EMBEDDERS = (*plug_in_names("agents.recall.embedders"), "none")
"""Names only: the child process alone loads the embedders."""

_setting = partial(setting, per_agent=False)


@dataclass(frozen=True)
class RecallSettings:
    embedder: str = _setting(
        "minilm",
        "What turns texts into vectors; minilm knows other words for the same thing, hashing only "
        "spellings, ollama and openai_compatible ask the server of config/llm/embed.md, and none leaves it to words.",
        choices=EMBEDDERS,
    )
    embed: str = _setting(
        EVERYTHING,
        "What gets a vector: everything, or summaries and notes alone, which takes a fraction of the space and time.",
        choices=(EVERYTHING, "summaries"),
    )
    chroma: str = _setting(
        EMBEDDED,
        "Where the vectors are kept: in the vault's .index/, or on a chroma server that several vaults may share.",
        choices=(EMBEDDED,),
        or_address=True,
    )
    exact_up_to: int = _setting(
        EXACT,
        "Up to how many vectors the memories of a life are searched one by one, in a file that takes no RAM; "
        "what grows longer moves to chroma. With a chroma server all are kept there.",
        low=0,
        high=10_000_000,
    )
    vector_weight: float = _setting(
        0.4, "The vectors' share in how well something fits a question; the words have the rest.", low=0.0, high=1.0
    )
    alike: float = _setting(
        0.4,
        "What a word counts that is like one of the question's, by its likeness; 0 takes the question's words alone.",
        low=0.0,
        high=1.0,
    )
    neighbours: float = _setting(
        0.6,
        "Which share of what it fits better than others a memory lends to the next one, and squared to the one beyond, "
        "because a conversation often answers in the next line; a question lends more, and lines before it get less.",
        low=0.0,
        high=1.0,
    )
    who: float = _setting(0.03, "What a memory gets when the question names who said or did it.", low=0.0, high=1.0)
    when: float = _setting(
        0.2,
        "What a memory gets for being of the time that the question names, such as yesterday or in May.",
        low=0.0,
        high=1.0,
    )
    answer: float = _setting(
        0.05, "What a memory gets for holding a number or a time when the question asks for one.", low=0.0, high=1.0
    )
    recency: float = _setting(
        0.1, "By which share a memory of just now is raised above one of long ago.", low=0.0, high=2.0
    )
    recency_half_life: float = _setting(7.0, "After how many days half of that is gone.", low=0.01, high=36500.0)
    importance: float = _setting(
        0.15, "By which share a memory of the highest importance is raised above a trifle.", low=0.0, high=2.0
    )
    related_least: float = _setting(
        0.27,
        "How well a note must fit the present to stand in a prompt, by its score; half of it without vectors. Nothing "
        "is shown to fill up.",
        low=0.0,
        high=2.0,
    )
    summary_least: float = _setting(
        0.002,
        "The same of a summary of an earlier time; of many words about 64 memories few stand in any present, so that "
        "even the best one scores low.",
        low=0.0,
        high=2.0,
    )
    related_summaries: int = _setting(
        2, "How many summaries of related past experiences a prompt shows.", low=0, high=20
    )
    related_notes: int = _setting(3, "How many related notes a prompt shows.", low=0, high=20)
    patience: float = _setting(
        1.0,
        "How many seconds a question waits for the vectors before it is answered from the words alone.",
        low=0.0,
        high=60.0,
    )
