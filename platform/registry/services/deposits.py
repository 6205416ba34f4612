"""Depositing registered versions: queued, step by step, tried again with growing distances, off by default (REG-3)."""

from contextlib import suppress
from datetime import timedelta
from html import escape
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.audit.services import record
from core.work.services import Lease, LeaseLostError, ask, claim
from registry.models import Deposit, RegistrationVersion
from registry.queries.citing import Reference, as_xml, metadata, reference_of
from registry.queries.work import DEPOSITS, deposits_are_on
from registry.services.depositing import DepositError, Record, Repository
from registry.services.files import content_of, store_pdf

State = Deposit.State
WAIT_FOR_EARLIER: Final = timedelta(minutes=5)


def queue_deposit(*, version: RegistrationVersion) -> Deposit | None:
    """Put a version into the queue, once; nothing happens while deposits are off or the registration is under embargo."""
    if not deposits_are_on() or version.registration.is_embargoed:
        return None
    deposit, is_new = Deposit.objects.get_or_create(version=version)
    if is_new:
        ask(DEPOSITS, deposit)
    return deposit


def run_deposit(*, deposit_id: int) -> Deposit | None:
    """Do what is left to do of a deposit; ``None`` when it is not due or another worker is at it."""
    lease = claim(DEPOSITS, deposit_id, give_up=_give_up)
    if lease is None:
        return None
    deposit = Deposit.objects.get(pk=lease.pk)
    try:
        with lease.renewed():
            published = _deposit(deposit)
    except DepositError as error:
        _failed(lease, str(error))
    else:
        if published is None:
            # The version before comes first; that is no failure.
            lease.hand_back(WAIT_FOR_EARLIER, is_counted=False)
        else:
            _published(lease, published)
    deposit.refresh_from_db()
    return deposit


def _deposit(deposit: Deposit) -> Record | None:
    """Bring the record to its end; each step is kept before the next one is taken."""
    repository = Repository(settings.PODIUM_DEPOSIT_URL, settings.PODIUM_DEPOSIT_TOKEN)
    version = deposit.version
    earlier = _earlier(version)
    if earlier is not None and earlier.state == State.QUEUED:
        return None
    if deposit.external_id:
        draft = repository.read(deposit.external_id)
    else:
        published = earlier if earlier is not None and earlier.state == State.PUBLISHED else None
        draft = repository.create() if published is None else repository.new_version(published.external_id)
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
    """Return the metadata in the format of the repository.

    The description is HTML, so user input is escaped.
    """
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


def _published(lease: Lease, published: Record) -> None:
    with suppress(LeaseLostError), lease.completing() as deposit:
        deposit.state, deposit.published_at, deposit.failure = State.PUBLISHED, timezone.now(), ""
        deposit.doi, deposit.concept_doi, deposit.address = published.doi, published.concept_doi, published.address
        deposit.external_id = published.external_id
        record(
            actor=None,
            act="registration_deposited",
            subject=deposit,
            scope=deposit.version.registration.identifier,
            facts={"version": deposit.version.number, "doi": deposit.doi, "concept_doi": deposit.concept_doi},
        )


def _failed(lease: Lease, error: str) -> None:
    if lease.may_try_again:
        lease.hand_back(failure=error[:500])
    else:
        _end(lease, error, attempts=lease.attempts)


def _give_up(lease: Lease) -> None:
    """Workers died of it: what ends a process is no answer of the repository, and is not tried for ever either."""
    _end(lease, "Every worker that tried stopped without an answer.", attempts=lease.attempts - 1)


def _end(lease: Lease, error: str, *, attempts: int) -> None:
    with suppress(LeaseLostError), lease.completing() as deposit:
        deposit.state, deposit.failure = State.FAILED, error[:500]
        record(
            actor=None,
            act="registration_deposit_given_up",
            subject=deposit,
            scope=deposit.version.registration.identifier,
            facts={"version": deposit.version.number, "attempts": attempts},
        )


@transaction.atomic
def deposit_again() -> int:
    """Put everything that was given up, and every version that was never deposited, into the queue again."""
    if not deposits_are_on():
        return 0
    again = Deposit.objects.filter(state=State.FAILED)
    number = again.update(state=State.QUEUED, attempts=0, due_at=None, asked_at=None, failure="")
    for version in RegistrationVersion.objects.filter(deposit=None, registration__is_embargoed=False).order_by(
        "registered_at", "pk"
    ):
        number += queue_deposit(version=version) is not None
    return number
