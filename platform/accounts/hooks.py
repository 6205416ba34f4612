"""Where the app below is told of letters to write: one typed hook, filled in `AppConfig.ready`.

`post_letter`
    Called with address, subject and text of a letter about an account; stores it in the queue of outgoing mail within the
    current transaction. Nothing is sent inside a request, so that no answer tells by its time whether a letter goes out.
"""

from collections.abc import Callable

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
