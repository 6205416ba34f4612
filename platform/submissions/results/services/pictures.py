"""Drawing what is shown of a case, in a worker: nothing in a request opens an image or a table of predictions."""

import json
import uuid
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from confinement import archive
from confinement.sandbox import answers
from datastore.test_sets import vault
from datastore.test_sets.domain import backgrounds
from datastore.test_sets.models import TestCase
from datastore.test_sets.queries.test_sets import expectation
from datastore.test_sets.services.reference_tables import stored
from datastore.uploads.storage import child_limits, local_path, private, store_bytes, working_folder
from evaluation.figures.case_sheets import WITH, CaseSheets
from evaluation.problems import kind_of
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.tables import TableProblem
from evaluation.readers.limits import Limits
from executions.scoring.domain.prediction_tables import OpenTable
from executions.scoring.domain.report import Report
from executions.scoring.domain.tables_beside import OpenTableBeside
from submissions.models import Run
from submissions.queries.pictures import can_be_drawn, has_something_to_show
from submissions.results.queries.pictures import picture_name, plan_name, sheet_name

log = structlog.get_logger(__name__)
_OUTLINE, _ANSWER = "outline.raw", "answer.raw"
MOST_ANSWERS = 100_000
"""Maximum number of values of an answer that are accepted from a child process."""


def draw(*, run_id: str | uuid.UUID, case: str) -> None:
    """Draw the views of a case twice: with the prediction only, and also with the reference."""
    run = Run.objects.select_related("submission").get(pk=run_id)
    test_case = TestCase.objects.filter(test_set=run.test_set_id, name=case).first()
    if test_case is None or private().exists(plan_name(run, case, with_reference=True)):
        return
    problem = kind_of(run.submission.phase.assessment)
    if not has_something_to_show(problem, test_case):
        return
    outline, answer = _prediction(run, problem, test_case)
    reference = _reference(run, problem, test_case)
    plans: dict[bool, dict[str, Any]] = {side: {"strips": [], "layers": [], "answers": None} for side in (False, True)}
    if can_be_drawn(problem, test_case):
        image = backgrounds.read(local_path(test_case.image_file)) if test_case.image_file else None
        sheets = problem.pictures.sheets(test_case.geometry, image, outline, reference)
        for side, plan in plans.items():
            reference_outline = problem.pictures.outline_of(reference) if side else None
            picture = problem.pictures.draw(test_case.geometry, image, outline, reference_outline)
            if picture is not None:
                _keep(picture_name(run, case, with_reference=side), picture)
            plan["picture"] = picture is not None
            if sheets is not None:
                plan.update(sheets.plan(with_reference=side))
        if sheets is not None:
            _keep_sheets(run, case, sheets)
    if problem.answer_view is not None:
        shared = run.test_set.shared
        answers = problem.answer_view.lines(run.submission.phase.assessment, shared, answer, reference)
        for side, plan in plans.items():
            plan["answers"] = answers.document(with_reference=side)
    # The plan comes last: with it everything is there.
    for side, plan in plans.items():
        _keep(plan_name(run, case, with_reference=side), json.dumps(plan).encode())


def _keep_sheets(run: Run, case: str, sheets: CaseSheets) -> None:
    secret = {layer.name: layer.shown_to == WITH for layer in sheets.layers}
    for (layer, axis), sheet in sheets.pictures.items():
        _keep(sheet_name(run, case, layer, axis, is_secret=secret[layer]), sheet)


def _keep(name: str, picture: bytes) -> None:
    """Store a picture, encrypted as the references are if it shows one."""
    (vault.keep_bytes if name.endswith(vault.SUFFIX) else store_bytes)(name, picture)


def _reference(run: Run, problem: Problem, case: TestCase) -> Any:
    """The reference of a case: of a table as prepared, else as it is read."""
    if isinstance(problem, TableProblem):
        return problem.prepare(stored(case.reference_file, problem.id), case.name, case.test_set.shared)
    with vault.opened(case.reference_file) as path:
        return file_problem(problem.id).read_reference(run.submission.phase.assessment, path)


@dataclass
class _Read:
    """Data of a prediction from a confined child process, as plain numbers with one file per array."""

    folder: Path

    def write(self, name: str, numbers: NDArray[Any], kind: str) -> None:
        """Called in the child."""
        (self.folder / name).write_bytes(np.ascontiguousarray(numbers.astype(kind)).tobytes())

    def read(self, name: str, kind: str, shape: tuple[int, ...]) -> NDArray[Any] | None:
        """The numbers; what comes from a child that has read a stranger's file may be of any length, and none."""
        path = self.folder / name
        if not path.is_file():
            return None
        raw = path.read_bytes()
        each = int(np.prod([length for length in shape if length >= 0])) * np.dtype(kind).itemsize
        if len(raw) % each or (-1 not in shape and len(raw) != each):
            return None
        return np.frombuffer(raw, dtype=kind).reshape(shape)


def _prediction(run: Run, problem: Problem, case: TestCase) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Return the outline and the answer of the prediction of a case, read in a confined child process."""
    report = Report.of(run.submission.report)
    member = report.members.get(case.name)
    if member is None:
        return None, None
    path = local_path(run.submission.predictions_file)
    wanted = expectation(run.test_set, run.submission.phase.assessment)
    is_drawn = can_be_drawn(problem, case)
    kind, shape = problem.pictures.outline_form(case.geometry) if is_drawn else ("", ())
    classes = {"classes": wanted.table.classes if wanted.table is not None else ()}

    with working_folder() as folder:
        handed_over = _Read(folder)

        def work(_: str, own_folder: Path) -> str:
            value = answered = None
            if not isinstance(problem, FileProblem):
                value = answered = OpenTable(path, member, wanted).read(own_folder).of(case.name)
            else:
                if problem.answer_view is not None:
                    beside = OpenTableBeside(path, report.table, wanted.beside).read(own_folder)
                    answered = None if beside is None else beside.of(case.name)
                if is_drawn:
                    target, most = own_folder / PurePosixPath(member).name, problem.byte_limit(case.geometry)
                    archive.extract(path, member, target, limit=most)
                    limits = Limits(decoded_bytes=most)
                    value = problem.read_prediction(target, case.geometry, wanted.expected, limits=limits)
            if is_drawn and value is not None:
                handed_over.write(_OUTLINE, problem.pictures.outline_of(value), kind)
            if problem.answer_view is not None and answered is not None:
                handed_over.write(_ANSWER, problem.answer_view.numbers_of(answered, classes), "float64")
            return "done"

        [reply] = answers([case.name], work, limits=child_limits(), reads=[path], hands_over=folder)
        if reply.failure is not None:
            log.info("picture_without_prediction", run=str(run.pk), case=case.name, failure=str(reply.failure))
            return None, None
        outline = handed_over.read(_OUTLINE, kind, shape) if is_drawn else None
        answer = handed_over.read(_ANSWER, "float64", (-1,)) if problem.answer_view is not None else None
    if outline is not None and not np.isfinite(outline).all():
        outline = None
    return outline, answer if answer is None or answer.size <= MOST_ANSWERS else None
