"""Designs stay fast when they grow: queries do not grow with tasks or designs, and saving a field takes no time."""

from time import process_time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from designs import services
from designs.models import TaskAnswers
from designs.queries import texts
from designs.services.examples import example_document
from evaluation.designs.catalogue import shipped
from tests.unit.designs.world import design, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Django composes as many queries for both databases. `test_standings.py` and `test_saving.py` execute them on both."
    ),
]


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def queries_of(client, url):
    # Texts of the catalogue are read again every half minute, which must not fall between the two requests.
    texts.forget()
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_the_list_takes_the_same_number_of_queries_for_one_and_for_three_designs(signed_in, owner):
    counts = []
    for number in (1, 2):
        for _ in range(number):
            design(owner, tasks=("A", "B"))
        counts.append(queries_of(signed_in, reverse("designs:list")))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("name", ["detail", "checks", "assessment", "section", "advice", "versions"])
def test_pages_take_the_same_number_of_queries_for_one_and_for_three_tasks(signed_in, owner, name):
    counts = []
    for tasks in (("A",), ("A", "B", "C")):
        stored = design(owner, tasks=tasks)
        url = (
            reverse("designs:task_section", args=[stored.slug, "data_sets", "task-1"])
            if name == "section"
            else reverse(f"designs:{name}", args=[stored.slug])
        )
        counts.append(queries_of(signed_in, url))
    assert counts[0] == counts[1]


def example_of(owner, tasks: int):
    """Return a design of `tasks` tasks whose organizers requested advice on each."""
    document = example_document("hippocampus")
    document["tasks"] = [{**document["tasks"][0], "task_name": f"Task {n}"} for n in range(tasks)]
    stored, _ = services.import_design(actor=owner, title=f"{tasks} tasks", data=document)
    TaskAnswers.objects.bulk_create(TaskAnswers(task=task, answers={"FP2.1": True}) for task in stored.tasks.all())
    return stored


def seconds_to_save(client, stored, parameter: str, revision: int) -> float:
    task = stored.tasks.order_by("pk").last().key if shipped()[parameter].is_task else None
    address = reverse(
        "designs:task_save" if task else "designs:save", args=[stored.slug, parameter, *filter(None, [task])]
    )
    data = (
        {"row.0.metric": "dsc", "row.0.shown": "dsc", "row.0.abbreviation": f"DSC{revision}"}
        if parameter == "metrics"
        else {"value": str(50 + revision)}
    )
    began = process_time()
    answer = client.post(address, {**data, "revision": str(revision)}, HTTP_HX_REQUEST="true")
    taken = process_time() - began
    assert b"Saved" in answer.content
    return taken


@pytest.mark.parametrize("parameter", ["number_test_cases", "metrics", "challenge_name"])
def test_a_field_of_a_design_with_twelve_tasks_takes_less_than_three_times_as_long_to_save_as_with_one(
    signed_in, owner, parameter
):
    """Both designs are saved in turns, so other load on the machine slows both down; `-s` shows the times."""
    designs = [example_of(owner, 1), example_of(owner, 12)]
    times = [
        [seconds_to_save(signed_in, stored, parameter, revision) for stored in designs] for revision in range(1, 8)
    ]
    one, twelve = (sorted(column)[len(column) // 2] for column in zip(*times, strict=True))
    print(f"{parameter}: {1000 * one:.0f} ms with one task, {1000 * twelve:.0f} ms with twelve")
    assert twelve < 3 * one
