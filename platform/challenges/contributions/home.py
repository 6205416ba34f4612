"""Challenges on the home page."""

from collections.abc import Iterator

from django.db.models import Count, Q
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Concern, Member, Organizer, Participation
from challenges.queries import catalogue, contacts
from web.home import Next

SHOWN = 6
SUGGESTED = 3


def open_challenges(request: HttpRequest) -> str:
    """Return the cards of the first public challenges as HTML: open ones by deadline."""
    first = list(catalogue.ordered(catalogue.catalogued(), "")[:SHOWN])
    return render_to_string(
        "challenges/home_section.html", {"cards": catalogue.cards(first), "heading": "Challenges"}, request
    )


def suggested(request: SignedInRequest) -> str | None:
    """Return open challenges as HTML for people who take part in none and organize none."""
    user = request.user
    if Member.objects.filter(user=user).exists() or Organizer.objects.filter(user=user).exists():
        return None
    opened = catalogue.catalogued().filter(Q(state=catalogue.OPEN))
    cards = catalogue.cards(list(catalogue.ordered(opened, "")[:SUGGESTED]))
    return render_to_string(
        "challenges/home_section.html", {"cards": cards, "heading": "Suggested challenges"}, request
    )


def challenges_run(request: SignedInRequest) -> str | None:
    """The challenges that the person organizes, as HTML; nothing while there is none."""
    rows = Challenge.objects.filter(organizer__user=request.user).prefetch_related("tasks__phases")
    challenges = list(rows.order_by("-created_at"))
    return render_to_string("challenges/home_run.html", {"challenges": challenges}, request) if challenges else None


def what_organizers_do_next(request: SignedInRequest) -> Iterator[Next]:
    """Requests to decide, concerns to look at, messages to answer, and challenges that are not open yet; two queries."""
    for contact in contacts.open_contacts(request.user):
        yield Next(
            f"Reply to “{contact.title}”",
            contact.challenge,
            reverse("challenges:contact_thread", args=[contact.slug, contact.pk]),
        )
    organized = (
        Challenge.objects.filter(organizer__user=request.user, organizer__role__in=Organizer.TRUSTED)
        .select_related("projection__registration")
        .only("slug", "title", "projection__opened_at", "projection__registration__state")
        .annotate(
            requests=Count(
                "participations", filter=Q(participations__state=Participation.State.PENDING), distinct=True
            ),
            open_concerns=Count("concerns", filter=Q(concerns__state=Concern.State.OPEN), distinct=True),
        )
    )
    for challenge in organized:
        people = reverse("challenges:people", args=[challenge.slug])
        if challenge.requests:
            yield Next(
                _counted(challenge.requests, "request to decide", "requests to decide"),
                challenge.title,
                f"{people}#requests",
            )
        if challenge.open_concerns:
            yield Next(
                _counted(challenge.open_concerns, "concern to look at", "concerns to look at"),
                challenge.title,
                f"{people}#concerns",
            )
        projection = getattr(challenge, "projection", None)
        if projection is not None and projection.opened_at is None and not projection.registration.is_ended:
            yield Next("Open the challenge", challenge.title, reverse("challenges:organize", args=[challenge.slug]))


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
