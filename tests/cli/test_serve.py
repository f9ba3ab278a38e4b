"""The command that serves the workbench, up to where the server begins."""

from __future__ import annotations

import socket

import pytest

from allotment.cli import serving
from allotment.views.workbench import serve


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What servers were begun with, none of which begins."""
    found: list[dict[str, object]] = []
    monkeypatch.setattr(serving, "prepare", lambda _tell: None)
    monkeypatch.setattr(serving, "try_to_listen", lambda _address, _port: None)
    monkeypatch.setattr(serve, "serve", lambda scenario, **options: found.append({"scenario": scenario, **options}))
    return found


def test_pages_are_kept_for_a_minute_after_people_have_left_or_as_long_as_is_said(shell, begun):
    assert shell("serve", "--no-browser").status == 0
    assert shell("serve", "--no-browser", "--keep=5", "--sweep=2").status == 0
    assert [(each["keep"], each["sweep"]) for each in begun] == [(serve.KEEP, serve.SWEEP), (5, 2)]
    assert (serve.KEEP, serve.SWEEP) == (60, 10)


@pytest.mark.parametrize("option", ["--keep", "--sweep"])
def test_pages_are_kept_for_a_second_at_least(shell, begun, option):
    ended = shell("serve", option, 0)
    assert ended.status == 2
    assert option in ended.err
    assert begun == []


def test_other_names_and_another_bound_of_jobs_are_passed_on(shell, begun):
    assert shell("serve", "--no-browser").status == 0
    assert shell("serve", "--no-browser", "--allow-host=a.b", "--allow-host=c:8443", "--max-jobs=9").status == 0
    assert [(each["hosts"], each["most_jobs"]) for each in begun] == [((), serve.MOST_JOBS), (("a.b", "c:8443"), 9)]


@pytest.mark.parametrize("host", ["http://a.b", "a b", "", "a:b", "<b>", "a/b"])
def test_what_is_no_name_of_a_host_is_told(shell, begun, host):
    ended = shell("serve", "--no-browser", "--allow-host", host)
    assert (ended.status, begun) == (2, [])
    assert "--allow-host takes a name such as gpu.example.org or gpu.example.org:8443, not " in ended.err


@pytest.mark.parametrize("address", ["", "nobody.invalid", "::1", "a b", "<b>", "x" * 300, "\u00e9.invalid"])
def test_an_address_that_is_none_is_told_before_one_is_announced(shell, address):
    ended = shell("serve", "--no-browser", "--address", address)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"error: there is no address {address[:20]!r}"[:-1])
    assert "try --address 127.0.0.1" in ended.err


def test_a_port_that_is_taken_and_an_address_of_another_machine_are_told_before_one_is_announced(shell):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = shell("serve", "--no-browser", "--port", port)
        assert ended.status == 2
        assert ended.err.startswith(f"error: cannot listen at 127.0.0.1:{port}: ")
        assert ended.err.strip().endswith("; try another --port")
    ended = shell("serve", "--no-browser", "--address", "203.0.113.9", "--port", port)
    assert ended.err.strip().endswith("; try another --address")
