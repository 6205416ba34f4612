"""Shapes of tables of values measured outside."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from evaluation.importing import ROLES
from submissions.measurements.models import Measurement


class NewMeasurementSerializer(serializers.Serializer):
    """A table to bring, as a form with a file; a list of cases needs no more than its file.

    A file that was sent in pieces before (`/files/`) is named by its id instead.
    """

    file = serializers.FileField(required=False, help_text="CSV, at most 32 MB")
    file_sent = serializers.UUIDField(required=False, help_text="id of the table, where it was sent before")
    replicates = serializers.FileField(
        required=False, help_text="CSV beside values of the whole data set: algorithm, metric, region, replicate, value"
    )
    replicates_sent = serializers.UUIDField(
        required=False, help_text="id of the replicates, where they were sent before"
    )
    kind = serializers.ChoiceField(choices=Measurement.Kind.choices, required=False, default=Measurement.Kind.VALUES)
    team = serializers.CharField(required=False, allow_blank=True, help_text="name of the only team it is of")
    makes_teams = serializers.BooleanField(required=False, help_text="make teams that do not exist yet")
    measured_by = serializers.CharField(required=False, max_length=200, help_text="who measured; public")
    measured_with = serializers.CharField(required=False, max_length=200, help_text="with what; public")
    measured_when = serializers.CharField(required=False, max_length=200, help_text="when; public")


class MeasurementColumnsSerializer(serializers.Serializer):
    """Roles of columns; an omitted column remains as recognised."""

    roles = serializers.DictField(child=serializers.ChoiceField(choices=list(ROLES.items())))

    def validate_roles(self, value: dict[str, str]) -> dict[str, str]:
        """Only columns of the table."""
        column_names = [column["name"] for column in self.context["reading"].get("columns", [])]
        if strange := sorted(set(value) - set(column_names)):
            raise serializers.ValidationError(
                f"There is no column {strange[0]!r}; there are {', '.join(column_names)}."
            )
        return value


class MeasurementSerializer(serializers.ModelSerializer):
    """A table with its progress, and its problems or the content that sealing it stores."""

    url = serializers.SerializerMethodField()
    page = serializers.SerializerMethodField(help_text="address of the page for people")
    phase = serializers.IntegerField(source="phase_id")
    team = serializers.CharField(source="team.name", default=None, allow_null=True)
    state_words = serializers.CharField(source="get_state_display")
    is_under_way = serializers.BooleanField()
    may_be_sealed = serializers.BooleanField()
    problems = serializers.ListField(child=serializers.CharField(), help_text="one line each; nothing counts with any")
    columns = serializers.SerializerMethodField(help_text="what each column is taken for")
    teams = serializers.SerializerMethodField(help_text="what is stored for each team")

    class Meta:
        model = Measurement
        fields = [
            *("url", "page", "id", "phase", "kind", "team", "makes_teams", "file_name", "size", "sha256"),
            *("replicates_name", "replicates_size", "replicates_sha256"),
            *("measured_by", "measured_with", "measured_when", "created_at", "state", "state_words", "is_under_way"),
            *("may_be_sealed", "problems", "columns", "teams", "version", "digest", "sealed_at"),
        ]

    def get_url(self, table: Measurement) -> str:
        return self._absolute(reverse("api:measurement", args=[table.challenge.slug, table.pk]))

    def get_page(self, table: Measurement) -> str:
        return self._absolute(table.get_absolute_url())

    def get_columns(self, table: Measurement) -> dict[str, str]:
        return {column["name"]: column["role"] for column in table.reading.get("columns", [])}

    def get_teams(self, table: Measurement) -> list[dict[str, Any]]:
        teams: list[dict[str, Any]] = table.preview.get("teams", [])
        return teams

    def _absolute(self, address: str) -> str:
        return str(self.context["request"].build_absolute_uri(address))
