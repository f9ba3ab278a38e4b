"""The uncompiled kernel, to break a rule of it on purpose."""

from __future__ import annotations

from tests.kernel.conftest import plain

__all__ = ["plain"]
