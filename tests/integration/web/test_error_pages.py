"""Every error page, provoked through the WSGI application with `DEBUG` off: a page for people, a problem document for programs."""

import io
import json
import re
from http import HTTPStatus

import pytest
from django.conf import settings as real
from django.core.wsgi import get_wsgi_application
from django.test import Client, RequestFactory

from accounts.models import User
from accounts.services import issue_token
from api.federation.views import SitesRate
from challenges.services import create_challenge
from tests.integration.federation import world as sites
from web import errors

pytestmark = pytest.mark.django_db(transaction=True)
MIB = 1024**2


class Answer:
    """Status, headers and body, as a web server receives them."""

    def __init__(self, method, path, *, body=b"", length=None, host="localhost", **environ):
        environ = RequestFactory().generic(method, path, body, **environ).environ
        environ |= {"HTTP_HOST": host, "CONTENT_LENGTH": str(len(body) if length is None else length)}
        environ |= {"wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO()}
        parts = get_wsgi_application()(environ, self._begin)
        self.text = b"".join(parts).decode()

    def _begin(self, status, headers, *_):
        self.status, self.headers = int(status.split()[0]), {name.lower(): value for name, value in headers}


@pytest.fixture(autouse=True)
def production(settings):
    settings.DEBUG = settings.PODIUM_EXAMPLE_MODE = False
    settings.ALLOWED_HOSTS = ["localhost"]


@pytest.fixture
def stranger():
    return User.objects.create_user("eve", "eve@example.org", "a long password")


def cookie(user):
    client = Client()
    client.force_login(user)
    return {"HTTP_COOKIE": f"{real.SESSION_COOKIE_NAME}={client.cookies[real.SESSION_COOKIE_NAME].value}"}


def token(user, *scopes):
    return {"HTTP_AUTHORIZATION": f"Bearer {issue_token(user=user, name='test', scopes=list(scopes), days=1)[1]}"}


def failing(*_args, **_kwargs):
    raise RuntimeError("broken on purpose")


def assert_page(answer, status, title, *, way="/"):
    """A whole page with one title, what happened, what to do, and a link that leads on."""
    assert answer.status == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    main = answer.text.split("<main", 1)[1].split("</main>")[0]
    assert re.findall(r"<h1>(.*?)</h1>", main) == [title]
    assert title in re.search(r"<title>(.*?)</title>", answer.text, re.DOTALL).group(1)
    sentences = re.findall(r"<p(?: class=\"lead\")?>(.*?)</p>", main)
    assert len(sentences) == 2
    assert all(re.fullmatch(r"[A-Z].{10,}\.", sentence, re.DOTALL) for sentence in sentences)
    assert f'href="{way}"' in main
    assert answer.headers["x-request-id"] in main
    assert "Traceback" not in answer.text
    assert "broken on purpose" not in answer.text


def assert_problem(answer, status, path):
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    document = json.loads(answer.text)
    assert document["status"] == status
    assert document["instance"] == path
    assert document["title"] == HTTPStatus(status).phrase
    assert len(document["detail"]) > 10
    assert "broken on purpose" not in answer.text


def test_400(settings):
    assert_page(Answer("GET", "/registry/?q=%00"), 400, "Invalid request")
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    foreign = Answer("GET", "/", host="attacker.example")
    assert_page(foreign, 400, "This site has another address", way="https://podium.example.org/")
    assert "attacker" not in foreign.text
    assert_problem(Answer("GET", "/api/v1/challenges/", host="attacker.example"), 400, "/api/v1/challenges/")


def test_400_of_the_interface(stranger):
    path = "/api/v1/designs/"
    sent = Answer("POST", path, body=b"{", content_type="application/json", **token(stranger, "design"))
    assert_problem(sent, 400, path)


def test_403(stranger):
    owner = User.objects.create_user("olga", "olga@example.org", "a long password")
    create_challenge(actor=owner, organizers=[owner], slug="blocks", title="Blocks", summary="x", is_public=True)
    page = Answer("GET", "/challenges/blocks/organize/", **cookie(stranger))
    assert page.status == 403
    assert_page(page, 403, re.search(r"<h1>(.*?)</h1>", page.text).group(1))
    path = "/api/v1/designs/"
    denied = Answer("POST", path, body=b"{}", content_type="application/json", **token(stranger, "read"))
    assert_problem(denied, 403, path)


def test_403_of_an_expired_form(stranger):
    assert_page(Answer("POST", "/accounts/login/"), 403, "This form has expired")
    path = "/api/v1/designs/"
    assert_problem(Answer("POST", path, body=b"{}", content_type="application/json", **cookie(stranger)), 403, path)


@pytest.mark.parametrize("path", ["/no-such-page/", "/challenges/none/", "/registry/none/"])
def test_404(path):
    assert_page(Answer("GET", path), 404, "Page not found")
    path = f"/api/v1{path}"
    assert_problem(Answer("GET", path), 404, path)


def test_405(stranger):
    page = Answer("PUT", "/privacy/", **cookie(stranger))
    assert_page(page, 403, "This form has expired")  # a form must have a token before its method is looked at
    page = Answer("OPTIONS", "/privacy/")
    assert_page(page, 405, "This address cannot be opened like this")
    assert page.headers["allow"] == "GET, HEAD"
    path = "/api/v1/designs/"
    assert_problem(Answer("DELETE", path, **token(stranger, "read", "design")), 405, path)


def test_411(stranger):
    """Only pieces of uploads need a length."""
    path = "/uploads/00000000-0000-4000-8000-000000000000/"
    sent = Answer("PATCH", path, HTTP_TRANSFER_ENCODING="chunked", **cookie(stranger))
    assert_page(sent, 411, "The size of the data is missing")


def test_413():
    assert_page(Answer("POST", "/accounts/login/", length=MIB), 413, "The data is too large")
    path = "/api/v1/designs/"
    assert_problem(Answer("POST", path, length=MIB), 413, path)


def test_429_of_a_page():
    form = Client()
    form.get("/accounts/signup/", headers={"host": "localhost"})
    value = form.cookies[real.CSRF_COOKIE_NAME].value
    sent = {"body": f"csrfmiddlewaretoken={value}".encode(), "content_type": "application/x-www-form-urlencoded"}
    answers = [
        Answer("POST", "/accounts/signup/", HTTP_COOKIE=f"{real.CSRF_COOKIE_NAME}={value}", **sent) for _ in range(21)
    ]
    assert {answer.status for answer in answers[:-1]} == {200}
    assert_page(answers[-1], 429, "Too many requests")
    assert answers[-1].headers["retry-after"] == "60"


def test_429_of_the_interface(monkeypatch):
    monkeypatch.setattr(SitesRate, "rate", "1/hour")
    path = f"/api/v1/sites/{sites.build(algorithms=()).federation.identifier}/messages/"
    first, second = (Answer("POST", path, body=b"{}", content_type="application/json") for _ in range(2))
    assert_problem(first, 400, path)
    assert_problem(second, 429, path)
    assert int(second.headers["retry-after"]) > 60


def test_500(monkeypatch):
    monkeypatch.setattr("web.views.home_sections.sections", failing)
    assert_page(Answer("GET", "/"), 500, "An error occurred on our side")
    monkeypatch.setattr("rest_framework.generics.GenericAPIView.get_queryset", failing)
    monkeypatch.setattr("api.views.ChallengeViewSet.get_queryset", failing, raising=False)
    path = "/api/v1/challenges/"
    assert_problem(Answer("GET", path), 500, path)


def test_503(stranger, settings):
    settings.PODIUM_DISK_RESERVE_BYTES = 1 << 60
    settings.PODIUM_FORM_BODY_BYTES = 100_000
    # Any page that accepts files.
    page = Answer("POST", "/analyse/", length=200_000, **cookie(stranger))
    assert_page(page, 503, "Temporarily unavailable")
    assert page.headers["retry-after"] == "60"
    path = "/api/v1/analyses/"
    assert_problem(Answer("POST", path, length=200_000, **token(stranger, "analyse")), 503, path)


def test_every_explanation_is_provoked_here():
    provoked = {int(name.split("_")[1]) for name in globals() if re.match(r"test_\d{3}", name)}
    assert set(errors.EXPLANATIONS) == provoked
