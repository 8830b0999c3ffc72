"""The answers to what builders ask, by the name of the request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from mud.commands import Outcome
from mud.errors import Refusal, VaultProblem
from mud.server.building import minds, places, texts, things
from mud.server.building.files import WRONG
from mud.server.building.request import BuildingRequest
from mud.server.people import People
from mud.storage.texts import TextStore
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

NOT_YOURS = phrase("building.ask.not_yours")

BUILDING_ANSWERS: dict[str, Callable[[BuildingRequest], Awaitable[Outcome]]] = {
    "dig": places.dig, "open_way": places.open_way, "unlink": places.unlink, "door": places.door,
    "create": things.create, "clone": things.clone, "destroy": things.destroy, "rename": things.rename,
    "undo": things.undo, "describe": texts.describe, "alias": texts.alias, "set_key": texts.set_key,
    "lock": texts.lock, "rule": texts.rule, "verb": texts.verb, "examine_file": texts.examine_file,
    "edit": texts.edit, "agent": minds.agent,
}  # fmt: skip


async def answer_builder(people: People, texts: TextStore, request: Request) -> Outcome:
    """Answer a request of a builder. Raises Refusal and LociError."""
    asker = people.sessions.asker(request.step)
    if asker is None or asker.role < Role.BUILDER:  # it is gone, or its role was taken away since it was typed
        raise Refusal(texts.render(NOT_YOURS))
    try:
        return await BUILDING_ANSWERS[request.name](BuildingRequest(people, texts, asker, request))
    except VaultProblem as wrong:
        raise Refusal(texts.render(WRONG, problems="; ".join(map(str, wrong.problems)))) from None
