from __future__ import annotations

import pytest

from allotment.errors import InputError
from allotment.interop.problems import Problems, nearest, path_text, shown


def test_a_place_reads_like_code() -> None:
    assert path_text(()) == ""
    assert path_text(("plan", "children", 1, "share")) == ".plan.children[1].share"
    assert path_text(("a b", 0)) == '.["a b"][0]'


def test_the_nearest_option_is_proposed_only_when_it_is_near() -> None:
    assert nearest("licnece", ["licence", "match", "keys"]) == "; did you mean 'licence'?"
    assert nearest("LICENCE", ["licence"]) == "; did you mean 'licence'?"
    assert nearest("colour", ["licence", "match", "keys"]) == ""
    assert nearest("x" * 10**6, ["licence"]) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        ("1", "'1'"),
        ({}, "a mapping"),
        ([], "a list"),
        ("x" * 200, "'" + "x" * 76 + "..."),
    ],
)
def test_values_are_shown_as_a_file_has_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_problems_are_kept_once_and_in_order() -> None:
    problems = Problems()
    problems.raise_if_any("nothing yet")
    problems.add(("b",), "second thing")
    problems.add(("a",), "first thing")
    problems.add(("b",), "second thing")
    with pytest.raises(InputError) as caught:
        problems.raise_if_any("file")
    assert caught.value.problems == ("second thing @ .b", "first thing @ .a")
    assert str(caught.value) == "file: 2 problems\n  - second thing @ .b\n  - first thing @ .a"
