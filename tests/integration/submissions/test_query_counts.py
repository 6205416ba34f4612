"""Lists cost the same number of queries with one submission and with three."""

import pytest

from submissions.models import Submission
from tests.integration.submissions.world import World, predictions, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Django composes as many queries for both databases. `test_overview.py` executes them on both."
    ),
]

LISTS = {"submissions/": ("ada", 18), "organize/submissions/": ("organizer", 14)}


@pytest.mark.parametrize("rest", LISTS)
@pytest.mark.parametrize("number", [1, 3])
def test_a_list(client, world: World, workers, django_assert_num_queries, rest: str, number: int):
    who, queries = LISTS[rest]
    for _ in range(number):
        world.upload(zipped(predictions()))
    assert Submission.objects.filter(state="scored").count() == number
    client.force_login(getattr(world, who))
    client.get(f"/challenges/blocks/{rest}")
    with django_assert_num_queries(queries):
        assert client.get(f"/challenges/blocks/{rest}").status_code == 200


@pytest.mark.parametrize("number", [1, 3])
def test_the_status_that_a_page_asks_for_every_second(client, world: World, django_assert_num_queries, number: int):
    for _ in range(number):
        submission = world.upload(zipped(predictions()))
    client.force_login(world.ada)
    client.get(f"{submission.get_absolute_url()}status/")
    with django_assert_num_queries(15):
        assert client.get(f"{submission.get_absolute_url()}status/").status_code == 200
