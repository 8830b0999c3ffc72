"""What a server that embeds costs: set aside before it is asked, counted afterwards, refused at a limit of the budget.

An embedder of our own costs nothing and passes by. Whoever's budget is used up goes without new vectors for a while;
the others do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar, cast

from agents.llm.budget import Amount, BudgetExhausted, ModelBudget
from agents.llm.jobs import Task
from agents.recall import worker
from agents.recall.child import VectorProcess
from agents.recall.documents import Bill, Query
from mud.clock import Clock

P = ParamSpec("P")
R = TypeVar("R")

WORDS = ""
"""Whose the words of the thesaurus are: nobody's."""
PAUSE = 60.0
"""Seconds after which those whose budget was used up are tried again."""


class EmbeddingBudget:
    """Pays for embeddings.

    Args:
        budget: what may be spent; None when nobody counts.
        named: returns the name of an agent, as the budget knows it, by its id.
        clock: measures pauses.
    """

    def __init__(self, budget: ModelBudget | None, named: Callable[[str], str], clock: Clock) -> None:
        self._budget, self._named, self._clock = budget, named, clock
        self.without: set[str] = set()
        """Ids of the agents that go without new vectors for now."""
        self.trouble = ""
        """Why they do."""
        self._again = 0.0

    async def put(self, child: VectorProcess, agent: str, texts: Sequence[str], work: Callable[P, R],
                  *args: P.args, **kwargs: P.kwargs) -> R:  # fmt: skip
        """Have texts of an agent embedded.

        Args:
            child: does it.
            agent: whose texts; `WORDS` for words.
            texts: the texts.
            work: the worker's function that embeds them, with its arguments.

        Raises:
            Spent: the budget leaves no room for it.
        """
        price = await child.price(texts) if child.served else Bill()
        try:
            return await self._paid(child, agent, price, work, *args, **kwargs)
        except BudgetExhausted as error:
            self.without.add(agent)
            self.trouble = f"what is new gets no vectors: {error}"
            self._again = self._clock.monotonic() + PAUSE
            raise

    async def ask(self, child: VectorProcess, query: Query, words: Sequence[str], work: Callable[P, R],
                  *args: P.args, **kwargs: P.kwargs) -> R:  # fmt: skip
        """Have a question answered; see `put`."""
        price = await child.price_question(query, words) if child.served else Bill()
        return await self._paid(child, query.agent, price, work, *args, **kwargs)

    async def _paid(self, child: VectorProcess, agent: str, price: Bill, work: Callable[P, R],
                    *args: P.args, **kwargs: P.kwargs) -> R:  # fmt: skip
        if self._budget is None or not child.served:
            return await child.do(work, *args, **kwargs)
        owner = self._named(agent) if agent else agent
        if not price.calls:
            result, bill, error = await child.do(worker.metered, work, *args, **kwargs)
            self._count(owner, bill)
        else:
            with self._budget.reserve(owner, Task.EMBEDDINGS, price.tokens, 0, price.calls):
                result, bill, error = await child.do(worker.metered, work, *args, **kwargs)
                self._count(owner, bill)
        if error is not None:
            raise error
        return cast(R, result)

    def _count(self, owner: str, bill: Bill) -> None:
        if self._budget is not None and bill.calls:
            self._budget.spending.add(owner, Task.EMBEDDINGS, Amount(bill.calls, bill.tokens))

    def pause(self) -> float | None:
        """Return after how many seconds those who go without are to be tried again; None when nobody does."""
        return max(0.0, self._again - self._clock.monotonic()) if self.without else None

    def review(self) -> None:
        """Have those who went without tried again when it is time."""
        if self.pause() == 0.0:
            self.without.clear()
            self.trouble = ""
