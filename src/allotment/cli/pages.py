"""The commands that serve pages: the workbench, and the commons game."""

from __future__ import annotations

from typing import Annotated

import typer

from allotment.cli.options import names_of


def serve(
    scenario: Annotated[
        str,
        typer.Argument(help="A preset or a YAML file.", autocompletion=lambda: names_of("scenarios")),
    ] = "small-week",
    *,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Where it listens.")] = 5006,
    address: Annotated[
        str, typer.Option("--address", help="Who reaches it: 127.0.0.1 is this machine alone.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")] = True,
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="Seconds for which the page of somebody who has left is kept.")
    ] = 60,
    sweep: Annotated[
        int, typer.Option("--sweep", min=1, help="Seconds between two looks for those who have left.")
    ] = 10,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            help="A name by which browsers reach it besides the address and the name of this machine, such as that of a proxy; "
            "repeat it for several.",
        ),
    ] = None,
    max_jobs: Annotated[
        int, typer.Option("--max-jobs", min=1, help="Jobs that the page of one visitor may ask for, about.")
    ] = 500_000,
) -> None:
    """Open the workbench: two policies on the same jobs, beside a plan and a job mix to turn.

    Everybody who opens the page has a state of their own. Ctrl-C ends it.
    """
    from allotment.cli.serving import run

    run(
        scenario,
        port=port,
        address=address,
        browser=browser,
        keep=keep,
        sweep=sweep,
        hosts=tuple(allow_host or ()),
        most_jobs=max_jobs,
    )


def game(
    *,
    seats: Annotated[int, typer.Option("--seats", min=2, max=30, help="Teams; bots play where nobody sits.")] = 12,
    rounds: Annotated[int, typer.Option("--rounds", min=1, max=8, help="Rounds in each half; one is a day.")] = 8,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses the jobs and the bots.")] = 0,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Where it listens.")] = 5007,
    address: Annotated[
        str,
        typer.Option("--address", help="By which players reach this machine; 127.0.0.1 is this machine alone."),
    ] = "127.0.0.1",
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="Seconds after which a bot plays for somebody whose page is gone.")
    ] = 10,
    sweep: Annotated[
        int, typer.Option("--sweep", min=1, help="Seconds between two looks for those who have left.")
    ] = 3,
) -> None:
    """Serve the commons game: teams share a cluster, under priorities and then under budgets.

    Players join by a link. The facilitator has one of their own, which is printed. Ctrl-C ends it.
    """
    from allotment.cli.playing import run
    from allotment.lessons.game.setting import Setting

    setting = Setting(seats=seats, rounds=rounds, seed=seed)
    run(setting, port=port, address=address, keep=keep, sweep=sweep)
