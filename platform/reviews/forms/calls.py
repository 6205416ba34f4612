"""Forms of chairs."""

from itertools import pairwise

from django import forms

from reviews.domain.sections import CHOICES
from reviews.models import Call, MailText, Question
from reviews.services.defaults import MAILS, unknown_words
from web.names import NameField

_MOMENT = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
DATES = ("submission_at", "bidding_until", "review_at", "revision_at", "registration_at", "critical_change_at")
GROUPS = (
    ("The call", ("title", "summary", "description", "news", "venue", "year", "is_public")),
    ("Dates, in UTC", DATES),
    (
        "Requirements",
        (
            "gate",
            "takes_unexecuted",
            "requires_rehearsal",
            "reviewers_min",
            "reviewers_max",
            "clinical_reviewers",
            "statistician",
            "load_max",
            "remind_days",
        ),
    ),
    (
        "Visibility",
        ("anonymity", "showing", "publishes_reviews", "score_min", "score_max", "open_domains"),
    ),
)


class CallForm(forms.ModelForm):
    """Everything that a chair settles about a call."""

    class Meta:
        model = Call
        fields = [name for _, names in GROUPS for name in names]
        field_classes = {"title": NameField}
        widgets = {
            "description": forms.Textarea(attrs={"rows": 6}),
            "news": forms.Textarea(attrs={"rows": 2}),
            "open_domains": forms.Textarea(attrs={"rows": 2}),
            **dict.fromkeys(DATES, _MOMENT),
        }

    def groups(self):
        """Fields under headings, for the template."""
        return [(title, [self[name] for name in names]) for title, names in GROUPS]

    def clean(self):
        data = super().clean() or self.cleaned_data
        order = [name for name in DATES if name != "bidding_until"]
        for before, after in pairwise(order):
            early, late = data.get(before), data.get(after)
            strict = after in ("review_at", "revision_at")
            if early and late and (late < early or (strict and late == early)):
                self.add_error(after, f"Later than “{self.fields[before].label}”, please.")
        if (data.get("reviewers_min") or 0) > (data.get("reviewers_max") or 0):
            self.add_error("reviewers_max", "At least as many as a design needs.")
        if (data.get("score_min") or 0) >= (data.get("score_max") or 0):
            self.add_error("score_max", "Higher than the lowest score.")
        return data


class QuestionForm(forms.ModelForm):
    """A question of the review form."""

    section = forms.ChoiceField(choices=CHOICES)

    class Meta:
        model = Question
        fields = ["section", "text", "kind", "audience", "is_required"]
        labels = {"is_required": "required", "kind": "Answered by", "audience": "Asked of"}
        widgets = {"text": forms.Textarea(attrs={"rows": 2})}


class MailTextForm(forms.ModelForm):
    """The text of a mail."""

    class Meta:
        model = MailText
        fields = ["subject", "body"]
        widgets = {"body": forms.Textarea(attrs={"rows": 12})}

    def __init__(self, *args, kind, **options):
        super().__init__(*args, **options)
        self.kind = kind
        self.fields["body"].help_text = "Filled in: " + ", ".join(f"{{{word}}}" for word in MAILS[kind].words)

    def _known(self, name):
        text = self.cleaned_data[name]
        if wrong := unknown_words(self.kind, text):
            raise forms.ValidationError(f"Unknown: {', '.join(f'{{{word}}}' for word in wrong)}.")
        return text

    def clean_subject(self):
        return self._known("subject")

    def clean_body(self):
        return self._known("body")


class MessageForm(forms.Form):
    """Form for a message to all people of a group."""

    audience = forms.ChoiceField(
        label="To",
        choices=[
            ("reviewers", "all reviewers"),
            ("late", "reviewers whose review is missing"),
            ("organizers", "organizers of all filed designs"),
            ("accepted", "organizers of accepted designs"),
        ],
    )
    subject = forms.CharField(max_length=160)
    text = forms.CharField(max_length=5000, widget=forms.Textarea(attrs={"rows": 8}))
