"""Who made room for whom? The slices of some jobs over a window of time, one row a job."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from allotment.results.result import Result
from allotment.results.window import FAULTS, PREEMPTED, Shown, busiest, chosen
from allotment.units import HOUR
from allotment.views.charts.groups import NOTHING_PICKED, Groups, Highlight, frame_of, rows_of
from allotment.views.charts.hatching import hatched
from allotment.views.charts.picture import Axis, By, Key, Layer, Mark, Picture
from allotment.views.charts.runs import day_ticks, time_line
from allotment.views.formats import count, gpu_hours, moment, plain, short
from allotment.views.theme import INK, NEUTRAL, TINT, WHITE

ROW = 24  # pixels for a job
THICK = 0.36  # half a bar, of its row
LENGTH = 12 * HOUR
TICKS = 60  # checkpoints nearer to each other than this part of the window are not drawn
LONGEST = 14  # letters of a team's name
COLUMNS = ["team", "kind", "GPUs", "from", "until", "ended", "made room for", "work lost"]
ENDED = {
    "open": "still running",
    "horizon": "still running",
    PREEMPTED: "displaced",
    "failed": "its node failed",
    "drained": "moved off its node",
    "urgent_repair": "urgent repair",
}
MARKS: Mapping[str, Mapping[str, Any]] = {
    "checkpoints": {"line_color": INK, "line_width": 2},
    "displaced": {"marker": "x", "size": 13, "line_color": INK, "line_width": 3},
    "fault": {"marker": "diamond", "size": 12, "line_color": INK, "line_width": 2, "fill_color": WHITE},
}
Parts = Sequence[Any]  # rows of `Result.slices`
BAR = (("job", "job"), ("team", "team"), ("GPUs", "gpus"), ("state", "state"), ("from", "from"), ("until", "until"))


def timeline(
    result: Result,
    window: tuple[int, int] | None = None,
    *,
    teams: Collection[str] | None = None,
    nodes: Collection[int] | None = None,
    highlight: Highlight = NOTHING_PICKED,
    jobs: int = 16,
) -> Picture:
    """Return the picture of the jobs that tell most of a window (s): by default the twelve hours with most displacements.

    With a time picked out, the twelve hours around it. Shown are the job that is picked out, then those that were
    displaced or for whom others were, then those that held most GPU time; at most 500 bars. `teams` (paths of leaves)
    and `nodes` (their numbers) narrow the choice.
    """
    begin, end = window or _around(result, highlight.time)
    groups = Groups.of(result)
    if teams is None and highlight.team is not None:
        teams = [leaf for leaf in groups.leaves if groups.within(leaf, highlight.team)]
    shown = chosen(result, begin, end, teams=teams, nodes=nodes, first=highlight.job, jobs=jobs)
    rows = _rows(shown, groups)
    place = {job: float(len(rows) - 1 - at) for at, job in enumerate(rows)}
    named = {job: _label(of) for job, of in rows.items()}
    parts = rows_of(shown.slices)
    stopped = [part for part in parts if part.ended == PREEMPTED and part.end <= end]
    checkpoints, stops = _checkpoints(shown, parts, place), _stops(parts, stopped, place, named, end)
    return Picture(
        title="Preemption",
        layers=(
            *_bars(shown, rows, place, groups, highlight),
            checkpoints,
            _links(parts, stopped, place, end),
            *stops,
            time_line(highlight, -0.6, max(len(rows), 1) - 0.4),
        ),
        keys=_keys({layer.name: len(layer) for layer in (checkpoints, *stops)}),
        x=Axis(
            label=f"{moment(begin)} to {moment(end)}", low=begin, high=end, ticks=day_ticks(begin, end, 5), grid=True
        ),
        y=Axis(low=-0.6, high=max(len(rows), 1) - 0.4, ticks=[(place[job], named[job]) for job in rows]),
        summary=_summary(shown),
        table=_table(shown, parts, rows),
        height=ROW * max(len(rows), 3) + 80,
    )


def _around(result: Result, time: int | None) -> tuple[int, int]:
    if time is None:
        return busiest(result, LENGTH)
    begin = max(min(time - LENGTH // 2, result.horizon - LENGTH), 0)
    return begin, max(min(begin + LENGTH, result.horizon), begin + 1)


def _rows(shown: Shown, groups: Groups) -> dict[int, Any]:
    """Return the chosen jobs by their numbers, top to bottom: by team as the plan has them, then by their first start."""
    order = {leaf: at for at, leaf in enumerate(groups.leaves)}
    jobs = rows_of(shown.jobs)
    jobs.sort(key=lambda job: (order.get(str(job.leaf), len(order)), job.first_start, job.job))
    return {int(job.job): job for job in jobs}


def _label(job: Any) -> str:
    return f"{short(str(job.leaf).split('/')[-1], LONGEST)} {short(job.name, LONGEST) or job.job}"


def _bars(
    shown: Shown, rows: dict[int, Any], place: dict[int, float], groups: Groups, picked: Highlight
) -> list[Layer]:
    styles: dict[str, dict[str, Any]] = {
        "unallocated": {"fill_color": WHITE, **hatched(By("colour")), "line_color": By("colour")},
        "interruptible": {"fill_color": By("colour"), "fill_alpha": TINT, "line_color": By("colour")},
        "protected": {"fill_color": By("colour"), "line_color": INK, "line_width": 1.5},
    }
    layers = []
    for state, style in styles.items():
        of = shown.segments[(shown.segments["state"] == state).to_numpy()]
        jobs = [rows[int(job)] for job in of["job"]]
        y = np.array([place[int(job.job)] for job in jobs])
        said = {
            "job": [_label(job) for job in jobs],
            "team": [plain(job.leaf) for job in jobs],
            "gpus": [count(int(job.take)) for job in jobs],
            "state": [state] * len(jobs),
            "from": [moment(each) for each in of["begin"]],
            "until": [moment(each) for each in of["end"]],
            "colour": [groups.colour(str(job.leaf), picked, int(job.job)) for job in jobs],
        }
        layers.append(
            Layer(
                name=state,
                mark="rectangles",
                columns={
                    "left": of["begin"].to_numpy(np.float64),
                    "right": of["end"].to_numpy(np.float64),
                    "bottom": y - THICK,
                    "top": y + THICK,
                    "number": of["job"].to_numpy(np.float64),
                    **{name: np.array(values, object) for name, values in said.items()},
                },
                style=style,
                hover=BAR,
                pick=("job", "number"),
            )
        )
    return layers


def _checkpoints(shown: Shown, parts: Parts, place: dict[int, float]) -> Layer:
    """Return ticks where work was saved: every so much work after the start-up of a slice."""
    every = dict(zip(shown.jobs["job"], shown.jobs["checkpoint"].where(shown.jobs["resumable"], 0), strict=True))
    x: list[float] = []
    y: list[float] = []
    for part in parts:
        step = int(every[part.job])
        if step * TICKS < shown.end - shown.begin:
            continue
        times = np.arange(int(part.start + part.overhead) + step, int(part.end) + 1, step)
        times = times[(times >= shown.begin) & (times <= shown.end)]
        x += times.tolist()
        y += [place[int(part.job)] - THICK] * len(times)
    return Layer(
        name="checkpoints",
        mark="segments",
        columns={"x0": x, "x1": x, "y0": y, "y1": [each + 0.3 for each in y]},
        style=MARKS["checkpoints"],
    )


def _links(parts: Parts, stopped: Parts, place: dict[int, float], end: int) -> Layer:
    """Return the lines from where a slice was displaced to where the job it made room for began, if that is in sight."""
    starts: dict[int, list[int]] = {}
    for part in parts:
        starts.setdefault(int(part.job), []).append(int(part.start))
    links = []
    for part in stopped:
        if part.for_job is pd.NA or int(part.for_job) not in place:
            continue
        after = [start for start in starts[int(part.for_job)] if int(part.end) <= start <= end]
        links.append((part.end, place[int(part.job)], min(after, default=part.end), place[int(part.for_job)]))
    return Layer(
        name="links",
        mark="segments",
        columns={name: [float(link[at]) for link in links] for at, name in enumerate(("x0", "y0", "x1", "y1"))},
        style={"line_color": INK, "line_width": 1.5, "line_dash": [4, 3]},
    )


def _stops(parts: Parts, stopped: Parts, place: dict[int, float], named: dict[int, str], end: int) -> list[Layer]:
    faults = [part for part in parts if part.ended in FAULTS and part.end <= end]
    layers = [_halo(stopped, place)]
    for name, of in (("displaced", stopped), ("fault", faults)):
        whom = [_whom(part, named) if name == "displaced" else ENDED[part.ended] for part in of]
        layers.append(
            Layer(
                name=name,
                mark="scatter",
                columns={
                    "x": [float(part.end) for part in of],
                    "y": [place[int(part.job)] for part in of],
                    "job": np.array([named[int(part.job)] for part in of], object),
                    "whom": np.array(whom, object),
                    "lost": np.array([gpu_hours(part.lost) for part in of], object),
                },
                style=MARKS[name],
                hover=(("job", "job"), ("made room for" if name == "displaced" else "why", "whom"), ("lost", "lost")),
            )
        )
    return layers


def _halo(of: Parts, place: dict[int, float]) -> Layer:
    """Return what keeps a black cross apart from a dark bar."""
    return Layer(
        name="halo",
        mark="scatter",
        columns={"x": [float(part.end) for part in of], "y": [place[int(part.job)] for part in of]},
        style={"marker": "x", "size": 15, "line_color": WHITE, "line_width": 6},
    )


def _whom(part: Any, named: dict[int, str]) -> str:
    return "" if part.for_job is pd.NA else named.get(int(part.for_job), f"job {int(part.for_job)}")


def _keys(marks: Mapping[str, int]) -> list[Key]:
    """Return what the bars look like, and the `marks` of which there are any."""
    styles: dict[str, dict[str, Any]] = {
        "protected": {"fill_color": NEUTRAL, "line_color": INK, "line_width": 1.5},
        "interruptible": {"fill_color": NEUTRAL, "fill_alpha": TINT, "line_color": NEUTRAL},
        "unallocated": {"fill_color": WHITE, **hatched(NEUTRAL), "line_color": NEUTRAL},
    }
    said: dict[str, tuple[Mark, str]] = {
        "checkpoints": ("segments", "checkpoint"),
        "displaced": ("scatter", "displaced"),
        "fault": ("scatter", "stopped by a fault"),
    }
    return [
        *(Key(name=name, mark="rectangles", style=style, text=name) for name, style in styles.items()),
        *(
            Key(name=name, mark=mark, style=MARKS[name], text=text if marks[name] else "")
            for name, (mark, text) in said.items()
        ),
    ]


def _table(shown: Shown, parts: Parts, rows: dict[int, Any]) -> pd.DataFrame:
    named = {job: _label(of) for job, of in rows.items()}
    cells: dict[str, list[str]] = {}
    for part in sorted(parts, key=lambda part: (part.start, part.slice)):
        job = rows[int(part.job)]
        cells[f"{named[int(part.job)]}, slice {part.slice}"] = [
            plain(job.leaf),
            plain(job.kind),
            count(int(part.take)),
            moment(part.start),
            moment(part.end),
            ENDED.get(part.ended, plain(part.ended)),
            _whom(part, named),
            gpu_hours(part.lost),
        ]
    window = [moment(shown.begin), moment(shown.end)]
    held, seen = f"{count(shown.held)} jobs", f"{count(len(rows))} of them shown"
    cells["all in the window"] = [
        held,
        seen,
        "",
        *window,
        f"{count(shown.displaced)} displaced",
        "",
        gpu_hours(shown.lost),
    ]
    return frame_of(cells, COLUMNS)


def _summary(shown: Shown) -> str:
    window = f"between {moment(shown.begin)} and {moment(shown.end)}"
    if not shown.held:
        return f"Nobody held GPUs {window}."
    were = "slice was" if shown.displaced == 1 else "slices were"
    text = f"{window[0].upper()}{window[1:]} {count(shown.displaced)} {were} displaced"
    lost = f", which threw away {gpu_hours(shown.lost)} of work" if shown.displaced else ""
    few = len(shown.jobs) < shown.held
    which = " that were displaced, displaced others, or held most" if few else ""
    return f"{text}{lost}; shown are {count(len(shown.jobs))} of {count(shown.held)} jobs{which}."


def seen(picture: Picture, layers: Sequence[str] = ("protected", "interruptible", "unallocated")) -> int:
    """Return how many bars a timeline has."""
    return sum(len(picture.layer(name)) for name in layers)
