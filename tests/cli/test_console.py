"""Progress where there is no terminal, and what is printed beside the results."""

from __future__ import annotations

import pytest

from allotment.cli import console
from allotment.cli.console import Display, complain, remark


@pytest.fixture
def clock(monkeypatch):
    """Let ten seconds pass whenever somebody looks at the clock."""
    seconds = iter(range(0, 10**6, 10))
    monkeypatch.setattr(console.time, "monotonic", lambda: next(seconds))


def test_without_a_terminal_a_line_tells_progress_now_and_then(capsys, clock):
    with Display() as display:
        display.phase("simulating")
        display.tell(1, 4)
        display.tell(2, 4)
    assert capsys.readouterr() == ("", "simulating: 25 %\nsimulating: 50 %\n")


def test_what_is_done_in_a_moment_tells_nothing(capsys):
    with Display() as display:
        display.phase("simulating")
        display.tell(1, 4)
    assert capsys.readouterr() == ("", "")


def test_markup_in_messages_is_text(capsys):
    complain("[red]no[/red] :smile:")
    remark("[b]x[/b]")
    assert capsys.readouterr() == ("", "error: [red]no[/red] :smile:\n[b]x[/b]\n")


def test_a_long_message_is_one_line(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    complain("x " * 100)
    assert capsys.readouterr().err.count("\n") == 1
