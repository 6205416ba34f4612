"""`podium site` without a centre: a package signed by a key of the test, and cases that the site keeps to itself."""

import base64
import hashlib
import itertools
import json
import shutil
from pathlib import Path

import pytest
from podium_client.cli import main

from evaluation.assessment import parse
from evaluation.canonical import canonical_json
from evaluation.federation.documents import digest_of
from evaluation.federation.envelope import load_key, new_key, public_bytes, sign

EXAMPLE = Path(__file__).parents[3] / "examples" / "hippocampus"
CASES = sorted(path.name.partition(".")[0] for path in (EXAMPLE / "references").iterdir())[:12]
ALGORITHMS = ("mean-atlas", "unet-a")
TERMS = "Cases stay."
ASSESSMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "anterior", "labels": [1]}, {"name": "posterior", "labels": [2]}],
    "metrics": [{"id": "dsc"}],
    "ranking": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric", "region"]}},
    "uncertainty": {"bootstrap": 200, "seed": 1, "resample": "case", "strata": ["site"]},
    "exclusions": {"cases": [], "quality": {"column": "quality", "excluded": ["insufficient"]}},
}


class Centre:
    """Signs what an installation signs."""

    def __init__(self, folder):
        self.folder, self.pem = folder, new_key()[0]
        folder.mkdir()

    def signed(self, name, document, pem=None):
        path = self.folder / name
        path.write_text(canonical_json(sign(document, load_key(pem or self.pem))))
        return path

    def invitation(self, **changed):
        document = {
            "schema": "podium.site-invitation/1",
            "site": "north",
            "federation": "f" * 64,
            "challenge": "Hippo",
            "phase": "Final",
            "address": "https://podium.example.org/",
            "key": public_bytes(load_key(self.pem)).hex(),
            "invitation": "0" * 32,
            "expires_at": "2099-01-01T00:00:00Z",
            "terms": {"text": TERMS, "digest": digest_of({"text": TERMS})},
        }
        return self.signed("invitation.json", document | changed)

    def package(self, *, name="package.json", pem=None, **changed):
        assessment = changed.pop("assessment", ASSESSMENT)
        document = {
            "schema": "podium.site-package/1",
            "federation": "f" * 64,
            "version": 1,
            "challenge": "Hippo",
            "phase": "Final",
            "closes_at": "2099-01-01T00:00:00Z",
            "assessment": assessment,
            "assessment_digest": parse(assessment).digest,
            "algorithms": [{"name": algorithm, "image": None} for algorithm in ALGORITHMS],
            "dry_run": None,
            "rules": {"site_column": "site", "minimum_units": 10, "disclosure": "moments", "replicates": 200},
        }
        return self.signed(name, document | changed, pem)


@pytest.fixture
def centre(tmp_path):
    return Centre(tmp_path / "centre")


@pytest.fixture
def podium(capsys, tmp_path):
    """Run a command in the folder of the site; returns exit code, standard output and standard error."""

    def run(*words, folder=tmp_path / "site"):
        place = [] if words[0] in ("join", "pack-test") else ["--folder", str(folder)]
        code = main(["site", *map(str, words), *place])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def site(centre, podium, tmp_path):
    """A folder with a package, twelve cases and two algorithms."""
    folder = tmp_path / "site"
    assert podium("join", centre.invitation(), folder, "--confirmed-by", "Dr. Site", "--yes")[0] == 0
    assert podium("fetch", "--from", centre.package())[0] == 0
    for case in CASES:
        shutil.copy(EXAMPLE / "references" / f"{case}.nii.gz", folder / "cases" / "references")
        for algorithm in ALGORITHMS:
            (folder / "predictions" / algorithm).mkdir(exist_ok=True)
            shutil.copy(EXAMPLE / "predictions" / algorithm / f"{case}.nii.gz", folder / "predictions" / algorithm)
    return folder


def outbox(folder):
    return [
        json.loads(base64.b64decode(json.loads(path.read_text())["payload"]))
        for path in sorted((folder / "outbox").iterdir())
    ]


def test_secrets_are_readable_by_their_owner_alone(site):
    assert {(site / name).stat().st_mode & 0o777 for name in ("key.pem", "secret.bin", "journal.jsonl")} == {0o600}
    assert site.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_not_empty_is_left_alone(centre, podium, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    code, _, said = podium("join", centre.invitation(), tmp_path / "mine", "--confirmed-by", "A", "--yes")
    assert (code, "is not empty" in said) == (2, True)


def test_nobody_confirms_terms_without_being_asked(centre, podium, tmp_path):
    code, _, said = podium("join", centre.invitation(), tmp_path / "site", "--confirmed-by", "A")
    assert (code, "give --yes" in said) == (2, True)
    assert not (tmp_path / "site").exists()


def test_an_invitation_with_other_terms_than_it_says_is_refused(centre, podium, tmp_path):
    invitation = centre.invitation(terms={"text": "Everything leaves.", "digest": digest_of({"text": TERMS})})
    code, _, said = podium("join", invitation, tmp_path / "site", "--confirmed-by", "A", "--yes")
    assert (code, "another digest" in said) == (2, True)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"pem": new_key()[0]}, "not registered"),
        ({"federation": "e" * 64}, "another challenge"),
        ({"assessment_digest": "0" * 64}, "another digest"),
        ({"algorithms": [{"name": "../../etc", "image": None}, {"name": "b", "image": None}]}, "a name of letters"),
        ({"rules": {"site_column": "site", "minimum_units": 2, "disclosure": "moments", "replicates": 200}}, "10"),
    ],
)
def test_a_package_that_is_not_right_is_not_taken(site, centre, podium, changed, words):
    before = (site / "package" / "package.json").read_bytes()
    code, _, said = podium("fetch", "--from", centre.package(name="other.json", version=2, **changed))
    assert (code, words in said) == (2, True), said
    if words != "another digest":
        assert (site / "package" / "package.json").read_bytes() == before


def test_an_older_package_is_not_taken(site, centre, podium):
    podium("fetch", "--from", centre.package(name="two.json", version=2))
    code, _, said = podium("fetch", "--from", centre.package())
    assert (code, "package 2 is here already" in said) == (2, True)


def test_from_the_cases_to_what_would_leave(site, podium):
    assert podium("check")[1].endswith("Passed.\n")
    assert podium("grade", CASES[0], "insufficient", "--reason", "image_artefact")[0] == 0
    assert "1 insufficient" in podium("seal")[1]
    assert "1 algorithms are left" in podium("run", "--algorithm", "unet-a")[1]
    assert podium("run")[0] == 0
    code, preview, _ = podium("summary")
    assert code == 0
    assert "units        11" in preview
    assert "grades       11 acceptable, 0 borderline, 1 insufficient" in preview
    digest = preview.split("digest       ")[1].splitlines()[0]
    assert podium("summary")[1] == preview  # never drawn a second time
    code, _, said = podium("send", "--digest", "0" * 64, "--output", site / "out.json")
    assert (code, digest in said) == (2, True)
    assert podium("send", "--digest", digest, "--output", site / "out.json")[0] == 0
    kinds = [message["schema"].split("/")[0] for message in outbox(site)]
    assert kinds == [
        f"podium.{k}" for k in ("site-registration", "compatibility", "manifest-seal", "site-progress", "result")
    ]
    assert [message["sequence"] for message in outbox(site)] == [1, 2, 3, 4, 5]
    assert (
        digest_of({key: outbox(site)[-1][key] for key in ("manifest", "package", "attempt", "runs", "summary")})
        == digest
    )
    sent = (site / "out.json").read_text() + json.dumps(outbox(site))
    assert not [case for case in CASES if case in sent]


def test_grades_and_cases_stand_still_once_something_was_scored(site, podium):
    podium("seal")
    podium("run", "--algorithm", "unet-a")
    code, _, said = podium("grade", CASES[1], "insufficient", "--reason", "duplicate")
    assert (code, "before" in said) == (2, True)
    assert podium("seal")[0] == 2


def test_a_bad_case_needs_a_reason(site, podium):
    assert "--reason takes one of" in podium("grade", CASES[1], "insufficient")[2]
    assert "is no reason" in podium("grade", CASES[1], "insufficient", "--reason", "it_ranks_us_last")[2]
    assert "There is no case" in podium("grade", "nobody", "borderline")[2]


@pytest.mark.parametrize("change", ["changed", "removed", "added"])
def test_files_that_are_not_as_they_were_sealed_stop_everything(site, podium, change):
    podium("seal")
    references = site / "cases" / "references"
    if change == "changed":
        shutil.copy(references / f"{CASES[1]}.nii.gz", references / f"{CASES[0]}.nii.gz")
    elif change == "removed":
        (references / f"{CASES[0]}.nii.gz").unlink()
    else:
        shutil.copy(references / f"{CASES[0]}.nii.gz", references / "another.nii.gz")
    code, _, said = podium("run")
    assert (code, "not as they were sealed" in said) == (2, True)


def test_an_algorithm_that_failed_is_sent_as_missing_and_never_left_out(site, podium):
    shutil.rmtree(site / "predictions" / "mean-atlas")
    podium("seal")
    code, _, said = podium("run")
    assert (code, "podium site run --failed mean-atlas" in said) == (2, True)
    assert "nothing leaves" not in podium("summary")[1].lower()
    podium("run", "--algorithm", "unet-a")
    assert "every case counts as missing" in podium("run", "--failed", "mean-atlas", "--attribution", "site")[1]
    assert "mean-atlas: failed, fault of the site" in podium("summary")[1]
    content = json.loads((site / "summary.json").read_text())
    assert content["summary"]["rankings"][0]["cells"][0]["missing"] == [12, 0]


def test_why_predictions_count_as_missing_is_said_on_the_spot(site, podium):
    podium("seal")
    (site / "predictions" / "unet-a" / f"{CASES[0]}.nii.gz").write_bytes(b"not an image")
    (site / "predictions" / "mean-atlas" / f"{CASES[1]}.nii.gz").unlink()
    said = podium("run")[1]
    assert f"unet-a: scored; 1 cases count as missing ({CASES[0]}: " in said
    assert f"mean-atlas: scored; 1 cases count as missing ({CASES[1]}: no file" in said


def test_a_site_that_is_too_small_seals_nothing(site, podium):
    for case in CASES[9:]:
        (site / "cases" / "references" / f"{case}.nii.gz").unlink()
    code, _, said = podium("seal")
    assert (code, "fewer than 10" in said, "9" in said) == (2, True, False)
    assert [message["schema"] for message in outbox(site)] == ["podium.site-registration/1"]


def test_a_reference_that_cannot_be_read_is_found_before_anything_counts(site, podium):
    (site / "cases" / "references" / f"{CASES[0]}.nii.gz").write_bytes(b"not an image")
    code, said, _ = podium("check")
    assert (code, CASES[0] in said) == (1, True)
    assert len(outbox(site)) == 1


def test_another_program_on_the_public_cases_is_noticed(site, centre, podium, tmp_path):
    (tmp_path / "assessment.json").write_text(json.dumps(ASSESSMENT))
    public = tmp_path / "public"
    for name in ("references", "predictions/unet-a"):
        (public / name).mkdir(parents=True)
        source = EXAMPLE / name / f"{CASES[0]}.nii.gz"
        shutil.copy(source, public / name)
    archive = centre.folder / "dry-run.zip"
    words = ("--references", public / "references", "--predictions", public / "predictions", "--output", archive)
    assert podium("pack-test", tmp_path / "assessment.json", *words)[0] == 0
    facts = {"size": archive.stat().st_size, "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}
    dry_run = {**facts, "relative_tolerance": 1e-4}
    podium("fetch", "--from", centre.package(name="two.json", version=2, dry_run=dry_run))
    assert "the same values" in podium("check")[1]
    other = {**ASSESSMENT, "regions": [{"name": "anterior", "labels": [2]}, {"name": "posterior", "labels": [1]}]}
    podium("fetch", "--from", centre.package(name="three.json", version=3, dry_run=dry_run, assessment=other))
    code, said, _ = podium("check")
    assert (code, "values differ" in said) == (1, True)


def test_public_cases_with_another_digest_are_not_taken(site, centre, podium):
    (centre.folder / "dry-run.zip").write_bytes(b"PK\x03\x04")
    dry_run = {"size": 4, "sha256": "0" * 64, "relative_tolerance": 1e-4}
    code, _, said = podium("fetch", "--from", centre.package(name="two.json", version=2, dry_run=dry_run))
    assert (code, "another SHA-256" in said) == (2, True)


def test_the_journal_is_a_chain(site, podium):
    podium("seal")
    lines = (site / "journal.jsonl").read_bytes().splitlines()
    assert len(lines) >= 3
    for before, line in itertools.pairwise(lines):
        assert json.loads(line)["previous"] == hashlib.sha256(before).hexdigest()


def test_next_does_what_comes_next(site, podium):
    assert "Next: podium site send" in podium("status")[1]
    steps = json.loads(podium("status", "--json")[1])["steps"]
    assert [step["done"] for step in steps] == [False, True, False, False, False, False, False, False]


def test_only_https_leaves_the_machine(podium, tmp_path):
    code, _, said = podium("join", "http://podium.example.org/x/", tmp_path / "site", "--yes")
    assert (code, "only go over https" in said) == (2, True)
