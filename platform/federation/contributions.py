"""Contributions of this app to the apps above it, connected when the app is ready."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator

from django.urls import reverse

from accounts.notifications import kinds
from challenges import hooks as challenges_hooks
from challenges.hooks import Figure
from challenges.models import Challenge
from challenges.rules import is_organizer
from datastore.test_sets import vault
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from executions import hooks as execution_hooks
from executions.models import AlgorithmArchive
from federation.models import Algorithm, Federation, SignedMessage
from federation.queries.federations import has_any, of_challenge
from federation.queries.standing import standings


def register() -> None:
    """Connect the contributions of this app."""
    challenges_hooks.register_tab("Sites", "federation:sites", visible=_has_sites, order=32)
    challenges_hooks.register_organizer_page("Sites", "federation:organize", visible=is_organizer, order=27)
    challenges_hooks.figures.register(figures)
    execution_hooks.needed.register(given_to_sites)
    kinds.register("site_invited", "Your institution is invited to score algorithms on its own cases", order=16)
    kinds.register("site_registered", "A site of a challenge of yours registered its key", order=17, role="organizer")
    kinds.register(
        "site_message_refused", "Messages of a site of a challenge of yours were refused", order=17, role="organizer"
    )
    uploads_hooks.stored_files.register(stored)


# --- Pages of sites in the navigation of a challenge, and the kinds of notifications ----------------------------------
def _has_sites(_user: object, challenge: Challenge) -> bool:
    return has_any(challenge)


def given_to_sites(archive: AlgorithmArchive) -> str:
    """Explain why an image that sites run must be kept, or return an empty text."""
    if Algorithm.objects.filter(archive=archive).exists():
        return "Sites run it; what stands behind a result is kept."
    return ""


def figures(challenge: Challenge) -> list[Figure]:
    """Count the sites that have sent results, for phases that are evaluated at sites."""
    site_figures: list[Figure] = []
    for federation in of_challenge(challenge) if has_any(challenge) else ():
        rows = standings(federation)
        sent = sum(row.result is not None for row in rows)
        site_figures.append(
            Figure(
                "Sites that have sent",
                f"{sent} of {len(rows)}",
                reverse("federation:organize", args=[challenge.slug]),
                needs_you=any(row.waits_for_organizers for row in rows),
            )
        )
    return site_figures


# --- Signed messages and public cases, as the verification of the storage reads them ----------------------------------
def stored() -> Iterator[StoredFile]:
    """Every envelope with the digest of its payload, and the public cases of packages."""
    messages = SignedMessage.objects.exclude(kind="result", enrolment__site__removed_at__isnull=False)
    for message in messages.order_by("pk").iterator():
        yield StoredFile(
            message.envelope_name,
            f"message number {message.pk} of a site",
            _says(message.envelope_name, message.digest),
        )
    for federation in Federation.objects.exclude(dry_run_name="").order_by("pk"):
        proof = has_digest(federation.dry_run_name, federation.dry_run_sha256)
        yield StoredFile(federation.dry_run_name, f"public cases of federation number {federation.pk}", proof)


def _says(name: str, digest: str) -> Callable[[], str]:
    def proof() -> str:
        try:
            payload = base64.b64decode(json.loads(vault.read_bytes(name))["payload"])
        except (vault.VaultError, ValueError, KeyError) as error:
            return str(error)
        actual_digest = hashlib.sha256(payload).hexdigest()
        return "" if actual_digest == digest else f"the digest of the payload is {actual_digest} and was {digest}"

    return proof
