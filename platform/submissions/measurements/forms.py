"""The boundary: a table with its origin, and what its columns are."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms

from challenges.models import Phase, Team
from evaluation.importing import ROLES, SheetLimits
from evaluation.importing.fitting import takes_uncertainty
from submissions.measurements.models import Measurement
from submissions.measurements.queries import refusal_of_new_teams, teams_of
from submissions.measurements.services.tables import Sent
from web.names import NameField

MOST_COLUMNS_ASKED: Final = 40
"""Maximum number of columns whose role the form requests; for other columns, the guess applies.

A wide table of cases has hundreds of columns of the same kind.
"""


def most_bytes() -> int:
    """Most bytes that a table may have."""
    return SheetLimits().file_bytes


class _TableForm(forms.Form):
    """One table."""

    file = forms.FileField(label="Table")

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phase = phase

    def clean_file(self) -> Any:
        """Refuse what is too large before it is read."""
        return _bounded(self.cleaned_data["file"])


def _bounded(file: Any) -> Any:
    if file and file.size > most_bytes():
        raise forms.ValidationError(f"The file has {file.size:,} bytes; at most {most_bytes():,} are read.")
    return file


class CaseListForm(_TableForm):
    """The complete list of cases."""

    kind = Measurement.Kind.CASES

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(phase, *args, **kwargs)
        self.fields["file"].label = "Case list"
        self.fields["file"].help_text = "CSV, up to 32 MB: a column “case” and one column per characteristic."

    @property
    def wanted(self) -> dict[str, Any]:
        """Arguments for uploading the table, in addition to the file."""
        return {"kind": self.kind}


class ValuesForm(_TableForm):
    """Values with their origin."""

    kind = Measurement.Kind.VALUES

    replicates = forms.FileField(
        label="Replicates",
        required=False,
        help_text=(
            "CSV with algorithm, metric, replicate and value: at least 200 resamples of the test cases, "
            "with the same numbers for all teams. Or leave this empty and add a column “se” with standard"
            " errors to the table."
        ),
    )
    team = forms.ModelChoiceField(
        Team.objects.none(), label="Teams", required=False, empty_label="all teams in the table"
    )
    measured_by = NameField(label="Measured by", max_length=200, help_text="A person, group or site. Public.")
    measured_with = NameField(
        label="Measured with", max_length=200, help_text="Software with version, or a procedure. Public."
    )
    measured_when = NameField(label="When", max_length=200, help_text="A date or time span. Public.")
    makes_teams = forms.BooleanField(label="Create missing teams", required=False)

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(phase, *args, **kwargs)
        self.fields["file"].help_text = "CSV, up to 32 MB: one row per value, or one column per metric, team or case."
        team = self.fields["team"]
        assert isinstance(team, forms.ModelChoiceField)
        team.queryset = teams_of(phase)
        refusal = refusal_of_new_teams(phase)
        self.fields["makes_teams"].help_text = refusal or "New teams have no members. You can invite people later."
        self.fields["makes_teams"].disabled = bool(refusal)
        if not any(takes_uncertainty(metric) for metric in phase.assessment.metrics):
            del self.fields["replicates"]

    def clean_replicates(self) -> Any:
        """Refuse what is too large before it is read."""
        return _bounded(self.cleaned_data["replicates"])

    @property
    def wanted(self) -> dict[str, Any]:
        """Arguments for uploading the table, in addition to the file."""
        cleaned = self.cleaned_data
        return {
            "kind": self.kind,
            "team": cleaned["team"],
            "makes_teams": cleaned["makes_teams"],
            "replicates": _sent(cleaned.get("replicates")),
            "origin": {key: cleaned[f"measured_{key}"] for key in ("by", "with", "when")},
        }


def _sent(file: Any) -> Sent | None:
    return Sent(file.name, file.read()) if file else None


class ColumnsForm(forms.Form):
    """Role of each column of a table."""

    def __init__(self, reading: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = reading.get("columns", [])
        for index, column in enumerate(self.columns[:MOST_COLUMNS_ASKED]):
            samples = ", ".join(sample or "(empty)" for sample in column["samples"])
            self.fields[f"role_{index}"] = forms.ChoiceField(
                label=column["name"], choices=list(ROLES.items()), initial=column["role"], help_text=samples[:120]
            )

    @property
    def roles(self) -> dict[str, str]:
        """Role of each column, as selected in the form."""
        return {
            column["name"]: self.cleaned_data.get(f"role_{index}", column["role"])
            for index, column in enumerate(self.columns)
        }
