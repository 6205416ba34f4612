"""A kind of problem from an installed package, scored and ranked by the command line and on the platform.

On the platform it is tested from upload to proof. This file defines the kind in full: one number per case. Nothing else
in the project knows it.
"""

import csv
import json
import zipfile
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from datastore.test_sets.services.sealing import TestSetError, create_test_set
from evaluation import bundle, problems
from evaluation.assessment import AssessmentError, parse
from evaluation.bundle import result_digest
from evaluation.catalogue import registry as metrics
from evaluation.cli import main
from evaluation.problems import registry
from evaluation.scoring import read_results
from executions.scoring.domain.report import Report as Checked
from leaderboards.models import RankingVersion
from leaderboards.services import rankings as ranking_services
from reports.exposure.queries.audience import Audience
from reports.models import Report
from reports.services import reports as report_services
from submissions.models import Submission
from submissions.queries import evidence_of, results_frame
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = pytest.mark.any_database(
    "Kinds of problem differ in files and values. `test_points_and_images.py` runs on both databases."
)

MODULE = """
import math

import numpy as np

from evaluation.catalogue import Metric, Option
from evaluation.metrics.values import Values
from evaluation.outcomes import Outcome
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.tables import PredictionTable, ReferenceTable, TableProblem
from evaluation.readers import ReadError
from evaluation.readers.cells import read_table
from evaluation.readers.limits import DEFAULT
from evaluation.scoring.rows import Numbers
from evaluation.scoring.rows import Row, ScoredCase


class Ages(ReferenceTable):
    def __init__(self, path):
        table = read_table(path, ("case", "age"))
        self.ages = dict(zip(table.text("case"), table.numbers("age"), strict=True))
        self.cases = sorted(self.ages)


class PredictedAges(PredictionTable):
    def __init__(self, path, cases, limits):
        table = read_table(path, ("case", "age"), limits=limits)
        names, (ages, wrong) = table.text("case"), table.numbers_or_errors("age")
        self.ages = dict(zip(names, ages, strict=True))
        self.wrong = {names[row]: error.issue for row, error in wrong.items()}
        self.absent = frozenset(set(cases) - set(names))
        self.strange = [name for name in names if name not in set(cases)]

    def issue(self, case):
        return self.wrong.get(case)

    def of(self, case):
        return self.ages.get(case)


class AgePlausibility(Plausibility):
    def is_possible(self, assessment, case, reference, pieces):
        wanted = {(use.name, "") for use in assessment.metrics if use.level == "dataset"}
        return set(pieces) == wanted and all(
            not own.counts and len(own.values) == 1 and math.isfinite(own.values[0]) for own in pieces.values()
        )


class AgeEstimation(TableProblem):
    id = "age_estimation"
    category = "Age"
    task_categories = ("age estimation",)
    source = "age-problem"
    table_files = ("ages.csv",)
    regions = RegionRules(are_allowed=False)
    metrics = MetricRules(can_be_undefined=False)
    settings = (Option("within", "number", 40.0, "Error in years that counts as a whole one", exclusive_minimum=0),)
    plausibility = AgePlausibility()

    def read_references(self, path):
        return Ages(path)

    def read_predictions(self, path, cases, shared, *, limits=None, **_):
        return PredictedAges(path, cases, limits or DEFAULT)

    def columns(self, expected):
        return ("case", "age")

    def prepare(self, table, case, shared):
        return table.ages.get(case, 0.0)

    def score(self, assessment, case, reference, prediction, *, algorithm="", parts=False):
        rows, pieces = [], {}
        for use in assessment.metrics:
            if use.level == "dataset":
                pieces[use.name, ""] = Numbers([], [] if prediction is None else [prediction - reference])
            elif prediction is None:
                rows.append(Row(algorithm, case, "", use.name, None, Outcome.MISSING, None))
            else:
                error = min(abs(prediction - reference) / assessment.settings["within"], 1.0)
                rows.append(Row(algorithm, case, "", use.name, error, Outcome.OK, None))
        return ScoredCase(rows, pieces=None if prediction is None else pieces)

    def recompute(self, metric, evidence, multiplicities):
        return Values(np.abs(multiplicities @ evidence.block.values) / multiplicities.sum(axis=1))


PROBLEM = AgeEstimation()


def metric(name, family, highest):
    return Metric(
        id=name, name=name, abbreviation=name.upper(), categories=("Age",), direction="lower", range=(0, highest),
        family=family
    )


METRICS = [metric("age_error", "overlap", 1), metric("age_bias", "multi_threshold", 120)]
"""
CASES = tuple(f"p{number:02d}" for number in range(1, 9))
AGES = {case: 30.0 + 5 * place for place, case in enumerate(CASES)}
ASSESSMENT = {
    "schema": 1,
    "problem": "age_estimation",
    "metrics": [{"id": "age_error"}, {"id": "age_bias"}],
    "ranking": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric"], "operator": "mean", "rerank": True}},
    "uncertainty": {"bootstrap": 20, "seed": 1},
    "settings": {"within": 20},
}


def forget_packages() -> None:
    registry._installed.cache_clear()
    metrics._registry.cache_clear()


@pytest.fixture(autouse=True)
def installed(tmp_path_factory, monkeypatch):
    """The package, installed where Python looks for packages."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "age_problem-1.0.dist-info"
    info.mkdir()
    (folder / "age_problem.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: age-problem\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[podium.problems]\nage = age_problem:PROBLEM\n[podium.metrics]\nage = age_problem:METRICS\n"
    )
    monkeypatch.syspath_prepend(folder)
    forget_packages()
    yield
    monkeypatch.undo()
    forget_packages()


def table(ages: dict[str, object]) -> bytes:
    return ("case,age\n" + "".join(f"{case},{age}\n" for case, age in ages.items())).encode()


def older(years: float) -> bytes:
    return table({case: age + years for case, age in AGES.items()})


def write(folder: Path, content: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ages.csv").write_bytes(content)
    return folder


def by_command_line(folder: Path, **predictions: bytes) -> Path:
    """Score by the command line; returns the folder with results, evidence and assessment."""
    write(folder / "references", table(AGES))
    for name, content in predictions.items():
        write(folder / "predictions" / name, content)
    (folder / "assessment.json").write_text(json.dumps(ASSESSMENT))
    arguments = ["score", folder / "assessment.json", "--references", folder / "references", "--each"]
    arguments += ["--predictions", folder / "predictions", "--output", folder / "results.csv"]
    arguments += ["--evidence", folder / "evidence.parquet"]
    assert main([str(argument) for argument in arguments]) == 0
    return folder


def test_the_command_line_scores_and_ranks_it(tmp_path, capsys):
    folder = by_command_line(tmp_path, near=older(1), far=older(-6))
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {(row["algorithm"], row["value"]) for row in rows if row["metric"] == "age_error"} == {
        ("near", "0.050000000000000003"),
        ("far", "0.29999999999999999"),
    }
    assert {row["algorithm"]: float(row["value"]) for row in rows if row["metric"] == "age_bias"} == {
        "near": 1,
        "far": 6,
    }
    capsys.readouterr()
    evidence = ["--evidence", str(folder / "evidence.parquet")]
    assert main(["rank", str(folder / "assessment.json"), "--results", str(folder / "results.csv"), *evidence]) == 0
    ranking = json.loads(capsys.readouterr().out)
    combined = ranking["combined"] if "combined" in ranking else ranking["rankings"][-1]
    [first, *_] = sorted(combined["algorithms"], key=lambda entry: entry["rank"])
    assert first["name"] == "near"


def test_a_row_that_cannot_be_read_and_one_that_lacks_are_missing(tmp_path, capsys):
    folder = by_command_line(tmp_path, gaps=table(dict(list(AGES.items())[:6]) | {CASES[0]: "old"}))
    results = read_results(folder / "results.csv")
    missing = results[results["outcome"] == "missing"]
    assert set(missing["case"]) == {CASES[0], CASES[6], CASES[7], ""}
    assert "'old' as age in row 2" in capsys.readouterr().err


def test_the_guide_shows_this_kind():
    guide = Path(__file__).parents[3] / "docs/guides/add-a-problem-kind.md"
    assert f"```python\n{MODULE.lstrip()}```" in guide.read_text("utf-8")


def test_settings_are_checked_and_written_out():
    without = {key: value for key, value in ASSESSMENT.items() if key != "settings"}
    assessment = parse(without)
    assert (assessment.settings, assessment.document["settings"]) == ({"within": 40.0}, {"within": 40.0})
    assert parse(assessment.document) == assessment
    assert parse(ASSESSMENT).digest != assessment.digest
    for settings, place in (({"within": 0}, "settings.within"), ({"beyond": 1}, "settings.beyond")):
        with pytest.raises(AssessmentError, match=place):
            parse(without | {"settings": settings})
    segmentation = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "a", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
    }
    with pytest.raises(AssessmentError, match=r"settings\.beyond"):
        parse(segmentation | {"settings": {"beyond": 1}})


def test_a_design_of_its_category_is_compiled_to_it():
    assert problems.of_task_category("age estimation").id == "age_estimation"


@pytest.fixture
def ages(world: World, tmp_path: Path) -> World:
    """The world with a phase of this kind."""
    world.phase = add_phase(world, "ages", ASSESSMENT)
    folder = write(tmp_path / "ages", table(AGES))
    world.test_set = create_test_set(phase=world.phase, references=folder, cases=CASES)
    return world


def scored(world: World, content: bytes, **more) -> Submission:
    submission = world.upload(zipped({"ages.csv": content}), accept_incomplete=True, **more)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    return submission


@pytest.mark.django_db(transaction=True)
class TestOnThePlatform:
    def test_rows_evidence_and_digest_are_those_of_the_command_line(self, ages: World, workers, tmp_path):
        run = scored(ages, older(2)).runs.get()
        folder = by_command_line(tmp_path / "line", ada=older(2))
        ours = results_frame(run).sort_values(["metric", "case"])["value"].tolist()
        theirs = read_results(folder / "results.csv").sort_values(["metric", "case"])["value"].tolist()
        assert ours == theirs
        [block] = evidence_of(run).blocks.values()
        assert block.values.tolist() == [2.0] * len(CASES)
        assert result_digest(results_frame(run), evidence_of(run)) == run.result_digest

    def test_a_bad_row_and_a_case_without_one_are_told_by_name(self, ages: World, workers):
        submission = scored(ages, table(dict(list(AGES.items())[:7]) | {CASES[0]: "old", "p99": 3}))
        report = Checked.of(submission.report)
        assert {finding.case: str(finding.status) for finding in report.troubled} == {
            CASES[0]: "invalid",
            CASES[7]: "missing",
        }
        assert [extra.file for extra in report.extra] == ["ages.csv: case p99"]
        assert submission.runs.get().summary["missing_cases"] == 2

    def test_a_reference_that_lacks_refuses_the_test_set(self, world: World, tmp_path):
        phase = add_phase(world, "ages", ASSESSMENT)
        folder = write(tmp_path / "ages", table({CASES[0]: 1}))
        with pytest.raises(TestSetError, match=f"no reference for the case {CASES[1]}"):
            create_test_set(phase=phase, references=folder, cases=CASES)

    def test_the_submit_page_says_what_is_expected(self, ages: World):
        client = Client()
        client.force_login(ages.ada)
        page = client.get(reverse("submissions:submit", args=["blocks"]), {"phase": ages.phase.pk}, secure=True)
        text = page.content.decode()
        assert "One table <code>ages.csv</code> with a row for each of the 8 cases" in text
        assert "case,age" in text

    def test_board_report_and_bundle_follow(self, ages: World, workers, tmp_path):
        scored(ages, older(1))
        scored(ages, older(-6), team=ages.bos)
        ranking_services.request_ranking(ages.phase.pk)
        version = RankingVersion.objects.get(phase=ages.phase)
        client = Client()
        client.force_login(ages.organizer)
        board = client.get(reverse("leaderboards:current", args=["blocks", "ages"]), secure=True)
        assert board.status_code == 200
        text = board.content.decode()
        assert 0 < text.index("Ada&#x27;s") < text.index("Bo&#x27;s")
        file = tmp_path / "bundle.zip"
        response = client.get(reverse("leaderboards:bundle", args=["blocks", "ages", version.number]), secure=True)
        file.write_bytes(b"".join(response.streaming_content))
        assert json.loads(zipfile.ZipFile(file).read("assessment.json"))["problem"] == "age_estimation"
        assert bundle.verify(file, digest=version.digest).same
        assert main(["verify", str(file)]) == 0
        report = report_services.request_report(
            actor=ages.organizer, challenge=ages.challenge, audience=Audience.ORGANIZERS
        )
        report = report_services.make_report(report_id=report.pk) or Report.objects.get(pk=report.pk)
        assert report.state == Report.State.DONE
