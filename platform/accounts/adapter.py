"""Where the sign-up rules of this installation differ from allauth's defaults."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings

from web.names import check_characters


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up can be closed by `PODIUM_SIGNUP_OPEN`."""

    def is_open_for_signup(self, request) -> bool:  # noqa: ARG002 (allauth's signature)
        return settings.PODIUM_SIGNUP_OPEN

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Refuse what nobody sees, as in every other name."""
        check_characters(username)
        return super().clean_username(username, shallow=shallow)
