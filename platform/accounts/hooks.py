"""Hooks of this app for the apps below it: e-mails, and the personal data that they store.

`post_letter`
    Called with address, subject and text of an e-mail about an account; stores it in the queue of outgoing mail
    within the current transaction. Nothing is sent inside a request. The response time therefore does not reveal
    whether an e-mail is sent.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from web.hooks import Hook

if TYPE_CHECKING:
    from accounts.models import User

PostLetter = Callable[[str, str, str], None]

_post_letter: list[PostLetter] = []


def register_post_letter(callback: PostLetter) -> None:
    """Have letters about accounts posted by `callback`; a later call replaces it."""
    _post_letter[:] = [callback]


def post_letter(to: str, subject: str, text: str) -> None:
    """Post a letter about an account.

    Raises
    ------
    RuntimeError
        Where no app has registered: a letter with a link to a new password must not vanish silently.
    """
    if not _post_letter:
        raise RuntimeError("No app posts letters about accounts (accounts.hooks.register_post_letter).")
    _post_letter[0](to, subject, text)


@dataclass(frozen=True)
class OwnText:
    """A text that a person wrote, as it appears in the copy of their stored data.

    Attributes
    ----------
    what
        Kind of text, for example ``post in a conversation``.
    written_at
        Time of writing.
    text
        The text itself.
    """

    what: str
    written_at: datetime
    text: str


own_texts: Hook[Callable[["User"], Iterable[OwnText]]] = Hook()
"""Texts that a person wrote. Nothing that others wrote, and nothing of a test set."""
obstacles: Hook[Callable[["User"], Iterable[str]]] = Hook()
"""Reasons why an account cannot be closed yet: one sentence per reason, with the step to take first."""
leavings: Hook[Callable[["User"], None]] = Hook()
"""Further steps when an account is closed; called in its transaction, before the account itself is emptied."""
forgettings: Hook[Callable[[datetime], int]] = Hook()
"""Deletion of rows that are no longer needed after the retention period.

Called with the moment; returns how many rows were deleted.
"""
