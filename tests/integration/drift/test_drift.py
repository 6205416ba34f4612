"""Comparison of a page or paper with the registration: same, missing or different.

Nothing else is fetched or kept.
"""

import contextlib
import http.server
import os
import socket
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from confinement import landlock
from core.work.services import claim
from evaluation.designs.catalogue import shipped
from evaluation.designs.document.words import entry_words
from registry.domain.public_documents import parsed
from registry.drift import services
from registry.drift.domain import reading
from registry.drift.domain.comparing import Agreement, Finding, compare
from registry.drift.models import DriftCheck, DriftRequest
from registry.drift.queries import DRIFT_CHECKS
from tests.integration.changes.world import TASK, World, build
from tests.integration.drift.world import check_text
from web import outbound

pytestmark = [pytest.mark.django_db, pytest.mark.any_database("The comparison of two texts is computed in Python.")]
PAGE = """Hippocampus Segmentation in MRI 2026. Find out which automatic methods outline the anterior and the posterior
hippocampus in T1-weighted MRI best, and how certain that order is. We use 160 training cases and 50 test cases.
Algorithms are fully automatic. Ties: dense ranking. Prizes: 1000 EUR for the winner.
HIPPO-SEG uses magnetic resonance imaging. There are no awards."""


@pytest.fixture
def world() -> World:
    return build(launched=False)


def request(world, *, title="x", source="file", **more) -> DriftRequest:
    return services.request_check(
        actor=world.organizer, registration=world.registration, title=title, source=source, **more
    )


def finished(row: DriftRequest) -> DriftRequest:
    """Do what a worker does."""
    services.run_check(request_id=row.pk)
    row.refresh_from_db()
    return row


def stored_texts() -> int:
    try:
        return len(storages["private"].listdir("drift")[1])
    except FileNotFoundError:
        return 0


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
    check = finished(request(world, title="Paper", name="paper.pdf", content=content)).check_made
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
    if len(content) > reading.MAX_BYTES:
        with pytest.raises(ValidationError, match=said):
            request(world, name="x.pdf", content=content)
    else:
        row = finished(request(world, name="x.pdf", content=content))
        assert (row.state, said in row.problem) == ("failed", True)
    assert not DriftCheck.objects.exists()
    assert stored_texts() == 0


def test_a_web_page_is_read_as_its_reader_sees_it():
    page = b"<!doctype html><title>A</title><script>var hidden = 1</script><p>Ten&nbsp;<b>cases</b></p>"
    assert reading.text_of(page).split() == ["A", "Ten", "cases"]


def test_addresses_are_not_fetched_unless_an_administrator_turns_it_on(world, settings, monkeypatch):
    monkeypatch.setattr(services, "read", lambda *_, **__: pytest.fail("nothing may be fetched"))
    with pytest.raises(ValidationError, match="does not fetch"):
        request(world, source="address", address="https://example.org/")
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
        with pytest.raises(outbound.RefusedError):
            outbound.read(place, most_bytes=1000)
    # A name that once looked public and now leads inside: what was looked at is what is asked.
    monkeypatch.setattr(outbound, "is_public", lambda address: address == "127.0.0.1")
    page = outbound.read(f"http://localhost:{site}/page", most_bytes=1000)
    assert (page.content, page.kind) == (b"<p>Ten cases</p>", "text/html")
    with pytest.raises(outbound.RefusedError, match="more than"):
        outbound.read(f"http://localhost:{site}/long", most_bytes=1000)
    with pytest.raises(outbound.RefusedError, match="private network"):
        outbound.read(f"http://localhost:{site}/inside", most_bytes=1000)


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
    check = check_text(actor=world.organizer, registration=world.registration, title="Page", text=PAGE)
    client = Client()
    if role != "anonymous":
        client.force_login(getattr(world, role))
    for address in (f"/registry/{world.registration.identifier}/drift/", check.get_absolute_url()):
        assert client.get(address).status_code == reads
    response = client.post(
        f"/registry/{world.registration.identifier}/drift/", {"title": "Mine", "text": "Hippocampus MRI"}
    )
    assert response.status_code == checks
    assert DriftRequest.objects.filter(state="queued").count() == (1 if role == "organizer" else 0)


def test_an_organizer_uploads_and_downloads(world):
    client = Client()
    client.force_login(world.organizer)
    address = f"/registry/{world.registration.identifier}/drift/"
    file = SimpleUploadedFile("page.html", b"<!doctype html><p>" + PAGE.encode() + b"</p>", "text/html")
    page = client.post(address, {"title": "Web page", "file": file}, follow=True).content.decode()
    assert "In progress and failed" in page
    assert "queued" in page
    check = finished(DriftRequest.objects.get()).check_made
    assert "In progress and failed" not in client.get(address).content.decode()
    assert "50 test cases" in client.get(check.get_absolute_url()).content.decode()
    csv = client.get(check.get_absolute_url(), {"format": "csv"}).content.decode()
    assert "task-1,number_test_cases,different" in csv
    both = client.post(address, {"title": "x", "text": "a", "file": SimpleUploadedFile("a.txt", b"a")})
    assert "exactly one way" in both.content.decode()


def test_the_text_itself_is_not_kept(world):
    check = check_text(actor=world.organizer, registration=world.registration, title="P", text=PAGE + "Zebra.")
    assert "Zebra" not in str(check.findings)
    assert stored_texts() == 0
    assert set(Agreement) == {Agreement.SAME, Agreement.MISSING, Agreement.DIFFERENT}


def reaching_out() -> str:
    """Act as a hijacked reader: read a file of the platform and open a connection."""
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


def test_a_request_reads_and_compares_nothing(world, monkeypatch, settings):
    """Uploads that take long to read hold no web process: it stores them, and a worker does the rest."""
    for name in ("_compare", "compared", "read"):
        monkeypatch.setattr(services, name, lambda *_, **__: pytest.fail("a worker does this"))
    settings.PODIUM_DRIFT_FETCH = True
    client = Client()
    client.force_login(world.organizer)
    address = f"/registry/{world.registration.identifier}/drift/"
    assert (
        client.post(address, {"title": "x", "file": SimpleUploadedFile("a.txt", b"word " * 600_000)}).status_code == 302
    )
    assert client.post(address, {"title": "x", "address": "https://example.org/"}).status_code == 302
    refused = client.post(address, {"title": "x", "text": "a third one"})
    assert "2 of your checks are still queued or running" in refused.content.decode()
    assert DriftRequest.objects.count() == 2


def test_the_comparison_runs_where_a_hostile_text_reaches_nothing(world, monkeypatch):
    monkeypatch.setattr(reading, "compare", lambda *_: [Finding("", "challenge_name", Agreement.SAME, reaching_out())])
    check = finished(request(world, content=b"Hippocampus")).check_made
    assert check.findings[0]["passage"] == "kept in"


def test_a_comparison_that_takes_too_long_ends_with_its_reason(world, monkeypatch):
    monkeypatch.setattr(reading, "compare", lambda *_: time.sleep(60))
    monkeypatch.setattr(reading, "_LIMITS", replace(reading._LIMITS, item_seconds=0.5))
    row = finished(request(world, content=b"Hippocampus"))
    assert (row.state, row.problem) == ("failed", "Reading this file takes too long.")
    assert stored_texts() == 0


def test_a_page_that_is_fetched_is_compared_by_the_worker(world, site, settings, monkeypatch):
    settings.PODIUM_DRIFT_FETCH = True
    monkeypatch.setattr(outbound, "is_public", lambda address: address == "127.0.0.1")
    row = finished(request(world, source="address", address=f"http://127.0.0.1:{site}/page"))
    assert (row.state, row.check_made.characters) == ("done", len("Ten cases"))
    monkeypatch.undo()
    settings.PODIUM_DRIFT_FETCH = True
    barred = finished(request(world, source="address", address=f"http://127.0.0.1:{site}/page"))
    assert (barred.state, "private network" in barred.problem) == ("failed", True)


def test_a_lost_worker_delays_a_check_and_a_second_one_ends_it(world):
    row = request(world, content=PAGE.encode())
    for _ in range(2):
        assert claim(DRIFT_CHECKS, row.pk, give_up=pytest.fail) is not None
        DriftRequest.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert finished(row).state == "failed"
    assert row.problem == services.LOST
    assert stored_texts() == 0
