"""What the registry shows of reports."""

from collections.abc import Iterable

from django.urls import reverse

from leaderboards.models import ReportSettings
from registry.hooks import Link
from registry.models import Registration


def published_report(registration: Registration) -> Iterable[Link]:
    """The public report of the challenge that runs a registration."""
    rows = ReportSettings.objects.filter(
        challenge__projection__registration=registration, challenge__is_public=True, published__isnull=False
    ).select_related("challenge", "published")
    for settings in rows:
        yield Link(
            kind="report",
            label=f"Report of {settings.challenge.title}",
            url=reverse("reports:index", args=[settings.challenge.slug]),
            note=f"{settings.published.score.get('covered', 0)} of {settings.published.score.get('items', 0)} items of BIAS",
        )
