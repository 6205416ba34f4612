"""A small challenge with real label images, made in a temporary folder, and ways to submit to it."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Task, Team
from challenges.services import create_challenge, create_phase, join_with_team
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.services.uploads import append
from submissions.models import Submission
from submissions.services.submitting import create_upload, finish

SHAPE = (12, 10, 8)
_OFFSETS = ((0, 1), (0, 0), (1, 0), (-1, 0), (0, -1))
AFFINE = np.diag([1.0, 1.0, 2.0, 1.0])
CASES = ("case_001", "case_002", "case_003", "case_010")
ASSESSMENT: dict[str, Any] = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "anterior", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
    "metrics": [
        {"id": "dsc"},
        {"id": "nsd", "options": {"tolerance": 1.0}},
        {"id": "hausdorff_percentile", "options": {"percentile": 95}},
        {"id": "assd"},
    ],
    "aggregation": {"levels": ["case"], "operator": "mean"},
    "ranking": {
        "scheme": "aggregate_then_rank",
        "operator": "mean",
        "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    },
    "uncertainty": {"bootstrap": 20, "seed": 1},
}


def labels(shift: int = 0, *, shape: tuple[int, ...] = SHAPE, case: str = "") -> np.ndarray:
    """Two touching blocks, moved along the first axis, and along the others by an amount that differs between cases.

    Reference and prediction of a case move alike, so that its values do not depend on `case`.
    """
    number = int("".join(filter(str.isdigit, case)) or 1)
    y, z = _OFFSETS[number % len(_OFFSETS)]
    array = np.zeros(shape, dtype=np.uint8)
    array[2 + shift : 5 + shift, 2 + y : 7 + y, 2 + z : 6 + z] = 1
    array[5 + shift : 8 + shift, 2 + y : 7 + y, 2 + z : 6 + z] = 2
    return array


def nifti(array: np.ndarray, affine: np.ndarray = AFFINE) -> bytes:
    """A label image as the bytes of a .nii.gz file."""
    image = nibabel.Nifti1Image(array, affine)
    image.header.set_xyzt_units("mm")
    return _gzip(image.to_bytes())


def _gzip(content: bytes) -> bytes:
    import gzip

    return gzip.compress(content, mtime=0)


def predictions(shift: int = 1, cases: Iterable[str] = CASES) -> dict[str, bytes]:
    """File name → content of one algorithm's predictions."""
    return {f"{case}.nii.gz": nifti(labels(shift, case=case)) for case in cases}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files into a ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@dataclass
class World:
    """A challenge with one phase, its organizer, and two teams of one person each."""

    challenge: Challenge
    phase: Phase
    test_set: TestSet
    organizer: User
    ada: User
    bo: User
    adas: Team
    bos: Team

    def upload(
        self, content: bytes, *, team: Team | None = None, name: str = "predictions.zip", **more: Any
    ) -> Submission:
        """Submit an archive through the services of a browser upload, also if it was submitted before."""
        team = team or self.adas
        more = {"again": True, **more}
        user = team.members.get().user
        upload = create_upload(user=user, phase=self.phase, team=team, file_name=name, size=len(content), **more)
        append(upload=upload, offset=0, read=io.BytesIO(content).read)
        return finish(upload=upload)


def build(
    folder: Path,
    *,
    references: Mapping[str, np.ndarray] | None = None,
    sealed: Mapping[str, Any] | None = None,
    **phase_fields: Any,
) -> World:
    """Make the world in the database and the storage; `sealed` goes to `create_test_set`."""
    organizer, ada, bo = (
        User.objects.create_user(name, f"{name}@example.org", "a long password") for name in ("olga", "ada", "bo")
    )
    with transaction.atomic():
        challenge = create_challenge(
            actor=organizer,
            organizers=[organizer],
            slug="blocks",
            title="Blocks",
            summary="Find blocks.",
            is_public=True,
        )
        task = Task.objects.create(challenge=challenge, slug="blocks", name="Blocks")
    now = timezone.now()
    fields = {
        "slug": "first",
        "name": "First",
        "opens_at": now - timedelta(days=1),
        "closes_at": now + timedelta(days=1),
        "results": Phase.Results.CASES,
        "leaderboard": Phase.Leaderboard.PUBLIC,
        **phase_fields,
    }
    phase = create_phase(actor=organizer, task=task, assessment=ASSESSMENT, **fields)
    test_set = add_test_set(phase, folder, references or {case: labels(case=case) for case in CASES}, **(sealed or {}))
    adas = join_with_team(user=ada, challenge=challenge, team_name="Ada's")
    bos = join_with_team(user=bo, challenge=challenge, team_name="Bo's")
    return World(challenge, phase, test_set, organizer, ada, bo, adas, bos)


def add_test_set(phase: Phase, folder: Path, references: Mapping[str, np.ndarray], **sealed: Any) -> TestSet:
    """Store references as the test set of a phase."""
    folder.mkdir(parents=True, exist_ok=True)
    for case, array in references.items():
        (folder / f"{case}.nii.gz").write_bytes(nifti(array))
    return create_test_set(phase=phase, references=folder, cases=list(references), **sealed)
