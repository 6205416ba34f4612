"""Scoring images on pages: the people who can upload them, their page, and the public information."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from challenges.models import Organizer
from datastore.uploads.services.refusals import NotAllowedError
from evaluation import rank, verify
from executions.judging.models import Trial
from executions.models import AlgorithmArchive, AlgorithmUpload
from executions.scoring.domain import results
from executions.services import arriving, checking
from leaderboards.services import bundles, rankings
from tests.integration.judging.world import IMAGE, SCORED, dice
from tests.integration.submissions.world import labels, nifti, predictions

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/challenges/blocks/organize/scorer/"


def people(world, django_user_model):
    manager = django_user_model.objects.create_user("mia", "mia@example.org", "a long password")
    moderator = django_user_model.objects.create_user("mo", "mo@example.org", "a long password")
    Organizer.objects.create(challenge=world.challenge, user=manager, role=Organizer.Role.MANAGER)
    Organizer.objects.create(challenge=world.challenge, user=moderator, role=Organizer.Role.MODERATOR)
    stranger = django_user_model.objects.create_user("sid", "sid@example.org", "a long password")
    administrator = django_user_model.objects.create_superuser("root", "root@example.org", "a long password")
    return {
        "administrator": (administrator, True),
        "owner": (world.organizer, True),
        "manager": (manager, True),
        "moderator": (moderator, False),
        "participant": (world.ada, False),
        "stranger": (stranger, False),
        "nobody": (None, False),
    }


def test_each_address_is_the_organizers_alone(world, client, django_user_model):
    archive = world.image(is_tried=False)
    for role, (user, may) in people(world, django_user_model).items():
        client.logout()
        if user is not None:
            client.force_login(user)
        refused = 302 if user is None else 404
        assert client.get(PAGE).status_code == (200 if may else refused), role
        answer = client.post(reverse("judging:try_again", args=["blocks", world.phase.pk, archive.pk]))
        assert answer.status_code == (302 if may else refused), role
        answer = client.post(
            reverse("judging:uploads", args=["blocks", world.phase.pk]),
            headers={"Tus-Resumable": "1.0.0", "Upload-Length": "10", "Upload-Metadata": "filename YQ=="},
        )
        assert (answer.status_code == 201) is may, role
        upload = AlgorithmUpload.objects.filter(state="receiving").first()
        if upload is not None:
            address = reverse("judging:upload", args=["blocks", upload.pk])
            head = client.head(address, headers={"Tus-Resumable": "1.0.0"})
            assert (head.status_code == 200) is (may and upload.user == user), role
            upload.delete()
    client.force_login(world.ada)
    assert client.post(reverse("judging:delete", args=["blocks", archive.pk])).status_code == 404
    assert "Scoring image" not in client.get("/challenges/blocks/").content.decode()


def test_an_upload_of_an_organizer_is_checked_and_a_teams_is_not_taken_for_one(world, client):
    client.force_login(world.organizer)
    sent = SimpleUploadedFile("scorer.tar", b"no archive at all")
    assert client.post(PAGE, {"phase": world.phase.pk, "send": "1", "archive": sent}).status_code == 302
    archive = AlgorithmArchive.objects.get()
    assert (archive.kind, archive.team, archive.whose) == ("scorer", None, "the organizers")
    checking.check(archive_id=archive.pk)
    text = client.get(PAGE).content.decode()
    assert "Refused" in text
    assert archive.file_name in text
    with pytest.raises(NotAllowedError):
        arriving.begin(user=world.ada, phase=world.phase, team=world.adas, kind="scorer", file_name="a.tar", size=10)


def test_the_page_says_what_is_registered_and_what_each_check_found(world, client, engine):
    client.force_login(world.organizer)
    before = client.get(PAGE).content.decode()
    assert "No scoring image for own dice yet" in before
    assert IMAGE in before
    engine.script = dice("percent")
    world.image()
    text = client.get(PAGE).content.decode()
    assert "checks failed" in text
    assert "above 1" in text
    engine.script = dice()
    archive = AlgorithmArchive.objects.get()
    client.post(reverse("judging:try_again", args=["blocks", world.phase.pk, archive.pk]))
    world.tried()
    text = client.get(PAGE).content.decode()
    assert "The registered image has passed all checks" in text


def test_what_an_image_printed_is_read_by_named_organizers_only(world, client, engine, django_user_model):
    def script(work):
        work.log(b"first voxel of the reference: 117")
        work.exit(3)

    engine.script = script
    world.image()
    for role, (user, may) in people(world, django_user_model).items():
        if may:
            client.force_login(user)
            assert ("first voxel of the reference" in client.get(PAGE).content.decode()) is (role != "administrator"), (
                role
            )


def test_what_stands_behind_a_result_is_kept_and_all_else_can_be_deleted(world, client):
    archive = world.image()
    client.force_login(world.organizer)
    world.hand_in(predictions())
    client.post(reverse("judging:delete", args=["blocks", archive.pk]))
    archive.refresh_from_db()
    assert archive.removed_at is None
    other = world.image(f"sha256:{'d' * 64}")
    client.post(reverse("judging:delete", args=["blocks", other.pk]))
    other.refresh_from_db()
    assert other.removed_at is not None


def test_the_image_stands_on_the_ranking_its_page_and_in_its_bundle(world, client, tmp_path):
    world.image()
    world.hand_in(predictions(1))
    mixed = predictions(2) | {"case_001.nii.gz": nifti(labels(0, case="case_001"))}
    world.hand_in(mixed, team=world.bos)
    rankings.request_ranking(world.phase.pk)
    version = rankings.rank_phase(phase_id=world.phase.pk)

    trial = Trial.objects.get()
    [entry] = version.inputs["scorers"]
    assert (entry["image"], entry["self_test"]) == (IMAGE, trial.report_digest)
    text = client.get("/challenges/blocks/leaderboard/").content.decode()
    assert "Scored by an image of the organizers" in text
    assert IMAGE in text
    [named] = client.get("/api/v1/challenges/blocks/rankings/first/").json()["scorers"]
    assert (named["image"], named["self_test"], named["metrics"]) == (IMAGE, trial.report_digest, entry["metrics"])
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(bundles.chunks(version, key="first")))
    verdict = verify(file, digest=version.digest)
    assert verdict.same, verdict.places
    assert any(IMAGE in note and "not computed again" in note for note in verdict.notes)


def test_the_ranking_by_the_image_is_that_by_the_built_in_metric(world):
    world.image()
    runs = {
        "a": world.hand_in(predictions(1)).runs.get(counts=True),
        "b": world.hand_in(
            predictions(2) | {"case_001.nii.gz": nifti(labels(0, case="case_001"))}, team=world.bos
        ).runs.get(counts=True),
    }
    import pandas as pd

    table = pd.concat([results.read(run.result_file, algorithm=name) for name, run in runs.items()])
    built_in = {key: value for key, value in SCORED.items() if key != "scorer"} | {"metrics": [{"id": "dsc"}]}
    own = SCORED | {"metrics": [SCORED["metrics"][1]]}
    first = rank(built_in, table[table["metric"] == "dsc"], bootstrap=50, seed=1)
    second = rank(own, table[table["metric"] == "own dice"], bootstrap=50, seed=1)
    assert _what_counts(first) == _what_counts(second)
    assert second["scorer"]["image"] == IMAGE


def _what_counts(document: dict) -> list:
    """Scores, ranks, sets and winner."""
    own = json.loads(json.dumps(document))
    entries = [*own["rankings"], own["overall"]]
    return [
        [
            (one["name"], round(one.get("score", 0), 10), one["rank"], one["rank_interval"])
            for one in entry["algorithms"]
        ]
        for entry in entries
    ]
