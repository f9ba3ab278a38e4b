"""What an engine's log and the slow reference say about one run, row for row."""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.kernel.log import Log
from allotment.model.codes import DecisionCode
from tests.laws.reference import Reference

LOOSE = (DecisionCode.PREEMPT, DecisionCode.GIVE_UP, DecisionCode.DEMOTE)  # victims are a set, whatever their order
FIELDS = ("code", "reason", "level", "job", "slice", "other_job", "claim", "headroom", "used", "entitled")
MORE = ("other_used", "other_entitled", "lost")


def differences(log: Log, reference: Reference) -> list[str]:
    """Return where the two part, the first moment of each kind; nothing where they agree in all that was decided."""
    found = _first("decision", _decided(log), _decided_by(reference))
    found += _first("slice", _slices(log), _slices_of(reference))
    found += _first("job", _jobs(log), _jobs_of(reference))
    if log.passes != reference.passes:
        found.append(f"{log.passes} passes, not {reference.passes}")
    return found


def _first(what: str, got: list[Any], due: list[Any]) -> list[str]:
    for at in range(max(len(got), len(due))):
        a = got[at] if at < len(got) else None
        b = due[at] if at < len(due) else None
        if a != b:
            return [f"{what} {at}:\n  kernel    {a}\n  reference {b}"]
    return []


def _by_moment(rows: list[tuple[int, dict[str, int]]]) -> list[Any]:
    """Group decisions by moment: what is ordered in order, what is a set sorted."""
    moments: dict[int, tuple[list[Any], list[Any]]] = {}
    for time, row in rows:
        if row["code"] == DecisionCode.REFUSE:
            continue
        strict, loose = moments.setdefault(time, ([], []))
        fields = tuple((name, row[name]) for name in (*FIELDS, *MORE))
        (loose if row["code"] in LOOSE else strict).append(fields)
    return [(time, strict, sorted(loose)) for time, (strict, loose) in sorted(moments.items())]


def _decided(log: Log) -> list[Any]:
    names = log.decisions.dtype.names or ()
    rows = [dict(zip(names, row, strict=True)) for row in log.decisions.tolist()]
    return _by_moment([(row["time"], row) for row in rows])


def _decided_by(reference: Reference) -> list[Any]:
    return _by_moment([(row["time"], row) for row in reference.decisions])


def _slices(log: Log) -> list[Any]:
    nodes = [log.placements["node"][log.placements["slice"] == row].tolist() for row in range(len(log.slices))]
    order = np.lexsort((log.segments["begin"], log.segments["slice"]))
    segments: dict[int, list[tuple[int, int, int]]] = {}
    for row in log.segments[order].tolist():
        segments.setdefault(row[0], []).append(row[1:])
    return [(*row, nodes[at], segments.get(at, [])) for at, row in enumerate(log.slices.tolist())]


def _slices_of(reference: Reference) -> list[Any]:
    return [
        (
            r.job.row,
            r.start,
            r.end,
            int(r.code),
            r.for_job,
            r.overhead,
            r.kept,
            r.lost,
            r.job.take,
            len(r.nodes),
            list(r.nodes),
            [(int(state), begin, end) for state, begin, end in r.segments if end > begin],
        )
        for r in reference.slices
    ]


def _jobs(log: Log) -> list[Any]:
    names = ("submit", "first_start", "end", "state", "queued", "done", "lost", "slices", "take", "too_large")
    return log.jobs[list(names)].tolist()


def _jobs_of(reference: Reference) -> list[Any]:
    return [
        (j.submit, j.first_start, j.end, int(j.state), j.queued, j.done, j.lost, j.slices, j.take, j.too_large)
        for j in reference.jobs
    ]
