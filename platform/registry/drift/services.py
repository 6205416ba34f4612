"""Acts of the drift check: a person requests one, a worker fetches, reads and compares."""

import uuid
from typing import Final

import structlog
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from core.work.services import Lease, LeaseLostError, ask, claim
from registry.domain.public_documents import parsed
from registry.drift.domain.comparing import Agreement
from registry.drift.domain.reading import MAX_BYTES, Comparison, UnreadableError, compared
from registry.drift.models import DriftCheck, DriftRequest
from registry.drift.queries import DRIFT_CHECKS
from registry.models import Deposit, Registration, RegistrationVersion
from registry.queries import current_version
from web.outbound import RefusedError, read

log = structlog.get_logger(__name__)

AT_ONCE: Final = 2
"""Checks of one person that may be queued or running."""
LOST: Final = "The check did not finish. Start it again; a shorter text may help."
Source = DriftCheck.Source
State = DriftRequest.State


@transaction.atomic
def request_check(
    *,
    actor: User,
    registration: Registration,
    title: str,
    source: str,
    content: bytes = b"",
    name: str = "",
    address: str = "",
) -> DriftRequest:
    """Queue a text, an uploaded file or a web page for comparison with the newest registered version.

    Raises
    ------
    ValidationError
        When fetching is off, the file is too large, or the person has too many checks under way.
    """
    if source == Source.ADDRESS:
        _require_fetching()
    if len(content) > MAX_BYTES:
        raise ValidationError(f"The file has {len(content):,} bytes; at most {MAX_BYTES:,} are read.")
    # The lock makes two requests at the same moment count each other.
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    if DRIFT_CHECKS.open_rows.filter(requested_by=actor).count() >= AT_ONCE:
        raise ValidationError(f"{AT_ONCE} of your checks are still queued or running. Wait until one is finished.")
    row = DriftRequest(
        registration=registration,
        title=title.strip()[:200],
        source=source,
        address=address,
        file_name=name[:200],
        requested_by=actor,
    )
    if source != Source.ADDRESS:
        row.stored = storages["private"].save(f"drift/{uuid.uuid4()}", ContentFile(content))
    row.save()
    record(
        actor=actor,
        act="drift_check_requested",
        subject=row,
        scope=registration.identifier,
        facts={"source": source, "bytes": len(content)},
    )
    ask(DRIFT_CHECKS, row)
    return row


def run_check(*, request_id: int) -> None:
    """Fetch, read and compare what was requested, and delete the text; a second call finds nothing to do."""
    lease = claim(DRIFT_CHECKS, request_id, give_up=_give_up)
    if lease is None:
        return
    row = DriftRequest.objects.select_related("registration").get(pk=lease.pk)
    try:
        with lease.renewed():
            content, kind, name = _content(row)
            version, comparison = _compare(row.registration, content, kind=kind, name=name)
        with lease.completing() as held:
            held.check_made = _keep(row, version, comparison)
            held.state, held.stored, held.finished_at = State.DONE, "", timezone.now()
    except LeaseLostError:
        return
    except (RefusedError, UnreadableError) as error:
        _fail(lease, f"The page cannot be read: {error}." if row.address else str(error))
    except ValidationError as error:
        _fail(lease, " ".join(error.messages))
    except Exception:
        log.exception("drift_check_failed", request=request_id)
        _fail(lease, LOST)
    _delete(row.stored)


def _require_fetching() -> None:
    if not settings.PODIUM_DRIFT_FETCH:
        raise ValidationError(
            {"address": "This platform does not fetch web pages. Paste the text, or upload the page."}
        )


def _content(row: DriftRequest) -> tuple[bytes, str, str]:
    if row.source == Source.ADDRESS:
        _require_fetching()
        page = read(row.address, most_bytes=MAX_BYTES)
        return page.content, page.kind, row.address
    with storages["private"].open(row.stored) as stored:
        return stored.read(), "", row.file_name


def _compare(
    registration: Registration, content: bytes, *, kind: str, name: str
) -> tuple[RegistrationVersion, Comparison]:
    version = current_version(registration)
    return version, compared(content, parsed(version.document), _record_names(registration), kind=kind, name=name)


def _keep(row: DriftRequest, version: RegistrationVersion, comparison: Comparison) -> DriftCheck:
    """Store the findings, inside the transaction of the caller; the text itself is not kept."""
    counted = {kind: sum(entry["found"] == kind for entry in comparison.findings) for kind in Agreement}
    check = DriftCheck.objects.create(
        registration=row.registration,
        version=version,
        title=row.title,
        source=row.source,
        address=row.address,
        text_digest=comparison.digest,
        characters=comparison.characters,
        findings=comparison.findings,
        same=counted[Agreement.SAME],
        missing=counted[Agreement.MISSING],
        different=counted[Agreement.DIFFERENT],
        links_record=comparison.links_record,
        checked_by=row.requested_by,
    )
    record(
        actor=row.requested_by,
        act="drift_checked",
        subject=check,
        scope=row.registration.identifier,
        facts={
            "version": version.number,
            "text_digest": check.text_digest,
            **{str(key): n for key, n in counted.items()},
        },
    )
    return check


def _record_names(registration: Registration) -> list[str]:
    deposits = Deposit.objects.filter(version__registration=registration).values_list("doi", "concept_doi")
    return [registration.identifier, f"/registry/{registration.slug}/", *(doi for pair in deposits for doi in pair)]


def _fail(lease: Lease, problem: str) -> None:
    lease.complete(state=State.FAILED, problem=problem, stored="", finished_at=timezone.now())


def _give_up(lease: Lease) -> None:
    stored = DriftRequest.objects.values_list("stored", flat=True).get(pk=lease.pk)
    _fail(lease, LOST)
    _delete(stored)


def _delete(stored: str) -> None:
    if not stored:
        return
    try:
        storages["private"].delete(stored)
    except OSError:
        log.exception("drift_text_not_deleted", stored=stored)
