"""What changes tell the apps below: `version_added`, called inside the transaction that adds a version."""

from collections.abc import Callable

from accounts.models import User
from registry.models import RegistrationVersion
from web.hooks import Hook

version_added: Hook[Callable[[RegistrationVersion, User | None], None]] = Hook()


def tell_of(version: RegistrationVersion, actor: User | None) -> None:
    """Let all apps below follow a new version."""
    for callback in version_added:
        callback(version, actor)
