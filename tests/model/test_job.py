from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.model.job import claim, gpus_taken, nodes_taken


@pytest.mark.parametrize(
    ("gpus", "taken", "nodes"),
    [(1, 1, 1), (3, 3, 1), (7, 7, 1), (8, 8, 1), (9, 16, 2), (16, 16, 2), (17, 24, 3), (256, 256, 32)],
)
def test_up_to_a_node_as_asked_and_above_it_whole_nodes(gpus: int, taken: int, nodes: int) -> None:
    assert gpus_taken(gpus, 8) == taken
    assert nodes_taken(gpus, 8) == nodes


@given(st.lists(st.integers(1, 5000)), st.integers(1, 16))
def test_an_array_gives_what_its_numbers_give(gpus: list[int], per_node: int) -> None:
    taken = gpus_taken(np.array(gpus, dtype=np.int32), per_node)
    assert taken.dtype == np.int64
    assert taken.tolist() == [gpus_taken(each, per_node) for each in gpus]


@given(st.integers(1, 5000), st.integers(1, 16))
def test_a_gang_stands_on_as_few_nodes_as_hold_it(gpus: int, per_node: int) -> None:
    taken, nodes = gpus_taken(gpus, per_node), nodes_taken(gpus, per_node)
    assert gpus <= taken <= nodes * per_node
    assert taken == nodes * per_node or nodes == 1
    assert (nodes - 1) * per_node < gpus


def test_a_claim_is_what_is_taken_for_the_minimum_runtime() -> None:
    assert claim(gpus=12, gpus_per_node=8, min_runtime=3600) == 16 * 3600
    assert claim(gpus=3, gpus_per_node=8, min_runtime=60) == 180
    assert claim(gpus=512, gpus_per_node=8, min_runtime=0) == 0
