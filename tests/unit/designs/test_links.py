"""Web addresses are checked in the background, only if enabled, and never in the local network."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from designs.models import LinkAnswer
from designs.queries import document_of
from designs.queries.findings import findings
from designs.services import links
from tests.unit.designs.world import design, person, save
from web.outbound import ask, is_public


class Pages(BaseHTTPRequestHandler):
    """A small site: a page, one that moved, one that is gone, one that only answers GET, and a circle."""

    def answer(self):
        status, place = {
            "/page": (200, ""),
            "/moved": (302, "/page"),
            "/circle": (302, "/circle"),
            "/get-only": (200 if self.command == "GET" else 405, ""),
        }.get(self.path, (404, ""))
        self.send_response(status)
        if place:
            self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = answer  # noqa: N815 (names of the standard library)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "works", "words"),
    [
        ("/page", True, ""),
        ("/moved", True, ""),
        ("/get-only", True, ""),
        ("/gone", False, "status 404"),
        ("/circle", False, "too many redirects"),
    ],
)
def test_an_address_works_when_it_answers_or_leads_to_one_that_does(site, path, works, words):
    answer = ask(site + path, allow_private=True)
    assert (answer.works, answer.words) == (works, words)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest",
        "http://localhost/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0.0.0.0/",
        "http://2130706433/",
    ],
)
def test_the_own_network_is_never_asked(url):
    answer = ask(url)
    assert not answer.works
    assert answer.words == "an address of a private network"


@pytest.mark.parametrize("url", ["ftp://example.org/", "file:///etc/passwd", "http://"])
def test_what_is_no_address_of_the_web_is_refused(url):
    assert ask(url).words == "not an address of the web"


def test_a_server_that_is_not_there_is_no_answer():
    assert "no answer" in ask("http://127.0.0.1:9/", allow_private=True).words


@pytest.mark.django_db
def test_the_check_reads_the_stored_answer(site, settings):
    settings.PODIUM_CHECK_LINKS = True
    stored = design(person("ada"))

    def unreachable():
        found = findings(document_of(stored), design=stored, phase="registration")
        return "challenge_website.reachable" in {finding.check.id for finding in found}

    save(stored, "challenge_website", f"{site}/gone")
    assert not unreachable()
    links.check_links(design=stored, allow_private=True)
    assert unreachable()
    save(stored, "challenge_website", f"{site}/page")
    links.check_links(design=stored, allow_private=True)
    assert not unreachable()


@pytest.mark.django_db
def test_nothing_is_asked_unless_it_is_switched_on(site, settings, monkeypatch):
    asked = []
    monkeypatch.setattr(links, "enqueue", lambda *args: asked.append(args))
    stored = design(person("ada"))
    save(stored, "challenge_website", f"{site}/page")
    links.check_links(design=stored, allow_private=True)
    assert links.enqueue_all() == 0
    assert asked == []
    assert not LinkAnswer.objects.exists()
    settings.PODIUM_CHECK_LINKS = True
    save(stored, "challenge_website", f"{site}/moved")
    assert asked == [(links.TASK, stored.pk)]
    assert links.enqueue_all() == 1


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:0a00:0001::1", False),  # 10.0.0.1 by 6to4
        ("64:ff9b::7f00:1", False),  # 127.0.0.1 by a translator
        ("64:ff9b::5db8:d822", True),
    ],
)
def test_a_private_address_is_found_in_every_dress(address, expected):
    assert is_public(address) is expected
