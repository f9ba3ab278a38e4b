"""Who comes first: the first term in which two ranks differ, read from what stood in the tables at that moment.

The terms are those of the policy, in its order; ratios are compared as fractions. Nothing of the scheduler's own
comparisons is used, so that the tests can hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from allotment.explain.reasons import Reason, reason
from allotment.kernel.glance import Glance
from allotment.kernel.queues import HOLDER
from allotment.model.policy import Key, Lending, Match, Policy

INFINITE = float("inf")
LAST = 1 << 30  # the partition of what none matches


def ratio(part: int, whole: int) -> Fraction | float:
    """Return part / whole, exact; infinite without a whole.

    >>> ratio(1, 4), ratio(3, 0)
    (Fraction(1, 4), inf)
    """
    return Fraction(int(part), int(whole)) if whole > 0 else INFINITE


def number(value: Fraction | float) -> float | None:
    """Return a ratio as a number that JSON can hold; None stands for infinite."""
    return None if value == INFINITE else float(value)


@attrs.frozen(kw_only=True, eq=False)
class Line:
    """Everything that waits at one moment, and by what it is ordered."""

    glance: Glance
    policy: Policy
    paths: Sequence[str]
    """Of the plan nodes, by row."""
    per_node: int
    """GPUs of one node."""
    use: Any
    """GPU-seconds held in the window, charged or not, by plan node."""

    def fork(self, a: int, b: int) -> tuple[int, int]:
        """Return the children, on either side, of the first common ancestor of two plan nodes."""
        tree = self.glance.tree
        while tree["depth"][a] > tree["depth"][b]:
            a = int(tree["parent"][a])
        while tree["depth"][b] > tree["depth"][a]:
            b = int(tree["parent"][b])
        while tree["parent"][a] != tree["parent"][b]:
            a, b = int(tree["parent"][a]), int(tree["parent"][b])
        return a, b

    def levels(self, job: int) -> list[int]:
        """Return the plan nodes above a job, from its budget to its leaf."""
        node, found = int(self.glance.jobs["leaf"][job]), []
        while self.glance.tree["parent"][node] >= 0:
            found.append(node)
            node = int(self.glance.tree["parent"][node])
        return found[::-1]

    def siblings(self, node: int) -> list[int]:
        """Return a plan node and its siblings, in the order of their ids."""
        return np.flatnonzero(self.glance.tree["parent"] == self.glance.tree["parent"][node]).tolist()

    def balance(self, node: int) -> Fraction | float:
        """Return (used + committed) / entitled of a plan node."""
        v = self.glance.tree[node]
        return ratio(max(int(v["used"] + v["committed"]), 0), v["entitled"])

    def spent(self, node: int) -> Fraction | float:
        """Return all use in the window, charged or not, over entitled."""
        return ratio(int(self.use[node]), self.glance.tree[node]["entitled"])

    def fair_share(self, node: int) -> Fraction | float:
        """Return the level fair share: the part of the siblings' shares over the part of their use."""
        tree = self.glance.tree
        v, up = tree[node], tree[tree[node]["parent"]]
        if v["share"] == 0:
            return Fraction(0)
        return ratio(int(v["share"]) * int(up["used"]), int(up["child_shares"]) * int(v["used"]))

    def funded(self, job: int) -> bool:
        """Tell whether the claim of a job fits in what is left at every level that counts."""
        contracts, tree, j = self.policy.contracts, self.glance.tree, self.glance.jobs[job]
        if contracts is None or j["min_runtime"] == 0 or tree[j["leaf"]]["entitled"] == 0:
            return False
        v, short = tree[j["leaf"]], j["min_runtime"] <= contracts.short
        only = (v["saving_take"], v["saving_runtime"])
        if v["saving"] and not short and (j["gpus"], j["min_runtime"]) != only:
            return False
        lent = contracts.lending is Lending.ALWAYS
        if contracts.lending is Lending.IDLE_KIN:
            lent = bool(tree[v["budget"]]["lenders"] == v["spare"])
        counting = self.levels(job)[:1] if short or lent else self.levels(job)
        claim = int(j["gpus"]) * int(j["min_runtime"])
        kept = 0 if short else contracts.reserve
        return all(claim <= tree[node]["headroom"] - int(int(tree[node]["entitled"]) * kept) for node in counting)

    def partition(self, job: int) -> int:
        """Return the number of the first partition that holds a job."""
        for place, partition in enumerate(self.policy.partitions):
            if partition.match is Match.ALL or (partition.match is Match.FUNDED) == self.funded(job):
                return place
        return LAST

    def ahead(self, job: int) -> list[int]:
        """Return the waiting jobs that come before one, in no order; every one of an earlier partition does."""
        others = self.glance.waiting.tolist()
        return [other for other in others if other != job and self.compare(other, job)[0] < 0]

    def first(self, jobs: Sequence[int]) -> int:
        """Return the job that comes before all others of some."""
        best = jobs[0]
        for job in jobs[1:]:
            if self.compare(job, best)[0] < 0:
                best = job
        return best

    def compare(self, a: int, b: int) -> tuple[int, Reason]:
        """Return -1 where job `a` comes before job `b`, 1 where it comes after, and why."""
        holds = [self.glance.jobs["place"][job] == HOLDER for job in (a, b)]
        if holds[0] != holds[1]:
            return _told(a, b, -1 if holds[0] else 1, "holder", {})
        places = self.partition(a), self.partition(b)
        if places[0] != places[1]:
            return _told(a, b, -1 if places[0] < places[1] else 1, "partition", {})
        keys = self.policy.partitions[places[0]].keys if places[0] != LAST else ()
        for key in keys:
            order, values = self._term(key, a, b)
            if order:
                return _told(a, b, order, key.name.lower(), values)
        return _told(a, b, -1 if a < b else 1, "id", {})

    def _term(self, key: Key, a: int, b: int) -> tuple[int, dict[str, Any]]:
        """Return how one term orders two jobs, and its values on either side."""
        x, y = self.glance.jobs[a], self.glance.jobs[b]
        plain = {Key.PRIORITY: ("priority", -1), Key.AGE: ("submit", 1), Key.MIN_RUNTIME: ("min_runtime", 1)}
        plain |= {Key.SIZE: ("gpus", 1), Key.RETRY: ("restarts", -1)}
        if key in plain:
            name, sign = plain[key]
            return sign * _order(int(x[name]), int(y[name])), {"a": int(x[name]), "b": int(y[name])}
        if x["leaf"] == y["leaf"]:
            return 0, {}
        u, v = self.fork(int(x["leaf"]), int(y["leaf"]))
        of = {"x": self.paths[u], "y": self.paths[v], "above": self.paths[int(self.glance.tree["parent"][u])]}
        if key is Key.BALANCE:
            p, q = self.balance(u), self.balance(v)
            return _order(p, q) or _order(u, v), {**of, "a": number(p), "b": number(q)}
        if key is Key.LEVEL_FAIR_SHARE:
            standing = self.glance.tree["standing"]
            values = {"a": number(self.fair_share(u)), "b": number(self.fair_share(v))}
            return _order(int(standing[x["leaf"]]), int(standing[y["leaf"]])), {**of, **values}
        if key is Key.FAIR_GPUS:
            return self._fair_gpus(u, v, int(x["gpus"]), int(y["gpus"])), {**of, **self._fair(u, v)}
        return self._use(int(x["leaf"]), int(y["leaf"]))

    def _use(self, u: int, v: int) -> tuple[int, dict[str, Any]]:
        p, q = self.spent(u), self.spent(v)
        order = _order(p, q) or (_order(int(self.use[u]), int(self.use[v])) if p == INFINITE else 0)
        values = {"x": self.paths[u], "y": self.paths[v], "a": number(p), "b": number(q)}
        return order or _order(u, v), values

    def _fair(self, u: int, v: int) -> dict[str, Any]:
        x, y = self.glance.tree[u], self.glance.tree[v]
        return {"a": int(x["allocated"]), "b": int(y["allocated"]), "c": int(x["fair"]), "d": int(y["fair"])}

    def _fair_gpus(self, u: int, v: int, a: int, b: int) -> int:
        """Order two siblings under quotas, each with its best job of so many GPUs: see *Ordering* in `kernel/RULES.md`."""
        terms = []
        for node, gpus in ((u, a), (v, b)):
            of = self.glance.tree[node]
            held, quota, fair = int(of["allocated"]), int(of["quota"]), int(of["fair"])
            most = max(quota, fair)
            if self.policy.slot_limits and of["allocated_limit"] >= 0:
                most = min(most, int(of["allocated_limit"]))
            with_it, without = ratio(held + gpus, max(most, 1)), ratio(held, max(most, 1))
            terms.append((held > fair, held + gpus > quota, most == 0, with_it, without, most, node))
        return -1 if terms[0] < terms[1] else 1


def _order(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def _told(a: int, b: int, order: int, term: str, values: dict[str, Any]) -> tuple[int, Reason]:
    """Return an order and its reason, told from the side of the one that comes first."""
    if order > 0:
        swapped = {"a": "b", "b": "a", "x": "y", "y": "x", "c": "d", "d": "c"}
        values = {swapped.get(name, name): value for name, value in values.items()}
    first, second = (a, b) if order < 0 else (b, a)
    return order, reason(f"before_{term}", first=first, second=second, **values)
