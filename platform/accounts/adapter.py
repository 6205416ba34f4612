"""Account settings of this installation that differ from allauth's defaults."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse

from accounts import hooks
from accounts.devices import device_of, remember_device
from accounts.domain.sealing import seal, unseal
from accounts.models import CLOSED, User
from accounts.queries import account_named
from web.addresses import absolute
from web.clients import client_address
from web.names import check_characters

_APP = "allauth.account"


class Site(NamedTuple):
    """Name and domain of this installation in e-mails."""

    name: str
    domain: str


class SecondFactorAdapter(DefaultMFAAdapter):
    """Second factors whose secrets and recovery codes are encrypted at rest."""

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up that can be closed, tries counted by account, and letters by the queue with addresses of this site."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 (allauth's signature)
        return settings.PODIUM_SIGNUP_OPEN

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Refuse invisible characters, and a name that reads as an e-mail address.

        E-mails would show such a name as if the address belonged to the account.
        """
        check_characters(username)
        if username.lower().startswith(CLOSED):
            raise ValidationError(f"A user name does not begin with {CLOSED}: closed accounts do.")
        if "@" in username:
            raise ValidationError("A user name has no @ in it. Your e-mail address is asked for below.")
        return super().clean_username(username, shallow=shallow)

    # --- Tries ----------------------------------------------------------------------------------------------------
    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the visitor's address; every rate limit of allauth asks here."""
        return client_address(request)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:  # noqa: ARG002 (allauth's signature)
        """Return a key that counts attempts per account, or per unknown name.

        Any name of an account leads to the same key.
        """
        login = credentials.get("username") or credentials.get("email") or ""
        account = account_named(login)
        return f"account:{account.pk}" if account else f"login:{login.lower()}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a sign-in attempt; refuse it after too many attempts at the account or from the address.

        A device from which the account has signed in before has a separate count: attempts by strangers do not
        affect it.
        """
        account = account_named(credentials.get("username") or credentials.get("email") or "")
        device = device_of(request, account) if account else ""
        if not device:
            super().pre_authenticate(request, **credentials)
            return
        self._login_failed_rl_usage = ratelimit.consume(request, app=_APP, action="login_failed_on_device", key=device)
        if not self._login_failed_rl_usage:
            raise self.validation_error("too_many_login_attempts")

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response = super().post_login(request, user, **kwargs)
        remember_device(request, response, user)
        return response

    # --- Letters --------------------------------------------------------------------------------------------------
    def format_email_subject(self, subject: str) -> str:
        return f"[{_site().name}] {subject}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Put an e-mail into the queue, up to the limit per address and kind in `ACCOUNT_RATE_LIMITS`.

        E-mails beyond the limit are dropped without a message. A person who requests e-mails to other people's
        addresses learns nothing from it.
        """
        if not ratelimit.consume(
            HttpRequest(), app=_APP, action="letter", key=f"{template_prefix}:{email.lower()}", limit_get=True
        ):
            return
        tokens_address = absolute(reverse("accounts:tokens"))
        words = {"email": email, "current_site": _site(), "tokens_address": tokens_address, **context}
        subject = " ".join(render_to_string(f"{template_prefix}_subject.txt", words).split())
        text = render_to_string(f"{template_prefix}_message.txt", words).strip()
        hooks.post_letter(email, self.format_email_subject(subject), text)

    def get_reset_password_from_key_url(self, key: str) -> str:
        path = reverse("account_reset_password_from_key", kwargs={"uidb36": "UID", "key": "KEY"})
        return absolute(path.replace("UID-KEY", key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:  # noqa: ARG002 (allauth's signature)
        return absolute(reverse("account_confirm_email", args=[emailconfirmation.key]))

    def send_account_already_exists_mail(self, email: str) -> None:
        addresses = {
            "signup_url": absolute(reverse("account_signup")),
            "password_reset_url": absolute(reverse("account_reset_password")),
        }
        self.send_mail("account/email/account_already_exists", email, addresses)


def _site() -> Site:
    return Site(name="Podium", domain=urlsplit(settings.PODIUM_ADDRESS).netloc)
