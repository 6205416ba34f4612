"""Bundles of rankings that were published by earlier code still verify."""

import json
from pathlib import Path

import pytest

from evaluation.cli import main

KEPT = Path(__file__).resolve().parents[3] / "data" / "bundles"
PUBLISHED = {
    folder.name + "/" + name: digest
    for folder in sorted(KEPT.glob("schema-*"))
    for name, digest in json.loads((folder / "digests.json").read_text()).items()
}


def test_every_kept_bundle_has_its_published_digest():
    assert {f"{path.parent.name}/{path.name}" for path in KEPT.glob("*/*.zip")} == set(PUBLISHED)
    assert len([name for name in PUBLISHED if name.startswith("schema-1/")]) == 8  # four examples, two phases each


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_bundle_of_earlier_code_is_accepted_under_the_digest_that_its_page_showed(name, capsys):
    assert main(["verify", str(KEPT / name), "--digest", PUBLISHED[name]]) == 0, capsys.readouterr()


def test_a_kept_bundle_is_refused_under_another_digest(capsys):
    assert main(["verify", str(KEPT / next(iter(PUBLISHED))), "--digest", "0" * 64]) != 0, capsys.readouterr()
