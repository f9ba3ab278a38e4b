"""The plan-tree editor for notebooks (`PlanEditor`) and for Panel apps (`PlanEditorPane`), from one file of JavaScript.

Both only carry: one `state` to the browser, one `intent` back. They need the extra `lab`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import attrs
import param
import traitlets
from panel.custom import AnyWidgetComponent

from allotment.model.plan import Plan
from allotment.presets import load_plan
from allotment.views.plan_editor.draft import Accepted, Draft
from allotment.views.plan_editor.state import apply, state_of

Listener = Callable[[Accepted], Any]
Watcher = Callable[[Plan], Any]
_TOKEN = 100  # characters
_SCRIPT = Path(__file__).parents[1] / "static" / "plan-editor.js"


@attrs.define(kw_only=True)
class Editing:
    """What one editor holds: its draft, and who is told when somebody signs for an edit."""

    draft: Draft
    listeners: list[Listener] = attrs.field(factory=list)
    watchers: list[Watcher] = attrs.field(factory=list)

    def state(self, heard: str = "") -> dict[str, Any]:
        """Return what the browser is told: the state, and the token of the intent that it answers."""
        return {**state_of(self.draft), "heard": heard}

    def follow(self, intent: Mapping[str, Any], show: Callable[[dict[str, Any]], None]) -> None:
        """Follow an intent, show what came of it, and then tell the listeners of an edit that was signed for."""
        before, plan = len(self.draft.accepted), self._settled()
        self.draft = apply(self.draft, intent)
        token = intent.get("token")
        show(self.state(token if isinstance(token, str) and token.isascii() and len(token) <= _TOKEN else ""))
        for edit in self.draft.accepted[before:]:
            for tell in self.listeners:
                tell(edit)
        settled = self._settled()
        if settled != plan:
            for watch in self.watchers:
                watch(settled)

    def _settled(self) -> Plan:
        """Return the plan as it is drawn, but while a divider is held as it was when it was taken up."""
        return self.draft.plan if self.draft.drag is None else self.draft.drag.plan


def begin(plan: Plan | str, gpus: int, on_change: Listener | None) -> Editing:
    """Return the beginning of an editing; `plan` may be the name of a preset or a file."""
    found = plan if isinstance(plan, Plan) else load_plan(plan)
    return Editing(draft=Draft(plan=found, gpus=gpus), listeners=[] if on_change is None else [on_change])


class PlanEditor(anywidget.AnyWidget):
    """Edit a plan in a notebook: show it as the last line of a cell, and read `plan` when somebody has edited it.

    `gpus` is the size of the cluster that the plan divides. `on_change` is called with every edit that is signed for.
    """

    _esm = _SCRIPT
    state = traitlets.Dict().tag(sync=True)
    intent = traitlets.Dict().tag(sync=True)

    def __init__(self, plan: Plan | str, *, gpus: int, on_change: Listener | None = None) -> None:
        self._editing = begin(plan, gpus, on_change)
        super().__init__(state=self._editing.state())
        self.observe(self._follow, names="intent")

    def _follow(self, change: Any) -> None:
        self._editing.follow(change["new"], self._show)

    def _show(self, state: dict[str, Any]) -> None:
        self.state = state

    @property
    def plan(self) -> Plan:
        """The plan as it is drawn."""
        return self._editing.draft.plan

    @property
    def accepted(self) -> tuple[Accepted, ...]:
        """The edits that were signed for, in their order; `edit.changeset(time)` is one for a run."""
        return self._editing.draft.accepted

    def on_change(self, tell: Listener) -> None:
        """Call `tell` with every edit that is signed for."""
        self._editing.listeners.append(tell)

    def on_edit(self, watch: Watcher) -> None:
        """Call `watch` with the plan as it is drawn, after every change of it, signed for or not; when a divider is let go."""
        self._editing.watchers.append(watch)


class PlanEditorPane(AnyWidgetComponent):
    """Edit a plan in a Panel app; what is said of `PlanEditor` holds of it, too."""

    _esm = _SCRIPT
    state = param.Dict(default={})
    intent = param.Dict(default={})

    def __init__(self, plan: Plan | str, *, gpus: int, on_change: Listener | None = None, **params: Any) -> None:
        self._editing = begin(plan, gpus, on_change)
        super().__init__(state=self._editing.state(), **{"sizing_mode": "stretch_width", **params})  # type: ignore[no-untyped-call]
        self.param.watch(self._follow, "intent")

    def _follow(self, event: Any) -> None:
        self._editing.follow(event.new, self._show)

    def _show(self, state: dict[str, Any]) -> None:
        self.state = state

    @property
    def plan(self) -> Plan:
        """The plan as it is drawn."""
        return self._editing.draft.plan

    @property
    def accepted(self) -> tuple[Accepted, ...]:
        """The edits that were signed for, in their order; `edit.changeset(time)` is one for a run."""
        return self._editing.draft.accepted

    def on_change(self, tell: Listener) -> None:
        """Call `tell` with every edit that is signed for."""
        self._editing.listeners.append(tell)

    def on_edit(self, watch: Watcher) -> None:
        """Call `watch` with the plan as it is drawn, after every change of it, signed for or not; when a divider is let go."""
        self._editing.watchers.append(watch)

    def set_gpus(self, gpus: int) -> None:
        """Show what shares are of a cluster of another size."""
        if gpus != self._editing.draft.gpus:
            self._editing.draft = attrs.evolve(self._editing.draft, gpus=gpus)
            self._show(self._editing.state())

    def show_plan(self, plan: Plan) -> None:
        """Show another plan, without telling anybody; what could be undone no longer can."""
        if plan != self._editing.draft.plan:
            changed = attrs.evolve(self._editing.draft, plan=plan, past=(), future=(), drag=None)
            self._editing.draft = changed.sound()
            self._show(self._editing.state())
