"""A cluster: so many nodes of so many GPUs, the scheduler's cycle, and how its nodes break and are repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

import attrs

from allotment.errors import ValueProblems
from allotment.model.checks import at_least, between, finite, one_line
from allotment.model.shares import exact_share
from allotment.model.typed import typed
from allotment.units import HOUR, MINUTE, Seconds

MOST_NODES = 20_000
MOST_GPUS_PER_NODE = 128

_SIZE = re.compile(r"\s*(\d{1,6})\s*[xX]\s*(\d{1,4})\s*", re.ASCII)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Health:
    """How nodes fail and who repairs them. Durations are whole seconds."""

    hard_mtbf: Seconds = attrs.field(validator=at_least(MINUTE))
    """Mean time until one node fails hard, so that its jobs die; exponential."""
    unhealthy_mtbf: Seconds = attrs.field(validator=at_least(MINUTE))
    """Mean time until one node turns unhealthy, so that it must be emptied for repair; exponential."""
    urgent_share: Fraction = attrs.field(default=Fraction(1, 10), converter=exact_share, validator=between(0, 1))
    """The part of the unhealthy cases that cannot wait for the jobs."""
    repair: Seconds = attrs.field(default=4 * HOUR, validator=at_least(1))
    """How long a repair lasts in the median; log-normal."""
    repair_spread: float = attrs.field(default=1.2, converter=float, validator=[finite, between(0, 5)])
    """The standard deviation of the natural logarithm of the time of repair; 0 is always the median."""
    person_time: Seconds = attrs.field(default=HOUR, validator=at_least(0))
    """How long an engineer on call needs for an intervention: on an urgent case, or on a node that does not drain."""
    drain_patience: Seconds = attrs.field(default=2 * HOUR, validator=at_least(0))
    """How long a node may take to drain before an engineer intervenes, under a policy without contracts."""
    engineers: int = attrs.field(default=2, validator=at_least(1))
    """Engineers on call, each of whom intervenes in one case at a time."""
    crews: int = attrs.field(default=2, validator=at_least(1))
    """Crews that repair, each of them one node at a time."""
    source: str = ""
    """Where the figures come from."""
    notes: str = ""
    """What more there is to say about them."""


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Cluster:
    """Nodes that are all alike, and which of the figures about them are published."""

    name: str = attrs.field(validator=one_line())
    """What the cluster is called."""
    title: str = ""
    """One line that says what it is."""
    gpu: str = attrs.field(default="GPU", validator=one_line())
    """The model of its GPUs."""
    nodes: int = attrs.field(validator=between(1, MOST_NODES))
    """How many machines there are."""
    gpus_per_node: int = attrs.field(default=8, validator=between(1, MOST_GPUS_PER_NODE))
    """How many GPUs each machine has."""
    cycle: Seconds = attrs.field(default=30, validator=between(1, HOUR))
    """The grid on which the scheduler decides: it makes a pass every so often."""
    health: Health | None = None
    """How nodes break and are repaired; null means that nothing ever breaks."""
    public: tuple[str, ...] = attrs.field(default=(), converter=_names)
    """The figures that are published, by their field; those of `health` as health.repair."""
    illustrative: tuple[str, ...] = attrs.field(default=(), converter=_names)
    """The figures that are made up, by their field; those of `health` as health.repair."""
    source: str = ""
    """Where the figures come from."""
    notes: str = ""
    """What more there is to say about them."""

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
