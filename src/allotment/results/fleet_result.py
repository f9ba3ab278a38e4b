"""What the simulation of a fleet gives: a result for each member, where portable jobs went, and the figures of the phases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pandas as pd

from allotment.fleet import Fleet
from allotment.results import phases
from allotment.results.phases import Figures, Part, figures, spans
from allotment.results.result import Result
from allotment.results.waiting import Wait
from allotment.units import DAY
from allotment.world.fleet import FleetOutcome
from allotment.world.portable import FleetJobs

ALL = "all"


@attrs.frozen(kw_only=True)
class Row:
    """The figures of one part of the measured time.

    Of a member: a phase under one policy. Of the fleet (`member` is empty): a stage between two switches anywhere, with how
    many members had `switched` at its beginning, and last all of it (`policy` is then `all`).
    """

    member: str
    policy: str
    begin: int
    end: int
    switched: int
    figures: Figures


@attrs.frozen(kw_only=True)
class Went:
    """Where the portable jobs of a stage went, by the members' names, how many were not at home there, and their wait."""

    begin: int
    end: int
    jobs: Mapping[str, int]
    moved: int
    wait: Wait


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FleetResult:
    """One run of a fleet.

    The scenario of a member's result is what came to that member; which portable jobs left it, or came from elsewhere, is
    in `portable`, and is no part of it: simulated alone, it gives the result of a fleet in which nothing is portable.
    """

    fleet: Fleet
    """All that decided the run."""
    members: dict[str, Result]
    """The result of each member, by name, in the order of the fleet."""
    portable: pd.DataFrame
    """One row a portable job: where it came from and where it went (columns: `PORTABLE`)."""
    rows: tuple[Row, ...]
    """The figures: those of the members by phase, then those of the fleet by stage, and last those of all of it."""
    went: tuple[Went, ...]
    """Of the portable jobs, stage by stage, and last of all of the measured time."""

    def __repr__(self) -> str:
        """Say which run it is, without its rows."""
        of = self.fleet
        names = ", ".join(self.members)
        return (
            f"FleetResult({of.name!r}, arbitration={of.arbitration.name.lower()!r}, seed={of.seed}, members: {names})"
        )

    def by_day(self) -> pd.DataFrame:
        """Return how many portable jobs went to each member on each day (columns: `BY_DAY`), the warm-up included."""
        names = list(self.members)
        day = self.portable["submit"].to_numpy() // DAY
        days = -(-self.fleet.horizon // DAY)
        member = self.portable["member"].cat.codes.to_numpy()
        place = [list(self.portable["member"].cat.categories).index(name) for name in names]
        counts = np.zeros((days, max(len(names), 1)), np.int64)
        np.add.at(counts, (day, member), 1)
        return pd.DataFrame(
            {
                "day": np.repeat(np.arange(days, dtype=np.int32), len(names)),
                "member": pd.Categorical(names * days, categories=names),
                "jobs": counts[:, place].ravel(),
            }
        )

    def _counts(self) -> list[dict[str, int]]:
        """Return for each day, the first of all first, how many portable jobs went to each member."""
        counts = self.by_day()["jobs"].to_numpy().reshape(-1, len(self.members)).tolist()
        return [dict(zip(self.members, day, strict=True)) for day in counts]

    @property
    def summary(self) -> dict[str, Any]:
        """All figures as a plain dict that becomes JSON as it is: ratios are 0 to 1, times are seconds."""
        return {
            "fleet": self.fleet.name,
            "arbitration": self.fleet.arbitration.name.lower(),
            "seed": self.fleet.seed,
            "gpus": self.fleet.gpus,
            "warmup": self.fleet.warmup,
            "measured": self.fleet.measured,
            "phases": [_plain(row) for row in self.rows],
            "portable": [_plain_went(each) for each in self.went],
            "portable_by_day": self._counts(),
            "members": {name: result.summary for name, result in self.members.items()},
        }


def _plain(row: Row) -> dict[str, Any]:
    about = {name: getattr(row, name) for name in ("member", "policy", "begin", "end", "switched")}
    return {**about, "member": row.member or None, **phases.plain(row.figures)}


def _plain_went(each: Went) -> dict[str, Any]:
    found: dict[str, Any] = attrs.asdict(each)
    del found["wait"]["of"]
    return found


def gather(fleet: Fleet, jobs: FleetJobs, outcome: FleetOutcome, results: Mapping[str, Result]) -> FleetResult:
    """Return the result of a fleet out of those of its members."""
    ordered = {member.name: results[member.name] for member in fleet.members}
    portable = _portable(jobs, outcome, results)
    return FleetResult(
        fleet=fleet,
        members=ordered,
        portable=portable,
        rows=(*_of_members(ordered), *_of_fleet(fleet, ordered)),
        went=tuple(_went(portable, list(ordered), begin, end) for begin, end in _stages(fleet)),
    )


def _portable(jobs: FleetJobs, outcome: FleetOutcome, results: Mapping[str, Result]) -> pd.DataFrame:
    """Return the portable jobs, with what became of each where it went."""
    row = jobs.rows[outcome.chosen, np.arange(len(jobs))]
    frames = []
    for place, name in enumerate(jobs.names):
        here = np.flatnonzero(outcome.chosen == place)
        of = results[name].jobs.set_index("job").loc[row[here]]
        columns = ("kind", "leaf", "gpus", "take", "work", "min_runtime", "submit", "wait", "waited", "closed")
        frame = of[list(columns)].reset_index().astype({"kind": "str", "leaf": "str"})
        frames.append(frame.assign(number=here, home=jobs.home[here], member=place))
    whole = pd.concat(frames, ignore_index=True).sort_values("number", ignore_index=True)
    names = pd.CategoricalDtype(pd.Index(jobs.names, dtype="str"))
    for column in ("home", "member"):
        codes = whole[column].to_numpy(np.int8)
        whole[column] = pd.Categorical.from_codes(codes, dtype=names)
    return whole.drop(columns="number")


def _of_members(results: Mapping[str, Result]) -> list[Row]:
    found = []
    for name, result in results.items():
        for place, (policy, part) in enumerate(phases.phases(result)):
            row = Row(member=name, policy=policy, begin=part.begin, end=part.end, switched=0, figures=figures([part]))
            found.append(attrs.evolve(row, switched=int(place > 0)))
    return found


def _of_fleet(fleet: Fleet, results: Mapping[str, Result]) -> list[Row]:
    found = []
    stages = _stages(fleet)
    for place, (begin, end) in enumerate(stages):
        parts = [Part(result=result, begin=begin, end=end) for result in results.values()]
        switched = [any(switch.time <= begin for switch in member.switches) for member in fleet.members]
        last = place + 1 == len(stages)
        row = Row(
            member="", policy=ALL if last else "", begin=begin, end=end, switched=sum(switched), figures=figures(parts)
        )
        found.append(row)
    return found


def _stages(fleet: Fleet) -> list[tuple[int, int]]:
    """Return the parts of the measured time between switches, where there are any, and last all of it."""
    cuts = [switch.time for member in fleet.members for switch in member.switches]
    parts = spans(cuts, fleet.warmup, fleet.horizon)
    whole = (fleet.warmup, fleet.horizon)
    return [*(parts if len(parts) > 1 else []), whole]


def _went(portable: pd.DataFrame, names: list[str], begin: int, end: int) -> Went:
    of = phases.within(portable, begin, end)
    counts = of["member"].value_counts(sort=False)
    return Went(
        begin=begin,
        end=end,
        jobs={name: int(counts.get(name, 0)) for name in names},
        moved=int(np.count_nonzero(of["home"].astype("str") != of["member"].astype("str"))),
        wait=phases.wait_of(of),
    )
