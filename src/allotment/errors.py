"""The exceptions that allotment raises on purpose: each names the thing, the value and the way out."""

from __future__ import annotations


class AllotmentError(Exception):
    """A mistake that the person at the keyboard can mend; its text is meant for them, without a traceback."""


class InputError(AllotmentError):
    """One or more things wrong in what was given, every one of them listed.

    ``problems`` holds one sentence each, lower case, without a full stop, ending in ``@ path`` where there is one.
    """

    def __init__(self, source: str, problems: tuple[str, ...] | list[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = "".join(f"\n  - {problem}" for problem in self.problems)
        super().__init__(f"{source}: {count} problem{'s' if count != 1 else ''}{lines}")


class NotFoundError(AllotmentError):
    """A name that stands for nothing; the text lists what there is."""


class SimulationError(AllotmentError):
    """A simulation that cannot go on, with the simulated moment at which it stopped."""


class SkippedRowsWarning(UserWarning):
    """Some rows of a recording are no jobs of the run; the result keeps the report in `imports`."""


class ValueProblems(ValueError):
    """Several things wrong in one value; ``problems`` holds one sentence each, without paths."""

    def __init__(self, problems: tuple[str, ...] | list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))
