"""Closeness of people to hidden information, in numbers only.

Covers participants who are close to organizers, and organizers who are close to the references.
"""

from typing import Final

from django.db.models import Count

from challenges.models import Challenge, Member
from core.audit.models import Entry
from datastore.test_sets.queries.access_log import DOWNLOADED, SEEN


def reference_access(challenge: Challenge) -> dict[str, int]:
    """Count views and downloads of hidden references through the platform, and the people behind them."""
    rows = Entry.objects.filter(scope=challenge.slug, act__in=(SEEN, DOWNLOADED))
    act_counts = rows.order_by().values_list("act").annotate(number=Count("pk"))
    counts = dict(act_counts)
    people = rows.order_by().aggregate(people=Count("actor", distinct=True))["people"]
    return {"seen": counts.get(SEEN, 0), "downloaded": counts.get(DOWNLOADED, 0), "people": people}


def affinity(challenge: Challenge) -> dict[str, int]:
    """Count the team members who share an affiliation or an e-mail domain with an organizer, in numbers only."""
    organizers = list(challenge.organizers.values_list("affiliation", "email"))
    members = list(
        Member.objects.filter(challenge=challenge).values_list("user__affiliation", "user__email", "team_id")
    )
    places = {_folded(affiliation) for affiliation, _ in organizers} - {""}
    domains = {_domain(email) for _, email in organizers} - COMMON_DOMAINS - {""}
    close = [
        team for affiliation, email, team in members if _folded(affiliation) in places or _domain(email) in domains
    ]
    return {"members": len(members), "close": len(close), "teams": len(set(close))}


COMMON_DOMAINS: Final = frozenset(
    {
        "gmail.com",
        "googlemail.com",
        "outlook.com",
        "hotmail.com",
        "yahoo.com",
        "qq.com",
        "163.com",
        "icloud.com",
        "web.de",
    }
)
"""E-mail providers whose domains do not indicate a person's employer."""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _domain(email: str) -> str:
    return email.rpartition("@")[2].casefold()
