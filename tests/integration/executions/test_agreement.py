"""Repeated runs of an algorithm on the same cases: only organizers see how far the runs agree."""

import pytest
from django.urls import reverse

from accounts.models import User
from challenges.models import Organizer
from executions.domain.agreement import agreement_sentences
from executions.models import AlgorithmArchive
from tests.integration.executions.world import execution_of, run_all

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Agreement is computed from files of results."),
]


def run_again(world, engine, script, *, image=None, team=None):
    """Hand in an image, which may be that of an earlier run, and run it."""
    engine.script = script
    image = image or world.image(team=team)
    engine.held.append(image.digest)
    submission = world.hand_in(image, team=team)
    run_all()
    return execution_of(submission), image


def copies(work):
    for case in work.cases:
        work.copy(case)


def fails_at_every_case(work):
    work.exit(3)


def text_for(client, user, execution):
    client.force_login(user)
    response = client.get(reverse("executions:execution", args=["blocks", execution.pk]))
    return response.content.decode() if response.status_code == 200 else ""


def test_a_first_run_says_nothing_and_a_second_that_both_agree(world, engine, client):
    first, image = run_again(world, engine, copies)
    second, _ = run_again(world, engine, copies, image=image)

    assert first.agreement == {}
    assert (second.agreement["runs"], second.agreement["same_predictions"]) == (2, 1)
    assert second.agreement["costs"]["run_wall_time"]["cases"] == second.cases_total
    assert "gave the same predictions, byte for byte" in text_for(client, world.organizer, second)
    assert "Repeated runs" not in text_for(client, world.organizer, first)


def test_other_predictions_are_told_as_such(world, engine, client):
    _, image = run_again(world, engine, copies)
    second, _ = run_again(world, engine, fails_at_every_case, image=image)

    assert second.agreement["same_predictions"] == 0
    assert "The run before of the same algorithm gave other predictions" in text_for(client, world.organizer, second)


def test_another_image_is_not_compared(world, engine):
    run_again(world, engine, copies)
    other, _ = run_again(world, engine, copies, image=world.image(digit="b"))

    assert AlgorithmArchive.objects.count() == 2
    assert other.agreement == {}


@pytest.mark.parametrize(
    ("who", "reads"),
    [("olga", True), ("ada", False), ("bo", False), ("moderator", False), ("stranger", False), ("root", False)],
)
def test_only_named_organizers_read_how_far_runs_agree(world, engine, client, who, reads):
    _, image = run_again(world, engine, copies)
    second, _ = run_again(world, engine, copies, image=image)
    for name in ("moderator", "stranger"):
        User.objects.create_user(name, f"{name}@example.org", "a long password")
    User.objects.create_superuser("root", "root@example.org", "a long password")
    Organizer.objects.create(
        challenge=world.challenge, user=User.objects.get(username="moderator"), role=Organizer.Role.MODERATOR
    )

    shown = text_for(client, User.objects.get(username=who), second)

    assert ("Repeated runs" in shown) is reads


def test_it_is_no_part_of_the_provenance_which_goes_out_with_a_result(world, engine):
    _, image = run_again(world, engine, copies)
    second, _ = run_again(world, engine, copies, image=image)

    assert second.agreement
    assert second.provenance["identity"] == second.identity
    assert not {"agreement", "costs", "same_predictions"} & set(second.provenance)


def test_sentences_name_each_cost_and_round_it():
    apart = {"executions": 3, "cases": 4, "spread": 0.0312, "widest": 0.1}
    costs = {"run_wall_time": apart, "run_cpu_time": {**apart, "of_means": 0.011}}

    sentences = agreement_sentences({"runs": 3, "same_predictions": 1, "costs": costs})

    assert sentences == [
        "Of the latest 2 runs before of the same algorithm, 1 gave the same predictions, byte for byte.",
        "Wall time: over 4 cases, runs lie 3.1% apart at the median and 10.0% at most.",
        "Processor time: over 4 cases, runs lie 3.1% apart at the median and 10.0% at most; their means lie 1.1% apart.",
    ]
