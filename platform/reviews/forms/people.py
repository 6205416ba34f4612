"""Forms about people."""

from django import forms

from accounts.people.forms import PersonField
from reviews.models import Bid, Part, Reviewer


class InvitationForm(forms.Form):
    """Invite reviewers."""

    emails = forms.CharField(
        label="E-mail addresses",
        help_text="One per line, or separated by commas.",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=5000,
    )
    part = forms.ChoiceField(label="As", choices=Part.choices)

    def clean_emails(self):
        addresses = self.cleaned_data["emails"].replace(",", " ").replace(";", " ").split()
        field = forms.EmailField()
        return [field.clean(address) for address in dict.fromkeys(addresses)]


class ChairForm(forms.Form):
    """Form that adds another chair."""

    username = PersonField()


class ReviewerForm(forms.ModelForm):
    """Form for the parts and the expertise of a reviewer."""

    expertise = forms.CharField(
        required=False,
        help_text="Keywords separated by commas: modalities, organs, methods.",
        max_length=800,
    )

    class Meta:
        model = Reviewer
        fields = ["is_general", "is_clinical", "is_statistician", "expertise", "load_max"]
        labels = {"load_max": "Maximum number of designs"}

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        if self.instance.pk:
            self.initial["expertise"] = ", ".join(self.instance.expertise)

    def clean_expertise(self):
        return [word.strip() for word in self.cleaned_data["expertise"].split(",") if word.strip()]


class BidForm(forms.Form):
    """Form for the preference of a reviewer for a design."""

    filing = forms.IntegerField()
    wish = forms.TypedChoiceField(choices=[("", "–"), *Bid.Wish.choices], coerce=int, empty_value=None, required=False)


class ConflictForm(forms.Form):
    """Declare a conflict of interest."""

    reason = forms.CharField(label="Describe the conflict", max_length=300)
