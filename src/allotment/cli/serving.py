"""Open the workbench on a server of its own."""

from __future__ import annotations

import errno
import os
import re
import socket
import sys
from collections.abc import Sequence

from allotment.cli.console import Display
from allotment.cli.running import on_compiling
from allotment.errors import AllotmentError, NotFoundError
from allotment.experiment.prepare import prepare
from allotment.formats import short
from allotment.presets import load_scenario

HOST = re.compile(r"[\w.-]{1,253}(:\d{1,5})?")


def run(
    scenario: str,
    *,
    port: int,
    address: str,
    browser: bool,
    keep: int,
    sweep: int,
    hosts: Sequence[str],
    most_jobs: int,
) -> None:
    """Serve the workbench until Ctrl-C. Raises AllotmentError where it cannot."""
    load_scenario(scenario)  # so that a mistake is told here and not on a page
    for host in hosts:
        check_host(host)
    try_to_listen(address, port)
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
        serve(
            scenario,
            port=port,
            address=address,
            show=browser,
            keep=keep,
            sweep=sweep,
            hosts=hosts,
            most_jobs=most_jobs,
        )
    except OSError as error:
        raise _deaf(address, port, error) from None


def check_host(host: str) -> None:
    """Raise AllotmentError for what is no name of a host, with a port or without."""
    if host != "*" and not HOST.fullmatch(host):
        raise AllotmentError(
            f"--allow-host takes a name such as gpu.example.org or gpu.example.org:8443, not {short(repr(host), 60)}"
        )


def try_to_listen(address: str, port: int) -> None:
    """Listen for a moment, so that nobody is told of an address that is none. Raises AllotmentError where that cannot be."""
    try:
        place = socket.getaddrinfo(address, port, family=socket.AF_INET, type=socket.SOCK_STREAM)[0][4]
    except (OSError, UnicodeError):
        raise AllotmentError(
            f"there is no address {short(address, 60)!r} to listen at; try --address 127.0.0.1, which this machine alone "
            "reaches, or the IPv4 address or the name by which others reach it"
        ) from None
    with socket.socket() as tried:
        if os.name != "nt":  # where it would allow what is taken
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(place)
        except OSError as error:
            raise _deaf(address, port, error) from None


def _deaf(address: str, port: int, error: OSError) -> AllotmentError:
    other = "address" if error.errno == errno.EADDRNOTAVAIL else "port"
    return AllotmentError(f"cannot listen at {address}:{port}: {error.strerror}; try another --{other}")
