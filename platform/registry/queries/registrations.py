"""Finding registrations and their versions: one by one, in lists, and by search."""

import re
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db import connections
from django.db.models import F, Prefetch, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from accounts.conversations.models import Post, Thread
from accounts.conversations.queries import threads_about
from designs.hooks import Standing
from designs.models import Design, Role
from evaluation.designs.catalogue import shipped
from evaluation.designs.document.sealing import commitment
from registry.domain.public_documents import withheld
from registry.models import Disclosure, Facet, Listing, Registration, RegistrationVersion
from reviews.models import Filing
from web.wording import day_words

# The expression of the index in migration 0004.
_VECTOR: Final = SearchVector("text", config="english")
MAX_WORDS: Final = 20


def current_version(registration: Registration) -> RegistrationVersion:
    """The newest version; every registration has one."""
    return registration.versions.order_by("-major", "-minor")[0]


def registration_of(design: Design) -> Registration | None:
    """The registration of a design, if it has one."""
    return Registration.objects.filter(design=design).first()


def standing_of(registration: Registration) -> Standing:
    """Return the status of a record for the pages of its design."""
    until = registration.comment_until if registration.state == Registration.State.COMMENT_PERIOD else None
    address = registration.get_absolute_url()
    return Standing(
        words=registration.get_state_display().capitalize() if registration.is_ended else "Registered",
        where=registration.identifier,
        address=address,
        kind="muted" if registration.is_ended else "ok",
        text=f"It is open for comments until {day_words(until)}." if until else "",
        act="Open the record",
        act_address=address,
    )


def registration_or_404(identifier: str, user: Any) -> Registration:
    """Return a registration that a person may read, by its identifier or readable name.

    Raises
    ------
    Http404
        When there is none, also for a registration under embargo that is not shown to the person.
    """
    registration = announced_registration(identifier)
    if not user.has_perm("registry.read_registration", registration):
        raise Http404("There is no such registration.")
    return registration


def announced_registration(identifier: str) -> Registration:
    """Return a registration, also one under embargo, of which everyone sees identifier, dates and digests.

    Raises
    ------
    Http404
        When there is none.
    """
    registration = Registration.objects.filter(identifier=identifier).first()
    registration = registration or Registration.objects.filter(slug=identifier).first()
    if registration is None:
        raise Http404("There is no such registration.")
    return registration


def named_records(user: Any) -> QuerySet[Registration]:
    """Return the registrations whose names messages to a person may show: public ones, and those that the person works on."""
    if user.is_superuser:
        return Registration.objects.all()
    works_on = Q(design__collaborators__in=user.design_roles.all()) if user.is_authenticated else Q(pk__in=())
    return Registration.objects.filter(Q(is_embargoed=False) | works_on).distinct()


def embargoed_versions() -> QuerySet[RegistrationVersion]:
    """Return the versions of registrations under embargo, the newest first, without anything of their content."""
    return (
        RegistrationVersion.objects.filter(registration__is_embargoed=True)
        .select_related("registration")
        .only("major", "minor", "digest", "registered_at", "registration__identifier")
        .order_by("-registered_at", "-pk")
    )


def listing_of(registration: Registration) -> Listing:
    """Return the listing of a registration, also under embargo, with its document."""
    rows = Listing.everything.select_related("registration", "version").defer("text", "version__sealed")
    return rows.get(registration=registration)


def version_or_404(registration: Registration, number: str) -> RegistrationVersion:
    """A version by the number that people read.

    Raises
    ------
    Http404
        When there is none.
    """
    major, dot, minor = number.partition(".")
    if not (dot and major.isdecimal() and minor.isdecimal() and len(number) <= 11):
        raise Http404("There is no such version.")
    version = registration.versions.filter(major=int(major), minor=int(minor)).first()
    if version is None:
        raise Http404("There is no such version.")
    return version


def sealed_places(version: RegistrationVersion) -> list[tuple[str, str, str]]:
    """Return the values that a version still withholds: path, event and digest."""
    opened = opened_values(version)
    return [
        (field_path, event, digest)
        for field_path, (event, digest) in withheld(version.document).items()
        if field_path not in opened
    ]


def opened_values(version: RegistrationVersion) -> dict[str, Disclosure]:
    """Values that a version withholds and that were opened, in it or in another version that withheld the same."""
    digests = {field_path: digest for field_path, (_, digest) in withheld(version.document).items()}
    if not digests:
        return {}
    return {
        entry.place: entry
        for entry in Disclosure.objects.filter(version__registration=version.registration_id)
        if entry.place in digests and commitment(entry.value, entry.nonce) == digests[entry.place]
    }


@dataclass(frozen=True)
class CommentRow:
    """A comment on a registration as its page shows it.

    Attributes
    ----------
    comment
        The comment. A hidden one shows the reason.
    answer
        The answer of the organizers, if there is one.
    label
        Name of the parameter; empty for the design as a whole.
    """

    thread: Thread
    comment: Post
    answer: Post | None
    label: str


def comments_of(registration: Registration, *, reader: Any) -> list[CommentRow]:
    """Return the comments with their answers, the oldest first, in three queries."""
    rows = []
    for thread in threads_about(registration, reader=reader).prefetch_related("posts__author"):
        comment, *later = thread.posts.all()
        label = shipped().parameters[thread.topic].label if thread.topic else ""
        rows.append(CommentRow(thread, comment, next((post for post in later if post.is_answer), None), label))
    return rows


def takes_comments(registration: Registration) -> bool:
    """Return whether the comment period is open."""
    return (
        registration.state == Registration.State.COMMENT_PERIOD
        and registration.comment_until is not None
        and timezone.now() < registration.comment_until
    )


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
    """Return the listings that contain all words; a quoted phrase must occur verbatim.

    PostgreSQL searches by word stems and returns the best match first. Other databases search for each word as
    written.
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
    """Return the available facet values with their labels, by kind, in one query."""
    options: dict[str, dict[str, str]] = {}
    for kind, value, label in Facet.objects.values_list("kind", "value", "label").distinct().order_by("label"):
        options.setdefault(kind, {}).setdefault(value, label)
    return {kind: list(labels_by_value.items()) for kind, labels_by_value in options.items()}


def newest_versions(number: int) -> QuerySet[RegistrationVersion]:
    """The newest versions of all registrations, for the feed."""
    return (
        RegistrationVersion.objects.filter(registration__is_embargoed=False)
        .select_related("registration__listing")
        .defer("canonical", "sealed", "registration__listing__text", "registration__listing__figures")
        .order_by("-registered_at", "-pk")[:number]
    )


def _words(text: str) -> list[str]:
    """Return the words and quoted phrases of a search text.

    Examples
    --------
    >>> _words('hippocampus "left atrium" MRI')
    ['hippocampus', 'left atrium', 'MRI']
    """
    return [phrase or word for phrase, word in re.findall(r'"([^"]+)"|(\S+)', text)]
