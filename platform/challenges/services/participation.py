"""Acts of taking part: terms and consent."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain import letters_of_people
from accounts.notifications.services import notify
from challenges.models import Challenge, Participation, Terms
from challenges.queries.people import organizers_of, terms_of
from challenges.services.concerns import find_concerns
from core.audit.services import record
from evaluation.canonical import sha256

State = Participation.State


@transaction.atomic
def set_terms(
    *,
    actor: User | None,
    challenge: Challenge,
    agreement: str,
    requires_approval: bool,
    team_size: int | None,
    requires_method: bool = False,
) -> Terms:
    """Make a new version of the terms; those who joined before keep the text that they accepted.

    Raises
    ------
    ValidationError
        For another data usage agreement than the registered one.
    """
    registered = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk).agreement.strip()
    if registered and agreement.strip() != registered:
        raise ValidationError(
            {"agreement": "The data usage agreement is part of the registered design. Ask for a change of it there."}
        )
    current = terms_of(challenge)
    wanted = {
        "agreement": agreement.strip(),
        "requires_approval": requires_approval,
        "team_size": team_size,
        "requires_method": requires_method,
    }
    if current and {key: getattr(current, key) for key in wanted} == wanted:
        return current
    terms = Terms.objects.create(
        challenge=challenge, version=current.version + 1 if current else 1, created_by=actor, **wanted
    )
    record(
        actor=actor,
        act="terms_set",
        subject=terms,
        scope=challenge.slug,
        facts={
            "version": terms.version,
            "agreement_digest": sha256(terms.agreement),
            "requires_approval": requires_approval,
            "team_size": team_size,
            "requires_method": requires_method,
        },
    )
    return terms


@transaction.atomic
def take_part(
    *, user: User, challenge: Challenge, terms: Terms | None, affiliation: str, orcid: str = "", message: str = ""
) -> Participation:
    """Store a person's consent with the current texts, and check for conflicts of interest at once.

    Raises
    ------
    ValidationError
        If the terms have changed since the person read them, or the organizers have declined.
    """
    if terms != terms_of(challenge):
        raise ValidationError("The terms have changed while you were reading. Please read them again.")
    existing = Participation.objects.select_for_update(no_key=True).filter(challenge=challenge, user=user).first()
    if existing is not None and existing.state == State.DECLINED:
        raise ValidationError(f"The organizers have declined: {existing.reason}")
    pending = bool(terms and terms.requires_approval)
    part = existing or Participation(challenge=challenge, user=user, state=State.PENDING if pending else State.APPROVED)
    part.terms = terms
    part.rules_text = challenge.rules_text
    part.agreement = terms.agreement if terms else ""
    part.accepted_at = timezone.now()
    part.affiliation, part.orcid, part.message = affiliation, orcid, message
    try:
        with transaction.atomic():
            part.save()
    except IntegrityError as error:
        raise ValidationError("You have accepted the terms at the same moment in another window.") from error
    record(
        actor=user,
        act="terms_accepted",
        subject=part,
        scope=challenge.slug,
        facts={
            "version": terms.version if terms else None,
            "digest": sha256([part.rules_text, part.agreement]),
            "state": part.state,
        },
    )
    find_concerns(challenge=challenge, users=[user])
    if existing is None and part.state == State.PENDING:
        letter = letters_of_people.ASKS.letter(
            letters_of_people.OfPerson(challenge.title, user.display_name, words=message)
        )
        notify(
            people=organizers_of(challenge),
            kind="join_request",
            subject=letter.subject,
            text=letter.text,
            address=reverse("challenges:people", args=[challenge.slug]),
            scope=challenge.slug,
        )
    return part


@transaction.atomic
def decide_participation(
    *, actor: User, participations: Sequence[Participation], approve: bool, reason: str = ""
) -> int:
    """Let people in, or not, with a reason that they read; returns how many were waiting.

    Raises
    ------
    ValidationError
        For declining without a reason.
    """
    if not approve and not reason.strip():
        raise ValidationError("Say why: the person reads it.")
    rows = Participation.objects.select_for_update(of=("self",), no_key=True).select_related("challenge", "user")
    waiting = list(rows.filter(pk__in=[row.pk for row in participations], state=State.PENDING))
    for part in waiting:
        part.state = State.APPROVED if approve else State.DECLINED
        part.reason, part.decided_by, part.decided_at = reason.strip()[:500], actor, timezone.now()
        part.save()
        record(
            actor=actor,
            act="participation_approved" if approve else "participation_declined",
            subject=part,
            scope=part.challenge.slug,
            facts={"user": part.user_id},
        )
        letter = letters_of_people.JOINED.letter(
            letters_of_people.OfPerson(part.challenge.title, agreed=approve, reason=part.reason)
        )
        notify(
            people=[part.user],
            kind="join_decided",
            subject=letter.subject,
            text=letter.text,
            address=reverse("challenges:join", args=[part.challenge.slug]),
            scope=part.challenge.slug,
        )
    return len(waiting)
