"""How many random runs a test of a law makes: few and always the same in the usual case, others and many in a hunt."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

TIMES = int(os.environ.get("ALLOTMENT_LAWS_TIMES", "0"))  # 100, say, to hunt for hours


def runs(count: int) -> settings:
    """Return Hypothesis's settings for a test that makes `count` runs where nobody asks for more.

    What fails is not made simpler then, which would take minutes; a hunt does it.
    """
    return settings(
        max_examples=count * max(TIMES, 1),
        derandomize=TIMES == 0,
        phases=list(Phase) if TIMES else [Phase.explicit, Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
