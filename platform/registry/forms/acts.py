"""The boundary: what people send to the registry."""

from datetime import timedelta

from django import forms
from django.utils import timezone

from registry.models import Registration

PERIODS = ((0, "none: final at once"), (14, "two weeks"), (30, "thirty days"), (60, "sixty days"))

# Most characters of a comment, an answer, a reason.
MAX_TEXT = 5_000


class RegisterForm(forms.Form):
    """How a design is registered."""

    comment_days = forms.TypedChoiceField(
        label="Comment period",
        choices=PERIODS,
        coerce=int,
        initial=0,
        help_text="The record is public at once. While the period runs, everybody who is signed in can comment.",
    )

    def comment_until(self):
        """End of the comment period, none without one."""
        days = self.cleaned_data["comment_days"]
        return timezone.now() + timedelta(days=days) if days else None


class EndForm(forms.Form):
    """Why a registration ends."""

    state = forms.ChoiceField(
        label="What happened",
        choices=[
            (Registration.State.WITHDRAWN, "Withdrawn: the challenge will not take place"),
            (Registration.State.ABANDONED, "Abandoned: it began and was not brought to its end"),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Reason", widget=forms.Textarea(attrs={"rows": 5}), max_length=MAX_TEXT, help_text="Public, and stays so."
    )


class CommentForm(forms.Form):
    """A comment on a registration."""

    text = forms.CharField(label="Your comment", widget=forms.Textarea(attrs={"rows": 5}), max_length=MAX_TEXT)
    parameter = forms.ChoiceField(label="Parameter", required=False)

    def __init__(self, *args, parameters=(), **kwargs):
        super().__init__(*args, **kwargs)
        parameter = self.fields["parameter"]
        assert isinstance(parameter, forms.ChoiceField)
        parameter.choices = [("", "the design as a whole"), *parameters]


class ReasonForm(forms.Form):
    """Why a comment is hidden, or what the organizers answer."""

    text = forms.CharField(max_length=MAX_TEXT)
