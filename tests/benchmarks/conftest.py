"""Benchmarks take their time, and what they find hangs on the machine: only where ALLOTMENT_BENCHMARKS is set."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("ALLOTMENT_BENCHMARKS") else ["test_*.py"]
