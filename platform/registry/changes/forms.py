"""The boundary: what people type."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from registry.changes.models import ProposedChange
from registry.changes.queries.documents import Proposal
from registry.changes.services import MAX_TEXT, Verdict, Wanted

_SHORT = {"rows": 2, "maxlength": MAX_TEXT}


class RequestForm(forms.Form):
    """Form for fields that apply to all changes of a request."""

    note = forms.CharField(
        label="Note",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs=_SHORT),
        help_text="For all changes together. Public.",
    )
    wanted_on = forms.DateField(
        label="Effective date",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="Date on which the change should take effect, if any.",
    )


class WantedForm(forms.Form):
    """One parameter: whether it is to change, why, and what it means for those who take part."""

    chosen = forms.BooleanField(label="Request this change", required=False)
    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs=_SHORT),
        help_text="Public. Required for every requested change.",
    )
    effect = forms.CharField(
        label="Effect on participants",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs=_SHORT),
        help_text="Public. Required for every requested change. If there is no effect, explain why.",
    )

    def clean(self) -> dict[str, Any]:
        """A chosen parameter needs both texts."""
        cleaned = super().clean() or {}
        if cleaned.get("chosen"):
            for name, words in (
                ("reason", "State the reason for the change."),
                ("effect", "State the effect on participants."),
            ):
                if not (cleaned.get(name) or "").strip() and name not in self.errors:
                    self.add_error(name, words)
        return cleaned


def wanted_forms(proposals: Sequence[Proposal], data: Mapping[str, Any] | None) -> list[tuple[Proposal, WantedForm]]:
    """One form a proposal."""
    return [(proposal, WantedForm(data, prefix=proposal.place.replace("/", "."))) for proposal in proposals]


def wanted_of(pairs: Sequence[tuple[Proposal, WantedForm]]) -> list[Wanted]:
    """Return the chosen changes of valid forms."""
    return [
        Wanted(proposal.place, form.cleaned_data["reason"], form.cleaned_data["effect"])
        for proposal, form in pairs
        if form.cleaned_data["chosen"]
    ]


class VerdictForm(forms.Form):
    """The decision about one parameter."""

    outcome = forms.ChoiceField(label="Decision", choices=[("approve", "Approve"), ("refuse", "Refuse")])
    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs=_SHORT),
        help_text="Public. Required for refusals and deviations.",
    )


class DeviationForm(forms.Form):
    """Consent to a mark that never goes away."""

    as_deviation = forms.BooleanField(
        label="Approve critical changes as a deviation. The mark is permanent, and both rankings are shown.",
        required=False,
    )


def verdict_forms(
    changes: Sequence[ProposedChange], data: Mapping[str, Any] | None
) -> list[tuple[ProposedChange, VerdictForm]]:
    """One form a proposed change."""
    return [(change, VerdictForm(data, prefix=f"change-{change.pk}")) for change in changes]


def verdicts_of(pairs: Sequence[tuple[ProposedChange, VerdictForm]]) -> dict[int, Verdict]:
    """The verdicts of valid forms."""
    return {
        change.pk: Verdict(form.cleaned_data["outcome"] == "approve", form.cleaned_data["reason"])
        for change, form in pairs
    }


class ObjectionForm(forms.Form):
    """Form for a participant's objection to a request."""

    text = forms.CharField(
        label="Your objection",
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4, "maxlength": MAX_TEXT}),
        help_text="Visible to the chairs and the organizers with your name.",
    )
