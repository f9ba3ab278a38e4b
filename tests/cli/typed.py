"""Type a command and get what it printed and the status that it ended with, without a new process."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest

from allotment.cli import main

DAYS = ("--days", "1")  # enough for most tests


@attrs.frozen
class Ended:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Types commands; `small` is the smallest scenario of the presets, cut short."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ended:
        self._monkeypatch.setattr("sys.argv", ["allotment", *map(str, arguments)])
        self._capsys.readouterr()
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        printed = self._capsys.readouterr()
        return Ended(status, printed.out, printed.err)

    def small(self, *more: object) -> Ended:
        return self("simulate", "small-week", *DAYS, *more)
