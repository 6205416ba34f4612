"""A design from the empty form to the bundle of each phase: registered, launched, three teams, closed, reported."""

import csv
import io
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import nibabel
import numpy as np
import pandas as pd
import pytest
from django.utils import timezone

from challenges.models import Phase
from datastore.uploads.storage import load_json
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.problems import kind_of
from evaluation.problems.registered_examples import names_of_cases, write_characteristics
from leaderboards.models import RankingVersion
from reports.models import Report
from submissions.models import Submission
from submissions.queries import results_frame
from tests.containers.stand_in_engine import StandInEngine, Work
from tests.gallery.browsing import Browser, packed
from tests.gallery.samples import TEAMS, Sample
from tests.integration.challenges.world import person

FEW_RESAMPLES: Final = 20
MOST_CASES: Final = 6


def prepared(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a schedule around today, few resamples and few starts of containers.

    All phases are open at the same time, so none is reserved for the best teams of another one.
    """
    settings = [
        {key: value for key, value in row.items() if not key.startswith("entrants_")}
        for row in document["challenge"]["phase_settings"]
    ]
    challenge = document["challenge"] | {
        "challenge_schedule": around_today(document["challenge"]["challenge_schedule"]),
        "phase_settings": settings,
    }
    tasks = []
    for task in document["tasks"]:
        changed = {"uncertainty_settings": task["uncertainty_settings"] | {"bootstrap": FEW_RESAMPLES}}
        if not any(metric.get("cost") for metric in task["metrics"]):
            changed["algorithm_execution"] = task["algorithm_execution"] | {"batch_cases": MOST_CASES}
        tasks.append(task | changed)
    return document | {"challenge": challenge, "tasks": tasks}


def around_today(schedule: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Move a published schedule so that all phases are open today."""
    days = {"submission_open": -2, "submission_deadline": 30, "results_release": 40}
    today = timezone.now().date()
    return [
        {**row, "date": (today + timedelta(days=days[row["event"]])).isoformat()}
        for row in schedule
        if row["event"] in days
    ]


def sampled(phase: Phase, folder: Path) -> Sample:
    """Write sample data for a phase: references with characteristics, images, and predictions of each team."""
    assessment = phase.assessment
    number = min(kind_of(assessment).samples.cases_of(assessment), MOST_CASES)
    kind_of(assessment).samples.write_registered(assessment, folder, cases=number, algorithms=TEAMS)
    facts = write_characteristics(assessment, folder, number)
    cases = names_of_cases(number)
    if phase.algorithms:
        (folder / "images").mkdir()
        for index, case in enumerate(cases):
            nibabel.save(_image(folder / f"references/{case}.nii.gz", index + 1), folder / f"images/{case}.nii.gz")
    return Sample(assessment, folder, cases, facts)


def _image(reference: Path, value: int) -> nibabel.Nifti1Image:
    """Return an image of one value on the grid of a reference, or on a small grid if the reference is no image."""
    shape, affine = (3, 4, 5), np.eye(4)
    if reference.exists():
        image = nibabel.load(reference)
        shape, affine = image.shape[:3], image.affine
    return nibabel.Nifti1Image(np.full(shape, value, dtype=np.uint8), affine)


def sealed(browser: Browser, phase: Phase, sample: Sample) -> None:
    """Pack references, characteristics and images as an archive of the organizers, and seal it."""
    parts = sample.folder / "archive"
    shutil.copytree(sample.references, parts / "references")
    (parts / "references/cases.csv").rename(parts / "cases.csv")
    if (sample.folder / "images").exists():
        shutil.copytree(sample.folder / "images", parts / "images")
    browser.seal(phase, packed(parts, sample.folder / "archive.zip"))


def submitted(browser: Browser, phase: Phase, team: str, sample: Sample, engine: StandInEngine) -> Submission:
    """Submit the predictions of a team by the registered method; workers run and score them."""
    if phase.algorithms:
        programs = {}
        engine.script = lambda work: programs[work.start.image_id](work)
        image, key = browser.send_image(phase, team)
        programs[image] = _program(sample, team)
    else:
        archive = packed(sample.predictions(team), sample.folder / f"{team}.zip")
        key = browser.send_archive(phase, archive)
    browser.workers.work()
    submission = Submission.objects.get(pk=key)
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason, submission.report)
    return submission


def _program(sample: Sample, team: str) -> Any:
    folder = sample.predictions(team)
    by_image = {(sample.folder / f"images/{case}.nii.gz").read_bytes(): case for case in sample.cases}
    tables = {path.name: _rows(path) for path in folder.glob("*.csv")}
    files = {path.name.split(".")[0]: path for path in folder.iterdir() if path.suffix != ".csv"}

    def program(work: Work) -> None:
        for name in work.cases:
            [image] = [path for path in (work.input / name).iterdir() if path.is_file()]
            case = by_image[image.read_bytes()]
            outputs = [output["file"] for output in work.interface["outputs"]]
            if case in files:
                work.write(name, outputs[0], files[case].read_bytes())
            for columns, rows in tables.values():
                work.write(name, outputs[-1], _csv(columns[1:], [row[1:] for row in rows if row[0] == case]))

    return program


def _rows(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        columns, *rows = csv.reader(stream)
    return columns, rows


def _csv(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue().encode()


@dataclass(frozen=True)
class Walked:
    """A closed phase with its sample data, its ranking document and its bundle.

    Attributes
    ----------
    digest
        Digest of the ranking that the bundle contains.
    """

    phase: Phase
    sample: Sample
    ranking: dict[str, Any]
    bundle: bytes
    digest: str


def walked(
    document: dict[str, Any], folder: Path, browser: Browser, engine: StandInEngine, *, name: str
) -> tuple[list[Walked], Report]:
    """Walk from the empty form through the final phase of every task to the report of the challenge."""
    slug = name.replace("_", "-")
    owner = person(f"olga-{slug}", is_superuser=True)
    browser.be(owner)
    design = browser.write(document, document["challenge"]["challenge_name"])
    if changed := differences(document, browser.exported(design)):
        pytest.fail("\n".join(changed))
    browser.rehearse(design)
    challenge = browser.launch(browser.register(design), slug)
    phases = [
        Phase.objects.select_related("task__challenge").filter(task=task).order_by("position").last()
        for task in challenge.tasks.order_by("pk")
    ]
    samples = {}
    for phase in phases:
        samples[phase.pk] = sampled(phase, folder / str(phase.pk))
        sealed(browser, phase, samples[phase.pk])
    runs: dict[int, dict[str, Any]] = {phase.pk: {} for phase in phases}
    for team in TEAMS:
        browser.be(person(f"{team.lower()}-{slug}"))
        browser.join(challenge, team)
        for phase in phases:
            submission = submitted(browser, phase, team, samples[phase.pk], engine)
            runs[phase.pk][team] = submission.runs.get(counts=True)
    browser.be(owner)
    found = []
    for phase in phases:
        browser.close(phase)
        version = RankingVersion.objects.filter(phase=phase).latest("number")
        results = pd.concat([results_frame(run).assign(algorithm=team) for team, run in runs[phase.pk].items()])
        found.append(
            Walked(
                phase,
                replace(samples[phase.pk], results=results),
                load_json(version.document_name),
                browser.bundle(phase),
                version.digest,
            )
        )
    browser.report(challenge)
    return found, Report.objects.get(challenge=challenge)


def differences(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Return the fields of a document that an exported one does not have with the same value.

    The form completes rows of metrics with facts of the catalogue, and saves choices in the order of the catalogue. These
    are no differences.
    """
    parameters = shipped().parameters
    parts = [("", wanted["challenge"], found["challenge"])]
    assert len(wanted["tasks"]) == len(found["tasks"])
    parts += [(own["task_name"], own, other) for own, other in zip(wanted["tasks"], found["tasks"], strict=True)]
    return [
        f"{task} {name}: {value!r}, {other.get(name)!r}"
        for task, values, other in parts
        for name, value in values.items()
        if value and not _is_kept(*(_in_order(parameters.get(name), each) for each in (value, other.get(name))))
    ]


def _in_order(parameter: Parameter | None, value: Any) -> Any:
    """Return choices in alphabetical order, and another value unchanged."""
    is_choice = parameter is not None and parameter.type == "multi-enum"
    return sorted(value, key=str) if is_choice and isinstance(value, list) else value


def _is_kept(value: Any, found: Any) -> bool:
    if isinstance(value, Mapping):
        return isinstance(found, Mapping) and all(_is_kept(cell, found.get(key)) for key, cell in value.items() if cell)
    if isinstance(value, list):
        return (
            isinstance(found, list)
            and len(found) == len(value)
            and all(_is_kept(own, other) for own, other in zip(value, found, strict=True))
        )
    if isinstance(value, str):
        return isinstance(found, str) and value.split() == found.split()
    return bool(value == found)
