"""Serve the commons game, and say where it is joined and led."""

from __future__ import annotations

import sys

from allotment.cli.console import Display
from allotment.cli.running import on_compiling
from allotment.cli.serving import try_to_listen
from allotment.errors import AllotmentError, NotFoundError
from allotment.experiment.prepare import prepare
from allotment.lessons.game.setting import Setting


def run(setting: Setting, *, port: int, address: str, keep: int, sweep: int) -> None:
    """Serve a game until Ctrl-C. Raises AllotmentError where it cannot."""
    if address in ("0.0.0.0", ""):  # noqa: S104 - it is refused
        raise AllotmentError(
            "address must be the one by which players reach this machine, such as 192.168.1.5, as the link leads there; "
            f"not {address!r}"
        )
    try_to_listen(address, port)
    try:
        from allotment.views.game.serve import links, serve
    except ImportError as error:
        raise NotFoundError(
            f"the game needs {error.name!r}, which is not installed; install 'allotment[lab]'"
        ) from None
    with Display() as display:
        prepare(on_compiling(display))
    at = links(address, port)
    sys.stderr.write(
        f"players join at  {at.play}\nthe facilitator's screen, for you alone:  {at.lead}\nCtrl-C ends the game\n"
    )
    try:
        serve(setting, at, port=port, address=address, keep=keep, sweep=sweep)
    except OSError as error:
        raise AllotmentError(f"cannot listen at {address}:{port}: {error.strerror}; try another --port") from None
