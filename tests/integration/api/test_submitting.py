"""A program submits with a token: scoped, expiring, and seeing what its owner sees, no more."""

import base64
import hashlib
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import services as accounts
from accounts.models import AccessToken
from challenges.models import Phase
from submissions.models import Submission
from tests.integration.submissions.world import predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
UPLOADS = "/api/v1/challenges/blocks/uploads/"
TUS = {"HTTP_TUS_RESUMABLE": "1.0.0"}


def begin(world, content, **headers):
    name, phase = (base64.b64encode(text.encode()).decode() for text in ("predictions.zip", str(world.phase.pk)))
    return Client(enforce_csrf_checks=True).post(
        UPLOADS,
        HTTP_UPLOAD_LENGTH=str(len(content)),
        HTTP_UPLOAD_METADATA=f"filename {name},phase {phase}",
        **TUS,
        **headers,
    )


def send(address, content, offset, **headers):
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    return Client(enforce_csrf_checks=True).generic(
        "PATCH",
        address,
        content,
        content_type="application/offset+octet-stream",
        HTTP_UPLOAD_OFFSET=str(offset),
        HTTP_UPLOAD_CHECKSUM=f"sha256 {digest}",
        **TUS,
        **headers,
    )


def test_from_an_upload_that_broke_off_to_the_results(client, world, workers, bearer):
    headers, content = bearer(world.ada), zipped(predictions())
    answer = begin(world, content, **headers)
    assert answer.status_code == 201
    address = answer["Location"]
    assert address.startswith(UPLOADS)
    assert send(address, content[:100], 0, **headers).status_code == 204
    assert client.head(address, **TUS, **headers)["Upload-Offset"] == "100"
    done = send(address, content[100:], 100, **headers)
    assert done.status_code == 204
    shown = client.get(done["Podium-Submission"], **headers).json()
    assert shown["state"] == "scored"
    assert shown["progress"]["title"] == "Scored"
    assert shown["valid_cases"] == 4
    assert {value["metric"] for value in shown["scores"]} == {"dsc", "nsd", "hausdorff_percentile", "assd"}
    table = client.get(f"{done['Podium-Submission']}results.csv/", **headers)
    assert table["Podium-Digest"] == shown["result_digest"]
    assert table.content.decode().startswith("algorithm,case,region,metric,value")
    assert [row["id"] for row in client.get("/api/v1/submissions/", **headers).json()["results"]] == [shown["id"]]


def test_what_a_token_was_not_made_for_is_refused(client, world, bearer):
    content = zipped(predictions())
    assert begin(world, content, **bearer(world.ada, "read")).status_code == 403
    assert client.get("/api/v1/submissions/", **bearer(world.ada, "submit")).status_code == 403
    assert client.post("/api/v1/designs/", {"title": "x"}, **bearer(world.ada, "read", "submit")).status_code == 403
    assert not Submission.objects.exists()


def test_an_upload_without_a_phase_says_what_to_add(world, bearer):
    answer = Client().post(
        UPLOADS, HTTP_UPLOAD_LENGTH="5", HTTP_UPLOAD_METADATA="filename eA==", **TUS, **bearer(world.ada)
    )
    assert answer.status_code == 400
    listed = "/api/v1/challenges/blocks/"
    assert answer.content.decode() == f"Upload-Metadata names no phase. Add phase with an id that {listed} lists."
    phases = Client().get(listed, **bearer(world.ada)).content.decode()
    assert f'"id":{world.phase.pk}' in phases.replace(" ", "")


def test_people_without_a_team_read_where_to_join_one(client, world, bearer, django_user_model):
    stella = django_user_model.objects.create_user("stella", "stella@example.org", "a long password")
    headers = bearer(stella)
    words = (
        "Only teams that take part in the challenge can submit to it. Join or form a team at /challenges/blocks/join/."
    )
    expectation = client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/", **headers)
    assert (expectation.status_code, expectation.json()["detail"]) == (403, words)
    begun = begin(world, b"x", **headers)
    assert (begun.status_code, begun.content.decode()) == (403, words)
    client.force_login(stella)
    assert client.get("/challenges/blocks/join/").status_code == 200


@pytest.mark.parametrize("spoil", ["expired", "revoked", "closed account", "unknown", "malformed"])
def test_a_token_that_is_not_valid_opens_nothing(client, world, bearer, spoil):
    headers = bearer(world.ada)
    if spoil == "expired":
        AccessToken.objects.update(created_at=timezone.now() - timedelta(days=2), expires_at=timezone.now())
    elif spoil == "revoked":
        AccessToken.objects.update(revoked_at=timezone.now())
    elif spoil == "closed account":
        world.ada.is_active = False
        world.ada.save()
    elif spoil == "unknown":
        headers = {"HTTP_AUTHORIZATION": "Bearer podium_" + "x" * 43}
    else:
        headers = {"HTTP_AUTHORIZATION": "Bearer a b"}
    answer = client.get("/api/v1/submissions/", **headers)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert begin(world, b"x", **headers).status_code == 401
    assert not AccessToken.objects.exclude(last_used_at=None).exists()


def test_without_a_token_the_session_counts_and_needs_its_csrf_token(world):
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.ada)
    assert client.post(UPLOADS, HTTP_UPLOAD_LENGTH="5", **TUS).status_code == 403
    assert Client().get("/api/v1/submissions/").status_code == 401


def test_others_see_nothing_of_a_submission(client, world, workers, bearer, django_user_model):
    submission = world.upload(zipped(predictions()))
    stranger = django_user_model.objects.create_user("stella", "stella@example.org", "a long password")
    address = f"/api/v1/submissions/{submission.pk}/"
    wanted = {world.ada: 200, world.bo: 404, stranger: 404, world.organizer: 200}
    for person, status in wanted.items():
        headers = bearer(person)
        assert client.get(address, **headers).status_code == status
        assert client.get(f"{address}results.csv/", **headers).status_code == status
        assert client.get("/api/v1/submissions/", **headers).json()["count"] == (status == 200)
        expected = client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/", **headers)
        assert expected.status_code == (403 if person is stranger else 200)
    assert client.get(address).status_code == 401
    assert client.post(f"{address}decide/", {"decision": "withdraw"}, **bearer(world.organizer)).status_code == 404
    assert client.post(f"{address}decide/", {"decision": "withdraw"}, **bearer(world.ada)).status_code == 400


@pytest.mark.parametrize(
    ("results", "scores", "table"), [("cases", 1, 200), ("aggregate", 1, 404), ("validation", 0, 404)]
)
def test_the_phase_decides_what_is_shown(client, world, workers, bearer, results, scores, table):
    Phase.objects.update(results=results)
    submission = world.upload(zipped(predictions()))
    address, headers = f"/api/v1/submissions/{submission.pk}/", bearer(world.ada)
    shown = client.get(address, **headers).json()
    assert (shown["scores"] is not None) == scores
    assert (shown["result_digest"] is not None) == (table == 200)
    assert client.get(f"{address}results.csv/", **headers).status_code == table


def test_what_is_expected_says_nothing_of_the_references(client, world, bearer):
    shown = client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/", **bearer(world.ada)).json()
    plain = {"problem", "suffixes", "labels", "incomplete_allowed", "missing_case"}
    assert set(shown) == plain | {"cases", "table", "beside", "instances"}
    assert [case["name"] for case in shown["cases"]] == ["case_001", "case_002", "case_003", "case_010"]
    assert {key for case in shown["cases"] for key in case} == {"name", "geometry"}
    assert set(shown["cases"][0]["geometry"]) == {"shape", "spacing", "affine", "oriented_format"}


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_makes_the_same_number_of_queries(
    client, world, workers, bearer, monkeypatch, django_assert_num_queries, number
):
    # The last use of a token is written once a minute, which must not end between the two requests.
    monkeypatch.setattr(accounts, "LAST_USE_RESOLUTION", timedelta(days=1))
    for _ in range(number):
        world.upload(zipped(predictions()))
    headers = bearer(world.ada)
    client.get("/api/v1/submissions/", **headers)
    # Two of them ask for the domains and institutions of the person, which open closed challenges.
    with django_assert_num_queries(6):
        assert client.get("/api/v1/submissions/", **headers).json()["count"] == number
