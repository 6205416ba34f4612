"""The boundary: what people say of themselves."""

from django import forms

from accounts.domain.orcid import plain_orcid
from accounts.models import AccessToken, User


class ProfileForm(forms.ModelForm):
    """Name, affiliation and ORCID iD, shown to the organizers of challenges that the person takes part in."""

    class Meta:
        model = User
        fields = ["first_name", "last_name", "affiliation", "orcid"]
        widgets = {
            "first_name": forms.TextInput(attrs={"autocomplete": "given-name"}),
            "last_name": forms.TextInput(attrs={"autocomplete": "family-name"}),
            "affiliation": forms.TextInput(attrs={"autocomplete": "organization"}),
        }

    orcid = forms.CharField(
        label="ORCID iD",
        required=False,
        max_length=60,
        help_text="Optional. For example 0000-0002-1825-0097; names you in publications of challenges.",
    )

    def clean_orcid(self):
        return plain_orcid(self.cleaned_data["orcid"])


class TokenForm(forms.Form):
    """Make an access token."""

    name = forms.CharField(label="Name", max_length=80, help_text="What will use it, for example: cluster login node.")
    scopes = forms.MultipleChoiceField(
        label="What it may do",
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
