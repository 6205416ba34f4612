"""Deposits to a real HTTP server: queued, retried, never duplicated, nothing sent elsewhere."""

import json
import threading
import time
from collections import defaultdict
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from core.audit.models import Entry
from core.work.services import claim, sweep_kind
from registry import services
from registry.models import Deposit
from registry.queries.work import DEPOSITS
from registry.services import deposits
from registry.services.depositing import DepositError, Repository
from registry.services.publishing import publish_version
from registry.tasks import sweep
from tests.unit.registry.world import person, registered
from tests.unit.web.test_outbound import Slow

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("Requests to another server are tested. The queue is tested on both databases."),
]
TOKEN = "secret-token"


class StandIn:
    """A small repository with the interface of Zenodo, as far as deposits use it."""

    def __init__(self) -> None:
        self.records: dict[int, dict] = {}
        self.files: dict[int, dict[str, bytes]] = defaultdict(dict)
        self.calls: list[tuple[str, str]] = []
        self.fail: list[int] = []
        self.bucket_host = ""
        self.lose_answer_of = ""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, concept: int | None = None) -> dict:
        number = len(self.records) + 1
        self.records[number] = {"concept": concept or 900 + number, "submitted": False, "metadata": {}}
        return self.shown(number)

    def shown(self, number: int) -> dict:
        row = self.records[number]
        host = self.bucket_host or self.url
        shown = {
            "id": number,
            "submitted": row["submitted"],
            "state": "done" if row["submitted"] else "unsubmitted",
            "files": [{"id": name, "filename": name} for name in self.files[number]],
            "links": {
                "bucket": f"{host}/api/files/{number}",
                "latest_draft": f"{self.url}/api/deposit/depositions/{row.get('draft', number)}",
                "record_html": f"{self.url}/records/{number}",
            },
        }
        if row["submitted"]:
            shown |= {"doi": f"10.5072/zenodo.{number}", "conceptdoi": f"10.5072/zenodo.{row['concept']}"}
        return shown

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, dict | None]:
        self.calls.append((method, path))
        if self.fail:
            return self.fail.pop(0), {"message": "try later"}
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "files"]:
            self.files[int(parts[2])][parts[3]] = body
            return 200, {}
        if parts == ["api", "deposit", "depositions"]:
            return 201, self.add()
        number = int(parts[3])
        match method, parts[4:]:
            case "GET", []:
                return 200, self.shown(number)
            case "PUT", []:
                self.records[number]["metadata"] = json.loads(body)["metadata"]
                return 200, self.shown(number)
            case "DELETE", ["files", name]:
                del self.files[number][name]
                return 204, None
            case "POST", ["actions", "publish"]:
                self.records[number]["submitted"] = True
                return 202, self.shown(number)
            case "POST", ["actions", "newversion"]:
                draft = self.add(self.records[number]["concept"])["id"]
                self.files[draft] = dict(self.files[number])
                self.records[number]["draft"] = draft
                return 201, self.shown(number)
        return 404, {"message": "no"}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def reply(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                    status, content = 401, {"message": "who are you?"}
                else:
                    status, content = outer.answer(self.command, self.path, body)
                if outer.lose_answer_of and self.path.endswith(outer.lose_answer_of):
                    outer.lose_answer_of = ""
                    self.close_connection = True
                    return
                data = b"" if content is None else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = reply  # noqa: N815 (names that the server looks for)

            def log_message(self, *args):
                pass

        return Handler


@pytest.fixture
def zenodo(settings):
    made = StandIn()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    settings.PODIUM_DEPOSIT_URL, settings.PODIUM_DEPOSIT_TOKEN = made.url, TOKEN
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def quick_pdf(monkeypatch):
    # Setting the document is tested with the pages; here it would only cost time.
    monkeypatch.setattr("registry.services.files.pdf_of", lambda _: b"%PDF-1.7")


@pytest.fixture
def ada():
    return person("ada")


def next_version(version, ada, number=61):
    document = version.document
    document["tasks"][0]["number_test_cases"] = number
    return services.add_version(
        registration=version.registration, actor=ada, level="minor", note="More <cases>.", document=document
    )


def due_now():
    Deposit.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def deposit(version):
    return deposits.run_deposit(deposit_id=deposits.queue_deposit(version=version).pk)


def test_it_is_off_by_default(ada):
    version = registered(ada)
    publish_version(version_id=version.pk)
    assert deposits.queue_deposit(version=version) is None
    assert not Deposit.objects.exists()
    with pytest.raises(CommandError, match="Deposits are off"):
        call_command("deposit_registrations")


def test_a_version_becomes_a_record_with_its_files_and_a_doi(ada, zenodo):
    version = registered(ada)
    done = deposit(version)
    assert (done.state, done.doi, done.concept_doi) == ("published", "10.5072/zenodo.1", "10.5072/zenodo.901")
    stem = f"{version.registration.identifier}-v1.0"
    assert set(zenodo.files[1]) == {f"{stem}.json", f"{stem}.pdf", f"{stem}.datacite.xml"}
    assert zenodo.files[1][f"{stem}.json"].decode() == version.canonical
    metadata = zenodo.records[1]["metadata"]
    assert metadata["creators"] == [{"name": "Lovelace, Ada", "affiliation": "University of Examples"}]
    assert "@" not in json.dumps(metadata)
    assert Entry.objects.get(act="registration_deposited").facts["doi"] == "10.5072/zenodo.1"


def test_the_next_version_is_a_version_of_the_same_record_with_its_own_files(ada, zenodo):
    first = registered(ada)
    deposit(first)
    second = next_version(first, ada)
    done = deposit(second)
    assert (done.doi, done.concept_doi) == ("10.5072/zenodo.2", "10.5072/zenodo.901")
    assert {name.split("-v")[1] for name in zenodo.files[2]} == {"1.1.json", "1.1.pdf", "1.1.datacite.xml"}
    assert "More &lt;cases&gt;." in zenodo.records[2]["metadata"]["description"]


def test_a_later_version_waits_for_the_one_before(ada, zenodo):
    first = registered(ada)
    waiting = deposits.queue_deposit(version=first)
    second = next_version(first, ada)
    later = deposit(second)
    later.refresh_from_db()
    assert (later.state, later.attempts) == ("queued", 0)
    assert zenodo.calls == []
    deposits.run_deposit(deposit_id=waiting.pk)
    due_now()
    assert deposits.run_deposit(deposit_id=later.pk).doi == "10.5072/zenodo.2"


def test_a_failure_is_tried_again_later_and_goes_on_where_it_stopped(ada, zenodo):
    version = registered(ada)
    zenodo.fail = [503]
    failed = deposit(version)
    assert (failed.state, failed.attempts, failed.external_id) == ("queued", 1, "")
    assert "503" in failed.failure
    assert failed.due_at > timezone.now() + timedelta(seconds=100)
    assert deposits.run_deposit(deposit_id=failed.pk) is None  # not due yet
    due_now()
    assert deposits.run_deposit(deposit_id=failed.pk).state == "published"
    assert len(zenodo.records) == 1


def test_an_answer_that_gets_lost_makes_no_second_record(ada, zenodo):
    version = registered(ada)
    zenodo.lose_answer_of = "/actions/publish"
    failed = deposit(version)
    assert (failed.state, failed.external_id) == ("queued", "1")
    due_now()
    done = deposits.run_deposit(deposit_id=failed.pk)
    assert done.doi == "10.5072/zenodo.1"
    assert sum(path.endswith("/actions/publish") for _, path in zenodo.calls) == 1
    assert len(zenodo.records) == 1


def test_it_is_given_up_in_the_end_and_can_be_taken_up_again(ada, zenodo):
    version = registered(ada)
    queued = deposits.queue_deposit(version=version)
    Deposit.objects.update(attempts=DEPOSITS.attempts - 1)
    zenodo.fail = [500]
    assert deposits.run_deposit(deposit_id=queued.pk).state == "failed"
    assert Entry.objects.filter(act="registration_deposit_given_up").exists()
    call_command("deposit_registrations")
    assert deposits.run_deposit(deposit_id=queued.pk).state == "published"


def test_one_that_kills_its_workers_is_given_up_as_well(ada, zenodo):
    queued = deposits.queue_deposit(version=registered(ada))
    Deposit.objects.update(attempts=DEPOSITS.attempts)
    assert deposits.run_deposit(deposit_id=queued.pk) is None
    queued.refresh_from_db()
    assert queued.state == "failed"
    assert zenodo.calls == []


def test_two_workers_do_not_take_the_same_deposit(ada, zenodo):
    queued = deposits.queue_deposit(version=registered(ada))
    assert claim(DEPOSITS, queued.pk, give_up=pytest.fail) is not None
    assert deposits.run_deposit(deposit_id=queued.pk) is None
    assert zenodo.calls == []


def test_the_token_goes_nowhere_else(ada, zenodo):
    zenodo.bucket_host = "http://127.0.0.2:9"
    failed = deposit(registered(ada))
    assert "outside of itself" in failed.failure
    with pytest.raises(DepositError, match="https"):
        Repository("http://repository.example.org", TOKEN)


def test_a_wrong_token_is_said_without_the_token(ada, zenodo, settings):
    settings.PODIUM_DEPOSIT_TOKEN = "wrong-token"
    failed = deposit(registered(ada))
    assert "401" in failed.failure
    assert "wrong-token" not in failed.failure


def test_the_sweep_finds_lost_jobs(ada, zenodo, monkeypatch):
    sent = []
    monkeypatch.setattr("core.work.services.send", lambda name, args: sent.append((name, list(args))))
    version = registered(ada)
    queued = deposits.queue_deposit(version=version)
    Deposit.objects.update(asked_at=timezone.now() - timedelta(minutes=1))
    sweep()
    sweep_kind(DEPOSITS)
    assert ("registry.tasks.publish_version", [version.pk]) in sent
    assert ("registry.tasks.deposit", [queued.pk]) in sent
    assert ("registry.tasks.verify", []) in sent
    publish_version(version_id=version.pk)
    deposits.run_deposit(deposit_id=queued.pk)
    sent.clear()
    sweep()
    sweep_kind(DEPOSITS)
    assert [name for name, _ in sent] == ["registry.tasks.verify"]


def test_a_repository_that_answers_byte_by_byte_is_left_at_the_deadline(monkeypatch):
    """Each byte renews a time-out of the socket, so only an absolute deadline ends the conversation."""
    monkeypatch.setattr("registry.services.depositing.SECONDS", 0.5)
    with Slow(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n") as server:
        began = time.monotonic()
        with pytest.raises(DepositError, match="too slow"):
            Repository(f"http://127.0.0.1:{server.port}", TOKEN).create()
        assert time.monotonic() - began < 20
