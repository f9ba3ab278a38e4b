"""The command line: `allotment presets | simulate | check | bench | schema`."""

from allotment.cli.app import main

__all__ = ["main"]
