"""Forms for the information that organizers enter about data."""

import re
from typing import Any

from django import forms

from challenges.models import Challenge, Task
from datastore.datasets.models import Dataset


class DatasetForm(forms.Form):
    """A data set of a challenge: hosted here, or at an address."""

    name = forms.CharField(max_length=200, label="Name", help_text="Such as: training images and references.")
    split = forms.ChoiceField(
        label="For", choices=[choice for choice in Dataset.Split.choices if choice[0] != Dataset.Split.PUBLISHED]
    )
    task = forms.ModelChoiceField(queryset=Task.objects.none(), required=False, empty_label="All tasks", label="Task")
    access = forms.ChoiceField(label="Access", choices=Dataset.Access.choices, initial=Dataset.Access.AGREEMENT)
    licence = forms.CharField(max_length=200, label="Licence", help_text="Such as CC BY-SA 4.0.")
    description = forms.CharField(
        required=False,
        max_length=4000,
        label="Content",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Content and format. For external data, also how to get access.",
    )
    citation = forms.CharField(required=False, max_length=2000, label="Citation")
    url = forms.URLField(
        required=False,
        max_length=500,
        assume_scheme="https",
        label="Address (external data)",
        help_text="Leave empty to upload the files here.",
    )
    size_words = forms.CharField(required=False, max_length=100, label="Size (external data)")
    url_sha256 = forms.CharField(required=False, max_length=64, label="SHA-256 (external data)")

    def __init__(self, *args: Any, challenge: Challenge, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tasks = challenge.tasks.filter(removed_at=None)
        task = self.fields["task"]
        assert isinstance(task, forms.ModelChoiceField)
        task.queryset = tasks
        if len(tasks) < 2:
            del self.fields["task"]

    def clean_url(self) -> str:
        """Take addresses only that a browser opens safely."""
        url = self.cleaned_data["url"]
        if url and not url.startswith("https://"):
            raise forms.ValidationError("The address must start with https://.")
        return url

    def clean_url_sha256(self) -> str:
        """Take a digest, however it is written."""
        text = self.cleaned_data["url_sha256"].strip().lower()
        if text and not re.fullmatch(r"[0-9a-f]{64}", text):
            raise forms.ValidationError("A SHA-256 has 64 hexadecimal digits.")
        return text


class ReleaseForm(forms.Form):
    """Form for the details of a released version."""

    note = forms.CharField(required=False, max_length=500, label="Changes")
    available_from = forms.DateTimeField(
        required=False,
        label="Available from (UTC)",
        help_text="Leave empty for immediate access. Such as 2027-03-01 12:00.",
    )


class WithdrawForm(forms.Form):
    """Form for the reason why a version must not be used any more."""

    reason = forms.CharField(max_length=500, label="Reason", help_text="Visible to everyone who can see the challenge.")
