"""Acts on a federation: open it, name the algorithms, keep the public cases, release the package."""

import hashlib
from typing import Any

from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from accounts.models import User
from challenges.models import Phase, Team
from core.audit.services import record
from datastore.uploads.storage import private
from evaluation.canonical import canonical_json
from evaluation.federation import FederationError
from evaluation.federation.documents import digest_of
from evaluation.federation.scheme import site_schemes
from evaluation.running.interface import InterfaceError
from executions.domain.plans import NotRunnableError
from executions.models import AlgorithmArchive
from federation.domain.signing import signed
from federation.domain.terms import USUAL_TERMS
from federation.models import Algorithm, Federation, SitePackage
from federation.queries.federations import current_package, has_any_key, obstacles, registered_rules
from federation.queries.images import images_of, interface_of, parts_of

MOST_DRY_RUN = 512 * 2**20
TOLERANCE = 1e-4
"""Relative difference up to which two machines compute the same."""


@transaction.atomic
def open_federation(*, actor: User, phase: Phase, terms: str = "") -> Federation:
    """Evaluate a phase at sites.

    Raises
    ------
    ValidationError
        When the registered ranking cannot be made from sums of sites, with the remedy; when the phase has ended, or
        takes submissions already.
    """
    if obstacle := obstacles([phase]).get(phase.pk):
        raise ValidationError(obstacle)
    if Federation.objects.filter(phase=phase).exists():
        raise ValidationError("This phase is evaluated at sites already.")
    try:
        rules = registered_rules(phase)
        schemes = site_schemes(phase.assessment, rules["site_column"])
    except (FederationError, ValueError) as error:
        raise ValidationError(f"The registered ranking cannot be made from sites: {error}.") from error
    if rules["disclosure"] == "places" and any(scheme.kind == "sums" for scheme in schemes):
        raise ValidationError(
            "The registered ranking is made from sums, and places are all that may leave: register “means” or “moments”."
        )
    text = terms.strip() or USUAL_TERMS.format(minimum=rules["minimum_units"])
    federation = Federation.objects.create(phase=phase, rules=rules, terms=text, created_by=actor)
    transaction.on_commit(lambda: cache.delete(has_any_key(phase.challenge)))
    record(
        actor=actor,
        act="federation_opened",
        subject=federation,
        scope=phase.challenge.slug,
        facts={
            "phase": phase.slug,
            "federation": federation.identifier,
            "rules": rules,
            "terms": digest_of({"text": text}),
        },
    )
    return federation


@transaction.atomic
def name_algorithm(
    *,
    actor: User,
    federation: Federation,
    name: str,
    team: Team | None = None,
    archive: AlgorithmArchive | None = None,
    may_be_carried: bool = False,
) -> Algorithm:
    """Name something that sites score.

    Parameters
    ----------
    archive
        An image that a team of the challenge sent: sites fetch it by its digest and run it. Without one, its predictions
        are carried to the sites.
    may_be_carried
        Whether a site may bring predictions instead of running the image.

    Raises
    ------
    ValidationError
        For a name that is taken or cannot name a folder, an image that cannot be run, or once the phase has ended.
    """
    _check_open(federation)
    if archive is not None and archive not in images_of(federation.phase.challenge):
        raise ValidationError("This image was not sent to this challenge, was not taken, or was deleted.")
    algorithm = Algorithm(
        federation=federation,
        name=name.strip(),
        team=archive.team if archive else team,
        archive=archive,
        image=archive.digest if archive else "",
        may_be_carried=archive is not None and may_be_carried,
    )
    algorithm.full_clean()
    algorithm.save()
    try:
        interface_of(federation)
    except (NotRunnableError, InterfaceError) as error:
        raise ValidationError(str(error)) from error
    facts = {
        "federation": federation.identifier,
        "algorithm": algorithm.name,
        "team": algorithm.team_id,
        "image": algorithm.image,
    }
    record(actor=actor, act="site_algorithm_named", subject=federation, scope=_scope(federation), facts=facts)
    return algorithm


@transaction.atomic
def remove_algorithm(*, actor: User, algorithm: Algorithm) -> None:
    """Take an algorithm off the list, before a package names it.

    Raises
    ------
    ValidationError
        Afterwards: sites have it already, and one that fails counts as missing.
    """
    federation = algorithm.federation
    if SitePackage.objects.filter(federation=federation).exists():
        raise ValidationError(
            "A package was released; an algorithm that fails counts as missing and is never left out."
        )
    name = algorithm.name
    algorithm.delete()
    facts = {"federation": federation.identifier, "algorithm": name}
    record(actor=actor, act="site_algorithm_removed", subject=federation, scope=_scope(federation), facts=facts)


@transaction.atomic
def keep_dry_run(*, actor: User, federation: Federation, file: UploadedFile) -> Federation:
    """Keep the public cases of the next package, as they came: nothing in them is opened here.

    Raises
    ------
    ValidationError
        For a file that is too large or no ZIP archive.
    """
    _check_open(federation)
    if (file.size or 0) > MOST_DRY_RUN:
        raise ValidationError(f"At most {MOST_DRY_RUN // 2**20} MB of public cases are accepted.")
    digest, head = hashlib.sha256(), b""
    for chunk in file.chunks():
        head = head or chunk[:4]
        digest.update(chunk)
    if head != b"PK\x03\x04":
        raise ValidationError("This is no ZIP archive. Make it with: podium site pack-test")
    file.seek(0)
    federation = Federation.objects.select_for_update(no_key=True, of=("self",)).get(pk=federation.pk)
    sha256 = digest.hexdigest()
    federation.dry_run_name = private().save(f"sites/{federation.identifier}/{sha256}.zip", file)
    federation.dry_run_sha256, federation.dry_run_size = sha256, file.size or 0
    federation.save(update_fields=["dry_run_name", "dry_run_sha256", "dry_run_size"])
    facts = {"federation": federation.identifier, "sha256": sha256, "size": file.size}
    record(actor=actor, act="site_public_cases_kept", subject=federation, scope=_scope(federation), facts=facts)
    return federation


@transaction.atomic
def release_package(*, actor: User, federation: Federation) -> SitePackage:
    """Sign what sites are to evaluate, and give it to them.

    Raises
    ------
    ValidationError
        With fewer than two algorithms, when nothing changed, or once the phase has ended.
    """
    _check_open(federation)
    federation = (
        Federation.objects.select_for_update(no_key=True, of=("self",))
        .select_related("phase__task__challenge")
        .get(pk=federation.pk)
    )
    last = current_package(federation)
    document = _document(federation, version=last.version + 1 if last else 1)
    if len(document["algorithms"]) < 2:
        raise ValidationError("A ranking needs two algorithms at least: name them first.")
    if last is not None and {**last.document, "version": 0} == {**document, "version": 0}:
        raise ValidationError("Nothing changed since the last package.")
    package = SitePackage.objects.create(
        federation=federation,
        version=document["version"],
        document=document,
        digest=digest_of(document),
        envelope=signed(document),
        released_by=actor,
    )
    facts = {
        "federation": federation.identifier,
        "version": package.version,
        "package": package.digest,
        "assessment": document["assessment_digest"],
        "algorithms": [entry["name"] for entry in document["algorithms"]],
    }
    record(actor=actor, act="site_package_published", subject=package, scope=_scope(federation), facts=facts)
    return package


def _document(federation: Federation, *, version: int) -> dict[str, Any]:
    phase, rules = federation.phase, federation.rules
    document: dict[str, Any] = {
        "schema": "podium.site-package/1",
        "federation": federation.identifier,
        "version": version,
        "challenge": phase.challenge.title,
        "phase": phase.name,
        "closes_at": f"{phase.ends_at:%Y-%m-%dT%H:%M:%SZ}",
        "assessment": phase.assessment_document,
        "assessment_digest": phase.assessment.digest,
        "algorithms": [_entry(algorithm) for algorithm in federation.algorithms.order_by("name")],
        "dry_run": None,
        "rules": {key: rules[key] for key in ("site_column", "minimum_units", "disclosure", "replicates")}
        | {"small_sites": rules.get("small_sites", "refuse")},
    }
    interface = interface_of(federation)
    if interface is not None:
        document["interface"] = interface
    if federation.dry_run_name:
        document["dry_run"] = {
            "sha256": federation.dry_run_sha256,
            "size": federation.dry_run_size,
            "relative_tolerance": TOLERANCE,
        }
    canonical_json(document)
    return document


def _entry(algorithm: Algorithm) -> dict[str, Any]:
    """An algorithm as a package names it."""
    entry: dict[str, Any] = {"name": algorithm.name, "image": algorithm.image or None}
    if algorithm.archive is not None:
        entry |= {"parts": parts_of(algorithm.archive), "predictions": algorithm.may_be_carried}
    return entry


def _check_open(federation: Federation) -> None:
    if federation.phase.is_closed:
        raise ValidationError("This phase has ended; what sites score does not change any more.")


def _scope(federation: Federation) -> str:
    return str(federation.phase.challenge.slug)
