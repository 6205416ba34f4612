"""Every table that people open goes through one place, which lets no text be a formula."""

import csv
import io
import re
from pathlib import Path

import pytest

from web.spreadsheets import FORMULA, csv_text, harmless

PLATFORM = Path(__file__).resolve().parents[3] / "platform"
# Tables that programs read back, and whose digests are kept: their first column is a team's or a case's name, which begin
# with a letter or a digit, or they are files of references, which never leave the installation.
READ_BACK = {
    "leaderboards/services/computing.py",
    "leaderboards/views/exports.py",
    "executions/scoring/domain/results.py",
    "submissions/results/views/organize.py",
    "datastore/test_sets/services/annotated_tables.py",
    "submissions/contributions/design_checks.py",
    "operations/services/examples.py",
    "operations/services/example_measurements.py",
}
ASKING = {
    "api/submissions/views.py",
    "submissions/results/services/exporting.py",
    "leaderboards/contributions/publishing.py",
    "submissions/views/submissions.py",
}  # executions/scoring/domain/results.py
STREAMED = {"registry/views/downloads.py"}  # row by row, each cell through `harmless`
OWN = {"web/style_guide.py"}  # figures for engineers, without a text of people


def test_no_other_place_writes_tables():
    pattern = re.compile(r"csv\.writer\(|\.to_csv\(|DictWriter\(")
    found = {
        str(file.relative_to(PLATFORM)) for file in PLATFORM.rglob("*.py") if pattern.search(file.read_text("utf-8"))
    }
    assert found - READ_BACK - STREAMED - OWN - ASKING == {"web/spreadsheets.py"}
    for name in STREAMED:
        assert "harmless(" in (PLATFORM / name).read_text("utf-8")


@pytest.mark.parametrize("start", FORMULA)
def test_no_cell_begins_like_a_formula(start):
    (row,) = list(csv.reader(io.StringIO(csv_text(["a"], [[f"{start}cmd|' /C calc'!A0"]]), newline="")))[1:]
    assert row[0].startswith("'")


def test_numbers_keep_their_sign():
    assert [harmless(value) for value in (-1.5, -2, "-2")] == ["-1.5", "-2", "'-2"]


def test_a_carriage_return_within_a_text_begins_no_row():
    assert len(list(csv.reader(io.StringIO(csv_text(["a"], [["harmless\r=1+1"]]), newline="")))) == 2
