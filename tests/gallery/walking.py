"""A design from its document to the bundle of each phase: registered, launched, three teams, closed, reported."""

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import nibabel
import numpy as np
import pandas as pd
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Team
from challenges.services import close_phase, join_with_team, launch
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.services.uploads import append
from datastore.uploads.storage import load_json
from designs import services as designs
from evaluation.problems import kind_of
from evaluation.problems.registered_examples import names_of_cases, write_characteristics
from executions.models import AlgorithmArchive, AlgorithmUpload, Execution
from executions.services import assembling, running
from leaderboards.models import RankingVersion
from leaderboards.services import bundles, following, rankings
from registry.services import register
from reports.exposure.queries.facts import Audience
from reports.models import Report
from reports.services import reports
from submissions.models import Submission
from submissions.queries import results_frame
from submissions.services import algorithms, scoring, validation
from submissions.services.submitting import create_upload, finish
from tests.containers.stand_in_engine import StandInEngine, Work
from tests.gallery.samples import TEAMS, Sample
from tests.integration.challenges.world import person

FEW_RESAMPLES: Final = 20
MOST_CASES: Final = 6


def launched(document: dict[str, Any], *, slug: str) -> tuple[Challenge, User]:
    """Import a document, register it, and launch the challenge with a schedule around today."""
    document["challenge"]["challenge_schedule"] = around_today(document["challenge"]["challenge_schedule"])
    for task in document["tasks"]:
        task["uncertainty_settings"] = task["uncertainty_settings"] | {"bootstrap": FEW_RESAMPLES}
        if not any(metric.get("cost") for metric in task["metrics"]):
            task["algorithm_execution"] = task["algorithm_execution"] | {"batch_cases": MOST_CASES}
    owner = person(f"olga-{slug}".replace("_", "-"))
    design, problems = designs.import_design(
        actor=owner, title=document["challenge"]["challenge_name"], data=document, slug=slug.replace("_", "-")
    )
    assert problems == []
    frozen = designs.freeze_version(actor=owner, design=design, name="Accepted")
    version = register(design_version=frozen, actor=owner)
    return launch(actor=owner, registration=version.registration, slug=design.slug), owner


def around_today(schedule: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Move a published schedule so that all phases are open today."""
    days = {"submission_open": -2, "submission_deadline": 30, "results_release": 40}
    today = timezone.now().date()
    return [
        {**row, "date": (today + timedelta(days=days[row["event"]])).isoformat()}
        for row in schedule
        if row["event"] in days
    ]


def sampled(phase: Phase, folder: Path, owner: User) -> Sample:
    """Write sample data for a phase, and seal its references."""
    assessment = phase.assessment
    number = min(kind_of(assessment).samples.cases_of(assessment), MOST_CASES)
    kind_of(assessment).samples.write_registered(assessment, folder, cases=number, algorithms=TEAMS)
    facts = write_characteristics(assessment, folder, number)
    cases = names_of_cases(number)
    images = None
    if phase.algorithms:
        images = folder / "images"
        images.mkdir()
        for index, case in enumerate(cases):
            volume = nibabel.Nifti1Image(np.full((3, 4, 5), index + 1, dtype=np.uint8), np.eye(4))
            nibabel.save(volume, images / f"{case}.nii.gz")
    table = pd.DataFrame([{"case": case, **more} for case, more in facts.items()])
    create_test_set(
        phase=phase,
        references=folder / "references",
        images=images,
        cases=cases,
        metadata=table if len(table.columns) > 1 else None,
        actor=owner,
    )
    return Sample(assessment, folder, cases, facts)


def submitted(phase: Phase, team: Team, sample: Sample, engine: StandInEngine) -> Submission:
    """Submit the predictions of a team by the registered method, and let workers score them."""
    if phase.algorithms:
        submission = _by_container(phase, team, sample, engine)
    else:
        submission = _by_upload(phase, team, sample.predictions(team.name))
    validation.validate(submission_id=submission.pk)
    while scoring.score_next_chunk():
        pass
    submission.refresh_from_db()
    if submission.state != Submission.State.SCORED:
        from submissions import tasks

        tasks.finish(str(submission.runs.get().pk))
        submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason, submission.report)
    return submission


def _by_upload(phase: Phase, team: Team, folder: Path) -> Submission:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    content = buffer.getvalue()
    user = team.members.get().user
    upload = create_upload(user=user, phase=phase, team=team, file_name="predictions.zip", size=len(content))
    append(upload=upload, offset=0, read=io.BytesIO(content).read)
    return finish(upload=upload)


def _by_container(phase: Phase, team: Team, sample: Sample, engine: StandInEngine) -> Submission:
    """Run a program that answers what the folder of the team contains, one case per start."""
    user = team.members.get().user
    common: dict[str, Any] = {"phase": phase, "team": team, "user": user, "kind": "image"}
    upload = AlgorithmUpload.objects.create(
        **common,
        file_name="image.tar",
        size=10,
        offset=10,
        state=AlgorithmUpload.State.COMPLETE,
        expires_at=timezone.now(),
    )
    image = AlgorithmArchive.objects.create(
        **common,
        upload=upload,
        file_name="image.tar",
        size=10,
        state=AlgorithmArchive.State.READY,
        digest=f"sha256:{TEAMS.index(team.name):064d}",
        checked_at=timezone.now(),
    )
    engine.held.append(image.digest)
    engine.script = _program(sample, team.name)
    submission = algorithms.hand_in(user=user, phase=phase, team=team, image=image)
    while running.run_next_batch():
        pass
    for execution in Execution.objects.filter(state=Execution.State.ASSEMBLING):
        assembling.assemble(execution_id=execution.pk)
    submission.refresh_from_db()
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


def walked(document: dict[str, Any], folder: Path, engine: StandInEngine, *, slug: str) -> tuple[list[Walked], Report]:
    """Walk through the final phase of every task, and make the report of the challenge for its organizers."""
    challenge, owner = launched(document, slug=slug)
    people = {name: person(f"{name.lower()}-{challenge.slug}") for name in TEAMS}
    teams = {name: join_with_team(user=user, challenge=challenge, team_name=name) for name, user in people.items()}
    found = []
    for task in challenge.tasks.order_by("pk"):
        phase = Phase.objects.select_related("task__challenge").filter(task=task).order_by("position").last()
        assert phase is not None
        sample = sampled(phase, folder / str(task.pk), owner)
        runs = {name: submitted(phase, team, sample, engine).runs.get(counts=True) for name, team in teams.items()}
        close_phase(actor=owner, phase=phase)
        phase.refresh_from_db()
        rankings.request_ranking(phase.pk)
        rankings.rank_phase(phase_id=phase.pk)
        following.follow_phase(phase_id=phase.pk)
        version = RankingVersion.objects.filter(phase=phase).latest("number")
        results = pd.concat([results_frame(run).assign(algorithm=name) for name, run in runs.items()])
        content = b"".join(bundles.chunks(version, key=phase.slug))
        found.append(
            Walked(phase, replace(sample, results=results), load_json(version.document_name), content, version.digest)
        )
    report = reports.request_report(actor=owner, challenge=challenge, audience=Audience.ORGANIZERS)
    return found, reports.make_report(report_id=report.pk) or Report.objects.get(pk=report.pk)
