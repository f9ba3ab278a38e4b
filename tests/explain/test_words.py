"""Each code has a sentence, and a sentence shows nothing but its parameters."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

import allotment.explain
from allotment.explain.life import NEEDED
from allotment.explain.reasons import reason
from allotment.explain.words import ENGLISH, WRITTEN, sentence
from allotment.model.codes import WaitCode
from allotment.views.answers import SHORT


def fields(template):
    return [(name, spec) for _, name, spec, _ in string.Formatter().parse(template) if name is not None]


@pytest.mark.parametrize("code", ENGLISH)
def test_a_template_holds_no_number_and_knows_how_each_parameter_is_written(code):
    template = ENGLISH[code]
    assert not re.search(r"\d", re.sub(r"\{.*?\}", "", template))
    assert {spec for _, spec in fields(template) if spec} <= set(WRITTEN)


@pytest.mark.parametrize("code", NEEDED)
def test_the_parameters_of_a_cause_are_those_that_its_sentence_shows(code):
    assert {name for name, _ in fields(ENGLISH[code])} <= set(NEEDED[code])


def test_every_cause_of_waiting_has_a_sentence_and_a_short_name():
    codes = {code.name.lower() for code in WaitCode} | {
        "overdrawn",
        "nothing_entitled",
        "too_large_now",
        "behind_first",
        "no_room_funded",
        "fragment_funded",
    }
    assert codes == set(SHORT)
    assert codes <= set(ENGLISH)
    assert codes - {"headroom", "overdrawn", "nothing_entitled"} == set(NEEDED)


def test_every_code_that_is_written_down_has_a_sentence():
    said = set()
    for path in Path(allotment.explain.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reason":
                code = node.args[0]
                said |= {each.value for each in (code, *vars(code).values()) if isinstance(each, ast.Constant)}
    assert len(said) > 30
    assert said - set(ENGLISH) == set()


def test_names_are_data_and_no_orders_to_a_terminal():
    told = reason("slot_limit", level="a\x1b[31m{b}", held=3, limit=4, gpus=2).sentence
    assert told == "With its 2 GPUs a�[31m{b} would hold more than its limit: it has 3 of 4."


def test_another_language_is_another_mapping():
    assert sentence("next_pass", {"cycle": 30}, {"next_pass": "{cycle:wait} warten."}) == "30 s warten."


def test_a_reason_is_plain_data_and_cannot_be_changed():
    told = reason("next_pass", cycle=30)
    assert told.plain() == {"code": "next_pass", "parameters": {"cycle": 30}, "sentence": told.sentence}
    with pytest.raises(TypeError):
        told.parameters["cycle"] = 60
