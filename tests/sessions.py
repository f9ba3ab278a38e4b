"""Processes of a session, so that a test can tell whether any was left behind."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

ONLY_LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


HEARING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def hearing(*command: str) -> list[str]:
    """Return a command whose process hears Ctrl-C, also where the tests run in the background, which does not."""
    return [sys.executable, "-c", HEARING, *command]


def of_session(leader: int) -> set[int]:
    """Return the processes of a session that are not over."""
    found = set()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(session) == leader and state != "Z":
            found.add(int(folder.name))
    return found


def gone(leader: int, within: float = 10) -> bool:
    """Return whether all processes of a session are over within so many seconds."""
    late = time.monotonic() + within
    while of_session(leader):
        if time.monotonic() > late:
            return False
        time.sleep(0.05)
    return True
