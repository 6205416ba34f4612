"""Where the sign-up rules of this installation differ from allauth's defaults."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up can be closed by `PODIUM_SIGNUP_OPEN`."""

    def is_open_for_signup(self, request) -> bool:  # noqa: ARG002 (allauth's signature)
        return settings.PODIUM_SIGNUP_OPEN
