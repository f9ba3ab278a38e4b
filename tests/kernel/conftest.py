"""The kernel uncompiled, for tests that call its rules one by one."""

from __future__ import annotations

import pytest

from tests.kernel.plain import Plain


@pytest.fixture(scope="session")
def plain() -> Plain:
    return Plain.load()
