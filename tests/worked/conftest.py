"""The uncompiled kernel, for rules that are called one by one."""

from __future__ import annotations

from tests.kernel.conftest import plain

__all__ = ["plain"]
