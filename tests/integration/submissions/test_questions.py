"""Predictions that look like a mistake in all cases are held for the team's answer and use no quota until then."""

import numpy as np
import pytest

from executions.scoring.domain.report import Report
from submissions.models import Submission
from submissions.services import states
from tests.integration.submissions.world import CASES, World, labels, nifti, zipped

pytestmark = pytest.mark.django_db(transaction=True)
State = Submission.State


def submitted(world: World, change) -> Submission:
    files = {f"{case}.nii.gz": nifti(change(labels(number % 2))) for number, case in enumerate(CASES)}
    submission = world.upload(zipped(files))
    submission.refresh_from_db()
    return submission


def test_labels_without_a_background_are_held_until_the_team_confirms(client, world: World, workers):
    submission = submitted(world, lambda array: np.where(array > 0, 2, 1).astype(np.uint8))
    report = Report.of(submission.report)
    assert submission.state == State.HELD
    assert [question.id for question in report.asked] == ["no_background"]
    assert report.features == {}
    assert (report.valid, report.troubled) == (len(CASES), [])
    client.force_login(world.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "has the background label 0; the labels are 1, 2" in page

    states.score_as_it_is(submission=submission, actor=world.ada)

    submission.refresh_from_db()
    assert submission.state == State.SCORED


@pytest.mark.parametrize("value", [0, 1])
def test_empty_predictions_and_one_label_everywhere_are_scored(world: World, workers, value: int):
    submission = submitted(world, lambda array: np.full_like(array, value))
    assert submission.state == State.SCORED
    assert Report.of(submission.report).questions == []


def test_a_displaced_grid_is_noted_and_scored(world: World, workers):
    from tests.integration.submissions.world import AFFINE

    affine = AFFINE.copy()
    affine[0, 3] += 0.25
    files = {f"{case}.nii.gz": nifti(labels(number % 2), affine) for number, case in enumerate(CASES)}
    submission = world.upload(zipped(files))
    submission.refresh_from_db()
    [note] = Report.of(submission.report).questions
    assert (submission.state, note.id, note.severity) == (State.SCORED, "shifted_grid", "accept with note")
