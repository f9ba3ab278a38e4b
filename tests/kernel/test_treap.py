"""Queues against sorted lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.kernel.layout import JOB
from tests.laws.books import in_order, treap_faults

MOST = 24
rows = st.tuples(st.integers(-2, 2), st.integers(0, 3), st.integers(0, 1), st.integers(0, 30))


class Model:
    """A queue as a treap and as a list."""

    def __init__(self, plain, given_rows, heat):
        self.treap = plain.treap
        self.jobs = np.zeros(len(given_rows), JOB).view(np.recarray)
        for name in ("left", "right", "parent"):
            self.jobs[name] = -1
        for name, column in zip(("key0", "key1", "key2", "plan"), zip(*given_rows, strict=True), strict=True):
            self.jobs[name] = column
        self.jobs.heat = heat
        self.root = -1
        self.inside: list[int] = []

    def rank(self, job):
        j = self.jobs[job]
        return (j.key0, j.key1, j.key2, job)

    def toggle(self, job):
        if job in self.inside:
            self.inside.remove(job)
            self.root = self.treap.remove(self.jobs, self.root, job)
        else:
            self.inside.append(job)
            self.root = self.treap.insert(self.jobs, self.root, job)

    def check(self, bound):
        due = sorted(self.inside, key=self.rank)
        assert in_order(self.jobs, self.root) == due
        assert list(treap_faults(self.jobs, self.root)) == []
        assert self.treap.first(self.jobs, self.root) == (due[0] if due else -1)
        within = [job for job in due if self.jobs[job].plan <= bound]
        assert self.treap.first_within(self.jobs, self.root, bound) == (within[0] if within else -1)


@settings(deadline=None)
@given(data=st.data())
def test_a_queue_is_in_order_and_finds_its_first_whatever_comes_and_goes(plain, data):
    count = data.draw(st.integers(1, MOST))
    heat = data.draw(st.permutations(range(count)))
    model = Model(plain, data.draw(st.lists(rows, min_size=count, max_size=count)), heat)
    for job in data.draw(st.lists(st.integers(0, count - 1), max_size=60)):
        model.toggle(job)
        model.check(data.draw(st.integers(-1, 31)))
