"""Into what people are invited: each app registers a policy for its model in `AppConfig.ready`.

`policies`
    One `InvitationPolicy` for each model: its roles, who may be invited, what the letter says and what accepting does.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model

from notifications.domain.acts import MESSAGE
from people.models import Invitation
from web.hooks import Hook

TargetT = TypeVar("TargetT", bound=Model)


@dataclass(frozen=True)
class Letter:
    """What the letter says: one line, and a template of `notifications.services.mail` with its context."""

    subject: str
    template: str = MESSAGE
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Acts:
    """Names of the acts in the log, in the past tense."""

    sent: str
    accepted: str
    declined: str
    withdrawn: str


class InvitationPolicy(ABC, Generic[TargetT]):
    """What is particular to invitations into one kind of thing.

    Attributes
    ----------
    model
        Into what people are invited.
    roles
        Stored value and name of each role.
    acts
        Names for the log.
    mail_kind
        Kind of message (`notifications.kinds`).
    valid_days
        How long a link works.
    related
        Relations of the target that its methods need, loaded with it.
    only_addressee
        Whether nobody but the account with the invited address may accept; otherwise whoever has the link.
    replaces_open
        Whether inviting an address again ends its open invitation; otherwise it is refused.
    open_at_most
        How many invitations of one target are open at the same time.
    no_such_role, not_open
        What people read when a role does not exist, and when a link works no longer.
    """

    model: ClassVar[type[Model]]
    roles: ClassVar[Mapping[str, str]]
    acts: ClassVar[Acts]
    mail_kind: ClassVar[str]
    valid_days: ClassVar[int] = 14
    related: ClassVar[tuple[str, ...]] = ()
    only_addressee: ClassVar[bool] = True
    replaces_open: ClassVar[bool] = True
    open_at_most: ClassVar[int | None] = None
    no_such_role: ClassVar[str]
    not_open: ClassVar[str] = "This invitation is not valid any more; ask for a new one."

    @abstractmethod
    def scope(self, target: TargetT) -> str:
        """Slug under which the log files what is done about the target."""

    @abstractmethod
    def path(self, target: TargetT, token: str) -> str:
        """Path of the page that accepts."""

    @abstractmethod
    def check(self, target: TargetT, *, email: str, role: str) -> None:
        """Refuse an address that cannot be invited, because the person takes part already for example.

        Raises
        ------
        ValidationError
            With the reason, by field (`email`, `role`) where it is one's.
        """

    @abstractmethod
    def letter(self, invitation: Invitation, *, target: TargetT, link: str) -> Letter:
        """What the letter says; `link` is the whole address of the page that accepts."""

    @abstractmethod
    def admit(self, invitation: Invitation, *, target: TargetT, user: Any) -> Any:
        """Give the person the role, and return the row that holds it.

        Raises
        ------
        ValidationError
            When the person cannot have it now; the invitation stays open.
        """

    def facts(self, invitation: Invitation, *, target: TargetT) -> dict[str, Any]:  # noqa: ARG002 (others say more)
        """What the log keeps of an act; never the address, which is private."""
        return {"role": invitation.role}

    def answered(self, invitation: Invitation, *, target: TargetT, user: Any) -> None:
        """Do what follows from an answer, once it is stored; `user` is none for somebody without an account."""


policies: Hook[InvitationPolicy[Any]] = Hook()


def policy_of(target: Model | type[Model]) -> InvitationPolicy[Any]:
    """Return the policy for invitations into `target`, an object or its model.

    Raises
    ------
    LookupError
        Where no app registered one.
    """
    model = target if isinstance(target, type) else type(target)
    for policy in policies:
        if policy.model is model:
            return policy
    raise LookupError(f"No app says what invitations into {model.__name__} are (people.hooks.policies).")
