"""What a notebook draws with is put into each page once."""

from __future__ import annotations

import panel as pn
import pytest

from allotment.views import notebook


@pytest.fixture
def loaded(monkeypatch):
    """Return how often the scripts were put in, in a process that has loaded nothing yet."""
    times: list[bool] = []
    monkeypatch.setattr(pn.state, "cache", {})
    monkeypatch.setattr(pn, "extension", lambda *, inline: times.append(inline))
    return times


def test_cells_of_one_page_share_the_scripts_and_a_page_that_is_loaded_again_gets_its_own(loaded, monkeypatch):
    for page in ("one", "one", "two", "one"):
        monkeypatch.setattr(notebook, "_front_end", lambda page=page: page)
        notebook.load_scripts()
    assert loaded == [True, True]


def test_where_no_page_can_be_told_they_are_put_in_each_time(loaded):
    notebook.load_scripts()
    notebook.load_scripts()
    assert loaded == [True, True]


def test_a_served_page_has_them_anyway(loaded, monkeypatch):
    monkeypatch.setattr(type(pn.state), "curdoc", property(lambda _state: object()))
    notebook.load_scripts()
    assert loaded == []
