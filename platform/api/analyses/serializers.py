"""Shapes of brought tables."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.importing import ROLES
from evaluation.importing.choices import EXCLUDE
from leaderboards.workbench.forms import MOST_COLUMNS_ASKED
from leaderboards.workbench.models import BroughtTable


class NewAnalysisSerializer(serializers.Serializer):
    """A table to bring, as a form with a file, or with the id of one that was sent in pieces before (`/files/`)."""

    file = serializers.FileField(required=False, help_text="CSV, at most 32 MB")
    file_sent = serializers.UUIDField(required=False, help_text="id of the file, where it was sent before")
    title = serializers.CharField(max_length=120, required=False, default="", allow_blank=True)


class MetricAnswerSerializer(serializers.Serializer):
    """Answers to the two questions of a metric; an omitted answer is as suggested."""

    direction = serializers.ChoiceField(choices=["higher", "lower"], required=False)
    missing = serializers.JSONField(
        required=False, help_text=f"what a missing value counts as: a number, or `{EXCLUDE}`"
    )

    def validate_missing(self, value: object) -> str:
        """A number or the word, as text."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise serializers.ValidationError(f"Give a number, or {EXCLUDE}.")
        return repr(value) if isinstance(value, float) else str(value)


class AnalysisAnswersSerializer(serializers.Serializer):
    """Answers about columns and metrics; an omitted answer remains as recognised and suggested."""

    roles = serializers.DictField(
        child=serializers.ChoiceField(choices=list(ROLES.items())), required=False, default=dict
    )
    metrics = serializers.DictField(child=MetricAnswerSerializer(), required=False, default=dict)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Accept only columns and metrics that are in question.

        Metrics of other columns come into question when the table has been read again.
        """
        reading = self.context["reading"]
        read_as = {column["name"]: column["role"] for column in reading["columns"][:MOST_COLUMNS_ASKED]}
        metric_names = [metric["name"] for metric in reading.get("metrics", ())]
        errors = {}
        if strange := sorted(set(attrs["roles"]) - set(read_as)):
            errors["roles"] = f"No column {strange[0]!r} is asked for; there are {', '.join(read_as)}."
        is_same = all(read_as.get(column, role) == role for column, role in attrs["roles"].items())
        if is_same and (strange := sorted(set(attrs["metrics"]) - set(metric_names))):
            errors["metrics"] = f"There is no metric {strange[0]!r}; there are {', '.join(metric_names) or 'none yet'}."
        if errors:
            raise serializers.ValidationError(errors)
        return attrs


class AnalysisChangeSerializer(serializers.Serializer):
    """Readers of an analysis, and its retention."""

    is_shared = serializers.BooleanField(required=False)
    is_kept = serializers.BooleanField(required=False)


class AnalysisSerializer(serializers.ModelSerializer):
    """A brought table, and how far it is."""

    url = serializers.HyperlinkedIdentityField(
        view_name="api:analysis-detail", lookup_field="key", help_text="here; nobody guesses it"
    )
    state_words = serializers.CharField(source="get_state_display")
    is_under_way = serializers.BooleanField()

    class Meta:
        model = BroughtTable
        fields = [
            *("url", "key", "title", "file_name", "state", "state_words", "is_under_way", "is_shared", "is_kept"),
            *("created_at", "expires_at", "finished_at"),
        ]


class ColumnSerializer(serializers.Serializer):
    """A column with what it is taken for."""

    name = serializers.CharField()
    role = serializers.ChoiceField(choices=list(ROLES.items()))
    samples = serializers.ListField(child=serializers.CharField(allow_blank=True))


class MetricQuestionSerializer(serializers.Serializer):
    """A metric with suggested answers; no direction if its name does not imply one."""

    name = serializers.CharField()
    direction = serializers.CharField(allow_blank=True)
    missing = serializers.JSONField()
    why = serializers.CharField()


class AnalysisDetailSerializer(AnalysisSerializer):
    """An analysis with its questions and, once finished, its results and the addresses of its files."""

    page = serializers.SerializerMethodField(help_text="address of the page for people")
    refusal = serializers.SerializerMethodField(help_text="for its owner: why it cannot be analysed")
    facts = serializers.SerializerMethodField()
    columns = serializers.SerializerMethodField(help_text="to be answered: what each column is")
    metrics = serializers.SerializerMethodField(help_text="to be answered: direction and missing rule of each metric")
    says = serializers.SerializerMethodField(help_text="of the first order: the verdict first")
    digest = serializers.SerializerMethodField(help_text="of the ranking document; `podium verify` computes it again")
    files = serializers.SerializerMethodField(help_text="addresses by name")

    class Meta(AnalysisSerializer.Meta):
        fields = [
            *AnalysisSerializer.Meta.fields,
            *("page", "refusal", "facts", "columns", "metrics", "says", "digest", "files"),
        ]

    @property
    def _is_owner(self) -> bool:
        return bool(self.context["is_owner"])

    def get_page(self, table: BroughtTable) -> str:
        return self._absolute(table.get_absolute_url())

    def get_refusal(self, table: BroughtTable) -> str:
        return table.refusal if self._is_owner else ""

    def get_facts(self, table: BroughtTable) -> dict[str, Any]:
        return table.reading.get("facts", {}) if self._is_owner else {}

    @extend_schema_field(ColumnSerializer(many=True))
    def get_columns(self, table: BroughtTable) -> list[dict[str, Any]]:
        return table.reading.get("columns", []) if self._asks(table) else []

    @extend_schema_field(MetricQuestionSerializer(many=True))
    def get_metrics(self, table: BroughtTable) -> list[dict[str, Any]]:
        return table.reading.get("metrics", []) if self._asks(table) else []

    def get_says(self, table: BroughtTable) -> list[str]:
        if not table.is_done:
            return []
        return list(table.outcome["sentences"][table.outcome["table"]["orders"][0]["key"]])

    def get_digest(self, table: BroughtTable) -> str:
        return table.outcome["digest"] if table.is_done else ""

    def get_files(self, table: BroughtTable) -> dict[str, str]:
        if not table.is_done:
            return {}
        return {name: self._absolute(reverse("api:analysis-file", args=[table.key, name])) for name in table.files}

    def _asks(self, table: BroughtTable) -> bool:
        return self._is_owner and table.state == BroughtTable.State.ASKING

    def _absolute(self, address: str) -> str:
        return str(self.context["request"].build_absolute_uri(address))
