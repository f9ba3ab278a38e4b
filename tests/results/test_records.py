from __future__ import annotations

import numpy as np
import pytest

from allotment.kernel.log import DECISION, JOB_LOG
from allotment.results.records import BLOCK, fields


@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
@pytest.mark.parametrize("dtype", [DECISION, JOB_LOG], ids=["decisions", "jobs"])
def test_every_field_is_an_array_of_its_own_whatever_the_number_of_records(count, dtype):
    random = np.random.default_rng(count)
    records = random.integers(0, 2, (count, dtype.itemsize), np.uint8).view(dtype).ravel()
    found = fields(records)
    assert list(found) == list(dtype.names)
    for name, values in found.items():
        assert values.dtype == dtype[name]
        assert values.flags.c_contiguous
        assert not np.shares_memory(values, records)
        assert values.tolist() == records[name].tolist()
