"""Findings and messages of validation, and the resulting state of the submission."""

import io
import tarfile

import numpy as np
import pytest

from executions.scoring.domain.report import Report, Status
from submissions.models import Submission
from submissions.services import states
from tests.integration.submissions.world import (
    AFFINE,
    CASES,
    SHAPE,
    World,
    add_test_set,
    build,
    labels,
    nifti,
    predictions,
    zipped,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Archives are checked before a row is written."),
]
State = Submission.State


def submitted(world: World, files: dict[str, bytes], **more) -> tuple[Submission, Report]:
    submission = world.upload(zipped(files), **more)
    submission.refresh_from_db()
    return submission, Report.of(submission.report)


def replaced(content: bytes | None, case: str = "case_002") -> dict[str, bytes]:
    """Return a complete set of predictions with one file replaced or, with None, removed."""
    files = predictions()
    del files[f"{case}.nii.gz"]
    return files if content is None else {**files, f"{case}.nii.gz": content}


BROKEN = {
    "shape": (nifti(labels(shape=(12, 10, 9))), "12 × 10 × 9 voxels", "12 × 10 × 8 voxels"),
    "spacing": (nifti(labels(), np.diag([1.0, 1.0, 3.0, 1.0])), "1 × 1 × 3 mm", "1 × 1 × 2 mm"),
    "labels": (nifti(np.where(labels() == 2, 7, labels()).astype(np.uint8)), "the label 7", "only 0, 1, 2"),
    "not_integer": (nifti(labels().astype(np.float32) * 0.5), "the value 0.5", "whole numbers"),
    "not_finite": (nifti(np.full(SHAPE, np.nan, dtype=np.float32)), "NaN", "labels"),
    "negative": (nifti(labels().astype(np.int16) - 1), "the label -1", "labels from 0 on"),
    "origin": (nifti(labels(), AFFINE + np.array([[0, 0, 0, 9.0], *[[0] * 4] * 3])), "9 mm away", "first voxel at"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_that_cannot_be_scored_is_named_with_what_was_found_and_expected(world: World, workers, kind: str):
    content, found, expected = BROKEN[kind]
    submission, report = submitted(world, replaced(content))
    finding = report.findings["case_002"]
    assert (finding.status, finding.kind) == (Status.INVALID, kind)
    assert finding.message.startswith("case_002.nii.gz: ")
    assert found in finding.message
    assert expected in finding.message
    assert finding.remedy
    assert submission.state == State.HELD


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"", "empty_file"), (b"no image at all", "magic"), (nifti(labels())[:60], "truncated")],
)
def test_a_file_that_is_no_image_is_named(world: World, workers, content: bytes, kind: str):
    _, report = submitted(world, replaced(content))
    finding = report.findings["case_002"]
    assert finding.status == Status.INVALID
    assert finding.kind in {kind, "checksum", "header"}


def test_the_report_lists_every_expected_case_in_order(world: World, workers):
    _, report = submitted(world, {**replaced(None), "notes.txt": b"hello"})
    assert list(report.findings) == list(CASES)
    assert [finding.status for finding in report.findings.values()] == ["valid", "missing", "valid", "valid"]
    assert [(extra.file, extra.hint) for extra in report.extra] == [
        ("notes.txt", "not a label image that is read; ignored")
    ]


def test_an_incomplete_submission_waits_for_its_team(world: World, workers):
    submission, _ = submitted(world, replaced(None))
    assert submission.state == State.HELD
    assert not submission.runs.exists()


def test_scored_as_it_is_the_missing_case_counts_as_missing(world: World, workers):
    submission, _ = submitted(world, replaced(None))
    states.score_as_it_is(submission=submission, actor=world.ada)
    states.score_as_it_is(submission=submission, actor=world.ada)
    submission.refresh_from_db()
    run = submission.runs.get()
    assert submission.state == State.SCORED
    assert run.summary["missing_cases"] == 1
    assert run.case_notes == {"case_002": "There is no file for case_002"}


def test_whoever_said_so_beforehand_is_not_asked(world: World, workers):
    submission, _ = submitted(world, replaced(None), accept_incomplete=True)
    assert submission.state == State.SCORED


def test_withdrawn_it_is_not_scored_and_does_not_count(world: World, workers):
    submission, _ = submitted(world, replaced(None))
    states.withdraw(submission=submission, actor=world.ada)
    submission.refresh_from_db()
    assert submission.state == State.WITHDRAWN
    assert not submission.runs.exists()
    states.score_as_it_is(submission=submission, actor=world.ada)
    assert not submission.runs.exists()


def test_a_phase_that_wants_complete_submissions_refuses_others(tmp_path, db, workers):
    world = build(tmp_path / "references", incomplete_allowed=False)
    submission, _ = submitted(world, replaced(None))
    assert submission.state == State.REFUSED
    assert "1 of 4 cases" in submission.reason


def test_a_submission_without_any_valid_case_is_refused(world: World, workers):
    submission, _ = submitted(world, {f"{case}.nii.gz": b"nothing" for case in CASES})
    assert submission.state == State.REFUSED
    assert "None of the 4 cases has a prediction that can be read" in submission.reason


def test_an_archive_with_other_files_says_which_it_found(world: World, workers):
    submission, _ = submitted(world, {"results/scan1.nii.gz": nifti(labels())})
    assert submission.state == State.REFUSED
    assert "results/scan1.nii.gz" in submission.reason


def test_what_is_no_archive_is_refused_with_a_remedy(world: World, workers):
    submission = world.upload(b"this is not an archive at all")
    submission.refresh_from_db()
    assert submission.state == State.REFUSED
    assert "Pack the predictions into a .zip or .tar.gz file." in submission.reason


def test_a_hostile_archive_is_refused(world: World, workers):
    submission, report = submitted(world, {"../../etc/cron.d/x": b"1", **predictions()})
    assert submission.state == State.REFUSED
    assert "points outside of the archive" in report.problem


def test_a_tar_archive_is_taken_like_a_zip(world: World, workers):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in predictions().items():
            entry = tarfile.TarInfo(f"set/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    packed, zip_of_same = world.upload(buffer.getvalue(), name="set.tar.gz"), world.upload(zipped(predictions()))
    digests = []
    for submission in (packed, zip_of_same):
        submission.refresh_from_db()
        assert submission.state == State.SCORED, submission.reason
        digests.append(submission.runs.get().result_digest)
    assert digests[0] == digests[1]


def test_a_volume_with_its_axes_the_other_way_round_is_the_same_volume(world: World, workers):
    turned = nifti(
        labels(1, case="case_002")[::-1].copy(),
        AFFINE @ np.array([[-1.0, 0, 0, SHAPE[0] - 1], *np.eye(4)[1:].tolist()]),
    )
    plain = world.upload(zipped(predictions()))
    reoriented = world.upload(zipped(replaced(turned)))
    for submission in (plain, reoriented):
        submission.refresh_from_db()
    assert plain.runs.get().result_digest == reoriented.runs.get().result_digest


def test_nothing_about_the_content_of_a_reference_can_be_learnt(tmp_path, db, workers):
    """Two phases whose references share only the grid: identical submissions lead to identical reports."""
    world = build(tmp_path / "first")
    submissions = [
        predictions(),
        replaced(None),
        *(replaced(content) for content, _, _ in BROKEN.values()),
        {"case_1.nii.gz": nifti(labels())},
        {f"{case}.nii.gz": nifti(np.zeros(SHAPE, dtype=np.uint8)) for case in CASES},
    ]
    reports = []
    for references in ({case: labels() for case in CASES}, {case: np.zeros(SHAPE, np.uint8) for case in CASES}):
        add_test_set(world.phase, tmp_path / "references", references)
        seen = []
        for files in submissions:
            submission, _ = submitted(world, files)
            state = State.ACCEPTED if submission.state == State.SCORED else submission.state
            seen.append((submission.report, state, submission.reason, submission.log))
        reports.append(seen)
    assert reports[0] == reports[1]


def test_validation_that_runs_out_of_time_goes_on_where_it_was(world: World, workers, monkeypatch):
    budgets = iter([0.0, 0.05])
    monkeypatch.setattr("submissions.services.validation.task_budget", lambda: next(budgets, 100.0))
    submission, report = submitted(world, predictions())
    assert submission.state == State.SCORED
    assert report.valid == 4


def test_a_held_submission_is_scored_when_the_phase_closes(world: World, workers):
    from challenges.services import close_phase
    from submissions.services.sweeping import sweep

    submission, _ = submitted(world, replaced(None))
    assert sweep()["held"] == 0
    close_phase(actor=world.organizer, phase=world.phase)
    assert sweep()["held"] == 1
    submission.refresh_from_db()
    assert submission.state == State.SCORED
