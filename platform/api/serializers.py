"""Serializers of the API."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from challenges.models import Challenge, Phase, Task
from challenges.queries.timetable import timetable_of


class PhaseSerializer(serializers.ModelSerializer):
    """A phase with the digest of the assessment that it is run by."""

    task: serializers.SlugRelatedField[Task] = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    state = serializers.ChoiceField(choices=Phase.State.choices, read_only=True)
    is_open = serializers.BooleanField(read_only=True)
    opens_at = serializers.SerializerMethodField(help_text="when submissions open or opened; null while it is unknown")
    ends_at = serializers.SerializerMethodField(help_text="when submissions close or closed; null without a deadline")
    published_at = serializers.SerializerMethodField(
        help_text="when the final results are or were published; null without a deadline"
    )

    class Meta:
        model = Phase
        fields = [
            *("id", "task", "slug", "name", "state", "opens_at", "ends_at", "published_at", "is_open"),
            *("submissions_per_day", "submissions_in_total", "counts", "results", "leaderboard", "reveals_at"),
            *("feedback", "is_dry_run", "requires_method", "publishes_methods"),
            *("assessment_document", "assessment_digest"),
        ]

    def get_opens_at(self, phase: Phase) -> datetime | None:
        return timetable_of(phase).opens

    def get_ends_at(self, phase: Phase) -> datetime | None:
        return timetable_of(phase).closes

    def get_published_at(self, phase: Phase) -> datetime | None:
        return timetable_of(phase).published


class ChallengeSerializer(serializers.ModelSerializer):
    """A public challenge."""

    url = serializers.HyperlinkedIdentityField(view_name="api:challenge-detail", lookup_field="slug")

    class Meta:
        model = Challenge
        fields = ["url", "slug", "title", "summary", "attribution"]


class ChallengeDetailSerializer(ChallengeSerializer):
    """A challenge with its phases."""

    phases = serializers.SerializerMethodField()

    class Meta(ChallengeSerializer.Meta):
        fields = [*ChallengeSerializer.Meta.fields, "description", "data_description", "rules_text", "phases"]

    def get_phases(self, challenge: Challenge) -> list[dict[str, Any]]:
        phases = [phase for task in challenge.tasks.all() for phase in task.phases.all()]
        return list(PhaseSerializer(phases, many=True).data)


class MeSerializer(serializers.Serializer):
    """The person behind a token or session."""

    username = serializers.CharField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="null for a session")
    expires_at = serializers.DateTimeField(allow_null=True)
