"""Launch check of a design whose algorithms run on this platform."""

import pytest

from executions.contributions import containers_run_here
from executions.models import RunHost

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "A check of one design is computed in memory. `test_running.py` runs algorithms on both databases."
    ),
]


class Subject:
    """A design that no challenge runs yet: the check then asks the installation alone."""

    design = None


def check(monkeypatch) -> str | None:
    monkeypatch.setattr("executions.contributions.challenge_of", lambda _: None)
    return containers_run_here(Subject())


def test_a_design_with_algorithms_is_held_back_until_a_machine_can_run_them(monkeypatch):
    assert "no worker with a container engine has reported" in check(monkeypatch)
    RunHost.objects.create(name="far", problem="R3 (memory is bounded): 512 MiB were taken of 64.")
    assert "R3 (memory is bounded)" in check(monkeypatch)


def test_a_machine_that_holds_every_guarantee_is_enough(monkeypatch):
    RunHost.objects.create(name="near", is_ready=True)
    assert check(monkeypatch) is None
