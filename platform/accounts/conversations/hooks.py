"""Subjects and visibility of conversations: each app registers a policy for its model in `AppConfig.ready`.

`policies`
    One `ConversationPolicy` per model with conversations.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model

from accounts.conversations.models import TEXT_LENGTH, Post, Thread
from accounts.notifications.domain.acts import Act
from accounts.notifications.domain.letters_of_people import POSTED, OfPost
from web.hooks import Hook

TargetT = TypeVar("TargetT", bound=Model)


@dataclass(frozen=True)
class Acts:
    """Names of the acts in the log, in the past tense; empty for acts that the policy permits to no person."""

    started: str
    written: str = ""
    closed: str = ""
    reopened: str = ""
    answered: str = ""
    answer_marked: str = ""
    answer_unmarked: str = ""
    hidden: str = ""


@dataclass(frozen=True)
class Rate:
    """Limit on the posts and threads of one person.

    Attributes
    ----------
    period, message
        Period of the limit, and the message to people who exceed it.
    posts, threads
        Maximum number of posts, and of new threads; no limit if none.
    each_target
        True if each target is counted separately; otherwise all targets of the kind together.
    """

    period: timedelta
    message: str
    posts: int | None = None
    threads: int | None = None
    each_target: bool = False


class ConversationPolicy(ABC, Generic[TargetT]):
    """Rules for reading, writing, closing and notifications of conversations about one kind of object.

    Attributes
    ----------
    model
        Model of the objects that the conversations are about.
    acts
        Names for the log.
    readers, writers
        Permissions for the target (`rules`) of people who read, and of people who write; empty if `may_read`
        and `may_write` are overridden.
    moderators
        Permission of people who hide posts; empty if no person may.
    closers
        Permission of people who close a thread and open it again; empty if no person may.
    answerers
        Permission of people whose post is the answer of a thread, where a later post replaces an earlier one;
        empty if there is no such side.
    has_answers
        True if the author of the thread or a moderator can mark a post as the answer.
    reopens
        True if a post in a closed thread opens it again; otherwise the post is refused.
    text_length
        Maximum number of characters of a post.
    rate
        Limit on the posts of one person; no limit if none.
    asks_for_reason
        Message to a moderator who hides a post without a reason; empty if none is required.
    mail_kind
        Kind of message (`accounts.notifications.kinds`) to followers; empty if no person is notified.
    letter
        Wording of the message.
    """

    model: ClassVar[type[Model]]
    acts: ClassVar[Acts]
    readers: ClassVar[str] = ""
    writers: ClassVar[str] = ""
    closers: ClassVar[str] = ""
    answerers: ClassVar[str] = ""
    moderators: ClassVar[str] = ""
    has_answers: ClassVar[bool] = False
    reopens: ClassVar[bool] = True
    text_length: ClassVar[int] = TEXT_LENGTH
    rate: ClassVar[Rate | None] = None
    asks_for_reason: ClassVar[str] = ""
    mail_kind: ClassVar[str] = ""
    letter: ClassVar[Act[OfPost]] = POSTED

    @abstractmethod
    def scope(self, target: TargetT) -> str:
        """Return the slug under which the log files conversations about the target."""

    @abstractmethod
    def path(self, thread: Thread, target: TargetT) -> str:
        """Path of the page with the thread."""

    def check_topic(self, target: TargetT, *, topic: str, part: str) -> None:  # noqa: ARG002 (others look)
        """Refuse a topic that the target does not have; without further ado there are no topics.

        Raises
        ------
        ValidationError
            With the reason.
        """
        if topic or part:
            raise ValidationError("There is no such topic.")

    def may_read(self, user: Any, target: TargetT) -> bool:
        """Return whether a person may read conversations about the target."""
        return self._has(self.readers, user, target)

    def may_write(self, user: Any, target: TargetT) -> bool:
        """Return whether a person may start threads."""
        return self._has(self.writers, user, target)

    def may_reply(self, user: Any, target: TargetT) -> bool:
        """Return whether a person may write in threads of others."""
        return self.may_write(user, target)

    def may_answer(self, user: Any, target: TargetT) -> bool:
        """Return whether a person's post is the answer of a thread."""
        return self._has(self.answerers, user, target)

    def may_close(self, user: Any, target: TargetT) -> bool:
        """Return whether a person may close threads and open them again."""
        return self._has(self.closers, user, target)

    def may_moderate(self, user: Any, target: TargetT) -> bool:
        """Return whether a person may hide posts of others."""
        return self._has(self.moderators, user, target)

    def may_mark(self, user: Any, thread: Thread, target: TargetT) -> bool:
        """Return whether a person may mark the answer: the author of the thread, and moderators."""
        return self.has_answers and (thread.author_id == user.pk or self.may_moderate(user, target))

    def facts(self, thread: Thread) -> dict[str, Any]:
        """Return the facts that the log keeps of an act on a thread; never the text of a post."""
        return {"thread": thread.pk}

    def about(self, target: TargetT) -> str:
        """Return the name of the target for messages."""
        return str(target)

    def told_of_threads(self, target: TargetT) -> Iterable[Any]:  # noqa: ARG002 (others look)
        """Return the people who are notified of new threads in addition to followers (`follow`)."""
        return ()

    def told_of_replies(self, target: TargetT) -> Iterable[Any]:  # noqa: ARG002 (others look)
        """Return the people who are notified of every reply in addition to followers (`follow`)."""
        return ()

    def was_started(self, post: Post, *, thread: Thread, target: TargetT) -> None:
        """Do what follows from a new thread besides telling followers."""

    def was_answered(self, post: Post, *, thread: Thread, target: TargetT) -> None:
        """Do what follows from the answer of a side (`answerers`)."""

    def _has(self, permission: str, user: Any, target: TargetT) -> bool:
        """Return whether a person has a permission of the policy; False for an empty permission."""
        return bool(permission and user.has_perm(permission, target))


policies: Hook[ConversationPolicy[Any]] = Hook()


def policy_of(target: Model | type[Model]) -> ConversationPolicy[Any]:
    """Return the policy for conversations about `target`, an object or its model.

    Raises
    ------
    LookupError
        Where no app registered one.
    """
    model = target if isinstance(target, type) else type(target)
    for policy in policies:
        if policy.model is model:
            return policy
    raise LookupError(f"No app says who talks about {model.__name__} (accounts.conversations.hooks.policies).")
