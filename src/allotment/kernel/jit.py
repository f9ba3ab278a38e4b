"""Compile the rules with numba where it is installed; without it they are plain Python, slower, with the same results.

numba keeps compiled code in a cache whose key is the file of the function that was called from Python, so a change in
any other file of the kernel would go unnoticed. `entry` therefore mixes a digest of the whole folder into that key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# the rules allocate nothing, so counting references is off, which halves the time to compile
OPTIONS = {"_nrt": False, "error_model": "numpy"}

try:
    import numba
except ImportError:  # pragma: no cover - tried in the tests by hiding the package
    numba = None


def rule(function: F) -> F:
    """Compile a function that only other rules call, as part of each that calls it.

    It gets no wrapper for calls from Python, which would unpack the whole state once more in each, and is compiled
    once for all constants that it is called with: numba would make a version for each of them, in minutes.
    """
    return _compile(function, inline=True)


def large_rule(function: F) -> F:
    """Compile a function that is called from many places, or is long, once for all of them.

    A call hands over every array of the state, some fifty nanoseconds, which is why small rules are made part of
    their callers instead.
    """
    return _compile(function, inline=False)


def _compile(function: F, inline: bool) -> F:
    if numba is None:
        return function
    compiled_rule: Any = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=inline, **OPTIONS)(
        function
    )
    if isinstance(compiled_rule, numba.core.dispatcher.Dispatcher):
        resolve = compiled_rule.get_call_template
        unliteral = numba.types.unliteral
        compiled_rule.get_call_template = lambda args, kws: resolve([unliteral(a) for a in args], kws)
    return compiled_rule


def entry(build: Callable[[str], Callable[..., Any]]) -> Callable[..., Any]:
    """Compile, with a cache on disk, the function that `build` makes around a digest of this folder's sources.

    Its first argument is what `passed` makes of a state, of which `received` makes the state again.
    """
    function = build(_sources())
    # other threads go on meanwhile: a served page answers while runs are under way, and two policies run at once
    return numba.njit(cache=True, nogil=True, **OPTIONS)(function) if numba is not None else function


def passed(state: Any) -> Any:
    """Return what stands for a state in a call of an entry: its addresses where the rules run compiled."""
    return state.addresses if compiled() else state


def compiled() -> bool:
    """Tell whether the rules run compiled (numba is installed and not switched off by NUMBA_DISABLE_JIT)."""
    return numba is not None and not numba.config.DISABLE_JIT


def _same(state: Any) -> Any:
    return state


received: Any = _same  # what was `passed`, as the rules take it

if compiled():
    from allotment.kernel.handle import state_at

    received = state_at


def is_ready(function: Callable[..., Any]) -> bool:
    """Tell whether a function that `entry` made runs without being compiled, or loaded from the cache, first."""
    stats = getattr(function, "stats", None)
    return not compiled() or stats is None or bool(stats.cache_hits or stats.cache_misses)


@contextmanager
def watch_compiling(tell: Callable[[int, int], None]) -> Iterator[None]:
    """Tell how many of how many rules are compiled, whenever one is begun or done; nothing if none has to be.

    How many there are is counted in the sources, so it is only about right.
    """
    if not compiled():
        yield
        return
    rules = 1 + sum(len(re.findall(rb"^@\w*rule$", text, re.MULTILINE)) for text in _texts())  # and the entry
    done = 0

    class Listener(numba.core.event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            tell(done, rules)

        def on_end(self, event: Any) -> None:
            nonlocal done
            done = min(done + 1, rules)
            tell(done, rules)

    with numba.core.event.install_listener("numba:compile", Listener()):
        yield


def _texts() -> list[bytes]:
    return [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]


def _sources() -> str:
    return hashlib.sha256(b"".join(_texts())).hexdigest()
