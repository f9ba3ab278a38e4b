"""Every worked example can fail: with one constant changed that it is about, one of its numbers is wrong."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from tests.kernel.plain import Plain
from tests.worked.breaking import Change, Rule, examples, failures
from tests.worked.changed import CHANGED

EXAMPLES = examples()


def test_every_example_has_one_change_and_every_change_an_example() -> None:
    assert {file: sorted(named) for file, named in CHANGED.items()} == {
        file: sorted(name.removeprefix("test_") for name in named) for file, named in EXAMPLES.items()
    }


@pytest.mark.parametrize(
    ("file", "name", "change"),
    [
        pytest.param(file, name, change, id=f"{file}-{name}")
        for file, named in CHANGED.items()
        for name, change in named.items()
    ],
)
def test_an_example_is_wrong_with_one_constant_changed(plain: Plain, file: str, name: str, change: Change) -> None:
    found = failures(EXAMPLES[file][f"test_{name}"], change, plain)
    others = [failed for failed in found if failed is not None and not isinstance(failed, AssertionError)]
    assert not others, f"{change} makes it fail by something else than a number"
    wrong = [failed for failed in found if failed is not None]
    assert wrong, f"{change} makes no difference to it"
    for failed in wrong:
        frames = [frame.path for frame in pytest.ExceptionInfo.from_exception(failed).traceback]
        assert Path(str(frames[-1])).name == f"test_{file}.py"


@pytest.mark.parametrize("file", CHANGED)
def test_none_of_those_whose_rule_is_changed_is_wrong_in_the_plain_kernel_as_it_is(plain: Plain, file: str) -> None:
    for name, change in CHANGED[file].items():
        if isinstance(change, Rule):
            assert set(failures(EXAMPLES[file][f"test_{name}"], None, plain)) == {None}, name


@pytest.mark.parametrize("file", EXAMPLES)
def test_every_file_of_examples_says_where_its_numbers_come_from(file: str) -> None:
    module = importlib.import_module(f"{__package__}.test_{file}")
    assert re.search(r"^Source: \S", module.__doc__ or "", re.MULTILINE)
