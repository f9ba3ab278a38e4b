"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def traces() -> Path:
    """The folder of real histories, read in place: $ALLOTMENT_TRACES, else ../shared/traces beside the checkout."""
    folder = Path(os.environ.get("ALLOTMENT_TRACES") or ROOT.parent / "shared" / "traces")
    if folder.is_dir():
        return folder
    reason = f"there are no real histories in {str(folder)!r}; set ALLOTMENT_TRACES to the folder that holds them"
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(reason)
    pytest.skip(reason)
