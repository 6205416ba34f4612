"""Publishing what a challenge leaves behind: by its registered choice, after the end, of teams that consent."""

import json
import traceback
from pathlib import Path

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Team
from challenges.queries.projections import projection_of
from core.audit.services import record
from core.work.services import Lease, LeaseLostError, ask, claim
from datastore.datasets import hooks
from datastore.datasets.domain.names import is_file_name
from datastore.datasets.hooks import Artifact, Choice
from datastore.datasets.models import Dataset, DatasetFile, DatasetVersion, Publication, PublicationConsent
from datastore.datasets.queries.naming import names_are_allowed
from datastore.datasets.queries.publishing import registered_choice, unrevealed_phases, withheld_words
from datastore.datasets.queries.work import PUBLISHING
from datastore.datasets.services.offering import manifest_digest
from datastore.uploads.storage import sha256_of, store_file, working_folder

log = structlog.get_logger(__name__)
SLUG = "published"
State = Publication.State


@transaction.atomic
def set_consent(*, actor: User, team: Team, is_given: bool) -> None:
    """Give or withdraw a team's consent to publication.

    Published data remains until the data is published again.
    """
    PublicationConsent.objects.update_or_create(
        team=team, defaults={"is_given": is_given, "changed_at": timezone.now(), "changed_by": actor}
    )
    record(
        actor=actor,
        act="publication_consent_given" if is_given else "publication_consent_withdrawn",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name},
    )


@transaction.atomic
def ask_for_publication(*, actor: User | None, challenge: Challenge) -> Publication:
    """Have the data of a challenge put together by a worker.

    Raises
    ------
    ValidationError
        Where no registered choice publishes anything, before the results of every phase are released, and while it is
        being done already.
    """
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    if registered_choice(challenge) is None:
        raise ValidationError("The registered design publishes no data after the challenge.")
    if waiting := unrevealed_phases(challenge):
        raise ValidationError(
            f"Data are published when the results of every phase are released; {waiting[0].name} is not there yet."
        )
    publication = Publication.objects.filter(challenge=challenge).first() or Publication(challenge=challenge)
    if publication.pk and publication.state in Publication.OPEN:
        raise ValidationError("The data are being put together at this moment.")
    publication.state, publication.asked_by, publication.attempts, publication.failure = State.WAITING, actor, 0, ""
    publication.due_at = None
    publication.created_at = timezone.now()
    publication.save()
    ask(PUBLISHING, publication)
    record(actor=actor, act="publication_asked_for", subject=challenge, scope=challenge.slug, facts={})
    return publication


def replace_names(challenge: Challenge) -> Publication | None:
    """Ask for a new publication where the published files name a team that may not be named any more."""
    publication = Publication.objects.filter(challenge=challenge).select_related("version__dataset__challenge").first()
    if publication is None or publication.version is None or publication.state in Publication.OPEN:
        return None
    if names_are_allowed(publication.version) or registered_choice(challenge) is None or unrevealed_phases(challenge):
        return None
    return ask_for_publication(actor=None, challenge=challenge)


def publish(*, publication_id: int) -> None:
    """Collect the data of a challenge and release it, unless this is done or another worker does it."""
    lease = claim(PUBLISHING, publication_id, give_up=_give_up)
    if lease is None:
        return
    publication = Publication.objects.select_related("challenge", "asked_by").get(pk=publication_id)
    try:
        with lease.renewed(), working_folder() as folder:
            version = _publish(publication, folder, lease)
        lease.complete(state=State.PUBLISHED, version=version, failure="")
    except LeaseLostError:
        return
    except Exception:
        log.exception("publication_error", publication=publication.pk, attempt=lease.attempts)
        lease.complete(state=State.FAILED, failure=traceback.format_exc())


def _give_up(lease: Lease) -> None:
    lease.complete(state=State.FAILED, failure="Workers were lost over it.")


def _publish(publication: Publication, folder: Path, lease: Lease) -> DatasetVersion:
    challenge = publication.challenge
    choice = registered_choice(challenge)
    if choice is None or unrevealed_phases(challenge):
        raise ValidationError("The registered design publishes nothing now.")
    artifacts = [
        (artifact, _written(artifact, folder))
        for provider in hooks.artifacts
        for artifact in provider(challenge, choice)
    ]
    version = _draft(challenge, choice)
    artifacts.append(_readme(challenge, choice, version, artifacts, folder))
    lease.beat()
    stored = []
    for artifact, path in artifacts:
        digest, size = sha256_of(path, lease.beat), path.stat().st_size
        name = f"datasets/{challenge.pk}/published/{version.pk}/{digest}"
        store_file(name, path)
        stored.append((artifact.name, size, digest, name))
    with transaction.atomic():
        if not lease.rows.select_for_update(no_key=True).exists():
            raise LeaseLostError
        version.files.all().delete()
        for name, size, digest, stored_name in stored:
            DatasetFile.objects.create(
                version=version, name=name, size=size, sha256=digest, stored=stored_name, state=DatasetFile.State.READY
            )
        version.digest, version.released_at = manifest_digest(version), timezone.now()
        version.note = f"{len(choice.teams)} consenting teams"
        version.named = sorted({artifact.named.entry for artifact, _ in artifacts if artifact.named is not None})
        version.save()
        earlier = version.dataset.versions.filter(withdrawn_at=None, released_at__isnull=False).exclude(pk=version.pk)
        # Who withdrew a consent is in none that can still be had.
        earlier.update(withdrawn_at=timezone.now(), withdrawal=f"Version {version.number} replaced it.")
        record(
            actor=publication.asked_by,
            act="data_published",
            subject=version.dataset,
            scope=challenge.slug,
            facts={
                "version": version.number,
                "digest": version.digest,
                "files": len(stored),
                "teams": len(choice.teams),
            },
        )
    return version


def _written(artifact: Artifact, folder: Path) -> Path:
    if not is_file_name(artifact.name):
        raise ValueError(f"{artifact.name!r} cannot be the name of a file.")
    path = folder / artifact.name
    artifact.write(path)
    return path


def _draft(challenge: Challenge, choice: Choice) -> DatasetVersion:
    dataset, _ = Dataset.objects.get_or_create(
        challenge=challenge,
        slug=SLUG,
        defaults={
            "name": f"{challenge.title}: published data",
            "split": Dataset.Split.PUBLISHED,
            "access": Dataset.Access.OPEN,
            "licence": choice.licence[:200] or "see the registration",
        },
    )
    projection = projection_of(challenge)
    Dataset.objects.filter(pk=dataset.pk).update(
        licence=choice.licence[:200] or dataset.licence,
        citation=f"{challenge.title}, published data. Registration {projection.registration.identifier}."
        if projection
        else "",
    )
    dataset.refresh_from_db()
    last = dataset.versions.order_by("number").last()
    if last is not None and last.released_at is None:
        return last
    return DatasetVersion.objects.create(dataset=dataset, number=last.number + 1 if last else 1)


def _readme(
    challenge: Challenge, choice: Choice, version: DatasetVersion, artifacts: list[tuple[Artifact, Path]], folder: Path
) -> tuple[Artifact, Path]:
    """Write licence, citation and checksums to a file, for readers who find the data years later."""
    content = {
        "title": version.dataset.name,
        "version": version.number,
        "licence": choice.licence,
        "citation": version.dataset.citation,
        "challenge": challenge.slug,
        # Teams that are not named appear under the pseudonyms in the names of their files.
        "teams": sorted({artifact.named.team for artifact, _ in artifacts if artifact.named is not None}),
        "cases_left_out": len(choice.without_cases),
        "not_published": withheld_words(challenge, choice),
        "files": [
            {"name": artifact.name, "what": artifact.words, "bytes": path.stat().st_size, "sha256": sha256_of(path)}
            for artifact, path in artifacts
        ],
    }
    path = folder / "dataset.json"
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    return Artifact("dataset.json", "licence, citation and checksums", lambda _: None), path
