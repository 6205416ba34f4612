"""A bundle proves a ranking: the one that was published comes out again, and every change is found and named."""

import hashlib
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from evaluation import bundle, ranking
from evaluation.assessment import parse
from evaluation.cli import main

ASSESSMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "anterior", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
    "metrics": [{"id": "dsc"}, {"id": "assd"}],
    "ranking": {
        "scheme": "aggregate_then_rank",
        "operator": "mean",
        "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    },
    "uncertainty": {"bootstrap": 60, "seed": 3},
}
TEAMS = {"Ada": 0.9, "Ben & Co.": 0.8, "Çelik": 0.7}


def table(level: float) -> pd.DataFrame:
    draws = np.random.default_rng(round(100 * level)).normal(level, 0.05, (8, 2, 2)).clip(0.01, 1)
    rows = []
    for case in range(8):
        for region, name in enumerate(("anterior", "whole")):
            for metric, kind in enumerate(("dsc", "assd")):
                absent = case == 7 and level == 0.7
                rows.append(
                    {
                        "case": f"c{case}",
                        "region": name,
                        "metric": kind,
                        "value": np.nan if absent else float(draws[case, region, metric]),
                        "outcome": "missing" if absent else "ok",
                        "image_diagonal": 80.0 + case / 3,
                        "flag": "",
                    }
                )
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def content() -> bytes:
    return written(ASSESSMENT)


def written(document: dict, *, cases: str | None = None) -> bytes:
    assessment = parse(document)
    tables = {name: table(level) for name, level in TEAMS.items()}
    results = pd.concat([frame.assign(algorithm=name) for name, frame in tables.items()])
    metadata = None if cases is None else pd.read_csv(pd.io.common.StringIO(cases), dtype=str)
    published = ranking.rank(assessment, results, cases=metadata)
    digest = ranking.digest(published)
    entry = {
        "sequence": 7,
        "time": "2026-11-21T06:00:00+00:00",
        "actor": None,
        "act": "ranking_computed",
        "subject": ["leaderboards.rankingversion", "1"],
        "scope": "liver",
        "facts": {"digest": digest},
        "previous": "0" * 64,
    }
    entry["digest"] = bundle.audit_digest(entry)
    teams = (bundle.TeamResult(name, bundle.result_digest(frame), frame) for name, frame in tables.items())
    facts = {"challenge": "liver", "version": 1}
    return b"".join(
        bundle.chunks(bundle.Published(digest, published, facts), assessment, teams, cases=cases, audit=[entry])
    )


@pytest.fixture
def path(tmp_path, content):
    file = tmp_path / "bundle.zip"
    file.write_bytes(content)
    return file


def changed(path, name: str, change, *, cover_up: bool = False):
    """Rewrite one file of a bundle; `cover_up` also corrects its SHA-256 in the manifest."""
    with zipfile.ZipFile(path) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    files[name] = change(files[name].decode()).encode()
    if cover_up:
        manifest = json.loads(files["bundle.json"])
        manifest["files"][name] = hashlib.sha256(files[name]).hexdigest()
        files["bundle.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in files.items():
            archive.writestr(entry, data)
    return path


def one_number(text: str) -> str:
    """Raise the first value of a results table by a thousandth."""
    lines = text.splitlines()
    head = lines[0].split(",")
    row = lines[1].split(",")
    row[head.index("value")] = repr(float(row[head.index("value")]) + 0.001)
    lines[1] = ",".join(row)
    return "\n".join([*lines, ""])


def test_published_ranking_is_recognised(path):
    verdict = bundle.verify(path)
    assert verdict.same
    assert verdict.recomputed == verdict.published
    assert verdict.sentence.startswith("The bundle agrees with itself: recomputed from 3 results tables over 8 cases")
    compared = bundle.verify(path, digest=verdict.published)
    assert compared.sentence.startswith("This is the published ranking: recomputed from 3 results tables over 8 cases")


def test_a_complete_forgery_only_agrees_with_itself(path, tmp_path):
    """A forger of a complete bundle also writes its digest; only the digest on the page reveals the forgery."""
    published = bundle.verify(path).published
    forged = tmp_path / "forged.zip"
    forged.write_bytes(written(ASSESSMENT | {"uncertainty": {"bootstrap": 40, "seed": 4}}))
    alone = bundle.verify(forged)
    assert "This is the published ranking" not in alone.sentence
    assert "--digest" in alone.sentence
    assert bundle.verify(forged, digest=published).sentence.startswith("This is NOT the published ranking")


@pytest.mark.parametrize(
    "text", ["{}", '{"facts": {}}', "[1]", '[{"facts": []}]', '[{"facts": {"digest": 3}}]', "null"]
)
def test_a_log_of_another_form_is_refused_in_one_line(path, capsys, text):
    assert main(["verify", str(changed(path, "audit.json", lambda _: text, cover_up=True))]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "audit.json is not a list of entries" in error


@pytest.mark.parametrize("samples", [10**9, -1])
def test_a_manifest_does_not_make_this_machine_draw_without_end(path, capsys, samples):
    asked = lambda text: json.dumps(json.loads(text) | {"bootstrap": samples})  # noqa: E731
    assert main(["verify", str(changed(path, "bundle.json", asked))]) == 2
    assert "from 0 to 100,000 are computed" in capsys.readouterr().err


def test_bundle_of_the_same_ranking_has_the_same_bytes(content):
    assert written(ASSESSMENT) == content


def test_case_metadata_that_the_ranking_needs_is_part_of_it(tmp_path):
    document = ASSESSMENT | {"aggregation": {"levels": ["case", "patient"], "operator": "mean"}}
    cases = "case,patient\n" + "".join(f"c{index},{index // 2}\n" for index in range(8))
    file = tmp_path / "bundle.zip"
    file.write_bytes(written(document, cases=cases))
    assert bundle.verify(file).same
    other = changed(file, "cases.csv", lambda text: text.replace("c1,0", "c1,3"), cover_up=True)
    assert not bundle.verify(other).same


def test_one_changed_number_is_found_and_its_team_named(path):
    verdict = bundle.verify(changed(path, "results/0002.csv", one_number))
    assert not verdict.same
    assert verdict.places[0] == "results/0002.csv (the results of Ben & Co.) was changed after it was published."
    assert "the results of Ben & Co. are not those that counted" in verdict.places[1]
    assert any("anterior: Ben & Co. has score" in place for place in verdict.places)


def test_changed_number_is_found_even_when_the_manifest_was_adapted(path):
    verdict = bundle.verify(changed(path, "results/0002.csv", one_number, cover_up=True))
    assert not verdict.same
    assert "the results of Ben & Co. are not those that counted" in verdict.places[0]


def test_changed_ranking_is_found(path):
    def swap(text: str) -> str:
        return (
            text.replace('"name":"Ada"', '"name":"X"')
            .replace('"name":"Çelik"', '"name":"Ada"')
            .replace('"X"', '"Çelik"')
        )

    verdict = bundle.verify(changed(path, "ranking.json", swap, cover_up=True))
    assert not verdict.same
    assert "ranking.json does not have the digest" in verdict.places[0]


def test_changed_assessment_is_found(path):
    verdict = bundle.verify(
        changed(path, "assessment.json", lambda text: text.replace('"seed":3', '"seed":4'), cover_up=True)
    )
    assert any("is not the assessment with the digest" in place for place in verdict.places)


def test_changed_log_entry_is_found(path):
    verdict = bundle.verify(changed(path, "audit.json", lambda text: text.replace("06:00", "05:00"), cover_up=True))
    assert verdict.places == ("audit.json: the entry 7 does not have its digest.",)


def test_bundle_that_was_made_up_as_a_whole_does_not_have_the_digest_of_the_page(path):
    verdict = bundle.verify(path, digest="0" * 64)
    assert not verdict.same
    assert "does not have the digest 0000" in verdict.places[0]


def test_missing_file_is_named(path, tmp_path):
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as target:
        for name in archive.namelist():
            if name != "results/0003.csv":
                target.writestr(name, archive.read(name))
    with pytest.raises(bundle.BundleError, match=r"no results/0003\.csv, the results of Çelik"):
        bundle.verify(other)


@pytest.mark.parametrize("name", ["../evil.csv", "results/../../evil.csv", "/etc/passwd", "extra.txt"])
def test_strange_names_are_refused(path, name):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "x")
    with pytest.raises(bundle.BundleError, match="is no bundle: it holds"):
        bundle.verify(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bundle.json", "[]"),
        ("bundle.json", "{}"),
        ("bundle.json", "{"),
        ("assessment.json", "{"),
        ("results/0001.csv", "a,b\n"),
    ],
)
def test_damaged_files_are_one_clear_error(path, name, text):
    with pytest.raises(ValueError, match=r"bundle|assessment|results"):
        bundle.verify(changed(path, name, lambda _: text))


def test_command_says_it_in_one_line(path, capsys):
    digest = bundle.verify(path).published
    assert main(["verify", str(path), "--digest", digest]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("This is the published ranking")


def test_command_says_where_and_fails(path, capsys):
    assert main(["verify", str(changed(path, "results/0001.csv", one_number))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "This is NOT the published ranking: results/0001.csv (the results of Ada) was changed after it was published."
    )
    assert lines[1].startswith("  also: the results of Ada")


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04"])
def test_command_refuses_what_is_no_bundle(tmp_path, capsys, content):
    file = tmp_path / "x.zip"
    file.write_bytes(content)
    assert main(["verify", str(file)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_command_refuses_what_is_no_digest(path, capsys):
    assert main(["verify", str(path), "--digest", "abc"]) == 2
    assert "64 hexadecimal digits" in capsys.readouterr().err
