"""A scenario whose jobs were recorded, on the page: they run, every row that is left out is told, and a missing file is, too."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from allotment.errors import AllotmentError
from allotment.presets.simulate import simulate
from allotment.views.workbench.page import Workbench

SCENARIO = """
format: 1
name: recorded
cluster: 4x8
policy: budgets
warmup: 0s
measured: 1d
plan: {name: teams, children: [{id: vision, share: 0.5}, {id: speech, share: 0.4}]}
workload: [{type: recorded, name: jobs, path: jobs.csv, contract: none}]
"""
JOBS = """job_id,team,submit_s,gpus,duration_s
1,vision,0,8,3600
2,speech,60,4,7200
3,vision,120,none,600
4,speech,180,32,1800
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "recorded.yaml").write_text(SCENARIO)
    (tmp_path / "jobs.csv").write_text(JOBS)
    return tmp_path / "recorded.yaml"


def opened(*given, **more) -> Workbench:
    """Return a page that belongs to no event loop, whatever loop another test has left in this thread."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(Workbench, *given, **more).result()


def test_recorded_jobs_run_on_the_page_as_they_do_without_it_and_rows_left_out_are_told(path):
    page = opened(path)
    late = time.monotonic() + 120
    while page._course.latest is None or page._course.latest.state not in ("finished", "failed"):
        assert time.monotonic() < late
        time.sleep(0.02)
    assert page._course.latest.problem == ""
    with pytest.warns(match="skipped 1"):
        alone = simulate(path)
    assert page.results[-1].jobs[["job", "submit", "waited"]].equals(alone.jobs[["job", "submit", "waited"]])
    assert "4 rows read, 3 jobs used" in page._read.text
    assert "skipped 1: " in page._read.text
    assert page._read.visible
    page.close()


def test_without_the_file_the_page_is_not_opened_and_it_is_said_which_is_missing(path):
    (path.parent / "jobs.csv").unlink()
    with pytest.raises(AllotmentError, match=r"jobs\.csv"):
        opened(path)


def test_a_scenario_without_recordings_says_nothing_of_rows():
    page = opened("small-week", run=False)
    assert not page._read.visible
    page.close()
