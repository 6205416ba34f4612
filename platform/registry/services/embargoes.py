"""Opening embargoed values when their event has come (REG-11)."""

from datetime import date

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from designs.queries import opening_day
from registry.domain.public_documents import parsed, proves, withheld
from registry.models import Disclosure, Listing, RegistrationVersion
from registry.queries import sealed_places


@transaction.atomic
def open_value(*, version: RegistrationVersion, field_path: str, actor: User | None) -> Disclosure:
    """Publish an embargoed value with its nonce.

    Parameters
    ----------
    actor
        The person who confirms the event; ``None`` if the schedule triggers the publication.

    Raises
    ------
    ValidationError
        If nothing is withheld there, or if the value was opened before.
    """
    event, digest = withheld(version.document).get(field_path, ("", ""))
    secret = version.sealed.get(field_path)
    if not digest or secret is None:
        raise ValidationError("Nothing is withheld there.")
    if not proves(secret, digest):
        raise ValidationError("The stored value does not fit its public digest; it is not opened.")
    try:
        with transaction.atomic():
            opened = Disclosure.objects.create(
                version=version,
                place=field_path,
                event=event,
                value=secret["value"],
                nonce=secret["nonce"],
                opened_by=actor,
            )
    except IntegrityError as error:
        raise ValidationError("This value has been opened already.") from error
    record(
        actor=actor,
        act="embargoed_value_opened",
        subject=opened,
        scope=version.registration.identifier,
        facts={"version": version.number, "place": field_path, "digest": digest, "event": event},
    )
    return opened


def open_due(*, today: date | None = None) -> int:
    """Open all values that are due by the schedule of their registered design.

    Returns the number of opened values.
    """
    today = today or timezone.now().date()
    opened = 0
    listed = Listing.everything.exclude(version__sealed={}).select_related("version__registration")
    for version in [listing.version for listing in listed]:
        document = parsed(version.document)
        for field_path, event, _ in sealed_places(version):
            # Of several dates of an event the last counts, as in the working design: nothing is shown too early.
            day = opening_day(document, event)
            if day is not None and day <= today:
                open_value(version=version, field_path=field_path, actor=None)
                opened += 1
    return opened
