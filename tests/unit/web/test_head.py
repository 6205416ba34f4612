"""A HEAD request is answered like the GET, without the body: also errors, also files, as a server in production sees it."""

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import RequestFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def application():
    """WSGI application as a server calls it.

    Like the test client, it leaves the database connection of the test open.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield get_wsgi_application()
    for signal in signals:
        signal.connect(close_old_connections)


def answer(application, method: str, path: str, **more: str) -> tuple[str, dict[str, str], bytes]:
    """Return the application's response to its server; Django's test client would remove the body by itself."""
    told = []
    environ = RequestFactory().generic(method, path, **more).environ
    result = application(environ, lambda status, headers: told.append((status, dict(headers))))
    try:
        body = b"".join(result)
    finally:
        result.close()
    return *told[0], body


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", "200 OK"), ("/no-such-page/", "404 Not Found"), ("/api/v1/no-such-thing/", "404 Not Found")],
)
def test_head_is_get_without_the_body(application, path, status):
    got = answer(application, "GET", path)
    headed = answer(application, "HEAD", path)
    assert got[0] == headed[0] == status
    assert len(got[2]) > 0
    assert headed[2] == b""
    assert headed[1]["Content-Type"] == got[1]["Content-Type"]
    assert headed[1]["Content-Length"].isdigit()


def test_a_host_that_is_not_ours_gets_no_body_either(application):
    status, _, body = answer(application, "HEAD", "/", SERVER_NAME="elsewhere.example.org")
    assert (status, body) == ("400 Bad Request", b"")


def test_a_file_is_not_read_for_its_head(application, settings):
    settings.PODIUM_EXAMPLE_MODE = True
    folder = next((settings.ROOT / "examples").glob("*/try-me"))
    file = next(folder.iterdir())
    path = f"/examples/{folder.parent.name}/try-me/{file.name}"
    status, headers, body = answer(application, "HEAD", path)
    assert (status, headers["Content-Length"], body) == ("200 OK", str(file.stat().st_size), b"")
