"""Open the workbench on a server of its own."""

from __future__ import annotations

import sys

from allotment.cli.console import Display
from allotment.cli.running import on_compiling
from allotment.errors import AllotmentError, NotFoundError
from allotment.experiment.prepare import prepare
from allotment.presets import load_scenario


def run(scenario: str, *, port: int, address: str, browser: bool, keep: int, sweep: int) -> None:
    """Serve the workbench until Ctrl-C. Raises AllotmentError where it cannot."""
    load_scenario(scenario)  # so that a mistake is told here and not on a page
    try:
        from allotment.views.workbench.serve import PATH, serve
    except ImportError as error:
        raise NotFoundError(
            f"the workbench needs {error.name!r}, which is not installed; install 'allotment[lab]'"
        ) from None
    with Display() as display:
        prepare(on_compiling(display))
    sys.stderr.write(f"the workbench is at http://{address}:{port}/{PATH}; Ctrl-C ends it\n")
    try:
        serve(scenario, port=port, address=address, show=browser, keep=keep, sweep=sweep)
    except OSError as error:
        raise AllotmentError(f"cannot listen at {address}:{port}: {error.strerror}; try another --port") from None
