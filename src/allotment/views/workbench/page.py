"""The workbench as a page: in JupyterLab as the last line of a cell, in a browser by `allotment serve`. The same code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import attrs
import panel as pn

from allotment.errors import AllotmentError
from allotment.interop.scenario_file import dumps
from allotment.model.plan import Plan
from allotment.presets import load_scenario
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.views.charts.groups import Highlight
from allotment.views.formats import moment, plain, span
from allotment.views.plan_editor.widget import PlanEditorPane
from allotment.views.tables import waits as table_of_waits
from allotment.views.workbench.board import Board
from allotment.views.workbench.controls import Controls
from allotment.views.workbench.names import SliderNames
from allotment.views.workbench.pictures import PICTURES
from allotment.views.workbench.play import ALL_OF_IT, Frame, Play
from allotment.views.workbench.settings import Settings, from_link, scenarios_of, share_changes, to_link
from allotment.views.workbench.style import BANNER, COLUMNS, HEADING, PAGE
from allotment.views.workbench.words import say, show_table, table_of, words

SPEEDS: Mapping[str, float] = {
    "all at once": ALL_OF_IT,
    "1 day a second": float(DAY),
    "6 h a second": 6.0 * HOUR,
    "1 h a second": float(HOUR),
    "10 min a second": HOUR / 6,
}
STATES: Mapping[str, str] = {
    "empty": "getting ready",
    "running": "running",
    "paused": "paused",
    "finished": "finished",
    "cancelled": "cancelled; what had happened by then is shown",
    "failed": "cannot run",
}
FRESH, AT_ONCE = "start anew", "take effect at this moment"
FIRST = 20.0  # wall-clock seconds that the output of a cell waits for the first pictures, at most
LITTLE = 1.2  # times the healthy GPUs; below it there is little to share out


class Workbench(pn.viewable.Viewer):
    """Two policies on the same jobs, beside the plan, the job mix and the cluster that one can turn.

    `scenario` is one at hand, the name of a preset, or a file; `settings` what differs from it. Read `settings` and `results` in
    another cell. `run=False` waits for the button.
    """

    def __init__(
        self, scenario: Scenario | str | Path = "small-week", *, settings: Settings | None = None, run: bool = True
    ) -> None:
        if pn.state.curdoc is None:  # a notebook: what it draws with is put into it, so that no network is needed
            pn.extension(inline=True)
        super().__init__()  # type: ignore[no-untyped-call]
        self._base = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        self.settings = Settings() if settings is None else settings
        self.results: tuple[Result, ...] = ()
        self._post = _poster()
        self._latest: Frame | None = None
        self._waiting = False
        self._heard = threading.Event()
        self._highlight = Highlight()
        self._play = Play(self._hear)
        self._began = False
        self._controls = Controls(self._base, self.settings, self._changed)
        self._board = Board(PICTURES, self._push)
        self._build()
        pn.state.on_session_destroyed(lambda _context: self.close()) if pn.state.curdoc else None
        self._changed(start=run)

    # the parts of the page

    def _build(self) -> None:
        button = {"height": 36, "margin": (4, 4)}
        self._start = pn.widgets.Button(name="Run", button_type="primary", width=80, **button)
        self._pause = pn.widgets.Button(name="Pause", width=80, **button)
        self._step = pn.widgets.Button(name="Step 1 h", width=90, **button)
        self._reset = pn.widgets.Button(name="Reset", width=80, **button)
        self._cancel = pn.widgets.Button(name="Cancel", width=80, **button)
        self._speed = pn.widgets.Select(name="Speed", options=list(SPEEDS), width=150, margin=(0, 4))
        self._edits = pn.widgets.Select(name="Edits of shares", options=[FRESH, AT_ONCE], width=200, margin=(0, 4))
        self._progress = pn.indicators.Progress(value=0, max=100, width=160, height=12, margin=(14, 8))
        self._status = words(margin=(8, 8))
        self._banner = words(BANNER, visible=False)
        self._team = pn.widgets.Select(name="Highlight a team", options={"nobody": ""}, sizing_mode="stretch_width")
        self._job = pn.widgets.TextInput(name="Highlight a job", placeholder="its number", sizing_mode="stretch_width")
        self._time = pn.widgets.IntSlider(name="Moment, hours", start=0, end=1, value=1, sizing_mode="stretch_width")
        self._at_end = True
        self._link = pn.widgets.TextInput(name="Link to this", sizing_mode="stretch_width")
        self._save = pn.widgets.FileDownload(
            callback=self._scenario_file,
            filename="scenario.yaml",
            label="Scenario file",
            button_type="default",
            height=36,
        )
        self._csv = pn.widgets.FileDownload(
            callback=self._waits_file, filename="waits.csv", label="Waits as CSV", button_type="default", height=36
        )
        self._editor = self._make_editor(self.settings.plan or self._base.plan)
        self._waits = table_of()
        self._start.on_click(lambda _event: self._on_start())
        self._pause.on_click(lambda _event: self._play.pause())
        self._step.on_click(lambda _event: self._on_step())
        self._reset.on_click(lambda _event: self._on_reset())
        self._cancel.on_click(lambda _event: self._play.cancel())
        self._speed.param.watch(lambda event: self._play.set_speed(SPEEDS[event.new]), "value")
        for widget, name in ((self._team, "value"), (self._job, "value"), (self._time, "value_throttled")):
            widget.param.watch(self._on_highlight, name)

    def _make_editor(self, plan: Plan) -> Any:
        editor = PlanEditorPane(plan, gpus=self._gpus(), sizing_mode="stretch_width")
        editor.on_edit(self._on_plan)
        return editor

    def _gpus(self) -> int:
        try:
            return scenarios_of(self._base, self.settings)[0].cluster.gpus
        except AllotmentError:
            return self._base.cluster.gpus

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page; in a notebook with its pictures, where they are there in a moment."""
        if pn.state.curdoc is None and self._began:
            self._heard.wait(FIRST)
            self._look()
        title = _heading(self._base.title or self._base.name, "h1")
        bar = pn.FlexBox(
            self._start, self._pause, self._step, self._reset, self._cancel, self._speed, self._edits, self._progress
        )
        left = pn.Column(
            _heading("Who is owed what"),
            self._editor,
            _heading("Policies and cluster"),
            self._controls.general,
            _heading("Job mix"),
            self._controls.kinds,
            _heading("Look at"),
            self._team,
            self._job,
            self._time,
            _heading("Keep"),
            self._link,
            pn.Row(self._save, self._csv),
            css_classes=["left"],
            sizing_mode="stretch_width",
        )
        right = pn.Column(
            self._banner,
            _heading("Who waits how long"),
            self._waits,
            self._board.view,
            css_classes=["right"],
            sizing_mode="stretch_width",
        )
        return pn.Column(
            title,
            bar,
            self._status,
            SliderNames(),
            pn.FlexBox(left, right, gap="16px", align_items="flex-start", stylesheets=[COLUMNS]),
            css_classes=["workbench"],
            stylesheets=[PAGE],
            sizing_mode="stretch_width",
        )

    # what people do

    def _changed(self, *, start: bool = True) -> None:
        """Something was set: run with it from the start."""
        self.settings = self._controls.read(self.settings)
        self._link.value = self._address()
        try:
            scenarios = scenarios_of(self._base, self.settings)
        except AllotmentError as error:
            self._tell(str(error), bad=True)
            return
        self._tell("", bad=False)
        if start:
            self._begin(scenarios)

    def _begin(self, scenarios: Sequence[Scenario], *, paused: bool = False) -> None:
        self._began = True
        self._scenarios = tuple(scenarios)
        self._play.begin(scenarios, speed=SPEEDS[self._speed.value], paused=paused)

    def _on_plan(self, plan: Plan) -> None:
        frame = self._latest
        old = self.settings.plan or self._base.plan
        self.settings = attrs.evolve(self.settings, plan=None if plan == self._base.plan else plan)
        if self._edits.value == AT_ONCE and frame is not None and frame.state in ("running", "paused"):
            changes = share_changes(old, plan)
            if changes:
                self._link.value = self._address()
                self._play.edit(changes, author="workbench", reason="dragged")
                return
        self._changed()

    def _on_start(self) -> None:
        frame = self._latest
        if frame is not None and frame.state == "paused":
            self._play.resume()
        else:
            self._changed()

    def _on_step(self) -> None:
        frame = self._latest
        if frame is None or frame.state not in ("running", "paused"):
            self._on_reset()
        self._play.step(HOUR)

    def _on_reset(self) -> None:
        try:
            self._begin(scenarios_of(self._base, self.settings), paused=True)
        except AllotmentError as error:
            self._tell(str(error), bad=True)

    def _on_highlight(self, event: Any) -> None:
        if event.obj is self._time:
            self._at_end = event.new >= self._time.end
        number = (self._job.value or "").strip()
        if number and not number.isdecimal():
            self._tell(f"a job is highlighted by its number, such as 17, not {number!r}", bad=True)
            return
        self._highlight = Highlight(
            team=self._team.value or None,
            job=int(number) if number else None,
            time=None if self._at_end else int(self._time.value or 0) * HOUR,
        )
        self._board.show(self.results, self._highlight)

    # what the play shows; `_hear` is called from its thread

    def _hear(self, frame: Frame) -> None:
        self._latest = frame
        if frame.state != "running":
            self._heard.set()
        if not self._waiting:
            self._waiting = True
            self._post(self._look)

    def _look(self) -> None:
        self._waiting = False
        frame = self._latest
        if frame is None:
            return
        part = frame.now / frame.horizon if frame.horizon else 0
        self._progress.value = round(100 * part)
        clock = f"{moment(frame.now)} of {span(frame.horizon)}" if frame.horizon else ""
        say(self._status, ", ".join(filter(None, (STATES[frame.state], clock))), role="status", aria_live="polite")
        self._start.name = "Go on" if frame.state == "paused" else "Run"
        self._pause.disabled = frame.state != "running"
        self._cancel.disabled = frame.state not in ("running", "paused")
        if frame.problem:
            self._tell(frame.problem, bad=True)
        self._controls.tell_asked(frame.asked)
        if frame.results and frame.results is not self.results:
            self.results = frame.results
            self._show_results()

    def _show_results(self) -> None:
        first = self.results[0]
        teams = [str(node) for node in first.shares["node"].cat.categories if str(node) != "root"]
        options = {"nobody": "", **{plain(team): team for team in teams}}
        if options != self._team.options:
            self._team.options = options
        hours = max(1, first.horizon // HOUR)
        self._time.end = hours
        if self._at_end:
            self._time.value = hours
        show_table(self._waits, _side_by_side(self.results))
        self._board.show(self.results, self._highlight)
        pressure = first.summary["pressure"]
        if pressure is not None and pressure < LITTLE:
            self._tell(
                f"Little competition: {pressure:.1f} times the GPUs are wanted, so policies look alike. "
                f"Raise the demand above {LITTLE} times to see a difference.",
                bad=False,
            )

    def _tell(self, text: str, *, bad: bool) -> None:
        say(self._banner, text, role="alert" if bad else "note")
        self._banner.visible = bool(text)

    def close(self) -> None:
        """End the runs; the page shows what it has."""
        self._play.close()

    # what can be kept

    def _address(self) -> str:
        return f"?w={to_link(self.settings)}"

    def _scenario_file(self) -> StringIO:
        return StringIO(dumps(scenarios_of(self._base, self.settings)[1]))

    def _waits_file(self) -> StringIO:
        return StringIO(_side_by_side(self.results).to_csv() if self.results else "")

    def _push(self, pane: Any) -> None:
        if not pn.state.curdoc:  # in a notebook, what Bokeh was told has to be sent on
            pn.io.push_notebook(pane)


def _heading(text: str, tag: str = "h2") -> pn.widgets.StaticText:
    made = words(HEADING)
    say(made, text, tag)
    return made


def _side_by_side(results: Sequence[Result]) -> Any:
    """Return the waits under each policy, by kind of work, as one table."""
    import pandas as pd

    found = {
        f"{letter} {plain(result.summary['policy'])}": table_of_waits(result)
        for letter, result in zip("AB", results, strict=False)
    }
    return pd.concat(found, axis=1)


def _poster() -> Callable[[Callable[[], None]], Any]:
    """Return what has something done soon in the thread that the page belongs to, from whichever thread it is asked."""
    document = pn.state.curdoc
    if document is not None:
        return document.add_next_tick_callback
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # nobody's page: do it at once
        return lambda act: act()
    return loop.call_soon_threadsafe


def from_address(scenario: str, text: str) -> Workbench:
    """Return the workbench that a link asks for; where the link is damaged, the usual one, which says so."""
    if not text:
        return Workbench(scenario)
    try:
        return Workbench(scenario, settings=from_link(text))
    except AllotmentError as error:
        made = Workbench(scenario)
        made._tell(str(error), bad=True)  # noqa: SLF001 - its own maker
        return made
