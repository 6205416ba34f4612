"""Finding registrations and their versions."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.utils import timezone

from conversations.models import Post, Thread
from conversations.queries import threads_about
from designs.models import Design
from evaluation.designs.catalogue import shipped
from evaluation.designs.document.sealing import commitment
from registry.domain.public_documents import withheld
from registry.models import Disclosure, Registration, RegistrationVersion


def current_version(registration: Registration) -> RegistrationVersion:
    """The newest version; every registration has one."""
    return registration.versions.order_by("-major", "-minor")[0]


def registration_of(design: Design) -> Registration | None:
    """The registration of a design, if it has one."""
    return Registration.objects.filter(design=design).first()


def registration_or_404(identifier: str) -> Registration:
    """A registration by its identifier or readable name.

    Raises
    ------
    Http404
        When there is none.
    """
    found = Registration.objects.filter(identifier=identifier).first()
    found = found or Registration.objects.filter(slug=identifier).first()
    if found is None:
        raise Http404("There is no such registration.")
    return found


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
    """What a version still withholds: place, event and digest."""
    opened = opened_values(version)
    return [
        (place, event, digest) for place, (event, digest) in withheld(version.document).items() if place not in opened
    ]


def opened_values(version: RegistrationVersion) -> dict[str, Disclosure]:
    """Values that a version withholds and that were opened, in it or in another version that withheld the same."""
    digests = {place: digest for place, (_, digest) in withheld(version.document).items()}
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
        What was said; a hidden one says why.
    answer
        What the organizers answered, if they did.
    label
        Name of the parameter; empty for the design as a whole.
    """

    thread: Thread
    comment: Post
    answer: Post | None
    label: str


def comments_of(registration: Registration, *, reader: Any) -> list[CommentRow]:
    """Comments with their answers, the oldest first; three queries whatever their number."""
    rows = []
    for thread in threads_about(registration, reader=reader).prefetch_related("posts__author"):
        comment, *later = thread.posts.all()
        label = shipped().parameters[thread.topic].label if thread.topic else ""
        rows.append(CommentRow(thread, comment, next((post for post in later if post.is_answer), None), label))
    return rows


def takes_comments(registration: Registration) -> bool:
    """Whether the comment period runs."""
    return (
        registration.state == Registration.State.COMMENT_PERIOD
        and registration.comment_until is not None
        and timezone.now() < registration.comment_until
    )
