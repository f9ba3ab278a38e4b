from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.interop.problems import Problems
from allotment.interop.yaml_reader import parse
from allotment.interop.yaml_writer import WIDTH, render

signs = "ab:# -\n'\"|>&*!%@`[]{},?~0=<\t\\"
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text(signs, max_size=30),
    st.text("word \n", min_size=80, max_size=300),
    st.sampled_from(
        ["no", "null", "true", "1", "1e3", "0x1", "1/3", "---", "...", "-", "? a", "\ufeff", "\x85", "\u2028", "\uffff"]
    ),
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=15
)


def read_back(text: str) -> Any:
    problems = Problems()
    value = parse(text, "written", problems)
    problems.raise_if_any("written")
    return value


def as_floats(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    return [as_floats(item) for item in value] if isinstance(value, list) else value


@given(st.dictionaries(texts, values, max_size=4))
def test_what_is_written_is_read_back_and_written_the_same(value: dict[str, Any]) -> None:
    text = render(value)
    assert as_floats(read_back(text)) == value
    assert render(as_floats(read_back(text))) == text


@pytest.mark.parametrize(
    "word", ["no", "on", "true", "null", "~", "1", "1.5", ".5", "0o7", "1e3", "", " a", "a ", "a: b", "a #b", "- a"]
)
def test_a_text_that_could_be_taken_for_something_else_is_quoted(word: str) -> None:
    text = render({"a": word})
    assert read_back(text) == {"a": word}
    if word not in ("no", "on"):  # words, by YAML 1.2
        assert text == f'a: "{word}"\n'


def test_short_flat_things_stand_on_one_line_and_long_ones_do_not() -> None:
    assert render({"a": [1, 2], "b": {"c": "d"}}) == "a: [1, 2]\nb: {c: d}\n"
    long = render({"a": ["word"] * 40, "b": {"c": "word " * 30 + "end"}})
    assert max(map(len, long.splitlines())) <= WIDTH


def test_texts_of_several_lines_are_blocks() -> None:
    assert render({"a": "one\n\n  two\n"}) == "a: |\n  one\n\n    two\n"
    assert render({"a": "one\ntwo"}) == "a: |-\n  one\n  two\n"
