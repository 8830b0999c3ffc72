"""`@llm-status`: the state of all LLM profiles, their hosts, last errors and calls."""

from __future__ import annotations

from collections.abc import Sequence

from agents.commands._answer import answers
from agents.llm.backend import named_host
from agents.llm.hosts import Route
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ProfileView
from agents.population.population import Population
from agents.recall.settings import SERVED, RecallSettings
from mud.commands import Context, Outcome, Say, command
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

TITLE = phrase("minds.llm.title")
NONE = phrase("minds.llm.none")
COLUMNS = phrase("minds.llm.columns")
HOST = phrase("minds.llm.host", "host", "model", "state", "running")
FIRST_LISTED = phrase("minds.llm.first_listed")
LAST_ERROR = phrase("minds.llm.last_error", "error")
NO_HOST = phrase("minds.llm.no_host")
EMBEDS = phrase("minds.llm.embeds", "host")
EMBEDS_NOT = phrase("minds.llm.embeds_not")

EMBED = "embed"
"""The LLM profile that is not in the queue: the recall process itself asks its server."""


@command("@llm-status", aliases=("@models",), category="query", keeps="skip")
def llm_status(ctx: Context) -> Outcome:
    """See how the language models are doing: never asked, answering, shaky, or down since when, until when and why.

    Then how many were asked, answered, failed, cancelled and wait, and how many seconds an answer takes. The addresses
    of the hosts and what they last complained of are for the owner.

    Example: @llm-status
    """
    args = {"role": str(int(ctx.role))}
    return Outcome("", requests=(Request("llm_status", ctx.actor.id, ctx.step, args),))


@answers("llm_status")
async def show_status(minds: Population, request: Request) -> Outcome:
    means, say = minds.means, minds.say
    names = [name for name in means.configuration.names(LLMProfile) if name.lower() != EMBED]
    views = means.models.overview(names) if means.models is not None else []
    if not views:
        return Outcome(say(NONE))
    owner = request.args.get("role") == str(int(Role.OWNER))
    head = [word.strip() for word in say(COLUMNS).split("/")]
    rows = [head, *map(_cells, views)]
    wide = [max(len(row[column]) for row in rows if column < len(row)) for column in range(len(rows[-1]))]
    lines = [say(TITLE), _aligned(head, wide)]
    for view, row in zip(views, rows[1:], strict=True):
        lines += [_aligned(row, wide), *_hosts(minds, view, owner=owner)]
    return Outcome("\n".join([*lines, *_embedder(minds, owner=owner)]))


def _embedder(minds: Population, *, owner: bool) -> list[str]:
    configuration, say = minds.means.configuration, minds.say
    if configuration.get(RecallSettings).embedder not in SERVED:
        return []
    trouble = minds.means.recall.trouble
    named = EMBED in configuration.names(LLMProfile)
    host = named_host(configuration.get_named(LLMProfile, EMBED)) if named and owner else EMBED
    error = [f"      {say(LAST_ERROR, error=trouble)}"] if trouble and owner else []
    return [f"  {say(EMBEDS_NOT) if trouble else say(EMBEDS, host=host)}", *error]


def _cells(view: ProfileView) -> list[str]:
    totals = view.totals
    counts = (view.waiting, sum(one.host.running for one in view.hosts))
    ends = (totals.asked, totals.answered, totals.failed, totals.cancelled)
    mean = "-" if totals.mean is None else f"{totals.mean:.1f} s"
    return [view.name, *(f"{number:,}" for number in (*counts, *ends)), mean]


def _aligned(row: Sequence[str], wide: Sequence[int]) -> str:
    cells = [row[0].ljust(wide[0]), *(text.rjust(width) for text, width in zip(row[1:], wide[1:], strict=False))]
    return f"  {'  '.join(cells)}".rstrip()


def _hosts(minds: Population, view: ProfileView, *, owner: bool) -> list[str]:
    if not view.hosts:
        return [f"    {minds.say(NO_HOST)}"]
    if not owner:
        return [f"    {one.host.state_words()}" for one in view.hosts]
    wide = (max(len(one.host.name) for one in view.hosts), max(len(_model(minds.say, one)) for one in view.hosts))
    return [line for one in view.hosts for line in _host(minds, one, wide)]


def _host(minds: Population, route: Route, wide: tuple[int, int]) -> list[str]:
    host, say = route.host, minds.say
    state = say(
        HOST,
        host=host.name.ljust(wide[0]),
        model=_model(say, route).ljust(wide[1]),
        state=host.state_words(),
        running=host.running,
    )
    error = [f"      {say(LAST_ERROR, error=host.last_error)}"] if host.last_error else []
    return [f"    {state}", *error]


def _model(say: Say, route: Route) -> str:
    return route.profile.model or say(FIRST_LISTED)
