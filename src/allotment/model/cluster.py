"""A cluster: so many nodes of so many GPUs, the scheduler's cycle, and how its nodes break and are repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

import attrs

from allotment.errors import ValueProblems
from allotment.model.checks import at_least, between, finite, one_line
from allotment.model.shares import exact_share
from allotment.units import HOUR, MINUTE, Seconds

MOST_NODES = 20_000
MOST_GPUS_PER_NODE = 128

_SIZE = re.compile(r"\s*(\d{1,6})\s*[xX]\s*(\d{1,4})\s*", re.ASCII)


@attrs.frozen(kw_only=True)
class Health:
    """How nodes fail and who repairs them. Durations are whole seconds.

    A node fails hard (its jobs die) about every `hard_mtbf`, and turns unhealthy (it must be emptied for repair)
    about every `unhealthy_mtbf`; both are exponential. `urgent_share` of the unhealthy cases cannot wait for the jobs.
    A repair lasts `repair` in the median, log-normal with a sigma of `repair_spread`, and needs one of `crews`.
    One of `engineers` on call needs `person_time` for each intervention: on an urgent case and, under a policy without
    contracts, on a node that has not drained within `drain_patience`.
    """

    hard_mtbf: Seconds = attrs.field(validator=at_least(MINUTE))
    unhealthy_mtbf: Seconds = attrs.field(validator=at_least(MINUTE))
    urgent_share: Fraction = attrs.field(default=Fraction(1, 10), converter=exact_share, validator=between(0, 1))
    repair: Seconds = attrs.field(default=4 * HOUR, validator=at_least(1))
    repair_spread: float = attrs.field(default=1.2, converter=float, validator=[finite, between(0, 5)])
    person_time: Seconds = attrs.field(default=HOUR, validator=at_least(0))
    drain_patience: Seconds = attrs.field(default=2 * HOUR, validator=at_least(0))
    engineers: int = attrs.field(default=2, validator=at_least(1))
    crews: int = attrs.field(default=2, validator=at_least(1))
    source: str = ""
    notes: str = ""


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


@attrs.frozen(kw_only=True)
class Cluster:
    """Nodes that are all alike. `public` and `illustrative` name the figures that are published and those made up.

    `cycle` is the grid on which the scheduler decides, in seconds. `health` None means that nothing ever breaks.
    Figures are named by their field, those of `health` as ``health.repair``.
    """

    name: str = attrs.field(validator=one_line())
    title: str = ""
    gpu: str = attrs.field(default="GPU", validator=one_line())
    nodes: int = attrs.field(validator=between(1, MOST_NODES))
    gpus_per_node: int = attrs.field(default=8, validator=between(1, MOST_GPUS_PER_NODE))
    cycle: Seconds = attrs.field(default=30, validator=between(1, HOUR))
    health: Health | None = None
    public: tuple[str, ...] = attrs.field(default=(), converter=_names)
    illustrative: tuple[str, ...] = attrs.field(default=(), converter=_names)
    source: str = ""
    notes: str = ""

    def __attrs_post_init__(self) -> None:
        known = figures()
        problems = [
            f"{name!r} is no figure of a cluster; there are {', '.join(known)}"
            for name in (*self.public, *self.illustrative)
            if name not in known
        ]
        problems += [f"{name!r} is both public and illustrative" for name in self.public if name in self.illustrative]
        if problems:
            raise ValueProblems(problems)

    @property
    def gpus(self) -> int:
        """All GPUs of the cluster, healthy or not."""
        return self.nodes * self.gpus_per_node

    @classmethod
    def parse(cls, text: str) -> Cluster:
        """Return the bare cluster that ``"64x8"`` stands for: 64 nodes of 8 GPUs, which never break.

        >>> Cluster.parse("64x8").gpus
        512
        """
        match = _SIZE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a cluster; write nodes x GPUs per node, as in '64x8'")
        nodes, gpus_per_node = int(match[1]), int(match[2])
        title = f"{nodes} nodes of {gpus_per_node} GPUs"
        return cls(name=f"{nodes}x{gpus_per_node}", title=title, nodes=nodes, gpus_per_node=gpus_per_node)


def figures() -> tuple[str, ...]:
    """Return the names of the figures of a cluster that are either published or made up."""
    words = {"title", "name", "health", "public", "illustrative", "source", "notes"}
    own = [field.name for field in attrs.fields(Cluster) if field.name not in words]
    return tuple(own + [f"health.{field.name}" for field in attrs.fields(Health) if field.name not in words])
