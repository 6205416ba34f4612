"""Third-party files match the reviewed versions, with their licences next to them."""

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LISTS = tuple(ROOT / folder / "VENDOR.md" for folder in ("static/vendor", "tests/e2e/vendor", "tests/lint/vendor"))


def listed():
    for listing in LISTS:
        for file, digest in re.findall(
            r"^\| (\S+/\S+) \|.*\| ([0-9a-f]{64}) \|", listing.read_text("utf-8"), re.MULTILINE
        ):
            yield pytest.param(listing.parent / file, digest, id=file)


@pytest.mark.parametrize(("file", "digest"), list(listed()))
def test_a_vendored_file_has_the_listed_sum_and_a_licence(file, digest):
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest
    assert (file.parent / "LICENSE").read_text("utf-8").strip()


def test_no_vendored_script_or_font_is_missing_from_the_lists():
    known = {param.values[0] for param in listed()}
    present = {file for listing in LISTS for kind in ("*.js", "*.woff2") for file in listing.parent.rglob(kind)}
    assert present == known


def test_no_vendored_script_names_a_source_map_that_is_not_there():
    for param in listed():
        assert b"sourceMappingURL" not in param.values[0].read_bytes()[-300:]
