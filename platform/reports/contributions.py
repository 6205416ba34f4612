"""Contributions of this app to the apps above it, connected when the app is ready."""

from collections.abc import Callable, Iterable, Iterator

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from challenges import hooks as challenges_hooks
from challenges.models import Challenge, Phase
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from evaluation import canonical
from leaderboards.queries.current import frozen_moments, versions_of
from leaderboards.queries.rankings import key_of
from registry.hooks import Link
from registry.models import Registration
from reports.models import Report, ReportSettings
from reports.services.storing import read_content


def register() -> None:
    """Connect the contributions of this app."""
    challenges_hooks.steps.register(steps)
    uploads_hooks.stored_files.register(stored)


# --- Step of the checklist of organizers ------------------------------------------------------------------------------
def steps(challenge: Challenge) -> list[challenges_hooks.Step]:
    """Return whether the report of the challenge is published."""
    return [
        challenges_hooks.Step(
            "Report published",
            is_done=ReportSettings.objects.filter(challenge=challenge, published__isnull=False).exists(),
            order=80,
            act="Create the report",
            address=reverse("reports:desk", args=[challenge.slug]),
        )
    ]


# --- Links to rankings and reports that the registry shows ------------------------------------------------------------
def published_report(registration: Registration) -> Iterable[Link]:
    """The public report of the challenge that runs a registration."""
    rows = ReportSettings.objects.filter(
        challenge__projection__registration=registration, challenge__is_public=True, published__isnull=False
    ).select_related("challenge", "published")
    for settings in rows:
        assert settings.published is not None  # of the filtered ones
        score = settings.published.score
        yield Link(
            kind="report",
            label=f"Report of {settings.challenge.title}",
            url=reverse("reports:index", args=[settings.challenge.slug]),
            note=f"{score.get('covered', 0)} of {score.get('items', 0)} items of BIAS",
        )


def public_rankings(registration: Registration) -> Iterable[Link]:
    """Return the public rankings of the challenge that runs a registration."""
    phases = list(
        Phase.objects.filter(task__challenge__projection__registration=registration, task__challenge__is_public=True)
        .select_related("task__challenge")
        .order_by("task__position", "position")
    )
    visitor = AnonymousUser()
    ranked = versions_of(phases, frozen_moments(phases, visitor)) if phases else {}
    for phase in phases:
        if phase.pk in ranked and visitor.has_perm("leaderboards.view_ranking", phase):
            yield Link(
                kind="leaderboard",
                label=f"Leaderboard: {phase.name}",
                url=reverse("leaderboards:current", args=[phase.challenge.slug, key_of(phase, phases)]),
                note=phase.task.name,
            )


# --- Reports, as the verification of the storage reads them -----------------------------------------------------------
def stored() -> Iterator[StoredFile]:
    """The content of every report that was made, and its documents."""
    for report in Report.objects.exclude(content_name="").order_by("pk").iterator():
        what = f"report number {report.pk}"
        yield StoredFile(report.content_name, what, _says(report.content_name, report.digest))
        for name in report.files.values():
            yield StoredFile(name, f"document of {what}")


def _says(name: str, digest: str) -> Callable[[], str]:
    def proof() -> str:
        content_digest = canonical.sha256(read_content(name))
        return "" if content_digest == digest else f"the digest of its content is {content_digest} and was {digest}"

    return proof
