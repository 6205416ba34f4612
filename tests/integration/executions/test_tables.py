"""Algorithms whose predictions are rows of a table: each case is written on its own, and the platform joins them."""

import csv
import io
import zipfile
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from challenges.models import Phase
from challenges.services import create_phase
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.storage import local_path
from evaluation import problems
from evaluation.assessment import parse
from evaluation.problems.case_tables import case_table
from evaluation.problems.tables import TableProblem
from evaluation.readers import read_label_image
from evaluation.running.registered import Registered
from evaluation.scoring import score_folders
from executions.queries.interfaces import sockets_of
from executions.scoring.domain.report import Report
from submissions import tasks
from submissions.models import Submission
from submissions.queries import results_frame
from tests.integration.executions.test_running import judge
from tests.integration.executions.world import PLAN, execution_of, run_all
from tests.integration.submissions.world import nifti

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Kinds of problem differ in files and values. `test_running.py` runs algorithms on both databases."
    ),
]
TABLES = (
    "object_detection",
    "image_classification",
    "multilabel_classification",
    "landmarks",
    "regression",
    "survival",
)
BESIDE = "segmentation_with_confidence"


class Kind:
    """A phase of a kind of problem that takes algorithms, and answers of an algorithm by case."""

    def __init__(self, world, name, folder, cases=6):
        self.problem = problems.get(name)
        self.document = self.problem.samples.write_challenge(folder, cases=cases)
        self.document["ranking"] = {
            "scheme": "aggregate_then_rank",
            "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
        }
        self.folder = folder
        self.references = folder / "references"
        self.near = folder / "predictions" / "near"
        self.cases = tuple(self.problem.open_references(parse(self.document), self.references).cases)
        now = timezone.now()
        self.phase = world.phase = create_phase(
            actor=world.organizer,
            task=world.phase.task,
            assessment=self.document,
            slug="numbers",
            name="Numbers",
            position=2,
            opens_at=now - timedelta(days=1),
            closes_at=now + timedelta(days=1),
            results=Phase.Results.CASES,
            leaderboard=Phase.Leaderboard.PUBLIC,
            algorithms=Registered.of(PLAN).document(),
        )
        images = folder / "images"
        images.mkdir(exist_ok=True)
        self.case_of = {}
        for number, case in enumerate(self.cases):
            content = nifti(np.full((3, 4, 5), number + 1, dtype=np.uint8))
            (images / f"{case}.nii.gz").write_bytes(content)
            self.case_of[content] = case
        world.test_set = create_test_set(phase=self.phase, references=self.references, images=images, cases=self.cases)

    @property
    def table(self):
        """The table of all cases that is a good answer."""
        names = self.problem.table_files if isinstance(self.problem, TableProblem) else ["confidence.csv"]
        return next(self.near / name for name in names if (self.near / name).exists())

    def rows(self):
        """Its columns without the case, and its rows by case."""
        with self.table.open(newline="") as file:
            columns, *rows = csv.reader(file)
        assert columns[0] == "case"
        return columns[1:], {case: [row[1:] for row in rows if row[0] == case] for case in self.cases}

    def seen(self, work, name):
        """Return the case that a container processes, identified by its image."""
        [image] = (work.input / name).iterdir()
        return self.case_of[image.read_bytes()]


def csv_of(columns, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue().encode()


def answers(kind, *, change=None):
    """A program that answers what `kind.near` holds, row by row of a case; `change` may answer another thing of a case."""
    columns, rows = kind.rows()
    number_of = {case: number for number, case in enumerate(kind.cases)}

    def script(work):
        for name in work.cases:
            case = kind.seen(work, name)
            file = work.interface["outputs"][-1]["file"]
            if change is None or not change(work, number_of[case], name, file, columns, rows[case]):
                work.write(name, file, csv_of(columns, rows[case]))

    return script


def ran(world, engine, script):
    engine.script = script
    image = world.image()
    engine.held.append(image.digest)
    submission = world.hand_in(image)
    run_all()
    judge(submission)
    if not submission.runs.get().chunks.exists():
        tasks.finish(str(submission.runs.get().pk))
        submission.refresh_from_db()
    return submission


@pytest.mark.parametrize("name", TABLES)
def test_rows_of_single_cases_are_scored_as_one_table_that_is_uploaded(world, engine, tmp_path, name):
    kind = Kind(world, name, tmp_path / name)

    submission = ran(world, engine, answers(kind))

    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    assert execution_of(submission).counts == {"ok": len(kind.cases)}
    line = score_folders(parse(kind.document), kind.references, {"ada": kind.near})
    ours = results_frame(submission.runs.get())[["case", "region", "metric", "value"]].to_numpy()
    assert {tuple(row[:3]): row[3] for row in ours} == {
        (row.case, row.region, row.metric): row.value for row in line.rows
    }
    with zipfile.ZipFile(local_path(submission.predictions_file)) as archive:
        assert archive.namelist() == [kind.problem.table_files[0]]


@pytest.mark.parametrize("name", TABLES)
def test_the_interface_says_what_a_table_of_a_case_has_to_hold_and_the_algorithm_cannot_name_another_case(
    world, engine, tmp_path, name
):
    kind = Kind(world, name, tmp_path / name)
    interfaces = []

    def names_another(work, _place, name, file, columns, rows):
        interfaces.append(work.interface["predictions"])
        work.write(name, file, csv_of(["case", *columns], [[kind.cases[0], *row] for row in rows]))
        return True

    submission = ran(world, engine, answers(kind, change=names_another))

    assert execution_of(submission).counts == {"ok": len(kind.cases)}
    sockets = sockets_of(kind.phase)
    assert sockets.prediction.file == f"{kind.problem.case_file}.csv"
    offered = sockets.document(Registered.of(kind.phase.algorithms))["predictions"]
    assert interfaces[0] == offered
    assert "case" not in offered["table"]["columns"]
    assert case_table(offered).expected == sockets.table.expected


@pytest.mark.parametrize("name", TABLES)
def test_a_case_that_crashed_is_missing_and_one_whose_rows_cannot_be_taken_is_invalid(world, engine, tmp_path, name):
    kind = Kind(world, name, tmp_path / name)

    def some_fail(work, place, name, file, columns, rows):
        if place == 0:
            work.exit(1)
        elif place == 1:
            work.write(name, file, csv_of(columns, [["?"] * len(columns)]))
        elif place == 2:
            work.write(name, file, b"\xff\xfe nothing")
        return place < 3

    submission = ran(world, engine, answers(kind, change=some_fail))

    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    assert execution_of(submission).counts == {"crashed": 1, "invalid_output": 2, "ok": len(kind.cases) - 3}
    run = submission.runs.get()
    assert run.summary["missing_cases"] == 3
    assert set(run.case_notes) == set(kind.cases[:3])
    frame = results_frame(run)
    assert (frame[frame["case"].isin(kind.cases[:3])]["outcome"] == "missing").all()
    assert "?" in run.case_notes[kind.cases[1]]


@pytest.mark.parametrize("name", [*TABLES, BESIDE])
def test_an_algorithm_that_answers_no_case_is_scored_with_every_case_missing(world, engine, tmp_path, name):
    kind = Kind(world, name, tmp_path / name)

    submission = ran(world, engine, lambda work: work.exit(3))

    assert submission.state == Submission.State.SCORED, (submission.log, Report.of(submission.report).problem)
    run = submission.runs.get()
    assert run.summary["missing_cases"] == len(kind.cases)
    assert (results_frame(run)["outcome"] == "missing").all()


@pytest.mark.parametrize("which", ["some", "all"])
def test_nothing_found_is_an_answer_where_objects_are_looked_for_and_a_crash_is_none(world, engine, tmp_path, which):
    kind = Kind(world, "object_detection", tmp_path / "objects")

    def finds_nothing(work, place, name, file, columns, _rows):
        if place == 0:
            work.exit(1)
        if which == "some" and place > 2:
            return False
        # Columns that stand above no row may be other ones: they cost no other case.
        work.write(name, file, csv_of([*columns, "z_min", "z_max"], []))
        return True

    submission = ran(world, engine, answers(kind, change=finds_nothing))

    assert submission.state == Submission.State.SCORED, (submission.log, Report.of(submission.report).problem)
    assert execution_of(submission).counts == {"crashed": 1, "ok": len(kind.cases) - 1}
    run = submission.runs.get()
    assert run.summary["missing_cases"] == 1
    assert set(run.case_notes) == {kind.cases[0]}


def test_without_a_row_a_case_that_needs_one_has_no_usable_output(world, engine, tmp_path):
    kind = Kind(world, "image_classification", tmp_path / "labels")

    submission = ran(
        world,
        engine,
        answers(
            kind, change=lambda work, place, name, file, columns, _: work.write(name, file, csv_of(columns, [])) or True
        ),
    )

    assert execution_of(submission).counts == {"invalid_output": len(kind.cases)}
    assert submission.runs.get().summary["missing_cases"] == len(kind.cases)
    assert all("Write a row for the case" in note for note in submission.runs.get().case_notes.values())


def test_label_images_with_confidences_are_run_and_scored_as_they_are_uploaded(world, engine, tmp_path):
    kind = Kind(world, BESIDE, tmp_path / "beside")

    def with_image(work, place, name, file, columns, rows):
        assert [socket["file"] for socket in work.interface["outputs"]] == ["prediction.nii.gz", "confidence.csv"]
        labels = read_label_image(kind.near / f"{kind.cases[place]}.png").labels
        work.write(name, "prediction.nii.gz", nifti(labels))
        if place == 0:
            return True
        if place == 1:
            work.write(name, file, csv_of(columns, [["very"]]))
        return place == 1

    submission = ran(world, engine, answers(kind, change=with_image))

    assert submission.state == Submission.State.SCORED, (submission.log, Report.of(submission.report).problem)
    assert execution_of(submission).counts == {"no_output": 1, "ok": len(kind.cases) - 1}
    line = score_folders(parse(kind.document), kind.references, {"ada": kind.near})
    # The cell that is no number costs only its confidence. Values of all cases together are other ones.
    failed = [kind.cases[0], ""]
    ours = results_frame(submission.runs.get())
    scored = ours[~ours["case"].isin(failed)][["case", "region", "metric", "value"]].to_numpy()
    assert {tuple(row[:3]): row[3] for row in scored} == {
        (row.case, row.region, row.metric): row.value for row in line.rows if row.case not in failed
    }
    assert (ours[ours["case"] == failed[0]]["outcome"] == "missing").all()
