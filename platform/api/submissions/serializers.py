"""Serializers of submissions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rules import test_rule

from evaluation.checking import Severity
from executions.scoring.domain.report import Report
from submissions.models import Submission
from submissions.queries.counting import counting
from submissions.queries.progress import progress
from submissions.queries.releases import told_values


class ProgressSerializer(serializers.Serializer):
    """Progress of a submission, in the text of its page."""

    title = serializers.CharField()
    since = serializers.DateTimeField()
    text = serializers.CharField(allow_blank=True)
    next = serializers.CharField(allow_blank=True)
    done = serializers.IntegerField(allow_null=True, help_text="cases done, while they are counted")
    total = serializers.IntegerField(allow_null=True)
    usual_seconds = serializers.FloatField(allow_null=True, help_text="median of the phase's last submissions")
    is_moving = serializers.BooleanField(help_text="whether it will change by itself")


class FindingSerializer(serializers.Serializer):
    """Validation message about one case that cannot be scored."""

    case = serializers.CharField()
    status = serializers.CharField()
    kind = serializers.CharField(allow_blank=True)
    file = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    remedy = serializers.CharField(allow_blank=True)


class QuestionSerializer(serializers.Serializer):
    """Question or note about all predictions together."""

    id = serializers.CharField()
    severity = serializers.ChoiceField([str(severity) for severity in Severity])
    reason = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)
    sentence = serializers.CharField(help_text="reason and remedy in one line")
    file = serializers.CharField(allow_blank=True)
    case = serializers.CharField(allow_blank=True)
    row = serializers.IntegerField(allow_null=True)
    value = serializers.CharField(allow_blank=True)


class SubmissionSerializer(serializers.ModelSerializer):
    """One line of a list."""

    url = serializers.HyperlinkedIdentityField(view_name="api:submission-detail", lookup_field="pk")
    challenge = serializers.CharField(source="phase.task.challenge.slug", read_only=True)
    phase = serializers.IntegerField(source="phase_id", read_only=True)
    phase_name = serializers.CharField(source="phase.name", read_only=True)
    team = serializers.CharField(source="team.name", read_only=True)
    is_settled = serializers.BooleanField(read_only=True)

    class Meta:
        model = Submission
        fields = [
            *("url", "id", "challenge", "phase", "phase_name", "team", "number", "state", "reason", "is_settled"),
            *("is_late", "is_chosen", "archive_name", "archive_size", "archive_sha256", "created_at", "state_since"),
        ]
        read_only_fields = fields


class SubmissionDetailSerializer(SubmissionSerializer):
    """A submission with what is happening to it, what validation found, and the scores that its phase shows."""

    progress = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField(help_text="whether it stands for the team in the ranking, and why")
    valid_cases = serializers.SerializerMethodField()
    findings = serializers.SerializerMethodField(help_text="the cases that cannot be scored, with remedies")
    questions = serializers.SerializerMethodField(
        help_text="questions and notes about all predictions together; a question holds the submission"
    )
    scores = serializers.SerializerMethodField(help_text="aggregated values; null where the phase shows none")
    result_digest = serializers.SerializerMethodField(help_text="of the table of results, where that is shown")

    class Meta(SubmissionSerializer.Meta):
        fields = [
            *SubmissionSerializer.Meta.fields,
            *("progress", "counts", "valid_cases", "findings", "questions", "scores", "result_digest"),
        ]
        read_only_fields = fields

    def get_progress(self, submission: Submission) -> dict[str, Any]:
        return ProgressSerializer(progress(submission)).data

    def get_counts(self, submission: Submission) -> dict[str, Any] | None:
        if submission.state != Submission.State.SCORED:
            return None
        reader = self.context["request"].user
        count_state = counting(submission, for_team=submission.team.members.filter(user=reader).exists())
        return {"counts": count_state.counts, "words": count_state.words}

    def get_valid_cases(self, submission: Submission) -> int:
        return Report.of(submission.report).valid

    def get_findings(self, submission: Submission) -> list[dict[str, Any]]:
        user = self.context["request"].user
        if not test_rule("submissions.view_findings", user, submission):
            return []
        return list(FindingSerializer(Report.of(submission.report).troubled, many=True).data)

    @extend_schema_field(QuestionSerializer(many=True))
    def get_questions(self, submission: Submission) -> list[dict[str, Any]]:
        if not test_rule("submissions.view_findings", self.context["request"].user, submission):
            return []
        return list(QuestionSerializer(Report.of(submission.report).questions, many=True).data)

    def get_scores(self, submission: Submission) -> list[dict[str, Any]] | None:
        run = self.context["run"]
        user = self.context["request"].user
        if run is None or not user.has_perm("submissions.view_scores", submission):
            return None
        if user.has_perm("submissions.organize_submission", submission):
            return run.summary["values"]
        return told_values(submission, run)

    def get_result_digest(self, submission: Submission) -> str | None:
        run = self.context["run"]
        user = self.context["request"].user
        if run is None or not user.has_perm("submissions.view_case_scores", submission):
            return None
        return run.result_digest


class DecisionSerializer(serializers.Serializer):
    """Decision about a submission.

    A submission with gaps can be scored or withdrawn. If teams choose the submission that counts for them, it
    can be chosen, or the choice can be taken back.
    """

    decision = serializers.ChoiceField(["score", "withdraw", "choose", "take_back"])
    method = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="With choose, where several methods of a team are ranked: as which of them, in place of the one that was.",
    )


class ExpectedCaseSerializer(serializers.Serializer):
    """A case that a submission has to have, and the grid of its prediction, or what else it is compared with."""

    name = serializers.CharField()
    geometry = serializers.DictField(allow_null=True, help_text="null where predictions are rows of a table")


class ExpectedInstancesSerializer(serializers.Serializer):
    """Permitted and required content of the table of instances."""

    classes = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="null: any")
    need_class = serializers.BooleanField(help_text="whether every object needs a class")
    need_scores = serializers.ListField(
        child=serializers.CharField(), help_text="metrics that need a score of each object"
    )
    scores = serializers.CharField(required=False, help_text="any: any finite number; absent: from 0 to 1")


class TableBesideSerializer(serializers.Serializer):
    """A table that belongs in the archive next to the files of the cases."""

    file = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    needed = serializers.BooleanField(help_text="whether an archive without it is refused")


class NamedIdSerializer(serializers.Serializer):
    """An id of a COCO document and the case or class that it names."""

    id = serializers.JSONField(help_text="a number or a text")
    name = serializers.CharField()


class ExpectedTableSerializer(serializers.Serializer):
    """The one table that holds the predictions of all cases."""

    files = serializers.ListField(child=serializers.CharField(), help_text="what it may be called")
    columns = serializers.ListField(child=serializers.CharField())
    classes = serializers.ListField(child=serializers.CharField())
    need_scores = serializers.ListField(child=serializers.CharField(), help_text="metrics that need scores")
    kind = serializers.CharField(allow_blank=True, help_text="of objects: boxes or points")
    axes = serializers.IntegerField(help_text="of objects: two or three")
    scores = serializers.CharField(required=False, help_text="any: any finite number; absent: from 0 to 1")
    need_labels = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="metrics that need decisions, where scores are any numbers",
    )
    most_rows = serializers.IntegerField()
    most_objects_of_case = serializers.IntegerField()
    image_ids = NamedIdSerializer(
        many=True, required=False, help_text="of objects: the case of each image_id in a list of COCO results"
    )
    category_ids = NamedIdSerializer(
        many=True, required=False, help_text="of objects: the class of each category_id in a list of COCO results"
    )


class ExpectationSerializer(serializers.Serializer):
    """Rules of validation, which you can check before uploading.

    They contain nothing from the references.
    """

    problem = serializers.CharField()
    suffixes = serializers.ListField(child=serializers.CharField())
    labels = serializers.ListField(child=serializers.IntegerField(), allow_null=True, help_text="null: any")
    expected = serializers.DictField(
        required=False, help_text="what files of predictions have to keep to besides; depends on the problem"
    )
    incomplete_allowed = serializers.BooleanField()
    missing_case = serializers.CharField(help_text="what a case without a valid prediction counts as, in words")
    cases = ExpectedCaseSerializer(many=True)
    table = ExpectedTableSerializer(allow_null=True, help_text="null where every case has a file of its own")
    beside = TableBesideSerializer(allow_null=True, help_text="the table beside the files; null: there is none")
    instances = ExpectedInstancesSerializer(
        allow_null=True, help_text="the table instances.csv beside label maps of instances; null: there is none"
    )
