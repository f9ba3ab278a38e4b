"""Compile the rules with numba where it is installed; without it they are plain Python, slower, with the same results.

numba keeps compiled code in a cache whose key is the file of the function that was called from Python, so a change in
any other file of the kernel would go unnoticed. `entry` therefore mixes a digest of the whole folder into that key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
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
    """Compile a function that only other rules call.

    It gets no wrapper for calls from Python, which would unpack the whole state once more in each, and is compiled
    once for all constants that it is called with: numba would make a version for each of them, in minutes.
    """
    if numba is None:
        return function
    compiled_rule: Any = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)(function)
    if isinstance(compiled_rule, numba.core.dispatcher.Dispatcher):
        resolve = compiled_rule.get_call_template
        unliteral = numba.types.unliteral
        compiled_rule.get_call_template = lambda args, kws: resolve([unliteral(a) for a in args], kws)
    return compiled_rule  # type: ignore[no-any-return]


def entry(build: Callable[[str], Callable[..., Any]]) -> Callable[..., Any]:
    """Compile, with a cache on disk, the function that `build` makes around a digest of this folder's sources."""
    function = build(_sources())
    return numba.njit(cache=True, **OPTIONS)(function) if numba is not None else function


def compiled() -> bool:
    """Tell whether the rules run compiled (numba is installed and not switched off by NUMBA_DISABLE_JIT)."""
    return numba is not None and not numba.config.DISABLE_JIT


def _sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
