"""Does a page or paper say what is registered: the same, missing, different; and nothing else is fetched or kept."""

import contextlib
import http.server
import os
import socket
import threading
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from confinement import landlock
from designs.services import address_answers
from drift import services
from drift.domain import reading
from drift.domain.comparing import Agreement, compare
from drift.models import DriftCheck
from evaluation.designs.catalogue import shipped
from evaluation.designs.document.words import entry_words
from registry.domain.public_documents import parsed
from tests.integration.changes.world import TASK, World, build

pytestmark = pytest.mark.django_db
PAGE = """Hippocampus Segmentation in MRI 2026. Find out which automatic methods outline the anterior and the posterior
hippocampus in T1-weighted MRI best, and how certain that order is. We use 160 training cases and 50 test cases.
Algorithms are fully automatic. Ties: dense ranking. Prizes: 1000 EUR for the winner.
HIPPO-SEG uses magnetic resonance imaging. There are no awards."""


@pytest.fixture
def world() -> World:
    return build(launched=False)


def found(world, text) -> dict[str, str]:
    document = parsed(world.registration.versions.first().document)
    return {entry.parameter: str(entry.found) for entry in compare(document, text)}


def test_a_page_is_compared_parameter_by_parameter(world):
    said = found(world, PAGE)
    same = ("challenge_name", "primary_objective", "number_training_cases", "interaction_level_policy", "award_policy")
    assert {name: said[name] for name in same} == dict.fromkeys(same, "same")
    assert said["number_test_cases"] == "different"
    assert said["tie_handling"] == "different"
    assert said["metric_justification"] == "missing"
    assert "conflicts_of_interest" not in said  # declared as none: there is no value to compare


def test_the_registered_document_in_words_is_the_same_throughout(world):
    document = parsed(world.registration.versions.first().document)
    holders = [document.challenge, *document.tasks.values()]
    words = [
        f"{shipped()[name].label}: {entry_words(shipped()[name], entry)}."
        for held in holders
        for name, entry in held.items()
    ]
    findings = compare(document, "\n".join(words))
    assert {entry.parameter: entry.passage for entry in findings if entry.found is not Agreement.SAME} == {}
    assert len(findings) > 70


def test_nothing_is_the_same_in_a_text_about_something_else(world):
    said = found(world, "A recipe for bread: flour, water, salt. Bake it for forty minutes.")
    assert "same" not in {said[name] for name in ("challenge_name", "primary_objective", "tie_handling", "metrics")}


def test_a_paper_is_read_from_its_pdf(world):
    import typst

    content = typst.compile(PAGE.replace("@", "").encode())
    check = services.check_file(
        actor=world.organizer, registration=world.registration, title="Paper", name="paper.pdf", content=content
    )
    by_parameter = {(entry["task"], entry["parameter"]): entry for entry in check.findings}
    assert by_parameter["", "challenge_name"]["found"] == "same"
    different = by_parameter[TASK, "number_test_cases"]
    assert different["found"] == "different"
    assert "50 test cases" in different["passage"]
    assert check.total == len(check.findings)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"%PDF-1.7 broken", "damaged or protected"),
        (b"\x00\x01\x02binary", "neither a PDF nor a text"),
        (b"   ", "No text"),
        (b"x" * (reading.MAX_BYTES + 1), "at most"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(world, content, said):
    with pytest.raises(ValidationError, match=said):
        services.check_file(
            actor=world.organizer, registration=world.registration, title="x", name="x.pdf", content=content
        )
    assert not DriftCheck.objects.exists()


def test_a_web_page_is_read_as_its_reader_sees_it():
    page = b"<!doctype html><title>A</title><script>var hidden = 1</script><p>Ten&nbsp;<b>cases</b></p>"
    assert reading.text_of(page).split() == ["A", "Ten", "cases"]


def test_addresses_are_not_fetched_unless_an_administrator_turns_it_on(world, settings, monkeypatch):
    monkeypatch.setattr(services, "read", lambda *_, **__: pytest.fail("nothing may be fetched"))
    with pytest.raises(ValidationError, match="does not fetch"):
        services.check_address(
            actor=world.organizer, registration=world.registration, title="x", address="https://example.org/"
        )
    client = Client()
    client.force_login(world.organizer)
    assert 'name="address"' not in client.get(f"/registry/{world.registration.identifier}/drift/").content.decode()
    settings.PODIUM_DRIFT_FETCH = True
    assert 'name="address"' in client.get(f"/registry/{world.registration.identifier}/drift/").content.decode()


class Site(http.server.BaseHTTPRequestHandler):
    """A page, an endless one, and ways into the own network."""

    def do_GET(self):
        if self.path == "/inside":
            self.send_response(302)
            self.send_header("Location", "http://10.0.0.1/admin")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        content = b"<p>Ten cases</p>"
        self.wfile.write(content if self.path == "/page" else content * 5000)

    def log_message(self, *args):
        pass


@pytest.fixture
def site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_fetching_is_bounded_and_never_enters_the_own_network(site, monkeypatch):
    for place in (
        f"http://127.0.0.1:{site}/page",
        "http://[::1]/",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
    ):
        with pytest.raises(address_answers.RefusedError):
            address_answers.read(place, most_bytes=1000)
    # A name that once looked public and now leads inside: what was looked at is what is asked.
    monkeypatch.setattr(address_answers, "_is_public", lambda address: address == "127.0.0.1")
    page = address_answers.read(f"http://localhost:{site}/page", most_bytes=1000)
    assert (page.content, page.kind) == (b"<p>Ten cases</p>", "text/html")
    with pytest.raises(address_answers.RefusedError, match="more than"):
        address_answers.read(f"http://localhost:{site}/long", most_bytes=1000)
    with pytest.raises(address_answers.RefusedError, match="private network"):
        address_answers.read(f"http://localhost:{site}/inside", most_bytes=1000)


@pytest.mark.parametrize(
    ("role", "reads", "checks"),
    [
        ("anonymous", 302, 302),
        ("stranger", 403, 403),
        ("member", 403, 403),
        ("reader", 200, 403),
        ("chair", 200, 403),
        ("administrator", 200, 403),
        ("organizer", 200, 302),
    ],
)
def test_who_reads_and_who_checks(world, role, reads, checks):
    check = services.check_text(actor=world.organizer, registration=world.registration, title="Page", text=PAGE)
    client = Client()
    if role != "anonymous":
        client.force_login(getattr(world, role))
    for address in (f"/registry/{world.registration.identifier}/drift/", check.get_absolute_url()):
        assert client.get(address).status_code == reads
    response = client.post(
        f"/registry/{world.registration.identifier}/drift/", {"title": "Mine", "text": "Hippocampus MRI"}
    )
    assert response.status_code == checks
    assert DriftCheck.objects.count() == (2 if role == "organizer" else 1)


def test_an_organizer_uploads_and_downloads(world):
    client = Client()
    client.force_login(world.organizer)
    address = f"/registry/{world.registration.identifier}/drift/"
    file = SimpleUploadedFile("page.html", b"<!doctype html><p>" + PAGE.encode() + b"</p>", "text/html")
    page = client.post(address, {"title": "Web page", "file": file}, follow=True)
    assert "50 test cases" in page.content.decode()
    csv = client.get(page.redirect_chain[-1][0], {"format": "csv"}).content.decode()
    assert "task-1,number_test_cases,different" in csv
    both = client.post(address, {"title": "x", "text": "a", "file": SimpleUploadedFile("a.txt", b"a")})
    assert "exactly one way" in both.content.decode()


def test_the_text_itself_is_not_kept(world):
    check = services.check_text(actor=world.organizer, registration=world.registration, title="P", text=PAGE + "Zebra.")
    assert "Zebra" not in str(check.findings)
    assert set(Agreement) == {Agreement.SAME, Agreement.MISSING, Agreement.DIFFERENT}


def reaching_out() -> str:
    """What a hijacked reader would do: look at a file of the platform, and call home."""
    hidden = [lambda: Path(__file__).read_text()] if landlock.version() else []
    for act in (*hidden, socket.socket):
        with contextlib.suppress(OSError):
            act()
            return f"{act} was possible"
    return "kept in"


def test_what_strangers_send_is_read_where_it_reaches_nothing(monkeypatch):
    monkeypatch.setattr(reading, "_pdf", lambda _: reaching_out())
    monkeypatch.setattr(reading, "html_text", lambda _: reaching_out())
    assert [reading.text_of(start) for start in (b"%PDF-1.7", b"<!doctype html>")] == ["kept in", "kept in"]


def test_a_reader_that_dies_costs_its_text_only(monkeypatch):
    monkeypatch.setattr(reading, "_pdf", lambda _: os._exit(1))
    with pytest.raises(reading.UnreadableError, match="damaged or protected"):
        reading.text_of(b"%PDF-1.7")
