"""The kernel as plain Python, beside the compiled one: for rules called one by one, and for rules changed on purpose.

Its modules are loaded once more with numba hidden, as on a machine that has none, so a rule is an ordinary function.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

import allotment.kernel

PREFIX = "allotment.kernel."


@attrs.frozen(repr=False)
class Plain:
    """The modules of the kernel, by name, with none of their rules compiled."""

    modules: dict[str, ModuleType]

    @classmethod
    def load(cls) -> Plain:
        """Return modules of their own, so that what is changed in them is changed nowhere else."""
        names = sorted(path.stem for path in Path(allotment.kernel.__path__[0]).glob("*.py") if path.stem != "__init__")
        kept = {name: module for name, module in sys.modules.items() if name.startswith(PREFIX) or name == "numba"}
        attributes = {name: getattr(allotment.kernel, name) for name in names if hasattr(allotment.kernel, name)}
        for name in kept:
            del sys.modules[name]
        sys.modules["numba"] = None  # type: ignore[assignment]
        try:
            return cls({name: importlib.import_module(PREFIX + name) for name in names})
        finally:
            for name in [name for name in sys.modules if name.startswith(PREFIX) or name == "numba"]:
                del sys.modules[name]
            sys.modules.update(kept)
            for name in names:
                if name in attributes:
                    setattr(allotment.kernel, name, attributes[name])

    def __getattr__(self, name: str) -> Any:
        try:
            return self.modules[name]
        except KeyError:
            raise AttributeError(name) from None

    def everywhere(self, name: str, new: Callable[[Any], Any]) -> None:
        """Replace a rule in every module that knows it; `new` is given the old one."""
        old = {id(vars(module)[name]): vars(module)[name] for module in self.modules.values() if name in vars(module)}
        changed = {key: new(rule) for key, rule in old.items()}
        if not changed:
            raise ValueError(f"no module of the kernel has a rule {name!r}")
        for module in self.modules.values():
            if name in vars(module):
                setattr(module, name, changed[id(vars(module)[name])])

    @contextmanager
    def with_rule(self, name: str, new: Callable[[Any], Any]) -> Iterator[Plain]:
        """Have a rule replaced for a while."""
        before = {key: vars(module).get(name) for key, module in self.modules.items()}
        self.everywhere(name, new)
        try:
            yield self
        finally:
            for key, rule in before.items():
                if rule is not None:
                    setattr(self.modules[key], name, rule)
