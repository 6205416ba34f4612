"""The boundary: a file, and the answers to what it leaves open."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms

from evaluation.importing import ROLES, SheetLimits
from evaluation.importing.choices import EXCLUDE
from evaluation.importing.numbers import as_number

MOST_COLUMNS_ASKED: Final = 40
"""Largest number of columns that the form lists; for further columns, the guess applies.

A wide table of cases has thousands of similar columns.
"""
_DIRECTIONS: Final = (("", "choose"), ("higher", "higher is better"), ("lower", "lower is better"))


def most_bytes() -> int:
    """Most bytes that a table may have."""
    return SheetLimits().file_bytes


class BringForm(forms.Form):
    """One results table."""

    file = forms.FileField(
        label="Results table",
        help_text="CSV, up to 32 MB: one row per value, or one column per algorithm, case or metric.",
    )
    title = forms.CharField(
        label="Title", max_length=120, required=False, help_text="Leave empty to use the file name."
    )

    def clean_file(self) -> Any:
        """Refuse what is too large before it is read."""
        file = self.cleaned_data["file"]
        if file.size > most_bytes():
            raise forms.ValidationError(f"The file has {file.size:,} bytes; at most {most_bytes():,} are read.")
        return file


class AnswersForm(forms.Form):
    """Form for the role of each column, and two questions per metric."""

    def __init__(self, reading: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reading = reading
        for index, column in enumerate(reading["columns"][:MOST_COLUMNS_ASKED]):
            samples = ", ".join(sample or "(empty)" for sample in column["samples"])
            self.fields[f"role_{index}"] = forms.ChoiceField(
                label=column["name"], choices=list(ROLES.items()), initial=column["role"], help_text=samples[:120]
            )
        for index, metric in enumerate(reading.get("metrics", ())):
            missing = metric["missing"]
            self.fields[f"direction_{index}"] = forms.ChoiceField(
                label=f"{metric['name']}: which values are better?",
                choices=_DIRECTIONS,
                initial=metric["direction"],
                required=not self.is_bound,
            )
            self.fields[f"missing_{index}"] = forms.CharField(
                label=f"{metric['name']}: a missing value counts as",
                initial=missing if isinstance(missing, str) else f"{missing:.10g}",
                max_length=40,
                required=not self.is_bound,
                help_text=f"A number ({metric['why']} is suggested), or “{EXCLUDE}” to leave the case out for this algorithm.",
            )

    @classmethod
    def of_names(
        cls, reading: Mapping[str, Any], *, roles: Mapping[str, str], metrics: Mapping[str, Mapping[str, str]]
    ) -> "AnswersForm":
        """The form as filled in by a program, which names columns and metrics; the rest stays as it is suggested."""
        columns, asked = reading["columns"], reading.get("metrics", ())
        filled = {
            f"role_{index}": roles.get(column["name"], column["role"])
            for index, column in enumerate(columns[:MOST_COLUMNS_ASKED])
        }
        for index, metric in enumerate(asked):
            answers = {
                "direction": metric["direction"],
                "missing": metric["missing"],
                **metrics.get(metric["name"], {}),
            }
            filled |= {f"{question}_{index}": str(answers[question]) for question in ("direction", "missing")}
        return cls(reading, filled)

    @property
    def errors_by_name(self) -> dict[str, list[str]]:
        """Errors by the name of the column or metric."""
        errors: dict[str, list[str]] = {}
        for field, messages in self.errors.items():
            question, _, suffix = field.rpartition("_")
            entries = self.reading["columns" if question == "role" else "metrics"] if suffix.isdecimal() else None
            name = entries[int(suffix)]["name"] if entries is not None else field
            errors.setdefault(name, []).extend(str(words) for words in messages)
        return errors

    @property
    def columns(self) -> list[forms.BoundField]:
        """The questions about columns."""
        return [self[name] for name in self.fields if name.startswith("role_")]

    @property
    def metrics(self) -> list[forms.BoundField]:
        """The questions about metrics."""
        return [self[name] for name in self.fields if not name.startswith("role_")]

    @property
    def roles(self) -> dict[str, str]:
        """Submitted role of each column."""
        return {
            column["name"]: self.cleaned_data.get(f"role_{index}", column["role"])
            for index, column in enumerate(self.reading["columns"])
        }

    @property
    def changes_columns(self) -> bool:
        """True if a column has another role than the one it was read with, so that the metrics can change."""
        return self.roles != {column["name"]: column["role"] for column in self.reading["columns"]}

    @property
    def choices(self) -> list[dict[str, Any]]:
        """Direction and missing rule of each metric, as answered."""
        return [
            {
                "name": metric["name"],
                "direction": self.cleaned_data[f"direction_{index}"],
                "missing": self.cleaned_data[f"missing_{index}"],
            }
            for index, metric in enumerate(self.reading.get("metrics", ()))
        ]

    def clean(self) -> dict[str, Any]:
        """Both questions of every metric are answered, unless the columns are read again first."""
        cleaned = super().clean() or {}
        for field in self.metrics:
            field.field.required = True
        if self.errors or self.changes_columns:
            return cleaned
        for index, metric in enumerate(self.reading.get("metrics", ())):
            if not cleaned[f"direction_{index}"]:
                self.add_error(f"direction_{index}", f"Say which values of {metric['name']} are better.")
            text = cleaned[f"missing_{index}"].strip()
            number = EXCLUDE if text.casefold() == EXCLUDE else as_number(text)
            if number is None:
                self.add_error(f"missing_{index}", f"Write a number such as 0 or 12.5, or “{EXCLUDE}”.")
            cleaned[f"missing_{index}"] = number
        return cleaned
