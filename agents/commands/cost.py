"""`@cost`: the use of language models, and messages about budget limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.commands._answer import answers
from agents.llm.budget import Amount, BudgetSettings, ModelBudget, Notice, Row, Scope
from agents.population.population import Population
from mud.commands import Context, Outcome, Say, command
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

TITLE = phrase("minds.cost.title")
NONE = phrase("minds.cost.none")
COLUMNS = phrase("minds.cost.columns")
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

_SHOWN = 2
"""Columns with text; the others hold numbers."""


@command("@cost", role=Role.OWNER, category="admin", keeps="skip")
def cost(ctx: Context) -> Outcome:
    """See who spent what on language models: calls and tokens, this hour, today and in all, and the limits that hold.

    Hours and days are those of UTC. The limits stand in config/budget.md; those of one agent may be in its agent.md.
    Embeddings are counted where a server makes them, see embedder in config/recall.md.

    Example: @cost
    """
    return Outcome("", requests=(Request("cost", ctx.actor.id, ctx.step, {}),))


@answers("cost")
async def show_cost(minds: Population, request: Request) -> Outcome:
    models, say = minds.means.models, minds.say
    budget = models.budget if models is not None else None
    rows = budget.spending.rows() if budget is not None else []
    lines = _table(say, rows) if rows else [say(NONE)]
    return Outcome("\n".join([*lines, *_limits(minds, budget)]))


def describe_notice(say: Say, notice: Notice) -> str:
    limit = notice.limit
    if not notice.over:
        return say(OVER, name=limit.owner) if limit.owner else say(WORLD_OVER)
    about = {"most": f"{limit.most:,}", "unit": limit.unit}
    about |= {"need": f"{limit.need:,}"} if limit.need else {"used": f"{limit.used:,}"}
    if limit.owner:
        return say(TOO_SMALL if limit.need else USED_UP, name=limit.owner, **about)
    if limit.scope is Scope.WORLD_DAY:
        return say(DAY_TOO_SMALL if limit.need else DAY_USED_UP, **about)
    return say(WORLD_TOO_SMALL if limit.need else WORLD_USED_UP, **about)


def _table(say: Say, rows: Sequence[Row]) -> list[str]:
    head = [word.strip() for word in say(COLUMNS).split("/")]
    whole = sum(rows, Row(say(SUM), ""))
    cells = [head, *(_cells(row) for row in (*rows, whole))]
    wide = [max(len(row[column]) for row in cells if column < len(row)) for column in range(len(cells[-1]))]
    return [say(TITLE), *(_aligned(row, wide) for row in cells)]


def _cells(row: Row) -> list[str]:
    amounts: Iterable[Amount] = (row.hour, row.day, row.total)
    return [row.owner or "-", row.task, *(f"{number:,}" for one in amounts for number in (one.calls, one.tokens))]


def _aligned(row: Sequence[str], wide: Sequence[int]) -> str:
    cells = (
        text.ljust(width) if column < _SHOWN else text.rjust(width)
        for column, (text, width) in enumerate(zip(row, wide, strict=False))
    )
    return f"  {'  '.join(cells)}".rstrip()


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
