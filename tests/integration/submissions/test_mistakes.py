"""Mistakes that participants make use no quota, and correct submissions that look unusual are scored."""

import json

import numpy as np
import pytest

from challenges.services import close_phase
from executions.scoring.domain.report import Report
from submissions.models import Submission
from submissions.queries import results_frame
from submissions.queries.progress import progress
from submissions.queries.quotas import quota
from submissions.services import states
from submissions.services.sweeping import sweep
from tests.integration.submissions.test_instances import CASES as IMAGES
from tests.integration.submissions.test_instances import nuclei, png
from tests.integration.submissions.test_tables import CASES as TABLE_CASES
from tests.integration.submissions.test_tables import boxes, cells, table
from tests.integration.submissions.world import AFFINE, CASES, SHAPE, World, build, labels, nifti, predictions, zipped

__all__ = ["cells", "nuclei"]

pytestmark = pytest.mark.django_db(transaction=True)
State = Submission.State


def each(change, affine=AFFINE):
    """Predictions of all cases, changed alike."""
    return {f"{case}.nii.gz": nifti(change(labels(1, case=case)), affine) for case in CASES}


def moved(millimetres: float) -> np.ndarray:
    affine = AFFINE.copy()
    affine[0, 3] = millimetres
    return affine


LABEL_IMAGES = {
    "labels one too high": (lambda: each(lambda a: (a > 0).astype(np.uint8) + 1), State.HELD, "no_background"),
    "one prediction for all cases": (
        lambda: {f"{case}.nii.gz": nifti(labels(1)) for case in CASES},
        State.HELD,
        "identical_predictions",
    ),
    "axes in the order of numpy": (lambda: each(lambda a: a.transpose(2, 1, 0).copy()), State.HELD, "swapped_axes"),
    "header with another origin": (lambda: each(lambda a: a, moved(20.0)), State.HELD, "same_place"),
    "header without orientation": (
        lambda: each(lambda a: a, np.array([[0.8, -0.6, 0, 0], [0.6, 0.8, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1.0]])),
        State.HELD,
        "same_orientation",
    ),
    "probabilities": (lambda: each(lambda a: a.astype(np.float32) * 0.45), State.HELD, "probabilities_as_labels"),
    "names of channels": (
        lambda: {f"{name.split('.')[0]}_0000.nii.gz": content for name, content in predictions().items()},
        State.REFUSED,
        "file_pattern",
    ),
    "a folder packed twice": (lambda: {"predictions.zip": zipped(predictions())}, State.REFUSED, "file_missing"),
    "a case forgotten": (lambda: predictions(cases=CASES[:-1]), State.HELD, "file_missing"),
}


def submitted(world: World, files) -> tuple[Submission, set[str]]:
    """A submission, and the ids of what was found."""
    submission = world.upload(zipped(files), again=False)
    submission.refresh_from_db()
    report = Report.of(submission.report)
    return submission, {finding.kind for finding in report.troubled} | {question.id for question in report.questions}


def test_mistakes_in_label_images_use_no_quota(world: World, workers):
    for name, (files, state, finding_id) in LABEL_IMAGES.items():
        submission, found = submitted(world, files())
        assert (submission.state, finding_id in found, submission.is_charged) == (state, True, False), name
    assert quota(world.phase, world.adas, world.ada).used_today == 0


def test_the_same_predictions_packed_again_are_held(world: World, workers):
    first, _ = submitted(world, predictions())
    assert first.state == State.SCORED
    second, found = submitted(world, {f"out/{name}": content for name, content in predictions().items()})
    assert (second.state, found) == (State.HELD, {"repeated_predictions"})
    [question] = Report.of(second.report).asked
    assert question.sentence.startswith(f"The predictions for all 4 cases are those of your submission {first.number}.")
    states.withdraw(submission=second, actor=world.ada)
    assert quota(world.phase, world.adas, world.ada).used_today == 1
    # Another team may have the same predictions.
    other = world.upload(zipped(predictions()), team=world.bos, again=False)
    other.refresh_from_db()
    assert other.state == State.SCORED


def test_mistakes_in_boxes_use_no_quota(cells: World, workers):
    head, *rows = boxes()
    shares = [[*row[:3], *(number / 100 for number in row[3:])] for row in rows]
    sizes = [[*row[:5], row[5] - row[3], row[6] - row[4]] for row in rows]
    strange = [[f"img_{row[0]}", *row[1:]] for row in rows]
    broken = [*rows, [TABLE_CASES[0], "cell", 0.5, 20, 20, 20, 30]]
    for changed, state, finding_id in (
        (shares, State.HELD, "boxes_in_unit"),
        (sizes, State.HELD, "boxes_as_sizes"),
        (broken, State.HELD, "rows_not_used"),
        (strange, State.HELD, "names_of_no_case"),
    ):
        submission, found = submitted(cells, {"objects.csv": table([head, *changed])})
        assert submission.state == state, submission.reason
        assert finding_id in found
    assert quota(cells.phase, cells.adas, cells.ada).used_today == 0


def test_corners_in_place_of_sizes_in_coco_use_no_quota(cells: World, workers):
    images = [{"id": number, "file_name": f"{case}.png"} for number, case in enumerate(TABLE_CASES)]
    entries = [
        {"image_id": number, "category_id": 1, "score": 0.5, "bbox": [5, 5, 15 + number, 16 + number]}
        for number in range(len(TABLE_CASES))
    ]
    document = {"images": images, "categories": [{"id": 1, "name": "cell"}], "annotations": entries}
    submission, found = submitted(cells, {"objects.json": json.dumps(document).encode()})
    assert submission.state == State.HELD, submission.reason
    assert "boxes_as_corners" in found
    assert quota(cells.phase, cells.adas, cells.ada).used_today == 0


def test_a_semantic_mask_in_place_of_an_instance_map_is_held(nuclei: World, workers):
    mask = np.zeros((30, 40), np.uint8)
    mask[2:10, 3:11] = mask[14:22, 20:29] = 255
    shifted = [np.roll(mask, number, axis=1) for number in range(len(IMAGES))]
    files = {f"{case}.png": png(array) for case, array in zip(IMAGES, shifted, strict=True)}
    submission, found = submitted(nuclei, files)
    assert (submission.state, found) == (State.HELD, {"one_object_in_pieces"})
    assert quota(nuclei.phase, nuclei.adas, nuclei.ada).used_today == 0


def test_image_names_of_other_cases_are_held_and_count_as_missing_when_confirmed(cells: World, client, workers):
    images = [{"id": number, "file_name": f"img_{number}.png"} for number in range(3)]
    entries = [{"image_id": 0, "category_id": 1, "score": 0.5, "bbox": [5, 5, 9, 9]}]
    document = {"images": images, "categories": [{"id": 1, "name": "cell"}], "annotations": entries}
    submission, found = submitted(cells, {"objects.json": json.dumps(document).encode()})
    assert (submission.state, "names_of_no_case" in found) == (State.HELD, True)
    [question] = Report.of(submission.report).asked
    sentence = "objects.json: 0 of 3 image names match the cases of the task; the first are img_0, img_1, img_2."
    assert question.sentence.startswith(sentence)
    client.force_login(cells.ada)
    assert sentence in client.get(submission.get_absolute_url()).content.decode()
    assert quota(cells.phase, cells.adas, cells.ada).used_today == 0
    states.score_as_it_is(submission=submission, actor=cells.ada)
    submission.refresh_from_db()
    assert submission.state == State.SCORED
    assert {"missing"} == set(results_frame(submission.runs.get())["outcome"])
    assert quota(cells.phase, cells.adas, cells.ada).used_today == 1


def test_a_fault_of_all_cases_is_withdrawn_when_the_phase_closes(world: World, workers):
    swapped, _ = submitted(world, LABEL_IMAGES["axes in the order of numpy"][0]())
    assert progress(swapped).next.endswith("the submission is withdrawn.")
    close_phase(actor=world.organizer, phase=world.phase)
    assert sweep()["held"] == 1
    swapped.refresh_from_db()
    assert (swapped.state, swapped.reason) == (State.WITHDRAWN, states.NOTHING_TO_SCORE)
    assert progress(swapped).text == f"{states.NOTHING_TO_SCORE} It does not use up your quota."


def test_a_fault_of_all_cases_is_rejected_by_a_phase_of_complete_submissions(tmp_path, db, workers, client):
    world = build(tmp_path / "complete", incomplete_allowed=False)
    submission, found = submitted(world, LABEL_IMAGES["axes in the order of numpy"][0]())
    assert (submission.state, "swapped_axes" in found) == (State.REFUSED, True)
    client.force_login(world.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "Check these predictions" in page
    assert "Please confirm" not in page


def test_a_phase_of_pictures_suggests_names_of_pictures(nuclei: World, workers):
    submission, _ = submitted(nuclei, {"readme.txt": b"nothing"})
    findings = Report.of(submission.report).troubled
    assert [each.remedy for each in findings] == [f"Add {case}.png." for case in IMAGES]


def test_correct_but_unusual_submissions_are_scored(world: World, workers):
    for value in (0, 1):
        submission, found = submitted(world, each(lambda a, value=value: np.full_like(a, value)))
        assert (submission.state, found) == (State.SCORED, set())


def test_empty_predictions_of_cases_that_are_empty_in_truth_are_scored(tmp_path, db, workers):
    empty = np.zeros(SHAPE, np.uint8)
    world = build(tmp_path / "empty", references=dict.fromkeys(CASES, empty))
    submission, found = submitted(world, {f"{case}.nii.gz": nifti(empty) for case in CASES})
    assert (submission.state, found) == (State.SCORED, set())


def test_the_interface_shows_questions_with_their_sentences(client, world: World, workers):
    submission, _ = submitted(world, LABEL_IMAGES["one prediction for all cases"][0]())
    client.force_login(world.ada)
    content = client.get(f"/api/v1/submissions/{submission.pk}/").json()
    [question] = content["questions"]
    assert question["id"] == "identical_predictions"
    assert question["sentence"] == Report.of(submission.report).asked[0].sentence
    assert question["sentence"] in client.get(submission.get_absolute_url()).content.decode()


def test_organizers_see_the_shifts_of_the_grids(client, world: World, workers):
    files = each(lambda a: a, moved(0.2)) | {"case_001.nii.gz": nifti(labels(1))}
    submission, found = submitted(world, files)
    assert (submission.state, found) == (State.SCORED, {"shifted_grid"})
    counts = dict(Report.of(submission.report).shift_counts)
    assert {words: count for words, count in counts.items() if count} == {"no shift": 1, "0.1 to 0.25 voxels": 3}
    for user, sees in ((world.organizer, True), (world.ada, False)):
        client.force_login(user)
        page = client.get(submission.get_absolute_url()).content.decode()
        assert ("Shifts of the grids" in page) == sees
