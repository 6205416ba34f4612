"""`doctor` names what does not work, with its remedy, and lets no part hide another."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import RequestFactory
from django.utils import timezone

from accounts.models import User
from datastore.test_sets import vault
from datastore.uploads.storage import private
from operations.domain.findings import Level
from operations.models import BackupMade, Heartbeat
from operations.services import doctor, proxies
from operations.services.proxies import HEADER, entries_for

pytestmark = pytest.mark.django_db


def found(part, *, check=None):
    return [finding for finding in doctor.examine() if finding.part == part]


@pytest.fixture(autouse=True)
def files(settings, tmp_path):
    private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "storage", "base_url": None, "allow_overwrite": True},
    }
    settings.STORAGES = settings.STORAGES | {"private": private, "default": private}
    settings.PODIUM_SCRATCH, settings.PODIUM_DATA = tmp_path / "scratch", tmp_path


@pytest.fixture
def several_machines(settings):
    settings.PODIUM_TLS, settings.DATABASE_URL = True, "postgres://…"
    settings.PODIUM_ADDRESS, settings.ALLOWED_HOSTS = "https://podium.example.org", ["podium.example.org"]
    settings.DEFAULT_FROM_EMAIL = "Podium <podium@example.org>"


def test_a_part_that_throws_is_a_finding_and_the_others_are_checked(monkeypatch):
    def thrown():
        raise OSError("gone")

    monkeypatch.setitem(doctor.CHECKS, "storage", thrown)
    findings = doctor.examine()

    assert findings[0].level == Level.ERROR
    assert {"database", "settings", "audit"} <= {finding.part for finding in findings}
    assert "OSError: gone" in next(finding.said for finding in findings if finding.part == "storage")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PODIUM_ADDRESS", "https://localhost", "does not lead to this site"),
        ("PODIUM_ADDRESS", "http://podium.example.org", "TLS is demanded"),
        ("ALLOWED_HOSTS", ["other.example.org"], "every page answers 400"),
        ("DEFAULT_FROM_EMAIL", "Podium <noreply@localhost>", "Mail comes from"),
        ("DEBUG", True, "error pages show settings"),
    ],
)
def test_settings_that_lead_nowhere_are_errors_with_a_remedy(several_machines, settings, name, value, said):
    setattr(settings, name, value)
    bad = [finding for finding in doctor._settings() if finding.level == Level.ERROR]

    assert any(said in finding.said for finding in bad)
    assert all(finding.remedy for finding in bad)


def test_right_settings_are_fine(several_machines, settings):
    settings.PODIUM_REFERENCE_KEY = "AGE-SECRET-KEY-1"

    assert {finding.level for finding in doctor._settings()} == {Level.FINE}


def test_storage_and_key_are_tried_and_leave_nothing(tmp_path):
    assert next(doctor._storage()).level == Level.FINE
    assert "No reference was sealed yet" in next(doctor._key()).said
    vault.keep_bytes("references/a.age", b"a reference")
    assert "References are sealed for age1" in next(doctor._key()).said
    private().delete("references/a.age")
    assert [path for path in (tmp_path / "storage").rglob("*") if path.is_file()] == []


def test_workers_that_are_silent_are_an_error():
    assert "No worker has ever reported" in next(doctor._workers()).said
    Heartbeat.objects.create(queue="score", host="a", seen_at=timezone.now() - timedelta(hours=1))
    assert "No worker has reported since" in next(doctor._workers()).said
    Heartbeat.objects.update(seen_at=timezone.now(), confinement={"network": False})
    said = [finding for finding in doctor._workers() if finding.part == "confinement"]
    assert "no network" in said[0].said


def test_a_backup_that_is_too_old_is_an_error(settings):
    settings.PODIUM_BACKUP_DAYS = 2
    assert next(doctor._backups()).level == Level.ERROR
    made = BackupMade.objects.create(name="a", made_at=timezone.now() - timedelta(days=3), files=1)
    assert "3 days old" in next(doctor._backups()).said
    made.made_at = timezone.now()
    made.save()
    assert next(doctor._backups()).level == Level.FINE


def test_an_administrator_without_a_second_factor_is_told_of(settings):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    assert "There is no administrator" in next(doctor._people()).said
    User.objects.create_superuser("root", "root@example.org", "a long password")
    assert "1 of 1 administrators have no second factor" in next(doctor._people()).said


@pytest.mark.parametrize(
    ("forwarded", "entries"),
    [("198.51.100.7", 1), ("192.0.2.1, 198.51.100.7", 1), ("198.51.100.7, 10.0.0.2", 2), ("", 0)],
)
def test_proxies_are_counted_for_signed_requests(forwarded, entries):
    from django.core import signing

    signed = signing.TimestampSigner(salt="operations.doctor").sign("doctor")
    request = RequestFactory().get("/healthz", headers={HEADER: signed, "X-Forwarded-For": forwarded})

    assert entries_for(request) == entries


@pytest.mark.parametrize("sent", ["", "doctor", "doctor:1:x"])
def test_nobody_else_learns_how_many_proxies_there_are(client, sent):
    answer = client.get("/healthz", headers={HEADER: sent, "X-Forwarded-For": "198.51.100.7"})

    assert "proxies" not in answer.json()


@pytest.mark.parametrize(("seen", "level"), [(1, Level.FINE), (2, Level.ERROR), ("refused", Level.WARNING)])
def test_a_wrong_number_of_proxies_is_an_error(several_machines, settings, monkeypatch, seen, level):
    settings.PODIUM_TRUSTED_PROXIES = 1
    monkeypatch.setattr(doctor, "entries_seen", lambda _: seen)

    assert next(doctor._proxies()).level == level


def test_an_address_that_nobody_answers_at_is_said_so():
    assert isinstance(proxies.entries_seen("http://127.0.0.1:1"), str)


def test_the_command_fails_on_errors_and_writes_json(monkeypatch):
    monkeypatch.setattr(doctor, "CHECKS", {"workers": doctor._workers})
    out = StringIO()

    with pytest.raises(CommandError, match="1 part does not work"):
        call_command("doctor", "--json", stdout=out)
    assert json.loads(out.getvalue())[0]["remedy"]
