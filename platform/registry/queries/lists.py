"""Lists of registrations, and the search."""

import re
from typing import Any, Final

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db import connections
from django.db.models import F, Prefetch, Q, QuerySet

from designs.models.designs import Role
from registry.models import Facet, Listing, RegistrationVersion
from reviews.models import Filing

# The expression of the index in migration 0004.
_VECTOR: Final = SearchVector("text", config="english")
MAX_WORDS: Final = 20


def listed() -> QuerySet[Listing]:
    """All registrations as lists show them, the newest first, in a constant number of queries."""
    return (
        Listing.objects.select_related("registration", "version")
        .defer("text", "figures", "version__canonical", "version__sealed", "version__changes")
        .prefetch_related(Prefetch("registration__facets", queryset=Facet.objects.order_by("kind", "label")))
        .order_by("-registration__registered_at", "-pk")
    )


def waiting_for(user: Any) -> list[Filing]:
    """Accepted designs that this person may register: as an owner, or as a chair of the call."""
    if not user.is_authenticated:
        return []
    mine = Q(design__collaborators__user=user, design__collaborators__role=Role.OWNER) | Q(call__chairs__user=user)
    accepted = Filing.objects.filter(mine, state=Filing.State.ACCEPTED).select_related("call", "design")
    return list(accepted.distinct().order_by("call__registration_at", "pk"))


def newest_listings(number: int) -> list[Listing]:
    """The newest registrations."""
    return list(listed()[:number])


def search(queryset: QuerySet[Listing], text: str) -> QuerySet[Listing]:
    """Listings in which all words stand, “several words” in quotes as they stand there.

    On PostgreSQL by word stems, the best match first; elsewhere word by word as they are written.
    """
    text = text.replace("\x00", "").strip()
    if not text:
        return queryset
    if connections[queryset.db].vendor == "postgresql":
        query = SearchQuery(text, search_type="websearch", config="english")
        return (
            queryset.annotate(words=_VECTOR)
            .filter(words=query)
            .annotate(rank=SearchRank(F("words"), query))
            .order_by("-rank", "-registration__registered_at")
        )
    for word in _words(text)[:MAX_WORDS]:
        queryset = queryset.filter(text__icontains=word)
    return queryset


def facet_options() -> dict[str, list[tuple[str, str]]]:
    """What there is to choose from, by kind: value and label, in one query."""
    options: dict[str, dict[str, str]] = {}
    for kind, value, label in Facet.objects.values_list("kind", "value", "label").distinct().order_by("label"):
        options.setdefault(kind, {}).setdefault(value, label)
    return {kind: list(found.items()) for kind, found in options.items()}


def newest_versions(number: int) -> QuerySet[RegistrationVersion]:
    """The newest versions of all registrations, for the feed."""
    return (
        RegistrationVersion.objects.select_related("registration__listing")
        .defer("canonical", "sealed", "registration__listing__text", "registration__listing__figures")
        .order_by("-registered_at", "-pk")[:number]
    )


def _words(text: str) -> list[str]:
    """Words and quoted phrases.

    Examples
    --------
    >>> _words('hippocampus "left atrium" MRI')
    ['hippocampus', 'left atrium', 'MRI']
    """
    return [phrase or word for phrase, word in re.findall(r'"([^"]+)"|(\S+)', text)]
