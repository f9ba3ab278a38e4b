"""The command that serves the workbench, up to where the server begins."""

from __future__ import annotations

import pytest

from allotment.cli import serving
from allotment.views.workbench import serve


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What servers were begun with, none of which begins."""
    found: list[dict[str, object]] = []
    monkeypatch.setattr(serving, "prepare", lambda _tell: None)
    monkeypatch.setattr(serve, "serve", lambda scenario, **options: found.append({"scenario": scenario, **options}))
    return found


def test_pages_are_kept_for_a_minute_after_people_have_left_or_as_long_as_is_said(shell, begun):
    assert shell("serve", "--no-browser").status == 0
    assert shell("serve", "--no-browser", "--keep=5", "--sweep=2").status == 0
    assert [(each["keep"], each["sweep"]) for each in begun] == [(serve.KEEP, serve.SWEEP), (5, 2)]
    assert (serve.KEEP, serve.SWEEP) == (60, 10)


@pytest.mark.parametrize("option", ["--keep", "--sweep"])
def test_pages_are_kept_for_a_second_at_least(shell, begun, option):
    ended = shell("serve", option, 0)
    assert ended.status == 2
    assert option in ended.err
    assert begun == []
