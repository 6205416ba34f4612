"""Links into closed challenges, and words about who sees a challenge."""

from django.db.models import Count, QuerySet
from django.utils import timezone

from accounts.people.queries import digest_of
from challenges.models import AccessLink, Challenge


def find_link(slug: str, token: str) -> AccessLink | None:
    """Return the valid link with this token into the challenge at this address; `None` for any other."""
    return (
        AccessLink.objects.filter(
            token_digest=digest_of(token),
            challenge__slug=slug,
            challenge__is_closed=True,
            challenge__projection__opened_at__isnull=False,
            withdrawn_at=None,
            expires_at__gt=timezone.now(),
        )
        .select_related("challenge__projection")
        .first()
    )


def links_of(challenge: Challenge) -> QuerySet[AccessLink]:
    """Return the links of a challenge with the number of people who entered by each, the newest first."""
    return challenge.access_links.select_related("created_by").annotate(people=Count("admissions"))


def visibility_words(challenge: Challenge) -> str:
    """Return who sees a challenge, after its launch or opening, as sentences."""
    sealing = "A phase takes submissions when its test set is sealed."
    if not challenge.is_for_readers:
        return "It is hidden until the launch gate lets submissions open."
    if challenge.is_closed:
        return f"Members and invited people see it. {sealing}"
    return f"It is public. {sealing}"
