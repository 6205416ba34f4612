"""Forms that request a scan of references and a simulation."""

from django import forms
from django.core.exceptions import ValidationError

from designs.services.simulations import read_pilot
from evaluation.advice.simulation import (
    FEWEST_CASES,
    FEWEST_TEAMS,
    MAX_CASES,
    MAX_TEAMS,
    MOST_FAILURES,
    MOST_SKEWNESS,
)


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


class SampleRehearsalForm(forms.Form):
    """References and submissions of an organizer for a rehearsal."""

    references = _FilesField(
        label="References",
        help_text="Files or one archive, as for a test set. Ten typical cases are enough.",
    )
    predictions = _FilesField(
        label="Submissions",
        help_text="One archive per submission, as a team would send it. Single files form one submission.",
    )


class SimulationForm(forms.Form):
    """Expected numbers, spread of case scores, failures and skewness: assumed, given, or from a pilot."""

    cases = forms.IntegerField(label="Test cases", min_value=FEWEST_CASES, max_value=MAX_CASES)
    teams = forms.IntegerField(label="Expected teams", min_value=FEWEST_TEAMS, max_value=MAX_TEAMS)
    typical = forms.FloatField(
        label="Score of a typical team on a typical case", required=False, help_text="On the scale of the metric."
    )
    between_cases = forms.FloatField(label="Spread between cases", required=False, min_value=0)
    between_teams = forms.FloatField(label="Spread between teams", required=False, min_value=0)
    noise = forms.FloatField(label="Spread of a team on a case", required=False, min_value=0)
    failures = forms.FloatField(
        label="Failed cases per team (%)",
        required=False,
        min_value=0,
        max_value=100 * MOST_FAILURES,
        help_text="Cases without a usable result. Empty: as in the pilot, or none.",
    )
    skewness = forms.FloatField(
        label="Skewness of a team's deviations",
        required=False,
        min_value=-MOST_SKEWNESS,
        max_value=MOST_SKEWNESS,
        help_text="Negative if a few cases are very bad. Empty: as in the pilot, or 0.",
    )
    pilot = forms.FileField(
        label="Pilot results",
        required=False,
        help_text="A results table (CSV) of at least two algorithms; three or more for skewness.",
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
        if data["failures"] is not None:
            options["failures"] = data["failures"] / 100
        if data["skewness"] is not None:
            options["skewness"] = data["skewness"]
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
