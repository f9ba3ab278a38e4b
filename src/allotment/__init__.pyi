from allotment.errors import AllotmentError as AllotmentError
from allotment.errors import SkippedRowsWarning as SkippedRowsWarning
from allotment.experiment.fleet import simulate_fleet as simulate_fleet
from allotment.experiment.shares import with_shares as with_shares
from allotment.experiment.simulate import Interrupted as Interrupted
from allotment.experiment.simulate import variant as variant
from allotment.interop.result_files import read as read_result
from allotment.interop.result_files import save as save_result
from allotment.lessons.theories import theories as theories
from allotment.presets import list_presets as list_presets
from allotment.presets import load_cluster as load_cluster
from allotment.presets import load_fleet as load_fleet
from allotment.presets import load_plan as load_plan
from allotment.presets import load_policy as load_policy
from allotment.presets import load_scenario as load_scenario
from allotment.presets.simulate import simulate as simulate
from allotment.presets.why import why as why
from allotment.results.result import Result as Result
from allotment.scenario import Scenario as Scenario
from allotment.views.workbench.page import Workbench as Workbench

__all__ = [
    "AllotmentError",
    "Interrupted",
    "Result",
    "Scenario",
    "SkippedRowsWarning",
    "Workbench",
    "list_presets",
    "load_cluster",
    "load_fleet",
    "load_plan",
    "load_policy",
    "load_scenario",
    "read_result",
    "save_result",
    "simulate",
    "simulate_fleet",
    "theories",
    "variant",
    "why",
    "with_shares",
]
