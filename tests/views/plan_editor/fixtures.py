"""The states that the tests of the JavaScript draw, and a session that they replay: what Python says, written as JSON.

Of the states of the session only what differs from `begun.json` is kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs

from allotment.presets import load_plan
from allotment.views.plan_editor.draft import Draft
from allotment.views.plan_editor.state import apply, state_of

FOLDER = Path(__file__).parents[3] / "widgets" / "fixtures" / "plan-editor"
SCRIPT = "<img src=x onerror=alert(1)>"

SESSION: tuple[dict[str, Any], ...] = (
    {"type": "select", "id": "science"},
    {"type": "move_divider", "divider": "science", "points": 5},
    {"type": "move_divider", "divider": "science", "points": -1},
    {"type": "move_divider", "divider": "science", "limit": "max"},
    {"type": "undo"},
    {"type": "drag", "divider": "science", "amount": -0.025},
    {"type": "drop"},
    {"type": "set_share", "id": "science", "value": "many"},
    {"type": "set_share", "id": "science", "value": "17"},
    {"type": "lock", "id": "science", "locked": True},
    {"type": "move_divider", "divider": "science", "points": 1},
    {"type": "unit", "unit": "hours"},
    {"type": "add", "parent": "science", "name": SCRIPT, "value": ""},
    {"type": "rename", "id": "climate", "name": "<b>Climate"},
    {"type": "set_limits", "id": "climate", "allocated": "64"},
    {"type": "accept", "author": SCRIPT, "reason": "the launch"},
)


def begun() -> Draft:
    """Return a draft of the plan that ships."""
    return Draft(plan=load_plan("fifteen-teams"), gpus=1024)


def small() -> Draft:
    """Return the draft that the session begins with: two of the five budgets."""
    plan = begun().plan
    return attrs.evolve(begun(), plan=attrs.evolve(plan, children=plan.children[3:]))


def files() -> dict[str, str]:
    """Return the text of every fixture by the name of its file."""
    thirds = Draft(plan=load_plan("three-teams"), gpus=88)
    draft, steps, always = small(), [], state_of(begun())
    for intent in SESSION:
        draft = apply(draft, intent)
        state = {key: value for key, value in state_of(draft).items() if value != always[key]}
        steps.append({"intent": intent, "state": state})
    return {
        "begun.json": _written(state_of(begun())),
        "thirds.json": _written(state_of(thirds)),
        "session.json": _written(steps),
    }


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("},{", "},\n{") + "\n"


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
