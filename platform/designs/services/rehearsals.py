"""Rehearsals of designs: requested by people or by a frozen version, run by workers, stored for the design."""

import traceback
from typing import Any

import structlog
from django.db import transaction

from accounts.models import User
from core.audit.services import record
from core.work.services import Lease, ask, claim
from designs import hooks
from designs.models import Design, DesignVersion, Rehearsal
from designs.queries.documents import document_of, document_of_version
from designs.queries.rehearsals import digest_of, rehearsal_of
from designs.queries.work import REHEARSALS
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import Document
from evaluation.rehearsal import rehearse

log = structlog.get_logger(__name__)

OUR_FAULT = "An error on our side ended the rehearsal. Start it again. If it fails again, notify the operators."


@transaction.atomic
def request_rehearsal(*, actor: User | None, design: Design, version: DesignVersion | None = None) -> Rehearsal:
    """Request a rehearsal of a design as it is now, or of one of its versions.

    A rehearsal of the same document that is queued or running is returned instead.
    """
    Design.objects.select_for_update(no_key=True).get(pk=design.pk)
    digest = digest_of(document_of(design)) if version is None else version.digest
    running = Rehearsal.objects.filter(REHEARSALS.is_open, design=design, digest=digest).first()
    if running is not None:
        return running
    rehearsal = Rehearsal.objects.create(design=design, version=version, digest=digest, requested_by=actor)
    record(
        actor=actor,
        act="design_rehearsal_requested",
        subject=rehearsal,
        scope=design.slug,
        facts={"digest": digest},
    )
    ask(REHEARSALS, rehearsal)
    return rehearsal


def request_for_version(*, actor: User | None, version: DesignVersion) -> Rehearsal | None:
    """Request a rehearsal of a frozen version, unless its document was rehearsed before or nothing of it is executed."""
    design = version.design
    if design.legacy_import or rehearsal_of(design, version.digest) is not None:
        return None
    values = document_of_version(version).each_task()
    if not any(compile_values(each).assessment is not None for each in values):
        return None
    return request_rehearsal(actor=actor, design=design, version=version)


def run_rehearsal(*, rehearsal_id: int) -> None:
    """Run a queued rehearsal; a second call finds nothing to do."""
    lease = claim(REHEARSALS, rehearsal_id, give_up=_give_up)
    if lease is None:
        return
    rehearsal = Rehearsal.objects.select_related("design", "version").get(pk=lease.pk)
    version = rehearsal.version
    document = document_of(rehearsal.design) if version is None else document_of_version(version)
    try:
        with lease.renewed():
            outcome = rehearse(
                document,
                progress=lambda step, done, total: lease.tell(every=0.5, step=step, finished=done, pieces=total),
            )
            result = outcome.document | {"phases": _phases(document)}
    except Exception:
        log.exception("rehearsal_error", rehearsal=rehearsal_id, attempt=lease.attempts)
        if lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            lease.complete(state=Rehearsal.State.FAILED, problem=OUR_FAULT, failure=traceback.format_exc())
    else:
        # A working document may have been changed since the request.
        digest = rehearsal.digest if version is not None else digest_of(document)
        lease.complete(state=Rehearsal.State.DONE, result=result, digest=digest, failure="")


def _phases(document: Document) -> dict[str, Any]:
    """Return the phases that the design would have after its launch, as JSON values."""
    planned = next((provider(document.without_secrets()) for provider in hooks.phases), hooks.PlannedPhases({}))
    return {
        "open_points": list(planned.open_points),
        "by_task": {
            key: [{"name": phase.name, "dates": phase.dates, "rules": list(phase.rules)} for phase in phases]
            for key, phases in planned.by_task.items()
        },
    }


def _give_up(lease: Lease) -> None:
    """End a rehearsal that takes its workers down."""
    lease.complete(state=Rehearsal.State.FAILED, problem=OUR_FAULT, failure="The workers that tried broke off.")
