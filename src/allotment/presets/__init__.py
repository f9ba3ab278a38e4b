"""Ready-made clusters, plans, policies, workloads, scenarios and fleets, by name."""

from allotment.presets.catalogue import (
    Preset,
    list_presets,
    load_cluster,
    load_fleet,
    load_plan,
    load_policy,
    load_scenario,
    load_workload,
)

__all__ = [
    "Preset",
    "list_presets",
    "load_cluster",
    "load_fleet",
    "load_plan",
    "load_policy",
    "load_scenario",
    "load_workload",
]
