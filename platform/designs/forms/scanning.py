"""What a scan of references is asked with."""

from django import forms
from django.core.exceptions import ValidationError


class _ManyFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    """Several files in one field."""

    widget = _ManyFiles

    def clean(self, data, initial=None):
        single = super().clean
        if not isinstance(data, (list, tuple)):
            data = [data] if data else []
        if not data and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        return [single(entry, initial) for entry in data]


class ScanForm(forms.Form):
    """References, and predictions beside them."""

    references = _FilesField(
        label="Reference files",
        help_text="Label images or a table as for scoring, several at once or one zip archive. A few typical cases are "
        "enough. They are deleted once they are read.",
    )
    predictions = _FilesField(
        label="Example predictions",
        required=False,
        help_text="Named like the references; of several algorithms as a zip archive with one folder each.",
    )
