"""Publication after a challenge: by its registered choice, for consenting teams, with licence and checksums."""

import hashlib
import io
import json
import zipfile

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from challenges.models import Phase
from datastore.datasets.models import Dataset, DatasetFile, Publication
from datastore.datasets.queries import publishing as queries
from datastore.datasets.services import publishing
from leaderboards.contributions.publishing import _folder_around
from leaderboards.models import Pseudonym
from tests.integration.submissions.world import predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/challenges/blocks/data/"


@pytest.fixture
def ended(world, workers, monkeypatch):
    """Both teams were scored, the phase has closed, the design publishes everything; only Ada's team consents."""
    world.upload(zipped(predictions()))
    world.upload(zipped(predictions(2)), team=world.bos)
    Phase.objects.filter(pk=world.phase.pk).update(closed_at=timezone.now())
    publishing.set_consent(actor=world.ada, team=world.adas, is_given=True)

    def choice(challenge):
        """Return the choice as `registered_choice` reads it from a registration."""
        return queries.Choice(
            references=True,
            predictions=True,
            case_results=True,
            licence="CC BY 4.0",
            teams=queries.consenting_teams(challenge),
            without_cases=queries.withdrawn_cases(challenge),
        )

    monkeypatch.setattr(publishing, "registered_choice", choice)
    return world


def published(world):
    """Files of the newest version by name, read from their public addresses."""
    publishing.ask_for_publication(actor=world.organizer, challenge=world.challenge)
    publication = Publication.objects.get()
    assert publication.state == "published", publication.failure
    found = {}
    for file in publication.version.files.all():
        content = b"".join(Client().get(Client().post(f"{PAGE}files/{file.pk}/")["Location"]).streaming_content)
        assert hashlib.sha256(content).hexdigest() == file.sha256
        found[file.name] = content
    return found


def test_references_and_what_consenting_teams_made_are_published_with_licence_and_checksums(ended):
    files = published(ended)
    assert set(files) == {
        "dataset.json",
        "predictions-blocks-first-adas.zip",
        "references-blocks-first.zip",
        "results-blocks-first-adas.csv",
    }
    said = json.loads(files["dataset.json"])
    assert (said["licence"], said["teams"]) == ("CC BY 4.0", ["Ada's"])
    assert {entry["name"]: entry["sha256"] for entry in said["files"]} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "dataset.json"
    }
    with zipfile.ZipFile(io.BytesIO(files["references-blocks-first.zip"])) as archive:
        assert len([name for name in archive.namelist() if name.startswith("references/case_")]) == 4
    assert b"Bo" not in b"".join(files.values())


def test_a_withdrawn_consent_makes_a_version_without_the_team_and_ends_the_former_one(ended):
    published(ended)
    first = Publication.objects.get().version
    file = first.files.get(name="results-blocks-first-adas.csv")
    publishing.set_consent(actor=ended.ada, team=ended.adas, is_given=False)
    files = published(ended)
    assert set(files) == {"dataset.json", "references-blocks-first.zip"}
    assert Client().post(f"{PAGE}files/{file.pk}/").status_code == 403
    first.refresh_from_db()
    assert first.withdrawn_at is not None
    assert Dataset.objects.get(slug="published").versions.count() == 2


def test_nothing_is_published_before_the_results_or_without_a_registered_choice(ended, monkeypatch):
    Phase.objects.filter(pk=ended.phase.pk).update(closed_at=None)
    with pytest.raises(ValidationError, match="is not there yet"):
        publishing.ask_for_publication(actor=ended.organizer, challenge=ended.challenge)
    monkeypatch.setattr(publishing, "registered_choice", queries.registered_choice)
    with pytest.raises(ValidationError, match="publishes no data"):
        publishing.ask_for_publication(actor=ended.organizer, challenge=ended.challenge)
    assert not DatasetFile.objects.exists()


def test_what_was_withdrawn_by_patients_is_in_no_file(ended):
    phase = Phase.objects.get(pk=ended.phase.pk)
    document = dict(phase.assessment_document) | {
        "exclusions": {"cases": [{"case": "case_002", "reason": "consent_withdrawn"}]}
    }
    Phase.objects.filter(pk=phase.pk).update(assessment_document=document)
    files = published(ended)
    for name in ("references-blocks-first.zip", "predictions-blocks-first-adas.zip"):
        with zipfile.ZipFile(io.BytesIO(files[name])) as archive:
            assert not [entry for entry in archive.namelist() if "case_002" in entry]
            assert [entry for entry in archive.namelist() if "case_001" in entry]
    assert b"case_002" not in files["results-blocks-first-adas.csv"]


def test_captains_consent_and_nobody_else(ended):
    answers = {}
    for person in (ended.ada, ended.bo, ended.organizer):
        client = Client()
        client.force_login(person)
        answers[person.username] = client.post(f"{PAGE}consent/adas/", {"answer": "no"}).status_code
    assert answers == {"ada": 302, "bo": 404, "olga": 404}
    assert queries.consenting_teams(ended.challenge) == frozenset()


def test_files_of_a_team_without_a_name_have_its_pseudonym_outside_and_inside(ended):
    Phase.objects.filter(pk=ended.phase.pk).update(announcement=Phase.Announcement.AGREED)
    files = published(ended)
    word = Pseudonym.objects.get(team=ended.adas, phase=ended.phase).word
    stem = f"blocks-first-{word.lower().replace(' ', '-')}"
    assert set(files) == {
        "dataset.json",
        f"predictions-{stem}.zip",
        "references-blocks-first.zip",
        f"results-{stem}.csv",
    }
    assert json.loads(files["dataset.json"])["teams"] == []
    assert Publication.objects.get().version.named == []
    table = files[f"results-{stem}.csv"].decode().splitlines()
    assert {line.split(",")[0] for line in table[1:]} == {word}
    written = files["dataset.json"] + files[f"results-{stem}.csv"]
    assert b"Ada" not in written
    assert b"adas" not in written


def test_a_version_that_names_a_team_which_may_not_be_named_is_withheld_and_replaced(ended):
    published(ended)
    version = Publication.objects.get().version
    file = version.files.get(name="results-blocks-first-adas.csv")
    assert "adas.csv" in Client().get(PAGE).content.decode()
    # The registered policy changes: teams are named if they agree, and none has.
    Phase.objects.filter(pk=ended.phase.pk).update(announcement=Phase.Announcement.AGREED)
    assert Client().post(f"{PAGE}files/{file.pk}/").status_code == 403
    assert "adas" not in Client().get(PAGE).content.decode()
    assert publishing.replace_names(ended.challenge) is not None
    assert Publication.objects.get().version.number == version.number + 1
    assert publishing.replace_names(ended.challenge) is None
    assert "adas" not in Client().get(PAGE).content.decode()


def test_the_folder_around_predictions_is_not_published_without_the_name():
    assert _folder_around(["adas/final/1.nii", "adas/final/sub/2.nii"]) == "adas/final/"
    assert _folder_around(["adas/1.nii", "2.nii"]) == ""
    assert _folder_around([]) == ""
