"""The fixtures that the JavaScript is tested with are what Python says today."""

from __future__ import annotations

from tests.views.plan_editor.fixtures import FOLDER, files


def test_the_fixtures_of_the_javascript_are_what_python_says():
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.json")}
    stale = [name for name, text in files().items() if written.get(name) != text]
    assert stale == [], "write them anew: python -m tests.views.plan_editor.fixtures"
    assert set(written) == set(files())
