"""Bundles of rankings that were published by earlier code still verify."""

import json
import zipfile
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.ranking.plans import SCHEMA

KEPT = Path(__file__).resolve().parents[3] / "data" / "bundles"
PUBLISHED = {
    folder.name + "/" + name: digest
    for folder in sorted(KEPT.glob("schema-*"))
    for name, digest in json.loads((folder / "digests.json").read_text()).items()
}


def test_every_kept_bundle_has_its_published_digest():
    assert {f"{path.parent.name}/{path.name}" for path in KEPT.glob("*/*.zip")} == set(PUBLISHED)
    assert len([name for name in PUBLISHED if name.startswith("schema-1/")]) == 8  # four examples, two phases each


def test_a_bundle_is_kept_of_every_schema():
    assert {name.split("/")[0] for name in PUBLISHED} >= {f"schema-{schema}" for schema in range(1, SCHEMA + 1)}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_kept_ranking_has_the_schema_of_its_folder(name):
    with zipfile.ZipFile(KEPT / name) as bundle:
        assert json.loads(bundle.read("ranking.json"))["schema"] == int(name.split("/")[0].split("-")[1])


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_bundle_of_earlier_code_is_accepted_under_the_digest_that_its_page_showed(name, capsys):
    assert main(["verify", str(KEPT / name), "--digest", PUBLISHED[name]]) == 0, capsys.readouterr()


def test_a_kept_bundle_is_refused_under_another_digest(capsys):
    assert main(["verify", str(KEPT / next(iter(PUBLISHED))), "--digest", "0" * 64]) != 0, capsys.readouterr()


def test_what_schema_1_defined_otherwise_is_named_and_is_no_difference(capsys):
    name = next(name for name in PUBLISHED if name.startswith("schema-1/"))
    assert main(["verify", str(KEPT / name)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("The bundle agrees with itself")
    assert "every file is as it was published" in said
    assert "Not recomputed, since it was defined otherwise then: group, group_rule, rank_interval" in said


@pytest.mark.parametrize("folder", ["schema-1/", "schema-2/", "schema-3/"])
def test_a_changed_score_in_a_kept_ranking_is_a_difference(folder, tmp_path, capsys):
    name = next(name for name in PUBLISHED if name.startswith(folder))
    forged = tmp_path / "forged.zip"
    with zipfile.ZipFile(KEPT / name) as kept, zipfile.ZipFile(forged, "w") as copy:
        for member in kept.namelist():
            content = kept.read(member)
            if member == "ranking.json":
                ranking = json.loads(content)
                ranking["rankings"][0]["algorithms"][0]["score"] += 0.01
                content = json.dumps(ranking).encode()
            copy.writestr(member, content)
    assert main(["verify", str(forged)]) == 1
    printed = capsys.readouterr().out
    assert "ranking.json was changed after it was published" in printed
    assert ("has score" in printed) is (folder == "schema-1/")  # for later schemas the digest suffices
