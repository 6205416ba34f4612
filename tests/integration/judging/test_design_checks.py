"""Launch check of a design whose metrics are computed by a scoring image."""

import pytest

from executions.judging.contributions import scorer_has_passed
from executions.models import RunHost
from tests.integration.judging.world import dice

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "A check of one design is computed in memory. `test_pages.py` stores scoring images on both databases."
    ),
]


class Subject:
    """A design of the challenge of the world."""

    design = None

    class values:  # noqa: N801 (an attribute of the subject)
        task_key = None


def check(monkeypatch, world) -> str | None:
    monkeypatch.setattr("executions.judging.contributions.challenge_of", lambda _: world.challenge)
    return scorer_has_passed(Subject())


def test_a_design_is_held_back_until_its_image_has_passed(world, engine, monkeypatch):
    assert "has not been sent" in check(monkeypatch, world)
    engine.script = dice("percent")
    world.image()
    assert "is refused. " in check(monkeypatch, world)
    engine.script = dice()
    world.image()
    assert check(monkeypatch, world) is None


def test_an_installation_without_a_judge_holds_it_back(world, monkeypatch):
    RunHost.objects.update(queues=["run"])
    assert "cannot run scoring images: no worker of the queue judge has reported" in check(monkeypatch, world)
