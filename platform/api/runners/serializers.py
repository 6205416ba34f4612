"""Shapes of the runner interface."""

from typing import Any

from rest_framework import serializers

from confinement.containers.probe import REQUIREMENTS
from executions.runners.services.reporting import Report


class HardwareSerializer(serializers.Serializer):
    """Hardware that a machine offers."""

    cpus = serializers.FloatField()
    memory_mib = serializers.IntegerField()
    gpus = serializers.ListField(child=serializers.CharField(max_length=100), max_length=64, default=list)
    machine = serializers.CharField(max_length=200, allow_blank=True, default="")
    host_class = serializers.CharField(max_length=200, allow_blank=True, default="")


class RunnerStateSerializer(serializers.Serializer):
    """State of a runner in its own words."""

    protocol = serializers.IntegerField(help_text="version of this interface: 1")
    version = serializers.CharField(max_length=40)
    engine = serializers.CharField(max_length=20, allow_blank=True, default="")
    versions = serializers.DictField(child=serializers.CharField(max_length=200, allow_blank=True), default=dict)
    holds = serializers.DictField(child=serializers.BooleanField(), default=dict, help_text="guarantee → applies")
    findings = serializers.DictField(child=serializers.CharField(max_length=1000), default=dict)
    problem = serializers.CharField(max_length=500, allow_blank=True, default="")
    hardware = HardwareSerializer()

    def as_report(self) -> Report:
        """Return the validated content."""
        content: dict[str, Any] = dict(self.validated_data)
        holds = {name: bool(value) for name, value in content["holds"].items() if name in REQUIREMENTS}
        slots = dict(content.pop("hardware"))
        return Report(**{**content, "holds": holds}, slots=slots)


class RunnerSerializer(serializers.Serializer):
    """A runner as the platform knows it."""

    name = serializers.CharField()
    scope = serializers.CharField(help_text="short name of a challenge, or installation")
    is_ready = serializers.BooleanField()
    problem = serializers.CharField(help_text="why it gets no work")
    concurrency = serializers.IntegerField()
    expires_at = serializers.DateTimeField()
    poll_seconds = serializers.FloatField(help_text="pause between claims that found nothing")
    piece_bytes = serializers.IntegerField(help_text="largest piece of outputs")


class ClaimSerializer(serializers.Serializer):
    """A claim."""

    key = serializers.UUIDField(help_text="chosen by the runner; a repeated claim with the same key gives the same run")


class InputSerializer(serializers.Serializer):
    """A file of a run."""

    key = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    address = serializers.CharField(help_text="signed; takes Range; ends with the lease")
    case = serializers.CharField(required=False, help_text="name under which the container sees the case")


class ImageSerializer(serializers.Serializer):
    """An image: its configuration, then its layers from the lowest up."""

    report = serializers.JSONField()
    parts = InputSerializer(many=True)


class LeasedRunSerializer(serializers.Serializer):
    """A leased run."""

    run = serializers.UUIDField()
    lease_seconds = serializers.FloatField()
    order = serializers.JSONField(help_text="what the container gets: cases, limits, interface, outputs")
    image = ImageSerializer()
    weights = InputSerializer(allow_null=True)
    cases = InputSerializer(many=True)


class BeatSerializer(serializers.Serializer):
    """A sign of life."""

    step = serializers.CharField(max_length=120, allow_blank=True, default="")


class BeatAnswerSerializer(serializers.Serializer):
    """Answer to a sign of life."""

    next_seconds = serializers.FloatField(help_text="time until the next sign of life is due")


class ReceivedSerializer(serializers.Serializer):
    """Progress of the outputs."""

    received = serializers.IntegerField(help_text="bytes that have arrived")


class FinishSerializer(serializers.Serializer):
    """End of a run."""

    manifest = serializers.JSONField(help_text="one entry per case and output; taken contents follow in this order")


class ReleaseSerializer(serializers.Serializer):
    """Release of a run."""

    reason = serializers.CharField(max_length=500, allow_blank=True, default="")


class EndedSerializer(serializers.Serializer):
    """A run that ended."""

    state = serializers.CharField()
