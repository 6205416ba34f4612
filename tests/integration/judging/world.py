"""A small challenge with a custom metric of its organizers, and helpers to try and run its scoring image."""

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Task, Team
from challenges.services import create_challenge, create_phase, join_with_team
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.services.uploads import append
from evaluation import problems
from executions.judging.models import Trial
from executions.judging.services import judging, trying
from executions.models import AlgorithmArchive, AlgorithmUpload
from executions.models.archives import Kind
from submissions.models import Run, Submission
from submissions.services import scoring, validation
from submissions.services.submitting import create_upload, finish
from tests.containers import scorers
from tests.containers.stand_in_engine import Script, StandInEngine, Work
from tests.integration.submissions.world import ASSESSMENT, CASES, add_test_set, labels, zipped

IMAGE = f"sha256:{'b' * 64}"
OTHER = f"sha256:{'c' * 64}"
OWN = {"id": "own_dice", "by": "scorer", "label": "own dice", "direction": "higher", "range": [0, 1]}
SCORED: dict[str, Any] = ASSESSMENT | {"metrics": [{"id": "dsc"}, OWN], "scorer": {"image": IMAGE, "case_seconds": 2}}


def dice(mode: str = "") -> Script:
    """Return `tests/containers/own_scorer.py` as the program of a container.

    It breaks a rule if `mode` names one.
    """

    def script(work: Work) -> None:
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "input").symlink_to(work.input)
            (Path(root) / "output").symlink_to(work.output)
            done = subprocess.run(
                [sys.executable, str(scorers.PROGRAM)],
                env={**os.environ, "ROOT": root, "MODE": mode},
                capture_output=True,
                check=False,
            )
        work.log(done.stderr)
        work.exit(done.returncode)

    return script


@dataclass
class Judged:
    """The challenge, its organizer, and two teams of one person each."""

    engine: StandInEngine
    challenge: Challenge
    phase: Phase
    organizer: User
    ada: User
    bo: User
    adas: Team
    bos: Team

    def image(self, digest: str = IMAGE, *, is_tried: bool = True) -> AlgorithmArchive:
        """A scoring image that was sent and checked; the engine of the test holds it already."""
        common: dict[str, Any] = {"phase": self.phase, "team": None, "user": self.organizer, "kind": Kind.SCORER}
        upload = AlgorithmUpload.objects.create(
            **common,
            file_name="scorer.tar",
            size=10,
            offset=10,
            state=AlgorithmUpload.State.COMPLETE,
            expires_at=timezone.now(),
        )
        archive = AlgorithmArchive.objects.create(
            **common,
            upload=upload,
            file_name="scorer.tar",
            size=10,
            state=AlgorithmArchive.State.READY,
            digest=digest,
            checked_at=timezone.now(),
        )
        self.engine.held.append(digest)
        trying.begin_trials(archive)
        if is_tried:
            self.tried()
        return archive

    def tried(self) -> Trial:
        """Have what waits tried; returns the last trial."""
        for trial in Trial.objects.filter(state__in=Trial.OPEN):
            trying.try_scorer(trial_id=trial.pk)
        return Trial.objects.latest("created_at")

    def hand_in(self, files: Mapping[str, bytes], *, team: Team | None = None) -> Submission:
        """Submit predictions, validate and score them, and run the scoring image as often as required."""
        team = team or self.adas
        content, user = zipped(files), team.members.get().user
        upload = create_upload(
            user=user,
            phase=self.phase,
            team=team,
            file_name="p.zip",
            size=len(content),
            accept_incomplete=True,
            again=True,
        )
        append(upload=upload, offset=0, read=io.BytesIO(content).read)
        submission = finish(upload=upload)
        validation.validate(submission_id=submission.pk)
        self.work()
        submission.refresh_from_db()
        return submission

    def work(self) -> None:
        """Let workers have turns until nothing is left."""
        while scoring.score_next_chunk():
            pass
        while judging.judge_next():
            pass
        for run in Run.objects.filter(state__in=Run.UNFINISHED):
            scoring.finish_run(run_id=run.pk)


def build(folder: Path, engine: StandInEngine, *, references: Mapping[str, np.ndarray] | None = None) -> Judged:
    """Make the world in the database and the storage, of label images; the last reference is empty unless others are given."""
    if references is None:
        references = {case: labels(case=case) for case in CASES} | {CASES[-1]: np.zeros_like(labels())}
    return _built(engine, SCORED, lambda phase: add_test_set(phase, folder / "references", references))


def build_kind(kind: str, folder: Path, engine: StandInEngine) -> Judged:
    """Build the challenge from the example of a kind of problem, whose predictions are in the folder."""
    assessment = scorers.example(kind, folder)
    cases = sorted(problems.get(kind).open_references(assessment, folder / "references").cases)
    document = {**assessment.document, "uncertainty": {"bootstrap": 20, "seed": 1}}
    return _built(
        engine,
        document,
        lambda phase: create_test_set(phase=phase, references=folder / "references", cases=cases),
    )


def files_of(folder: Path, algorithm: str) -> dict[str, bytes]:
    """The predictions of an algorithm of an example, by name."""
    return {path.name: path.read_bytes() for path in sorted((folder / "predictions" / algorithm).iterdir())}


def _built(engine: StandInEngine, assessment: Mapping[str, Any], seal: Callable[[Phase], object]) -> Judged:
    engine.script = dice()
    organizer, ada, bo = (
        User.objects.create_user(name, f"{name}@example.org", "a long password") for name in ("olga", "ada", "bo")
    )
    challenge = create_challenge(
        actor=organizer, organizers=[organizer], slug="blocks", title="Blocks", summary="Find blocks.", is_public=True
    )
    task = Task.objects.create(challenge=challenge, slug="blocks", name="Blocks")
    now = timezone.now()
    phase = create_phase(
        actor=organizer,
        task=task,
        assessment=assessment,
        slug="first",
        name="First",
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        results=Phase.Results.CASES,
        leaderboard=Phase.Leaderboard.PUBLIC,
    )
    seal(phase)
    adas = join_with_team(user=ada, challenge=challenge, team_name="Ada's")
    bos = join_with_team(user=bo, challenge=challenge, team_name="Bo's")
    return Judged(engine, challenge, phase, organizer, ada, bo, adas, bos)
