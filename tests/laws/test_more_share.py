"""Law 9: more share does not hurt.

Over a whole run it can: a claim that is funded earlier ends earlier, what is lost with a displaced slice is delivered twice,
and a team that was given more is the sooner reclaimed from. What is exact is the first pass in which a run with more share
parts from the one without; from then on it is true of the mean.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.kernel.engine import Engine
from allotment.kernel.log import Log
from allotment.model.codes import DecisionCode, SliceState
from allotment.model.plan import Plan
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.workload.table import JobTable
from tests.laws.effort import runs
from tests.laws.made import budgets, job, plan, scenario, table
from tests.worked.made import shipped

LEAVES = ("a", "b", "c")


@attrs.frozen(eq=False, repr=False)
class Pair:
    """Jobs, and two scenarios that differ in one thing: a team has a larger share in the second, out of what was open."""

    jobs: JobTable
    team: int
    scenarios: tuple[Scenario, Scenario]

    def logs(self, engine=Engine) -> list[Log]:
        found = []
        for of in self.scenarios:
            run = engine(of, self.jobs)
            run.advance(of.horizon)
            found.append(run.close())
        return found

    def held(self, log: Log, time: int, *states: SliceState) -> int:
        """Return the GPUs that the team has in these states after the pass of a moment."""
        rows = (log.segments["begin"] <= time) & (time < log.segments["end"]) & np.isin(log.segments["state"], states)
        slices = log.slices[log.segments["slice"][rows]]
        return int(slices["take"][self.jobs.leaf[slices["job"]] == self.team].sum())

    def delivered(self, log: Log, since: int) -> int:
        """Return the GPU-seconds that were allocated to the team from a moment on."""
        slices = log.slices[log.segments["slice"]]
        mine = (self.jobs.leaf[slices["job"]] == self.team) & (log.segments["state"] != SliceState.UNALLOCATED)
        held = np.maximum(log.segments["end"] - np.maximum(log.segments["begin"], since), 0)
        return int((held * slices["take"])[mine].sum())


def plans(rng: np.random.Generator, team: int, *, nested: bool) -> tuple[Plan, Plan]:
    parts, left = rng.integers(1, 6, 3), int(rng.integers(1, 8))
    whole = int(parts.sum()) + left
    found = []
    for more in (0, int(rng.integers(1, left + 1))):
        teams = {
            leaf: Fraction(int(part) + (more if at == team else 0), whole)
            for at, (leaf, part) in enumerate(zip(LEAVES, parts, strict=True))
        }
        group = {name: teams.pop(name) for name in "ab"} if nested else {}
        found.append(plan(**({"x": ("3/4", group)} | {"c": teams["c"] / 4} if nested else teams)))
    return found[0], found[1]


@st.composite
def of_one_size(draw: st.DrawFn) -> Pair:
    """Return open streams of jobs of one size and contract, without loans, saving and holds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, nodes = draw(st.sampled_from([1, 2, 4])), draw(st.integers(1, 3))
    asks = draw(st.sampled_from([60, 95, 300, 1_200]))
    team, horizon = draw(st.integers(0, 2)), draw(st.sampled_from([HOUR, 3 * HOUR]))
    spread = draw(st.sampled_from([300, 1_800, horizon]))  # s in which all jobs come
    rows = [
        job(leaf, size, int(rng.integers(30, 3_000)), submit=int(time), asks=asks, checkpoint=60)
        for leaf in LEAVES
        for time in np.sort(rng.integers(0, spread, draw(st.integers(1, 40))))
    ]
    policy = budgets(
        short=0,
        cap=HOUR,
        reserve=draw(st.sampled_from([Fraction(0), Fraction(1, 200), Fraction(1, 20)])),
        margin=draw(st.sampled_from([Fraction(0), Fraction(1, 20)])),
        cooldown=0,
    )
    both = [
        scenario(policy, of, cluster=f"{nodes}x4", cycle=30, horizon=horizon)
        for of in plans(rng, team, nested=draw(st.booleans()))
    ]
    return Pair(table(LEAVES, rows), team, (both[0], both[1]))


def parting(logs: list[Log]) -> int | None:
    """Return the first moment at which two runs decide differently."""
    said = []
    for log in logs:
        rows = log.decisions[log.decisions["code"] != DecisionCode.REFUSE]
        said.append(set(zip(rows["time"].tolist(), rows["code"].tolist(), rows["job"].tolist(), strict=True)))
    return min((time for time, _, _ in said[0] ^ said[1]), default=None)


def worse(pair: Pair, logs: list[Log]) -> bool:
    """Tell whether the team has fewer GPUs allocated where the runs part, and not for having more of them protected."""
    time = parting(logs)
    if time is None:
        return False
    protected = [pair.held(log, time, SliceState.PROTECTED) for log in logs]
    allocated = [pair.held(log, time, SliceState.PROTECTED, SliceState.INTERRUPTIBLE) for log in logs]
    return allocated[1] < allocated[0] and protected[1] <= protected[0]


@runs(150)
@given(data=st.data())
def test_where_a_run_with_more_share_parts_from_the_other_the_team_has_no_fewer_gpus(data):
    pair = data.draw(of_one_size())
    assert not worse(pair, pair.logs())


MUTATIONS = {
    "ranks are turned round": ("ranks_before", lambda old: lambda s, partition, a, b: old(s, partition, b, a)),
    "shares are turned round": (
        "_set_entitlement",
        lambda old: lambda s, node, scaled: old(s, node, 10**8 * s.clock[0].healthy * HOUR - scaled),
    ),
}


def crafted() -> Pair:
    """Return a pair in which it is known who comes first: after 240 GPU-seconds each, b in one run and a in the other."""
    rows = [job(leaf, 4, 60, submit=submit, asks=60) for leaf, submit in (("a", 0), ("b", 60), ("a", 120), ("b", 120))]
    both = [
        scenario(budgets(short=0), plan(a=share, b="1/3", c=0), cluster="1x4", cycle=30, horizon=HOUR)
        for share in ("1/4", "1/2")
    ]
    return Pair(table(LEAVES, rows), 0, (both[0], both[1]))


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_kernel_that_breaks_it_is_noticed(plain, name):
    pair = crafted()
    assert parting(pair.logs()) == 120
    assert not worse(pair, pair.logs())
    with plain.with_rule(*MUTATIONS[name]):
        assert worse(pair, pair.logs(plain.engine.Engine))


def of_any_size(seed: int) -> Pair:
    """Return jobs of many sizes and contracts under the policy that ships, with its loans, saving and holds."""
    rng = np.random.default_rng(seed)
    horizon = 24 * HOUR
    rows = []
    for leaf in LEAVES:
        for time in np.sort(rng.integers(0, horizon, int(rng.integers(150, 300)))):
            size, asks = int(rng.choice([1, 2, 4, 8, 16])), int(rng.choice([0, 300, 900, 3_600, 14_400]))
            work = int(rng.lognormal(7.5, 1)) + 60
            rows.append(job(leaf, size, work, submit=int(time), asks=asks, checkpoint=600, startup=30, restart=60))
    policy = attrs.evolve(shipped(save_after=4 * HOUR), window=budgets(lookback=6 * HOUR).window)
    both = [
        scenario(policy, of, cluster="4x8", cycle=30, horizon=horizon) for of in plans(rng, 0, nested=seed % 2 == 0)
    ]
    return Pair(table(LEAVES, rows), 0, (both[0], both[1]))


def test_over_many_runs_of_any_size_more_share_brings_more_on_the_mean():
    gains = []
    for seed in range(20):
        pair = of_any_size(seed)
        less, more = (pair.delivered(log, 12 * HOUR) for log in pair.logs())
        gains.append(more - less)
    assert np.mean(gains) >= 0
    assert np.median(gains) > 0
