"""Where words go: results to standard output; progress, remarks and mistakes to standard error."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

DELAY = 1.0  # seconds; what is done before that needs no display
EVERY = 10.0  # seconds between two lines of progress where there is no terminal


def show(result: RenderableType) -> None:
    """Print to standard output; colour only on a terminal, and not where NO_COLOR is set. No line ends in spaces."""
    console = Console(highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(result)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def remarks() -> Console:
    """Return the console for standard error."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def remark(text: str) -> None:
    """Say something beside the results."""
    remarks().print(Text(text), soft_wrap=True)


def complain(text: str) -> None:
    """Say what went wrong."""
    remarks().print(Text.assemble(("error: ", "bold red"), text), soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a value as JSON to standard output, in letters that every encoding has."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def encode_anything() -> None:
    """Let names that the terminal's encoding lacks be replaced, rather than stop everything."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


class Display:
    """Shows what goes on, on standard error, once it has taken longer than a moment; nothing of it stays.

    Where standard error is no terminal, a line says how far things are every now and then.
    """

    def __init__(self, delay: float = DELAY) -> None:
        console = remarks()
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._bar = self._bars.add_task("starting", total=None)
        self._lively = console.is_terminal and not console.is_dumb_terminal
        self._timer = threading.Timer(delay, self._show)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._over = self._shown = False
        self._text = ""
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        """Begin to wait for the moment from which on there is something to show."""
        if self._lively:
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take it away."""
        with self._lock:
            self._over = True
            self._timer.cancel()
            if self._shown:
                self._bars.stop()

    def phase(self, text: str) -> None:
        """Say what is being done from now on."""
        self._text = text
        self._bars.reset(self._bar, description=text, total=None)

    def say(self, text: str) -> None:
        """Say something that stays."""
        self._bars.console.print(Text(text), soft_wrap=True)

    def tell(self, done: int, total: int) -> None:
        """Say how much of it is done."""
        self._bars.update(self._bar, completed=done, total=total)
        if not self._lively and time.monotonic() - self._said >= EVERY:
            self._said = time.monotonic()
            remark(f"{self._text}: {100 * done // max(total, 1)} %")

    def nudge(self) -> None:
        """Say what is being done, of which nobody knows how far it is, where nothing has been said for a while."""
        if not self._lively and time.monotonic() - self._said >= EVERY:
            self._said = time.monotonic()
            remark(self._text)

    def _show(self) -> None:
        with self._lock:
            if not self._over:
                self._shown = True
                self._bars.start()


@contextmanager
def to_a_pipe() -> Iterator[None]:
    """Let a reader that has seen enough, such as `head`, or a disk that is full end the program without a traceback."""
    try:
        try:
            yield
        finally:  # a program that ends by SystemExit has output to write, too
            sys.stdout.flush()
    except BrokenPipeError:
        _give_up_output()
        raise SystemExit(1) from None
    except OSError as error:
        complain(str(error))
        _give_up_output()
        raise SystemExit(2) from None


def _give_up_output() -> None:
    """Let what is still to be written go nowhere, since Python writes it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
