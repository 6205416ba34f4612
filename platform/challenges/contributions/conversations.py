"""The discussion of a challenge (`accounts.conversations.hooks.policies`)."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.urls import reverse

from accounts.conversations.hooks import Acts, ConversationPolicy, Rate, policies
from accounts.conversations.models import Thread
from accounts.models import User
from challenges.models import Challenge, Organizer
from challenges.queries.people import organizers_of


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
