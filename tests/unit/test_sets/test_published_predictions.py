"""Files in DICOM are not part of published predictions, whatever they are called."""

import zipfile

import pytest

from leaderboards.contributions.publishing import _may_name_patients

DICOM = bytes(128) + b"DICM"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("case_1/IM0001", DICOM, True),
        ("case_1.dcm", b"PK", True),
        ("case_1.IMA", b"", True),
        ("notes.nii", DICOM, True),
        ("case_1.nii.gz", b"\x1f\x8b", False),
        ("case_1.mha", b"ObjectType = Image", False),
    ],
)
def test_files_in_dicom_are_recognised(tmp_path, name, content, expected):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, content)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert _may_name_patients(name, archive) is expected
