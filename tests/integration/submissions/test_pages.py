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
