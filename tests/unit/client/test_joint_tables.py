"""A table with the landmarks of all cases, checked by the client before it is uploaded."""

from pathlib import Path

import pytest
from podium_client.errors import ClientError
from podium_client.validating import _check_files

FACTS = {"landmarks": ["p0", "p1"], "axes": 3}
WANTED = {
    "problem": "landmark_registration",
    "cases": [{"name": name, "geometry": FACTS} for name in ("a", "b")],
    "labels": [],
}


def check(folder: Path, **files: str):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return _check_files(WANTED, [f"{name}.csv" for name in files], lambda name: folder / name)


def test_every_case_of_the_table_is_read_on_its_own(tmp_path):
    rows = "a,p0,1,2,3\na,p1,1,2,3\nb,p0,1,2,nan\nb,p1,1,2,3\nc,p0,1,2,3\n"
    findings, extra, _ = check(tmp_path, landmarks="case,landmark,x,y,z\n" + rows, notes="x\n")
    assert [(finding.case, "'nan' as z in row 2" in finding.reason) for finding in findings] == [("b", True)]
    assert [each.partition(":")[0] for each in extra] == ["notes.csv", "landmarks.csv"]


def test_tables_of_cases_are_accepted_too(tmp_path):
    findings, extra, _ = check(tmp_path, a="landmark,x,y,z\np0,1,2,3\np1,1,2,3\n", b="landmark,x,y,z\np0,1,2,3\n")
    assert [finding.case for finding in findings] == ["b"]
    assert extra == []


def test_a_table_that_cannot_be_read_is_refused_as_a_whole(tmp_path):
    with pytest.raises(ClientError, match="no column case"):
        check(tmp_path, landmarks="name,landmark,x,y,z\n")
