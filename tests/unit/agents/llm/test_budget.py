"""The budget is never gone over, says so once, and what it counted is what the models were asked for."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.backend import Backend, Completion, Enough
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue, Urgency
from agents.llm.spending import (
    DAYS,
    FILE,
    Amount,
    BudgetExhausted,
    BudgetSettings,
    ModelBudget,
    Notice,
    Row,
    Scope,
    Spending,
    keep_spending,
    read_spending,
    write_spending,
    wrong_spending,
)
from agents.llm.tokens import estimate
from mud.clock import VirtualClock
from mud.errors import Unavailable
from mud.registry import Registry
from tests.unit.agents.llm.stage import Gate, HandClock, settle

PROFILE = LLMProfile(backend="scripted", host="a", timeout=60, max_tokens=10, concurrency=64)


@dataclass
class Till:
    """A queue with a budget over one scripted model, and what the owner was told."""

    model: ScriptedModel
    limits: BudgetSettings = field(default_factory=BudgetSettings)
    clock: HandClock = field(default_factory=HandClock)
    told: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = ModelBudget(lambda: self.limits, self.clock)
        self.budget.tell = self.told.append
        backend = Backend("scripted", "Scripted.", lambda profile: self.model)
        self.queue = ModelQueue(lambda name: PROFILE, Registry("backend", [backend]), self.clock, budget=self.budget)

    def ask(
        self, owner: str, prompt: str = "one two three", urgency: Urgency = Urgency.THINK, task: str | None = None
    ) -> asyncio.Task[Completion]:
        return asyncio.create_task(self.queue.ask(lambda: prompt, "think", urgency, owner, task=task))

    def used(self, owner: str | None = None) -> Amount:
        return self.budget.spending.sum(owner).hour


async def test_at_the_limit_an_agent_is_refused_and_its_owner_told_once() -> None:
    till = Till(ScriptedModel(["look"] * 9), BudgetSettings(agent_calls_per_hour=2))
    for _ in range(2):
        await till.ask("Eliza")
    assert till.budget.used_up("Eliza") is None
    for _ in range(3):
        with pytest.raises(BudgetExhausted, match="Eliza has used up the budget for this hour: 2 of 2 calls"):
            await till.ask("Eliza")
    assert [(one.over, one.limit.scope, one.limit.owner) for one in till.told] == [(True, Scope.AGENT_HOUR, "Eliza")]
    assert till.budget.used_up("Eliza") is not None
    assert till.budget.used_up("Moss") is None
    assert (await till.ask("Moss")).text == "look"


async def test_when_the_hour_is_over_it_may_ask_again_and_its_owner_is_told_once() -> None:
    till = Till(ScriptedModel(["look"] * 9), BudgetSettings(agent_calls_per_hour=1))
    await till.ask("Eliza")
    with pytest.raises(BudgetExhausted):
        await till.ask("Eliza")
    till.clock.advance(3600)
    till.budget.review()
    till.budget.review()
    assert [one.over for one in till.told] == [True, False]
    assert (await till.ask("Eliza")).text == "look"


async def test_a_limit_that_is_raised_lets_it_ask_again() -> None:
    till = Till(ScriptedModel(["look"] * 9), BudgetSettings(world_calls_per_day=1))
    await till.ask("Eliza")
    with pytest.raises(BudgetExhausted, match="the agents have used up the budget for today: 1 of 1 calls"):
        await till.ask("Moss")
    till.limits = replace(till.limits, world_calls_per_day=2)
    assert (await till.ask("Moss")).text == "look"
    assert [one.over for one in till.told] == [True, False]


async def test_a_limit_that_no_call_fits_into_is_told_so_and_only_once() -> None:
    till = Till(ScriptedModel(["look"] * 9), BudgetSettings(agent_tokens_per_hour=5))
    need = estimate("one two three") + PROFILE.max_tokens
    words = f"one call takes about {need} tokens, and Eliza's limit for this hour is 5"
    for _ in range(3):
        with pytest.raises(BudgetExhausted, match=words):
            await till.ask("Eliza")
        till.clock.advance(3600)
        till.budget.review()
    assert [(one.over, one.limit.need) for one in till.told] == [(True, need)]
    with pytest.raises(BudgetExhausted):
        await till.ask("Eliza")
    till.limits = replace(till.limits, agent_tokens_per_hour=100)
    assert (await till.ask("Eliza")).text == "look"
    assert [one.over for one in till.told] == [True, False]
    till.limits = replace(till.limits, agent_tokens_per_hour=6)
    till.clock.advance(3600)
    with pytest.raises(BudgetExhausted):
        await till.ask("Eliza")
    assert [one.over for one in till.told] == [True, False, True]


async def test_another_name_is_no_other_budget() -> None:
    till = Till(ScriptedModel(["look", gate := Gate(), "look"]), BudgetSettings(agent_calls_per_hour=2))
    await till.ask("Eliza")
    under_way = till.ask("Eliza")
    await settle()
    till.budget.rename("Eliza", "Liz")
    gate.open()
    await under_way
    assert (till.used("Liz").calls, till.used("Eliza").calls) == (2, 0)
    with pytest.raises(BudgetExhausted, match="Liz has used up"):
        await till.ask("Liz")
    till.budget.rename("Liz", "Beth")
    with pytest.raises(BudgetExhausted, match="Beth has used up"):
        await till.ask("Beth")
    till.clock.advance(3600)
    assert (await till.ask("Beth")).text == "look"
    assert [(one.over, one.limit.owner) for one in till.told] == [(True, "Liz"), (False, "Beth")]


async def test_calls_side_by_side_do_not_go_over_a_limit_together() -> None:
    gates = [Gate() for _ in range(3)]
    till = Till(ScriptedModel(gates), BudgetSettings(agent_calls_per_hour=2))
    jobs = [till.ask("Eliza", urgency=Urgency.SUMMARIZE) for _ in range(3)]
    await settle()
    with pytest.raises(BudgetExhausted, match="calls under way leave no room"):
        await jobs[2]
    assert till.told == []  # what is under way may come to nothing, and then there is room
    for gate in gates:
        gate.open()
    await asyncio.gather(*jobs[:2])


async def test_a_server_that_counts_no_tokens_is_estimated() -> None:
    class Mute(ScriptedModel):
        async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
            return replace(await super().complete(prompt, profile), prompt_tokens=None, completion_tokens=None)

    till = Till(Mute(["say hello"]))
    await till.ask("Eliza")
    assert till.used() == Amount(1, estimate("one two three"), estimate("say hello"))


asks = st.tuples(
    st.sampled_from(("Eliza", "Moss", "Fenwick")),
    st.integers(1, 60),
    st.sampled_from(("answer", "answer", "fail", "long")),
    st.sampled_from([Urgency.THINK, Urgency.SUMMARIZE]),
    st.sampled_from((0.0, 0.0, 600.0, 3600.0, 40_000.0)),
    st.booleans(),
)
caps = st.builds(
    BudgetSettings,
    *(st.sampled_from((0, 100, 500)), st.sampled_from((0, 2, 6))) * 3,
)


@settings(deadline=None)
@given(st.lists(asks, max_size=30), caps)
def test_what_the_models_were_asked_for_is_what_was_counted_and_never_more_than_the_limits(
    program: list[tuple[str, int, str, Urgency, float, bool]], limits: BudgetSettings
) -> None:
    asyncio.run(_spend(program, limits))


async def _spend(program: list[tuple[str, int, str, Urgency, float, bool]], limits: BudgetSettings) -> None:
    ledger: Counter[tuple[str, str]] = Counter()

    async def act(prompt: str) -> str:
        return "word " * 40 if prompt.startswith("long") else "look"

    class Ledger(ScriptedModel):
        async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
            if prompt.startswith("fail"):
                raise Unavailable("gone")
            done = await super().complete(prompt, profile)
            assert done.prompt_tokens is not None
            assert done.completion_tokens is not None
            ledger["all", "calls"] += 1
            ledger["all", "tokens"] += done.prompt_tokens + done.completion_tokens
            return done

    till = Till(Ledger([act] * 99), limits)
    jobs = []
    for owner, size, what, urgency, seconds, wait in program:
        jobs.append(till.ask(owner, f"{what} {'x ' * size}", urgency))
        if wait:
            await asyncio.gather(*jobs, return_exceptions=True)
        _check(till)
        till.clock.advance(seconds)
        till.clock.advance(61)  # a host that failed may be asked again
    await asyncio.gather(*jobs, return_exceptions=True)
    _check(till)
    total = till.budget.spending.sum().total
    assert (total.calls, total.tokens) == (ledger["all", "calls"], ledger["all", "tokens"])
    assert till.queue.overview(["think"])[0].totals.answered == total.calls
    scopes = Counter((one.limit.scope, one.limit.owner, one.limit.unit) for one in till.told if one.over)
    ends = Counter((one.limit.scope, one.limit.owner, one.limit.unit) for one in till.told if not one.over)
    assert all(scopes[key] - ends[key] in (0, 1) for key in scopes | ends)


def _check(till: Till) -> None:
    """Hold what was spent to the limits."""
    one, limits = till.budget.spending, till.limits
    for amount, tokens, calls in (
        (one.sum().hour, limits.world_tokens_per_hour, limits.world_calls_per_hour),
        (one.sum().day, limits.world_tokens_per_day, limits.world_calls_per_day),
        *(
            (one.sum(name).hour, limits.agent_tokens_per_hour, limits.agent_calls_per_hour)
            for name in ("Eliza", "Moss", "Fenwick")
        ),
    ):
        assert not tokens or amount.tokens <= tokens
        assert not calls or amount.calls <= calls


amounts = st.builds(Amount, st.integers(0, 9), st.integers(0, 9999), st.integers(0, 999))
events = st.lists(
    st.tuples(
        st.sampled_from(("Eliza", "Moss", "Ж")),
        st.sampled_from(("thinking", "summaries", "dreams")),
        amounts,
        st.sampled_from((0.0, 60.0, 1800.0, 7200.0, 90_000.0)),
    ),
    max_size=40,
)


def spent(program: list[tuple[str, str, Amount, float]], restart: bool) -> tuple[Spending, VirtualClock]:
    """Spend all that, going on from a file after each when told so."""
    clock = VirtualClock()
    one = Spending(clock.now)
    for owner, task, amount, seconds in program:
        one.add(owner, task, amount)
        clock.advance(seconds)
        if restart:
            text, one = one.dump(), Spending(clock.now)
            assert one.load(text)
    return one, clock


def summed(all_of: Iterable[Amount]) -> Amount:
    return sum(all_of, Amount())


@given(events, st.booleans())
def test_sums_add_up_exactly_whatever_is_spent_when_and_through_restarts(
    program: list[tuple[str, str, Amount, float]], restart: bool
) -> None:
    one, clock = spent(program, restart)
    at, now = VirtualClock().now(), clock.now()
    hour, day = [], []
    for _, _, amount, seconds in program:
        if (at.date(), at.hour) == (now.date(), now.hour):
            hour.append(amount)
        if at.date() == now.date():
            day.append(amount)
        at += timedelta(seconds=seconds)
    whole = one.sum()
    assert (whole.hour, whole.day) == (summed(hour), summed(day))
    assert whole.total == summed(amount for _, _, amount, _ in program)
    assert sum(one.rows(), Row("", "")) == whole
    for owner in ("Eliza", "Moss", "Ж"):
        assert one.sum(owner).total == summed(amount for who, _, amount, _ in program if who == owner)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(("hour", "day", "spent", "owner", "task", "total")), inner)
        ),
        max_leaves=20,
    )
)
def test_a_file_that_says_anything_costs_nothing(junk: object) -> None:
    one = Spending(VirtualClock().now)
    one.load(json.dumps(junk))
    one.add("Eliza", "thinking", Amount(1, 2, 3))
    assert one.sum("Eliza").hour.calls >= 1
    assert Spending(VirtualClock().now).load(one.dump())


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"spent": 3}', "null"])
def test_a_file_that_cannot_be_read_counts_as_nothing_spent(text: str) -> None:
    one = Spending(VirtualClock().now)
    assert not one.load(text)
    assert one.rows() == []


def test_a_record_that_was_edited_into_nonsense_is_left_out_and_the_others_stay() -> None:
    clock = VirtualClock()
    one = Spending(clock.now)
    one.add("Eliza", "thinking", Amount(1, 20, 3))
    one.add("Moss", "thinking", Amount(1, 20, 3))
    found = json.loads(one.dump())
    for wrong in ([1, 2], [1, 2, -3], [1, 2, "3"], [1, True, 3], [1, 2, 10**16], None):
        found["spent"][0]["hour"] = wrong
        other = Spending(clock.now)
        assert not other.load(json.dumps(found))
        assert [row.owner for row in other.rows()] == ["Moss"]


def budget() -> ModelBudget:
    return ModelBudget(BudgetSettings, VirtualClock())


def test_it_is_written_when_something_was_spent_and_read_at_the_next_start(tmp_path: Path) -> None:
    first, second = budget(), budget()
    write_spending(tmp_path, first)
    assert not (tmp_path / FILE).exists()
    first.spending.add("Eliza", "thinking", Amount(1, 20, 3))
    write_spending(tmp_path, first)
    read_spending(tmp_path, second)
    assert second.spending.sum("Eliza").hour == Amount(1, 20, 3)


def test_a_broken_file_and_a_folder_in_its_place_are_told_and_change_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / FILE).write_bytes(b"\xff{{")
    one = budget()
    read_spending(tmp_path, one)
    assert [wrong.file for wrong in wrong_spending(tmp_path)] == [FILE]
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    read_spending(tmp_path, one)
    one.spending.add("Eliza", "thinking", Amount(1, 20, 3))
    write_spending(tmp_path, one)
    assert "cannot be written" in caplog.text
    assert one.spending.sum().hour.calls == 1


async def test_a_running_world_writes_it_within_a_second(tmp_path: Path) -> None:
    clock = HandClock()
    one = ModelBudget(BudgetSettings, clock)
    keeping = asyncio.create_task(keep_spending(tmp_path, one, clock))
    await settle()
    one.spending.add("Eliza", "thinking", Amount(1, 20, 3))
    clock.advance(1)
    while one.spending.changed or not (tmp_path / FILE).exists():
        await settle()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert json.loads((tmp_path / FILE).read_text("utf-8"))["spent"][0]["hour"] == [1, 20, 3]


def test_spending_is_kept_by_day_for_a_month_and_through_a_restart() -> None:
    clock = VirtualClock()
    spending = Spending(clock.now)
    for _ in range(DAYS + 5):
        spending.add("Eliza", "thinking", Amount(1, 10, 1))
        spending.add("Eliza", "dreams", Amount(1, 5, 0))
        clock.advance(24 * 3600)
    days = spending.days()
    assert len(days) == DAYS
    assert days[-1] == ("2026-02-05", {"Eliza": Amount(2, 15, 1)})
    spending.rename("Eliza", "Liz")
    again = Spending(clock.now)
    assert again.load(spending.dump())
    assert again.days() == [(day, {"Liz": amounts["Eliza"]}) for day, amounts in days]
    older = Spending(clock.now)
    assert older.load(json.dumps({"hour": "", "day": "", "spent": []}))  # as written before there were days
    for broken in ([], {"2026-01-01": {"Eliza": "much"}}, {"2026-01-01": 7}, {"2026-01-01": {"Eliza": [1, 2, -3]}}):
        assert not older.load(json.dumps({"hour": "", "day": "", "spent": [], "days": broken}))
        assert older.days() == []
