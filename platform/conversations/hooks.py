"""What people talk about, and who sees what: each app registers a policy for its model in `AppConfig.ready`.

`policies`
    One `ConversationPolicy` for each model that people talk about.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model

from conversations.models import TEXT_LENGTH, Thread
from web.hooks import Hook

TargetT = TypeVar("TargetT", bound=Model)


@dataclass(frozen=True)
class Acts:
    """Names of the acts in the log, in the past tense."""

    started: str
    written: str
    closed: str
    reopened: str
    answer_marked: str = ""
    answer_unmarked: str = ""
    hidden: str = ""


class ConversationPolicy(ABC, Generic[TargetT]):
    """Who reads, writes, closes and hears of conversations about one kind of thing.

    Attributes
    ----------
    model
        What the conversations are about.
    acts
        Names for the log.
    readers, writers
        Permissions for the target (`rules`) of those who read, and of those who write.
    moderators
        Permission of those who hide posts; empty where nobody does.
    closers
        Permission of those who close a thread and open it again.
    has_answers
        Whether a post can be marked as the answer.
    reopens
        Whether a post in a closed thread opens it again; otherwise it is refused.
    text_length
        Most characters of a post.
    posts_an_hour
        How much one person writes about all things of this kind; no limit if none.
    mail_kind
        Kind of message (`notifications.kinds`) to those who follow; empty where nobody is told.
    """

    model: ClassVar[type[Model]]
    acts: ClassVar[Acts]
    readers: ClassVar[str]
    writers: ClassVar[str]
    closers: ClassVar[str]
    moderators: ClassVar[str] = ""
    has_answers: ClassVar[bool] = False
    reopens: ClassVar[bool] = True
    text_length: ClassVar[int] = TEXT_LENGTH
    posts_an_hour: ClassVar[int | None] = None
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
        return bool(user.has_perm(self.readers, target))

    def may_write(self, user: Any, target: TargetT) -> bool:
        """Whether a person starts threads and writes in them."""
        return bool(user.has_perm(self.writers, target))

    def may_close(self, user: Any, target: TargetT) -> bool:
        """Whether a person closes threads, and opens them again."""
        return bool(user.has_perm(self.closers, target))

    def may_moderate(self, user: Any, target: TargetT) -> bool:
        """Whether a person hides posts of others."""
        return bool(self.moderators and user.has_perm(self.moderators, target))

    def may_mark(self, user: Any, thread: Thread, target: TargetT) -> bool:
        """Whether a person says which post is the answer: whoever asked, and moderators."""
        return self.has_answers and (thread.author_id == user.pk or self.may_moderate(user, target))

    def facts(self, thread: Thread) -> dict[str, Any]:
        """What the log keeps of an act on a thread; never what was said."""
        return {"thread": thread.pk}

    def subject(self, thread: Thread, target: TargetT) -> str:  # noqa: ARG002 (others name the target)
        """Subject of the message that tells of a new thread."""
        return str(thread)

    def told_of_threads(self, target: TargetT) -> Iterable[Any]:  # noqa: ARG002 (others look)
        """Who hears of new threads besides those who asked to (`follow`)."""
        return ()


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
