"""The podium command: from signing in to the results, over real HTTP."""

import json
import stat

import numpy as np
import pytest
import requests
from django.urls import resolve

from datastore.uploads.models import Upload
from executions.scoring.domain.report import Report
from submissions.models import Submission
from tests.integration.submissions.test_several_files import pair, series_files
from tests.integration.submissions.test_tables import CASES, boxes, cells, handed_in, images, table
from tests.integration.submissions.world import CASES as PREDICTED
from tests.integration.submissions.world import labels, nifti, predictions, zipped

__all__ = ["cells", "images"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_way_of_a_submission(podium, folder, tmp_path, world):
    assert podium("whoami")[1].startswith("ada ")
    assert "blocks  Blocks" in podium("challenges")[1]
    assert "first  First  open  until " in podium("phases", "blocks")[1]
    assert podium("validate", "blocks", "first", folder) == (0, "4 of 4 cases can be scored.\n", "")
    code, out, _ = podium("submit", "blocks", "first", folder, "--watch")
    assert code == 0
    assert "Ada's #1 in First: Scored" in out
    assert "This submission counts: " in out
    submission = Submission.objects.get()
    assert (submission.state, submission.team) == ("scored", world.adas)
    assert submission.archive_name == "predictions.zip"
    assert str(submission.pk) in podium("submissions", "blocks")[1]
    shown = json.loads(podium("--json", "status", submission.pk)[1])
    assert shown["archive_sha256"] == submission.archive_sha256
    target = tmp_path / "results.csv"
    code, _, err = podium("results", submission.pk, "--output", target)
    assert code == 0
    assert submission.runs.get().result_digest in err
    assert len(target.read_text().splitlines()) == 1 + 4 * 2 * 4


def test_the_same_files_again_give_the_existing_submission(podium, folder, live_server):
    podium("submit", "blocks", "first", folder)
    submission = Submission.objects.get()
    code, out, err = podium("submit", "blocks", "first", folder)
    assert code == 0
    assert out == f"4 of 4 cases can be scored.\nExisting submission {submission.pk}: Scored\n"
    assert "You submitted this file before, as submission 1 on " in err
    assert f"{live_server.url}/challenges/blocks/submissions/{submission.pk}/." in err
    shown = json.loads(podium("submit", "blocks", "first", folder, "--json")[1])
    assert (shown["id"], shown["is_repeated"]) == (str(submission.pk), True)
    assert Upload.objects.count() == 1
    code, out, err = podium("submit", "blocks", "first", folder, "--again", "--json")
    assert (code, json.loads(out)["is_repeated"], err) == (0, False, "")
    assert Submission.objects.count() == 2


def test_what_the_platform_would_refuse_is_found_before_uploading(podium, folder):
    (folder / "case_001.nii.gz").unlink()
    (folder / "case_002.nii.gz").write_bytes(nifti(labels(shape=(12, 10, 9))))
    (folder / "case_003.nii.gz").write_bytes(b"nothing")
    (folder / "notes.txt").write_text("x")
    code, out, _ = podium("validate", "blocks", "first", folder)
    assert code == 1
    assert "There is no file for case_001. Add case_001.nii.gz." in out
    assert "1 of 4 cases can be scored.\nIf you submit these files, each other case counts as 0 in DSC and NSD" in out
    assert "notes.txt: not a label image that is read; ignored" in out
    # The platform says the same of the same files.
    podium("submit", "blocks", "first", folder, "--no-validate")
    report = Report.of(Submission.objects.get().report)
    assert {f"{extra.file}: {extra.hint}" for extra in report.extra} == {
        "notes.txt: not a label image that is read; ignored"
    }
    findings = report.findings
    for case in ("case_002", "case_003"):
        assert f"{findings[case].message}. {findings[case].remedy}" in out


def test_nothing_right_is_not_uploaded(podium, tmp_path):
    path = tmp_path / "wrong.zip"
    path.write_bytes(zipped({"readme.txt": b"x"}))
    code, out, _ = podium("submit", "blocks", "first", path)
    assert code == 1
    assert "0 of 4 cases" in out
    assert not Upload.objects.exists()


def test_an_upload_goes_on_where_it_stopped(podium, folder, monkeypatch):
    from podium_client import uploading

    monkeypatch.setattr(uploading, "PIECE", 100)
    monkeypatch.setattr(uploading, "PAUSES", (0,))
    send, sent = requests.Session.request, []

    def breaking(self, method, url, **more):
        if method == "PATCH":
            sent.append(int(more["headers"]["Upload-Offset"]))
            if len(sent) in (3, 4):
                raise requests.ConnectionError
        return send(self, method, url, **more)

    monkeypatch.setattr(requests.Session, "request", breaking)
    code, _, err = podium("submit", "blocks", "first", folder, "--no-validate")
    assert code == 2
    assert "start the same command again" in err
    assert Upload.objects.get().offset == 200
    # Another process, later: the folder is packed to the same bytes.
    code, _, _ = podium("submit", "blocks", "first", folder, "--no-validate")
    assert code == 0
    assert sent[:6] == [0, 100, 200, 200, 200, 300]
    assert Upload.objects.count() == 1
    assert Submission.objects.get().state == "scored"


def test_the_token_is_kept_from_others(podium, tmp_path, live_server):
    path = tmp_path / "config" / "client.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert podium.secret in path.read_text()
    podium("logout")
    assert podium.secret not in path.read_text()
    code, _, err = podium("challenges")
    assert code == 2
    assert err == "podium: Sign in first: podium login https://… (with a token of your account page).\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("phases", "../designs"), "no short name"),
        (("phases", "unknown"), "nothing at"),
        (("status", "x"), "no identifier"),
        (("submit", "blocks", "third", "."), "no one phase third"),
        (("submit", "blocks", "first", "missing-folder"), "no file or folder"),
        (("login", "http://podium.example.org"), "only sent over https"),
        (("login", "ftp://podium.example.org"), "no address"),
    ],
)
def test_bad_input_ends_with_one_line(podium, arguments, said, monkeypatch):
    monkeypatch.setenv("PODIUM_TOKEN", podium.secret)
    code, out, err = podium(*arguments)
    assert (code, out) == (2, "")
    assert said.lower() in err.lower()
    assert err.count("\n") == 1


def test_the_token_leaves_for_no_other_host(podium, monkeypatch):
    from podium_client.connection import Connection

    with pytest.raises(Exception, match="another host"):
        Connection.remembered().get("https://elsewhere.example.org/")


def test_every_address_that_the_command_uses_is_in_the_schema(client):
    schema = client.get("/api/v1/schema/?format=json").json()
    used = {
        "me/": "get",
        "challenges/": "get",
        "challenges/{slug}/": "get",
        "challenges/{slug}/phases/{phase}/expectation/": "get",
        "challenges/{slug}/uploads/": "post",
        "challenges/{slug}/uploads/{id}/": "patch",
        "challenges/{slug}/direct-uploads/": "post",
        "challenges/{slug}/direct-uploads/{id}/": "get",
        "challenges/{slug}/direct-uploads/{id}/parts/": "post",
        "challenges/{slug}/direct-uploads/{id}/end/": "post",
        "submissions/": "get",
        "submissions/{id}/": "get",
        "submissions/{id}/results.csv/": "get",
    }
    missing = [path for path, method in used.items() if method not in schema["paths"].get(f"/api/v1/{path}", {})]
    assert not missing, sorted(schema["paths"])
    assert resolve("/api/v1/me/")


def test_names_of_other_people_do_not_steer_the_terminal(podium, world):
    type(world.challenge).objects.update(title="Blocks\x1b[2J\u202e")
    assert podium("challenges")[1] == "blocks  Blocks�[2J�\n"


def test_identical_predictions_are_uploaded_only_when_they_are_confirmed(podium, folder):
    for path in folder.iterdir():
        path.write_bytes(nifti(labels(1)))
    code, out, _ = podium("validate", "blocks", "first", folder)
    assert code == 0
    assert "The predictions for all 4 cases are identical. Check that each case has its own prediction." in out
    code, _, err = podium("submit", "blocks", "first", folder)
    assert (code, Submission.objects.count()) == (1, 0)
    assert "start the same command with --confirm" in err
    assert podium("submit", "blocks", "first", folder, "--confirm")[0] == 0
    assert Submission.objects.count() == 1


def test_empty_predictions_and_one_label_everywhere_are_uploaded_without_a_question(podium, folder):
    for value in (0, 1):
        for path in folder.iterdir():
            path.write_bytes(nifti(np.full_like(labels(), value)))
        code, out, _ = podium("validate", "blocks", "first", folder)
        assert (code, out) == (0, "4 of 4 cases can be scored.\n")
    assert podium("submit", "blocks", "first", folder)[0] == 0


def test_an_archive_is_validated_by_its_members(podium, tmp_path):
    path = tmp_path / "mine.zip"
    path.write_bytes(zipped({f"__MACOSX/{name}": b"x" for name in predictions()} | predictions()))
    assert podium("validate", "blocks", "first", path)[0] == 0


@pytest.mark.parametrize("packed", [True, False], ids=["archive", "folder"])
def test_images_of_several_files_are_validated_as_the_platform_reads_them(podium, tmp_path, packed):
    files = {}
    for number, case in enumerate(PREDICTED):
        files |= series_files(case, labels(1, case=case).astype(np.int16))[0] if number else {}
    files |= pair(tmp_path, PREDICTED[0], labels(1, case=PREDICTED[0]))
    place = tmp_path / "mine"
    if packed:
        place = tmp_path / "mine.zip"
        place.write_bytes(zipped(files))
    else:
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
    code, out, _ = podium("validate", "blocks", "first", place)
    assert (code, out) == (0, "4 of 4 cases can be scored.\n")


@pytest.mark.parametrize(("kind", "file"), [("images", "labels.csv"), ("cells", "objects.csv")])
def test_a_table_is_judged_as_the_platform_judges_it(podium, request, tmp_path, kind, file):
    """The command finds the same problems before the upload as validation reports afterwards, case by case."""
    world = request.getfixturevalue(kind)
    rows = boxes() if kind == "cells" else [["case", "p_benign", "p_malignant"], *([case, 0.5, 0.5] for case in CASES)]
    place = tmp_path / "mine"
    place.mkdir()
    (place / "notes.txt").write_text("x")
    (place / file).write_bytes(table(rows))
    code, out, _ = podium("validate", "blocks", world.phase.pk, place)
    assert (code, "8 of 8 cases can be scored" in out, "notes.txt" in out) == (0, True, True)
    broken = [[*row[:-1], "much"] if row[0] == CASES[1] else row for row in rows if row[0] != CASES[3]]
    (place / file).write_bytes(table([*broken, ["elsewhere", *rows[1][1:]]]))
    _, out, _ = podium("--json", "validate", "blocks", world.phase.pk, place)
    said = json.loads(out)
    submission = handed_in(world, {file: (place / file).read_bytes()})
    report = Report.of(submission.report)
    assert {(found["case"], found["message"], found["remedy"]) for found in said["findings"]} == {
        (found.case, found.message, found.remedy) for found in report.troubled
    }
    # A row of a box that cannot be read costs only itself, and a case without boxes has none.
    assert bool(report.troubled) == (kind == "images")
    assert said["extra"][0].startswith("notes.txt: only ")
    assert said["extra"][1:] == [f"{extra.file}: {extra.hint}" for extra in report.extra]
    (place / file).unlink()
    code, _, err = podium("validate", "blocks", world.phase.pk, place)
    assert (code, f"There is no {file}" in err) == (2, True)


def test_misnamed_and_duplicate_files_have_the_same_sentences_here_and_there(podium, folder):
    (folder / "case_001.nii.gz").rename(folder / "case_001_pred.nii.gz")
    (folder / "again").mkdir()
    (folder / "again" / "case_002.nii.gz").write_bytes((folder / "case_002.nii.gz").read_bytes())
    (folder / "case_003.nii.gz").rename(folder / "case_003.npy")
    (folder / "more.zip").write_bytes(b"PK")
    (folder / "case_077.nii.gz").write_bytes(b"nothing")
    _, out, _ = podium("--json", "validate", "blocks", "first", folder)
    said = json.loads(out)
    podium("submit", "blocks", "first", folder, "--no-validate")
    report = Report.of(Submission.objects.get().report)
    assert {(found["id"], found["message"], found["remedy"]) for found in said["findings"]} == {
        (found.kind, found.message, found.remedy) for found in report.troubled
    }
    assert {found["id"] for found in said["findings"]} == {"file_misnamed", "file_duplicate", "file_format"}
    assert sorted(said["extra"]) == sorted(f"{extra.file}: {extra.hint}" for extra in report.extra)
    assert len(said["extra"]) == 4
