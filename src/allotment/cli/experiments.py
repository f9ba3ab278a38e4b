"""The commands that set many runs against each other."""

from __future__ import annotations

from typing import Annotated

import typer

from allotment.cli.console import Display, print_json, show
from allotment.cli.options import Json, names_of, telling_of_ctrl_c


def _behaviours() -> list[str]:
    from allotment.experiment.behaviours import BEHAVIOURS

    return list(BEHAVIOURS)


def bench(
    *,
    scenario: Annotated[str, typer.Option("--scenario", help="What to simulate.")] = "reference-month",
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How often each is measured.")] = 5,
    as_json: Json = False,
) -> None:
    """Measure how long things take here.

    The scheduler is compared with a loop of SimPy that fires as many events and does nothing.
    """
    from allotment.cli.bench import measure, page_of

    with telling_of_ctrl_c(), Display() as display:
        measured = measure(scenario, rounds, display)
    if as_json:
        print_json(measured)
    else:
        show(page_of(measured))


def reproduce(
    *,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, metavar="N", help="How many seeds each regime is run over.")
    ] = 10,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="BEHAVIOUR",
            help="Leave out squatting, inflation, over-asking, do-not-preempt, failures or urgent-repairs; again for more.",
            autocompletion=_behaviours,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Set what was published of a change of regime against what is simulated.

    The scenarios `published-month` and `published-saturated` run under priorities and under budgets, with the same jobs.
    Their free parameters were chosen by the figures before the change alone.
    """
    from allotment.cli.reproducing import carry_out, json_of, page

    left_out = tuple(dict.fromkeys(leave_out or ()))
    with telling_of_ctrl_c(), Display() as display:
        found = carry_out(seeds, display, left_out)
    if as_json:
        print_json(json_of(found, left_out))
    else:
        show(page(found, left_out))


def sensitivity(
    *,
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO", help="A preset or a YAML file.", autocompletion=lambda: names_of("scenarios")
        ),
    ] = "published-month",
    seeds: Annotated[int, typer.Option("--seeds", min=1, metavar="N", help="How many seeds each is run over.")] = 6,
    days: Annotated[int, typer.Option("--days", min=1, metavar="D", help="Days to measure, after the warm-up.")] = 14,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY",
            help="Another policy: a preset or a YAML file.",
            autocompletion=lambda: names_of("policies"),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell which settings move which figure.

    Each setting of jobs, people and policy is turned alone, lower and higher, and compared with the scenario as it is,
    seed by seed.
    """
    from allotment.cli.varying import carry_out, json_of, page

    with telling_of_ctrl_c(), Display() as display:
        found = carry_out(scenario, seeds, days, policy, display)
    if as_json:
        print_json(json_of(found))
    else:
        show(page(found))


def _theories() -> list[str]:
    from allotment.lessons.cards import known

    return list(known())


def theories(
    *,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Which, such as F01; by default all.", autocompletion=_theories),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, metavar="N", help="How many seeds each is run over.")] = 20,
    first: Annotated[int, typer.Option("--first-seed", min=0, metavar="N", help="The first of them.")] = 0,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes", "-p", min=1, metavar="N", help="How many runs at once; by default one a processor."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put to the test what people say of a shared cluster.

    Each theory is a paired experiment, and its verdict is computed from what its card declared before: TRUE, FALSE,
    CONDITIONAL or NOT SHOWN.
    """
    from allotment.cli.theories import carry_out, json_of, page

    with telling_of_ctrl_c(), Display() as display:
        found = carry_out(ids or (), range(first, first + seeds), processes, display)
    if as_json:
        print_json(json_of(found))
    else:
        show(page(found))


def rollout(
    *,
    fleet: Annotated[
        str,
        typer.Argument(metavar="[FLEET]", help="A preset or a YAML file.", autocompletion=lambda: names_of("fleets")),
    ] = "three-clusters",
    arbitration: Annotated[
        list[str] | None,
        typer.Option(
            "--arbitration",
            "-a",
            metavar="RULE",
            help="How portable jobs choose a cluster: round-robin, ranked-head, allocation-balance, or home, where nobody "
            "chooses. Again for another run of the same jobs.",
        ),
    ] = None,
    seed: Annotated[
        list[int] | None, typer.Option("--seed", "-s", metavar="N", help="Another seed; again for another run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Simulate a fleet whose clusters go over to another policy one after the other.

    Prints each cluster before and after, and where the jobs went that may run on several. With several rules or seeds
    the runs are compared.
    """
    from allotment.cli.rollout import Asked, carry_out, json_of, page

    asked = Asked(fleet=fleet, arbitrations=tuple(arbitration or ()), seeds=tuple(seed or ()))
    with Display() as display:
        found = carry_out(asked, display)
    if as_json:
        print_json(json_of(found))
    else:
        show(page(found))
