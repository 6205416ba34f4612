"""Forms for the information that people enter about themselves."""

import uuid
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.email_verification import get_address_for_user
from allauth.account.models import EmailAddress
from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from accounts.domain.orcid import plain_orcid
from accounts.models import AccessToken, User
from core.audit.transactions import seal_now
from core.work.services import enqueue
from web.names import NameField


class ProfileForm(forms.ModelForm):
    """Name, affiliation and ORCID iD, shown to the organizers of challenges that the person takes part in."""

    class Meta:
        model = User
        fields = ["first_name", "last_name", "affiliation", "orcid"]
        field_classes = dict.fromkeys(["first_name", "last_name", "affiliation"], NameField)
        widgets = {
            "first_name": forms.TextInput(attrs={"autocomplete": "given-name"}),
            "last_name": forms.TextInput(attrs={"autocomplete": "family-name"}),
            "affiliation": forms.TextInput(attrs={"autocomplete": "organization"}),
        }

    orcid = forms.CharField(
        label="ORCID iD",
        required=False,
        max_length=60,
        help_text="Optional, such as 0000-0002-1825-0097. It identifies you in publications of challenges.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.orcid_verified_at is not None:
            self.fields["orcid"].disabled = True
            self.fields[
                "orcid"
            ].help_text = "Verified: you signed in at ORCID. To change it, remove the linked account."

    def clean_orcid(self):
        return plain_orcid(self.cleaned_data["orcid"])


class CloseForm(forms.Form):
    """Type one's user name to close the account."""

    name = forms.CharField(label="Your user name", help_text="Enter it again. This cannot be undone.")
    username = ""

    def clean_name(self) -> str:
        if self.cleaned_data["name"].strip() != self.username:
            raise forms.ValidationError(f"This is not your user name, which is {self.username}.")
        return self.username


class TokenForm(forms.Form):
    """Make an access token."""

    name = NameField(label="Name", max_length=80, help_text="Purpose, such as: cluster login node.")
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=AccessToken.Scope.choices,
        initial=[AccessToken.Scope.READ, AccessToken.Scope.SUBMIT],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label="Expires after",
        choices=[(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "one year")],
        initial=90,
        coerce=int,
    )


class LoginForm(allauth_forms.LoginForm):
    """Sign-in whose first field has the focus and the name by which browsers and password managers fill it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "Username or e-mail address"
        self.fields["remember"].label = "Remember me"
        attributes = self.fields["login"].widget.attrs
        attributes["autocomplete"] = "username"
        attributes.pop("placeholder", None)
        # A rejected form has the focus on its errors.
        attributes["autofocus"] = not self.is_bound
        _link_reset_last(self.fields["password"])


class ChangePasswordForm(allauth_forms.ChangePasswordForm):
    """A new password for the person who is signed in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _link_reset_last(self.fields["oldpassword"])


class ReauthenticateForm(allauth_forms.ReauthenticateForm):
    """The password again, before a change to the account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _link_reset_last(self.fields["password"])


def _link_reset_last(field: forms.Field) -> None:
    """Drop the link to the password reset above a field; the pages have it after the button, out of the way of Tab."""
    field.help_text = ""


class SignupForm(allauth_forms.SignupForm):
    """Sign-up that takes the same work, and so the same time, for an address that has an account already."""

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        if self.account_already_exists:
            self._save_stand_in(request)
            return super().try_save(request)
        # One transaction, which is sealed once, as that of the stand-in is.
        with transaction.atomic():
            return super().try_save(request)

    def _save_stand_in(self, request: HttpRequest) -> None:
        """Do all that storing a new account does, and take it back."""
        email, name = self.cleaned_data["email"], uuid.uuid4().hex
        self.cleaned_data["email"] = f"{name}@stand-in.invalid"
        self.account_already_exists = False
        try:
            with transaction.atomic():
                user = self.save(request)
                seal_now()
                self._look_for_address(user)
                transaction.set_rollback(True)
        finally:
            self.account_already_exists = True
            self.cleaned_data["email"] = email

    @staticmethod
    def _look_for_address(user: User) -> None:
        """Read what is read of a new account before the letter that confirms its address is written."""
        address = get_address_for_user(User(pk=user.pk))
        list(EmailAddress.objects.filter(user=user, verified=True).values_list("pk")[:1])
        User.objects.get(pk=address.user_id)


class ResetPasswordForm(allauth_forms.ResetPasswordForm):
    """Ask for a new password: the request looks nothing up, a worker does and writes the letter."""

    def clean_email(self) -> str:
        return get_adapter().clean_email(self.cleaned_data["email"].lower())

    def save(self, request: HttpRequest, **kwargs: Any) -> str:  # noqa: ARG002 (allauth's signature)
        email = self.cleaned_data["email"]
        enqueue("accounts.tasks.write_about_new_password", email)
        return email
