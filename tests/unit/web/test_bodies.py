"""Request bodies: no client makes the platform read or keep more than it accepts from them at that address."""

import contextlib
import io
import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client, RequestFactory

from accounts.models import User
from designs.forms.plain import MAX_DOCUMENT_BYTES

pytestmark = pytest.mark.django_db
KIB, MIB = 1024, 1024**2


@pytest.fixture(autouse=True)
def forms(settings, tmp_path: Path) -> Path:
    """Folder in which files of forms would be stored."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    return tmp_path


@pytest.fixture
def written(monkeypatch) -> list[str]:
    """Files of forms that were opened on disk."""
    from django.core.files import uploadedfile

    opened: list[str] = []
    plain = uploadedfile.TemporaryUploadedFile.__init__

    def noted(self, name, *args, **more):
        opened.append(name)
        plain(self, name, *args, **more)

    monkeypatch.setattr(uploadedfile.TemporaryUploadedFile, "__init__", noted)
    return opened


@pytest.fixture
def person(db) -> User:
    return User.objects.create_user("ada", "ada@example.org", "a long password")


def file(size: int) -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile("large.bin", bytes(size))}


@pytest.mark.parametrize(
    "path",
    ["/accounts/login/", "/accounts/signup/", "/designs/new/", "/designs/import/", "/admin/login/", "/challenges/"],
)
def test_a_body_of_somebody_who_is_not_signed_in_is_refused_before_it_is_read(strict_client, written, path):
    response = strict_client.post(path, file(100 * KIB))
    assert (response.status_code, written) == (413, [])
    assert "at most 65,536 bytes" in response.content.decode()


def test_a_small_form_of_anybody_is_read(strict_client, written):
    assert strict_client.post("/accounts/login/", file(10 * KIB)).status_code == 403
    assert written == ["large.bin"], "the check of forms reads the whole form, with its files"


@pytest.fixture
def strict_client():
    """A client whose forms are checked as those of browsers are."""
    browser = Client(enforce_csrf_checks=True)
    browser.cookies["csrftoken"] = "a" * 32
    return browser


def test_who_is_signed_in_may_send_forms_and_no_more(client, person, written, settings):
    client.force_login(person)
    settings.PODIUM_FORM_BODY_BYTES = 300 * KIB
    assert client.post("/designs/new/", {"title": "x" * 200 * KIB}).status_code == 200
    response = client.post("/designs/new/", file(301 * KIB))
    assert (response.status_code, written) == (413, [])
    assert "at most 307,200 bytes" in response.content.decode()


def test_a_page_that_asks_for_files_takes_them_from_who_is_signed_in_only(client, person, written, settings):
    settings.PODIUM_FORM_BODY_BYTES = 100 * KIB
    assert client.post("/designs/import/", file(MIB)).status_code == 413
    client.force_login(person)
    assert client.post("/designs/import/", file(MIB)).status_code == 200
    assert written == ["large.bin"]
    assert client.post("/designs/import/", file(MAX_DOCUMENT_BYTES + MIB)).status_code == 413


def test_files_for_which_there_is_no_room_are_not_begun(client, person, written, settings):
    settings.PODIUM_FORM_BODY_BYTES = 100 * KIB
    settings.PODIUM_DISK_RESERVE_BYTES = 10**18
    client.force_login(person)
    response = client.post("/designs/import/", file(MIB))
    assert (response.status_code, response["Retry-After"], written) == (503, "60", [])


def test_the_interface_answers_with_a_problem(client):
    response = client.post("/api/v1/designs/", data=b"x" * 100 * KIB, content_type="application/json")
    assert (response.status_code, response["Content-Type"]) == (413, "application/problem+json")
    assert json.loads(response.content)["status"] == 413


def test_who_brings_a_token_may_send_a_form_s_worth_to_the_interface_and_nowhere_else(client, settings):
    settings.PODIUM_FORM_BODY_BYTES = 300 * KIB
    token = {"HTTP_AUTHORIZATION": "Bearer podium_invented"}
    body = {"data": b"x" * 200 * KIB, "content_type": "application/json"}
    assert client.post("/api/v1/designs/", **body, **token).status_code == 401, "the body was left alone"
    assert client.post("/api/v1/designs/", **{**body, "data": b"x" * 301 * KIB}, **token).status_code == 413
    assert client.post("/accounts/login/", **body, **token).status_code == 413


class Counted(io.BytesIO):
    """A body of any length that counts what is read of it."""

    taken = 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "nothing is read without a bound"
        self.taken += size
        return b"x" * size


@pytest.fixture
def application():
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield WSGIHandler()
    for signal in signals:
        signal.connect(close_old_connections)


def chunked(application, path: str, body: io.BytesIO, *, method: str = "POST", kind: str, **more: str) -> int:
    """Send a chunked body without a length, as the server passes it on, and return the response status."""
    environ = RequestFactory().generic(method, path, content_type=kind, **more).environ
    environ.pop("CONTENT_LENGTH", None)
    environ |= {"CONTENT_TYPE": kind, "wsgi.input": body, "HTTP_TRANSFER_ENCODING": "chunked"}
    status = []
    with contextlib.closing(application(environ, lambda line, _: status.append(int(line.split()[0])))) as answer:
        b"".join(answer)
    return status[0]


def test_a_body_in_chunks_is_counted(application):
    endless = Counted()
    assert chunked(application, "/accounts/login/", endless, kind="application/x-www-form-urlencoded") == 413
    assert endless.taken <= 64 * KIB + 1


def test_a_small_body_in_chunks_is_read_as_any_other(application, person):
    form = io.BytesIO(b"login=ada&password=wrong+one")
    cookie = {"HTTP_COOKIE": f"csrftoken={'a' * 32}", "HTTP_X_CSRFTOKEN": "a" * 32}
    assert chunked(application, "/accounts/login/", form, kind="application/x-www-form-urlencoded", **cookie) == 200
    assert form.tell() == len(form.getvalue())


def test_a_piece_of_an_upload_says_its_length(application):
    path = "/challenges/any/uploads/5c3f7d1e-0000-4000-8000-000000000000/"
    endless = Counted()
    kind = "application/offset+octet-stream"
    assert chunked(application, path, endless, method="PATCH", kind=kind) == 411
    assert endless.taken == 0


def test_a_piece_of_who_is_not_signed_in_is_refused_unread_and_says_that_what_arrived_is_kept(client):
    path = "/challenges/any/uploads/5c3f7d1e-0000-4000-8000-000000000000/"
    headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0"}
    response = client.patch(path, data=bytes(MIB), content_type="application/offset+octet-stream", headers=headers)
    assert (response.status_code, b"is kept" in response.content) == (403, True)
    response = client.post(path, file(MIB), headers=headers)
    assert response.status_code == 413, "only pieces are left to the view"
