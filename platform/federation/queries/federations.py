"""Phases that are evaluated at sites, their rules, and the contents of their ledger."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache

from challenges.models import Challenge, Phase
from challenges.queries.projections import projection_of, registered_document
from evaluation.federation.inbox import Ledger, Received, SiteKey
from evaluation.federation.inbox import SitePackage as CurrentPackage
from federation import hooks
from federation.domain.registered import rules_from
from federation.models import Enrolment, Federation, SignedMessage, SitePackage

REMEMBERED_SECONDS = 60
KEY_DAYS = 730
"""A key holds so long from its registration."""


def of_challenge(challenge: Challenge) -> list[Federation]:
    """The federations of a challenge, in the order of its phases."""
    rows = Federation.objects.filter(phase__task__challenge=challenge).select_related("phase__task__challenge")
    return list(rows.order_by("phase__task__position", "phase__position"))


def of_phase(phase: Phase) -> Federation | None:
    """The federation of a phase, if it is evaluated at sites."""
    federation = Federation.objects.filter(phase=phase).first()
    if federation is not None:
        federation.phase = phase
    return federation


def obstacles(phases: Sequence[Phase]) -> dict[int, str]:
    """Explain why phases cannot be evaluated at sites, by their ids, in one sentence each."""
    reasons = {phase.pk: "This phase has ended." for phase in phases if phase.is_closed}
    for provider in hooks.obstacles:
        reasons = {**provider(phases), **reasons}
    return reasons


def has_any(challenge: Challenge) -> bool:
    """Return whether any phase of a challenge is evaluated at sites.

    The result is cached, because every page of the challenge needs it.
    """
    is_federated = cache.get(has_any_key(challenge))
    if is_federated is None:
        is_federated = Federation.objects.filter(phase__task__challenge=challenge).exists()
        cache.set(has_any_key(challenge), is_federated, REMEMBERED_SECONDS)
    return bool(is_federated)


def has_any_key(challenge: Challenge) -> str:
    """Return the cache key of `has_any`, which is deleted when a phase is opened for sites."""
    return f"federation:any:{challenge.pk}"


def registered_rules(phase: Phase) -> dict[str, Any]:
    """The rules that the design of a phase registers.

    Raises
    ------
    ValueError
        For a rule that would let single cases out.
    """
    projection = projection_of(phase.challenge)
    if projection is None:
        return rules_from({}, site_column="site")
    values = registered_document(projection.version).values(phase.task.design_key)
    column = str(values.get("site_column") or "site").strip()
    return rules_from(values.get("federation_rules") or {}, site_column=column)


def current_package(federation: Federation) -> SitePackage | None:
    """Return the current package for sites."""
    return federation.packages.order_by("version").last()


def ledger_of(federation: Federation) -> Ledger | None:
    """Return the ledger that is used when a message arrives.

    Before a package was released, its package digest consists of zeros.
    Before any site has a key, it contains no keys.
    """
    package = current_package(federation)
    enrolments = Enrolment.objects.filter(site__federation=federation).exclude(public_key="").select_related("site")
    keys = [_key_of(enrolment) for enrolment in enrolments]
    by_site: dict[str, list[SignedMessage]] = {enrolment.site.name: [] for enrolment in enrolments}
    rows = SignedMessage.objects.filter(enrolment__in=enrolments).select_related("enrolment__site")
    for row in rows.order_by("enrolment_id", "sequence"):
        by_site[row.enrolment.site.name].append(row)
    received = {name: _received(site_messages) for name, site_messages in by_site.items()}
    named = package.document["algorithms"] if package else []
    images = {entry["name"]: entry["image"] for entry in named}
    either = frozenset(entry["name"] for entry in named if entry.get("predictions"))
    return Ledger(
        federation=federation.identifier,
        assessment=federation.phase.assessment,
        package=CurrentPackage(package.digest if package else "0" * 64, images, either),
        keys=tuple(keys),
        received=received,
        minimum=int(federation.rules["minimum_units"]),
        site_column=federation.rules["site_column"],
        joins=federation.rules.get("small_sites") == "join",
    )


def _key_of(enrolment: Enrolment) -> SiteKey:
    since: datetime = enrolment.key_since or enrolment.invited_at
    return SiteKey(
        enrolment.site.name,
        bytes.fromhex(enrolment.public_key),
        since,
        until=since + timedelta(days=KEY_DAYS),
        revoked=enrolment.revoked_at is not None,
    )


def _received(rows: Sequence[SignedMessage]) -> Received:
    """Return the messages of a site that count.

    Messages signed by a former key are kept. A new key numbers its messages from 1.
    """
    seal = next((row for row in reversed(rows) if row.kind == "manifest-seal"), None)
    return Received(
        payloads={row.sequence: row.digest for row in rows if row.enrolment.revoked_at is None},
        manifest=seal.facts["manifest"] if seal else None,
        units=seal.facts["units"] if seal else None,
        packages=frozenset(row.facts["package"] for row in rows if row.kind == "result"),
        handed_to=next((row.facts["to"] for row in rows if row.kind == "site-hand-over"), None),
        guests=frozenset(seal.facts.get("with", [])) if seal else frozenset(),
        withdrew=any(row.kind == "site-withdrawal" and row.facts["results"] == "remove" for row in rows),
        sealed_by_former_key=seal is not None and seal.enrolment.revoked_at is not None,
    )
