"""Forms that request a scan of references and a simulation."""

from django import forms
from django.core.exceptions import ValidationError

from designs.services.simulations import read_pilot


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
    """References to scan, and optional example predictions."""

    references = _FilesField(
        label="Reference files",
        help_text=(
            "Label images or a table in the scoring format, as several files or one zip archive. A few "
            "typical cases are enough. Files are deleted after reading."
        ),
    )
    predictions = _FilesField(
        label="Example predictions",
        required=False,
        help_text="Files named like the references. For several algorithms, a zip archive with one folder each.",
    )


class SimulationForm(forms.Form):
    """Expected numbers, and how case scores spread: assumed, or from a pilot."""

    cases = forms.IntegerField(label="Test cases", min_value=2, max_value=5000)
    teams = forms.IntegerField(label="Expected teams", min_value=2, max_value=60)
    typical = forms.FloatField(
        label="Score of a typical team on a typical case", required=False, help_text="On the scale of the metric."
    )
    between_cases = forms.FloatField(label="Spread between cases", required=False, min_value=0)
    between_teams = forms.FloatField(label="Spread between teams", required=False, min_value=0)
    noise = forms.FloatField(label="Spread of a team on a case", required=False, min_value=0)
    pilot = forms.FileField(
        label="Pilot results", required=False, help_text="A results table (CSV) of at least two algorithms."
    )

    def clean(self):
        super().clean()
        data = self.cleaned_data
        parts = [data.get(name) for name in ("typical", "between_cases", "between_teams", "noise")]
        if any(part is not None for part in parts) and any(part is None for part in parts):
            raise ValidationError("Enter all four spread values, or leave all empty to use an assumption.")
        return data

    def clean_pilot(self):
        upload = self.cleaned_data["pilot"]
        return read_pilot(upload.read()) if upload else None

    @property
    def options(self) -> dict:
        """Options for the service."""
        data = self.cleaned_data
        options = {"cases": data["cases"], "teams": data["teams"]}
        if data["pilot"]:
            options["pilot"] = data["pilot"]
        elif data["typical"] is not None:
            options["spread"] = {
                "typical": data["typical"],
                "cases": data["between_cases"],
                "teams": data["between_teams"],
                "noise": data["noise"],
            }
        return options
