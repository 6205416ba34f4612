"""Ordinary forms."""

import json
from typing import cast

from django import forms
from django.core.exceptions import ValidationError

from designs.models import Collaborator
from designs.services.published import published
from evaluation.designs.imports import is_design_document, is_grand_challenge
from evaluation.designs.imports.bounds import DEFAULT
from web.names import NameField

MAX_IMPORT_BYTES = 1_500_000
MAX_DOCUMENT_BYTES = DEFAULT.file_bytes


class StartForm(forms.Form):
    """Start a design."""

    title = NameField(
        label="Working title",
        max_length=200,
        help_text="Internal title. You'll enter the public name later.",
    )
    tasks = forms.CharField(
        label="Tasks",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One per line. Each task has its own data, metrics and ranking. You can add more later.",
    )
    published = forms.ChoiceField(
        label="Start from a published challenge",
        required=False,
        help_text="Copies its tasks, metrics, rankings and texts. Name, people and dates stay blank.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        field = cast("forms.ChoiceField", self.fields["published"])
        field.choices = [("", "No, start empty"), *((each.name, each.title) for each in published())]

    def clean(self):
        data = super().clean() or self.cleaned_data
        if data.get("published") and data.get("tasks"):
            self.add_error("tasks", "A published challenge brings its own tasks. Leave this field empty.")
        return data

    def clean_tasks(self):
        names = [" ".join(line.split()) for line in self.cleaned_data["tasks"].splitlines()]
        return [name for name in names if name][:60]


class ImportForm(forms.Form):
    """Make a design from an exported one, or from an earlier registration."""

    title = NameField(
        label="Working title",
        max_length=200,
        required=False,
        help_text="Leave empty to use the title of the registration, or the name of the file.",
    )
    registration = forms.CharField(
        label="Earlier registration",
        max_length=120,
        required=False,
        help_text="Identifier or readable name of a registered design, for the next edition.",
    )
    document = forms.FileField(
        label="Or a design document",
        required=False,
        help_text="MICCAI structured description or design export as Word (.docx) or PDF, or JSON: an export, or phases of Grand Challenge.",
        widget=forms.FileInput(attrs={"accept": ".docx,.pdf,.json"}),
    )

    def clean_document(self):
        upload = self.cleaned_data["document"]
        if not upload:
            return None
        if is_design_document(upload.name):
            if upload.size > MAX_DOCUMENT_BYTES:
                megabytes = MAX_DOCUMENT_BYTES // 1024**2
                raise ValidationError(f"A Word or PDF document has at most {megabytes} MB. Compress its pictures.")
            return upload
        if upload.size > MAX_IMPORT_BYTES:
            raise ValidationError("A design document has at most 1.5 MB.")
        try:
            data = json.loads(upload.read().decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValidationError("This file is not a Word, PDF or JSON document.") from error
        if is_grand_challenge(data):
            upload.seek(0)
            return upload
        if not isinstance(data, dict):
            raise ValidationError("This file is not a design document.")
        return data

    def clean(self):
        super().clean()
        data = self.cleaned_data
        if "document" in self.errors:
            return data
        if bool(data.get("document")) == bool(data.get("registration", "").strip()):
            raise ValidationError("Enter a registration or select a file, not both.")
        if isinstance(data.get("document"), dict) and not data.get("title", "").strip():
            self.add_error("title", "Enter a working title.")
        return data


class VersionForm(forms.Form):
    """Freeze a version."""

    name = NameField(label="Name of the version", max_length=120, help_text="Such as: submitted to the call.")
    note = forms.CharField(label="Note", required=False, widget=forms.Textarea(attrs={"rows": 2}))


class InvitationForm(forms.Form):
    """Invite a co-organizer."""

    email = forms.EmailField(label="E-mail address")
    role = forms.ChoiceField(
        label="Role",
        choices=Collaborator.Role.choices,
        initial=Collaborator.Role.EDITOR,
        help_text="Readers comment, editors write, owners also decide about people and versions.",
    )


class CommentForm(forms.Form):
    """Comment on a parameter."""

    text = forms.CharField(label="Comment", max_length=5000, widget=forms.Textarea(attrs={"rows": 3}))


class AnswerForm(forms.Form):
    """Answer a warning."""

    check_id = forms.CharField(widget=forms.HiddenInput)
    task = forms.CharField(required=False, widget=forms.HiddenInput)
    basis = forms.CharField(widget=forms.HiddenInput, max_length=64)
    text = forms.CharField(label="Why this is appropriate", max_length=5000, widget=forms.Textarea(attrs={"rows": 2}))
