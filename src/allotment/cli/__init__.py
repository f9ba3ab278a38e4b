"""The command line: `allotment presets | simulate | check | bench | reproduce | sensitivity | theories | schema`."""

from __future__ import annotations

import sys

__all__ = ["STOPPED", "main"]

STOPPED = 130  # what a shell makes of a program that Ctrl-C ended


def main() -> None:
    """Run the command that was typed. Ctrl-C ends it with one line, also while it is still loading what it needs."""
    try:
        from allotment.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped by Ctrl-C\n")
        raise SystemExit(STOPPED) from None
