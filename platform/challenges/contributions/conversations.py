"""Discussion of a challenge, and private messages to its organizers (`accounts.conversations.hooks.policies`)."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.urls import reverse

from accounts.conversations.hooks import Acts, ConversationPolicy, Rate, policies
from accounts.conversations.models import Thread
from accounts.models import User
from accounts.notifications.domain.letters_of_people import CONTACTED
from challenges.models import Challenge, Contact, Organizer
from challenges.queries.people import organizers_of
from challenges.rules import is_correspondent, is_named_organizer


class ChallengeDiscussion(ConversationPolicy[Challenge]):
    """Discussion of a challenge: open to its viewers for reading, and to signed-in people for writing.

    Posts show the name of their author. Organizers moderate. A closed thread accepts no more posts. Organizers
    are notified of new threads, and so are people who follow the discussion.
    """

    model = Challenge
    acts = Acts(
        started="thread_started",
        written="post_written",
        closed="thread_closed",
        reopened="thread_opened",
        answer_marked="answer_marked",
        answer_unmarked="answer_unmarked",
        hidden="post_hidden",
    )
    readers = "challenges.view_challenge"
    writers = "challenges.discuss_challenge"
    closers = moderators = "challenges.moderate_challenge"
    has_answers = True
    reopens = False
    rate = Rate(
        posts=30,
        period=timedelta(hours=1),
        message="You have written a lot within the last hour. Please go on later.",
    )
    mail_kind = "discussion"

    def scope(self, target: Challenge) -> str:
        """The challenge's short name."""
        return target.slug

    def path(self, thread: Thread, target: Challenge) -> str:
        """The page of the thread."""
        return reverse("challenges:thread", args=[target.slug, thread.pk])

    def facts(self, thread: Thread) -> dict[str, Any]:
        """Return the thread and its title."""
        return {"thread": thread.pk, "title": thread.title}

    def about(self, target: Challenge) -> str:
        """The title of the challenge."""
        return target.title

    def told_of_threads(self, target: Challenge) -> Iterable[User]:
        """Return all organizers, moderators included."""
        return organizers_of(target, roles=tuple(Organizer.Role.values))


CHALLENGE_DISCUSSION = policies.register(ChallengeDiscussion())


class ContactConversation(ConversationPolicy[Contact]):
    """Private conversation: only the sender and the organizers of the challenge read and write.

    Moderators and administrators of the platform do not. Organizers close a conversation; nobody can write in a closed
    one until they open it again.
    """

    model = Contact
    acts = Acts(
        started="contact_started", written="contact_written", closed="contact_closed", reopened="contact_opened"
    )
    reopens = False
    text_length = 5_000
    rate = Rate(
        threads=5,
        posts=100,
        period=timedelta(days=1),
        message="You have sent too many private messages today. Try again tomorrow.",
    )
    mail_kind = "contact"
    letter = CONTACTED

    def may_read(self, user: Any, target: Contact) -> bool:
        """Return whether a person is the sender or an organizer."""
        return bool(is_correspondent(user, target))

    def may_write(self, user: Any, target: Contact) -> bool:
        """Return the same: who reads may write."""
        return self.may_read(user, target)

    def may_close(self, user: Any, target: Contact) -> bool:
        """Return whether a person organizes the challenge."""
        return bool(is_named_organizer(user, target.challenge))

    def scope(self, target: Contact) -> str:
        """The challenge's short name."""
        return target.challenge.slug

    def path(self, thread: Thread, target: Contact) -> str:  # noqa: ARG002 (signature of the policy)
        """The page of the conversation."""
        return reverse("challenges:contact_thread", args=[target.challenge.slug, target.pk])

    def about(self, target: Contact) -> str:
        """The title of the challenge."""
        return target.challenge.title

    def told_of_threads(self, target: Contact) -> Iterable[User]:
        """Return the organizers."""
        return organizers_of(target.challenge)

    def told_of_replies(self, target: Contact) -> Iterable[User]:
        """Return the sender and the organizers, including those who became organizers later."""
        return [target.sender, *organizers_of(target.challenge)]


CONTACT_CONVERSATION = policies.register(ContactConversation())
