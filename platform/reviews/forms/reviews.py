"""Forms of reviewers, organizers and decisions."""

from django import forms

from reviews.models import Answer, Confidence, Outcome


class AnswerForm(forms.Form):
    """The answer to a question; empty ones are drafts."""

    score = forms.IntegerField(required=False)
    judgement = forms.ChoiceField(choices=[("", "–"), *Answer.Judgement.choices], required=False)
    words = forms.CharField(required=False, max_length=5000)


class VerdictForm(forms.Form):
    """Recommendation, confidence, summary and what only chairs read."""

    recommendation = forms.ChoiceField(choices=[("", "–"), *Outcome.choices], required=False)
    confidence = forms.TypedChoiceField(
        choices=[("", "–"), *Confidence.choices], coerce=int, empty_value=None, required=False
    )
    summary = forms.CharField(
        label="Summary for the organizers",
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    confidential = forms.CharField(
        label="Confidential note to the chairs",
        required=False,
        max_length=5000,
        help_text="Not visible to organizers or other reviewers.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    # Drafts may be empty; the page says what a review needs to be sent.
    use_required_attribute = False

    @classmethod
    def shown(cls, **options):
        """The form on the page, which marks as optional only what a sent review can do without."""
        form = cls(**options)
        for name in ("recommendation", "confidence", "summary"):
            form.fields[name].required = True
        return form


class PointForm(forms.Form):
    """Raise a point on a parameter."""

    parameter = forms.SlugField(widget=forms.HiddenInput)
    task_key = forms.SlugField(required=False, widget=forms.HiddenInput)
    text = forms.CharField(max_length=5000)
    is_blocking = forms.BooleanField(required=False)


class ReasonForm(forms.Form):
    """Give a reason."""

    reason = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))


class DecisionForm(forms.Form):
    """Decide, with the letter."""

    outcome = forms.ChoiceField(choices=Outcome.choices, widget=forms.HiddenInput)
    subject = forms.CharField(max_length=160)
    letter = forms.CharField(max_length=20000, widget=forms.Textarea(attrs={"rows": 16}))


class RevisionForm(forms.Form):
    """Send a revision."""

    note = forms.CharField(
        label="To the reviewers as a whole",
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
