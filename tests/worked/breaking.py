"""Run the worked examples with one constant changed: a setting of what they run, or a part of a rule of the kernel."""

from __future__ import annotations

import importlib
import inspect
import itertools
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from allotment.kernel.engine import Engine
from allotment.scenario import Scenario
from tests.kernel.plain import Plain
from tests.laws import made

Example = Callable[..., None]


@attrs.frozen
class Setting:
    """Something that a scenario says, `part` being where: from `was` to `now`, wherever an example has the first."""

    part: str
    name: str
    was: Any
    now: Any

    def applied(self, of: Scenario) -> Scenario:
        """Return the scenario with the other value, or the same one where it has not said the first."""
        path = [*filter(None, self.part.split(".")), self.name]
        found: Any = of
        for step in path:
            found = _below(found, step)
            if found is None:
                return of
        return _put(of, path, self.now) if found == self.was else of


@attrs.frozen
class Rule:
    """A function of the kernel with a part of its text, which is there once, replaced by another."""

    name: str
    was: str
    now: str

    def applied(self, old: Any) -> Any:
        """Return the function with the other text."""
        text = inspect.getsource(old)
        if text.count(self.was) != 1:
            raise ValueError(f"{self.was!r} is {text.count(self.was)} times in the rule {self.name!r}; once is needed")
        names = dict(old.__globals__)
        exec(compile(text.replace(self.was, self.now), f"<{self.name}, changed>", "exec"), names)
        return types.FunctionType(names[self.name].__code__, old.__globals__, self.name)


Change = Setting | Rule


def examples() -> dict[str, dict[str, Example]]:
    """Return the worked examples of this folder, by file and name."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"{__package__}.{path.stem}")
        named = {name: value for name, value in vars(module).items() if name.startswith("test_")}
        found[path.stem.removeprefix("test_")] = named
    del found["changed"]
    return found


def cases(example: Example) -> Iterator[dict[str, Any]]:
    """Return the arguments of each case of an example, as its parametrisations say."""
    marks = [mark for mark in getattr(example, "pytestmark", []) if mark.name == "parametrize"]
    rows = []
    for mark in marks:
        names, values = mark.args
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
        rows.append([dict(zip(names, value if len(names) > 1 else (value,), strict=True)) for value in values])
    for row in itertools.product(*rows):
        yield {name: value for part in row for name, value in part.items()}


def failures(example: Example, change: Change | None, plain: Plain) -> list[Exception | None]:
    """Return how each case of an example fails with a change, None where it does not.

    With a setting changed it runs as usual, else in the plain kernel. Raises LookupError where no case has what is to be changed.
    """
    used: list[bool] = []

    def engine(kernel: Any) -> Any:
        def build(of: Scenario, table: Any) -> Any:
            other = change.applied(of) if isinstance(change, Setting) else of
            used.append(other is not of)
            return kernel(other, table)

        return build

    uncompiled = plain.engine.Engine
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made, "Engine", engine(Engine if isinstance(change, Setting) else uncompiled))
        patch.setattr(plain.engine, "Engine", engine(uncompiled))
        if isinstance(change, Rule):
            with plain.with_rule(change.name, change.applied):
                found = [_failure(example, case, plain) for case in cases(example)]
        else:
            found = [_failure(example, case, plain) for case in cases(example)]
    if isinstance(change, Setting) and not any(used):
        raise LookupError(f"no case has {change.part}.{change.name} = {change.was!r}")
    return found


def _failure(example: Example, case: dict[str, Any], plain: Plain) -> Exception | None:
    wants = {"plain": plain} if "plain" in inspect.signature(example).parameters else {}
    try:
        example(**case, **wants)
    except Exception as failed:  # noqa: BLE001 - whatever it is, the caller tells
        return failed
    return None


def _below(value: Any, step: str) -> Any:
    return value[int(step)] if step.isdigit() else getattr(value, step)


def _put(value: Any, path: list[str], new: Any) -> Any:
    if not path:
        return new
    step, *rest = path
    other = _put(_below(value, step), rest, new)
    if step.isdigit():
        return (*value[: int(step)], other, *value[int(step) + 1 :])
    return attrs.evolve(value, **{step: other})
