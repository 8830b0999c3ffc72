"""Agents, made by builders."""

from __future__ import annotations

from agents.definition import free_slug, render_definition
from agents.text.habits import read_habits
from mud.commands import Outcome
from mud.server.building.request import LONGEST_TEXT, BuildingRequest
from mud.server.checks import voices_in
from mud.server.questions import ask_lines
from mud.world.narration import listed, phrase

BAD_NAME = phrase("building.ask.bad_name")
ASK_DESCRIPTION = phrase("building.agent.description", "name")
ASK_PROFILE = phrase("building.agent.profile", "name")
ASK_GOAL = phrase("building.agent.goal", "name")
ASK_VOICE = phrase("building.agent.voice", "voices")
NO_VOICE = phrase("building.agent.no_voice", "voices")
ASK_HABITS = phrase("building.agent.habits", "name")
MADE = phrase("building.agent.done", "name", "file")
NOT_IN = phrase("building.agent.not_in", "name", "file")


async def agent(ask: BuildingRequest) -> Outcome:
    name, building = ask.typable(ask.people.free_name(ask.args["name"])), ask.building
    profile, description, habits, more = ask.text(ask.args["profile"]), "", list[str](), dict[str, object]()
    if not profile:
        description = ask.text(await ask.line(ASK_DESCRIPTION, name=name))
        profile = ask.text(await ask.line(ASK_PROFILE, name=name))
        more = await _manner(ask, name)
        habits = await _habits(ask, name)
        name = ask.people.free_name(name)  # somebody may have taken it meanwhile
    agents = building.vault / "agents"
    slug = free_slug(agents, name, person=False)
    text = render_definition(
        name, ask.world.new_id(), person=False, location=ask.here.name, description=description, profile=profile,
        more=more, habits=habits,
    )  # fmt: skip
    draft, file = building.draft(), f"agents/{slug}/agent.md"
    draft.add(file, text)
    changes = ask.carry_out(f"@agent {name}", draft)
    made = building.minds.definitions.get(slug)
    came = made is not None and ask.world.location_of(made.id) is not None
    return ask.outcome([ask.say(MADE if came else NOT_IN, name=name, file=file)], changes)


async def _manner(ask: BuildingRequest, name: str) -> dict[str, object]:
    """Ask for voice and goal; empty lines leave them out."""
    voices = voices_in(ask.building.texts)
    voice = await ask.line(ASK_VOICE, voices=listed(voices))
    while voice and voice not in voices:
        ask.asker.tell(ask.say(NO_VOICE, voices=listed(voices)))
        voice = await ask.line(ASK_VOICE, voices=listed(voices))
    goal = ask.text(await ask.line(ASK_GOAL, name=name))
    return {key: value for key, value in (("voice", voice), ("goal", goal)) if value}


async def _habits(ask: BuildingRequest, name: str) -> list[str]:
    """Ask for habits, a line each; a wrong one is told and asked for again."""

    def wrong(line: str) -> str:
        problems = read_habits([(line.removeprefix("- "), 1)], reflex=False)[1] if line.strip() else []
        return problems[0][1] if problems else ""

    question = ask.say(ASK_HABITS, name=name)
    lines = await ask_lines(ask.asker, ask.say, question, LONGEST_TEXT, wrong=wrong)
    return [line.strip().removeprefix("- ") for line in lines if line.strip()]
