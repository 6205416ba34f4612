"""Serializers for the input and output of designs."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designs.models import Design, DesignVersion
from designs.services.designs import RESERVED
from evaluation.designs.completeness import Completeness, Drafts, Share, TaskCompleteness
from evaluation.designs.differences import Difference
from evaluation.designs.document import State
from web.names import validate_name

STATES = [str(state) for state in State]
# What a field holds.
WORDS = ("value", "details", "state", "reason", "until", "event")


@extend_schema_field(OpenApiTypes.ANY)
class AnyValue(serializers.JSONField):
    """A value in the form that the type of its parameter has: text, number, list, object, or nothing."""


class DesignSerializer(serializers.ModelSerializer):
    """A design that the person may read."""

    url = serializers.HyperlinkedIdentityField(view_name="api:design-detail", lookup_field="slug")
    tasks = serializers.SerializerMethodField(help_text="keys of the tasks, in order")
    versions = serializers.IntegerField(source="version_count", read_only=True, help_text="number of frozen versions")

    class Meta:
        model = Design
        fields = ["url", "slug", "title", "is_public", "legacy_import", "changed_at", "tasks", "versions"]

    def get_tasks(self, design: Design) -> list[str]:
        return [task.key for task in design.tasks.all()]


class DesignDocumentSerializer(serializers.Serializer):
    """A design with its document, canonical as exported, and the SHA-256 of that."""

    slug = serializers.CharField()
    title = serializers.CharField()
    role = serializers.CharField(help_text="owner, editor, reader, or empty for a reader from outside")
    digest = serializers.CharField()
    document = serializers.DictField()


class NewDesignSerializer(serializers.Serializer):
    """Start a design: with the names of its tasks, or from an exported document."""

    title = serializers.CharField(max_length=200, validators=[validate_name])
    tasks = serializers.ListField(
        child=serializers.CharField(max_length=200, validators=[validate_name]), required=False, max_length=60
    )
    document = serializers.DictField(required=False)
    slug = serializers.SlugField(
        required=False, max_length=80, help_text="address, with a document only; from the title if left out"
    )

    def validate_slug(self, slug: str) -> str:
        if slug in RESERVED or Design.objects.filter(slug=slug).exists():
            raise serializers.ValidationError("This address is taken.")
        return slug


class FieldSerializer(serializers.Serializer):
    """Content of one field."""

    parameter = serializers.CharField()
    task = serializers.CharField(allow_null=True)
    value = AnyValue(allow_null=True)
    details = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(STATES)
    reason = serializers.CharField(allow_blank=True)
    until = serializers.CharField(allow_blank=True)
    event = serializers.CharField(allow_blank=True)
    digest = serializers.CharField(allow_blank=True)
    revision = serializers.IntegerField(help_text="counts the saves of the field; send back the one that you saw")


class FieldChangeSerializer(serializers.Serializer):
    """New content of a field.

    `revision` is the revision that was read: an edit in between is answered with 409.
    """

    value = AnyValue(required=False, allow_null=True)
    details = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    state = serializers.ChoiceField(STATES, required=False)
    reason = serializers.CharField(required=False, allow_blank=True)
    until = serializers.CharField(required=False, allow_blank=True)
    event = serializers.CharField(required=False, allow_blank=True)
    revision = serializers.IntegerField(required=False, min_value=0)


class VersionSerializer(serializers.ModelSerializer):
    """A frozen version."""

    class Meta:
        model = DesignVersion
        fields = ["number", "name", "note", "digest", "catalogue", "created_at"]
        read_only_fields = ["number", "digest", "catalogue", "created_at"]
        extra_kwargs = {"name": {"validators": [validate_name]}}


class VersionDocumentSerializer(VersionSerializer):
    """A frozen version with its document; for readers from outside without what is personal."""

    document = serializers.DictField()

    class Meta(VersionSerializer.Meta):
        fields = [*VersionSerializer.Meta.fields, "document"]


class FindingSerializer(serializers.Serializer):
    """A check that does not hold."""

    check_id = serializers.CharField(source="check.id")
    parameter = serializers.CharField(source="check.parameter")
    task = serializers.CharField(allow_null=True)
    severity = serializers.ChoiceField(["error", "warning", "info"])
    message = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    answer = serializers.SerializerMethodField(help_text="why a warning is not obeyed, if somebody said so")
    answer_is_current = serializers.BooleanField(source="is_answered")

    def get_answer(self, finding: Any) -> str:
        return finding.answer.text if finding.answer else ""


class DifferenceSerializer(serializers.Serializer):
    """Change of one field: by word for text, by row for tables, by unit for numbers."""

    parameter = serializers.CharField(source="parameter.id")
    label = serializers.CharField(source="parameter.label")  # type: ignore[assignment]  # a field of this name, not the label of the serializer
    task = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(["added", "removed", "changed"])
    words = serializers.SerializerMethodField()
    rows = serializers.SerializerMethodField()
    number = serializers.SerializerMethodField()
    details = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()

    def get_words(self, difference: Difference) -> list[dict[str, str]]:
        return [{"kind": run.kind, "text": run.text} for run in difference.words]

    def get_details(self, difference: Difference) -> list[dict[str, str]]:
        return [{"kind": run.kind, "text": run.text} for run in difference.details]

    def get_rows(self, difference: Difference) -> list[dict[str, Any]]:
        return [
            {
                "kind": row.kind,
                "cells": [{"label": cell.label, "before": cell.before, "after": cell.after} for cell in row.cells],
            }
            for row in difference.rows
        ]

    def get_number(self, difference: Difference) -> dict[str, Any] | None:
        change = difference.number
        return None if change is None else {"before": change.before, "after": change.after, "words": change.words}

    def get_state(self, difference: Difference) -> list[str] | None:
        return list(difference.state) if difference.state else None


class ShareSerializer(serializers.Serializer):
    """Share as number filled, total, and ratio."""

    filled = serializers.IntegerField()
    total = serializers.IntegerField()
    share = serializers.SerializerMethodField()

    def get_share(self, share: Share) -> float:
        return round(share.value, 4)


class TaskCompletenessSerializer(serializers.Serializer):
    """Shares of one task."""

    task = serializers.CharField(allow_null=True)
    name = serializers.CharField()
    design = ShareSerializer(help_text="of the fifty design entries of the published list")
    starred = ShareSerializer()
    gate = ShareSerializer(help_text="of the essential parameters that apply")
    sections = serializers.SerializerMethodField()
    open_essential = serializers.SerializerMethodField()

    def get_sections(self, task: TaskCompleteness) -> dict[str, dict[str, Any]]:
        return {key: ShareSerializer(share).data for key, share in task.sections.items()}

    def get_open_essential(self, task: TaskCompleteness) -> list[str]:
        return [parameter.id for parameter in task.open_essential]


class CompletenessSerializer(serializers.Serializer):
    """Shares of a design, next to the usual shares and those of other drafts."""

    tasks = TaskCompletenessSerializer(many=True)
    gate = ShareSerializer()
    required_share = serializers.FloatField()
    passes = serializers.BooleanField(help_text="whether enough is filled; errors are a matter of the checks")
    history = serializers.SerializerMethodField(help_text="filled entries of 50: of published challenges")
    drafts = serializers.SerializerMethodField(help_text="the same of other designs here, if there are enough")

    def get_history(self, completeness: dict[str, Any]) -> dict[str, float]:
        return dict(completeness["history"])

    def get_drafts(self, completeness: dict[str, Any]) -> dict[str, float] | None:
        drafts: Drafts | None = completeness["drafts"]
        return None if drafts is None else drafts.document


def completeness_data(measured: Completeness, **facts: Any) -> dict[str, Any]:
    """Return the data for `CompletenessSerializer`."""
    return {"tasks": measured.tasks, "gate": measured.gate, **facts}
