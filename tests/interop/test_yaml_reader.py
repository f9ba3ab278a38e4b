from __future__ import annotations

import contextlib
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import InputError
from allotment.interop.problems import Problems
from allotment.interop.yaml_reader import DEEPEST, parse, read_file


def value_of(text: str | bytes) -> object:
    problems = Problems()
    value = parse(text, "file", problems)
    problems.raise_if_any("file")
    return value


def problems_of(text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        value_of(text)
    return caught.value.problems


@pytest.mark.parametrize(
    "word", ["no", "No", "yes", "on", "off", "y", "n", "12:30", "1_000", "2026-01-05", "0b1", "1e", "=", "<<"]
)
def test_words_that_older_yaml_turned_into_something_stay_words(word: str) -> None:
    assert value_of(f"a: {word}") == {"a": word}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("-3", -3),
        ("0.1", Decimal("0.1")),
        ("1e3", Decimal(1000)),
        (".5", Decimal("0.5")),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("'5'", "5"),
        ('"true"', "true"),
        (".inf", Decimal("inf")),
        ("-.inf", Decimal("-inf")),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(text: str, value: object) -> None:
    assert value_of(f"a: {text}") == {"a": value}


def test_keys_are_words_whatever_they_look_like() -> None:
    assert value_of("1: a\ntrue: b\non: c\n~: d") == {"1": "a", "true": "b", "on": "c", "~": "d"}


def test_decimals_keep_every_digit_that_was_typed() -> None:
    assert value_of("a: 0.12345678901234567890123") == {"a": Decimal("0.12345678901234567890123")}


def test_all_that_is_not_read_is_told_with_its_line() -> None:
    text = "a: &x 1\nb: [*x, 2]\nc: !!python/object/apply:os.system ['true']\na: 2\n? {b: 1}\n: 3\nd: {e: 1, e: 2}\n"
    assert problems_of(text) == (
        "line 1: anchors such as '&x' are not read; write it out @ .a",
        "line 2: aliases such as '*x' are not read; write it out @ .b[0]",
        "line 3: tags such as 'tag:yaml.org,2002:python/object/apply:os.system' are not read; leave them out @ .c",
        "key 'a' is there twice, on lines 1 and 4",
        "line 5: a key must be a word",
        "key 'e' is there twice, on lines 7 and 7 @ .d",
    )


def test_a_document_that_holds_itself_is_refused() -> None:
    assert len(problems_of("a: &x\n  b: *x")) == 2


def test_many_references_to_references_cost_nothing() -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert len(problems_of("\n".join(["a0: &a0 [x]", *levels]))) == 9 + 8 * 9


@pytest.mark.parametrize("text", ["", " ", "\n\n", "# only a comment\n", b"", b"\xef\xbb\xbf"])
def test_an_empty_file_is_told_to_be_empty(text: str | bytes) -> None:
    assert problems_of(text) == ("the file is empty",)


def test_a_second_document_is_refused() -> None:
    assert problems_of("a: 1\n---\nb: 2\n") == ("line 3: there is a second document; one file holds one",)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1,", 1), ("a: 1\nb: c: d", 2), ("a: 1\n\tb: 2", 2), ("a: 'open", 1), ("a: *", 1), ("%YAML 9.9.9\na: 1", 1)],
)
def test_what_is_no_yaml_is_told_with_line_and_column(text: str, line: int) -> None:
    (problem,) = problems_of(text)
    assert problem.startswith(f"line {line}, column ")
    assert "this is no YAML" in problem


@pytest.mark.parametrize("text", ["a: \x00", 'a: "\\U00110000"', "a: \ud800"])
def test_characters_that_no_text_holds_are_refused(text: str) -> None:
    (problem,) = problems_of(text)
    assert problem.startswith("this is no YAML")


@pytest.mark.parametrize("text", [b"\xff\xfea\x00", b"a: \xe9", "a: é".encode("latin-1"), "a: 1".encode("utf-16")])
def test_what_is_not_utf_8_is_told(text: bytes) -> None:
    (problem,) = problems_of(text)
    assert "not UTF-8" in problem


def test_a_byte_order_mark_is_passed_over() -> None:
    assert value_of(b"\xef\xbb\xbfa: \xc3\xa9") == {"a": "é"}
    assert value_of("\ufeffa: 1") == {"a": 1}


def test_depth_has_a_limit_that_is_told() -> None:
    assert value_of("[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)) is not None
    assert problems_of("[" * 1000 + "]" * 1000) == (f"the file is nested deeper than {DEEPEST} levels",)


@pytest.mark.parametrize("digits", ["9" * 101, "1." + "1" * 5000, "1e" + "9" * 200, "-" + "9" * 5000, "0x" + "f" * 200])
def test_enormous_numbers_are_refused_unread(digits: str) -> None:
    (problem,) = problems_of(f"a: {digits}")
    assert problem.endswith("has more than 100 digits @ .a")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    for path, text in [
        (tmp_path / "none.yaml", "there is no such file"),
        (tmp_path, "this is a folder"),
        (Path("a\x00b"), "cannot be read"),
    ]:
        with pytest.raises(InputError, match=text) as caught:
            read_file(path)
        assert caught.value.source == str(path)


def test_a_file_far_too_large_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(16_000_001)
    for endless in (large, Path("/dev/zero")):
        with pytest.raises(InputError, match="more than 16,000,000 bytes"):
            read_file(endless)


@given(
    st.text(alphabet="ab:# -\n'\"|>&*!%@`[]{},?~0\t<=.\\x\ufeff", max_size=60)
    | st.text(max_size=40)
    | st.binary(max_size=40)
)
def test_any_text_gives_a_value_or_one_clear_error(text: str | bytes) -> None:
    problems = Problems()
    with contextlib.suppress(InputError):
        parse(text, "file", problems)
    for problem in problems:
        assert "\n" not in problem
