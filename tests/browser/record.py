"""Record what the notebooks show, so that a reader without a kernel sees it: `make record`, which changes the notebooks.

Each notebook is run in JupyterLab, in a browser. A cell tagged `recorded` keeps a picture of its output with a badge that says so; a
cell tagged `nbval-check-output` keeps its text, which the tests compare; all else is stripped. What a picture was recorded from
is noted beside it, so that a test can tell when it is out of date.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import io
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser.machine import CHECKOUT, PATIENCE, Lab, find_browser, flags, lab_in

NOTEBOOKS = CHECKOUT / "notebooks"
RECORDED, CHECKED, KEPT = "recorded", "nbval-check-output", "keep_output"
SAID = "*Recorded. Run the cell to have it live.*"
WIDE = 1120  # pixels of the window; what a cell shows is some 850 wide then
TALLEST = 1100  # pixels of a picture
COLOURS = 96  # of a picture, which keeps it small
BADGE = """(output) => {
  const badge = document.createElement("div");
  badge.textContent = "recorded";
  badge.style.cssText = "position:absolute;top:2px;right:2px;z-index:99;padding:1px 8px;border-radius:3px;"
    + "background:#5B6673;color:#FFFFFF;font:12px sans-serif";
  output.style.position = "relative";
  output.append(badge);
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
# Once something is there, and nothing of it has changed for a while; figures are drawn when they are first on the screen.
QUIET = """(output) => new Promise((done) => {
  const begin = performance.now();
  let last = begin;
  const watch = new MutationObserver(() => { last = performance.now(); });
  watch.observe(output, { childList: true, subtree: true, attributes: true });
  const there = () => output.offsetHeight > 40 || performance.now() - begin > 60000;
  const look = () => there() && performance.now() - last > 1500 ? (watch.disconnect(), done()) : setTimeout(look, 200);
  look();
})"""


def fingerprint(cells: Sequence[dict[str, Any]], until: int) -> str:
    """Return what tells whether a picture is out of date: a digest of the code up to its cell."""
    code = ["".join(cell["source"]) for cell in cells[: until + 1] if cell["cell_type"] == "code"]
    return hashlib.sha256(json.dumps(code).encode()).hexdigest()[:16]


def tags(cell: dict[str, Any]) -> set[str]:
    """Return the tags of a cell."""
    return set(cell["metadata"].get("tags", ()))


def record(page: Page, lab: Lab, name: str) -> dict[str, Any]:
    """Run a notebook of the lab in a browser, and return it as it shall be kept."""
    file = lab.folder / "notebooks" / name
    page.goto(f"{lab.url}/lab/workspaces/recording/tree/notebooks/{name}?reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell:visible", timeout=1000 * PATIENCE)
    lab.wait_until_idle(page.wait_for_timeout)
    if page.locator(".jp-SideBar .lm-mod-current").first.is_visible():
        page.keyboard.press("Control+b")
    _menu(page, "Run", "Run All Cells")
    lab.wait_until_idle(page.wait_for_timeout)
    notebook = _saved_once_run(page, lab, file)
    pictures = {
        at: _picture(page, page.locator(f'.jp-Notebook:visible .jp-Cell[data-windowed-list-index="{at}"]'))
        for at, cell in enumerate(notebook["cells"])
        if RECORDED in tags(cell)
    }
    _menu(page, "Kernel", "Shut Down Kernel")
    page.wait_for_timeout(1500)
    return _kept(notebook, pictures)


def _saved_once_run(page: Page, lab: Lab, file: Path) -> dict[str, Any]:
    """Return the notebook as it is saved when all its cells have run; a page that draws much lets a kernel idle between two."""
    page.locator(".jp-Notebook:visible .jp-Cell").first.click()
    until = time.monotonic() + PATIENCE
    while True:
        page.keyboard.press("Control+s")
        page.wait_for_timeout(2000)
        lab.wait_until_idle(page.wait_for_timeout)
        with contextlib.suppress(json.JSONDecodeError):  # while it is still being written
            notebook: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            _raise_if_failed(notebook, file.name)
            if all(cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"):
                return notebook
        if time.monotonic() > until:
            raise SystemExit(f"{file.name}: not every cell was run")


def _menu(page: Page, menu: str, item: str) -> None:
    page.locator(".lm-MenuBar-itemLabel", has_text=menu).first.click()
    page.locator(".lm-Menu-itemLabel", has_text=item).first.click()


def _picture(page: Page, cell: Locator) -> bytes:
    """Return a picture of what a cell shows, with its badge, in few colours."""
    cell.scroll_into_view_if_needed()
    output = cell.locator(".jp-Cell-outputArea").first
    output.wait_for(timeout=60_000)
    output.evaluate(QUIET)
    output.scroll_into_view_if_needed()
    output.evaluate(QUIET)
    output.evaluate(BADGE)
    whole = Image.open(io.BytesIO(output.screenshot(animations="disabled"))).convert("RGB")
    whole = whole.crop((0, 0, whole.width, min(whole.height, TALLEST)))
    small = io.BytesIO()
    whole.quantize(COLOURS, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


def _raise_if_failed(notebook: dict[str, Any], name: str) -> None:
    for at, cell in enumerate(notebook["cells"]):
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error":
                raise SystemExit(f"{name}: cell {at} fails: {output['ename']}: {output['evalue']}")


def _kept(notebook: dict[str, Any], pictures: dict[int, bytes]) -> dict[str, Any]:
    """Return a notebook that was run, with the outputs that are kept and no others."""
    count = 0
    for at, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        count += 1
        cell["execution_count"] = count
        for key in ("execution", "trusted", RECORDED):
            cell["metadata"].pop(key, None)
        if at in pictures:
            cell["metadata"][RECORDED] = fingerprint(notebook["cells"], at)
            png = base64.b64encode(pictures[at]).decode()
            cell["outputs"] = [
                {"output_type": "display_data", "metadata": {}, "data": data}
                for data in ({"text/markdown": [SAID], "text/plain": [SAID]}, {"image/png": png, "text/plain": [SAID]})
            ]
        elif CHECKED in tags(cell):
            for output in cell["outputs"]:
                if "execution_count" in output:
                    output["execution_count"] = count
        else:
            cell["outputs"] = []
    notebook["metadata"].pop("widgets", None)
    notebook["metadata"]["language_info"] = {"name": "python"}
    return notebook


def main(names: Sequence[str]) -> None:
    """Record the notebooks of these names, or all."""
    chosen = sorted(names or (file.name for file in NOTEBOOKS.glob("*.ipynb")))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        path = find_browser(playwright.chromium.executable_path)
        if path is None:
            raise SystemExit("there is no Chromium or Chrome; `.venv/bin/playwright install chromium` brings one")
        browser = playwright.chromium.launch(executable_path=path, args=flags())
        with lab_in(Path(folder)) as lab:
            for name in chosen:
                page = browser.new_page(viewport={"width": WIDE, "height": 1400}, reduced_motion="reduce")
                page.set_default_timeout(60_000)
                notebook = record(page, lab, name)
                page.close()
                text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
                (NOTEBOOKS / name).write_text(f"{text}\n", encoding="utf-8")
                sys.stdout.write(f"{name}: {len(text) // 1024} kB\n")
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", nargs="*", help="file names of notebooks; all where none is named")
    main(parser.parse_args().name)
