"""What goes on behind one page: what is set, the runs that follow from it, and what was changed while they ran."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from allotment.errors import InputError
from allotment.model.changeset import apply
from allotment.model.plan import Plan
from allotment.scenario import Scenario
from allotment.views.plan_editor.draft import Accepted
from allotment.views.workbench.frame import Frame
from allotment.views.workbench.play import Play
from allotment.views.workbench.settings import (
    AUTHOR,
    REASON,
    RUNS,
    Run,
    Settings,
    Turn,
    policy_of,
    scenarios_of,
    share_changes,
)
from allotment.workload.expected import expected_jobs

WHILE_IT_RAN = "dragged while it ran"


class Course:
    """The settings and the runs of one page. `show` is called with each frame, from the thread that works.

    With `most_jobs`, no scenario is run that asks for more.
    """

    def __init__(
        self, base: Scenario, settings: Settings, show: Callable[[Frame], None], most_jobs: int | None = None
    ) -> None:
        self._most_jobs = most_jobs
        self.base = base
        self.settings = settings
        self.play = Play(self._hear)
        self.latest: Frame | None = None
        self._show = show
        self._beginning = 0  # whose frames are those of the present settings
        self._begun = settings
        self.ran = settings  # what the last frame of the present runs is of

    def scenarios(self) -> tuple[Scenario, Scenario]:
        """Return what is set as two scenarios. Raises InputError with everything that does not fit."""
        found = scenarios_of(self.base, self.settings)
        refuse_too_many_jobs(found[0], self._most_jobs)
        return found

    def begin(self, scenarios: tuple[Scenario, Scenario], *, speed: float, paused: bool = False) -> None:
        """Run them from the start; what went on before ends."""
        self._begun = self.settings
        self._beginning = self.play.begin(scenarios, speed=speed, paused=paused)

    @property
    def began(self) -> bool:
        """Whether anything was ever begun."""
        return self._beginning > 0

    @property
    def goes_on(self) -> bool:
        """Whether the runs of the present settings are neither over nor yet to come."""
        frame = self.latest
        return frame is not None and frame.beginning == self._beginning and frame.state in ("running", "paused")

    @property
    def stands_still(self) -> bool:
        """Whether what is shown is not about to change by itself."""
        return self.latest is not None and self.latest.state not in ("empty", "running")

    @property
    def plan(self) -> Plan:
        """The plan as it is after all that was changed."""
        plan = self.settings.plan or self.base.plan
        for changeset in self.settings.edits:
            plan = apply(plan, changeset)
        return plan

    def set_plan(self, plan: Plan, *, at_once: bool) -> bool:
        """Set another plan: where that is wanted and can be, as from the present moment, which is told; else from the start."""
        changes = share_changes(self.plan, plan) if at_once and self.goes_on else None
        if changes:
            self.play.edit(changes, author=AUTHOR, reason=WHILE_IT_RAN)
            return True
        there = None if plan == self.base.plan else plan
        self.settings = attrs.evolve(self.settings, plan=there, author=AUTHOR, reason=REASON, edits=())
        return False

    def sign(self, edit: Accepted) -> None:
        """Keep who signed for the plan, and why."""
        self.settings = attrs.evolve(self.settings, author=edit.author or AUTHOR, reason=edit.reason or REASON)

    def set_policy(self, run: Run, name: str, *, at_once: bool) -> bool:
        """Let a policy take over as from the present moment, where that is wanted and can be, which is told.

        Else what took over from the policy of that run is forgotten, as it is about to begin with another.
        """
        if at_once and self.goes_on:
            self.play.follow(RUNS.index(run), policy_of(self.base, name))
            return True
        turns = tuple(turn for turn in self.settings.turns if turn.run != run)
        self.settings = attrs.evolve(self.settings, turns=turns)
        return False

    def pin(self, settings: Settings) -> None:
        """Keep what some settings have pinned as the baseline."""
        self.settings = attrs.evolve(self.settings, pinned=settings.pinned, pinned_until=settings.pinned_until)

    def count_from_the_start(self) -> None:
        """Let the plan and the policies be from the start what they have become while it ran."""
        plan, turns = self.plan, sorted(self.settings.turns, key=lambda turn: turn.time)
        last: dict[str, str] = {turn.run: turn.policy for turn in turns}
        self.settings = attrs.evolve(
            self.settings,
            plan=None if plan == self.base.plan else plan,
            first=last.get("A", self.settings.first),
            second=last.get("B", self.settings.second),
            edits=(),
            turns=(),
        )

    def take_over(self, frame: Frame) -> bool:
        """Keep in the settings what was changed by hand while the runs went on; tell whether there was anything."""
        if frame.beginning != self._beginning:
            return False
        begun = self._begun
        turns = [
            Turn(run=run, time=switch.time, policy=switch.policy.name)
            for run, switches in zip(RUNS, frame.switches, strict=False)
            for switch in switches
        ]
        edits = tuple(sorted([*begun.edits, *frame.edits], key=lambda changeset: changeset.time))
        found = attrs.evolve(self.settings, edits=edits, turns=(*begun.turns, *turns))
        self.ran = attrs.evolve(begun, edits=edits, turns=(*begun.turns, *turns))
        changed = found != self.settings
        self.settings = found
        return changed

    def close(self) -> None:
        """End the runs."""
        self.play.close()

    def _hear(self, frame: Frame) -> None:
        self.latest = frame
        self._show(frame)


def refuse_too_many_jobs(scenario: Scenario, most: int | None) -> None:
    """Raise InputError where a scenario asks for more jobs than may be drawn; None allows any number."""
    if most is None:
        return
    jobs = expected_jobs(scenario.workload, scenario.plan, scenario.cluster, scenario.horizon)
    if jobs > most:
        told = (
            f"they ask for about {round(jobs):,} jobs, and this server draws at most {most:,}; choose a smaller cluster, "
            "fewer days or less demand, or let it be started with a larger --max-jobs"
        )
        raise InputError("these settings", [told])
