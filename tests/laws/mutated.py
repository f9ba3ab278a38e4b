"""Break one rule of the kernel and see whether a law or the plain reference notices; run uncompiled, in a process of its own.

    NUMBA_DISABLE_JIT=1 python -m tests.laws.mutated NAME

prints what noticed, and ends with 0; with 3 where nothing did.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from allotment.kernel.engine import Engine
from allotment.model.codes import IdleCause
from allotment.results.laws import check
from allotment.results.result import build
from tests.laws.cases import Case, cases
from tests.laws.compare import differences
from tests.laws.happenings import drive
from tests.laws.reference import Reference

EXAMPLES = 120
LONG = (
    "the window starts a second late",
    "held nodes are open to all",
    "any balance displaces",
    "protection is ignored",  # elsewhere the counts of GPUs that may be had keep such victims out of the search
    "history makes no difference",
    "a claimant takes what others deserve",
    "any priority preempts",
)  # shows only in long runs

# what is broken: the function, the modules that call it, and what stands in its place
MUTATIONS: dict[str, tuple[str, tuple[str, ...], Callable[[Any], Callable[..., Any]]]] = {
    "protection is ignored": (
        "tier_of",
        ("reclaim", "gangs", "holding"),
        lambda old: (
            lambda s, row, job, licence, hold_due: (
                0 if s.slices[row].state == 1 else old(s, row, job, licence, hold_due)
            )
        ),
    ),
    "every claim is funded": ("lacking_level", ("funding", "outcome"), lambda old: lambda s, leaf, claim, short: -1),
    "the reserve is ignored": (
        "lacking_level",
        ("funding",),
        lambda old: lambda s, leaf, claim, short: old(s, leaf, claim, True),
    ),
    "unallocated work is charged": (
        "change_rate",
        ("ledger",),
        lambda old: lambda s, curve, now, change: old(s, curve - curve % 2, now, change),
    ),
    "the window starts a second late": (
        "sum_at_start",
        ("usage",),
        lambda old: lambda s, curve, start: old(s, curve, start) + (1 if start > 0 and curve % 2 == 0 else 0),
    ),
    "checkpoints are not rounded down": (
        "progress",
        ("slices", "reclaim"),
        lambda old: lambda s, row, now: (max(now - s.slices[row].start - s.slices[row].overhead, 0), 0),
    ),
    "slot limits are ignored": (
        "within_slots",
        ("claims", "fill", "quotas", "ranked", "settle"),
        lambda old: lambda s, leaf, take, allocated: -1,
    ),
    "the fill passes free GPUs by": ("most_free", ("fill",), lambda old: lambda s: max(old(s) - 1, 0)),
    "held nodes are open to all": (
        "claimable",
        ("placement", "reclaim", "gangs"),
        lambda old: lambda s, node, contract_end: s.nodes[node].down == 0 and s.nodes[node].draining == 0,
    ),
    "ranks are turned round": (
        "ranks_before",
        ("claims", "fill", "quotas", "settle", "ranked"),
        lambda old: lambda s, partition, a, b: old(s, partition, b, a),
    ),
    "interruptible work is never demoted": ("has_room", ("settle",), lambda old: lambda s, leaf, short: True),
    "nothing is promoted": ("promote", ("settle",), lambda old: lambda s, row: None),
    "any balance displaces": (
        "allow_leaves",
        ("claims",),
        lambda old: lambda s, job: (old(s, job), s.allowed.fill(1))[0],
    ),
    "equal leaves are told apart": (
        "rank_leaves",
        ("round",),
        lambda old: lambda s: (old(s), s.tree.standing.__imul__(100), s.tree.standing.__iadd__(range(len(s.tree))))[0],
    ),
    "the children of equals are apart": (
        "_comes_before",
        ("levels",),
        lambda old: (
            lambda s, a, b: (
                s.tree[a].parent < s.tree[b].parent or (s.tree[a].parent == s.tree[b].parent and old(s, a, b))
            )
        ),
    ),
    "parts of the shares are not compared": (
        "_fair_share",
        ("levels",),
        lambda old: lambda s, node: (1, int(s.tree[node].used)),
    ),
    "what rounding leaves is nobody's": ("_largest_rest", ("division",), lambda old: lambda s, node: -1),
    "history makes no difference": (
        "_part",
        ("division",),
        lambda old: lambda s, node, weights: int(s.tree[node].weight),
    ),
    "the emptier queue comes last": (
        "queue_before",
        ("quotas",),
        lambda old: lambda s, x, y: old(s, y, x),
    ),
    "a claimant takes what others deserve": (
        "may_reclaim",
        ("reclaim", "overquota"),
        lambda old: lambda s, row, job: s.slices[row].leaf != s.jobs[job].leaf,
    ),
    "any priority preempts": (
        "may_preempt",
        ("reclaim",),
        lambda old: lambda s, row, job: s.slices[row].leaf == s.jobs[job].leaf,
    ),
    "no quota keeps back what nobody may stop": ("beyond_quota", ("quotas",), lambda old: lambda s, leaf, gpus: -1),
    "nothing is spared": ("yields_next", ("slices",), lambda old: lambda s, row: -1),
}
UNDER = {
    "equal leaves are told apart": "fair-tree",
    "the children of equals are apart": "fair-tree",
    "parts of the shares are not compared": "fair-tree",
    "what rounding leaves is nobody's": "quota",
    "history makes no difference": "quota",
    "the emptier queue comes last": "quota",
    "a claimant takes what others deserve": "quota",
    "any priority preempts": "quota",
    "no quota keeps back what nobody may stop": "quota",
    "nothing is spared": "quota",
}  # of a policy other than budgets


class Noticed(Exception):
    """A run shows that a rule is broken."""


def noticed(case: Case) -> str:
    """Return the first sign that something is wrong with a run; empty where there is none."""
    try:
        log = drive(Engine(case.scenario, case.table), case.scenario.horizon, case.happenings)
    except Exception as failure:  # noqa: BLE001 - a broken kernel may fail in any way
        return f"the run fails: {failure!r}"
    if violations := check(build(case.scenario, case.table, log)):
        return f"law {violations[0].law}: {violations[0].text}"
    if log.idle[:, int(IdleCause.UNEXPLAINED)].sum():
        return "law 5: an idle GPU is unexplained"
    if parts := differences(log, Reference(case.scenario, case.table).run(case.happenings)):
        return f"the reference: {parts[0]}"
    return ""


def main(name: str) -> int:
    """Break the rule of this name and look for a run that shows it."""
    function, modules, instead = MUTATIONS.get(name, ("", (), lambda old: old))
    for module in modules:
        of = importlib.import_module(f"allotment.kernel.{module}")
        setattr(of, function, instead(getattr(of, function)))

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        cases(
            UNDER.get(name, "budgets"),
            **({"passes": 150, "fewest": 25} if name in LONG else {"passes": 40, "fewest": 6}),
        )
    )
    def look(case: Case) -> None:
        if sign := noticed(case):
            raise Noticed(sign)

    try:
        look()
    except Noticed as sign:
        sys.stdout.write(f"{sign}\n")
        return 0
    sys.stdout.write("nothing noticed it\n")
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
