"""Unreadable requests are refused with 400 or 404, as a page or a problem document, never with 500."""

import json

import pytest
from django.db import DataError
from django.test import Client, RequestFactory

from accounts.services import issue_token
from tests.unit.challenges.world import build, person
from web.middleware import ReadableRequestMiddleware

pytestmark = pytest.mark.django_db
JSON = "application/json"


@pytest.fixture
def designer():
    _, secret = issue_token(user=person("dora"), name="test", scopes=["read", "design", "submit"], days=1)
    return {"HTTP_AUTHORIZATION": f"Bearer {secret}"}


def assert_problem(answer, *statuses):
    assert answer.status_code in statuses, answer.content[:300]
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    assert answer.json()["title"]


@pytest.mark.parametrize(
    "address",
    ["submissions/7/", "submissions/not-a-uuid/", "submissions/%ED%A0%80/", "no-such-thing/", "challenges/%00/"],
)
def test_an_id_that_names_nothing_is_a_problem_document(client, designer, address):
    assert_problem(client.get(f"/api/v1/{address}", **designer), 400, 404)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("[" * 100_000, "nested deeper"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested deeper"),
        (r'{"title": "a\u0000b"}', "NUL"),
        (r'{"title": "x", "document": {"\u0000": 1}}', "NUL"),
        (r'{"title": "x", "document": {"a": ["\ud800"]}}', "surrogate"),
        ('{"title": "x", "document": {"a": 9223372036854775808}}', "64 bits"),
        ('{"title": "x", "document": {"a": ' + "9" * 5000 + "}}", "64 bits"),
        ('{"title": "x", "document": {"a": 1e999}}', "too large"),
        ('{"title": "x", "document": {"a": NaN}}', "no number"),
        ("{", "not readable"),
        (b'{"title": "\xff"}', "not readable"),
    ],
)
def test_json_that_cannot_be_kept_is_refused_with_the_reason(client, designer, body, reason):
    answer = client.generic("POST", "/api/v1/designs/", body, content_type=JSON, **designer)
    assert_problem(answer, 400)
    assert reason in answer.json()["detail"]


def test_brackets_within_a_text_are_no_levels(client, designer):
    body = json.dumps({"title": f"Depth {'[' * 150}"})
    answer = client.generic("POST", "/api/v1/designs/", body, content_type=JSON, **designer)
    assert "nested" not in answer.content.decode()


def test_json_longer_than_the_interface_reads_is_not_parsed(client, designer, settings):
    body = json.dumps({"title": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    assert_problem(client.generic("POST", "/api/v1/designs/", body, content_type=JSON, **designer), 413)


@pytest.mark.parametrize("body", ["null", "[]", "7", '"text"', '{"title": {"a": 1}}', '{"title": "x", "tasks": {}}'])
def test_a_wrong_type_is_refused_field_by_field(client, designer, body):
    assert_problem(client.generic("POST", "/api/v1/designs/", body, content_type=JSON, **designer), 400)


@pytest.mark.parametrize("value", ["filename \xe9\xe9\xe9", "phase \xff", "\xff \xff", "phase AAAA,phase"])
@pytest.mark.parametrize(
    "header", ["HTTP_UPLOAD_METADATA", "HTTP_UPLOAD_CHECKSUM", "HTTP_UPLOAD_LENGTH", "HTTP_UPLOAD_OFFSET"]
)
def test_bytes_outside_ascii_in_headers_of_uploads_are_refused(header, value):
    world = build()
    client = Client(raise_request_exception=False)
    client.force_login(world.member)
    headers = {"HTTP_TUS_RESUMABLE": "1.0.0", "HTTP_UPLOAD_LENGTH": "10", header: value}
    assert client.post("/challenges/organs/uploads/", **headers).status_code in (400, 404)


def test_a_digest_outside_ascii_is_refused_by_itself():
    from datastore.uploads.services.refusals import UploadError
    from datastore.uploads.views.tus import checksum

    with pytest.raises(UploadError, match="not readable"):
        checksum("sha256 \xe9\xe9\xe9\xe9")


def test_a_file_name_with_a_nul_is_refused_before_the_database():
    from datastore.uploads.services.refusals import UploadError
    from datastore.uploads.views.tus import read_metadata

    with pytest.raises(UploadError, match="NUL"):
        read_metadata("filename AGE=")


@pytest.mark.parametrize("address", ["/registry/?q=%00", "/challenges/%00/", "/challenges/a%00b/"])
def test_a_nul_in_an_address_is_answered_with_a_page(client, address):
    answer = client.get(address)
    assert answer.status_code in (400, 404)
    assert b"<h1" in answer.content


@pytest.mark.parametrize("fields", [{"login": "a\0b", "password": "x"}, {"\0": "x"}])
def test_a_nul_in_a_form_is_answered_with_a_page(client, fields):
    answer = client.post("/accounts/login/", fields)
    assert answer.status_code == 400
    assert b"Invalid request" in answer.content


def test_what_only_the_database_refuses_is_400(rf: RequestFactory):
    middleware = ReadableRequestMiddleware(lambda _: None)
    answer = middleware.process_exception(rf.get("/api/v1/challenges/"), DataError("value too long"))
    assert_problem_content(answer)
    assert middleware.process_exception(rf.get("/"), KeyError("a slip of ours")) is None


def assert_problem_content(answer):
    assert answer.status_code == 400
    assert json.loads(answer.content)["instance"] == "/api/v1/challenges/"


def test_an_error_of_ours_is_a_problem_document_as_well(monkeypatch):
    monkeypatch.setattr("api.views.public_challenges", lambda: 1 / 0)
    answer = Client(raise_request_exception=False).get("/api/v1/challenges/")
    assert_problem(answer, 500)


def test_another_sites_name_is_refused_with_a_page_that_leads_to_this_one(client, settings):
    settings.ALLOWED_HOSTS = ["podium.example"]
    answer = client.get("/", HTTP_HOST="evil.example")
    assert answer.status_code == 400
    assert f'href="{settings.PODIUM_ADDRESS}/"' in answer.content.decode()
    assert "evil" not in answer.content.decode()
