"""Registering a design, and adding a version to its registration."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from core.audit.services import record
from core.work.services import enqueue
from designs.models import Design, DesignVersion
from evaluation.canonical import canonical_json, sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document
from registry.domain.public_documents import (
    Publication,
    digest_at,
    exported,
    proves,
    publication,
    publication_of,
    tells_contacts,
    withheld,
    without_contacts,
)
from registry.models import Registration, RegistrationVersion, YearCount
from registry.queries import current_version
from registry.services.listing import list_registration
from reviews.models import Filing
from reviews.services.transitions import advance

Level = RegistrationVersion.Level
PUBLISH = "registry.tasks.publish_version"
# Readable names must not take the place of pages.
RESERVED = frozenset({"statistics", "integrity", "feed", "register", "export", "changes", "drift"})


@transaction.atomic
def register(
    *,
    design_version: DesignVersion,
    actor: User | None,
    filing: Filing | None = None,
    comment_until: datetime | None = None,
    previous_edition: Registration | None = None,
    is_embargoed: bool = False,
    is_example: bool = False,
    is_late: bool = False,
    note: str = "",
    steps_as: User | None = None,
) -> RegistrationVersion:
    """Create the public record of a frozen design and return its version 1.0.

    Parameters
    ----------
    filing
        The accepted filing of the design. Without one, only administrators register (`registry.rules`).
    comment_until
        End of a comment period (REG-15). Without it, the registration is final immediately.
    is_late
        Registered after training data were released or registration opened. The mark on the version is permanent
        (REG-7).
    steps_as
        The chair who makes the last step of the filing. Without one, the system makes it.
    previous_edition
        The registration of the earlier edition. By default, that of the design from which this one was copied.
    is_embargoed
        Whether the public sees identifier, dates and digests only, until the organizers end the embargo.

    Raises
    ------
    ValidationError
        If the design is already registered, or would disclose an address later, or for comments under embargo.
    """
    if is_embargoed and comment_until is not None:
        raise ValidationError(
            {"comment_days": "A design under embargo has no comment period: the public cannot read it."}
        )
    design = Design.objects.select_for_update(no_key=True).get(pk=design_version.design_id)
    if Registration.objects.filter(design=design).exists():
        raise ValidationError("This design is registered already; changes go through a change request.")
    public = publication_of(design_version)
    _refuse_unfit_secrets(public)
    now = timezone.now()
    year, number = now.year, _next_number(now.year)
    if previous_edition is None and design.copied_from_id is not None:
        previous_edition = Registration.objects.filter(design=design.copied_from_id).first()
    commenting = comment_until is not None and comment_until > now
    identifier = f"{settings.PODIUM_REGISTRY_PREFIX}-{year}-{number:04d}"
    registration = Registration.objects.create(
        identifier=identifier,
        # A readable name would tell the name of the challenge, and a taken one that it exists.
        slug=_free_slug(slugify(identifier) if is_embargoed else _stem(public.document, design.title)),
        is_embargoed=is_embargoed,
        year=year,
        number=number,
        design=design,
        filing=filing,
        state=Registration.State.COMMENT_PERIOD if commenting else Registration.State.REGISTERED,
        state_changed_at=now,
        comment_until=comment_until,
        previous_edition=previous_edition,
        is_example=is_example,
        registered_at=now,
        registered_by=actor,
    )
    version = _store(
        registration, public, None, actor=actor, note=note, at=now, design_version=design_version, is_late=is_late
    )
    if filing is not None:
        advance(filing=filing, to="registered", actor=steps_as, reason=f"Registered as {registration.identifier}.")
    return version


@transaction.atomic
def add_version(
    *,
    registration: Registration,
    actor: User | None,
    level: str,
    note: str,
    changes: Sequence[Mapping[str, Any]] = (),
    design_version: DesignVersion | None = None,
    document: Document | Mapping[str, Any] | None = None,
    sealed: Mapping[str, Mapping[str, Any]] | None = None,
    is_late: bool = False,
    is_deviation: bool = False,
) -> RegistrationVersion:
    """Add the next version of a registration.

    A critical change increases the major number, any other change the minor number.

    Parameters
    ----------
    level
        The most severe class of the changes: ``minor``, ``major`` or ``critical``.
    changes
        The changes, one mapping per parameter; public.
    design_version, document
        Exactly one is required: the frozen design, or a full document (the present one with the approved changes).
    sealed
        With `document`: newly embargoed values with their nonces, by path. Those of the previous version are kept
        where their digest is unchanged.

    Raises
    ------
    ValidationError
        If nothing changed, the registration has ended, or a withheld value has no proof.
    """
    registration = Registration.objects.select_for_update(no_key=True).get(pk=registration.pk)
    if registration.is_ended:
        raise ValidationError(f"This registration was {registration.get_state_display()}; it does not change any more.")
    if level not in (Level.MINOR, Level.MAJOR, Level.CRITICAL):
        raise ValueError(f"A later version is a minor, major or critical change, not {level}.")
    if (design_version is None) == (document is None):
        raise ValueError("A version is made from a frozen design or from a document.")
    if not note.strip():
        raise ValidationError({"note": "Say what changed and why."})
    previous = current_version(registration)
    if design_version is not None:
        if design_version.design_id != registration.design_id:
            raise ValueError("That version belongs to another design.")
        public = publication_of(design_version)
    else:
        assert document is not None  # one of the two, as asked above
        public = publication(exported(document), {**previous.sealed, **(sealed or {})})
    _refuse_unfit_secrets(public)
    if sha256(public.document) == previous.digest:
        raise ValidationError(f"Nothing that is public differs from version {previous.number}.")
    return _store(
        registration,
        public,
        previous,
        actor=actor,
        note=note,
        at=timezone.now(),
        design_version=design_version,
        level=level,
        changes=[dict(change) for change in changes],
        is_late=is_late,
        is_deviation=is_deviation,
    )


def _store(
    registration: Registration,
    public: Publication,
    previous: RegistrationVersion | None,
    *,
    actor: User | None,
    note: str,
    at: datetime,
    design_version: DesignVersion | None,
    level: str = Level.FIRST,
    **facts: Any,
) -> RegistrationVersion:
    major, minor = (1, 0) if previous is None else (previous.major, previous.minor + 1)
    if previous is not None and level == Level.CRITICAL:
        major, minor = previous.major + 1, 0
    version = RegistrationVersion.objects.create(
        registration=registration,
        previous=previous,
        major=major,
        minor=minor,
        level=level,
        note=without_contacts(note.strip()),
        canonical=canonical_json(public.document),
        digest=sha256(public.document),
        schema=public.document["schema"],
        catalogue=public.document.get("catalogue") or shipped().version,
        sealed={
            field_path: secret for field_path, secret in public.sealed.items() if digest_at(public.document, field_path)
        },
        design_version=design_version,
        registered_at=at,
        registered_by=actor,
        **facts,
    )
    record(
        actor=actor,
        act="registration_version_added",
        subject=version,
        scope=registration.identifier,
        facts={
            "registration": registration.identifier,
            "version": version.number,
            "level": version.level,
            "digest": version.digest,
            "previous": previous.digest if previous else "",
            "is_late": version.is_late,
            "is_deviation": version.is_deviation,
        },
    )
    list_registration(registration=registration)
    enqueue(PUBLISH, version.pk)
    return version


def _refuse_unfit_secrets(public: Publication) -> None:
    """Refuse withheld values that are not stored here, do not match their digest or contain contacts.

    Withheld values are published verbatim later. Without the stored value, the digest would prove nothing.
    """
    for field_path, (_, digest) in withheld(public.document).items():
        secret = public.sealed.get(field_path)
        if secret is None or not proves(secret, digest):
            raise ValidationError(f"The withheld value of {field_path} does not fit its digest.")
        if tells_contacts(secret["value"]):
            label = shipped()[field_path.split("/", 1)[1]].label
            raise ValidationError(f"Take the e-mail addresses out of “{label}” first: it is opened word by word.")


def _next_number(year: int) -> int:
    YearCount.objects.get_or_create(year=year)
    count = YearCount.objects.select_for_update(no_key=True).get(year=year)
    count.last += 1
    count.save(update_fields=["last"])
    return count.last


def _stem(document: Mapping[str, Any], title: str) -> str:
    challenge = document["challenge"]
    name = str(challenge.get("challenge_acronym") or challenge.get("challenge_name") or title)
    year = challenge.get("challenge_year")
    stem = slugify(name)[:60] or slugify(title)[:60]
    return f"{stem}-{year}" if year and not stem.endswith(str(year)) else stem


def _free_slug(stem: str) -> str:
    if stem in RESERVED:
        stem = f"{stem}-design"
    taken = set(Registration.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    return next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)
