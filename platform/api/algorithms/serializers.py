"""Shapes of algorithms and runs."""

from typing import Any

from rest_framework import serializers

from executions.models import AlgorithmArchive, Execution
from executions.queries import progress


class ArchiveSerializer(serializers.ModelSerializer):
    """An image or weights of a team."""

    kind = serializers.ChoiceField(choices=["image", "model"])

    class Meta:
        model = AlgorithmArchive
        fields = ["id", "kind", "file_name", "size", "state", "reason", "digest", "created_at"]
        read_only_fields = fields


class AlgorithmSerializer(serializers.Serializer):
    """An algorithm to submit."""

    image = serializers.UUIDField(help_text="id of an image of the team")
    weights = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="id of weights of the team"
    )


class SubmittedSerializer(serializers.Serializer):
    """A submission that was created."""

    submission = serializers.UUIDField()
    number = serializers.IntegerField()
    run = serializers.UUIDField()


class RunProgressSerializer(serializers.ModelSerializer):
    """A run of an algorithm: its place in the queue or its progress, and why it waits."""

    submission = serializers.UUIDField(source="subject")
    challenge = serializers.CharField(source="phase.task.challenge.slug")
    phase = serializers.CharField(source="phase.name")
    team = serializers.CharField(source="team.name")
    image = serializers.CharField(source="image.file_name")
    weights = serializers.CharField(source="model.file_name", default=None)
    status = serializers.SerializerMethodField()
    text = serializers.SerializerMethodField(help_text="place in the queue, progress, and why it waits")
    cases_done = serializers.SerializerMethodField()
    outcomes = serializers.JSONField(source="counts", help_text="outcome → number of cases, after the end")

    class Meta:
        model = Execution
        fields = [
            *(
                "id",
                "submission",
                "challenge",
                "phase",
                "team",
                "image",
                "weights",
                "state",
                "status",
                "text",
                "reason",
            ),
            *("cases_total", "cases_done", "outcomes", "compute_seconds", "created_at", "started_at", "finished_at"),
        ]
        read_only_fields = fields

    def to_representation(self, instance: Execution) -> dict[str, Any]:
        """Read the progress once for all fields."""
        self._progress = progress.of(instance)
        return super().to_representation(instance)

    def get_status(self, _execution: Execution) -> str:
        """Return the status in words."""
        return self._progress.title

    def get_text(self, _execution: Execution) -> str:
        """Return the progress in words."""
        return self._progress.text

    def get_cases_done(self, _execution: Execution) -> int | None:
        """Return the number of cases with an outcome while it runs."""
        return self._progress.done


class LogSerializer(serializers.Serializer):
    """Output of one container start that the team may read."""

    batch = serializers.IntegerField()
    text = serializers.CharField()
