"""The cards in `datasets/theories/`: one YAML file each, in which scenarios are presets with changes.

    base: small-week          # the scenario that all starts from
    change: {measured: 14d}   # what the card changes in it
    of: {leaves: [biology]}   # the jobs that are looked at
    differ_in: [probe]        # what differs between the arms, for conditions that do not say it themselves
    arms:                     # the pair, likewise
      - {name: no contract, change: {...}}
      - {name: 8 h, change: {...}, of: {...}}
    conditions:
      - {name: with budget left, change: {...}}

What a condition and an arm change comes on top, in this order; how changes are put in is told in
`allotment.interop.changed_scenario`. All other keys are the fields of a `Card`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.interop.changed_scenario import changed, merged
from allotment.interop.problems import Problems, shown
from allotment.interop.reading import UNREAD, Ready, Unread, read
from allotment.interop.scenario_file import mapping
from allotment.lessons.card import Card
from allotment.model.checks import Where
from allotment.presets.catalogue import datasets, load_scenario, names, preset

FOLDER = "theories"


def known() -> tuple[str, ...]:
    """Return the ids of all cards, in their order."""
    return names(FOLDER)


def load_card(card_id: str) -> Card:
    """Return the card with this id, in capitals or not. Raises NotFoundError that names those there are."""
    name, ids = card_id.upper(), known()
    if name not in ids:
        near = difflib.get_close_matches(name, ids, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise NotFoundError(f"there is no theory {card_id!r}; {hint}there are {', '.join(ids) or 'none'}")
    text = (datasets() / FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    card = loads(text, source=f"{FOLDER}/{name}")
    if card.id != name:
        raise InputError(f"{FOLDER}/{name}", [f"id must be {name!r}, as the file is called, not {card.id!r}"])
    return card


def load_cards(card_ids: Iterable[str] = ()) -> tuple[Card, ...]:
    """Return the cards with these ids, each once, or all. Raises AllotmentError with every id that is not known."""
    mistakes, cards = [], dict[str, Card]()
    for card_id in tuple(card_ids) or known():
        try:
            card = load_card(card_id)
            cards[card.id] = card
        except NotFoundError as error:
            mistakes.append(str(error))
    if mistakes:
        raise AllotmentError("\n".join(dict.fromkeys(mistakes)))
    return tuple(cards.values())


def loads(text: str | bytes, *, source: str = "card") -> Card:
    """Return the card that a file's text says. Raises InputError that lists every problem."""
    problems = Problems()
    plain = mapping(text, source, problems)
    start = _start(plain.pop("base", None), plain.pop("change", {}), problems)
    pair, of, differ = plain.pop("arms", None), plain.pop("of", {}), plain.pop("differ_in", [])
    conditions = plain.get("conditions")
    for number, condition in enumerate(conditions if isinstance(conditions, list) else ()):
        if isinstance(condition, dict):
            condition.setdefault("differ_in", differ)
            _fill_in(condition, start, pair, of, problems, ("conditions", number))
    card = read(Card, plain, problems)
    problems.raise_if_any(source)
    if card is None:
        raise InputError(source, ["the card cannot be read"])
    return card


def _start(base: Any, change: Any, problems: Problems) -> Ready | Unread:
    if not isinstance(base, str):
        problems.add(("base",), f"base must be the name of a scenario, such as 'small-week', not {shown(base)}")
        return UNREAD
    try:
        return changed(load_scenario(base), change, preset, problems, ("change",))
    except AllotmentError as error:
        problems.add(("base",), " ".join(str(error).split()))
        return UNREAD


def _fill_in(
    condition: dict[str, Any], start: Ready | Unread, pair: Any, of: Any, problems: Problems, where: Where
) -> None:
    """Put whole scenarios into a condition, in place of what is changed."""
    own = "arms" in condition
    given = condition.get("arms", pair)
    scenario = _on_top(start, condition.pop("change", {}), problems, (*where, "change"))
    seen = merged(of, condition.pop("of", {})) if isinstance(of, dict) else of
    arms = []
    for number, arm in enumerate(given if isinstance(given, list) else ()):
        place: Where = (*where, "arms", number) if own else ("arms", number)
        if not isinstance(arm, dict):
            problems.add(place, f"an arm must be a mapping, not {shown(arm)}")
            continue
        rest = {key: value for key, value in arm.items() if key not in ("change", "of")}
        changes, of_arm = arm.get("change", {}), arm.get("of", {})
        both = isinstance(seen, dict) and isinstance(of_arm, dict)
        arms.append(
            rest
            | {"scenario": _on_top(scenario, changes, problems, (*place, "change"))}
            | {"of": merged(seen, of_arm) if both else of_arm}
        )
    condition["arms"] = arms if isinstance(given, list) else given


def _on_top(scenario: Ready | Unread, change: Any, problems: Problems, where: Where) -> Ready | Unread:
    return changed(scenario.value, change, preset, problems, where) if isinstance(scenario, Ready) else UNREAD
