"""What the interface shows."""

from typing import Any

from rest_framework import serializers

from challenges.models import Challenge, Phase, Task


class PhaseSerializer(serializers.ModelSerializer):
    """A phase with the digest of the assessment that it is run by."""

    task: serializers.SlugRelatedField[Task] = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    is_open = serializers.BooleanField(read_only=True)
    ends_at = serializers.DateTimeField(read_only=True)

    class Meta:
        model = Phase
        fields = [
            *("id", "task", "slug", "name", "opens_at", "ends_at", "is_open"),
            *("submissions_per_day", "submissions_in_total", "counts", "results", "leaderboard", "reveals_at"),
            *("feedback", "is_dry_run", "requires_method", "publishes_methods"),
            *("assessment_document", "assessment_digest"),
        ]


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
