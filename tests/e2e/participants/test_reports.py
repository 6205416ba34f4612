"""An archive of a public bug report in a real browser, whose files the page names with the sentence of the checker."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from evaluation.checking.sentences import finding

pytestmark = [pytest.mark.browser]
SUBMIT = "/challenges/hippocampus/submit/"
ARCHIVE = Path(__file__).parents[2] / "data" / "reports" / "zip-powershell-backslash" / "predictions.zip"


def submit(platform, page, path: Path) -> None:
    page.goto(f"{platform.url}{SUBMIT}")
    page.set_input_files("#id_archive", path)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", name="Submission")).to_be_visible()


def test_the_page_suggests_the_pattern_of_most_files(platform, page, seen, sign_in, tmp_path):
    path, renamed = tmp_path / "renamed.zip", io.BytesIO()
    with zipfile.ZipFile(ARCHIVE) as source, zipfile.ZipFile(renamed, "w") as target:
        for entry in source.infolist():
            case = entry.filename.rpartition("\\")[2].removesuffix(".nii.gz")
            target.writestr(f"{case}/{case}_seg.nii.gz", source.read(entry))
    path.write_bytes(renamed.getvalue())
    sign_in("peter")
    submit(platform, page, path)
    case = "hippocampus_015"
    file, pattern = f"{case}_seg.nii.gz", "{case}_seg.nii.gz"
    found = finding("file_pattern", case=case, value=pattern, file=file, ending=".nii.gz")
    row = page.get_by_role("row", name=re.compile(case))
    expect(row).to_contain_text(found.reason, timeout=120_000)
    expect(row).to_contain_text(found.remedy)
    expect(page.get_by_text(finding("nothing_found", count=15).reason)).to_be_visible()
    seen.check_everywhere()
