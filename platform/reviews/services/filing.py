"""Acts of organizers: file a design, revise it, withdraw it."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import User
from designs.models import Design, DesignVersion
from designs.queries import document_of
from designs.services import freeze_version
from evaluation.canonical import sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import to_json
from reviews import queries
from reviews.models import Call, FiledVersion, Filing, State
from reviews.services import mails
from reviews.services.transitions import advance


@transaction.atomic
def file_design(*, actor: User, call: Call, design: Design) -> Filing:
    """File a design into a call: freezes it as a version and opens the filing.

    Raises
    ------
    ValidationError
        When the gate of the call is not passed, it is too late, or the design is filed somewhere already.
    """
    Call.objects.select_for_update(no_key=True).get(pk=call.pk)
    number = (call.filings.aggregate(last=Max("number"))["last"] or 0) + 1
    try:
        with transaction.atomic():
            filing = Filing.objects.create(call=call, design=design, number=number, title=design.title)
    except IntegrityError as error:
        raise ValidationError("This design has been filed in this call already.") from error
    filed = FiledVersion.objects.create(
        filing=filing, number=1, version=_frozen(actor, design, f"filed in {call.title}"), filed_by=actor
    )
    try:
        with transaction.atomic():
            advance(filing=filing, to=State.SUBMITTED, actor=actor)
    except IntegrityError as error:
        raise ValidationError("This design is under review in another call; it runs in one at a time.") from error
    mails.filed(filed)
    return filing


@transaction.atomic
def submit_revision(*, actor: User, filing: Filing, note: str = "") -> FiledVersion:
    """Submit the current state of the design as the revision.

    Raises
    ------
    ValidationError
        If it is too late, below the gate, or has blocking points without an answer.
    """
    Filing.objects.select_for_update(no_key=True).get(pk=filing.pk)
    version = _frozen(actor, filing.design, f"revision for {filing.call.title}")
    filed = FiledVersion.objects.create(
        filing=filing,
        number=queries.latest(filing).number + 1,
        version=version,
        note=note.replace("\x00", "").strip(),
        filed_by=actor,
    )
    advance(filing=filing, to=State.REVISION_SUBMITTED, actor=actor)
    mails.filed(filed)
    return filed


def withdraw(*, actor: User, filing: Filing, reason: str) -> None:
    """Take a design out of the call: withdrawn before the acceptance, declined after it."""
    to = State.DECLINED if filing.state == State.ACCEPTED else State.WITHDRAWN
    advance(filing=filing, to=to, actor=actor, reason=reason)


def _frozen(actor: User, design: Design, name: str) -> DesignVersion:
    """Return the current design as a version; the last one if nothing has changed since."""
    last = design.versions.order_by("-number").first()
    if last is not None and last.digest == sha256(to_json(document_of(design), catalogue=shipped())):
        return last
    return freeze_version(actor=actor, design=design, name=name[:120])
