"""Predictions and references of several files: MetaImage pairs and DICOM folders, from the archive to the ranking."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import SimpleITK
from django.conf import settings

from challenges.services import create_phase
from confinement.archive import ArchiveError, BombError
from confinement.limits import ArchiveLimits
from datastore.test_sets import vault
from datastore.test_sets.services import archive_files
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError
from datastore.uploads.domain.several_files import check_sizes
from datastore.uploads.storage import private
from docs.correctness.dicom_cases import segmentation, series
from evaluation.checking.groups import Group
from evaluation.readers import ReadError, read_label_image
from evaluation.readers.intensities import read_intensities
from executions.scoring.domain import results
from executions.scoring.domain.report import Report, Status
from executions.scoring.services import inspecting
from submissions.models import Run, Submission
from tests.integration.submissions.world import AFFINE, ASSESSMENT, CASES, SHAPE, World, labels, nifti, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Archives are checked before a row is written."),
]
# The grid of `AFFINE` in the coordinates of DICOM, to the left and back.
GRID = {"row": (-1, 0, 0), "column": (0, -1, 0), "spacing": (1.0, 1.0, 2.0), "origin": (0, 0, 0), "intercept": 0.0}


def dicom_bytes(dataset) -> bytes:
    buffer = io.BytesIO()
    dataset.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()


def series_files(folder: str, values) -> tuple[dict[str, bytes], list]:
    datasets = series(values, **GRID)
    return {f"{folder}/IM{number:03d}": dicom_bytes(each) for number, each in enumerate(datasets)}, datasets


def segmentation_of(array) -> bytes:
    return dicom_bytes(segmentation(array, series(np.zeros(SHAPE, dtype=np.int16), **GRID)))


def pair(folder, case: str, array) -> dict[str, bytes]:
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(array.T))
    image.SetSpacing(np.diag(AFFINE)[:3].tolist())
    image.SetDirection((-1, 0, 0, 0, -1, 0, 0, 0, 1))
    SimpleITK.WriteImage(image, str(folder / f"{case}.mhd"), useCompression=False)
    return {name: (folder / name).read_bytes() for name in (f"{case}.mhd", f"{case}.raw")}


def submitted(world: World, files: dict[str, bytes], **more) -> tuple[Submission, Report]:
    submission = world.upload(zipped(files), **more)
    submission.refresh_from_db()
    return submission, Report.of(submission.report)


def values_of(submission: Submission) -> list:
    rows = results.rows_of(results.read(Run.objects.get(submission=submission).result_file))
    return [(row.case, row.region, row.metric, row.value) for row in rows]


def test_every_format_gets_the_values_of_the_same_labels(world: World, workers, tmp_path):
    arrays = {case: labels(1, case=case) for case in CASES}
    plain, report = submitted(world, {f"{case}.nii.gz": nifti(array) for case, array in arrays.items()})
    assert not report.findings or all(each.status == Status.VALID for each in report.findings.values())
    mixed: dict[str, bytes] = {}
    first, second, third, fourth = CASES
    mixed |= {f"run/{name}": content for name, content in pair(tmp_path, first, arrays[first]).items()}
    mixed |= {f"run/{second}.dcm": segmentation_of(arrays[second])}
    mixed |= {f"run/{third}/study/{name}": each for name, each in {"1.2.3": segmentation_of(arrays[third])}.items()}
    mixed |= series_files(f"run/{fourth}", arrays[fourth].astype(np.int16))[0]
    several, report = submitted(world, mixed, team=world.bos)
    assert {case: each.message for case, each in report.findings.items() if each.status != Status.VALID} == {}
    assert report.extra_total == 0
    assert values_of(several) == values_of(plain) != []


def test_what_is_wrong_with_an_image_of_several_files_is_named(world: World, workers, tmp_path):
    first, second, third, fourth = CASES
    lonely = {f"{first}.mhd": pair(tmp_path, first, labels())[f"{first}.mhd"]}
    gap, _ = series_files(second, labels().astype(np.int16))
    del gap[f"{second}/IM003"]
    doubled = {**pair(tmp_path, third, labels()), f"{third}.nii.gz": nifti(labels())}
    outside = {f"{fourth}.mhd": pair(tmp_path, fourth, labels())[f"{fourth}.mhd"].replace(b"case_010.raw", b"../x.raw")}
    _, report = submitted(world, {**lonely, **gap, **doubled, **outside})
    messages = {case: each.message for case, each in report.findings.items()}
    assert f"its data file {first}.raw is missing" in messages[first]
    assert "uneven distances from 2 to 4 mm" in messages[second]
    assert f"{third} has 2 files" in messages[third]
    assert "a data file in another folder" in messages[fourth]
    assert "Secret" not in str(report.document())


def slices(folder: str, count: int) -> dict[str, bytes]:
    """Many files that begin as DICOM files do."""
    return {f"{folder}/IM{number:04d}": bytes(128) + b"DICM" for number in range(count)}


def test_a_case_of_more_than_a_thousand_slices_is_read(world: World, workers):
    submission, report = submitted(world, slices(CASES[0], 1_300))
    assert (report.problem, submission.is_charged) == ("", False)
    assert report.findings[CASES[0]].status == Status.INVALID
    assert "limits" not in report.findings[CASES[0]].message


def test_one_data_file_is_not_taken_for_two_cases(world: World, workers, tmp_path):
    first, second = CASES[:2]
    files = pair(tmp_path, first, labels())
    _, report = submitted(world, files | {f"{second}.mhd": files[f"{first}.mhd"]})
    assert report.findings[first].status == Status.VALID
    finding = report.findings[second]
    assert f"its data file {first}.raw is missing" in finding.message
    assert "in the same folder, for one header only" in f"{finding.message} {finding.remedy}"


def test_images_are_not_written_beyond_the_limits_or_the_free_space():
    groups = [Group("a.mhd", ("a.mhd", "a.raw")), Group("b.mhd", ("b.mhd", "a.raw"))]
    sizes = {"a.mhd": 1, "b.mhd": 1, "a.raw": 100, "other": 10}
    check_sizes(groups, sizes, ArchiveLimits(total_bytes=202, room_bytes=414))
    with pytest.raises(BombError, match="at most 201"):
        check_sizes(groups, sizes, ArchiveLimits(total_bytes=201))
    with pytest.raises(ArchiveError, match="has 413 free"):
        check_sizes(groups, sizes, ArchiveLimits(room_bytes=413))


def test_an_archive_of_images_without_room_is_refused_without_a_charge(world: World, workers, tmp_path, monkeypatch):
    monkeypatch.setattr(inspecting, "free_bytes", lambda: settings.PODIUM_WORK_RESERVE_BYTES + 10)
    submission, report = submitted(world, pair(tmp_path, CASES[0], labels()))
    assert "has 10 free" in report.problem
    assert not submission.is_charged


@pytest.fixture
def second_phase(world: World):
    """A phase without a test set."""
    first = world.phase
    return create_phase(
        actor=None,
        task=first.task,
        assessment=ASSESSMENT,
        slug="second",
        name="Second",
        opens_at=first.opens_at,
        closes_at=first.closes_at,
    )


def sealed(world: World, phase, files: dict[str, bytes], folder):
    path = folder / "archive.zip"
    path.write_bytes(zipped(files))
    return take_archive(phase=phase, path=path, actor=world.organizer)


def stored_labels(case, folder):
    target = folder / f"{case.name}.mha"
    with vault.opened(case.reference_file) as path:
        target.write_bytes(path.read_bytes())
    return target


def test_references_in_dicom_are_sealed_without_their_tags(world: World, second_phase, tmp_path):
    first, second = CASES[:2]
    images = np.random.default_rng(1).integers(0, 900, SHAPE).astype(np.int16)
    files: dict[str, bytes] = {}
    for case in (first, second):
        files |= series_files(f"images/{case}", images)[0]
        files |= {f"references/{case}/segmentation": segmentation_of(labels(case=case))}
    test_set = sealed(world, second_phase, files, tmp_path)
    for case in test_set.cases.all():
        assert case.reference_file.endswith(f".mha{vault.SUFFIX}")
        content = stored_labels(case, tmp_path)
        assert b"Secret" not in content.read_bytes()
        image = read_label_image(content)
        # Planes that the segmentation omits are those of the image.
        assert image.labels.shape == SHAPE
        np.testing.assert_array_equal(image.labels, labels(case=case.name))
        assert case.image_file.endswith(".mha")
        with private().open(case.image_file) as file:
            shown = file.read()
        assert b"Secret" not in shown
        (tmp_path / "image.mha").write_bytes(shown)
        np.testing.assert_array_equal(read_intensities(tmp_path / "image.mha").values, images)


def test_references_as_pairs_are_sealed_as_one_file(world: World, second_phase, tmp_path):
    files: dict[str, bytes] = {}
    for case in CASES[:2]:
        files |= {f"references/{name}": content for name, content in pair(tmp_path, case, labels(case=case)).items()}
    test_set = sealed(world, second_phase, files, tmp_path)
    for case in test_set.cases.all():
        image = read_label_image(stored_labels(case, tmp_path))
        np.testing.assert_array_equal(image.labels, labels(case=case.name))
        assert case.geometry == world.test_set.cases.get(name=case.name).geometry | {"qform": None} or case.geometry


def test_a_reference_that_is_no_volume_is_named(world: World, second_phase, tmp_path):
    files, _ = series_files("references/case_001", labels().astype(np.int16))
    del files["references/case_001/IM003"]
    with pytest.raises(TestSetError, match="uneven distances") as refused:
        sealed(world, second_phase, files, tmp_path)
    assert "Secret" not in str(refused.value)


@pytest.mark.parametrize("kind", ["link", "folder", "nothing", "second name"])
def test_only_an_ordinary_file_of_a_child_enters_a_test_set(world: World, second_phase, tmp_path, monkeypatch, kind):
    def hostile(source, target):
        {
            "link": lambda: target.symlink_to("/etc/hostname"),
            "folder": target.mkdir,
            "nothing": lambda: None,
            "second name": lambda: (source.rename(target), target.with_name("again").hardlink_to(target)),
        }[kind]()

    monkeypatch.setattr(archive_files.shutil, "move", hostile)
    with pytest.raises(TestSetError, match=r"references/case_001\.dcm: could not be written without its tags"):
        sealed(world, second_phase, {"references/case_001/1": segmentation_of(labels())}, tmp_path)


def test_a_test_set_may_have_more_dicom_images_than_a_child_may_write_files(
    world: World, second_phase, tmp_path, monkeypatch
):
    few = replace(archive_files.child_limits(), folder_files=2)
    monkeypatch.setattr(archive_files, "child_limits", lambda: few)
    files = {f"references/{case}/1": segmentation_of(labels(case=case)) for case in CASES}
    assert sealed(world, second_phase, files, tmp_path).cases.count() == len(CASES) > 2


def test_a_child_cannot_write_beside_the_files_of_a_test_set(world: World, second_phase, tmp_path, monkeypatch):
    def hostile(folder, item, image, target):
        try:
            (folder / "references" / "more.mha").write_bytes(b"")
        except OSError as error:
            raise ReadError("header", item, f"refused with {error.errno}") from None
        return without_tags(folder, item, image, target)

    without_tags = archive_files.without_tags
    monkeypatch.setattr(archive_files, "without_tags", hostile)
    with pytest.raises(TestSetError, match="refused with"):
        sealed(world, second_phase, {"references/case_001/1": segmentation_of(labels())}, tmp_path)


def test_an_archive_of_many_small_files_is_taken_up_to_a_limit(world: World, workers):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(6_000):
            archive.writestr(f"{CASES[0]}/{number}", b"")
    submission = world.upload(buffer.getvalue())
    submission.refresh_from_db()
    assert "6,000 entries; at most 5,000 are taken" in Report.of(submission.report).problem
