"""The design simulation: requested on the page, run by the task, shown as sentences and figures.

Workers simulate 1,000 challenges, these tests 20: `tests/performance/test_simulation_speed.py` simulates all of them.
"""

from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designs import tasks
from designs.models import Simulation
from designs.queries.work import SIMULATIONS
from designs.services import simulations
from designs.services.examples import load_example_design
from evaluation.advice.simulation import simulate
from tests.unit.designs.world import design, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("A simulation is computed in memory. The queue is tested on both databases."),
]


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    return load_example_design(name="hippocampus", owner=owner)[0]


@pytest.fixture
def sent(monkeypatch):
    jobs = []
    monkeypatch.setattr("core.work.services.enqueue", lambda *args, countdown=None: jobs.append(args))
    return jobs


@pytest.fixture(autouse=True)
def small_simulations(monkeypatch):
    monkeypatch.setattr(simulations, "simulate", partial(simulate, samples=20))


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def address(stored):
    return reverse("designs:simulation", args=[stored.slug, stored.tasks.get().key])


def test_a_simulation_is_asked_for_run_once_and_shown(signed_in, hippocampus, sent):
    assert signed_in.get(address(hippocampus)).context["form"].initial["cases"] == 45
    signed_in.post(address(hippocampus), {"cases": 30, "teams": 4})
    simulation = Simulation.objects.get()
    assert sent == [(SIMULATIONS.task, simulation.pk)]
    assert b"Queued" in signed_in.get(address(hippocampus)).content
    tasks.simulate(simulation.pk)
    tasks.simulate(simulation.pk)
    simulation.refresh_from_db()
    assert simulation.state == Simulation.State.DONE
    page = signed_in.get(address(hippocampus)).content.decode()
    assert simulation.result["sentences"][0][:40] in page
    figure = signed_in.get(reverse("designs:simulation_figure", args=[hippocampus.slug, simulation.pk, 0]))
    assert set(figure.json()) >= {"data", "layout"}
    status = signed_in.get(reverse("designs:simulation_status", args=[hippocampus.slug, simulation.pk]))
    assert status["HX-Refresh"] == "true"


def test_the_spread_is_assumed_given_or_taken_from_a_pilot(signed_in, hippocampus, sent):
    spread = {"typical": 0.8, "between_cases": 0.1, "between_teams": 0.02, "noise": 0.05}
    signed_in.post(address(hippocampus), {"cases": 30, "teams": 4, **spread})
    assert Simulation.objects.first().options["spread"]["typical"] == 0.8
    answer = signed_in.post(address(hippocampus), {"cases": 30, "teams": 4, "typical": 0.8})
    assert b"all four spread values" in answer.content
    lines = ["algorithm,case,region,metric,value,outcome,image_diagonal"]
    for number, name in enumerate(("a", "b")):
        for case in range(6):
            for region in ("anterior", "posterior"):
                values = {"dsc": 0.8, "nsd": 0.7, "hausdorff_percentile": 2.0, "assd": 1.0}
                lines += [
                    f"{name},c{case},{region},{metric},{value + 0.01 * case + 0.02 * number},ok,60"
                    for metric, value in values.items()
                ]
    pilot = SimpleUploadedFile("pilot.csv", "\n".join(lines).encode())
    signed_in.post(address(hippocampus), {"cases": 30, "teams": 3, "pilot": pilot})
    simulation = Simulation.objects.first()
    assert len(simulation.options["pilot"]) == 96
    tasks.simulate(simulation.pk)
    simulation.refresh_from_db()
    assert (simulation.state, simulation.problem) == (Simulation.State.DONE, "")


def test_a_table_that_is_none_is_refused(signed_in, hippocampus, sent):
    bad = SimpleUploadedFile("pilot.csv", b"\x00\x01 not a table")
    answer = signed_in.post(address(hippocampus), {"cases": 30, "teams": 3, "pilot": bad})
    assert b"no results table" in answer.content
    assert sent == []


def test_a_design_that_cannot_be_compiled_says_what_is_missing(signed_in, owner, sent):
    stored = design(owner)
    answer = signed_in.post(address(stored), {"cases": 30, "teams": 4})
    assert b"The task category is missing." in answer.content
    assert sent == []


def test_the_simulation_is_for_those_who_write_the_design(client, hippocampus):
    client.force_login(person("eve"))
    assert client.get(address(hippocampus)).status_code == 403


def test_an_error_of_ours_is_kept_tried_again_and_then_told(signed_in, hippocampus, sent, monkeypatch, caplog):
    signed_in.post(address(hippocampus), {"cases": 30, "teams": 4})
    monkeypatch.setattr(simulations, "simulate", lambda *_, **__: 1 / 0)
    for attempt in range(SIMULATIONS.errors):
        Simulation.objects.update(due_at=None)
        assert Simulation.objects.get().attempts == attempt
        tasks.simulate(Simulation.objects.get().pk)
        assert "division by zero" in Simulation.objects.get().failure
    assert (Simulation.objects.get().state, Simulation.objects.get().problem) == ("failed", simulations.OUR_FAULT)
    assert len(sent) == SIMULATIONS.errors
