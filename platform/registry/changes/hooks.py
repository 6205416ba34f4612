"""What changes need from the apps below: typed hooks, filled in `AppConfig.ready`.

`operations`
    How the challenge of a registration stands: launched, first submission, people who take part.
`version_added`
    Called with the new version and who decided, inside the transaction that adds it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from registry.models import Registration, RegistrationVersion
from web.hooks import Hook


@dataclass(frozen=True)
class Operation:
    """The challenge that is run from a registration.

    Attributes
    ----------
    opens_at, closes_at
        When its first phase opens and its last one ends or ended.
    first_submission_at
        When the first submission that was taken arrived; after it a critical change is a deviation.
    participants
        Ids of the people who take part; they are told of changes and may object.
    """

    title: str
    address: str
    slug: str
    is_public: bool
    launched_at: datetime
    opens_at: datetime | None
    closes_at: datetime | None
    first_submission_at: datetime | None
    participants: frozenset[int]


operations: Hook[Callable[[Registration], Operation | None]] = Hook()
version_added: Hook[Callable[[RegistrationVersion, User | None], None]] = Hook()


def operation_of(registration: Registration) -> Operation | None:
    """The challenge of a registration; `None` before it is launched."""
    found = (provider(registration) for provider in operations)
    return next((operation for operation in found if operation is not None), None)


def tell_of(version: RegistrationVersion, actor: User | None) -> None:
    """Let all apps below follow a new version."""
    for callback in version_added:
        callback(version, actor)
