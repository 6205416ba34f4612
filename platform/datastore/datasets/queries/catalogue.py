"""Access of participants to data, for the catalogue of challenges."""

from collections.abc import Collection
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from datastore.datasets.models import Dataset, DatasetVersion

OPEN: Final = "open"
AGREEMENT: Final = "agreement"
ELSEWHERE: Final = "elsewhere"
NONE: Final = "none"
CHOICES: Final = (
    (OPEN, "open download"),
    (AGREEMENT, "after an agreement"),
    (ELSEWHERE, "on another website"),
    (NONE, "no data listed"),
)


def _offered() -> QuerySet[Dataset]:
    """Data sets for participants that are linked or have a version in use."""
    released = DatasetVersion.objects.filter(dataset=OuterRef("pk"), released_at__isnull=False, withdrawn_at=None)
    rows = Dataset.objects.exclude(split=Dataset.Split.PUBLISHED).order_by()
    return rows.filter(~Q(url="") | Exists(released))


def condition(value: str) -> Q:
    """Return the condition of challenges with an access to data, one of `CHOICES`."""
    rows = _offered()
    if value == NONE:
        return ~Q(pk__in=rows.values("challenge"))
    if value == ELSEWHERE:
        return Q(pk__in=rows.exclude(url="").values("challenge"))
    return Q(pk__in=rows.filter(url="", access=value).values("challenge"))


def values(challenges: Collection[int]) -> dict[int, list[str]]:
    """Return the values of `CHOICES` that apply to some challenges (ids); one query."""
    access_values: dict[int, set[str]] = {}
    for key, url, access in _offered().filter(challenge__in=challenges).values_list("challenge", "url", "access"):
        access_values.setdefault(key, set()).add(ELSEWHERE if url else access)
    return {key: [value for value, _ in CHOICES if value in chosen] for key, chosen in access_values.items()}
