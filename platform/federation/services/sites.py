"""Acts on sites: invite, compare fingerprints, leave out and take back, take in what came late."""

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain import letters_of_invitations
from accounts.notifications.domain.acts import MESSAGE
from accounts.notifications.services import mail
from core.audit.services import record
from evaluation.federation.documents import digest_of
from federation import hooks
from federation.domain.signing import public_key, signed
from federation.models import Enrolment, Federation, SignedMessage, Site
from web.addresses import absolute

INVITATION_DAYS: Final = 14
KIND: Final = "site_invited"


def code_digest(code: str) -> str:
    """Return the digest of an invitation code, the only part of it that is stored."""
    return hashlib.sha256(code.encode()).hexdigest()


@transaction.atomic
def invite_site(
    *, actor: User, federation: Federation, name: str, institution: str = "", contact: str = "", country: str = ""
) -> tuple[Site, str]:
    """Invite a site, and return it with the code of its invitation.

    The code is shown once, and sent by e-mail if an address is known.

    Raises
    ------
    ValidationError
        For a name that is in use or not valid in messages, or once the phase has ended.
    """
    if federation.phase.is_closed:
        raise ValidationError("This phase has ended.")
    site = Site(
        federation=federation,
        name=name.strip(),
        institution=institution.strip(),
        contact=contact.strip(),
        country=country.strip().upper(),
    )
    site.full_clean()
    try:
        with transaction.atomic():
            site.save()
    except IntegrityError as error:
        raise ValidationError(f"There is a site {site.name} already; a name is never given twice.") from error
    return site, _invite(actor, site)


@transaction.atomic
def invite_again(*, actor: User, site: Site) -> str:
    """Revoke the key and the invitation of a site, invite it again, and return the new code.

    This serves a key that was lost or must be replaced.
    Messages signed by the former key stay valid. It signs no new messages that are accepted.

    Raises
    ------
    ValidationError
        For a site that withdrew.
    """
    site = _locked(site)
    if site.counts == Site.Counts.WITHDRAWN:
        raise ValidationError("This site withdrew.")
    for enrolment in site.enrolments.filter(revoked_at=None):
        enrolment.revoked_at = timezone.now()
        enrolment.save(update_fields=["revoked_at"])
        if enrolment.public_key:
            facts = {**_facts(site), "key": enrolment.public_key}
            record(actor=actor, act="site_key_revoked", subject=site, scope=_scope(site), facts=facts)
    return _invite(actor, site)


def _invite(actor: User, site: Site) -> str:
    code = secrets.token_hex(16)
    enrolment = Enrolment.objects.create(
        site=site,
        code_sha256=code_digest(code),
        invited_by=actor,
        expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
    )
    record(actor=actor, act="site_invited", subject=site, scope=_scope(site), facts=_facts(site))
    if site.contact:
        phase = site.federation.phase
        letter = letters_of_invitations.OF_SITE.letter(
            letters_of_invitations.OfInvitation(
                actor.display_name,
                site.name,
                phase.challenge.title,
                phase.name,
                site.institution,
                until=timezone.localtime(enrolment.expires_at),
            )
        )
        mail(
            to=site.contact,
            kind=KIND,
            subject=letter.subject,
            template=MESSAGE,
            context={"text": letter.text, "address": absolute(page_of(site, code))},
            inviter=actor,
        )
    return code


def page_of(site: Site, code: str) -> str:
    """Return the address of a site's page, for anyone with the code."""
    return reverse("federation:invitation", args=[site.federation.phase.challenge.slug, code])


def invitation_of(enrolment: Enrolment, code: str) -> str:
    """Return the signed invitation as a file, created again with the code of the requesting person."""
    federation = enrolment.site.federation
    document = {
        "schema": "podium.site-invitation/1",
        "site": enrolment.site.name,
        "federation": federation.identifier,
        "challenge": federation.phase.challenge.title,
        "phase": federation.phase.name,
        "address": absolute("/"),
        "key": public_key(),
        "invitation": code,
        "expires_at": f"{enrolment.expires_at:%Y-%m-%dT%H:%M:%SZ}",
        "terms": {"text": federation.terms, "digest": digest_of({"text": federation.terms})},
    }
    return signed(document)


@transaction.atomic
def confirm_key(*, actor: User, enrolment: Enrolment, fingerprint: str) -> Enrolment:
    """Trust a key: its fingerprint was compared with the site by another way.

    Raises
    ------
    ValidationError
        When there is no key, or what was compared is another one.
    """
    enrolment = (
        Enrolment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("site__federation__phase__task__challenge")
        .get(pk=enrolment.pk)
    )
    if not enrolment.public_key or enrolment.revoked_at is not None:
        raise ValidationError("This site has no key to confirm.")
    if "".join(fingerprint.split()).lower() != enrolment.fingerprint.replace(" ", ""):
        raise ValidationError(
            "These are other digits than those of the key that arrived. Ask the site to read its own aloud: podium site status."
        )
    if enrolment.confirmed_at is None:
        enrolment.confirmed_at, enrolment.confirmed_by = timezone.now(), actor
        enrolment.save(update_fields=["confirmed_at", "confirmed_by"])
        facts = {**_facts(enrolment.site), "key": enrolment.public_key}
        record(actor=actor, act="site_confirmed", subject=enrolment.site, scope=_scope(enrolment.site), facts=facts)
    return enrolment


@transaction.atomic
def leave_out(*, actor: User, site: Site, reason: str) -> Site:
    """Exclude a site from the ranking for all readers, with a public reason.

    Raises
    ------
    ValidationError
        Without a reason, or for a site that withdrew.
    """
    site = _locked(site)
    if not reason.strip():
        raise ValidationError("Say why; the reason is public.")
    if site.counts == Site.Counts.WITHDRAWN:
        raise ValidationError("This site withdrew.")
    site.counts, site.reason = Site.Counts.LEFT_OUT, reason.strip()
    site.save(update_fields=["counts", "reason"])
    record(
        actor=actor,
        act="site_left_out",
        subject=site,
        scope=_scope(site),
        facts={**_facts(site), "reason": site.reason},
    )
    tell_changed(site.federation)
    return site


@transaction.atomic
def take_back(*, actor: User, site: Site) -> Site:
    """Include an excluded site again.

    Raises
    ------
    ValidationError
        When the site was not excluded.
    """
    site = _locked(site)
    if site.counts != Site.Counts.LEFT_OUT:
        raise ValidationError("This site was not left out.")
    site.counts, site.reason = Site.Counts.INCLUDED, ""
    site.save(update_fields=["counts", "reason"])
    record(actor=actor, act="site_taken_back", subject=site, scope=_scope(site), facts=_facts(site))
    tell_changed(site.federation)
    return site


@transaction.atomic
def take_late(*, actor: User, site: Site) -> Site:
    """Let a result that came after the end count: it makes a new version, and the one before stays.

    Raises
    ------
    ValidationError
        When nothing came late.
    """
    site = _locked(site)
    late = SignedMessage.objects.filter(enrolment__site=site, kind="result", is_late=True).exists()
    if not late or site.takes_late:
        raise ValidationError("There is no late result of this site that waits.")
    site.takes_late = True
    site.save(update_fields=["takes_late"])
    record(actor=actor, act="site_late_result_taken", subject=site, scope=_scope(site), facts=_facts(site))
    tell_changed(site.federation)
    return site


def tell_changed(federation: Federation) -> None:
    """Ask for a new ranking, once there is one: before the end nothing is ranked over sites."""
    if federation.phase.is_closed:
        for callback in hooks.changed:
            callback(federation.phase_id)


def _locked(site: Site) -> Site:
    return (
        Site.objects.select_for_update(no_key=True, of=("self",))
        .select_related("federation__phase__task__challenge")
        .get(pk=site.pk)
    )


def _facts(site: Site) -> dict[str, str]:
    return {"federation": site.federation.identifier, "site": site.name}


def _scope(site: Site) -> str:
    return str(site.federation.phase.challenge.slug)
