"""How a job ran at a moment at which it did not wait."""

from __future__ import annotations

from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Subject
from allotment.model.policy import Policy
from allotment.results.result import Result


def run_at(result: Result, of: Subject, time: int, policy: Policy) -> Reason | None:
    """Return in which state a job held GPUs at a moment (s from the start), and for how long that was sure; None if it did not."""
    slices = result.slices
    rows = (
        (slices["job"] == of.job).to_numpy() & (slices["start"] <= time).to_numpy() & (slices["end"] > time).to_numpy()
    )
    if not rows.any():
        return None
    number, segments = int(slices["slice"].to_numpy()[rows][0]), result.segments
    mine = segments[(segments["slice"] == number).to_numpy() & (segments["begin"] <= time).to_numpy()].iloc[-1]
    state = str(mine["state"])
    if state == "protected" and policy.contracts is not None:
        begun = int(mine["begin"])
        return reason("runs_protected", gpus=of.gpus, until=begun + of.min_runtime)
    if policy.contracts is None:
        return reason(
            "runs_to_its_end" if state == "protected" and policy.quotas is None else "runs_lower", gpus=of.gpus
        )
    return reason(f"runs_{state}", gpus=of.gpus)
