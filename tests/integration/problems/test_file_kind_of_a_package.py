"""A kind of problem with one file per case that is no label image: signals, one number per line.

This file defines the kind in full. Nothing else in the project knows it. The object of the kind defines all steps. An
archive of references is sealed. Predictions are checked before and after the upload, scored, plotted, and scored by the
command line.
"""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError
from datastore.uploads.storage import private
from evaluation.catalogue import Metric
from evaluation.catalogue import registry as metrics
from evaluation.cli import main
from evaluation.outcomes import Outcome
from evaluation.problems import registry
from evaluation.problems.files import FileProblem, FileReferenceRules, FileTexts
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.pictures import Pictures
from evaluation.problems.reference_rules import MergingRules
from evaluation.problems.region_rules import RegionRules
from evaluation.readers import ReadError
from evaluation.scoring import read_results
from evaluation.scoring.rows import Row, ScoredCase
from executions.scoring.domain.report import Report
from submissions.models import Submission
from submissions.queries import results_frame
from submissions.results.services.pictures import draw
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

CASES = ("a", "b", "c", "d")
LENGTH = 6
ASSESSMENT = {
    "schema": 1,
    "problem": "signals",
    "metrics": [{"id": "signal_error"}],
    "ranking": {"scheme": "aggregate_then_rank"},
    "uncertainty": {"bootstrap": 20, "seed": 1},
}


class SignalPictures(Pictures):
    def can_be_drawn(self, facts, *, has_image):
        return True

    def outline_form(self, facts):
        return "float64", (facts["length"],)

    def outline_of(self, value):
        return value

    def draw(self, facts, image, prediction, reference):
        bars = np.zeros((len(facts) + 10, facts["length"]), dtype=np.uint8)
        for row, shown in ((0, prediction), (5, reference)):
            if shown is not None:
                bars[row : row + 5] = np.clip(shown * 100, 0, 255)
        buffer = io.BytesIO()
        Image.fromarray(bars).save(buffer, "PNG")
        return buffer.getvalue()


class SignalReferenceRules(FileReferenceRules):
    merging = MergingRules({"majority_vote": "the mean of all"})

    def merge_files(self, files, rule, target):
        made = target.with_name(f"{target.name}.signal.txt")
        np.savetxt(made, np.mean([np.loadtxt(path) for path in files], axis=0))
        return made


class Signals(FileProblem):
    id = "signals"
    category = "Sig"
    source = "signal-problem"
    regions = RegionRules(are_allowed=False)
    metrics = MetricRules(can_be_undefined=False)
    texts = FileTexts(file_noun="signal")
    suffixes = (".signal.txt",)
    pictures = SignalPictures()
    references = SignalReferenceRules()

    def read_reference(self, assessment, path):
        try:
            return np.array([float(line) for line in path.read_text().split()])
        except ValueError as error:
            raise ReadError("format", path.name, str(error)) from error

    def facts_of(self, content):
        return {"length": len(content)}

    def read_prediction(self, path, facts, expected, *, limits=None):
        found = self.read_reference(None, path)
        if len(found) != facts["length"]:
            raise ReadError("shape", path.name, f"{len(found)} numbers", f"{facts['length']} numbers")
        return found

    def score(self, assessment, case, reference, prediction, *, algorithm="", parts=False):
        if prediction is None:
            return ScoredCase([Row(algorithm, case, "", "signal_error", None, Outcome.MISSING, None)])
        found = self.read_prediction(prediction, {"length": len(reference)}, {})
        error = min(1.0, float(np.abs(found - reference).mean()))
        return ScoredCase([Row(algorithm, case, "", "signal_error", error, Outcome.OK, None)])


METRIC = Metric(
    id="signal_error",
    name="signal error",
    abbreviation="SE",
    categories=("Sig",),
    direction="lower",
    range=(0, 1),
    family="overlap",
)


class Entry:
    """An entry point, as an installed package has it."""

    def __init__(self, group: str, value: object) -> None:
        self.group, self.name, self._value = group, "signals", value
        self.dist = type("Distribution", (), {"name": "signal-problem", "version": "1.0"})()

    def load(self) -> object:
        return self._value


def forget_packages() -> None:
    registry._installed.cache_clear()
    metrics._registry.cache_clear()


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    entries = {
        "podium.problems": [Entry("podium.problems", Signals())],
        "podium.metrics": [Entry("podium.metrics", [METRIC])],
    }
    for module in (registry, metrics):
        monkeypatch.setattr(module, "entry_points", lambda group: entries.get(group, []))
    forget_packages()
    yield
    monkeypatch.undo()
    forget_packages()


def signal(value: float, length: int = LENGTH) -> bytes:
    return ("\n".join([str(value)] * length) + "\n").encode()


def files(value: float, folder: str = "", cases=CASES) -> dict[str, bytes]:
    return {f"{folder}{case}.signal.txt": signal(value) for case in cases}


def seal(world: World, tmp_path: Path, content: dict[str, bytes]) -> World:
    world.phase = add_phase(world, "signals", ASSESSMENT)
    path = tmp_path / "references.zip"
    path.write_bytes(zipped(content))
    world.test_set = take_archive(phase=world.phase, path=path, actor=world.organizer)
    return world


@pytest.mark.django_db(transaction=True)
def test_from_an_archive_of_references_to_the_picture(world: World, workers, tmp_path):
    seal(world, tmp_path, files(0.5, "references/"))
    assert [case.geometry for case in world.test_set.cases.all()] == [{"length": LENGTH}] * 4
    handed_in = files(0.75) | {"b.signal.txt": signal(0.75, 3), "notes.md": b"x"}
    submission = world.upload(zipped(handed_in), accept_incomplete=True)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    report = Report.of(submission.report)
    [trouble] = report.troubled
    assert (trouble.case, trouble.message) == ("b", "b.signal.txt: 3 numbers; expected 6 numbers")
    assert [(extra.file, extra.hint) for extra in report.extra] == [("notes.md", "not a signal that is read; ignored")]
    run = submission.runs.get()
    frame = results_frame(run).set_index("case")["value"]
    assert {case: frame[case] for case in ("a", "c", "d")} == {"a": 0.25, "c": 0.25, "d": 0.25}
    draw(run_id=run.pk, case="a")
    # A picture and what says that it is there, each without the reference and with it.
    assert len(private().listdir(f"pictures/{run.pk}")[1]) == 4
    client = Client()
    client.force_login(world.ada)
    page = client.get(reverse("submissions:submit", args=["blocks"]), {"phase": world.phase.pk}, secure=True)
    assert "One signal for each of the 4 cases, named <code>&lt;case&gt;.signal.txt</code>." in page.content.decode()
    [wanted] = [client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/", secure=True).json()]
    assert wanted["cases"][0] == {"name": "a", "geometry": {"length": LENGTH}}


@pytest.mark.django_db(transaction=True)
def test_annotators_are_merged_as_the_kind_says(world: World, tmp_path):
    seal(world, tmp_path, files(0.2, "annotator-1/") | files(0.4, "annotator-2/"))
    assert (world.test_set.merge_rule, world.test_set.cases.count()) == ("majority_vote", 4)
    assert world.test_set.cases.first().annotations.count() == 2


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_read_is_told_by_file_and_case(world: World, tmp_path):
    with pytest.raises(TestSetError, match=r"references/a\.signal\.txt, case a: .*abc"):
        seal(world, tmp_path, files(0.5, "references/") | {"references/a.signal.txt": b"abc"})


def test_the_command_line_scores_it(tmp_path):
    for folder, value in (("references", 0.5), ("predictions/near", 0.6), ("predictions/far", 0.9)):
        (tmp_path / folder).mkdir(parents=True)
        for name, content in files(value).items():
            (tmp_path / folder / name).write_bytes(content)
    (tmp_path / "assessment.json").write_text(json.dumps(ASSESSMENT))
    arguments = ["score", tmp_path / "assessment.json", "--references", tmp_path / "references", "--each"]
    arguments += ["--predictions", tmp_path / "predictions", "--output", tmp_path / "results.csv"]
    assert main([str(argument) for argument in arguments]) == 0
    results = read_results(tmp_path / "results.csv")
    assert results.groupby("algorithm")["value"].mean().round(6).to_dict() == {"far": 0.4, "near": 0.1}
