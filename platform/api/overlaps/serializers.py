"""Serializers of questions about overlap."""

from rest_framework import serializers

from datastore.test_sets.models import OverlapQuestion


class OverlapQuestionSerializer(serializers.ModelSerializer):
    """A question of a team, and its answer."""

    answer = serializers.IntegerField(allow_null=True, help_text="matching images, with noise; null before the answer")

    class Meta:
        model = OverlapQuestion
        fields = ["id", "phase", "state", "images", "answer", "created_at", "finished_at"]
        read_only_fields = fields


class OverlapRuleSerializer(serializers.Serializer):
    """The rule of a phase, and the questions of your team."""

    per_team = serializers.IntegerField(allow_null=True, help_text="permitted questions per team; null: none")
    left = serializers.IntegerField(help_text="questions that your team can still ask")
    fewest_images = serializers.IntegerField(help_text="fewest distinct images per question")
    most_images = serializers.IntegerField(help_text="most distinct images per question")
    step = serializers.IntegerField(help_text="answers are multiples of this number")
    error = serializers.IntegerField(
        help_text="95 % of the answers differ from the exact count by at most this number: noise and rounding"
    )
    epsilon = serializers.FloatField(help_text="privacy loss of one answer")
    questions = OverlapQuestionSerializer(many=True)


class SketchesSerializer(serializers.Serializer):
    """A new question."""

    sketches = serializers.FileField(help_text="file from `podium overlap`")
