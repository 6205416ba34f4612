"""Starter kits: downloaded by page, API and command; scored with the platform's numbers."""

import io
import json
import zipfile

import podium_client
import pytest
from django.urls import reverse

from submissions.models import StarterKit, Submission
from tests.integration.client.test_score import platform_values

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_command_downloads_a_kit_whose_sample_scores_like_the_platform(podium, world, live_server, tmp_path):
    target = tmp_path / "kit"
    code, out, err = podium("init", "blocks", "--to", target, "--json")
    assert (code, err) == (0, "")
    assert "predict.py" in json.loads(out)["files"]
    assert json.loads((target / "assessment.json").read_text()) == world.phase.assessment.document
    address = f"{live_server.url}/challenges/blocks/"
    by_address = podium_client.Challenge(address).score(target / "sample/predictions", target / "sample/references")
    by_file = podium_client.Challenge(target / "assessment.json").score(
        target / "sample/predictions", target / "sample/references"
    )
    assert by_address.document == by_file.document


def test_the_platform_has_the_values_of_the_kit_for_the_same_files(podium, folder, world, live_server, tmp_path):
    podium("submit", "blocks", "first", folder)
    values, _ = platform_values(Submission.objects.get())
    podium("init", f"{live_server.url}/challenges/blocks/", "--to", tmp_path / "kit")
    challenge = podium_client.Challenge(tmp_path / "kit" / "assessment.json")
    assert challenge.score(folder, tmp_path / "references").values[folder.name] == values


def test_a_folder_with_files_and_an_unknown_phase_are_refused(podium, tmp_path):
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit/mine.py").write_text("")
    code, _, err = podium("init", "blocks", "--to", tmp_path / "kit")
    assert (code, "exists and is not empty" in err) == (2, True)
    code, _, err = podium("init", "blocks", "--phase", "x", "--to", tmp_path / "new")
    assert (code, "Phase x not found. The phases are blocks/first." in err) == (2, True)
    assert not (tmp_path / "new").exists()


def test_visitors_download_the_kit_of_a_public_challenge_only(client, world, workers):
    page, program = (
        reverse("submissions:starter_kit", args=["blocks", world.phase.pk]),
        reverse("api:starter-kit", args=["blocks", world.phase.pk]),
    )
    assert page in client.get(reverse("challenges:detail", args=["blocks"])).content.decode()
    for address in (page, program):
        response = client.get(address)
        assert (response.status_code, response["Content-Type"]) == (200, "application/zip")
        assert "blocks-starter-kit/README.md" in zipfile.ZipFile(io.BytesIO(response.content)).namelist()
    assert StarterKit.objects.count() == 1
    world.challenge.is_public = False
    world.challenge.save()
    assert [client.get(address).status_code for address in (page, program)] == [404, 404]


def test_a_kit_is_made_once_and_again_after_a_change(world, monkeypatch):
    from submissions.services import starter_kits

    sent = []
    monkeypatch.setattr(starter_kits, "send", lambda task, arguments: sent.append(arguments))
    kit = starter_kits.kit_of(world.phase, patience=0)
    assert kit is None
    assert starter_kits.kit_of(world.phase, patience=0) is None
    assert len(sent) == 1
    starter_kits.make(pk=sent[0][0])
    made = starter_kits.kit_of(world.phase, patience=0)
    assert made is not None
    assert made.content
    world.challenge.title = "Other blocks"
    world.challenge.save()
    world.phase.refresh_from_db()
    assert starter_kits.kit_of(world.phase, patience=0) is None
    starter_kits.make(pk=sent[1][0])
    archive = zipfile.ZipFile(io.BytesIO(bytes(starter_kits.kit_of(world.phase, patience=0).content)))
    assert archive.read("blocks-starter-kit/README.md").decode().startswith("# Starter kit: Other blocks\n")


def test_a_phase_without_samples_states_the_reason(client, world, workers, monkeypatch):
    import evaluation.starter
    from evaluation.starter import NoKitError

    def refuse(*_):
        raise NoKitError("No sample data can be generated for this phase.")

    monkeypatch.setattr(evaluation.starter, "kit_files", refuse)
    response = client.get(reverse("submissions:starter_kit", args=["blocks", world.phase.pk]))
    assert response.status_code == 404
    assert "No sample data can be generated for this phase." in response.content.decode()
