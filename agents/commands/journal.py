"""`@journal`: read the facts kept before memories were folded."""

from __future__ import annotations

from datetime import datetime

from agents.commands._answer import answers, ask_about, asked_about
from agents.commands._when import when
from agents.memory.journal import JournalEntry
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase

NONE = phrase("minds.journal.none")
NONE_OF = phrase("minds.journal.none_of", "name")
LIST = phrase("minds.journal.list")
LIST_OF = phrase("minds.journal.list_of", "name")
ENTRY = phrase("minds.journal.entry", "when", "text", "known")
ENTRY_UNDATED = phrase("minds.journal.entry_undated", "text", "known")
FROM = phrase("minds.journal.from", "name")
TRUST = phrase("minds.journal.trust", "type", "trust", "importance")
CONSOLIDATED = phrase("minds.journal.consolidated")
MORE = phrase("minds.journal.more", "n")

SHOWN = 40


@command("@journal", "[name]", category="memory", keeps="skip")
def journal(ctx: Context, name: str) -> Outcome:
    """Read the journal: facts kept before memories were folded, with where they come from and how far to trust them.

    Without a name it is your own; the owner may name anybody.

    Example: @journal
    """
    return ask_about(ctx, name, "journal")


@answers("journal")
async def show_journal(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    own = agent.id == request.who
    try:
        entries = [line.entry for line in agent.keeper.journal.lines()]
    except OSError as error:
        raise Refusal(f"The journal cannot be read ({error.strerror or error}).") from None
    if not entries:
        return Outcome(minds.say(NONE) if own else minds.say(NONE_OF, name=agent.name))
    lines = [minds.say(LIST) if own else minds.say(LIST_OF, name=agent.name)]
    if len(entries) > SHOWN:
        lines.append(minds.say(MORE, n=len(entries) - SHOWN))
    now = minds.means.clock.now()
    return Outcome("\n".join([*lines, *(f"  {_line(minds, entry, now)}" for entry in entries[-SHOWN:])]))


def _line(minds: Population, entry: JournalEntry, now: datetime) -> str:
    known = [
        *([minds.say(FROM, name=entry.source)] if entry.source else []),
        minds.say(TRUST, type=entry.type, trust=f"{entry.trust:g}", importance=entry.importance),
        *entry.references,
        *([minds.say(CONSOLIDATED)] if entry.consolidated else []),
    ]
    told = "; ".join(known)
    if entry.at:
        return minds.say(ENTRY, when=when(minds.say, entry.at, now), text=entry.text, known=told)
    return minds.say(ENTRY_UNDATED, text=entry.text, known=told)
