"""The commands, their options and what they say when something is wrong."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from allotment.cli import STOPPED
from allotment.cli.console import Display, complain, encode_anything, print_json, show, to_a_pipe
from allotment.errors import AllotmentError

WRONG_INPUT = 2
LAWS_BROKEN = 1

app = typer.Typer(
    name="allotment",
    help="Simulate how a GPU cluster is shared under GPU-time budgets with contracts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, to standard output.")]


def main() -> None:
    """Run the command that was typed; mistakes end it with status 2 and one message, never with a traceback."""
    encode_anything()
    with to_a_pipe(), _collecting_seldom():
        try:
            app(prog_name="allotment")
        except AllotmentError as error:
            complain(str(error))
            raise SystemExit(WRONG_INPUT) from None


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Look for garbage seldom: what a start loads is none, and to look through it again and again takes a fifth of it."""
    before = gc.get_threshold()
    gc.set_threshold(1_000_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _telling_of_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end a command that has nothing to keep with one line; of itself Typer would say nothing."""
    try:
        yield
    except KeyboardInterrupt:
        complain("stopped by Ctrl-C")
        raise typer.Exit(STOPPED) from None


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(version("allotment"))
        except PackageNotFoundError:
            typer.echo("unknown: this is run from a folder of sources, not from what was installed")
        raise typer.Exit


@app.callback()
def _top(
    *,
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Read the options that all commands have in common."""


def _names(kind: str) -> list[str]:
    from allotment.presets.catalogue import names

    return list(names(kind))


def _behaviours() -> list[str]:
    from allotment.experiment.behaviours import BEHAVIOURS

    return list(BEHAVIOURS)


@app.command()
def presets(*, as_json: Json = False) -> None:
    """List what is ready-made."""
    from allotment.presets import list_presets

    found = list_presets()
    if as_json:
        print_json([{"kind": p.kind, "name": p.name, "title": p.title, "description": p.description} for p in found])
        return
    from allotment.cli.catalogue import page_of

    show(page_of(found))


@app.command()
def simulate(
    *,
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCENARIO...",
            help="A preset or a YAML file; several are compared.",
            show_default=False,
            autocompletion=lambda: _names("scenarios"),
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY",
            help="Another policy: a preset or a YAML file. Give it again for another run of the same jobs.",
            autocompletion=lambda: _names("policies"),
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
            autocompletion=lambda: _names("clusters"),
        ),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            metavar="PLAN",
            help="For --trace: a preset or a YAML file; by default the teams of the recording get equal shares.",
            autocompletion=lambda: _names("plans"),
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


@app.command()
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
    with _telling_of_ctrl_c(), Display() as display:
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


@app.command()
def explain(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RESULT",
            help="A folder that a result was saved in, or a scenario: a preset or a YAML file.",
            autocompletion=lambda: _names("scenarios"),
        ),
    ],
    job: Annotated[
        str,
        typer.Argument(metavar="JOB", help="The number of a job, as in the table of jobs, or its id in a recording."),
    ],
    *,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="T",
            help="A moment at which it waited: 'day 3 14:09', 3d14h9m, or seconds from the start.",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            "-p",
            metavar="POLICY",
            help="For a scenario: another policy, a preset or a YAML file.",
            autocompletion=lambda: _names("policies"),
        ),
    ] = None,
    versus: Annotated[
        str | None,
        typer.Option("--versus", metavar="JOB", help="Another job that waits: which of the two comes first?"),
    ] = None,
    what_if: Annotated[
        bool, typer.Option("--what-if/--no-what-if", help="Also simulate what would have changed it.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Tell why a job waited, who stopped it and by which rule, and what would have changed that.

    Its turn, the room there was and its next chance at a moment; all its waiting by cause, to the second.
    """
    from allotment.cli.explaining import Asked, carry_out, page

    asked = Asked(source=source, job=job, at=at, versus=versus, policy=policy, what_if=what_if)
    with _telling_of_ctrl_c(), Display() as display:
        found, first = carry_out(asked, display)
    if as_json:
        print_json(found.plain() | ({} if first is None else {"versus": first.plain()}))
    else:
        show(page(found, first))


@app.command()
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

    with _telling_of_ctrl_c(), Display() as display:
        measured = measure(scenario, rounds, display)
    if as_json:
        print_json(measured)
    else:
        show(page_of(measured))


@app.command()
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
    with _telling_of_ctrl_c(), Display() as display:
        found = carry_out(seeds, display, left_out)
    if as_json:
        print_json(json_of(found, left_out))
    else:
        show(page(found, left_out))


@app.command()
def sensitivity(
    *,
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A preset or a YAML file.", autocompletion=lambda: _names("scenarios")),
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
            autocompletion=lambda: _names("policies"),
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell which settings move which figure.

    Each setting of jobs, people and policy is turned alone, lower and higher, and compared with the scenario as it is,
    seed by seed.
    """
    from allotment.cli.varying import carry_out, json_of, page

    with _telling_of_ctrl_c(), Display() as display:
        found = carry_out(scenario, seeds, days, policy, display)
    if as_json:
        print_json(json_of(found))
    else:
        show(page(found))


@app.command()
def serve(
    scenario: Annotated[
        str,
        typer.Argument(help="A preset or a YAML file.", autocompletion=lambda: _names("scenarios")),
    ] = "small-week",
    *,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Where it listens.")] = 5006,
    address: Annotated[
        str, typer.Option("--address", help="Who reaches it: 127.0.0.1 is this machine alone.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")] = True,
) -> None:
    """Open the workbench: two policies on the same jobs, beside a plan and a job mix to turn.

    Everybody who opens the page has a state of their own. Ctrl-C ends it.
    """
    from allotment.cli.serving import run

    run(scenario, port=port, address=address, browser=browser)


@app.command()
def rollout(
    *,
    fleet: Annotated[
        str,
        typer.Argument(metavar="[FLEET]", help="A preset or a YAML file.", autocompletion=lambda: _names("fleets")),
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


@app.command()
def schema(
    *, fleet: Annotated[bool, typer.Option("--fleet", help="That of fleet files, for `allotment rollout`.")] = False
) -> None:
    """Print the JSON Schema of scenario files, for editors."""
    from allotment.presets.catalogue import fleet_schema, scenario_schema

    sys.stdout.write(fleet_schema() if fleet else scenario_schema())
