"""Matching of files to cases, and suggestions for misnamed files."""

import pytest

from confinement.archive import Member
from evaluation.readers import SUFFIXES
from executions.scoring.domain.matching import match
from executions.scoring.domain.report import Status

CASES = ("hippocampus_006", "hippocampus_015", "hippocampus_117")


def matched(*paths: str):
    return match([Member(path, 10) for path in paths], CASES, SUFFIXES)


def test_files_are_found_in_any_folder_and_format():
    report = matched("set/hippocampus_006.nii.gz", "hippocampus_015.mha", "other/hippocampus_117.NII")
    assert report.members == {
        "hippocampus_006": "set/hippocampus_006.nii.gz",
        "hippocampus_015": "hippocampus_015.mha",
        "hippocampus_117": "other/hippocampus_117.NII",
    }
    assert report.findings == {}


def test_a_missing_case_names_the_file_to_add():
    finding = matched("hippocampus_006.nii.gz").findings["hippocampus_015"]
    assert finding.status == Status.MISSING
    assert finding.remedy == "Add hippocampus_015.nii.gz."


def test_a_case_twice_is_not_guessed_at():
    finding = matched("a/hippocampus_006.nii.gz", "b/hippocampus_006.mha").findings["hippocampus_006"]
    assert finding.status == Status.INVALID
    assert "a/hippocampus_006.nii.gz, b/hippocampus_006.mha" in finding.message


@pytest.mark.parametrize(
    "name",
    [
        "hippocampus_6.nii.gz",
        "Hippocampus_006.nii.gz",
        "hippocampus-006.nii.gz",
        "hippocampus_006_pred.nii.gz",
        "seg_hippocampus_006.nii.gz",
        "hippocampsu_006.nii.gz",
    ],
)
def test_a_misnamed_file_is_recognised(name: str):
    report = matched(name, "hippocampus_015.nii.gz", "hippocampus_117.nii.gz")
    finding = report.findings["hippocampus_006"]
    assert finding.status == Status.MISSING
    assert finding.remedy == f"Rename {name} to hippocampus_006.nii.gz."
    assert report.extra[0].hint == "meant for hippocampus_006?"


def test_a_number_that_differs_is_another_case():
    finding = matched("hippocampus_016.nii.gz").findings["hippocampus_015"]
    assert "looks as if" not in finding.message


def test_extra_files_are_listed_with_what_becomes_of_them():
    report = matched("readme.txt", "more.zip", "hippocampus_999.nii.gz")
    assert [extra.hint for extra in report.extra] == [
        "not a label image that is read; ignored",
        "an archive inside the archive is not opened; pack its files directly",
        "no case of this name; ignored",
    ]


def test_only_the_first_extra_files_are_listed_but_all_are_counted():
    report = match([Member(f"x{number}.txt", 1) for number in range(300)], CASES, SUFFIXES)
    assert len(report.extra) == 100
    assert report.extra_total == 300
