"""Forty malicious programs in real containers: nothing escapes or remains, and other runs continue."""

from collections.abc import Iterator

import pytest

from tests.containers import contained, hostile
from tests.containers.machine import Machine

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def line() -> Iterator[contained.Listener]:
    with contained.listening() as own:
        yield own


@pytest.mark.parametrize("own", hostile.ALL, ids=lambda own: f"{own.number} {own.name}")
def test_contained(
    machine: Machine, line: contained.Listener, own: hostile.Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://user:secret@proxy.example.org:3128")
    monkeypatch.setenv("SECRET_KEY", "secret")

    assert contained.problems(machine, own, line) == []


def test_an_ordinary_program_runs_after_all_of_them(machine: Machine) -> None:
    assert contained.good_run(machine) == []
