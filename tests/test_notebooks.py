"""The notebooks as they are committed: what a lesson has, and what a reader sees who has no kernel."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import nbformat
import pytest

from allotment.lessons.lesson import known, load_lesson
from tests.browser.record import CHECKED, KEPT, NOTEBOOKS, RECORDED, SAID, fingerprint, tags

FILES = sorted(NOTEBOOKS.glob("*.ipynb"))
LESSONS = [file for file in FILES if not file.name.startswith("13-")]  # the month of the README is no lesson
PARTS = (
    "**You will learn**",
    "**Time:**",
    "**You need:**",
    "**Questions:**",
    "## Key points",
    "## Exercises",
    "## Questions",
    "**For instructors:**",
)
LARGEST = 90_000  # bytes of a picture
WHOLE = 500_000  # bytes of a notebook


def notebook(file) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))


def text(cells: list[dict[str, Any]], kind: str) -> str:
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)


def named(file) -> str:
    """Return the name of a notebook's lesson: its own without the number."""
    return file.stem.partition("-")[2]


def test_they_are_numbered_without_a_gap_and_each_has_its_lesson():
    assert [int(file.name[:2]) for file in FILES] == list(range(len(FILES)))
    assert {named(file) for file in LESSONS} | {"workshop"} == set(known())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_notebook_is_a_valid_one(file):
    nbformat.validate(nbformat.read(file, as_version=4))


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.name)
def test_a_lesson_says_what_it_is_for_asks_checks_and_ends_with_questions(file):
    cells = notebook(file)["cells"]
    words, code = text(cells, "markdown"), text(cells, "code")
    assert [part for part in PARTS if part not in words] == []
    lesson = load_lesson(named(file))
    assert f'load_lesson("{lesson.name}")' in code
    assert f'Quiz("{lesson.name}")' in code
    assert words.startswith(f"# {lesson.title}\n")
    assert f"**Time:** {lesson.minutes} minutes" in words
    assert re.search(r"^check\(answer, ", code, re.MULTILINE), "no exercise whose answer is checked"
    assert re.search(r"^assert ", code, re.MULTILINE), "nothing that it claims is tested"
    assert any(CHECKED in tags(cell) for cell in cells), "no number is compared"


@pytest.mark.parametrize("file", LESSONS[1:], ids=lambda file: file.name)
def test_the_first_one_names_every_lesson_with_its_minutes(file):
    lesson = load_lesson(named(file))
    words = text(notebook(FILES[0])["cells"], "markdown")
    assert f"| [{lesson.title}]({file.name}) | {lesson.minutes} |" in words


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_without_a_kernel_a_reader_sees_what_was_recorded_and_that_it_was(file):
    cells = notebook(file)["cells"]
    shown = [cell for cell in cells if RECORDED in tags(cell)]
    assert shown
    for cell in shown:
        said, picture = cell["outputs"]
        assert said["data"]["text/markdown"] == [SAID]
        png = base64.b64decode(picture["data"]["image/png"])
        assert png.startswith(b"\x89PNG")
        assert len(png) <= LARGEST
    assert file.stat().st_size <= WHOLE


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_was_recorded_is_of_the_code_that_is_there(file):
    """Run `make record` where this fails."""
    cells = notebook(file)["cells"]
    late = [
        at
        for at, cell in enumerate(cells)
        if RECORDED in tags(cell) and cell["metadata"].get(RECORDED) != fingerprint(cells, at)
    ]
    assert late == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_other_output_is_kept(file):
    for cell in notebook(file)["cells"]:
        keeps = bool(tags(cell) & {RECORDED, CHECKED})
        assert keeps == (KEPT in tags(cell))
        assert keeps == bool(cell.get("outputs"))


def test_every_link_of_the_lessons_leads_somewhere():
    pages = {file: text(notebook(file)["cells"], "markdown") for file in FILES}
    guide = NOTEBOOKS / "workshop.md"
    pages[guide] = guide.read_text(encoding="utf-8")
    for file, words in pages.items():
        links = [link for link in re.findall(r"\]\(([^)\s]+)\)", words) if "://" not in link]
        for link in links:
            name, _, part = link.partition("#")
            assert not name or (NOTEBOOKS / name).exists(), f"{file.name}: {link}"
            if file == guide and not name:
                heads = [
                    re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-")
                    for head in re.findall(r"^#+ (.+)$", words, re.MULTILINE)
                ]
                assert part in heads, link


def test_the_plans_of_the_workshop_name_every_lesson():
    guide = (NOTEBOOKS / "workshop.md").read_text(encoding="utf-8")
    missing = [file.name for file in LESSONS if f"({file.name})" not in guide]
    assert missing == []
