"""What was typed after `allotment simulate`, and what in it does not go together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations

import attrs

CHANGE = {
    "plan": "to try other shares with the same jobs, add --share TEAM=SHARE; to change more, copy its file, where streams "
    "with 'spread: share' then follow the new shares",
    "cluster": "to change it, copy its file",
}


@attrs.frozen(kw_only=True)
class Asked:
    """What was typed after `allotment simulate`, None or empty where nothing was."""

    scenarios: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    days: int | None = None
    demand: float | None = None
    shares: tuple[str, ...] = ()
    trace: str | None = None
    cluster: str | None = None
    plan: str | None = None
    out: str | None = None
    force: bool = False


def contradictions(asked: Asked) -> Iterator[str]:
    """Yield what does not go together in what was typed."""
    if not asked.scenarios and asked.trace is None:
        yield "name a scenario, such as 'reference-month' ('allotment presets' lists them), or a recording with --trace"
    if asked.scenarios and asked.trace is not None:
        given = ", ".join(repr(name) for name in asked.scenarios)
        yield f"--trace makes a scenario of its own; leave out {given} or --trace {asked.trace!r}"
    if asked.trace is not None and asked.cluster is None:
        yield "--trace needs a cluster to run on; add --cluster with a preset, a file, or a size such as 64x8"
    if asked.trace is not None and asked.demand is not None:
        yield "--demand is for jobs that are made up; those of --trace are as they were recorded"
    for name in ("cluster", "plan"):
        if asked.trace is None and (value := getattr(asked, name)) is not None:
            yield f"--{name} {value!r} goes with --trace; a scenario has its own ({CHANGE[name]})"
    yield from _odd_shares(asked)
    if asked.force and asked.out is None:
        yield "--force is about the folder of --out, and none is given"
    if asked.days is not None and asked.days < 1:
        yield f"--days must be at least 1, not {asked.days}"
    for seed in asked.seeds:
        if seed < 0:
            yield f"--seed must be at least 0, not {seed}"
    for one, other in combinations(asked.scenarios, 2):
        if one != other and os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other):  # noqa: PTH110, PTH121
            yield f"scenario {one} and {other} are one file"
    for what, typed in (("scenario", asked.scenarios), ("--policy", asked.policies), ("--seed", asked.seeds)):
        for value in sorted({str(value) for value in typed if typed.count(value) > 1}):
            yield f"{what} {value} is there twice"


def _odd_shares(asked: Asked) -> Iterator[str]:
    for text in asked.shares:
        node, sign, share = text.rpartition("=")
        if not (sign and node and share):
            yield f"--share {text!r} must be a plan node and its new share, such as --share vision=0.3"
    nodes = [text.rpartition("=")[0] for text in asked.shares]
    for node in sorted({node for node in nodes if node and nodes.count(node) > 1}):
        yield f"--share of {node!r} is there twice"
