"""How long does work wait for its first start? For each kind of it, the part that had started within a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.results.result import Result
from allotment.results.survival import Curve, curve
from allotment.units import DAY, HOUR, MINUTE
from allotment.views.charts.groups import NOTHING_PICKED, Groups, Highlight, frame_of
from allotment.views.charts.picture import Axis, Key, Layer, Picture, parted
from allotment.views.charts.runs import DASHED, Run, sentence, told
from allotment.views.formats import beyond, count, plain, short, wait
from allotment.views.theme import GRID, INK, WHITE

TICKS = (
    (1, "1 s"),
    (10, "10 s"),
    (MINUTE, "1 min"),
    (10 * MINUTE, "10 min"),
    (HOUR, "1 h"),
    (6 * HOUR, "6 h"),
    (DAY, "1 d"),
    (7 * DAY, "7 d"),
    (100 * DAY, "100 d"),
)
SHORTEST, LONGEST = 0.8, 3 * DAY  # what starts at once is drawn at 1 s
BAND = 1.3  # a kind of work is so high, of which the curve takes 1
POINTS = 300  # of a curve; more cannot be told apart
MARKS = (0.5, 0.9)
COLUMNS = ["jobs", "half wait less than (p50)", "9 in 10 wait less than (p90)", "never started", "the same jobs"]
STAR = "*"


@attrs.frozen(eq=False)
class _Kind:
    """What one kind of work waited in one run."""

    run: Run
    name: str
    n: int
    never: int
    longest: int
    over: Curve
    comparable: bool
    """Whether it was submitted at the same moments under every policy."""

    @property
    def shown(self) -> str:
        """The name of the kind; with a star where two runs cannot be compared by it."""
        return short(self.name) + (STAR if self.run.letter and not self.comparable else "")

    def quantile(self, q: float) -> str:
        if not self.n:
            return "-"
        found = self.over.quantile(q)
        return beyond(self.longest) if found is None else wait(found)


def waits(*results: Result, kinds: Sequence[str] | None = None, highlight: Highlight = NOTHING_PICKED) -> Picture:
    """Return the picture of the queue waits of one run, or of A and B, by kind of work, or of some `kinds` alone.

    Jobs submitted after the warm-up count; those that never started are still waiting (Kaplan-Meier), and a rug at the
    right edge counts them. A team or a job that is picked out keeps its own jobs: the waits of its team.
    """
    runs = told(results)
    chosen = [(run, _jobs(run.result, highlight)) for run in runs]
    names = list(dict.fromkeys(str(name) for _, jobs in chosen for name in jobs["kind"].cat.categories))
    wanted = [name for name in names if kinds is None or name in kinds]
    found = [[_kind(run, jobs, name) for run, jobs in chosen] for name in wanted]
    found = [of for of in found if any(each.n for each in of)]
    bases = [(len(found) - 1 - at) * BAND for at in range(len(found))]
    longest = max([LONGEST, *(1.5 * each.longest for of in found for each in of)])
    top = max(BAND * len(found) - 0.2, 1.0)
    rows = {
        f"{plain(each.name)}, {each.run.name}" if each.run.letter else plain(each.name): _cells(each)
        for of in found
        for each in of
    }
    whose = f" of {plain(highlight.team)}" if highlight.team is not None else ""
    return Picture(
        title=f"Queue wait{whose}",
        layers=(
            _ruled(bases, longest),
            *(_curves(found, bases, at, len(runs)) for at in range(2)),
            *(_handles(found, bases, at, longest) for at in range(2)),
            *_words(found, bases, longest),
            _rug(found, bases, longest),
            _moment(chosen, found, bases, highlight),
        ),
        keys=[_key(runs, at) for at in range(2)],
        x=Axis(
            scale="log", low=SHORTEST, high=longest, ticks=[tick for tick in TICKS if tick[0] <= longest], grid=True
        ),
        y=Axis(low=-0.08, high=top, ticks=_ticks(found, bases)),
        summary=_summary(found, whose),
        table=frame_of(rows, COLUMNS),
        height=70 + round(95 * max(top, 1.6)),
    )


def _jobs(result: Result, picked: Highlight) -> pd.DataFrame:
    jobs = result.jobs
    keep = jobs["submit"].to_numpy() >= result.scenario.warmup
    if picked.team is not None:
        groups = Groups.of(result)
        inside = [groups.within(str(leaf), picked.team) for leaf in jobs["leaf"].cat.categories]
        keep = keep & np.array([*inside, False])[jobs["leaf"].cat.codes]
    return jobs[["kind", "waited", "wait", "closed"]][keep]


def _kind(run: Run, jobs: pd.DataFrame, name: str) -> _Kind:
    of = (jobs["kind"] == name).to_numpy() if name in jobs["kind"].cat.categories else np.zeros(len(jobs), bool)
    waited, started = jobs["waited"].to_numpy()[of], jobs["wait"].notna().to_numpy()[of]
    closed = bool(jobs["closed"].to_numpy()[of].any())
    never = int(np.count_nonzero(~started))
    longest = int(waited.max()) if len(waited) else 0
    return _Kind(run, name, len(waited), never, longest, curve(waited, started), not closed)


def _thinned(over: Curve) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the corners of a curve, without those that would lie on one pixel; times below a second are one."""
    if not len(over.time):
        return np.zeros(0), np.zeros(0)
    time = np.maximum(over.time.astype(np.float64), 1.0)
    if len(time) > POINTS:
        cell = np.floor(np.log(time) / np.log(time[-1] + 1) * POINTS)
        last = np.flatnonzero(np.diff(cell, append=np.inf))
        keep = np.unique(np.append(last, [0, *np.minimum(np.searchsorted(over.over, MARKS), len(time) - 1)]))
        return time[keep], over.over[keep]
    return time, over.over


def _corners(of: _Kind, base: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the steps of one curve from nothing at the left edge to the longest wait that was seen."""
    time, over = _thinned(of.over)
    end = max(float(of.longest), 1.0)
    return np.concatenate([[SHORTEST], time, [end]]), base + np.concatenate(
        [[0.0], over, over[-1:] if len(over) else [0]]
    )


def _curves(found: list[list[_Kind]], bases: list[float], at: int, runs: int) -> Layer:
    corners = [_corners(of[at], base) for of, base in zip(found, bases, strict=True) if at < len(of) and of[at].n]
    return Layer(
        name="AB"[at],
        mark="step",
        columns={"x": parted(x for x, _ in corners), "y": parted(y for _, y in corners)},
        style={"line_color": INK, "line_dash": DASHED if runs == 2 and at == 0 else [], "line_width": 2.5},
    )


def _ruled(bases: list[float], longest: float) -> Layer:
    heights = [base + share for base in bases for share in (0.0, *MARKS)]
    ends = np.full(len(heights), longest)
    return Layer(
        name="ruled",
        mark="segments",
        columns={"x0": np.full(len(heights), SHORTEST), "x1": ends, "y0": heights, "y1": heights},
        style={"line_color": GRID, "line_width": 1},
    )


def _handles(found: list[list[_Kind]], bases: list[float], at: int, longest: float) -> Layer:
    x, y, said = [], [], []
    for of, base in zip(found, bases, strict=True):
        for q in MARKS:
            time = of[at].over.quantile(q) if at < len(of) and of[at].n else None
            if time is not None:
                x.append(max(float(time), 1.0))
                y.append(base + q)
                share = "half" if q == MARKS[0] else "9 in 10"
                said.append(f"{share} of {count(of[at].n)} {plain(of[at].name)} jobs wait less than {wait(time)}")
    return Layer(
        name=f"handles {'AB'[at]}",
        mark="scatter",
        columns={"x": x, "y": y, "said": np.array(said, object)},
        style={"marker": "square", "size": 9, "fill_color": WHITE, "line_color": INK, "line_width": 2},
        hover=(("", "said"),),
    )


def _words(found: list[list[_Kind]], bases: list[float], longest: float) -> tuple[Layer, Layer]:
    """Return what stands beside the handles of nine in ten, the run and its time: left of the earlier, right of the later."""
    left: list[tuple[float, float, str]] = []
    right: list[tuple[float, float, str]] = []
    for of, base in zip(found, bases, strict=True):
        times = [(time, each) for each in of if (time := each.over.quantile(0.9)) is not None]
        times.sort(key=lambda pair: (pair[0], pair[1].run.letter))
        for place, (time, each) in enumerate(times):
            at = max(float(time), 1.0)
            room_left = at > 60 * SHORTEST
            room_right = at < longest / 60
            goes_left = room_left and (not room_right or (len(times) == 2 and place == 0))
            word = f"{each.run.letter} {wait(time)}".strip()
            side = left if goes_left else right
            crowded = any(base < y < base + 1 and max(x, at) < 300 * min(x, at) for x, y, _ in side)
            side.append((at, base + (0.66 if crowded else 0.9), word))
    return _aside("left", left, "right", -9), _aside("right", right, "left", 9)


def _aside(name: str, words: list[tuple[float, float, str]], align: str, off: int) -> Layer:
    return Layer(
        name=f"words {name}",
        mark="labels",
        columns={
            "x": [x for x, _, _ in words],
            "y": [y for _, y, _ in words],
            "text": np.array([text for _, _, text in words], object),
        },
        style={
            "text_font_style": "bold",
            "text_color": INK,
            "text_align": align,
            "x_offset": off,
            "background_fill_color": WHITE,
            "background_fill_alpha": 0.8,
        },
    )


def _rug(found: list[list[_Kind]], bases: list[float], longest: float) -> Layer:
    x, y, text = [], [], []
    for of, base in zip(found, bases, strict=True):
        never = [f"{each.run.letter} {count(each.never)}".strip() for each in of if each.never]
        if never:
            x.append(longest)
            y.append(base + 0.06)
            text.append(f"{', '.join(never)} never started ▏")
    return Layer(
        name="rug",
        mark="labels",
        columns={"x": x, "y": y, "text": np.array(text, object)},
        style={"text_align": "right", "text_baseline": "bottom", "text_color": INK},
    )


def _moment(
    chosen: Iterable[tuple[Run, pd.DataFrame]], found: list[list[_Kind]], bases: list[float], picked: Highlight
) -> Layer:
    """Return how long the job that is picked out waited in each run, or has waited so far."""
    x, y = [], []
    for run, _ in chosen:
        jobs = run.result.jobs
        for row in np.flatnonzero(jobs["job"].to_numpy() == picked.job) if picked.job is not None else ():
            for of, base in zip(found, bases, strict=True):
                if str(jobs["kind"].iloc[row]) == of[0].name:
                    x.append(max(float(jobs["waited"].iloc[row]), 1.0))
                    y.append(base)
    return Layer(
        name="job",
        mark="scatter",
        columns={"x": x, "y": y},
        style={"marker": "triangle", "size": 14, "fill_color": INK},
    )


def _key(runs: Sequence[Run], at: int) -> Key:
    return Key(
        name="AB"[at],
        mark="curve",
        style={"line_color": INK, "line_dash": DASHED if at == 0 else [], "line_width": 2.5},
        text=runs[at].name if len(runs) == 2 else "",
    )


def _ticks(found: list[list[_Kind]], bases: list[float]) -> list[tuple[float, str]]:
    named = []
    for of, base in zip(found, bases, strict=True):
        named += [(base, "0"), (base + 0.5, of[-1].shown), (base + 0.9, "90 %")]
    return named


def _cells(of: _Kind) -> list[str]:
    return [count(of.n), of.quantile(0.5), of.quantile(0.9), count(of.never), "yes" if of.comparable else "no"]


def _summary(found: list[list[_Kind]], whose: str) -> str:
    if not found:
        return f"No job{whose} was submitted in the measured time."
    # The kind that most people wait for: debugging where there is such a kind, else what has most jobs.
    of = next((of for of in found if of[0].name == "debug"), max(found, key=lambda of: sum(each.n for each in of)))
    parts = [
        f"{each.run.under} 9 in 10 {plain(each.name)} jobs{whose} wait less than {each.quantile(0.9)}"
        if each.over.quantile(0.9) is not None
        else f"{each.run.under} fewer than 9 in 10 {plain(each.name)} jobs{whose} ever started: {count(each.never)} never did"
        if each.n
        else f"{each.run.under} there was none"
        for each in of
    ]
    return sentence(parts)
