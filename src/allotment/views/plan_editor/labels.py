"""What things are called in the plan-tree editor, and the fixed words of its controls."""

from __future__ import annotations

from collections.abc import Mapping

from allotment.model.plan import ROOT, Plan

WORDS: Mapping[str, str] = {
    "tree": "Plan tree",
    "dividers": "Dividers",
    "units": "Show shares in",
    "take": "A typed share takes from",
    "payer": "Which one",
    "undo": "Undo",
    "redo": "Redo",
    "as_table": "As table",
    "as_picture": "As picture",
    "help": "Keys",
    "name": "Name",
    "share": "Share",
    "lock": "Lock",
    "unlock": "Unlock",
    "of_cluster": "Of the cluster",
    "allocated": "Allocated GPUs at most",
    "unallocated": "Unallocated GPUs at most",
    "no_limit": "no limit",
    "inside": "Inside",
    "move": "Move",
    "add": "Add",
    "add_name": "Name of a new team",
    "add_share": "Its share",
    "remove": "Remove",
    "zoom_in": "Zoom in",
    "zoom_out": "Zoom out",
    "changes": "Changed and counted, but nobody has signed for it yet",
    "author": "Who signs",
    "reason": "Why",
    "accept": "Sign",
    "accepted": "Signed",
    "before_run": (
        "Shares may also change during a run. What is added, renamed, moved, removed or limited makes a new plan, for a "
        "new run."
    ),
    "silent": "No answer from Python: is the kernel running? Nothing is lost; try again when it is.",
    "hint": "Drag a divider, or click a team and type its share.",
    "hint_changed": "Undo takes the last change back. Below, somebody can sign for what was changed.",
}

NOTICES: Mapping[str, str] = {"": "", "done": "Done", "stopped": "Stopped", "refused": "Not done"}

FIELDS: Mapping[str, str] = {  # of the table, before the name of the node
    "name": "Name of",
    "share": "Share of",
    "lock": "Lock",
    "allocated": "Allocated limit of",
    "unallocated": "Unallocated limit of",
}

KEYS: tuple[tuple[str, str], ...] = (
    ("↑ ↓", "in the tree: the node before, the node after"),
    ("→ ←", "in the tree: open or go in, close or go out"),
    ("Tab", "from the tree to the divider below the selected node, then to its fields"),
    ("→ ← or ↓ ↑", "on a divider: one point of the parent more, less"),
    ("Shift and an arrow", "on a divider: five points"),
    ("Home End", "on a divider: as far as it goes"),
    ("Enter", "type a share"),
    ("L", "lock, unlock"),
    ("Z", "zoom in on the selected node, and out again"),
    ("F2", "rename"),
    ("Delete", "remove"),
    ("Esc", "put back what is being dragged or typed"),
    ("Ctrl Z, Ctrl Shift Z", "undo, redo"),
    ("?", "show or hide these keys"),
)


def name_of(plan: Plan, member: str) -> str:
    """Return what a node, the root or an open part is called.

    >>> from allotment.presets import load_plan
    >>> [name_of(load_plan("fifteen-teams"), member) for member in ("root", "language", "root/open", "science/open")]
    ['Whole cluster', 'Language', 'open', 'open in Science']
    """
    if member == ROOT:
        return "Whole cluster"
    if not member.endswith("/open"):
        return plan.node(member).name
    parent = member.removesuffix("/open")
    return "open" if parent == ROOT else f"open in {plan.node(parent).name}"


def inside(plan: Plan, parent: str) -> str:
    """Return what a parent is called in a sentence.

    >>> from allotment.presets import load_plan
    >>> inside(load_plan("fifteen-teams"), "root"), inside(load_plan("fifteen-teams"), "science")
    ('the cluster', "'Science'")
    """
    return "the cluster" if parent == ROOT else repr(plan.node(parent).name)
