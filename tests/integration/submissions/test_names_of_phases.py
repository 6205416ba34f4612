"""Messages and titles of challenges with several tasks: the task of a phase is named."""

import pytest

from challenges.models import Task
from challenges.queries import label_of
from submissions.services.messages import where_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Names are composed in Python. `test_overview.py` executes the queries on both databases."
    ),
]


def test_a_phase_of_one_of_several_tasks_is_named_with_its_task(world, django_assert_num_queries):
    assert where_of(world.phase).phase == world.phase.name
    Task.objects.create(challenge=world.challenge, name="Staging", slug="staging", position=9)
    fresh = type(world.phase).objects.select_related("task__challenge").get(pk=world.phase.pk)
    with django_assert_num_queries(1):
        assert label_of(fresh) == f"{world.phase.task.name}: {world.phase.name}" == where_of(fresh).phase
