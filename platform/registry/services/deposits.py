"""Depositing registered versions: queued, step by step, tried again with growing distances, off by default (REG-3)."""

from datetime import datetime, timedelta
from html import escape
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from audit.services import record
from registry.models import Deposit, RegistrationVersion
from registry.queries.citing import Reference, reference_of
from registry.queries.citing.datacite import as_xml, metadata
from registry.services.depositing import DepositError, Record, Repository
from registry.services.files import content_of, store_pdf
from web.clock import shared_now
from web.jobs import enqueue

TASK: Final = "registry.tasks.deposit"
State = Deposit.State
# While a worker is at it, no other takes it; a worker that died is followed after this time.
LEASE: Final = timedelta(minutes=10)
FIRST_WAIT: Final = timedelta(minutes=2)
LONGEST_WAIT: Final = timedelta(days=1)
# With these distances the last attempt comes about ten days after the first.
MAX_ATTEMPTS: Final = 18
WAIT_FOR_EARLIER: Final = timedelta(minutes=5)


def enabled() -> bool:
    """Whether this installation deposits at all."""
    return bool(settings.PODIUM_DEPOSIT_URL and settings.PODIUM_DEPOSIT_TOKEN)


def queue_deposit(*, version: RegistrationVersion) -> Deposit | None:
    """Put a version into the queue, once; nothing happens while deposits are off."""
    if not enabled():
        return None
    deposit, is_new = Deposit.objects.get_or_create(version=version, defaults={"due_at": shared_now()})
    if is_new:
        enqueue(TASK, deposit.pk)
    return deposit


def wait_after(attempts: int) -> timedelta:
    """How long to wait after so many attempts that failed.

    Examples
    --------
    >>> wait_after(1), wait_after(3), wait_after(40)
    (datetime.timedelta(seconds=120), datetime.timedelta(seconds=480), datetime.timedelta(days=1))
    """
    return min(FIRST_WAIT * 2 ** min(attempts - 1, 20), LONGEST_WAIT)


def run_deposit(*, deposit_id: int) -> Deposit | None:
    """Do what is left to do of a deposit; ``None`` when it is not due or another worker is at it."""
    deposit = _claim(deposit_id)
    if deposit is None:
        return None
    try:
        published = _deposit(deposit)
    except DepositError as error:
        return _failed(deposit, str(error))
    if published is None:
        return deposit
    return _published(deposit, published)


def due_deposits() -> list[int]:
    """Deposits whose time has come."""
    if not enabled():
        return []
    return list(Deposit.objects.filter(state=State.QUEUED, due_at__lte=shared_now()).values_list("pk", flat=True))


@transaction.atomic
def _claim(deposit_id: int) -> Deposit | None:
    now = shared_now()
    deposit = Deposit.objects.select_for_update().filter(pk=deposit_id, state=State.QUEUED, due_at__lte=now).first()
    if deposit is None or not enabled():
        return None
    if deposit.attempts >= MAX_ATTEMPTS:
        # Workers died of it: what ends a process is no answer of the repository, and is not tried for ever either.
        _failed(deposit, deposit.error or "Every worker that tried stopped without an answer.")
        return None
    deposit.attempts += 1
    deposit.due_at = now + LEASE
    deposit.save(update_fields=["attempts", "due_at"])
    return deposit


def _deposit(deposit: Deposit) -> Record | None:
    """Bring the record to its end; each step is kept before the next one is taken."""
    repository = Repository(settings.PODIUM_DEPOSIT_URL, settings.PODIUM_DEPOSIT_TOKEN)
    version = deposit.version
    earlier = _earlier(version)
    if earlier is not None and earlier.state == State.QUEUED:
        _postpone(deposit, shared_now() + WAIT_FOR_EARLIER)
        return None
    if deposit.external_id:
        draft = repository.read(deposit.external_id)
    else:
        is_next = earlier is not None and earlier.state == State.PUBLISHED
        draft = repository.new_version(earlier.external_id) if is_next else repository.create()
        Deposit.objects.filter(pk=deposit.pk).update(external_id=draft.external_id)
        deposit.external_id = draft.external_id
    if draft.is_published:
        return draft
    reference = reference_of(version)
    repository.replace_files(draft, _files(version, reference))
    repository.describe(draft.external_id, described(version, reference))
    return repository.publish(draft.external_id)


def _earlier(version: RegistrationVersion) -> Deposit | None:
    """The deposit of the version before, which has to be published first."""
    return Deposit.objects.filter(version=version.previous_id).first() if version.previous_id else None


def _files(version: RegistrationVersion, reference: Reference) -> dict[str, bytes]:
    stem = f"{reference.identifier}-v{version.number}"
    return {
        f"{stem}.json": version.canonical.encode(),
        f"{stem}.pdf": content_of(store_pdf(version=version)),
        f"{stem}.datacite.xml": as_xml(metadata(version, reference)).encode(),
    }


def described(version: RegistrationVersion, reference: Reference) -> dict[str, Any]:
    """The metadata in the words of the repository; its description is HTML, so what people wrote is escaped."""
    creators = []
    for author in reference.authors:
        creators.append({"name": author.inverted})
        if author.affiliation:
            creators[-1]["affiliation"] = author.affiliation
    parts = [reference.abstract, version.note, f"SHA-256 of the canonical JSON: {reference.digest}"]
    return {
        "title": reference.title,
        "upload_type": "publication",
        "publication_type": "other",
        "description": "".join(f"<p>{escape(part)}</p>" for part in parts if part),
        "creators": creators,
        "publication_date": reference.published.isoformat(),
        "version": reference.version,
        "access_right": "open",
        "license": settings.PODIUM_REGISTRY_LICENSE.lower(),
        "related_identifiers": [
            {"identifier": reference.address, "relation": "isAlternateIdentifier", "resource_type": "publication-other"}
        ],
        "notes": f"Registered as {reference.identifier}.",
    }


@transaction.atomic
def _published(deposit: Deposit, published: Record) -> Deposit:
    deposit.state, deposit.published_at, deposit.error = State.PUBLISHED, timezone.now(), ""
    deposit.doi, deposit.concept_doi, deposit.address = published.doi, published.concept_doi, published.address
    deposit.external_id = published.external_id
    deposit.save()
    record(
        actor=None,
        act="registration_deposited",
        subject=deposit,
        scope=deposit.version.registration.identifier,
        facts={"version": deposit.version.number, "doi": deposit.doi, "concept_doi": deposit.concept_doi},
    )
    return deposit


@transaction.atomic
def _failed(deposit: Deposit, error: str) -> Deposit:
    deposit.error = error[:500]
    deposit.due_at = shared_now() + wait_after(deposit.attempts)
    if deposit.attempts >= MAX_ATTEMPTS:
        deposit.state = State.FAILED
        record(
            actor=None,
            act="registration_deposit_given_up",
            subject=deposit,
            scope=deposit.version.registration.identifier,
            facts={"version": deposit.version.number, "attempts": deposit.attempts},
        )
    deposit.save(update_fields=["error", "due_at", "state"])
    return deposit


def _postpone(deposit: Deposit, due_at: datetime) -> None:
    """Wait for the version before; that is no failure."""
    deposit.attempts -= 1
    deposit.due_at = due_at
    deposit.save(update_fields=["attempts", "due_at"])


@transaction.atomic
def deposit_again() -> int:
    """Put everything that was given up, and every version that was never deposited, into the queue again."""
    if not enabled():
        return 0
    again = Deposit.objects.filter(state=State.FAILED)
    number = again.update(state=State.QUEUED, attempts=0, due_at=shared_now(), error="")
    for version in RegistrationVersion.objects.filter(deposit=None).order_by("registered_at", "pk"):
        number += queue_deposit(version=version) is not None
    return number
