"""What the browser tests need of the machine: a Chromium or Chrome, and JupyterLab as `make lab` starts it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs

CHECKOUT = Path(__file__).parents[2]
PATIENCE = 300  # seconds: the kernel may have to compile the scheduler, on a busy machine
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# Nothing but what a test asks for; a container's only user is often root, whom the sandbox refuses.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def flags() -> list[str]:
    """Return the options to start the browser with."""
    return [*FLAGS, *(["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else [])]


def find_browser(own: str) -> str | None:
    """Return where a browser is: $ALLOTMENT_BROWSER, one that is installed, or Playwright's `own`; None where there is none."""
    named = os.environ.get("ALLOTMENT_BROWSER")
    found = [shutil.which(name) for name in ([named] if named else NAMES)]
    return next((path for path in [*found, *ELSEWHERE, own] if path and Path(path).exists()), None)


@attrs.frozen
class Lab:
    """JupyterLab at an address of this machine, in a folder of its own."""

    url: str
    folder: Path

    def get(self, path: str) -> Any:
        """Return what the server answers to a question of its interface."""
        with urllib.request.urlopen(f"{self.url}/api/{path}", timeout=30) as answer:
            return json.load(answer)

    def wait_until_idle(self, pause: Callable[[float], None]) -> None:
        """Wait until the kernel has done all that it was asked; `pause` lets so many milliseconds pass in the browser."""
        until, idle = time.monotonic() + PATIENCE, 0
        while idle < 4:
            assert time.monotonic() < until, "the kernel is still busy"
            pause(500)
            idle = idle + 1 if self._states() == {"idle"} else 0

    def _states(self) -> set[str]:
        try:
            return {kernel["execution_state"] for kernel in self.get("kernels")}
        except urllib.error.HTTPError:  # jupyter_server cannot describe a kernel that is just being started
            return set()


def command_of_make_lab(options: str) -> str:
    """Return the command that `make lab` runs, with this Python in place of that of `.venv`."""
    told = subprocess.run(
        ["make", "--dry-run", "lab", f"LAB={options}"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    ).stdout
    (command,) = [line for line in told.splitlines() if "-m jupyterlab" in line]
    return command.replace(".venv/bin/python", f"'{sys.executable}'")


@contextlib.contextmanager
def lab_in(folder: Path) -> Iterator[Lab]:
    """Start JupyterLab as `make lab` does, on a copy of the notebooks and the datasets; its own files stay in the folder."""
    root, own = folder / "checkout", folder / "own"
    for name in ("notebooks", "datasets"):
        shutil.copytree(CHECKOUT / name, root / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"--no-browser --ip=127.0.0.1 --port={port} --ServerApp.port_retries=0 --IdentityProvider.token="
    places = (
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_RUNTIME_DIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
        "IPYTHONDIR",
    )
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            ["/bin/sh", "-c", f"exec env {command_of_make_lab(options)}"],
            cwd=root,
            env={**os.environ, **{place: str(own / place) for place in places}},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            lab = Lab(f"http://127.0.0.1:{port}", root)
            wait_until_it_answers(server, f"{lab.url}/api/status", folder / "server.log")
            yield lab
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def wait_until_it_answers(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait for a server that was started; fail with the end of its log where it does not answer."""
    until = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.3)
    raise AssertionError(f"nothing answers at {address}:\n{log.read_text(errors='replace')[-2000:]}")
