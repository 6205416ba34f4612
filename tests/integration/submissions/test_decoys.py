"""Decoy cases: requested like any other case, never scored, and disclosed only to organizers."""

import re

import pytest
from django.core.exceptions import ValidationError

from accounts.notifications.models import Notification
from challenges.models import Phase
from challenges.services import close_phase
from datastore.test_sets.queries import case_metadata_frame
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError, manifest_digest
from reports.exposure.queries.audience import Audience, level_for
from reports.services.team_report import collect as collect_of_team
from submissions.models import Run
from submissions.queries import annotator_frames, evidence_of, results_frame
from submissions.queries.counting import tells_which
from submissions.results.queries.decoys import handed_in
from tests.integration.submissions import test_tables as tables
from tests.integration.submissions.world import CASES, World, labels, nifti, predictions, zipped
from tests.integration.test_sets.test_archives import packed, references

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Decoys are files. `test_scoring_path.py` writes the same rows on both databases."),
]

DECOYS = ("case_003", "case_010")
TABLE = b"case,site,decoy\ncase_001,north,\ncase_002,south,no\ncase_003,south,yes\ncase_010,north,yes\n"


@pytest.fixture
def secret(world: World, tmp_path) -> World:
    """The world with two decoys, one without any reference, in a phase that shows nothing before it closes."""
    Phase.objects.filter(pk=world.phase.pk).update(
        results=Phase.Results.VALIDATION, leaderboard=Phase.Leaderboard.SEALED
    )
    world.phase.refresh_from_db()
    files = references(cases=CASES[:3]) | {"images/case_010.nii.gz": nifti(labels()), "cases.csv": TABLE}
    world.test_set = take_archive(
        phase=world.phase, path=packed(tmp_path, files), actor=None, replaces=True, reason="With decoys."
    )
    return world


def test_decoys_are_sealed_and_refused_where_scores_would_tell_them(world: World, tmp_path):
    path = packed(tmp_path, references() | {"cases.csv": TABLE})
    with pytest.raises(TestSetError, match="teams could tell the decoys"):
        take_archive(phase=world.phase, path=path, actor=None, replaces=True, reason="With decoys.")
    bare = packed(tmp_path, references(cases=CASES[:3]) | {"cases.csv": TABLE}, "bare.zip")
    world.test_set.cases.filter(name="case_010").delete()
    with pytest.raises(TestSetError, match=r"case_010: a decoy without a reference needs images/case_010"):
        take_archive(phase=world.phase, path=bare, actor=None, replaces=True, reason="With decoys.")
    odd = packed(tmp_path, references() | {"cases.csv": TABLE.replace(b"yes", b"perhaps", 1)}, "odd.zip")
    with pytest.raises(TestSetError, match="the column decoy of the case case_003 says “perhaps”"):
        take_archive(phase=world.phase, path=odd, actor=None, replaces=True, reason="With decoys.")


def test_decoys_are_in_the_manifest_and_in_no_characteristic(secret: World):
    sealed = secret.test_set
    assert list(sealed.cases.filter(is_decoy=True).values_list("name", flat=True)) == list(DECOYS)
    assert sealed.cases.get(name="case_010").metadata == {"site": "north"}
    assert manifest_digest(sealed) == sealed.manifest_digest
    sealed.cases.filter(name="case_010").update(is_decoy=False)
    assert manifest_digest(sealed) != sealed.manifest_digest
    assert list(case_metadata_frame(secret.phase)["case"]) == ["case_001", "case_002", "case_010"]


def test_only_scored_cases_are_in_results_and_organizers_see_what_was_handed_in(secret: World, client, workers):
    submission = secret.upload(zipped(predictions(1)))
    same = secret.upload(
        zipped(predictions(2, CASES[:2]) | predictions(1, CASES[3:])), team=secret.bos, accept_incomplete=True
    )
    run, other = (entry.runs.get() for entry in (submission, same))
    assert set(results_frame(run)["case"]) == {"case_001", "case_002"}
    assert (run.summary["cases"], run.summary["asked"], run.summary["asked_missing"]) == (2, 4, 0)
    assert (other.summary["missing_cases"], other.summary["asked_missing"]) == (0, 1)
    assert {case: found["status"] for case, found in other.decoys.items()} == {
        "case_003": "missing",
        "case_010": "valid",
    }
    lines = {line.run.submission.team.name: line for line in handed_in(secret.test_set)}
    assert [(line.present, line.missing, line.empty, line.shared) for _, line in sorted(lines.items())] == [
        (2, 0, 0, 1),
        (1, 1, 0, 1),
    ]
    client.force_login(secret.organizer)
    page = client.get(f"/challenges/blocks/organize/test-sets/?phase={secret.phase.pk}").content.decode()
    assert "Predictions for decoys" in page
    table = client.get(f"/challenges/blocks/organize/test-sets/{secret.phase.pk}/2/decoys.csv").content.decode()
    assert "Bo's,1,case_003,missing,," in table
    assert client.get("/challenges/blocks/organize/cases/case_003/").status_code == 200
    assert (run.annotators_file, annotator_frames(run)) == ("", {})

    # The exposure report tells organizers what decoys are for, and everybody once the phase has closed.
    address, told = "/challenges/blocks/report/exposure/", "2 decoys among 4 cases asked for; 2 cases scored"
    assert told in client.get(address).content.decode()
    client.force_login(secret.ada)
    assert "decoy" not in client.get(address).content.decode()

    # After the phase has closed, the scored cases are shown, and decoys are none of them.
    close_phase(actor=secret.organizer, phase=secret.phase)
    assert told in client.get(address).content.decode()
    assert client.get(f"{submission.get_absolute_url()}cases/case_001/").status_code == 200
    assert client.get(f"{submission.get_absolute_url()}cases/case_003/").status_code == 404


def test_a_later_design_that_opens_scores_and_leaderboard_does_not_tell_decoys(secret: World, workers):
    Phase.objects.filter(pk=secret.phase.pk).update(results=Phase.Results.CASES, leaderboard=Phase.Leaderboard.PUBLIC)
    secret.phase.refresh_from_db()
    assert not secret.ada.has_perm("leaderboards.view_ranking", secret.phase)
    assert secret.organizer.has_perm("leaderboards.view_ranking", secret.phase)
    assert level_for(secret.phase, Audience.PUBLIC) == "nothing"
    secret.phase.counts = Phase.Counts.BEST
    assert not tells_which(secret.phase), "which one is best depends on the scored cases"
    submission = secret.upload(zipped(predictions(1)))
    with pytest.raises(ValidationError, match="tells teams nothing of their scores before it closes"):
        collect_of_team(secret.phase, secret.adas)
    close_phase(actor=secret.organizer, phase=secret.phase)
    secret.phase.refresh_from_db()
    assert secret.ada.has_perm("leaderboards.view_ranking", secret.phase)
    assert level_for(secret.phase, Audience.PUBLIC) == "all"
    assert collect_of_team(secret.phase, secret.adas).submission == submission.number


def test_a_dry_run_takes_no_decoys(secret: World, tmp_path):
    Phase.objects.filter(pk=secret.phase.pk).update(is_dry_run=True)
    secret.phase.refresh_from_db()
    path = packed(tmp_path, references() | {"cases.csv": TABLE})
    with pytest.raises(TestSetError, match="shows references, scores or a ranking before it closes"):
        take_archive(phase=secret.phase, path=path, actor=None, replaces=True, reason="For practice.")


def test_nothing_that_a_team_gets_tells_a_decoy(secret: World, client, workers):
    """Two submissions that differ only in whether a decoy or a scored case is lacking look alike until the phase closes."""
    client.force_login(secret.ada)
    seen = {}
    for lacking in ("case_002", "case_003"):
        Run.objects.all().delete()
        secret.adas.submissions.all().delete()
        Notification.objects.all().delete()
        files = predictions(1, [case for case in CASES if case != lacking])
        submission = secret.upload(zipped(files), accept_incomplete=True)
        addresses = {
            "page": submission.get_absolute_url(),
            "status": f"{submission.get_absolute_url()}status/",
            "list": "/challenges/blocks/submissions/",
            "api": f"/api/v1/submissions/{submission.pk}/",
            "submit": "/challenges/blocks/submit/",
            "challenge": "/challenges/blocks/",
            "results": f"{submission.get_absolute_url()}results.csv",
            "case": f"{submission.get_absolute_url()}cases/case_001/",
            "decoy": f"{submission.get_absolute_url()}cases/case_003/",
            "board": "/challenges/blocks/leaderboard/",
            "exposure": "/challenges/blocks/report/exposure/",
            "rankings": "/api/v1/challenges/blocks/rankings/",
            "expectation": f"/api/v1/challenges/blocks/phases/{secret.phase.pk}/expectation/",
        }
        got = {name: client.get(address) for name, address in addresses.items()}
        run = submission.runs.get()
        changing = {
            str(submission.pk): "ID",
            str(run.pk): "RUN",
            (run.result_digest or "-")[:12]: "DIGEST",
            lacking: "LACKING",
        }
        seen[lacking] = {name: (answer.status_code, _plain(answer, changing)) for name, answer in got.items()}
        assert (run.cases_total, sum(run.chunks.values_list("cases_done", flat=True))) == (4, 3)
    differing = {
        name: (code, set(lines) ^ set(seen["case_003"][name][1]))
        for name, (code, lines) in seen["case_002"].items()
        if (code, lines) != seen["case_003"][name]
    }
    assert not differing
    assert seen["case_002"]["case"][0] == seen["case_002"]["decoy"][0]


def _plain(answer, changing: dict[str, str]) -> list[str]:
    """The lines of an answer without what differs between any two submissions: names, moments, tokens; sorted."""
    text = answer.content.decode()
    for word, name in changing.items():
        text = text.replace(word, name)
    text = re.sub(r"case_\d+", "CASE", text.replace("LACKING", "CASE"))
    text = re.sub(r'name="client_token" value="[^"]*"', "", text)
    text = re.sub(r"[0-9a-f]{12,}|\d{4}-\d\d-\d\d[T ][0-9:.+Z]*|\d\d:\d\d(:\d\d)?|csrf[^\n]*|nonce-?[^\n]*", "", text)
    return sorted(line for line in text.splitlines() if "CASE" not in line)


@pytest.mark.parametrize("problem", ["boxes", "classes"])
def test_what_was_handed_in_for_decoys_of_tables_is_compared_too(world: World, tmp_path, workers, client, problem):
    is_boxes = problem == "boxes"
    world.phase = tables.add_phase(world, problem, tables.OBJECTS if is_boxes else tables.LABELS)
    Phase.objects.filter(pk=world.phase.pk).update(
        results=Phase.Results.VALIDATION, leaderboard=Phase.Leaderboard.SEALED
    )
    world.phase.refresh_from_db()
    name, decoy = ("objects.csv" if is_boxes else "labels.csv"), tables.CASES[-1]
    classes = [[case, tables.CLASSES[place % 2]] for place, case in enumerate(tables.CASES[:-1])]
    rows = tables.boxes(0, scored=False, cases=tables.CASES[:-1]) if is_boxes else [["case", "label"], *classes]
    listed = tables.table([["case", "decoy"], *[[case, "yes" if case == decoy else ""] for case in tables.CASES]])
    path = packed(tmp_path, {f"references/{name}": tables.table(rows), "cases.csv": listed})
    test_set = take_archive(phase=world.phase, path=path, actor=None)

    def answers(other: bool) -> bytes:
        if is_boxes:
            return tables.table([*tables.boxes(int(other), cases=tables.CASES[:-1]), *tables.boxes(2)[-2:]])
        scores = {case: score / 2 if other else score for case, score in tables.SCORES.items()}
        return tables.labels(scores | {decoy: 0.25})

    run = tables.scored(world, {name: answers(False)}).runs.get()
    first = run.decoys[decoy]
    assert (first["status"], first["labelled"], len(first["digest"])) == ("valid", 2 if is_boxes else 1, 64)
    if is_boxes:
        assert tables.scored(world, {name: answers(True)}, team=world.bos).runs.get().decoys[decoy] == first
        assert [line.shared for line in handed_in(test_set)] == [1, 1]
    assert decoy not in set(evidence_of(run).cases)
    client.force_login(world.organizer)
    text = client.get(f"/challenges/blocks/organize/test-sets/{world.phase.pk}/1/decoys.csv").content.decode()
    assert text.splitlines()[0].endswith("objects_sha256,objects" if is_boxes else "scores_sha256,answers")
