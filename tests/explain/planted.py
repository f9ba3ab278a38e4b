"""Small situations in which a job waits or is stopped for one reason that can be worked out on paper.

All are on four nodes of eight GPUs (32), for a day, under a pass every 30 s. Under `budgets` nobody has been there for a day
yet, so a share of the cluster is owed 32 GPUs x 24 h x share at any moment of it: 384 GPU-hours for a half.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import attrs

from allotment.presets import load_scenario
from allotment.presets.simulate import simulate
from allotment.results.result import Result
from allotment.units import HOUR, MINUTE

HALVES = "{id: vision, share: 0.5}, {id: speech, share: 0.4}"
COLUMNS = (
    "job_id",
    "team",
    "submit_s",
    "gpus",
    "duration_s",
    "min_runtime_s",
    "priority",
    "resumable",
    "checkpoint_s",
    "limit_s",
)


@attrs.frozen(kw_only=True)
class Planted:
    """A situation, the job that is asked about (the row), and what must be said of it."""

    name: str
    jobs: tuple[dict[str, Any], ...]
    asked: int
    cause: str
    """The code of the first line."""
    remedy: dict[str, Any] | None
    """The code of the cheapest remedy and the parameters that matter; None where waiting is the answer."""
    plan: str = HALVES
    policy: str = "budgets"


def job(team: str, gpus: int, hours: float, *, at: int = 0, asks: float = 0, **more: Any) -> dict[str, Any]:
    """Return a row: GPUs, hours of work, and the hours of minimum runtime that it asks for."""
    row = {
        "team": team,
        "gpus": gpus,
        "duration_s": int(hours * HOUR),
        "submit_s": at,
        "min_runtime_s": int(asks * HOUR),
    }
    return {"priority": "normal", "resumable": "no", "checkpoint_s": "", "limit_s": "", **row, **more}


def write(of: Planted, folder: Path) -> Path:
    """Write a situation as a scenario and its jobs, and return where."""
    with (folder / f"{of.name}.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS)
        rows.writeheader()
        rows.writerows({"job_id": number, **row} for number, row in enumerate(of.jobs))
    path = folder / f"{of.name}.yaml"
    path.write_text(
        f"format: 1\nname: {of.name}\ncluster: 4x8\npolicy: {of.policy}\nwarmup: 0s\nmeasured: 24h\n"
        f"plan: {{name: teams, children: [{of.plan}]}}\n"
        f"workload: [{{type: recorded, name: jobs, path: {of.name}.csv, contract: none}}]\n",
        encoding="utf-8",
    )
    return path


def run(of: Planted, folder: Path) -> Result:
    """Return what happens."""
    return simulate(load_scenario(str(write(of, folder))))


def filled(team: str, gpus: int, hours: float, asks: float) -> tuple[dict[str, Any], ...]:
    """Return four jobs that hold so many GPUs of each node."""
    return tuple(job(team, gpus, hours, asks=asks) for _ in range(4))


LATER = 10 * MINUTE
SITUATIONS = (
    Planted(
        name="limit",
        plan="{id: vision, share: 0.5, allocated_limit: 8, unallocated_limit: 0}, {id: speech, share: 0.4}",
        jobs=(job("vision", 6, 8, asks=8), job("vision", 4, 1, asks=1, at=LATER)),
        asked=1,
        cause="slot_limit",
        remedy={"code": "if_gpus", "gpus": 2},
    ),
    Planted(
        name="too-large-so-far",
        plan="{id: interns, share: 0.02}, {id: speech, share: 0.4}",
        jobs=(*filled("speech", 8, 10, 0), job("interns", 8, 2, asks=8, at=LATER)),
        asked=4,
        cause="too_large_now",
        remedy={"code": "if_min_runtime", "min_runtime": 110 * MINUTE},
    ),
    Planted(
        name="too-large",
        plan="{id: interns, share: 0.02}, {id: speech, share: 0.4}",
        jobs=(*filled("speech", 8, 10, 0), job("interns", 16, 2, asks=8, at=LATER)),
        asked=4,
        cause="too_large",
        remedy={"code": "if_min_runtime", "min_runtime": 55 * MINUTE},
    ),
    Planted(
        name="over-budget",
        plan="{id: lab, share: 0.05}, {id: speech, share: 0.4}",
        jobs=(
            job("lab", 4, 8, asks=8),
            job("speech", 4, 10),
            *filled("speech", 8, 10, 0)[:3],
            job("lab", 4, 1.4, asks=4, at=LATER),
        ),
        asked=5,
        cause="headroom",
        remedy={"code": "if_min_runtime", "min_runtime": 90 * MINUTE},
    ),
    Planted(
        name="sibling",
        jobs=(
            *filled("speech", 8, 8, 8),
            job("vision", 8, 1, asks=1, at=LATER),
            job("vision", 8, 1, asks=1, at=2 * LATER),
        ),
        asked=5,
        cause="behind",
        remedy={"code": "if_nodes"},
    ),
    Planted(
        name="no-room",
        jobs=(*filled("speech", 8, 8, 8), job("vision", 8, 1, asks=1, at=LATER)),
        asked=4,
        cause="no_room_funded",
        remedy={"code": "if_nodes"},
    ),
    Planted(
        name="fragmented",
        jobs=(*filled("speech", 5, 8, 8), job("vision", 8, 1, asks=1, at=LATER)),
        asked=4,
        cause="fragment_funded",
        remedy={"code": "if_gpus", "gpus": 3},
    ),
    Planted(
        name="gang",
        jobs=(*filled("speech", 5, 8, 8), job("vision", 16, 1, asks=1, at=LATER)),
        asked=4,
        cause="holding",
        remedy={"code": "if_gpus", "gpus": 3},
    ),
    Planted(
        name="held",
        jobs=(
            *filled("speech", 5, 4, 4),
            *filled("speech", 3, 12, 0),
            job("vision", 32, 1, asks=1, at=LATER),
            job("vision", 2, 3, asks=8, at=2 * LATER),
        ),
        asked=9,
        cause="held",
        remedy={"code": "if_min_runtime", "min_runtime": 220 * MINUTE},
    ),
    Planted(
        name="no-contract",
        jobs=(*filled("speech", 8, 8, 2), job("vision", 8, 1, at=LATER)),
        asked=4,
        cause="no_contract",
        remedy={"code": "if_min_runtime"},
    ),
    Planted(
        name="stopped-balance",
        jobs=(*filled("speech", 8, 8, 1), job("vision", 8, 6, asks=8, at=7 * HOUR)),
        asked=0,
        cause="stopped_balance",
        remedy={"code": "if_resumable"},
    ),
    Planted(
        name="stopped-unallocated",
        jobs=(*filled("speech", 8, 8, 0), job("vision", 8, 1, asks=1, at=7 * HOUR)),
        asked=0,
        cause="stopped_unallocated_first",
        remedy={"code": "if_resumable"},
    ),
    Planted(
        name="stopped-priority",
        policy="priority",
        jobs=(*filled("speech", 8, 8, 0), job("vision", 8, 1, at=7 * HOUR, priority="urgent")),
        asked=0,
        cause="stopped_priority",
        remedy={"code": "if_resumable"},
    ),
    Planted(
        name="reserved",
        policy="fifo",
        jobs=(
            *filled("speech", 5, 8, 0),
            job("vision", 32, 1, at=LATER),
            job("vision", 3, 1, at=2 * LATER, limit_s=12 * HOUR),
        ),
        asked=5,
        cause="reserved",
        remedy={"code": "if_limit", "limit": 460 * MINUTE},
    ),
    Planted(
        name="strict",
        policy="fifo-strict",
        jobs=(*filled("speech", 5, 8, 0), job("vision", 8, 1, at=LATER), job("speech", 3, 1, at=2 * LATER)),
        asked=5,
        cause="behind_rank",
        remedy={"code": "if_nodes"},
    ),
)
