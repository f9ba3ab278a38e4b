"""Who reads the first two lines knows the cause and the cheapest remedy, and both are true: worked out by running it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from allotment.presets.why import why
from allotment.units import HOUR, MINUTE
from allotment.views import answers
from tests.explain.planted import SITUATIONS, Planted, run

OTHERS = {"if_share", "if_nodes", "if_preset"}
LIMITS = range(15 * MINUTE, 8 * HOUR + 1, 15 * MINUTE)


@pytest.fixture(scope="module", params=SITUATIONS, ids=[of.name for of in SITUATIONS])
def told(request, tmp_path_factory):
    """Return a situation, its run, what is told of it, and where its files are."""
    folder = tmp_path_factory.mktemp("planted")
    result = run(request.param, folder)
    return request.param, result, why(result, request.param.asked), folder


def waited(result, until: int) -> dict[int, int]:
    """Return how long each job had waited by a moment, from the tables: all its time but what it held GPUs for."""
    found = {}
    for of in result.jobs.fillna({"end": result.horizon}).itertuples():
        end = min(of.end, until)
        mine = result.slices[(result.slices["job"] == of.job).to_numpy()]
        ran = (mine["end"].clip(upper=until) - mine["start"].clip(upper=until)).sum()
        found[int(of.job)] = int(max(end - of.submit, 0) - ran)
    return found


def compared(of: Planted, before: Any, after: Any) -> tuple[int, int, int]:
    """Return how much sooner it is done, how much less it waits, and how much longer all others have waited by then."""
    ends = [
        int(each.jobs["end"].fillna(each.horizon)[each.jobs["job"] == of.asked].iloc[0]) for each in (before, after)
    ]
    one, two = (waited(each, max(ends)) for each in (before, after))
    others = sum(two[job] - one[job] for job in one if job != of.asked)
    return ends[0] - ends[1], one[of.asked] - two[of.asked], others


def changed(of: Planted, **values: Any) -> Planted:
    """Return the situation with something else asked for the job in question."""
    rows = list(of.jobs)
    rows[of.asked] = rows[of.asked] | values
    return attrs.evolve(of, name=f"{of.name}-changed", jobs=tuple(rows))


def as_row(of: Planted, code: str, given: Any) -> dict[str, Any]:
    """Return the row that a remedy comes to."""
    if code == "if_gpus":
        return {"gpus": given["gpus"], "duration_s": given["work"]}
    return {
        "if_min_runtime": lambda: {"min_runtime_s": given["min_runtime"]},
        "if_no_contract": lambda: {"min_runtime_s": 0},
        "if_priority": lambda: {"priority": ("low", "normal", "high", "urgent")[given["priority"] - 1]},
        "if_resumable": lambda: {"resumable": "yes", "checkpoint_s": given["checkpoint"]},
        "if_limit": lambda: {"limit_s": given["limit"]},
    }[code]()


def all_that_could_be_asked(of: Planted) -> Iterator[dict[str, Any]]:
    """Yield far more than is tried: every size, a minimum runtime every quarter of an hour, every priority, checkpoints, limits."""
    row = of.jobs[of.asked]
    for gpus in range(1, row["gpus"]):
        if gpus <= 8 or gpus % 8 == 0:
            yield {"gpus": gpus, "duration_s": -(-row["duration_s"] * row["gpus"] // gpus)}
    yield from ({"min_runtime_s": asked} for asked in (0, *LIMITS))
    yield from ({"priority": name} for name in ("low", "high", "urgent"))
    yield {"resumable": "yes", "checkpoint_s": 30 * MINUTE}
    if row["limit_s"]:
        yield from ({"limit_s": limit} for limit in range(row["duration_s"], row["limit_s"], HOUR))


def test_the_first_line_names_the_cause_and_the_second_the_remedy(told):
    of, _result, found, _folder = told
    assert found.why.code == of.cause
    assert answers.cause(found).startswith(found.why.sentence)
    best = found.remedy
    given = {"code": best.change.code, **best.change.parameters}
    assert {name: given[name] for name in of.remedy} == of.remedy
    text = answers.remedy(found)
    assert best.change.sentence in text
    if best.change.code in OTHERS:
        assert text.startswith("None for its user")
        assert "Waiting is the answer" in text
    else:
        assert text.startswith(best.change.sentence)
        assert "Price: " in text


def test_who_asks_for_the_remedy_from_the_start_is_done_as_it_says_at_the_price_that_it_says(told):
    of, result, found, folder = told
    best = found.remedy
    if best.change.code in OTHERS:
        return
    after = run(changed(of, **as_row(of, best.change.code, best.change.parameters)), folder)
    sooner, less, others = compared(of, result, after)
    assert (sooner, less, others) == (best.done_sooner, best.queued_saved, best.others_wait)


def test_nothing_that_could_be_asked_halves_the_delay_for_less(told):
    of, result, found, folder = told
    best = found.remedy
    price = max(best.others_wait, 0)
    for values in all_that_could_be_asked(of):
        sooner, less, others = compared(of, result, run(changed(of, **values), folder))
        if best.change.code in OTHERS:
            assert not (sooner >= 60 and less > -60), values
        elif 2 * sooner >= best.delay:
            assert max(others, 0) >= price, values
