"""Landmarks, registration and image to image on the platform: from the archive of references to a verified bundle."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from datastore.test_sets import vault
from datastore.test_sets.models import TestCase
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError
from datastore.uploads.storage import private
from evaluation import bundle, problems
from evaluation.readers.run_lengths import read_masks
from evaluation.scoring import score_folders
from executions.scoring.domain.report import Report, Status
from leaderboards.models import RankingVersion
from leaderboards.services import rankings as ranking_services
from submissions.models import Submission
from submissions.queries import results_frame
from submissions.queries.pictures import drawable
from submissions.results.queries.pictures import picture_name
from submissions.results.services.pictures import draw
from submissions.services import states
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = ("landmarks", "registration", "landmark_registration", "overlapping_instances", "image_to_image")
RANKING = {
    "ranking": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric"], "operator": "mean", "rerank": True}},
    "uncertainty": {"bootstrap": 20, "seed": 1},
}


def packed(folder: Path, *, below: str = "") -> bytes:
    """Everything in a folder as an archive."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return zipped({f"{below}{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files})


def seal(world: World, folder: Path, name: str, **more):
    """A phase of a kind with the references of its example, sent as organizers send them."""
    document = problems.get(name).samples.write_challenge(folder, cases=4) | RANKING | more
    if name == "landmarks":
        cases = "".join(f"case-{number:02d}\n" for number in range(4))
        (folder / "references/cases.csv").write_text(f"case\n{cases}")
    world.phase = add_phase(world, name.replace("_", "-"), document)
    archive = folder / "references.zip"
    content = packed(folder / "references", below="references/")
    if name == "landmarks":
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            files = {entry: file.read(entry) for entry in file.namelist()}
        files["cases.csv"] = files.pop("references/cases.csv")
        content = zipped(files)
    archive.write_bytes(content)
    world.test_set = take_archive(phase=world.phase, path=archive, actor=world.organizer)
    return folder


def scored(world: World, content: bytes, **more) -> Submission:
    submission = world.upload(content, accept_incomplete=True, **more)
    submission.refresh_from_db()
    if submission.state == Submission.State.HELD:
        states.score_as_it_is(submission=submission, actor=submission.user)
        submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason, submission.report)
    return submission


@pytest.mark.parametrize("name", KINDS)
def test_from_the_archive_to_a_verified_bundle(world: World, workers, tmp_path, name):
    folder = seal(world, tmp_path / "example", name)
    near = scored(world, packed(folder / "predictions/near"))
    scored(world, packed(folder / "predictions/far"), team=world.bos)
    # The same rows as the command line's.
    line = score_folders(world.phase.assessment, folder / "references", {"near": folder / "predictions/near"})
    ours = results_frame(near.runs.get())
    assert ours.sort_values(["metric", "region", "case"])["value"].tolist() == [
        row.value for row in sorted(line.rows, key=lambda row: (row.metric, row.region, row.case))
    ]
    ranking_services.request_ranking(world.phase.pk)
    version = RankingVersion.objects.get(phase=world.phase)
    client = Client()
    client.force_login(world.organizer)
    address = ["blocks", world.phase.slug]
    board = client.get(reverse("leaderboards:current", args=address), secure=True).content.decode()
    assert 0 < board.index("Ada&#x27;s") < board.index("Bo&#x27;s")
    file = tmp_path / "bundle.zip"
    response = client.get(reverse("leaderboards:bundle", args=[*address, version.number]), secure=True)
    file.write_bytes(b"".join(response.streaming_content))
    assert json.loads(zipfile.ZipFile(file).read("assessment.json"))["problem"] == name
    assert bundle.verify(file, digest=version.digest).same
    client.force_login(world.ada)
    page = client.get(reverse("submissions:submit", args=["blocks"]), {"phase": world.phase.pk}, secure=True)
    assert page.status_code == 200


@pytest.mark.parametrize("name", ["registration", "image_to_image"])
def test_pictures_show_the_reference_only_to_who_may_see_it(world: World, workers, tmp_path, name):
    folder = seal(world, tmp_path / "example", name)
    run = scored(world, packed(folder / "predictions/near")).runs.get()
    case = TestCase.objects.filter(test_set=world.test_set).order_by("position").first()
    assert drawable(run, [case.name]) == [case.name]
    draw(run_id=run.pk, case=case.name)
    with private().open(picture_name(run, case.name, with_reference=False)) as file:
        alone = Image.open(io.BytesIO(file.read())).size
    both = Image.open(io.BytesIO(vault.read_bytes(picture_name(run, case.name, with_reference=True)))).size
    assert (both[0] > 2 * alone[0]) == (name == "image_to_image")


def joined(folder: Path, *rows: str) -> bytes:
    """The tables of all cases of a folder as one table, with further rows."""
    lines = [f"{path.stem},{line}" for path in sorted(folder.glob("*.csv")) for line in path.read_text().split()[1:]]
    return zipped({"out/landmarks.csv": "\n".join(["case,landmark,x,y,z", *lines, *rows]).encode()})


def as_geojson(path: Path) -> dict:
    """The objects of a file as QuPath exports them, each run of pixels as a rectangle."""
    features = []
    for each in read_masks(path).objects:
        rectangles = []
        for y, row in enumerate(each.part.T, each.offset[1]):
            edges = (np.flatnonzero(np.diff(np.r_[0, row, 0])) + each.offset[0]).tolist()
            for x, end in zip(edges[::2], edges[1::2], strict=True):
                rectangles.append([[[x, y], [end, y], [end, y + 1], [x, y + 1], [x, y]]])
        properties = {"classification": {"name": each.name}, "measurements": {"score": each.score}}
        geometry = {"type": "MultiPolygon", "coordinates": rectangles}
        features.append({"type": "Feature", "geometry": geometry, "properties": properties})
    return {"type": "FeatureCollection", "features": features}


def test_exports_of_qupath_score_like_masks(world: World, workers, tmp_path):
    folder = seal(world, tmp_path / "example", "overlapping_instances")
    files = sorted((folder / "predictions/near").glob("*.json"))
    masks = scored(world, packed(folder / "predictions/near"))
    exported = zipped({f"{path.stem}.geojson": json.dumps(as_geojson(path)).encode() for path in files})
    outlines = scored(world, exported, team=world.bos)
    frames = [results_frame(each.runs.get()).drop(columns="algorithm") for each in (masks, outlines)]
    assert files
    assert (frames[0]["value"] > 0).all()
    assert frames[0].equals(frames[1])


def test_one_table_of_moved_landmarks_scores_like_a_table_per_case(world: World, workers, tmp_path):
    folder = seal(world, tmp_path / "example", "landmark_registration")
    apart = scored(world, packed(folder / "predictions/near"))
    content = joined(folder / "predictions/near", "case-09,p0,1,2,3")
    together = scored(world, content, team=world.bos)
    frames = [results_frame(each.runs.get()).drop(columns="algorithm") for each in (apart, together)]
    assert frames[0].equals(frames[1])
    report = Report.of(together.report)
    assert (report.valid, report.extra_total) == (4, 1)
    assert report.extra[0].file == "landmarks.csv: case case-09"


def test_a_lost_landmark_is_named_and_costs_its_case(world: World, workers, tmp_path):
    folder = seal(world, tmp_path / "example", "landmark_registration")
    path = folder / "predictions/near/case-00.csv"
    path.write_text("\n".join(path.read_text().split()[:-1]) + "\n")
    submission = scored(world, joined(folder / "predictions/near"))
    [finding] = Report.of(submission.report).troubled
    assert (finding.case, finding.status) == ("case-00", Status.INVALID)
    assert finding.message.startswith("case-00.csv: no row for 1 of 4 landmarks (p3)")
    rows = results_frame(submission.runs.get())
    assert rows.loc[rows["case"] == "case-00", "outcome"].tolist() == ["missing"]


class TestWhatIsRefused:
    def test_a_case_that_cannot_be_read_is_told_and_counts_as_missing(self, world: World, workers, tmp_path):
        folder = seal(world, tmp_path / "example", "registration")
        import nibabel

        own = folder / "predictions/near/case-00.nii.gz"
        image = nibabel.load(own)
        field = np.asarray(image.dataobj).copy()
        field[1, 2, 3] = np.nan
        nibabel.save(nibabel.Nifti1Image(field, image.affine), own)
        submission = scored(world, packed(folder / "predictions/near"))
        [finding] = Report.of(submission.report).troubled
        assert (finding.case, finding.kind) == ("case-00", "not_finite")
        assert "case-00.nii.gz: 1 displacements are NaN or infinite" in finding.message
        rows = results_frame(submission.runs.get())
        assert set(rows.loc[rows["case"] == "case-00", "outcome"]) == {"missing"}

    def test_a_landmark_twice_costs_that_landmark_only(self, world: World, workers, tmp_path):
        folder = seal(world, tmp_path / "example", "landmarks")
        path = folder / "predictions/near/landmarks.csv"
        path.write_text(path.read_text() + "case-00,apex,1,2,3\n")
        submission = scored(world, packed(folder / "predictions/near"))
        finding = Report.of(submission.report).findings["case-00"]
        assert finding.status == Status.VALID
        assert "1 row was not used" in finding.message
        assert "a second row for the landmark apex of the case case-00 (rows 2 and 14)" in finding.message
        rows = results_frame(submission.runs.get())
        of_case = rows[rows["case"] == "case-00"].set_index("region")["outcome"]
        assert of_case["apex"] == "pred_empty"
        assert set(of_case.drop("apex")) == {"ok"}
        assert set(rows.loc[rows["case"] == "", "outcome"]) == {"ok"}

    def test_a_reference_without_its_mask(self, world: World, workers, tmp_path):
        folder = tmp_path / "example"
        document = problems.get("image_to_image").samples.write_challenge(folder, cases=2) | RANKING
        (folder / "references/masks/case-00.png").unlink()
        world.phase = add_phase(world, "images", document)
        (folder / "references.zip").write_bytes(packed(folder / "references", below="references/"))
        with pytest.raises(TestSetError, match=r"no mask with its regions, masks/case-00\.png"):
            take_archive(phase=world.phase, path=folder / "references.zip", actor=world.organizer)
