"""Drawing the picture of a case, in a worker: nothing in a request opens an image."""

import json
import uuid
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from confinement import archive
from confinement.sandbox import answers
from evaluation.figures.case_sheets import CaseSheets
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.tables import TableProblem
from evaluation.readers.limits import Limits
from results.queries.pictures import picture_name, plan_name, sheet_name
from scoring.domain.prediction_tables import OpenTable
from scoring.domain.report import Report
from submissions.models import Run
from submissions.queries.pictures import can_be_drawn
from test_sets import vault
from test_sets.domain import backgrounds
from test_sets.models import TestCase
from test_sets.queries.test_sets import expectation
from test_sets.services.reference_tables import stored
from uploads.storage import child_limits, local_path, private, store_bytes, working_folder

log = structlog.get_logger(__name__)


def draw(*, run_id: str | uuid.UUID, case: str) -> None:
    """Draw both pictures of a case: with the prediction only, and with the reference beside it."""
    run = Run.objects.select_related("submission").get(pk=run_id)
    test_case = TestCase.objects.filter(test_set=run.test_set_id, name=case).first()
    if test_case is None or private().exists(picture_name(run, case, with_reference=True)):
        return
    problem = run.submission.phase.assessment.kind
    if not can_be_drawn(problem, test_case):
        return
    prediction = _prediction(run, problem, test_case)
    reference = problem.outline_of(_reference(run, problem, test_case))
    image = backgrounds.read(local_path(test_case.image_file)) if test_case.image_file else None
    sheets = problem.sheets(test_case.geometry, image, prediction, reference)
    if sheets is not None:
        _keep_sheets(run, case, sheets)
    for with_reference in (False, True):
        shown = reference if with_reference else None
        picture = problem.draw(test_case.geometry, image, prediction, shown)
        if picture is not None:
            _keep(picture_name(run, case, with_reference=with_reference), picture)


def _keep_sheets(run: Run, case: str, sheets: CaseSheets) -> None:
    """Store what the viewer of a case shows, and last what says how it is laid out."""
    for (layer, axis), sheet in sheets.pictures.items():
        _keep(sheet_name(run, case, layer, axis), sheet)
    for with_reference in (False, True):
        plan = json.dumps(sheets.plan(with_reference=with_reference))
        _keep(plan_name(run, case, with_reference=with_reference), plan.encode())


def _keep(name: str, picture: bytes) -> None:
    """Store a picture, encrypted as the references are if it shows one."""
    (vault.keep_bytes if name.endswith(vault.SUFFIX) else store_bytes)(name, picture)


def _reference(run: Run, problem: Problem, case: TestCase) -> Any:
    """The reference of a case, as the problem takes it to outline."""
    if isinstance(problem, TableProblem):
        return problem.prepare(stored(case.reference_file, problem.id), case.name, case.test_set.shared)
    with vault.opened(case.reference_file) as path:
        return file_problem(problem.id).read_reference(run.submission.phase.assessment, path)


def _prediction(run: Run, problem: Problem, case: TestCase) -> NDArray[Any] | None:
    """Read the prediction of a case in a confined child, which hands what is drawn of it over as plain numbers."""
    member = Report.of(run.submission.report).members.get(case.name)
    if member is None:
        return None
    path = local_path(run.submission.predictions_file)
    wanted = expectation(run.test_set, run.submission.phase.assessment)
    kind, shape = problem.outline_form(case.geometry)

    def read(own: Path) -> Any:
        if not isinstance(problem, FileProblem):
            return OpenTable(path, member, wanted).read(own).of(case.name)
        target, most = own / PurePosixPath(member).name, problem.byte_limit(case.geometry)
        archive.extract(path, member, target, limit=most)
        return problem.read_prediction(target, case.geometry, wanted.expected, limits=Limits(decoded_bytes=most))

    with working_folder() as folder:
        handed_over = folder / "outline.raw"

        def work(_: str, own: Path) -> str:
            outline = problem.outline_of(read(own)).astype(kind)
            handed_over.write_bytes(np.ascontiguousarray(outline).tobytes())
            return "done"

        [answer] = answers([case.name], work, limits=child_limits(), reads=[path], hands_over=folder)
        if answer.failure is not None:
            log.info("picture_without_prediction", run=str(run.pk), case=case.name, failure=str(answer.failure))
            return None
        raw = handed_over.read_bytes()
    # What comes from a child that has read a stranger's file may be of any length.
    each = int(np.prod([length for length in shape if length >= 0])) * np.dtype(kind).itemsize
    if len(raw) % each or (-1 not in shape and len(raw) != each):
        return None
    found = np.frombuffer(raw, dtype=kind).reshape(shape)
    return found if np.isfinite(found).all() else None
