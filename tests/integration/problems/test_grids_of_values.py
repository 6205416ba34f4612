"""Image to image and registration on the platform: the registered rule for grids, the note, and equal predictions."""

import io
import zipfile
from pathlib import Path

import nibabel
import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from datastore.test_sets.services.archives import take_archive
from evaluation import problems
from evaluation.problems.grids import GRID_WORDS
from executions.scoring.domain.report import Report
from submissions.models import Submission
from submissions.services import states
from tests.integration.problems.test_points_and_images import RANKING
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = pytest.mark.django_db(transaction=True)
State = Submission.State
KINDS = ("registration", "image_to_image")


def as_volume(path: Path) -> nibabel.Nifti1Image:
    """An image of an example with a position; a picture becomes a volume of two slices."""
    if path.name.endswith(".nii.gz"):
        return nibabel.load(path)
    array = np.asarray(Image.open(path)).T
    image = nibabel.Nifti1Image(np.repeat(array[:, :, None], 2, axis=2), np.diag([-0.8, -0.8, 3.0, 1.0]))
    image.header.set_xyzt_units("mm")
    return image


def sealed(world: World, folder: Path, kind: str, **settings) -> dict[str, nibabel.Nifti1Image]:
    """A phase of a kind with references that have positions; returns the predictions of the example."""
    document = problems.get(kind).samples.write_challenge(folder, cases=4) | RANKING
    document["settings"] |= settings
    files = {}
    for path in sorted(path for path in (folder / "references").rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        files[name.replace(".png", ".nii")] = as_volume(path).to_bytes() if path.suffix == ".png" else path.read_bytes()
    world.phase = add_phase(world, kind.replace("_", "-"), document)
    archive = folder / "references.zip"
    archive.write_bytes(zipped(files))
    world.test_set = take_archive(phase=world.phase, path=archive, actor=world.organizer)
    return {
        f"{path.name.split('.')[0]}.nii": as_volume(path) for path in sorted((folder / "predictions/near").iterdir())
    }


def packed(images, *, shift: float = 0.0) -> bytes:
    """An archive of images whose grids are shifted along their first axis by a share of a voxel."""
    files = {}
    for name, image in images.items():
        affine = image.affine.copy()
        affine[:3, 3] += shift * affine[:3, 0]
        moved = nibabel.Nifti1Image(np.asarray(image.dataobj), affine, image.header)
        moved.set_sform(affine, code=1)
        moved.set_qform(affine, code=1)
        files[name] = moved.to_bytes()
    return zipped(files)


def submitted(world: World, content: bytes, **more) -> tuple[Submission, set[str]]:
    submission = world.upload(content, again=False, **more)
    submission.refresh_from_db()
    report = Report.of(submission.report)
    return submission, {each.kind for each in report.troubled} | {each.id for each in report.questions}


@pytest.mark.parametrize("rule", ["", "exact", "shape"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_shift_below_half_a_voxel_is_judged_by_the_registered_rule(world: World, workers, tmp_path, kind, rule):
    images = sealed(world, tmp_path / "example", kind, **({"geometry": rule} if rule else {}))
    submission, found = submitted(world, packed(images, shift=0.3))
    client = Client()
    client.force_login(world.ada)
    expectation = client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/", secure=True).json()
    assert expectation.get("expected", {}).get("geometry", "") == rule
    page = client.get(reverse("submissions:submit", args=["blocks"]), {"phase": world.phase.pk}, secure=True)
    assert GRID_WORDS[rule or "same_grid"] in page.content.decode()
    if rule == "exact":
        assert (submission.state, found) == (State.HELD, {"origin", "same_place"})
        return
    assert (submission.state, found) == (State.SCORED, set() if rule == "shape" else {"shifted_grid"})
    counts = dict(Report.of(submission.report).shift_counts)
    shifted = {words: count for words, count in counts.items() if count and words != "no shift"}
    assert shifted == ({} if rule == "shape" else {"0.25 to 0.5 voxels": 4})


@pytest.mark.parametrize("kind", KINDS)
def test_equal_predictions_are_held(world: World, workers, tmp_path, kind):
    images = sealed(world, tmp_path / "example", kind)
    first = next(iter(images.values()))
    submission, found = submitted(world, packed(dict.fromkeys(images, first)))
    assert (submission.state, found) == (State.HELD, {"identical_predictions"})
    states.withdraw(submission=submission, actor=world.ada)
    scored, _ = submitted(world, packed(images))
    assert scored.state == State.SCORED
    repeated, found = submitted(world, repacked(packed(images)))
    assert (repeated.state, found) == (State.HELD, {"repeated_predictions"})


def repacked(content: bytes) -> bytes:
    """The same files in another folder of the archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return zipped({f"again/{name}": file.read(name) for name in file.namelist()})
