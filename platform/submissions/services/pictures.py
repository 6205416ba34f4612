"""Drawing the slices of a case, in a worker: nothing in a request opens an image."""

import uuid
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import structlog

from confinement import archive
from confinement.sandbox import answers
from evaluation.problems.tables import table_problem
from evaluation.readers import LabelImage, read_label_image
from submissions.domain.prediction_tables import OpenTable
from submissions.domain.report import Report
from submissions.models import Run
from submissions.queries.pictures import can_be_drawn, picture_name
from test_sets import vault
from test_sets.domain import slices
from test_sets.models import TestCase
from test_sets.queries.expectation import ExpectedCase, expectation, geometry_of
from test_sets.services.reference_tables import stored
from uploads.limits import child_limits
from uploads.storage import local_path, private, store_bytes, working_folder

log = structlog.get_logger(__name__)


def draw(*, run_id: str | uuid.UUID, case: str) -> None:
    """Draw both pictures of a case: with the prediction only, and with the reference beside it."""
    run = Run.objects.select_related("submission").get(pk=run_id)
    test_case = TestCase.objects.filter(test_set=run.test_set_id, name=case).first()
    if test_case is None or private().exists(picture_name(run, case, with_reference=True)):
        return
    geometry = geometry_of(test_case.geometry)
    if geometry is None:
        _draw_objects(run, test_case)
        return
    prediction = _prediction(run, ExpectedCase(case, geometry))
    with vault.opened(test_case.reference_file) as path:
        reference = read_label_image(path).labels
    background = slices.background(local_path(test_case.image_file)) if test_case.image_file else None
    for with_reference in (False, True):
        layers = [slices.Layer(prediction, slices.PREDICTION)] if prediction is not None else []
        if with_reference:
            layers.insert(0, slices.Layer(reference, slices.REFERENCE))
        # Where to cut is decided by what the picture shows: the place of the cut must not give the reference away.
        around = reference if with_reference else prediction
        picture = slices.picture(geometry, background, layers, around=around)
        _keep(picture_name(run, case, with_reference=with_reference), picture)


def _draw_objects(run: Run, case: TestCase) -> None:
    """Draw the objects of a detection on the image of the case."""
    if not can_be_drawn(case):
        return
    background = slices.background(local_path(case.image_file))
    if background is None or background.ndim != 2:
        return
    problem = table_problem(run.submission.phase.assessment.problem)
    predicted = _predicted_objects(run, case)
    table = stored(case.reference_file, problem.id)
    expected = problem.places_of(problem.prepare(table, case.name, case.test_set.shared))
    for with_reference in (False, True):
        layers = [slices.Boxes(predicted, slices.PREDICTION)]
        if with_reference:
            layers.insert(0, slices.Boxes(expected, slices.REFERENCE))
        _keep(
            picture_name(run, case.name, with_reference=with_reference), slices.picture_of_objects(background, layers)
        )


def _keep(name: str, picture: bytes) -> None:
    """Store a picture, encrypted as the references are if it shows one."""
    (vault.keep_bytes if name.endswith(vault.SUFFIX) else store_bytes)(name, picture)


def _predicted_objects(run: Run, case: TestCase) -> list[tuple[float, ...]]:
    """Read the objects predicted for a case in a confined child; boxes, or points."""
    member = Report.of(run.submission.report).members.get(case.name)
    if member is None:
        return []
    table = OpenTable(
        local_path(run.submission.predictions_file), member, expectation(run.test_set, run.submission.phase.assessment)
    )

    problem = table_problem(run.submission.phase.assessment.problem)

    def work(name: str, own: Path) -> list[list[float]]:
        return [list(place) for place in problem.places_of(table.read(own).of(name))]

    [answer] = answers([case.name], work, limits=child_limits(), reads=[table.path])
    if answer.failure is not None or not isinstance(answer.value, list):
        log.info("picture_without_prediction", run=str(run.pk), case=case.name, failure=str(answer.failure))
        return []
    return [tuple(float(number) for number in place) for place in answer.value]


def _prediction(run: Run, case: ExpectedCase) -> np.ndarray[Any, Any] | None:
    """Read the prediction of a case in a confined child, which hands it over as a plain array of bytes."""
    member = Report.of(run.submission.report).members.get(case.name)
    if member is None:
        return None
    path = local_path(run.submission.predictions_file)
    with working_folder() as folder:
        handed_over = folder / "labels.raw"

        def work(_: str, own: Path) -> str:
            target = own / PurePosixPath(member).name
            archive.extract(path, member, target, limit=case.byte_limit)
            labels = _read(target, case).labels.astype(np.uint16)
            handed_over.write_bytes(np.ascontiguousarray(labels).tobytes())
            return "done"

        [answer] = answers([case.name], work, limits=child_limits(), reads=[path], hands_over=folder)
        if answer.failure is not None:
            log.info("picture_without_prediction", run=str(run.pk), case=case.name, failure=str(answer.failure))
            return None
        labels = np.frombuffer(handed_over.read_bytes(), dtype=np.uint16)
    return labels.reshape(case.geometry.shape) if labels.size == np.prod(case.geometry.shape) else None


def _read(path: Path, case: ExpectedCase) -> LabelImage:
    return read_label_image(path, expected=case.geometry)
