"""What makes the runs of a page go: buttons, speed, and where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn

from allotment.units import DAY, HOUR
from allotment.views.formats import moment, span
from allotment.views.workbench.frame import Frame
from allotment.views.workbench.play import ALL_OF_IT
from allotment.views.workbench.settings import Settings
from allotment.views.workbench.words import say, words

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
FRESH, AT_ONCE = "start anew", "count from this moment"


class Bar:
    """The buttons of one page.

    `wishes` are called by the names of the buttons: start, pause, step, reset, cancel, speed, calm, forget.
    """

    def __init__(self, wishes: Mapping[str, Callable[[], Any]]) -> None:
        button: dict[str, Any] = {"height": 36, "margin": (4, 4)}
        self._start = pn.widgets.Button(label="Run", color="primary", width=80, **button)
        self._pause = pn.widgets.Button(label="Pause", width=80, **button)
        self._step = pn.widgets.Button(label="Step 1 h", width=90, **button)
        self._reset = pn.widgets.Button(label="Reset", width=80, **button)
        self._cancel = pn.widgets.Button(label="Cancel", width=80, **button)
        self._speed = pn.widgets.Select(label="Speed", options=list(SPEEDS), width=150, margin=(0, 4))
        self._edits = pn.widgets.Select(label="Shares and policies", options=[FRESH, AT_ONCE], width=200, margin=(0, 4))
        self._calm = pn.widgets.Toggle(label="Less motion", width=110, **button)
        self._progress = pn.indicators.Progress(value=0, max=100, width=160, height=12, margin=(14, 8))
        self.status = words(margin=(8, 8))
        self._kept = words()
        self._forget = pn.widgets.Button(label="Count them from the start", width=200, height=36)
        self.kept = pn.FlexBox(self._kept, self._forget, align_items="center", visible=False)
        self._forget.on_click(lambda _event: wishes["forget"]())
        for name in ("start", "pause", "step", "reset", "cancel"):
            getattr(self, f"_{name}").on_click(lambda _event, wish=wishes[name]: wish())
        self._speed.param.watch(lambda _event: wishes["speed"](), "value")
        self._calm.param.watch(lambda _event: wishes["calm"](), "value")

    @property
    def speed(self) -> float:
        """Simulated seconds for each second of the wall clock."""
        return SPEEDS[str(self._speed.value)]

    @property
    def calm(self) -> bool:
        """Whether pictures change less often while a run goes on."""
        return bool(self._calm.value)

    @property
    def edits_at_once(self) -> bool:
        """Whether other shares or policies count from the present moment of a run that goes on, and do not begin it anew."""
        return bool(self._edits.value == AT_ONCE)

    def show(self, frame: Frame) -> None:
        """Say where the runs are."""
        self._progress.value = round(100 * frame.now / frame.horizon) if frame.horizon else 0
        clock = f"{moment(frame.now)} of {span(frame.horizon)}" if frame.horizon else ""
        say(self.status, ", ".join(filter(None, (STATES[frame.state], clock))), role="status", aria_live="polite")
        self._start.label = "Go on" if frame.state == "paused" else "Run"
        self._pause.disabled = frame.state != "running"
        self._cancel.disabled = frame.state not in ("running", "paused")

    def calm_down(self) -> None:
        """Let pictures change less often."""
        self._calm.value = True

    def tell_kept(self, settings: Settings) -> None:
        """Say what was changed while the runs went on, which will be changed at the same moments when they begin anew."""
        parts = [(edit.time, f"shares changed on {moment(edit.time)}") for edit in settings.edits]
        parts += [(turn.time, f"{turn.policy} took over {turn.run} on {moment(turn.time)}") for turn in settings.turns]
        told = "; ".join(text for _, text in sorted(parts))
        say(self._kept, f"While it ran: {told}. A new run does the same." if told else "", "p")
        self.kept.visible = bool(told)

    @property
    def view(self) -> pn.FlexBox:
        """All of it in a row, or in several where there is little room."""
        buttons = (self._start, self._pause, self._step, self._reset, self._cancel)
        return pn.FlexBox(*buttons, self._speed, self._edits, self._calm, self._progress)
