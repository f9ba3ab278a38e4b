from __future__ import annotations

import pytest

from allotment.errors import ValueProblems
from allotment.model.cluster import Cluster, Health, figures
from allotment.units import DAY


@pytest.mark.parametrize(("text", "nodes", "per_node"), [("64x8", 64, 8), (" 2 X 4 ", 2, 4), ("1x1", 1, 1)])
def test_a_size_stands_for_a_cluster_that_never_breaks(text: str, nodes: int, per_node: int) -> None:
    cluster = Cluster.parse(text)
    assert (cluster.nodes, cluster.gpus_per_node, cluster.gpus) == (nodes, per_node, nodes * per_node)
    assert cluster.health is None
    assert cluster.name == f"{nodes}x{per_node}"


@pytest.mark.parametrize("text", ["", "64", "64x", "x8", "64x8x2", "-1x8", "6.4x8", "٦x8", "64x8\n1"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="as in '64x8'"):
        Cluster.parse(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nodes", 0),
        ("nodes", 20_001),
        ("gpus_per_node", 0),
        ("gpus_per_node", 129),
        ("cycle", 0),
        ("cycle", 3_601),
        ("name", ""),
    ],
)
def test_each_bound_names_the_field_and_the_value(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{field} must be .*{value!r}"):
        Cluster(**{"name": "c", "nodes": 1, field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hard_mtbf", 59),
        ("unhealthy_mtbf", 0),
        ("urgent_share", 1.5),
        ("repair", 0),
        ("repair_spread", float("nan")),
        ("repair_spread", float("inf")),
        ("repair_spread", -1),
        ("person_time", -1),
        ("engineers", 0),
        ("crews", 0),
    ],
)
def test_each_bound_of_health_names_the_field(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{field} must be"):
        Health(**{"hard_mtbf": DAY, "unhealthy_mtbf": DAY, field: value})


def test_a_figure_is_published_or_made_up_and_not_both() -> None:
    assert "nodes" in figures()
    assert "health.repair" in figures()
    assert "title" not in figures()
    with pytest.raises(ValueProblems) as caught:
        Cluster(name="c", nodes=1, public=["nodes", "colour"], illustrative=["nodes"])
    assert len(caught.value.problems) == 2
    assert caught.value.problems[0].startswith("'colour' is no figure of a cluster; there are gpu, nodes")
    assert caught.value.problems[1] == "'nodes' is both public and illustrative"
