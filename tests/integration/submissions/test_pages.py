"""Every page of the app, opened by the people who may."""

import pytest

from tests.integration.submissions.world import World, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)


def address(world: World, rest: str) -> str:
    return f"/challenges/{world.challenge.slug}/{rest}"


def test_the_submit_page_says_what_is_expected(world: World, client):
    client.force_login(world.ada)
    page = client.get(address(world, "submit/")).content.decode()
    assert "case_001.nii.gz" in page
    assert "12 × 10 × 8" in page


def test_pages_of_a_scored_submission_open(world: World, client, workers):
    submission = world.upload(zipped(predictions()))
    client.force_login(world.ada)
    for rest in (
        "submissions/",
        f"submissions/{submission.pk}/",
        f"submissions/{submission.pk}/status/",
        f"submissions/{submission.pk}/results.csv",
        f"submissions/{submission.pk}/cases/case_001/",
        f"submissions/{submission.pk}/cases/case_001/picture/",
        f"submissions/{submission.pk}/cases/case_001/picture.png",
    ):
        response = client.get(address(world, rest))
        response.close()
        assert response.status_code == 200, rest
    client.force_login(world.organizer)
    for rest in (
        "organize/submissions/",
        f"organize/submissions/{submission.pk}/archive/",
        f"organize/phases/{world.phase.pk}/results.csv",
        "organize/cases/case_001/",
        f"submissions/{submission.pk}/",
    ):
        response = client.get(address(world, rest))
        response.close()
        assert response.status_code == 200, rest


def test_what_was_refused_says_why_and_leads_to_another_try(client, world: World, workers):
    submission = world.upload(zipped({"../outside.nii.gz": b"1"}))
    client.force_login(world.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "The archive was not accepted" in page
    assert "Upload corrected" in page


def test_a_case_that_cannot_be_scored_has_what_was_expected_beside_it(client, world: World, workers):
    found = predictions()
    found.pop(next(iter(found)))
    submission = world.upload(zipped(found))
    client.force_login(world.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert 'data-label="Expected">case_001.nii.gz: ' in page
    assert " voxels" in page
