"""A shell in which commands are typed."""

from __future__ import annotations

import pytest

from tests.cli.typed import Shell


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setenv("COLUMNS", "80")
    return Shell(monkeypatch, capsys)
