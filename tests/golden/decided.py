"""All that was decided in a few small runs, as text.

``python -m tests.golden.decided write`` (in the root of the checkout) rewrites the tables after a change that was meant
to change them; read the difference before keeping it. Without ``write`` it prints a digest of each whole run.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from pathlib import Path

import attrs

from allotment.kernel.log import Log
from allotment.model.codes import DecisionCode, Reason
from allotment.presets import load_policy, load_scenario
from allotment.scenario import Scenario
from allotment.workload.generate import generate
from allotment.world.run import run

HERE = Path(__file__).parent
RUNS = ("budgets", "priority", "fifo", "fair-tree")  # the first on nodes that break


def scenario(name: str) -> Scenario:
    """Return the one scenario of this folder under a policy that ships."""
    given = load_scenario(HERE / "scenario.yaml")
    if name == RUNS[0]:
        return given
    return attrs.evolve(given, policy=load_policy(name), cluster=attrs.evolve(given.cluster, health=None))


def log_of(name: str) -> Log:
    of = scenario(name)
    return run(of, generate(of.workload, of.plan, of.cluster, of.start, of.horizon, of.seed)).log


def decisions(log: Log) -> str:
    """Return the decisions as CSV: times in s, GPU time in GPU-s, codes as words, plan nodes by id, none as nothing."""
    names = log.decisions.dtype.names or ()
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(names)
    for row in log.decisions.tolist():
        said = dict(zip(names, row, strict=True))
        said["code"] = DecisionCode(said["code"]).name.lower()
        said["reason"] = Reason(said["reason"]).name.lower()
        said["level"] = log.tree_ids[said["level"]] if said["level"] >= 0 else ""
        unknown = said["entitled"] == -1
        lines.writerow(
            "" if (said[name] == -1 and name != "headroom") or (name == "headroom" and unknown) else said[name]
            for name in names
        )
    return text.getvalue()


def digest(log: Log) -> str:
    """Return one digest of everything in a log."""
    total = hashlib.sha256()
    for name in (
        "jobs",
        "slices",
        "segments",
        "placements",
        "decisions",
        "capacity",
        "idle",
        "epoch_time",
        "epoch_share",
    ):
        array = getattr(log, name)
        total.update(name.encode())
        for column in array.dtype.names or [None]:
            total.update((array[column] if column else array).astype("<i8").tobytes())
    total.update(repr((log.tree_ids, log.horizon, log.passes, log.events)).encode())
    return total.hexdigest()


def main() -> None:
    for name in RUNS:
        log = log_of(name)
        if sys.argv[1:] == ["write"]:
            (HERE / f"{name}.csv").write_text(decisions(log), encoding="utf-8", newline="\n")
        print(name, digest(log))  # noqa: T201


if __name__ == "__main__":
    main()
