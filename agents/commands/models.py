"""`@llm-status` and `@cost`: how the language models are doing, and what was spent on them."""

from __future__ import annotations

from collections.abc import Sequence

from agents.commands._answer import answers, ask
from agents.llm.backend import named_host
from agents.llm.hosts import Route
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ProfileView
from agents.llm.spending import BudgetSettings, ModelBudget, Notice, Row, Scope
from agents.population import Population
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
COST_TITLE = phrase("minds.cost.title")
NO_COST = phrase("minds.cost.none")
COST_COLUMNS = phrase("minds.cost.columns")
SUM = phrase("minds.cost.sum")
NO_LIMIT = phrase("minds.cost.no_limit")
LIMITS = phrase("minds.cost.limits")
LIMIT = phrase("minds.cost.limit", "key", "most")
USED_UP = phrase("minds.cost.used_up", "name", "used", "most", "unit")
WORLD_USED_UP = phrase("minds.cost.world_used_up", "used", "most", "unit")
DAY_USED_UP = phrase("minds.cost.day_used_up", "used", "most", "unit")
TOO_SMALL = phrase("minds.cost.too_small", "name", "need", "most", "unit")
WORLD_TOO_SMALL = phrase("minds.cost.world_too_small", "need", "most", "unit")
DAY_TOO_SMALL = phrase("minds.cost.day_too_small", "need", "most", "unit")
OVER = phrase("minds.cost.over", "name")
WORLD_OVER = phrase("minds.cost.world_over")

NOTICES = {
    Scope.AGENT_HOUR: (USED_UP, TOO_SMALL),
    Scope.WORLD_HOUR: (WORLD_USED_UP, WORLD_TOO_SMALL),
    Scope.WORLD_DAY: (DAY_USED_UP, DAY_TOO_SMALL),
}

EMBED = "embed"
"""The LLM profile that is not in the queue: the recall process itself asks its server."""


@command("@llm-status", aliases=("@models",), category="query", keeps="skip")
def llm_status(ctx: Context) -> Outcome:
    """See how the language models are doing: never asked, answering, shaky, or down since when, until when and why.

    Then how many were asked, answered, failed, cancelled and wait, and how many seconds an answer takes. The addresses
    of the hosts and what they last complained of are for the owner.

    Example: @llm-status
    """
    return ask(ctx, "llm_status", role=str(int(ctx.role)))


@answers("llm_status")
async def show_status(minds: Population, request: Request) -> Outcome:
    means, say = minds.means, minds.say
    names = [name for name in means.configuration.names(LLMProfile) if name.lower() != EMBED]
    views = means.models.overview(names) if means.models is not None else []
    if not views:
        return Outcome(say(NONE))
    owner = request.args.get("role") == str(int(Role.OWNER))
    head, *rows = _aligned(say(COLUMNS), [_cells(view) for view in views], 1)
    lines = [say(TITLE), head]
    for view, row in zip(views, rows, strict=True):
        lines += [row, *_hosts(minds, view, owner=owner)]
    return Outcome("\n".join([*lines, *_embedder(minds, owner=owner)]))


def _cells(view: ProfileView) -> list[str]:
    totals = view.totals
    counts = (view.waiting, sum(one.host.running for one in view.hosts))
    ends = (totals.asked, totals.answered, totals.failed, totals.cancelled)
    mean = "-" if totals.mean is None else f"{totals.mean:.1f} s"
    return [view.name, *(f"{number:,}" for number in (*counts, *ends)), mean]


def _aligned(columns: str, rows: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Return a table's lines below its `columns`, named like `a / b`; the first `texts` are flush left."""
    rows = [[word.strip() for word in columns.split("/")], *rows]
    wide = [max(len(row[column]) for row in rows if column < len(row)) for column in range(len(rows[-1]))]
    aligns = [*("<" * texts), *(">" * (len(wide) - texts))]
    cells = [[f"{text:{how}{width}}" for text, how, width in zip(row, aligns, wide, strict=False)] for row in rows]
    return [f"  {'  '.join(row)}".rstrip() for row in cells]


def _hosts(minds: Population, view: ProfileView, *, owner: bool) -> list[str]:
    if not view.hosts:
        return [f"    {minds.say(NO_HOST)}"]
    if not owner:
        return [f"    {one.host.state_words()}" for one in view.hosts]
    wide = (max(len(one.host.name) for one in view.hosts), max(len(_model(minds.say, one)) for one in view.hosts))
    return [line for one in view.hosts for line in _host(minds, one, wide)]


def _host(minds: Population, route: Route, wide: tuple[int, int]) -> list[str]:
    host, say = route.host, minds.say
    name, model = host.name.ljust(wide[0]), _model(say, route).ljust(wide[1])
    error = [f"      {say(LAST_ERROR, error=host.last_error)}"] if host.last_error else []
    return [f"    {say(HOST, host=name, model=model, state=host.state_words(), running=host.running)}", *error]


def _model(say: Say, route: Route) -> str:
    return route.profile.model or say(FIRST_LISTED)


def _embedder(minds: Population, *, owner: bool) -> list[str]:
    configuration, say = minds.means.configuration, minds.say
    if configuration.get(RecallSettings).embedder not in SERVED:
        return []
    trouble = minds.means.recall.trouble
    named = EMBED in configuration.names(LLMProfile)
    host = named_host(configuration.get_named(LLMProfile, EMBED)) if named and owner else EMBED
    error = [f"      {say(LAST_ERROR, error=trouble)}"] if trouble and owner else []
    return [f"  {say(EMBEDS_NOT) if trouble else say(EMBEDS, host=host)}", *error]


@command("@cost", role=Role.OWNER, category="admin", keeps="skip")
def cost(ctx: Context) -> Outcome:
    """See who spent what on language models: calls and tokens, this hour, today and in all, and the limits that hold.

    Hours and days are those of UTC. The limits stand in config/budget.md; those of one agent may be in its agent.md.
    Embeddings are counted where a server makes them, see embedder in config/recall.md.

    Example: @cost
    """
    return ask(ctx, "cost")


@answers("cost")
async def show_cost(minds: Population, request: Request) -> Outcome:
    models, say = minds.means.models, minds.say
    budget = models.budget if models is not None else None
    rows = budget.spending.rows() if budget is not None else []
    lines = [say(NO_COST)]
    if rows:
        cells = [_spent(row) for row in (*rows, sum(rows, Row(say(SUM), "")))]
        lines = [say(COST_TITLE), *_aligned(say(COST_COLUMNS), cells, 2)]
    return Outcome("\n".join([*lines, *_limits(minds, budget)]))


def _spent(row: Row) -> list[str]:
    amounts = (n for one in (row.hour, row.day, row.total) for n in (one.calls, one.tokens))
    return [row.owner or "-", row.task, *(f"{n:,}" for n in amounts)]


def _limits(minds: Population, budget: ModelBudget | None) -> list[str]:
    say, configuration = minds.say, minds.means.configuration
    known = configuration.get(BudgetSettings)
    kept = {key: getattr(known, key) for key in known.__slots__ if getattr(known, key)}
    for one in minds.definitions.values():
        own = configuration.for_agent(BudgetSettings, one.overrides)
        kept |= {f"{key} ({one.name})": getattr(own, key) for key in known.__slots__ if key in one.overrides}
    if not kept:
        return [say(NO_LIMIT)]
    limits = [f"  {say(LIMIT, key=key, most=f'{most:,}')}" for key, most in kept.items()]
    gone = [describe_notice(say, Notice(limit, over=True)) for limit in (budget.all_used_up() if budget else ())]
    return [say(LIMITS), *limits, *gone]


def describe_notice(say: Say, notice: Notice) -> str:
    """Word what happens to a limit: it is used up, too small for one call, or holds no longer."""
    limit = notice.limit
    about = {"name": limit.owner} if limit.owner else {}
    if not notice.over:
        return say(OVER if limit.owner else WORLD_OVER, **about)
    about |= {"most": f"{limit.most:,}", "unit": limit.unit}
    about |= {"need": f"{limit.need:,}"} if limit.need else {"used": f"{limit.used:,}"}
    return say(NOTICES[limit.scope][bool(limit.need)], **about)
