"""Comments on a registration and their answers (REG-15; `accounts.conversations.hooks.policies`)."""

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.conversations.hooks import Acts, ConversationPolicy, Rate, policies
from accounts.conversations.models import Post, Thread
from evaluation.designs.catalogue import shipped
from registry.forms import MAX_TEXT
from registry.models import Registration
from registry.queries import current_version, takes_comments
from registry.services.messages import tell_answered, tell_commented

# Enough for a thorough reader, too few for a nuisance.
MAX_A_DAY = 20


class RegistrationComments(ConversationPolicy[Registration]):
    """Policy of the public comments on a registration.

    Anyone can read the comments. Signed-in users comment by name during the comment period. Organizers answer, and
    chairs hide comments.

    The topic of a thread is a public parameter, or empty. Its part is the number of the version that was
    commented on. A later answer replaces the earlier one. A hidden comment keeps its position and shows the
    reason, which is public.
    """

    model = Registration
    acts = Acts(
        started="registration_comment_added",
        answered="registration_comment_answered",
        hidden="registration_comment_hidden",
    )
    moderators = "registry.moderate_comments"
    answerers = "registry.answer_comment"
    text_length = MAX_TEXT
    rate = Rate(
        threads=MAX_A_DAY,
        period=timedelta(days=1),
        message=f"At most {MAX_A_DAY} comments a day; write more tomorrow.",
        each_target=True,
    )
    asks_for_reason = "Say why: the reason is public."

    def scope(self, target: Registration) -> str:
        """The identifier."""
        return target.identifier

    def path(self, thread: Thread, target: Registration) -> str:
        """The comment in its list."""
        return f"{reverse('registry:comments', args=[target.identifier])}#comment-{thread.pk}"

    def check_topic(self, target: Registration, *, topic: str, part: str) -> None:
        """Refuse comments outside of the period, on parameters that are not public, and on another version."""
        if not takes_comments(target):
            raise ValidationError("The comment period is over.")
        if topic and (topic not in shipped().parameters or shipped()[topic].visibility != "public"):
            raise ValidationError({"parameter": "There is no such parameter."})
        if part != current_version(target).number:
            raise ValidationError("There is a newer version by now. Read it first.")

    def may_read(self, user: Any, target: Registration) -> bool:
        """Return whether the user reads the record: its comments are as public as it is."""
        return bool(user.has_perm("registry.read_registration", target))

    def may_write(self, user: Any, target: Registration) -> bool:
        """Return whether the user is signed in and reads the record."""
        return bool(user.is_authenticated) and self.may_read(user, target)

    def may_reply(self, user: Any, target: Registration) -> bool:  # noqa: ARG002 (nobody)
        """Return False for all users: a comment has an answer of the organizers, and no debate."""
        return False

    def facts(self, thread: Thread) -> dict[str, Any]:
        """Return the parameter and the version of a thread."""
        return {"parameter": thread.topic, "version": thread.part}

    def was_started(self, post: Post, *, thread: Thread, target: Registration) -> None:
        """Notify all people who work on the design."""
        tell_commented(target, thread, post)

    def was_answered(self, post: Post, *, thread: Thread, target: Registration) -> None:
        """Notify the author of the comment."""
        tell_answered(target, thread, post)


REGISTRATION_COMMENTS = policies.register(RegistrationComments())
