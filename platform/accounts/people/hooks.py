"""Policies for invitations, which each app registers for its model in `AppConfig.ready`.

`policies`
    One `InvitationPolicy` per model: its roles, who can be invited, the text of the letter and the effect of
    accepting.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model

from accounts.notifications.domain.acts import MESSAGE
from accounts.people.models import Invitation
from web.hooks import Hook

TargetT = TypeVar("TargetT", bound=Model)


@dataclass(frozen=True)
class Letter:
    """Content of an invitation letter.

    It consists of a one-line subject, a template of `accounts.notifications.services.mail` and its context.
    """

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
    """Policy for invitations into one kind of target.

    Attributes
    ----------
    model
        Model of the targets.
    roles
        Stored value and name of each role.
    acts
        Names for the log.
    mail_kind
        Kind of message (`accounts.notifications.kinds`).
    valid_days
        Validity of a link in days.
    related
        Relations of the target that its methods need, loaded with it.
    only_addressee
        Whether only the account with the invited address can accept. Otherwise anyone who has the link can.
    replaces_open
        Whether a second invitation to an address ends the open one. Otherwise it is refused.
    open_at_most
        Maximum number of open invitations per target.
    no_such_role, not_open
        Error messages for a role that does not exist, and for a link that is no longer valid.
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
    not_open: ClassVar[str] = "This invitation is no longer valid. Ask for a new one."

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
        """Return the content of the letter; `link` is the full address of the page that accepts."""

    @abstractmethod
    def admit(self, invitation: Invitation, *, target: TargetT, user: Any) -> Any:
        """Give the person the role, and return the row that holds it.

        Raises
        ------
        ValidationError
            When the person cannot have it now; the invitation stays open.
        """

    def facts(self, invitation: Invitation, *, target: TargetT) -> dict[str, Any]:  # noqa: ARG002 (others say more)
        """Return the facts that the log stores for an act.

        They never include the address, which is private.
        """
        return {"role": invitation.role}

    def answered(self, invitation: Invitation, *, target: TargetT, user: Any) -> None:
        """Run the follow-up work of an answer after it is stored.

        `user` is None for a person without an account.
        """


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
    raise LookupError(f"No app says what invitations into {model.__name__} are (accounts.people.hooks.policies).")
