"""What people talk about, and who sees what: each app registers a policy for its model in `AppConfig.ready`.

`policies`
    One `ConversationPolicy` for each model that people talk about.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model

from conversations.models import TEXT_LENGTH, Post, Thread
from web.hooks import Hook

TargetT = TypeVar("TargetT", bound=Model)


@dataclass(frozen=True)
class Acts:
    """Names of the acts in the log, in the past tense; empty for those that the policy lets nobody do."""

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
    """How much one person writes.

    Attributes
    ----------
    period, message
        Within which time, and what people read who have written more.
    posts, threads
        Most posts, and most new threads; no limit if none.
    each_target
        Whether each target is counted by itself; otherwise all of the kind together.
    """

    period: timedelta
    message: str
    posts: int | None = None
    threads: int | None = None
    each_target: bool = False


class ConversationPolicy(ABC, Generic[TargetT]):
    """Who reads, writes, closes and hears of conversations about one kind of thing.

    Attributes
    ----------
    model
        What the conversations are about.
    acts
        Names for the log.
    readers, writers
        Permissions for the target (`rules`) of those who read, and of those who write; empty where `may_read` and
        `may_write` say it themselves.
    moderators
        Permission of those who hide posts; empty where nobody does.
    closers
        Permission of those who close a thread and open it again; empty where nobody does.
    answerers
        Permission of those whose word is the answer of a thread, a later one in the place of the earlier; empty where
        there is no such side.
    has_answers
        Whether whoever asked, or a moderator, can mark a post as the answer.
    reopens
        Whether a post in a closed thread opens it again; otherwise it is refused.
    text_length
        Most characters of a post.
    rate
        How much one person writes; no limit if none.
    asks_for_reason
        What a moderator reads who hides a post without a reason; empty where none is needed.
    mail_kind
        Kind of message (`notifications.kinds`) to those who follow; empty where nobody is told.
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

    @abstractmethod
    def scope(self, target: TargetT) -> str:
        """Slug under which the log files what is said about the target."""

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
        """Whether a person reads conversations about the target."""
        return self._has(self.readers, user, target)

    def may_write(self, user: Any, target: TargetT) -> bool:
        """Whether a person starts threads."""
        return self._has(self.writers, user, target)

    def may_reply(self, user: Any, target: TargetT) -> bool:
        """Whether a person writes in threads of others."""
        return self.may_write(user, target)

    def may_answer(self, user: Any, target: TargetT) -> bool:
        """Whether a person's word is the answer of a thread."""
        return self._has(self.answerers, user, target)

    def may_close(self, user: Any, target: TargetT) -> bool:
        """Whether a person closes threads, and opens them again."""
        return self._has(self.closers, user, target)

    def may_moderate(self, user: Any, target: TargetT) -> bool:
        """Whether a person hides posts of others."""
        return self._has(self.moderators, user, target)

    def may_mark(self, user: Any, thread: Thread, target: TargetT) -> bool:
        """Whether a person says which post is the answer: whoever asked, and moderators."""
        return self.has_answers and (thread.author_id == user.pk or self.may_moderate(user, target))

    def facts(self, thread: Thread) -> dict[str, Any]:
        """What the log keeps of an act on a thread; never what was said."""
        return {"thread": thread.pk}

    def about(self, target: TargetT) -> str:
        """What messages call that which the conversations are about."""
        return str(target)

    def told_of_threads(self, target: TargetT) -> Iterable[Any]:  # noqa: ARG002 (others look)
        """Who hears of new threads besides those who asked to (`follow`)."""
        return ()

    def was_started(self, post: Post, *, thread: Thread, target: TargetT) -> None:
        """Do what follows from a new thread besides telling followers."""

    def was_answered(self, post: Post, *, thread: Thread, target: TargetT) -> None:
        """Do what follows from the answer of a side (`answerers`)."""

    def _has(self, permission: str, user: Any, target: TargetT) -> bool:
        """Whether a person has a permission of the policy; nobody has one that it does not name."""
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
    raise LookupError(f"No app says who talks about {model.__name__} (conversations.hooks.policies).")
