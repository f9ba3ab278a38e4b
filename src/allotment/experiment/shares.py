"""What if a team had another share? The same jobs under a plan that is changed at the start.

To edit the plan in a copy of the scenario asks something else: streams with `spread: share` submit in proportion to the
share, so the team would not only be owed more but also want more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import attrs

from allotment.errors import InputError, NotFoundError
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.plan import Plan
from allotment.model.shares import exact_share, format_share
from allotment.scenario import Scenario

Shares = Mapping[str, Fraction | float | str]  # by id of a plan node, or by its path

AUTHOR, REASON = "what if", "other shares from the start, with the same jobs"


def with_shares(scenario: Scenario, shares: Shares) -> Scenario:
    """Return the scenario with other shares from the start on, and with the jobs of the plan as it was.

    The change is the first of its changesets, at second 0; jobs are drawn from `scenario.plan`, which stays. Nodes are
    named by id or by path. Raises InputError with everything that does not fit: names, shares, and the sums of siblings.

    >>> from allotment.presets import load_scenario
    >>> changed = with_shares(load_scenario("small-week"), {"climate": "0.6", "science/biology": 0.4})
    >>> [(change.id, str(change.share), str(change.old)) for change in changed.changesets[0].shares]
    [('climate', '3/5', '1/2'), ('biology', '2/5', '1/2')]
    """
    if not shares:
        return scenario
    problems: list[str] = []
    changes: dict[str, ShareChange] = {}
    for name, share in shares.items():
        try:
            node = scenario.plan.find(name)
            change = ShareChange(id=node.id, share=exact_share(share), old=node.share)
        except (NotFoundError, ValueError) as error:
            problems.append(f"{'' if isinstance(error, NotFoundError) else f'{name}: '}{error.args[0]}")
            continue
        if node.id in changes:
            problems.append(f"the share of {node.id!r} is given twice")
        changes[node.id] = change
    problems += _too_much(scenario.plan, changes)
    if problems:
        raise InputError(f"scenario {scenario.name!r}", problems)
    changeset = Changeset(time=0, author=AUTHOR, reason=REASON, shares=tuple(changes.values()))
    try:
        return attrs.evolve(scenario, changesets=(changeset, *scenario.changesets))
    except ValueError as error:  # a later changeset that does not fit any more
        raise InputError(f"scenario {scenario.name!r}", [str(error)]) from None


def _too_much(plan: Plan, changes: Mapping[str, ShareChange]) -> Iterator[str]:
    """Yield where siblings would sum to more than 1, with what they have."""
    for parent in ("root", *plan.ids):
        children = plan.children_of(parent)
        if not any(child.id in changes for child in children):
            continue
        now = {child.id: changes[child.id].share if child.id in changes else child.share for child in children}
        total = sum(now.values(), start=Fraction(0))
        if total > 1:
            listed = ", ".join(f"{name} {format_share(share)}" for name, share in now.items())
            of = "the budgets" if parent == "root" else f"the children of {parent!r}"
            yield f"{of} would sum to {format_share(total)} ({listed}); give others less, as siblings sum to at most 1"
