"""Announcements of organizers to all people in a challenge, and private messages to organizers."""

import rules
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse

from accounts.conversations.services import start_thread
from accounts.models import User
from accounts.notifications.domain.letters_of_people import ANNOUNCED, OfPost
from accounts.notifications.services import notify
from challenges.models import Announcement, Challenge, Contact, Organizer
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


@transaction.atomic
def contact_organizers(*, actor: User, challenge: Challenge, title: str, text: str) -> Contact:
    """Send a private message to the organizers, who are notified and can reply.

    Raises
    ------
    PermissionDenied
        For people who cannot see the challenge, and for its organizers.
    ValidationError
        For a person who has sent too many messages within a day.
    """
    if not rules.test_rule("challenges.contact_organizers", actor, challenge):
        raise PermissionDenied("Sign in to contact the organizers.")
    # Locked, so that two requests at the same moment do not exceed the limit.
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    contact = Contact.objects.create(challenge=challenge, sender=actor)
    start_thread(actor=actor, target=contact, title=title, text=text)
    return contact
