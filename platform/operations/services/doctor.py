"""Checks of a running installation, part by part, with remedies for the problems found.

Every check answers in bounded time, makes no lasting changes, and catches the exceptions that its part can raise.
A part that is down must not hide the others.
"""

import contextlib
import secrets
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from accounts.models import User
from accounts.notifications.services.delivery import server_problem
from confinement.guarantees import NAMES
from core.audit.models import Entry, Head
from core.audit.services import digest
from core.work.queries import shared_now
from datastore.test_sets import vault
from datastore.uploads.storage import delete, free_bytes, open_stored, store_bytes
from operations.domain.findings import Finding, Level, error, fine, warning
from operations.models import BackupMade, Heartbeat
from operations.queries.health import WORKER_SILENCE, held_everywhere
from operations.services.proxies import entries_seen
from registry.models import Timestamp
from registry.queries.timestamps import missing_timestamps, stored_timestamps

_LOCAL = ("localhost", "127.0.0.1", "::1", "")
_CLOCK_SECONDS = 5.0
_TIMESTAMP_SILENCE = timedelta(hours=48)


def examine() -> list[Finding]:
    """Check all parts; worst findings first."""
    findings: list[Finding] = []
    for part, check in CHECKS.items():
        try:
            findings += check()
        except Exception as problem:  # noqa: BLE001 (whatever a part throws is the finding)
            message = f"the check failed: {type(problem).__name__}: {problem}"
            findings.append(
                error(part, message, "Look at the log of this command; the part that it names does not answer.")
            )
    order = [Level.ERROR, Level.WARNING, Level.FINE]
    return sorted(findings, key=lambda finding: order.index(finding.level))


def _settings() -> Iterator[Finding]:
    host = urlsplit(settings.PODIUM_ADDRESS).hostname or ""
    if settings.PODIUM_TLS and host in _LOCAL:
        yield error("settings", f"PODIUM_ADDRESS is {settings.PODIUM_ADDRESS}, which does not lead to this site.", "Set it to the https:// address of the site: mails and citations begin with it.")  # fmt: skip
    elif settings.PODIUM_TLS and not settings.PODIUM_ADDRESS.startswith("https://"):
        yield error("settings", f"PODIUM_ADDRESS is {settings.PODIUM_ADDRESS}, and TLS is demanded.", "Write it with https://.")  # fmt: skip
    else:
        yield fine("settings", f"People reach the site at {settings.PODIUM_ADDRESS}.")
    allowed = settings.ALLOWED_HOSTS
    if not any(name in ("*", host) or (name.startswith(".") and host.endswith(name)) for name in allowed):
        yield error("settings", f"ALLOWED_HOSTS does not name {host}: every page answers 400.", f"Add {host} to ALLOWED_HOSTS.")  # fmt: skip
    if settings.DEBUG:
        yield error("settings", "DEBUG is on: error pages show settings to everyone.", "Take DEBUG out of .env.")
    if settings.PODIUM_TLS and settings.DEFAULT_FROM_EMAIL.rstrip(">").endswith("@localhost"):
        yield error("settings", f"Mail comes from {settings.DEFAULT_FROM_EMAIL}.", "Set DEFAULT_FROM_EMAIL to an address of yours.")  # fmt: skip
    if settings.DATABASE_URL and not settings.PODIUM_REFERENCE_KEY:
        yield warning("settings", "The key of the references lies in the data folder of one machine.", "Set PODIUM_REFERENCE_KEY on all machines, and keep a copy elsewhere.")  # fmt: skip


def _database() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    yield fine("database", f"{connection.vendor} answers.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_encoding")
            encoding = cursor.fetchone()[0]
        if encoding != "UTF8":
            yield error("database", f"The encoding of the database is {encoding}: rankings cannot be stored.", "Make a database with ENCODING 'UTF8' and restore a dump into it.")  # fmt: skip
    executor = MigrationExecutor(connection)
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield error("database", f"{len(plan)} migrations are not applied.", "Run python manage.py migrate.")


def _clocks() -> Iterator[Finding]:
    apart = abs((timezone.now() - shared_now()).total_seconds())
    if apart > _CLOCK_SECONDS:
        yield warning("clocks", f"This machine and the database are {apart:.0f} s apart.", "Run a time service (chrony) on both.")  # fmt: skip
    else:
        yield fine("clocks", f"This machine and the database are {apart:.1f} s apart.")


def _broker() -> Iterator[Finding]:
    try:
        with current_app.connection_for_write(connect_timeout=2) as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except Exception as problem:  # noqa: BLE001 (the transport has exceptions of its own)
        yield error("broker", f"Redis does not answer ({type(problem).__name__}).", "Start it, and compare REDIS_URL.")
        return
    yield fine("broker", "Redis answers.")


def _workers() -> Iterator[Finding]:
    beats = list(Heartbeat.objects.all())
    now = timezone.now()
    seen = {beat.queue for beat in beats if now - beat.seen_at < WORKER_SILENCE}
    if not beats:
        yield error("workers", "No worker has ever reported.", "Start workers and beat, and look at their logs.")
        return
    if not seen:
        last = max(beat.seen_at for beat in beats)
        yield error("workers", f"No worker has reported since {last:%Y-%m-%d %H:%M:%S} UTC.", "Look whether beat and the workers run.")  # fmt: skip
    else:
        yield fine("workers", f"Workers report on {', '.join(sorted(seen))}.")
    holds = held_everywhere(beats)
    if not holds:
        yield warning("confinement", "No worker has reported how it confines children.", "Restart the workers.")
    elif lacking := [NAMES[name] for name, held in holds.items() if not held]:
        finding = error if settings.PODIUM_CONFINEMENT == "require" else warning
        yield finding("confinement", f"On some machine this does not hold of children: {'; '.join(lacking)}.", "Use a kernel from 5.13 on with Landlock, and set PODIUM_CONFINEMENT=require.")  # fmt: skip
    else:
        yield fine("confinement", "All guarantees hold where workers run.")


def _storage() -> Iterator[Finding]:
    name, content = f"incoming/doctor-{secrets.token_hex(8)}", secrets.token_bytes(64)
    try:
        store_bytes(name, content)
        with contextlib.closing(open_stored(name)) as source:
            same = source.read() == content
    finally:
        with contextlib.suppress(Exception):
            delete(name)
    if same:
        yield fine("storage", "A file was stored, read and deleted.")
    else:
        yield error("storage", "What was read is not what was stored.", "Do not go on with this storage.")
    free = free_bytes()
    if free < settings.PODIUM_DISK_RESERVE_BYTES:
        yield error("storage", f"{free // 1024**2} MiB are free where uploads arrive: none is taken.", "Make room.")
    elif free < 5 * settings.PODIUM_DISK_RESERVE_BYTES:
        yield warning("storage", f"{free // 1024**2} MiB are free where uploads arrive.", "Make room soon.")


def _key() -> Iterator[Finding]:
    if not vault.recipient_of_references():
        yield fine("key", "No reference was sealed yet; the key is made with the first.")
        return
    name = f"incoming/doctor-{secrets.token_hex(8)}.age"
    try:
        vault.keep_bytes(name, b"a reference")
        same = vault.read_bytes(name) == b"a reference"
    finally:
        delete(name)
    if not same:
        yield error(
            "key", "A sealed file does not open to what was sealed.", "Set PODIUM_REFERENCE_KEY to the kept key."
        )
        return
    yield fine("key", f"References are sealed for {vault.recipient_of_references()}; keep its identity elsewhere.")


def _mail() -> Iterator[Finding]:
    if "smtp" not in settings.EMAIL_BACKEND:
        finding = error if settings.PODIUM_TLS else warning
        yield finding("mail", f"Mail is not sent: {settings.EMAIL_BACKEND}.", "Set EMAIL_URL.")
        return
    if problem := server_problem():
        yield error("mail", f"The mail server does not let us in ({problem}).", "Compare EMAIL_URL.")
        return
    yield fine("mail", f"{settings.EMAIL_HOST} lets us in.")


def _proxies() -> Iterator[Finding]:
    if not settings.PODIUM_TLS:
        yield fine("proxies", "The site is reached without a proxy, on this machine only.")
        return
    seen = entries_seen(settings.PODIUM_ADDRESS)
    wanted = settings.PODIUM_TRUSTED_PROXIES
    if isinstance(seen, str):
        yield warning("proxies", f"{settings.PODIUM_ADDRESS} was not reached from here: {seen}.", "Run doctor where that address can be reached.")  # fmt: skip
    elif seen != wanted:
        yield error("proxies", f"{seen} proxies write X-Forwarded-For, and PODIUM_TRUSTED_PROXIES is {wanted}.", f"Set it to {seen}: by that address wrong passwords are counted.")  # fmt: skip
    else:
        yield fine("proxies", f"{seen} proxies, as PODIUM_TRUSTED_PROXIES says.")


def _backups() -> Iterator[Finding]:
    last = BackupMade.objects.first()
    days = settings.PODIUM_BACKUP_DAYS
    if last is None:
        finding = error if days else warning
        yield finding(
            "backups", "No backup was ever made.", "python manage.py backup s3://bucket/prefix, daily, by cron."
        )
        return
    age = timezone.now() - last.made_at
    if days and age > timedelta(days=days):
        yield error("backups", f"The last backup is {age.days} days old, and PODIUM_BACKUP_DAYS is {days}.", "Look at the job that makes backups.")  # fmt: skip
    else:
        yield fine("backups", f"The last backup is of {last.made_at:%Y-%m-%d %H:%M} UTC.")
    if shutil.which("pg_dump") is None and connection.vendor == "postgresql":
        yield error("backups", "pg_dump is missing here.", "Install PostgreSQL's client programs.")


def _people() -> Iterator[Finding]:
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    if not administrators.exists():
        yield error("people", "There is no administrator.", "Set PODIUM_ADMIN_EMAIL and run python manage.py first_administrator --link.")  # fmt: skip
        return
    without = administrators.filter(authenticator=None).count()
    if settings.PODIUM_STAFF_SECOND_FACTOR and without:
        yield warning("people", f"{without} of {administrators.count()} administrators have no second factor yet.", "They are led to set one up when they sign in.")  # fmt: skip
    else:
        yield fine("people", f"{administrators.count()} accounts administer the platform.")


def _chain() -> Iterator[Finding]:
    head = Head.objects.filter(pk=1).first()
    last = Entry.objects.order_by("-sequence").first()
    if head is None and last is None:
        yield fine("audit", "Nothing is in the audit chain yet.")
    elif head is None or last is None or last.digest != head.digest or digest(last) != last.digest:
        yield error("audit", "The audit chain does not end where it says.", "Run python manage.py verify_audit.")
    else:
        yield fine("audit", f"The audit chain ends at entry {head.sequence}, {head.digest}.")


def _timestamps() -> Iterator[Finding]:
    stored = stored_timestamps()
    gone = missing_timestamps()
    if gone:
        yield error("timestamps", f"{len(gone)} timestamps that the audit log names are missing. {stored}", "Run python manage.py verify_records, and compare with a backup.")  # fmt: skip
    last = BackupMade.objects.exclude(timestamps=None).first()
    if last is not None and last.timestamps is not None and last.timestamps > stored.count:
        yield error("timestamps", f"The backup {last.name} has {last.timestamps} timestamps. {stored}", "Run python manage.py verify_records --backup TARGET.")  # fmt: skip
    if not settings.PODIUM_TIMESTAMP_URL:
        yield warning("timestamps", f"No third party signs the audit log: a rewritten history would not be detected. {stored}", "Set PODIUM_TIMESTAMP_URL and PODIUM_TIMESTAMP_CA.")  # fmt: skip
    elif stored.last is None:
        yield warning("timestamps", f"{settings.PODIUM_TIMESTAMP_URL} gave no timestamp yet.", "Look at the log of the worker after some minutes.")  # fmt: skip
    elif not Timestamp.objects.filter(created_at__gt=timezone.now() - _TIMESTAMP_SILENCE).exists():
        yield warning("timestamps", f"The last timestamp is too old. {stored}", "Look at the log of the worker: it names why the authority gave none.")  # fmt: skip
    elif not gone:
        yield fine("timestamps", str(stored))


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "settings": _settings,
    "database": _database,
    "clocks": _clocks,
    "broker": _broker,
    "workers": _workers,
    "storage": _storage,
    "key": _key,
    "mail": _mail,
    "proxies": _proxies,
    "backups": _backups,
    "people": _people,
    "audit": _chain,
    "timestamps": _timestamps,
}
