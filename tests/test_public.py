"""What `import allotment` gives, and what it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

import allotment

STUB = Path(allotment.__file__).with_suffix(".pyi")


def test_every_public_name_is_there_and_listed():
    for name in allotment.__all__:
        assert getattr(allotment, name) is not None
        assert name in dir(allotment)


def test_the_stub_gives_every_name_its_own_home():
    told = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            told |= {alias.asname: (node.module, alias.name) for alias in node.names}
    assert told == allotment._HOMES


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'simulator'"):
        _ = allotment.simulator  # type: ignore[attr-defined]
    assert not hasattr(allotment, "numpy")


def test_importing_it_loads_nothing_else():
    code = "import sys, allotment; print(*sorted(name for name in sys.modules if name.startswith('allotment')))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["allotment"]


def test_listing_and_loading_presets_needs_neither_the_compiler_nor_pandas():
    code = "import sys, allotment; allotment.load_scenario('small-week'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"numba", "pandas", "pyarrow", "simpy"} & set(done.stdout.split())


def test_a_result_that_is_saved_is_read_back_equal(tmp_path):
    result = allotment.simulate("small-week", days=1)
    allotment.save_result(result, tmp_path / "day")
    assert allotment.read_result(tmp_path / "day").equals(result)


def test_a_mistake_is_an_allotment_error():
    with pytest.raises(allotment.AllotmentError, match="did you mean 'reference-month'"):
        allotment.load_scenario("reference-mont")


def test_every_attribute_of_a_result_says_what_it_holds():
    from allotment.interop.field_words import words_of
    from allotment.workload.import_report import ImportReport

    for cls in (allotment.Result, allotment.Scenario, ImportReport):
        assert {field.name for field in attrs.fields(cls)} == set(words_of(cls)), cls
