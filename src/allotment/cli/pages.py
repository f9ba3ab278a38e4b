"""The command that opens the workbench."""

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
