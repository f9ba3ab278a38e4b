"""The commands about one scenario and its result."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.console import Display, print_json, show
from allotment.cli.options import Json, names_of, telling_of_ctrl_c

LAWS_BROKEN = 1


def presets(*, as_json: Json = False) -> None:
    """List what is ready-made."""
    from allotment.presets import list_presets

    found = list_presets()
    if as_json:
        print_json([{"kind": p.kind, "name": p.name, "title": p.title, "description": p.description} for p in found])
        return
    from allotment.cli.catalogue import page_of

    show(page_of(found))


def simulate(
    *,
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCENARIO...",
            help="A preset or a YAML file; several are compared.",
            show_default=False,
            autocompletion=lambda: names_of("scenarios"),
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY",
            help="Another policy: a preset or a YAML file. Give it again for another run of the same jobs.",
            autocompletion=lambda: names_of("policies"),
        ),
    ] = None,
    seed: Annotated[
        list[int] | None, typer.Option("--seed", "-s", metavar="N", help="Another seed; again for another run.")
    ] = None,
    days: Annotated[int | None, typer.Option("--days", metavar="D", help="Days to measure, after the warm-up.")] = None,
    demand: Annotated[
        float | None,
        typer.Option(
            "--demand", metavar="X", help="GPUs that teams keep asking for, as a multiple of what is shared out."
        ),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="NODE=SHARE",
            help="Another share of a plan node, by id or path, from the start and with the same jobs; again for more.",
        ),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace", metavar="FILE", help="Replay recorded jobs, a CSV or Parquet file, instead of a scenario."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="CLUSTER",
            help="For --trace: a preset, a YAML file, or nodes x GPUs as in 64x8.",
            autocompletion=lambda: names_of("clusters"),
        ),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            metavar="PLAN",
            help="For --trace: a preset or a YAML file; by default the teams of the recording get equal shares.",
            autocompletion=lambda: names_of("plans"),
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Save the result in this folder; several runs in folders within it."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --out replace an earlier result.")] = False,
    as_json: Json = False,
) -> None:
    """Simulate scenarios, or replay recorded jobs.

    Prints who got what, who waited how long, and what that cost.
    Ctrl-C ends a run early; what happened until then is printed and saved.
    """
    from allotment.cli.asked import Asked
    from allotment.cli.simulating import run

    asked = Asked(
        scenarios=tuple(scenarios or ()),
        policies=tuple(policy or ()),
        seeds=tuple(seed or ()),
        days=days,
        demand=demand,
        shares=tuple(share or ()),
        trace=trace,
        cluster=cluster,
        plan=plan,
        out=out,
        force=force,
    )
    run(asked, as_json=as_json)


def check(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders that results were saved in.")],
    *,
    as_json: Json = False,
) -> None:
    """Prove the laws again on results that were saved.

    A folder that `simulate --out` made of several runs holds several; all are checked.
    Status 1 where a law is broken; each violation is named.
    """
    from allotment.interop import result_files
    from allotment.results import laws

    found = []
    with telling_of_ctrl_c(), Display() as display:
        for result in [result for folder in folders for result in result_files.results_in(folder)]:
            display.phase(f"checking {result}")
            found.append((result, laws.check(result_files.read(result))))
    if as_json:
        print_json(
            [
                {
                    "folder": str(folder),
                    "violations": [{"law": v.law, "table": v.table, "row": v.row, "text": v.text} for v in broken],
                }
                for folder, broken in found
            ]
        )
    else:
        from allotment.cli.verdict import lines_of

        sys.stdout.write("".join(f"{line}\n" for line in lines_of(found)))
    if any(broken for _, broken in found):
        raise typer.Exit(LAWS_BROKEN)


def explain(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RESULT",
            help="A folder that a result was saved in, or a scenario or a fleet: a preset or a YAML file.",
            autocompletion=lambda: [*names_of("scenarios"), *names_of("fleets")],
        ),
    ],
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB",
            help="The number of a job, as in the table of jobs, or its id in a recording; of a fleet MEMBER/NUMBER.",
        ),
    ],
    *,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="T",
            help="A moment at which it waited or ran: 'day 3 14:09', 3d14h9m, or seconds from the start.",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY",
            help="For a scenario: another policy, a preset or a YAML file.",
            autocompletion=lambda: names_of("policies"),
        ),
    ] = None,
    versus: Annotated[
        str | None,
        typer.Option("--versus", metavar="JOB", help="Another job that waits: which of the two comes first?"),
    ] = None,
    what_if: Annotated[
        bool,
        typer.Option(
            "--what-if/--no-what-if",
            help="Also simulate what would have changed it: a run from that moment on for each of about ten changes, to the job's "
            "end. In all 0.2 s for small-week; for published-month some 5 s, and 20 s for a job that waits all month.",
        ),
    ] = True,
    as_json: Json = False,
) -> None:
    """Tell why a job waited, who stopped it and by which rule, and what would have changed that.

    Its turn, the room there was and its next chance at a moment; all its waiting by cause, to the second.
    """
    from allotment.cli.explaining import Asked, carry_out, page

    asked = Asked(source=source, job=job, at=at, versus=versus, policy=policy, what_if=what_if)
    with telling_of_ctrl_c(), Display() as display:
        found, first = carry_out(asked, display)
    if as_json:
        print_json(found.plain() | ({} if first is None else {"versus": first.plain()}))
    else:
        show(page(found, first))


def schema(
    *, fleet: Annotated[bool, typer.Option("--fleet", help="That of fleet files, for `allotment rollout`.")] = False
) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    from allotment.presets.catalogue import fleet_schema, scenario_schema

    sys.stdout.write(fleet_schema() if fleet else scenario_schema())
