"""Law 1, for every policy: nodes, gangs and jobs.

No node ever runs more GPUs than it has; a gang runs whole or not at all; no job runs twice at once; nothing lasts for
zero seconds.
"""

from __future__ import annotations

import numpy as np

from allotment.results.laws.facts import Facts, Violation, report


def no_node_over_its_gpus(facts: Facts) -> list[Violation]:
    """Sweep every node through time."""
    per_node = facts.scenario.cluster.gpus_per_node
    of, node = facts.ints("placements", "slice"), facts.ints("placements", "node")
    gang = facts.ints("slices", "nodes")[of] > 1
    gpus = np.where(gang, per_node, facts.ints("slices", "take")[of])
    time = np.concatenate([facts.ints("slices", "start")[of], facts.ints("slices", "end")[of]])
    change = np.concatenate([gpus, -gpus])
    order = np.lexsort((change, time, np.tile(node, 2)))  # at one second what ends comes first
    running = np.cumsum(change[order])  # back at 0 where the next node begins
    over = np.flatnonzero(running > per_node)
    placed = order[over] % max(len(of), 1)

    def say(row: int) -> str:
        at = int(np.flatnonzero(placed == row)[0])
        return (
            f"node {node[row]} runs {running[over[at]]} GPUs of its {per_node} from {time[order[over[at]]]} s on, "
            f"when slice {of[row]} starts"
        )

    return report(1, "placements", placed.astype(np.int64), say)


def gangs_whole(facts: Facts) -> list[Violation]:
    """Compare the nodes of every slice, and what it takes, with what its job asks for."""
    per_node = facts.scenario.cluster.gpus_per_node
    gpus = facts.ints("jobs", "gpus")
    need = np.maximum(-(-gpus // per_node), 1)
    takes = np.where(gpus > per_node, need * per_node, gpus)
    take = facts.ints("jobs", "take")
    found = report(
        1,
        "jobs",
        take != takes,
        lambda row: f"takes {take[row]} GPUs, not {takes[row]}, for the {gpus[row]} it asks for",
    )
    of, node = facts.ints("placements", "slice"), facts.ints("placements", "node")
    count = np.bincount(of, minlength=len(facts.job))
    said, wants = facts.ints("slices", "nodes"), need[facts.job]
    found += report(
        1,
        "slices",
        (count != wants) | (said != wants),
        lambda row: f"is placed on {count[row]} nodes and says {said[row]}; its job needs {wants[row]}",
    )
    holds, due = facts.ints("slices", "take"), takes[facts.job]
    found += report(1, "slices", holds != due, lambda row: f"holds {holds[row]} GPUs; its job takes {due[row]}")
    order = np.lexsort((node, of))
    twice = order[1:][(np.diff(of[order]) == 0) & (np.diff(node[order]) == 0)]
    return found + report(1, "placements", twice, lambda row: f"slice {of[row]} is on node {node[row]} twice")


def no_job_twice_at_once(facts: Facts) -> list[Violation]:
    """Compare each slice with the next one of its job."""
    start, end = facts.ints("slices", "start"), facts.ints("slices", "end")
    order = np.lexsort((start, facts.job))
    before, after = order[:-1], order[1:]
    clash = (facts.job[before] == facts.job[after]) & (start[after] < end[before])
    rows, others = after[clash], before[clash]
    job = facts.ints("slices", "job")

    def say(row: int) -> str:
        other = others[np.flatnonzero(rows == row)[0]]
        return f"job {job[row]} starts at {start[row]} s while its slice {other} runs until {end[other]} s"

    return report(1, "slices", rows, say)


def nothing_lasts_zero_seconds(facts: Facts) -> list[Violation]:
    """Look at the length of every slice and segment."""
    return _lasts(facts, "slices", "start") + _lasts(facts, "segments", "begin")


def _lasts(facts: Facts, table: str, first: str) -> list[Violation]:
    begin, end = facts.ints(table, first), facts.ints(table, "end")
    return report(1, table, end <= begin, lambda row: f"lasts from {begin[row]} s to {end[row]} s")
