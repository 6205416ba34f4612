"""The boundary of taking part, of organizing people, and of talking: what people type."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from accounts.domain.orcid import plain_orcid, validate_orcid
from accounts.people.forms import PersonField
from challenges.models import Organizer, Task, Team, Terms
from web.names import NameField

TEXT = forms.Textarea(attrs={"rows": 8})


class TasksField(forms.ModelMultipleChoiceField):
    """In which tasks a new team takes part, where a challenge has several."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(
            queryset=Task.objects.filter(pk__in=[task.pk for task in tasks]).order_by("position"),
            initial=list(tasks),
            label="Tasks",
            help_text="The team is ranked in each of them. You can create or join other teams for other tasks.",
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": "Choose at least one task."},
        )


class ConsentForm(forms.Form):
    """Accept the terms; with a team of one's own unless organizers let people in, or a team has invited."""

    affiliation = NameField(
        label="Affiliation",
        max_length=200,
        required=False,
        help_text="Institution and group. Visible to organizers and compared with their institutions.",
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    orcid = forms.CharField(
        label="ORCID iD", max_length=60, required=False, help_text="For example 0000-0002-1825-0097."
    )
    message = forms.CharField(
        label="Message to the organizers", max_length=500, required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    team_name = NameField(
        label="Team name",
        max_length=80,
        min_length=2,
        help_text="Shown on the leaderboard. 2–80 characters. Can't be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    accept_rules = forms.BooleanField(
        label="I have read and accept the rules of this challenge.",
        error_messages={"required": "Accept the rules to take part."},
    )
    accept_agreement = forms.BooleanField(
        label="I accept the data-usage agreement.",
        error_messages={"required": "Accept the data-usage agreement to take part."},
    )
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args, terms: Terms | None, with_team: bool, tasks: Sequence[Task] = (), **kwargs):
        super().__init__(*args, **kwargs)
        if len(tasks) > 1:
            self.fields["tasks"] = TasksField(tasks)
            # What one decides stands before what one agrees to.
            self.order_fields(["affiliation", "orcid", "message", "team_name", "tasks"])
        approval = bool(terms and terms.requires_approval)
        if not with_team or approval:
            del self.fields["team_name"]
            self.fields.pop("tasks", None)
        if not approval:
            del self.fields["message"]
        if not (terms and terms.agreement):
            del self.fields["accept_agreement"]
        self.fields["version"].initial = terms.version if terms else None

    def clean_orcid(self):
        orcid = plain_orcid(self.cleaned_data["orcid"])
        if orcid:
            validate_orcid(orcid)
        return orcid


class TeamForm(forms.Form):
    """Form for a separate team of a person who already takes part."""

    team_name = ConsentForm.base_fields["team_name"]

    def __init__(self, *args, tasks: Sequence[Task] = (), several: bool = False, **kwargs):
        super().__init__(*args, **kwargs)
        if several:
            self.fields["tasks"] = TasksField(tasks)


class InviteForm(forms.Form):
    """Form for inviting a person into the team."""

    email = forms.EmailField(label="E-mail address", help_text="The link in the mail works for 14 days.")


class TermsForm(forms.Form):
    """The conditions of joining."""

    agreement = forms.CharField(
        label="Data-usage agreement",
        required=False,
        max_length=50_000,
        widget=TEXT,
        help_text="Markdown. Every change creates a new version. Participants keep the text they accepted.",
    )
    requires_approval = forms.BooleanField(label="Organizers approve each participant", required=False)
    requires_method = forms.BooleanField(
        label="The final ranking has only teams with a complete method description",
        required=False,
        help_text="Select this if the registered design requires descriptions before the ranking.",
    )
    team_size = forms.IntegerField(label="Maximum team size", required=False, min_value=1, max_value=1000)

    def __init__(self, *args: Any, registered: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if registered:
            # What is registered is not edited by hand.
            self.initial = {**self.initial, "agreement": registered}
            self.fields["agreement"].disabled = True
            self.fields["agreement"].help_text = "Part of the registered design. To change it, request a change there."


class OrganizerForm(forms.Form):
    """A person and the part that they get in running the challenge."""

    username = PersonField()
    role = forms.ChoiceField(
        label="Role",
        choices=[*Organizer.Role.choices, ("none", "no longer an organizer")],
        initial=Organizer.Role.MANAGER,
    )


class StandingForm(forms.Form):
    """Form for changing the standing of the chosen teams."""

    standing = forms.ChoiceField(label="Status", choices=[(value.value, value.label) for value in Team.ASSIGNED])
    reason = forms.CharField(label="Reason", max_length=500, required=False, help_text="Visible to the team.")


class BaselineForm(forms.Form):
    """Form for a baseline of the organizers."""

    name = NameField(label="Name", max_length=80, help_text="Shown on the leaderboard.")
    method = forms.CharField(label="Method", max_length=500, help_text="For example the title of its publication.")


class AnnouncementForm(forms.Form):
    """Form for an announcement to all participants."""

    title = NameField(label="Title", max_length=150)
    text = forms.CharField(label="Text", max_length=20_000, widget=TEXT, help_text="Markdown.")


class ThreadForm(forms.Form):
    """Ask something."""

    title = NameField(label="Title", max_length=150)
    text = forms.CharField(
        label="Text",
        max_length=20_000,
        widget=TEXT,
        help_text="Markdown. Visible to everyone who can see the challenge.",
    )


class PostForm(forms.Form):
    """Answer."""

    text = forms.CharField(
        label="Your answer", max_length=20_000, widget=forms.Textarea(attrs={"rows": 5}), help_text="Markdown."
    )


class ContactForm(forms.Form):
    """Private message to the organizers."""

    title = NameField(label="Subject", max_length=150)
    text = forms.CharField(
        label="Message",
        max_length=5_000,
        widget=TEXT,
        help_text="Markdown. Only you and the organizers can read it.",
    )


class ContactReplyForm(forms.Form):
    """Reply in a private conversation."""

    text = forms.CharField(
        label="Your reply",
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Markdown. Only the sender and the organizers can read it.",
    )


def cleaned(form: forms.Form) -> dict[str, Any]:
    """Return the cleaned data of a form, for pages that show its errors as messages.

    Raises
    ------
    ValidationError
        With all errors of the form.
    """
    if not form.is_valid():
        raise ValidationError([error for errors in form.errors.values() for error in errors])
    return form.cleaned_data
