"""Law 8: what is delivered to a team follows its entitlement.

As it is often put, each team is given within one claim of its entitlement every window. That is not so: a contract is
charged when it begins and delivered over its length, and teams that burst together fill the cluster, so that a funded claim
finds only allocated GPUs. What holds is said here, and holds at every pass.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.kernel.engine import Engine
from tests.laws.effort import runs
from tests.laws.steady import WINDOW, Account, Steady, steady


def account(case: Steady, engine=Engine) -> Account:
    run = engine(case.scenario, case.table)
    run.advance(case.scenario.horizon)
    return Account(case, run.close())


def passes(case: Steady, count: int, first: int = 0):
    """Return about so many passes, spread over the run."""
    cycle, horizon = case.scenario.cluster.cycle, case.scenario.horizon
    return range(first * cycle, horizon, max(horizon // count // cycle, 1) * cycle)


def overcharged(case: Steady, kept: Account, moments) -> list[str]:
    cycle = case.scenario.cluster.cycle * kept.gpus
    return [
        f"{node.id} is charged {kept.delivered(node.id, time) + kept.coming(node.id, time)} at {time} s"
        for node in kept.plan.walk()
        for time in moments
        if kept.delivered(node.id, time) + kept.coming(node.id, time) > kept.entitled(node.id) + cycle
    ]


def undercharged(kept: Account, moments) -> list[str]:
    return [found for leaf in kept.table.leaves for time in moments for found in kept.in_vain(leaf, time)]


@runs(40)
@given(data=st.data())
def test_nobody_is_charged_above_its_entitlement_by_more_than_a_cycle_of_the_cluster(data):
    case = data.draw(steady())
    assert overcharged(case, account(case), passes(case, 100, data.draw(st.integers(0, 9)))) == []


@runs(40)
@given(data=st.data())
def test_a_team_falls_short_by_a_claim_only_while_all_its_work_or_every_gpu_that_it_fits_on_is_allocated(data):
    case = data.draw(steady())
    assert undercharged(account(case), passes(case, 100, data.draw(st.integers(0, 9)))) == []


MUTATIONS = {
    "headroom is ignored": ("lacking_level", lambda old: lambda s, leaf, claim, short: -1),
    "the claim is not charged": ("commit", lambda old: lambda s, leaf, claim: None),
    "interruptible work is never demoted": ("has_room", lambda old: lambda s, leaf, short: True),
    "nothing is promoted": ("why_not", lambda old: lambda s, cls: 1 if s.classes[cls].running >= 0 else old(s, cls)),
    "claims get twice the reserve": (
        "lacking_level",
        lambda old: lambda s, leaf, claim, short: old(s, leaf, claim + s.tree[leaf].reserve + 1, short),
    ),
    "unallocated work is not reclaimed": ("could_reclaim", lambda old: lambda s, job: False),
}


class Noticed(Exception):
    """A run shows that a rule is broken."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_kernel_that_breaks_it_is_noticed(plain, name):
    @runs(20)
    @given(data=st.data())
    def look(data):
        case = data.draw(steady(horizon=2 * WINDOW))
        kept, moments = account(case, plain.engine.Engine), passes(case, 60)
        if found := overcharged(case, kept, moments) or undercharged(kept, moments):
            raise Noticed(found[0])

    with plain.with_rule(*MUTATIONS[name]), pytest.raises(Noticed):
        look()
