"""Build what Binder would from `binder/` alone, start it as Binder does, and open its addresses: `make binder`.

The image of Binder is a venv here: the Python of runtime.txt, the packages of requirements.txt, postBuild, and start before the
server. What repo2docker reads from `binder/` is compared with that, as far as it can be without Docker. Times are told.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from playwright.sync_api import Browser, Page, Route, sync_playwright

from tests.browser.machine import CHECKOUT, find_browser, flags, wait_until_it_answers

BASE = "/user/somebody/"  # where a hub puts a server
PATIENCE = 300_000  # ms
APP = "panel-preview/render/binder/workbench.py"
CANVAS = "canvas:visible"
WANTED = (  # of the Dockerfile that repo2docker writes
    r'"python=3\.12|python-3\.12|python=3\.12|PYTHON_VERSION.*3\.12|install-base-env',
    r"pip install .*-r \"?binder/requirements\.txt",
    r"binder/postBuild",
    r"R2D_ENTRYPOINT|binder/start",
)


def say(what: str, since: float | None = None) -> None:
    """Tell what was done, and how long it took."""
    took = "" if since is None else f": {time.monotonic() - since:.1f} s"
    sys.stdout.write(f"{what}{took}\n")
    sys.stdout.flush()


def python_of(runtime: str) -> str:
    """Return the interpreter that runtime.txt names. Raises SystemExit where it is not on this machine."""
    version = runtime.strip().removeprefix("python-")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
    if shutil.which("uv"):
        asked = subprocess.run(["uv", "python", "find", version], capture_output=True, text=True, check=False)
        found.append(asked.stdout.strip() or None)
    for path in found:
        if (
            path
            and subprocess.run(
                [path, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True, check=False
            ).stdout.strip()
            == f"({version.replace('.', ', ')})"
        ):
            return path
    raise SystemExit(f"binder/runtime.txt names Python {version}, and there is none on this machine; install it")


def build(checkout: Path, prefix: Path) -> dict[str, str]:
    """Build the environment, and return what a process in it has around it."""
    python = python_of((checkout / "binder" / "runtime.txt").read_text())
    subprocess.run([python, "-m", "venv", str(prefix)], check=True)
    around = {
        **{name: os.environ[name] for name in os.environ if not name.startswith(("PYTHON", "VIRTUAL_ENV", "JUPYTER"))},
        "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}",
        "NB_PYTHON_PREFIX": str(prefix),
        "HOME": str(checkout.parent / "home"),
    }
    Path(around["HOME"]).mkdir()
    since = time.monotonic()
    quiet = ["--quiet", "--no-cache-dir", "--disable-pip-version-check"]
    subprocess.run(["pip", "install", *quiet, "-r", "binder/requirements.txt"], cwd=checkout, env=around, check=True)
    say("packages installed", since)
    since = time.monotonic()
    subprocess.run(["binder/postBuild"], cwd=checkout, env=around, check=True, stdout=subprocess.DEVNULL)
    say("postBuild, with the scheduler compiled", since)
    return around


@contextlib.contextmanager
def started(checkout: Path, around: Mapping[str, str]) -> Iterator[str]:
    """Start the server as Binder does, and return its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--ip=127.0.0.1",
        f"--port={port}",
        "--no-browser",
        f"--ServerApp.base_url={BASE}",
        "--IdentityProvider.token=",
    ]
    root = [] if getattr(os, "geteuid", lambda: 1)() else ["--allow-root"]
    log = checkout.parent / "server.log"
    since = time.monotonic()
    with log.open("wb") as out:
        server = subprocess.Popen(
            ["binder/start", "jupyter", "lab", *options, *root],
            cwd=checkout,
            env=around,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            wait_until_it_answers(server, f"http://127.0.0.1:{port}{BASE}api/status", log)
            say("server answers", since)
            yield f"http://127.0.0.1:{port}{BASE}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            server.wait(30)


class Visit:
    """A page that may ask for nothing but what its own server has, and all that went wrong in it."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.address, self.foreign, self.errors = address, list[str](), list[str]()
        self.page: Page = browser.new_page(viewport={"width": 1366, "height": 900})
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.route("**/*", self._keep_in)

    def _keep_in(self, route: Route) -> None:
        own = self.address.partition(BASE)[0]
        if route.request.url.startswith((own, "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def close(self, what: str) -> None:
        """Close the page. Raises SystemExit with what went wrong in it."""
        self.page.close()
        scripts = [
            url for url in self.foreign if ".css" not in url
        ]  # Panel asks for style sheets that nothing here needs
        if self.errors or scripts:
            raise SystemExit(f"{what}: errors {self.errors}, asked of other machines: {scripts}")


def visit(browser: Browser, address: str, lessons: list[str]) -> None:
    """Open what Binder's links lead to."""
    first = Visit(browser, address)
    since = time.monotonic()
    first.page.goto(address)  # where a plain link lands
    first.page.wait_for_url(re.compile(r"/lab/tree/notebooks/00-start\.ipynb"))
    first.page.wait_for_selector('.jp-OutputArea-output img[src^="data:image/png"]')
    say("lesson 00 shows its recorded picture", since)
    since = time.monotonic()
    first.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    first.page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    first.page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
    first.page.wait_for_selector(CANVAS, state="attached")
    say("run, it shows a live one", since)
    first.close("lesson 00")
    app = Visit(browser, address)
    since = time.monotonic()
    app.page.goto(f"{address}{APP}")
    app.page.wait_for_selector(CANVAS, state="attached")
    say("the workbench as an app shows a picture", since)
    app.close("the workbench")
    for name in lessons:
        each = Visit(browser, address)
        since = time.monotonic()
        each.page.goto(f"{address}lab/tree/notebooks/{name}")
        each.page.wait_for_selector('.jp-OutputArea-output img[src^="data:image/png"]', state="attached")
        say(f"{name} shows what was recorded", since)
        each.close(name)


def ask_repo2docker(checkout: Path, folder: Path) -> None:
    """Compare what repo2docker would build with what was built here. Raises SystemExit where it reads `binder/` otherwise."""
    tool = folder / "repo2docker"
    subprocess.run([sys.executable, "-m", "venv", str(tool)], check=True)
    got = subprocess.run(
        [tool / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "jupyter-repo2docker"],
        check=False,
        capture_output=True,
        text=True,
    )
    if got.returncode:
        raise SystemExit(f"repo2docker cannot be installed here: {got.stderr.strip()[-300:]}")
    asked = subprocess.run(
        [tool / "bin" / "jupyter-repo2docker", "--no-build", "--debug", "."],
        cwd=checkout,
        check=False,
        capture_output=True,
        text=True,
    )
    told = asked.stdout + asked.stderr
    missing = [pattern for pattern in WANTED if not re.search(pattern, told)]
    if asked.returncode or missing:
        raise SystemExit(f"repo2docker ends with {asked.returncode}; its Dockerfile lacks {missing}:\n{told[-3000:]}")
    say("repo2docker reads binder/ as it is meant")


def main() -> None:
    """Build, start, open and compare, from nothing."""
    whole = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checkout = folder / "checkout"
        subprocess.run(["git", "clone", "--quiet", str(CHECKOUT), str(checkout)], check=True)
        around = build(checkout, folder / "prefix")
        with sync_playwright() as playwright, started(checkout, around) as address:
            path = find_browser(playwright.chromium.executable_path)
            if path is None:
                raise SystemExit("there is no Chromium or Chrome; `.venv/bin/playwright install chromium` brings one")
            browser = playwright.chromium.launch(executable_path=path, args=flags())
            visit(browser, address, sorted(file.name for file in (checkout / "notebooks").glob("*.ipynb")))
            browser.close()
        ask_repo2docker(checkout, folder)
    say("all of it", whole)


if __name__ == "__main__":
    main()
