"""Forms about runners."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from web.names import NameField

MOST_LABELS = 10


class RunnerForm(forms.Form):
    """Create a runner."""

    name = NameField(label="Name", max_length=80, help_text="Name of the machine, such as gpu-1 of the imaging group.")
    hardware_class = forms.CharField(
        label="Class of machine",
        max_length=120,
        required=False,
        help_text="Phases that rank times run on one class only. If empty, the hardware that the runner reports.",
    )
    labels = forms.CharField(
        label="Labels", max_length=300, required=False, help_text="Notes for people, separated by commas."
    )
    concurrency = forms.IntegerField(
        label="Runs at the same time", min_value=1, max_value=64, initial=1, help_text="Within cores, memory and GPUs."
    )
    days = forms.TypedChoiceField(
        label="Expires after",
        choices=[(30, "30 days"), (90, "90 days"), (365, "one year"), (730, "two years")],
        initial=90,
        coerce=int,
    )

    def clean_labels(self) -> list[str]:
        """Return the labels as a list."""
        labels = [label.strip()[:40] for label in self.cleaned_data["labels"].split(",") if label.strip()]
        if len(labels) > MOST_LABELS:
            raise ValidationError(f"Enter {MOST_LABELS} labels at most.")
        return labels

    def values(self) -> dict[str, Any]:
        """Return the arguments of `executions.runners.services.issuing.issue`."""
        return dict(self.cleaned_data)
