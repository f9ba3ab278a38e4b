from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from allotment.results import waiting
from allotment.results.survival import curve

KINDS = ["batch", "debug", "training"]
job = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(KINDS),
        "leaf": st.sampled_from(["a", "a/own", "b"]),
        "take": st.sampled_from([1, 2, 4, 8, 16, 256]),
        "submit": st.integers(0, 20),
        "waited": st.integers(0, 50),
        "started": st.booleans(),
        "closed": st.booleans(),
    }
)


def table(rows):
    jobs = pd.DataFrame(rows, columns=["kind", "leaf", "take", "submit", "waited", "started", "closed"])
    jobs["wait"] = jobs["waited"].astype("Int64").where(jobs["started"].astype(bool))
    kinds = {"take": "int32", "submit": "int64", "waited": "int64", "closed": "bool", "leaf": "category"}
    return jobs.astype(kinds).astype({"kind": pd.CategoricalDtype(KINDS)})


def plainly(name, rows):
    waited = np.array([row["waited"] for row in rows], np.int64)
    over = curve(waited, np.array([row["started"] for row in rows], bool))
    return waiting.Wait(
        of=name,
        n=len(rows),
        censored=sum(not row["started"] for row in rows),
        p50=over.quantile(0.5),
        p90=over.quantile(0.9),
        comparable=not any(row["closed"] for row in rows),
    )


@given(st.lists(job, max_size=40))
def test_each_group_has_the_figures_of_its_own_jobs(rows):
    jobs, counted = table(rows), [row for row in rows if row["submit"] >= 10]
    by_kind = [plainly(kind, [row for row in counted if row["kind"] == kind]) for kind in KINDS]
    assert waiting.by_kind(jobs, 10) == [*by_kind, plainly("all", counted)]
    leaves = sorted({row["leaf"] for row in counted})
    assert waiting.by_leaf(jobs, 10) == [
        plainly(leaf, [row for row in counted if row["leaf"] == leaf]) for leaf in leaves
    ]
    pairs = sorted({(row["leaf"], row["kind"]) for row in counted})
    assert waiting.by_leaf_and_kind(jobs, 10) == {
        (leaf, kind): plainly(
            f"{kind} of {leaf}", [row for row in counted if (row["leaf"], row["kind"]) == (leaf, kind)]
        )
        for leaf, kind in pairs
    }
    sizes = sorted({row["take"] for row in counted if row["take"] >= 4})
    assert waiting.by_size(jobs, 10, gpus_per_node=4) == [
        plainly(str(size), [row for row in counted if row["take"] == size]) for size in sizes
    ]
    assert waiting.of_all(jobs, 10, only_open=True) == plainly("all", [row for row in counted if not row["closed"]])


def test_on_nodes_of_one_gpu_a_gang_has_two():
    alone = {"kind": "batch", "leaf": "a", "take": 1, "submit": 0, "waited": 1, "started": True, "closed": False}
    assert [wait.of for wait in waiting.by_size(table([alone, alone | {"take": 2}]), 0, gpus_per_node=1)] == ["2"]
