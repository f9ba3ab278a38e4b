"""Several people at one `allotment serve`: each gets what they asked for, and nobody waits for a run that does not end."""

from __future__ import annotations

import pytest

from allotment.presets.simulate import simulate
from allotment.views.workbench.settings import Settings, from_link
from tests.visitors import Visitor, serving, table

pytestmark = pytest.mark.slow
DAYS = 3
WISHES = ((101, "75", "fifo"), (102, "60", "quota"), (103, "25", "budgets"))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("served"), "small-week", "--keep=1", "--sweep=1") as found:
        yield found


def opened(server, **settings):
    visitor = Visitor(server.url, Settings(**settings))
    visitor.until(lambda: visitor.waits and visitor.state.startswith("finished"))
    return visitor


def alone(seed, percent, policy):
    """Return what Python alone says of these settings."""
    part = float(percent) / 100
    shares = {"biology": f"{part:.2f}", "climate": f"{1 - part:.2f}"}
    runs = [simulate("small-week", days=DAYS, seed=seed, policy=name, shares=shares) for name in ("priority", policy)]
    return table(runs)


def test_each_visitor_gets_what_python_alone_says_beside_a_run_that_does_not_end(server):
    endless = opened(server, days=DAYS)
    endless.set("Speed", "10 min a second")
    endless.press("Run")
    endless.until(lambda: endless.state.startswith("running"))
    visitors = [opened(server, days=DAYS) for _ in WISHES]
    for visitor, (seed, percent, policy) in zip(visitors, WISHES, strict=True):
        visitor.edit(type="unit", unit="parent")
        visitor.edit(type="set_share", id="biology", value=percent)
        visitor.set("Seed", seed)
        visitor.set("Policy B (solid)", policy)
    expected = [alone(*wish) for wish in WISHES]
    for visitor, wanted in zip(visitors, expected, strict=True):
        visitor.until(lambda visitor=visitor, wanted=wanted: visitor.waits == wanted)
    assert len({str(each) for each in expected}) == len(WISHES)
    links = [from_link(visitor.link) for visitor in visitors]
    assert [(each.seed, each.second) for each in links] == [(seed, policy) for seed, _, policy in WISHES]
    assert [visitor.share("biology") for visitor in visitors] == [f"{percent}.0 %" for _, percent, _ in WISHES]
    assert endless.state.startswith("running")
    assert from_link(endless.link) == Settings(days=DAYS)
    for visitor in (endless, *visitors):
        visitor.leave()


def test_who_is_gone_in_the_midst_of_a_run_leaves_no_line_in_the_log(server):
    for speed in ("10 min a second", "6 h a second"):
        visitor = opened(server, days=DAYS)
        visitor.set("Speed", speed)
        visitor.press("Run")
        visitor.until(lambda visitor=visitor: visitor.state.startswith("running"))
        visitor.vanish()
    opened(server, days=DAYS).leave()
    said = server.log.read_text().splitlines()
    assert [line for line in said if "compiling" not in line][1:] == [], said


def test_a_page_that_is_not_ours_gets_a_sentence_or_nothing_and_leaves_no_traceback(server):
    before = len(server.log.read_text())
    visitor = opened(server, days=DAYS)
    names = ("<img src=x onerror=alert(1)>", "=1+1", "__class__", "x" * 100_000, "\u202eabc", "a\0b", "\ud800", 7, None)
    intents = [{"type": "add", "parent": "root", "name": name} for name in names]
    intents += [{}, {"type": ["x"]}, {"type": "accept", "author": "\ud800", "reason": "x"}]
    for number, intent in enumerate(intents):
        visitor.edit(**intent, token=f"x:{number}")
        visitor.until(lambda number=number: visitor.heard == f"x:{number}")
    visitor.edit(type="select", id="root", token="x" * 10**6)
    visitor.until(lambda: visitor.heard == "")
    for nothing in (3, "x", [1]):
        visitor._ask(lambda nothing=nothing: visitor._tell(visitor._editor, "intent", nothing))
    for title, value in (("Cluster", "/etc/passwd"), ("Seed", -1), ("Days measured", "x"), ("Speed", None)):
        visitor.set(title, value)
    visitor.set("Highlight a job", "9" * 5000)
    visitor.until(lambda: visitor.line("a job is highlighted by its number"))
    visitor.set("Policy B (solid)", "fifo")
    visitor.until(lambda: from_link(visitor.link).second == "fifo" and visitor.state.startswith("finished"))
    assert [child.name for child in from_link(visitor.link).plan.children][2:] == list(names[:3])
    visitor.leave()
    assert "Traceback" not in server.log.read_text()[before:]
