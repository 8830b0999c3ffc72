"""`@training`: how many thoughts there are to train a model with, and their export."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from functools import partial

from agents.agent import Agent
from agents.commands._answer import answers, ask
from agents.mind.training import FORMS, OUTCOMES, Source, Wanted, export_training, training_examples
from agents.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.storage.files import write_atomic
from mud.storage.paths import make_folder
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

NONE = phrase("minds.training.none")
ROW = phrase("minds.training.row", "name", "done", "refused", "rejected", "private")
THOUGHT = phrase("minds.count.thought")
THOUGHTS = phrase("minds.count.thoughts", "n")
WRITTEN = phrase("minds.training.written", "thoughts", "private", "file")
USAGE = phrase("minds.training.usage")
FAILED = phrase("minds.training.failed", "file", "why")

FOLDER = "log/training"


@command("@training", "[what]", role=Role.OWNER, category="admin", keeps="skip")
def training(ctx: Context, what: str) -> Outcome:
    """See how many thoughts there are to train a model with; export writes them to a file in log/training.

    With export come chat (the default) or completion, and an outcome: done, refused or rejected. Whatever an agent
    thought once it held a secret stays out; the command training of the command line can let it in.

    Example: @training
    Example: @training export completion done
    """
    return ask(ctx, "training", what=what)


@answers("training")
async def show_training(minds: Population, request: Request) -> Outcome:
    verb, *words = request.args["what"].casefold().split() or [""]
    agents = [minds.open(slug) for slug in sorted(minds.definitions)]
    sources = {one.name: _source(one, request.step) for one in agents if not one.definition.person}
    if not verb or (verb == "status" and not words):
        return Outcome(await asyncio.to_thread(_counts, minds, sources))
    form, outcome = ([word for word in words if word in known] for known in (FORMS, OUTCOMES))
    if verb != "export" or len(form) > 1 or len(outcome) > 1 or len(form) + len(outcome) != len(words):
        raise Refusal(minds.say(USAGE))
    wanted = Wanted("".join(form) or FORMS[0], outcome="".join(outcome))
    return Outcome(await asyncio.to_thread(_export, minds, list(sources.values()), wanted))


def _source(agent: Agent, last: int) -> Source:
    return partial(training_examples, agent.name, agent.id, agent.traces, agent.memory, last)


def _counts(minds: Population, sources: Mapping[str, Source]) -> str:
    rows = []
    for name, source in sources.items():
        examples = list(source())
        count = Counter(one.outcome for one in examples)
        outcomes = {name: count[name] for name in OUTCOMES}
        if examples:
            rows.append(minds.say(ROW, name=name, private=sum(one.private for one in examples), **outcomes))
    return "\n".join(rows) or minds.say(NONE)


def _export(minds: Population, sources: list[Source], wanted: Wanted) -> str:
    file = f"{FOLDER}/{'-'.join(filter(None, (wanted.form, wanted.outcome)))}.jsonl"
    path = minds.means.vault / file
    try:
        exported = export_training(sources, wanted)
        make_folder(path.parent, above=True)
        write_atomic(path, exported.text)
    except OSError as error:
        raise Refusal(minds.say(FAILED, file=file, why=error.strerror or error)) from None
    many = exported.written
    thoughts = minds.say(THOUGHT) if many == 1 else minds.say(THOUGHTS, n=f"{many:,}")
    return minds.say(WRITTEN, thoughts=thoughts, private=exported.private, file=file)
