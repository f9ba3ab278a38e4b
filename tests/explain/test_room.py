"""When there may be a chance: a range where use fades, and a true word where no time can be given."""

from __future__ import annotations

import attrs
import pytest

from allotment.explain.answer import why
from allotment.explain.reasons import reason
from allotment.explain.rerun import Rerun, subject
from allotment.explain.room import _use_of, next_chance
from allotment.explain.turn import line_at
from allotment.presets import load_policy
from allotment.presets.simulate import simulate
from allotment.units import DAY, HOUR


def fading(half_life):
    policy = load_policy("budgets")
    return attrs.evolve(policy, window=attrs.evolve(policy.window, half_life=half_life))


@pytest.fixture(scope="module", params=[None, DAY, 3 * DAY])
def unfunded(request):
    """Return the answers for jobs that lacked funds, at the moment at which they did, with the result."""
    result = simulate("small-week", policy=fading(request.param), days=3)
    found = []
    for job in result.jobs.sort_values("queued")["job"].tolist()[::-7]:
        told = why(result, job, what_if=False)
        if told.why is not None and told.why.code in ("headroom", "overdrawn"):
            found.append(told)
        if len(found) == 8:
            break
    return request.param, result, found


def test_where_use_fades_the_chance_is_a_range_that_begins_after_the_moment(unfunded):
    half_life, _result, found = unfunded
    assert len(found) >= 3
    for told in found:
        of = told.next.parameters
        if half_life is None:
            assert told.next.code in ("next_window", "next_window_late")
        elif told.next.code == "next_fading":
            assert told.at < of["time"] <= of["latest"] <= told.at + 7 * DAY
            assert of["half_life"] == half_life
    if half_life is not None:
        assert any(told.next.code == "next_fading" for told in found)


def test_the_use_that_fades_is_what_the_scheduler_counts(unfunded):
    _half_life, result, found = unfunded
    rerun = Rerun(result)
    for told in found:
        level = told.why.parameters["level"]
        line = line_at(rerun, told.at)
        used = int(line.glance.tree[line.paths.index(level)]["used"])
        now = _use_of(line, level, rerun, told.at)(line.glance.time)
        assert now == pytest.approx(used, rel=0.002, abs=8 * 60)
        later = [_use_of(line, level, rerun, told.at)(told.at + hours * HOUR) for hours in (1, 6, 24)]
        assert later == sorted(later, reverse=True)


def test_no_code_says_merely_that_no_time_is_known(unfunded):
    _half_life, _result, found = unfunded
    assert all(told.next.code != "next_unknown" for told in found)


def test_what_waits_for_a_repair_or_under_a_limit_is_told_that():
    result = simulate("small-week", policy="fifo", days=1)
    rerun = Rerun(result)
    of = subject(result, int(result.jobs.sort_values("queued")["job"].iloc[-1]))
    line = line_at(rerun, of.submit + HOUR)
    broken = attrs.evolve(line.glance, nodes=line.glance.nodes.copy())
    broken.nodes["down"] = 1
    told = next_chance(attrs.evolve(line, glance=broken), of, reason("too_few_nodes", shape=of.shape), rerun, of.submit)
    assert told.code == "next_repair"
    idle = attrs.evolve(line, glance=attrs.evolve(line.glance, slices=line.glance.slices[:0]))
    told = next_chance(idle, of, reason("slot_limit", level=of.team, held=0, limit=1, gpus=8), rerun, of.submit)
    assert told.code == "next_limit_never"
