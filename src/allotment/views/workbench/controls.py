"""The controls beside the plan: cluster, two policies, demand, seed, and the job mix with what it asks for in GPU-hours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import attrs
import panel as pn

from allotment.errors import InputError
from allotment.model.policy import Policy
from allotment.presets.catalogue import names
from allotment.scenario import Scenario
from allotment.units import HOUR, MINUTE, format_duration
from allotment.views.formats import count, gpu_hours, plain
from allotment.views.workbench.settings import RUNS, Run, Settings, demand_of
from allotment.views.workbench.words import say, words
from allotment.workload.classes import RecordedStream
from allotment.workload.kinds import Kind
from allotment.workload.mix import Asked, Turned

AS_IT_IS = "as it is"
CONTRACTS: Mapping[str, int] = {
    "none": 0,
    "15 min": 15 * MINUTE,
    "1 h": HOUR,
    "2 h": 2 * HOUR,
    "4 h": 4 * HOUR,
    "8 h": 8 * HOUR,
}
CHECKPOINTS: Mapping[str, int] = {
    "5 min": 5 * MINUTE,
    "15 min": 15 * MINUTE,
    "30 min": 30 * MINUTE,
    "1 h": HOUR,
    "2 h": 2 * HOUR,
    "4 h": 4 * HOUR,
}
WIDE: Mapping[str, Any] = {"sizing_mode": "stretch_width", "margin": (2, 4)}
Tell = Callable[[], None]
Take = Callable[[Run, str], bool]


class Controls:
    """The widgets of one page. `changed` is called after somebody has set one of them, not while it is being dragged.

    `take` is asked first about another policy for one of the runs, and tells whether it is seen to.
    """

    def __init__(self, base: Scenario, settings: Settings, changed: Tell, take: Take) -> None:
        self._base = base
        self._changed = changed
        self._take = take
        self._quiet = False
        set_to = {settings.first, settings.second, *(turn.policy for turn in settings.turns)}
        policies = sorted({base.policy.name, *set_to, *names("policies")})
        clusters = sorted({*names("clusters"), *([settings.cluster] if settings.cluster else [])})
        self.cluster = pn.widgets.Select(
            label="Cluster",
            options={f"{base.cluster.name} ({AS_IT_IS})": "", **{name: name for name in clusters}},
            **WIDE,
        )
        self.first = pn.widgets.Select(label="Policy A (dashed)", options=policies, **WIDE)
        self.second = pn.widgets.Select(label="Policy B (solid)", options=policies, **WIDE)
        demand = demand_of(base)
        self.demand = pn.widgets.FloatSlider(
            label="Demand: GPUs kept wanted, times each team's part",
            start=0,
            end=5,
            step=0.1,
            value=2.5 if demand is None else demand,
            disabled=demand is None,
            **WIDE,
        )
        self.seed = pn.widgets.IntInput(label="Seed", start=0, end=2**31 - 1, value=base.seed, **WIDE)
        self.days = pn.widgets.IntSlider(
            label="Days measured",
            start=1,
            end=max(35, base.measured // 86_400),
            value=max(1, base.measured // 86_400),
            **WIDE,
        )
        self.mix = {kind.name: _KindControls(kind, base) for kind in kinds_of(base)}
        if gone := [change.kind for change in settings.mix if change.kind not in self.mix]:
            there = ", ".join(self.mix) or "none that can be"
            raise InputError(
                "these settings", [f"there is no kind of work {kind!r} to change; there are {there}" for kind in gone]
            )
        self._plain = [self.cluster, self.first, self.second, self.demand, self.seed, self.days]
        self.show(settings)
        for widget in [*self._plain, *(each for kind in self.mix.values() for each in kind.widgets)]:
            slides = hasattr(widget, "value_throttled") and widget is not self.seed
            name = "value_throttled" if slides else "value"
            if slides:
                # Panel waits 50 ms for more to come, though nothing does after letting go.
                widget._debounce = 0  # type: ignore[misc]  # noqa: SLF001
            widget.param.watch(self._heard, name)

    def _heard(self, event: Any) -> None:
        if self._quiet:
            return
        for run, widget in zip(RUNS, (self.first, self.second), strict=True):
            if event.obj is widget and self._take(run, widget.value):
                return
        self._changed()

    def read(self, settings: Settings) -> Settings:
        """Return the settings with what the widgets say. Raises ValueError for what none of them offers."""
        base = self._base
        demand, days = demand_of(base), base.measured // 86_400
        taken = {turn.run for turn in settings.turns}  # there, what is shown took over from what a run begins with
        return attrs.evolve(
            settings,
            cluster=self.cluster.value or None,
            first=settings.first if "A" in taken else self.first.value,
            second=settings.second if "B" in taken else self.second.value,
            demand=None if demand is None or self.demand.value == demand else self.demand.value,
            seed=None if self.seed.value == base.seed else self.seed.value,
            days=None if self.days.value == days else self.days.value,
            mix=tuple(turned for kind in self.mix.values() if (turned := kind.read()) is not None),
        )

    def show(self, settings: Settings) -> None:
        """Set the widgets to what the settings say, without telling anybody."""
        base = self._base
        self._quiet = True
        try:
            self.cluster.value = settings.cluster or ""
            last = {"A": settings.first, "B": settings.second}
            last |= {turn.run: turn.policy for turn in sorted(settings.turns, key=lambda turn: turn.time)}
            self.first.value, self.second.value = last["A"], last["B"]
            demand = demand_of(base)
            if demand is not None:
                _slide(self.demand, demand if settings.demand is None else settings.demand)
            self.seed.value = base.seed if settings.seed is None else settings.seed
            _slide(self.days, max(1, base.measured // 86_400) if settings.days is None else settings.days)
            said = {turned.kind: turned for turned in settings.mix}
            for name, kind in self.mix.items():
                kind.show(said.get(name))
        finally:
            self._quiet = False

    def tell_asked(self, asked: tuple[Asked, ...]) -> None:
        """Say beside each kind of work what it asks for."""
        for each in asked:
            if each.kind in self.mix:
                self.mix[each.kind].tell(each)

    @property
    def general(self) -> pn.Column:
        """What concerns the whole scenario."""
        return pn.Column(*self._plain, sizing_mode="stretch_width")

    @property
    def kinds(self) -> pn.Accordion:
        """The job mix, a card for each kind of work."""
        cards = [(escape(plain(name)), kind.card) for name, kind in self.mix.items()]  # a title of Panel is HTML
        return pn.Accordion(*cards, active=[], toggle=False, sizing_mode="stretch_width", margin=(0, 10, 0, 0))


def kinds_of(scenario: Scenario) -> tuple[Kind, ...]:
    """Return the kinds of work of a scenario, the first of each name."""
    found: dict[str, Kind] = {}
    for stream in scenario.workload:
        for kind in () if isinstance(stream, RecordedStream) else stream.kinds:
            found.setdefault(kind.name, kind)
    return tuple(found.values())


class _KindControls:
    def __init__(self, kind: Kind, base: Scenario) -> None:
        sizes = sorted({size.gpus for size in kind.sizes if size.weight > 0})
        cap = _cap(base.policy)
        contracts = {name: seconds for name, seconds in CONTRACTS.items() if seconds <= cap}
        said = " / ".join(dict.fromkeys(format_duration(contract.min_runtime) for contract in kind.contracts))
        self._kind = kind
        self.rate = pn.widgets.FloatSlider(label="How much of it, times", start=0, end=4, step=0.1, value=1, **WIDE)
        self.sizes = pn.widgets.DiscreteSlider(
            label="Largest job, GPUs", options=sizes, value=sizes[-1], disabled=len(sizes) < 2, **WIDE
        )
        self.contract = pn.widgets.Select(
            label="Contract: minimum runtime", options={f"{AS_IT_IS} ({said})": -1, **contracts}, value=-1, **WIDE
        )
        self.resumable = pn.widgets.FloatSlider(
            label="Part that can resume", start=0, end=1, step=0.01, value=kind.resumable, **WIDE
        )
        self.checkpoint = pn.widgets.Select(
            label="Time between checkpoints",
            options={f"{AS_IT_IS} ({format_duration(kind.checkpoint)})": -1, **CHECKPOINTS},
            value=-1,
            **WIDE,
        )
        self.widgets = [self.rate, self.sizes, self.contract, self.resumable, self.checkpoint]
        self.text = words()
        self.card = pn.Column(self.text, *self.widgets, sizing_mode="stretch_width")

    def read(self) -> Turned | None:
        kind = self._kind
        largest = self.sizes.options[-1]
        said = Turned(
            kind=kind.name,
            rate=float(self.rate.value or 0),
            sizes_up_to=None if self.sizes.value == largest else self.sizes.value,
            min_runtime=None if self.contract.value < 0 else self.contract.value,
            resumable=None if self.resumable.value == kind.resumable else self.resumable.value,
            checkpoint=None if self.checkpoint.value < 0 else self.checkpoint.value,
        )
        return None if said == Turned(kind=kind.name) else said

    def show(self, said: Turned | None) -> None:
        turned = Turned(kind=self._kind.name) if said is None else said
        _slide(self.rate, turned.rate)
        allowed = [size for size in self.sizes.options if turned.sizes_up_to is None or size <= turned.sizes_up_to]
        self.sizes.value = allowed[-1] if allowed else self.sizes.options[0]
        self.contract.value = _option(self.contract, turned.min_runtime)
        self.resumable.value = self._kind.resumable if turned.resumable is None else turned.resumable
        self.checkpoint.value = _option(self.checkpoint, turned.checkpoint)

    def tell(self, asked: Asked) -> None:
        jobs = "as much as keeps it wanted" if asked.jobs is None else f"{count(round(asked.jobs))} jobs"
        say(self.text, f"asks for {jobs}, {gpu_hours(asked.gpu_hours)} a week")


def _slide(slider: pn.widgets.FloatSlider | pn.widgets.IntSlider, to: float) -> None:
    """Move a slider; one that is too short for what a link brought becomes longer."""
    slider.param.update(end=max(slider.end, to), value=to)


def _option(select: pn.widgets.Select, seconds: int | None) -> int:
    """Return the option for a time; one that a link brought and that is none of them is added."""
    if seconds is None:
        return -1
    if seconds not in select.options.values():
        select.options = {**select.options, format_duration(seconds): seconds}
    return seconds


def _cap(policy: Policy) -> int:
    return max(CONTRACTS.values()) if policy.contracts is None else policy.contracts.cap
