"""Tables sent in pieces before the form that names them, by the page or by programs.

Each person can use only their own files.
"""

import base64
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.services import issue_token
from datastore.uploads.models import FormFile
from datastore.uploads.services import form_files
from datastore.uploads.storage import open_stored
from leaderboards.workbench.models import BroughtTable
from tests.integration.challenges.world import person
from tests.integration.leaderboards.conftest import storage_folder, surroundings
from tests.integration.measurements import outside
from tests.integration.workbench.test_brought_tables import LINES

__all__ = ["storage_folder", "surroundings"]
pytestmark = pytest.mark.django_db(transaction=True)
TUS = {"Tus-Resumable": "1.0.0"}
TABLE = "\n".join(LINES).encode()
PLACES = {"page": "/uploads/", "interface": "/api/v1/files/"}


@pytest.fixture
def ada(client):
    user = person("ada")
    client.force_login(user)
    client.user = user
    return client


def begin(client, size, *, name="trees.csv", place="/uploads/", **more):
    metadata = f"filename {base64.b64encode(name.encode()).decode()}"
    return client.post(place, headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": metadata}, **more)


def patch(client, address, offset, piece, **more):
    headers = {**TUS, "Upload-Offset": str(offset)}
    return client.patch(address, data=piece, content_type="application/offset+octet-stream", headers=headers, **more)


def sent(client, content=TABLE, **more):
    """The id of a file that was sent whole."""
    address = begin(client, len(content), **more)["Location"]
    return patch(client, address, 0, content)["Podium-File"]


def hand_in(client, **fields):
    return client.post(reverse("workbench:list"), {"title": "Trees", **fields})


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_table_that_stops_half_way_goes_on_where_it_was_and_is_handed_in_by_its_id(ada, place):
    address = begin(ada, len(TABLE), place=place)["Location"]
    assert address.startswith(place)
    half = len(TABLE) // 2
    first = patch(ada, address, 0, TABLE[:half])
    assert "Podium-File" not in first, "it is not whole"
    assert hand_in(ada, file_sent=address.rstrip("/").rpartition("/")[2]).status_code == 200, "nor does a form take it"
    assert not BroughtTable.objects.exists()
    assert patch(ada, address, 0, TABLE[:10]).status_code == 409
    arrived = ada.head(address, headers=TUS)
    assert (arrived["Upload-Offset"], arrived["Upload-Length"]) == (str(half), str(len(TABLE)))
    last = patch(ada, address, half, TABLE[half:])
    held = FormFile.objects.get()
    assert last["Podium-File"] == str(held.pk)
    assert hand_in(ada, file_sent=last["Podium-File"]).status_code == 302
    table = BroughtTable.objects.get()
    with open_stored(table.stored) as stream:
        assert (table.file_name, stream.read()) == ("trees.csv", TABLE)
    assert not held.path.exists(), "a file that was handed in is not kept a second time"
    assert not FormFile.objects.exists()
    assert hand_in(ada, file_sent=last["Podium-File"]).status_code == 200, "nor handed in a second time"
    assert BroughtTable.objects.count() == 1


def test_a_form_that_is_wrong_keeps_the_file_for_the_next_try(ada):
    _, phase, registered = outside.launched()
    outside.with_cases(phase)
    ada.force_login(registered.owner)
    key = sent(ada, outside.values().encode(), name="values.csv")
    address = reverse("measurements:tables", args=[phase.challenge.slug])
    said = {"phase": phase.pk, "makes_teams": "on", "measured_by": "Lab", "measured_with": "x 1"}
    page = ada.post(address, {**said, "file_sent": key})
    assert page.status_code == 422
    shown = page.content.decode()
    assert f'name="file_sent" value="{key}"' in shown
    assert "values.csv" in shown
    assert ada.post(address, {**said, "measured_when": "May", "file_sent": key}).status_code == 302
    assert not FormFile.objects.exists()


def test_a_file_is_nobody_elses(ada, client):
    key = sent(ada)
    other = person("eve")
    client.force_login(other)
    assert client.head(f"/uploads/{key}/", headers=TUS).status_code == 404
    assert patch(client, f"/uploads/{key}/", len(TABLE), b"").status_code == 404
    assert client.delete(f"/uploads/{key}/", headers=TUS).status_code == 404
    assert hand_in(client, file_sent=key).status_code == 200
    assert not BroughtTable.objects.exists()
    assert FormFile.objects.get().user == ada.user


def test_whoever_is_not_signed_in_sends_nothing(client):
    assert begin(client, 10).status_code == 403
    assert begin(client, 10, place="/api/v1/files/").status_code == 401
    assert not FormFile.objects.exists()


@pytest.mark.parametrize(("scope", "status"), [("measure", 201), ("analyse", 201), ("submit", 403), ("read", 403)])
def test_a_token_sends_files_if_it_may_hand_them_in(client, scope, status):
    _, secret = issue_token(
        user=person("ada"), name="t", scopes=["read", scope] if scope != "read" else ["read"], days=1
    )
    held = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    answer = begin(client, 10, place="/api/v1/files/", **held)
    assert answer.status_code == status
    if status == 201:
        assert client.head(answer["Location"], headers=TUS, **held)["Upload-Offset"] == "0"


def test_a_program_hands_in_by_the_id(client):
    user = person("ada")
    _, secret = issue_token(user=user, name="t", scopes=["read", "analyse"], days=1)
    held = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    address = begin(client, len(TABLE), place="/api/v1/files/", **held)["Location"]
    key = patch(client, address, 0, TABLE, **held)["Podium-File"]
    body = f"title=Trees&file_sent={key}"
    answer = client.post("/api/v1/analyses/", body, content_type="application/x-www-form-urlencoded", **held)
    assert answer.status_code == 201, answer.content
    assert BroughtTable.objects.get().owner == user
    again = client.post("/api/v1/analyses/", body, content_type="application/x-www-form-urlencoded", **held)
    assert again.status_code == 400


@pytest.mark.parametrize(
    ("size", "status", "words"),
    [("0", 400, "is empty"), (str((32 << 20) + 1), 413, "at most 33,554,432 are read"), ("many", 400, "whole number")],
)
def test_what_is_announced_wrongly_is_refused_before_a_byte_is_taken(ada, size, status, words):
    answer = begin(ada, size)
    assert (answer.status_code, words in answer.content.decode()) == (status, True)
    assert not FormFile.objects.exists()


def test_a_person_has_few_files_that_wait(ada):
    for _ in range(form_files.MOST):
        assert begin(ada, 10).status_code == 201
    refused = begin(ada, 10)
    assert refused.status_code == 403
    assert "Hand one of them in, or cancel it, first" in refused.content.decode()
    held = FormFile.objects.first()
    assert ada.delete(f"/uploads/{held.pk}/", headers=TUS).status_code == 204
    assert not held.path.exists()
    assert begin(ada, 10).status_code == 201


def test_a_file_that_nobody_hands_in_is_thrown_away(ada):
    key = sent(ada)
    path = FormFile.objects.get().path
    assert form_files.expire() == 0
    FormFile.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert hand_in(ada, file_sent=key).status_code == 200
    assert form_files.expire() == 1
    assert not path.exists()
    assert not FormFile.objects.exists()


def test_files_go_with_the_account_of_their_sender(ada):
    sent(ada)
    path = FormFile.objects.get().path
    form_files.leave(ada.user)
    assert not FormFile.objects.exists()
    assert not path.exists()


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\data\\values.csv", "x" * 400, ""])
def test_a_name_is_a_name_and_no_place(ada, name):
    begin(ada, 10, name=name)
    held = FormFile.objects.get()
    assert "/" not in held.file_name
    assert "\\" not in held.file_name
    assert 0 < len(held.file_name) <= 255


@pytest.mark.parametrize("key", ["", "1", "../x", "0" * 36, "00000000-0000-0000-0000-000000000000"])
def test_an_id_of_nothing_is_a_form_without_a_file(ada, key):
    assert hand_in(ada, file_sent=key).status_code == 200
    assert not BroughtTable.objects.exists()
