"""A shell in which commands are typed."""

from __future__ import annotations

import pytest

from allotment.experiment.prepare import prepare
from tests.cli.typed import Shell


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Whoever comes first would be told that the scheduler is compiled."""
    prepare()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setenv("COLUMNS", "80")
    return Shell(monkeypatch, capsys)
