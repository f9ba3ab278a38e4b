"""The workbench as a page: in JupyterLab as the last line of a cell, in a browser by `allotment serve`. The same code."""

from __future__ import annotations

import reprlib
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import panel as pn

from allotment.errors import AllotmentError, InputError
from allotment.interop.replay import pinned, read_recordings
from allotment.model.plan import Plan
from allotment.presets import load_scenario
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.views.charts import comparison
from allotment.views.charts.groups import Highlight
from allotment.views.charts.picture import Picture
from allotment.views.notebook import load_scripts
from allotment.views.plan_editor.draft import Accepted
from allotment.views.plan_editor.widget import PlanEditorPane
from allotment.views.tables import STARRED, side_by_side
from allotment.views.workbench.arrange import arranged
from allotment.views.workbench.bar import Bar
from allotment.views.workbench.baseline import NOT_THERE, Baseline
from allotment.views.workbench.board import Board
from allotment.views.workbench.controls import Controls
from allotment.views.workbench.course import Course
from allotment.views.workbench.frame import Frame
from allotment.views.workbench.keep import Keep
from allotment.views.workbench.look import Look
from allotment.views.workbench.pictures import PICTURES
from allotment.views.workbench.pictures import TERMS as MEANINGS
from allotment.views.workbench.script import PageScript
from allotment.views.workbench.seeds import BASELINE, Seeds
from allotment.views.workbench.settings import RUNS, Run, Settings
from allotment.views.workbench.soon import poster
from allotment.views.workbench.style import BANNER, TERMS, WORDS
from allotment.views.workbench.teams import Teams
from allotment.views.workbench.told import little_competition, tables_of
from allotment.views.workbench.why import WhyPanel
from allotment.views.workbench.words import say, say_terms, show_table, table_of, words

FIRST = 20.0  # wall-clock seconds that the output of a cell waits for the first pictures, at most
PAINTED = 0.15  # wall-clock seconds in which a browser has painted what it was sent


class Workbench(pn.viewable.Viewer):
    """Two policies on the same jobs, beside the plan, the job mix and the cluster that one can turn.

    `scenario` is one at hand, the name of a preset, or a file; `settings` what differs from it. Read `settings` and `results` in
    another cell. `run=False` waits for the button; `problem` is said until something is set. With `most_jobs` nothing is run that
    asks for more.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path = "small-week",
        *,
        settings: Settings | None = None,
        run: bool = True,
        problem: str = "",
        most_jobs: int | None = None,
    ) -> None:
        load_scripts()
        super().__init__()  # type: ignore[no-untyped-call]
        base = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        if not isinstance(settings, Settings | None):
            raise InputError("the workbench", [f"settings must be Settings, not {reprlib.repr(settings)}"])
        recordings = read_recordings(base)
        base = pinned(base, recordings)
        self._skipped = [line for each in recordings.values() if each.report.skipped for line in each.report.lines()]
        self.results: tuple[Result, ...] = ()
        self._post = poster()
        self._waiting = False
        self._one_at_a_time = threading.RLock()  # a page that nobody shows is changed by whoever has something to say
        self._heard = threading.Event()
        self._course = Course(base, Settings() if settings is None else settings, self._hear, most_jobs)
        self._build(most_jobs)
        self._open(problem, start=run and pn.state.curdoc is None)
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(partial(_close, weakref.ref(self)))
            if run:  # what changes while a browser takes the page up may be lost
                pn.state.onload(lambda: self._open(problem, start=True))

    def _open(self, problem: str, *, start: bool) -> None:
        unpinned = self._against.restore(self.settings) if start else ""
        if unpinned:
            self._course.pin(Settings())
        self._changed(start=start)
        if problem or unpinned:
            self._tell("\n".join(filter(None, (problem, unpinned))), bad=True)

    @property
    def settings(self) -> Settings:
        """What is set, as one value."""
        return self._course.settings

    # the parts of the page

    def _build(self, most_jobs: int | None) -> None:
        course = self._course
        self._bar = Bar(
            {
                "start": self._on_start,
                "pause": course.play.pause,
                "step": self._on_step,
                "reset": self._on_reset,
                "cancel": course.play.cancel,
                "speed": lambda: course.play.set_speed(self._bar.speed),
                "calm": lambda: course.play.set_calm(calm=self._bar.calm),
                "forget": self._on_forget,
            }
        )
        self._banner = words(BANNER, visible=False)
        self._editor = PlanEditorPane(course.plan, gpus=course.base.cluster.gpus, sizing_mode="stretch_width")
        self._editor.on_edit(self._on_plan)
        self._editor.on_change(self._on_signed)
        self._controls = Controls(course.base, course.settings, self._changed, self._on_policy)
        self._look = Look(lambda: self._at_once(self._show_pictures), self._refuse)
        self._keep = Keep(course.scenarios, self._tables, self._refuse)
        self._waits = table_of()
        self._starred = words(WORDS)
        say(self._starred, STARRED, "p")
        self._teams = Teams()
        self._board = Board(PICTURES, {"Scenarios": self._compared}, self._look.pick)
        self._against = Baseline(course.base, self._soon, self._show_results, self._refuse, most_jobs)
        self._against.button.on_click(lambda _event: self._on_pin())
        self._seeds = Seeds(
            self._ready, lambda: None if self._baseline is None else self._baseline.scenario, self._soon
        )
        self._why = WhyPanel(self._soon, self._look.no_job)
        self._read = words(BANNER, visible=bool(self._skipped))
        say(self._read, "\n".join(self._skipped), role="note")
        self._terms = words(TERMS)
        say_terms(self._terms, MEANINGS)
        self._script = PageScript(self._bar.calm_down, self._board.see)

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page; in a notebook with its pictures, where they are there in a moment.

        What is drawn there between its being shown and the browser's having taken it up would be lost.
        """
        if pn.state.curdoc is None and self._course.began:
            self._heard.wait(FIRST)
            self._show_latest()
            self._draw_all()
        return arranged(
            self._course.base.title or self._course.base.name,
            above=(self._read, self._bar.view, self._bar.status, self._bar.kept, self._script),
            left=(
                ("Who is owed what", (self._editor,)),
                ("Policies and cluster", (self._controls.general,)),
                ("Job mix", (self._controls.kinds,)),
                ("Look at", (self._look.view,)),
                ("Keep", (self._keep.view,)),
            ),
            right=(
                ("", (self._banner,)),
                ("Who waits how long", (self._waits, self._starred)),
                ("", (self._teams.view, self._board.view)),
                ("Against a baseline", (self._against.button, self._against.said, self._board.cards["Scenarios"].view)),
                ("More than chance?", (self._seeds.view,)),
                ("What the words mean", (self._terms,)),
            ),
            below=(self._why.view,),
        )

    # what people do

    def _changed(self, *, start: bool = True) -> None:
        """Something was set: run with it from the start."""
        try:
            self._course.settings = self._controls.read(self.settings)
        except ValueError as error:  # only a page that is not ours sends what no control offers
            self._tell(str(error), bad=True)
            self._controls.show(self.settings)
            return
        self._seeds.forget()
        self._tell_settings()
        scenarios = self._ready()
        if scenarios:
            self._editor.set_gpus(scenarios[0].cluster.gpus)
            if start:
                self._course.begin(scenarios, speed=self._bar.speed)

    def _ready(self) -> tuple[Scenario, Scenario] | None:
        """Return the scenarios that are set; where something does not fit, none, and say why."""
        try:
            scenarios = self._course.scenarios()
        except AllotmentError as error:
            self._tell(str(error), bad=True)
            return None
        self._tell("", bad=False)
        return scenarios

    def _on_plan(self, plan: Plan) -> None:
        if not self._course.set_plan(plan, at_once=self._bar.edits_at_once):
            self._changed()

    def _on_signed(self, edit: Accepted) -> None:
        self._course.sign(edit)
        self._tell_settings()

    def _on_policy(self, run: Run, name: str) -> bool:
        return self._course.set_policy(run, name, at_once=self._bar.edits_at_once)

    def _on_forget(self) -> None:
        self._course.count_from_the_start()
        self._changed()

    def _on_start(self) -> None:
        frame = self._course.latest
        if frame is not None and frame.state == "paused":
            self._course.play.resume()
        else:
            self._changed()

    def _on_step(self) -> None:
        if not self._course.goes_on:
            self._on_reset()
        self._course.play.step(HOUR)

    def _on_reset(self) -> None:
        scenarios = self._ready()
        if scenarios:
            self._course.begin(scenarios, speed=self._bar.speed, paused=True)

    def _on_pin(self) -> None:
        if not self.results:
            self._refuse(NOT_THERE)
            return
        found = self._against.pin(self.results[-1], self._course.ran)
        if found is not None:
            self._course.pin(found)
            self._tell_settings()
            self._at_once(self._show_results)

    @property
    def _baseline(self) -> Result | None:
        """The run that both are compared with, where they can be."""
        return self._against.of(self.results[-1]) if self.results else None

    def _compared(self, results: Sequence[Result], _picked: Highlight) -> Picture:
        """Return the picture of both runs against the one that is pinned: at first that of B as the page was opened."""
        runs = {f"{letter} {result.policy}": result for letter, result in zip(RUNS, results, strict=True)}
        return comparison({BASELINE: self._baseline or results[-1], **runs})

    # what the play shows; `_hear` is called from its thread

    def _hear(self, frame: Frame) -> None:
        if frame.state != "running":
            self._heard.set()
        if not self._waiting:
            self._waiting = True
            self._post(lambda: self._at_once(self._show_latest))

    def _soon(self, act: Callable[[], Any]) -> None:
        """Do something in the thread of the page, from any other."""
        self._post(lambda: self._at_once(act))

    def _at_once(self, act: Callable[[], Any]) -> None:
        """Do something, and send all that changes on the page by it in one message, so that it is drawn once."""
        with self._one_at_a_time, pn.io.hold(pn.state.curdoc):
            act()
        if pn.state.curdoc is None:  # in a notebook, what Bokeh was told has to be sent on
            pn.io.push_notebook(self._board.view)

    def _show_latest(self) -> None:
        self._waiting = False
        frame = self._course.latest
        if frame is None:
            return
        self._bar.show(frame)
        if self._course.take_over(frame):
            self._seeds.forget()
            self._tell_settings()
        if frame.problem:
            self._tell(frame.problem, bad=True)
            self._editor.show_plan(self._course.plan)
            self._controls.show(self.settings)
        self._controls.tell_asked(frame.asked)
        if frame.results and frame.results is not self.results:
            self.results = frame.results
            self._show_results()

    def _show_results(self) -> None:
        if not self.results:
            return
        self._look.offer(self.results)
        show_table(self._waits, side_by_side(self.results))
        run = self.results[-1]
        self._against.follow(run)
        self._against.tell(run)
        self._board.cards["Scenarios"].view.visible = bool(run.horizon)
        self._teams.show(run, self._baseline)
        self._show_pictures()
        little = little_competition(self.results[0])
        if little:
            self._tell(little, bad=False)

    def _show_pictures(self) -> None:
        if self.results:
            drawn = self._board.show(self.results, self._look.highlight)
            self._post(self._catch_up, PAINTED if drawn else 0)
            if self._course.stands_still:
                self._why.ask(self.results, self._look.highlight.job, self._look.highlight.time)

    def _catch_up(self) -> None:
        """Draw what is not on the screen, one picture at a time, so that nobody waits for it."""
        more = False

        def draw() -> None:
            nonlocal more
            more = self._board.catch_up()

        self._at_once(draw)
        if more:
            self._post(self._catch_up)

    def _draw_all(self) -> None:
        while self._board.catch_up():
            pass

    def _tell(self, text: str, *, bad: bool) -> None:
        say(self._banner, text, role="alert" if bad else "note")
        self._banner.visible = bool(text)

    def _refuse(self, problem: str) -> None:
        self._tell(problem, bad=True)

    def _tell_settings(self) -> None:
        self._script.address = self._keep.tell(self.settings)
        self._bar.tell_kept(self.settings)

    def _tables(self) -> dict[str, pd.DataFrame]:
        """Return what is shown, by what it is called."""
        self._draw_all()
        cards = [*self._board.cards.values(), self._seeds.card]
        return tables_of(self.results, self._baseline, cards)

    def close(self) -> None:
        """End the runs; the page shows what it has."""
        self._post.close()
        self._against.end()
        self._course.close()
        self._seeds.end()


def _close(found: Callable[[], Workbench | None], _context: Any) -> None:
    """Close a page that is still there; whoever remembers to do so does not keep it."""
    page = found()
    if page is not None:
        page.close()
