"""Announcements of organizers to all people in a challenge."""

from django.db import transaction
from django.urls import reverse

from accounts.models import User
from accounts.notifications.domain.letters_of_people import ANNOUNCED, OfPost
from accounts.notifications.services import notify
from challenges.models import Announcement, Challenge, Organizer
from challenges.queries.people import organizers_of, participants_of
from core.audit.services import record
from web.templatetags.text import plain

EVERY_ROLE = tuple(Organizer.Role.values)


@transaction.atomic
def announce(*, actor: User, challenge: Challenge, title: str, text: str) -> Announcement:
    """Notify all participants and organizers, on the page and by e-mail as each of them prefers."""
    recipients = {
        person.pk: person for person in [*participants_of(challenge), *organizers_of(challenge, roles=EVERY_ROLE)]
    }
    announcement = Announcement.objects.create(
        challenge=challenge, title=title, text=text, author=actor, told=len(recipients)
    )
    record(
        actor=actor,
        act="announcement_published",
        subject=announcement,
        scope=challenge.slug,
        facts={"title": title, "told": len(recipients)},
    )
    letter = ANNOUNCED.letter(OfPost(challenge.title, title, plain(text)))
    notify(
        people=recipients.values(),
        kind="announcement",
        subject=letter.subject,
        text=letter.text,
        address=reverse("challenges:news", args=[challenge.slug]),
        scope=challenge.slug,
        key=f"announcement {announcement.pk}",
    )
    return announcement
