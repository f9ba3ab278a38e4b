"""The command as a process of its own: pipes, terminals, warnings, signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.sessions import ONLY_LINUX, gone, hearing

# A shell shows both as 130. Python itself ends by the signal where it arrived in the middle of an exec() of some library.
STOPPED_BY_CTRL_C = (130, -signal.SIGINT)
ALLOTMENT = [sys.executable, "-m", "allotment.cli"]
COLOUR = re.compile(rb"\x1b\[[0-9;]*3[0-9]")
BOLD = b"\x1b[1m"


def environment(**more: str) -> dict[str, str]:
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return plain | {"TERM": "xterm-256color"} | more


def on_a_terminal(*arguments: str, **variables: str) -> bytes:
    """Return what a command prints where standard output and error are a terminal."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*ALLOTMENT, *arguments], stdout=theirs, stderr=theirs, env=environment(**variables)
    ) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            seen += more
        process.wait()
    os.close(ours)
    return seen


def test_on_a_terminal_headings_stand_out_and_progress_goes_away():
    seen = on_a_terminal("simulate", "small-week", "--days", "1")
    assert BOLD in seen
    assert b"GPU time" in seen
    assert b"Traceback" not in seen


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_where_colour_is_not_wanted_there_is_none(variables):
    assert not COLOUR.search(on_a_terminal("simulate", "small-week", "--days", "1", **variables))
    assert not COLOUR.search(on_a_terminal("simulate", "no-such-scenario", **variables))


def test_a_mistake_is_coloured_on_a_terminal():
    assert COLOUR.search(on_a_terminal("simulate", "no-such-scenario"))


def test_in_a_pipe_there_is_no_colour_and_json_is_json_whatever_python_warns_of():
    for variables in ({"PYTHONWARNINGS": "always"}, {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}):
        done = subprocess.run(
            [*ALLOTMENT, "simulate", "small-week", "--days", "1", "--json"],
            check=True,
            capture_output=True,
            env=environment(**variables),
        )
        assert b"\x1b" not in done.stdout
        assert json.loads(done.stdout)["policy"] == "budgets"


@pytest.mark.parametrize("arguments", [("schema",), ("presets",), ("presets", "--json")])
def test_a_reader_that_has_seen_enough_causes_no_traceback(arguments):
    with subprocess.Popen([*ALLOTMENT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        process.wait()
    assert said == b""
    assert process.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
def test_a_disk_that_is_full_causes_no_traceback():
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run([*ALLOTMENT, "presets"], check=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr


def test_ctrl_c_in_the_middle_of_a_long_run_ends_it_with_130():
    command = hearing(*ALLOTMENT, "simulate", "small-week", "--days", "3000", "--json")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(5)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=120)
    assert process.returncode in STOPPED_BY_CTRL_C
    assert b"Traceback" not in said
    if out:  # else it had not begun
        assert json.loads(out)["interrupted"] is True


@pytest.mark.parametrize("module", ["allotment", "allotment.cli"])
def test_the_package_runs_as_a_program(module):
    done = subprocess.run([sys.executable, "-m", module, "presets"], check=True, capture_output=True, text=True)
    assert "reference-month" in done.stdout


@pytest.mark.parametrize("loading", ["typer", "rich.console", "allotment.cli.simulating"])
def test_ctrl_c_while_it_is_still_loading_is_told_in_one_line(loading):
    """Raise KeyboardInterrupt in the middle of an import, as Ctrl-C does."""
    code = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {loading!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.argv = ['allotment', 'simulate', 'small-week']\n"
        "from allotment.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
    assert done.stderr in ("", "error: stopped by Ctrl-C\n")


@ONLY_LINUX
@pytest.mark.slow
@pytest.mark.parametrize("command", ["reproduce", "theories"])
def test_ctrl_c_in_the_middle_of_many_runs_ends_all_with_130_and_one_line(command):
    with subprocess.Popen(
        hearing(*ALLOTMENT, command, "--seeds", "50"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=environment(),
    ) as process:
        time.sleep(8)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, workers included
        asked = time.monotonic()
        out, said = process.communicate(timeout=60)
        assert time.monotonic() - asked < 5
    assert (process.returncode, out) == (130, b"")
    assert said.decode().splitlines()[-1] == "error: stopped by Ctrl-C"
    assert b"Traceback" not in said
    assert gone(process.pid)
