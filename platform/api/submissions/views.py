"""Submissions over HTTP, with the services, rules and messages of the pages."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as Refusal
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import exceptions, mixins, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rules import test_rule

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.authentication import WithinScope
from api.submissions import serializers as shapes
from challenges import queries as challenge_queries
from challenges.models import Challenge
from challenges.queries import people
from challenges.rules import readable_by
from challenges.views.access import only_teams, phase_by_id
from confinement.limits import TableLimits
from datastore.test_sets.queries.test_sets import active_test_set, expectation, has_test_set
from datastore.test_sets.rules import access_to_phase
from evaluation.claims.missing_cases import cost_of_a_missing_case
from evaluation.problems import kind_of
from evaluation.problems.case_tables import instances_of
from evaluation.problems.tables import CATEGORY_IDS, IMAGE_IDS, ExpectedTable
from executions.scoring.domain import results
from submissions.models import Submission
from submissions.queries import told_frame
from submissions.queries.results import kept_costs
from submissions.queries.submissions import counted_run, with_runs
from submissions.services import choosing, starter_kits, states
from submissions.views.starter_kits import zip_response


@extend_schema(tags=["submissions"])
class SubmissionViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Submissions of one's own teams; organizers see those to their challenges.

    A submission is made by uploading: `POST /api/v1/challenges/{slug}/uploads/` (tus 1.0).
    """

    queryset = Submission.objects.none()
    serializer_class = shapes.SubmissionSerializer
    permission_classes = [IsAuthenticated, WithinScope]
    write_scope = AccessToken.Scope.SUBMIT
    lookup_value_regex = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    filterset_fields = {"phase": ["exact"], "state": ["exact"], "phase__task__challenge__slug": ["exact"]}

    def get_queryset(self) -> QuerySet[Submission]:
        if not self.request.user.is_authenticated:  # the schema is made without a person
            return Submission.objects.none()
        teams = people.teams_of(self.request.user)
        organized = people.organized_by(self.request.user)
        team_submissions = Submission.objects.filter(
            team__in=teams, phase__task__challenge__in=Challenge.objects.filter(readable_by(self.request.user))
        )
        return with_runs(team_submissions | Submission.objects.filter(phase__task__challenge__in=organized)).order_by(
            "-created_at"
        )

    @extend_schema(responses=shapes.SubmissionDetailSerializer)
    def retrieve(self, request: Request, pk: Any) -> Response:  # noqa: ARG002 (the framework's signature)
        """Return the state of a submission, the findings of validation, and the scores that its phase shows."""
        return self._shown(self._load(pk))

    @extend_schema(request=shapes.DecisionSerializer, responses=shapes.SubmissionDetailSerializer)
    @action(detail=True, methods=["post"])
    def decide(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Score a submission with gaps as it is, withdraw it, or choose it for the team.

        Where teams choose, a choice can also be taken back. Repeating a decision changes nothing.
        """
        submission = self._load(pk)
        if not test_rule("submissions.decide_submission", request.user, submission):
            raise exceptions.NotFound("There is no such submission.")
        form = shapes.DecisionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            if form.validated_data["decision"] == "score":
                states.score_as_it_is(submission=submission, actor=request.user)
            elif form.validated_data["decision"] == "choose":
                choosing.choose(submission=submission, actor=request.user, method=form.validated_data.get("method"))
            elif form.validated_data["decision"] == "take_back":
                choosing.take_back(submission=submission, actor=request.user)
            else:
                states.withdraw(submission=submission, actor=request.user)
        except Refusal as error:
            raise exceptions.ValidationError({"decision": error.messages}) from error
        return self._shown(self._load(pk))

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    @action(detail=True, methods=["get"], url_path=r"results\.csv", url_name="results")
    def results(self, request: Request, pk: Any) -> HttpResponse:
        """The table of results case by case, where the phase shows it; without what running took on single cases that are hidden."""
        submission = self._load(pk, perm="submissions.view_case_scores")
        run = counted_run(submission)
        if run is None:
            raise exceptions.NotFound("This submission has no result yet.")
        response = HttpResponse(results.to_csv(told_frame(run, request.user)), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{submission.team.slug}-{submission.number}.csv"'
        if not kept_costs(run, request.user):  # it is of the whole table
            response["Podium-Digest"] = run.result_digest
        return response

    def _load(self, pk: Any, *, perm: str = "submissions.view_submission") -> Submission:
        rows = Submission.objects.select_related("phase__task__challenge", "team", "user")
        submission = rows.filter(pk=pk).first()
        user = self.request.user
        if (
            submission is None
            or not user.has_perm("challenges.view_challenge", submission.challenge)
            or not user.has_perm(perm, submission)
        ):
            raise exceptions.NotFound("There is no such submission.")
        return submission

    def _shown(self, submission: Submission) -> Response:
        context = {**self.get_serializer_context(), "run": counted_run(submission)}
        return Response(shapes.SubmissionDetailSerializer(submission, context=context).data)


class ExpectationView(APIView):
    """Requirements of a phase for a submission, for participating teams and organizers."""

    permission_classes = [IsAuthenticated, WithinScope]

    @extend_schema(tags=["submissions"], responses=shapes.ExpectationSerializer)
    def get(self, request: Request, slug: str, phase: int) -> Response:
        """Names and grids of the expected cases, and the labels that may occur."""
        challenge = challenge_queries.visible_challenge(request.user, slug)
        if not (
            request.user.has_perm("challenges.submit_to_challenge", challenge)
            or request.user.has_perm("challenges.organize_challenge", challenge)
        ):
            raise PermissionDenied(only_teams(challenge))
        entry = phase_by_id(challenge, phase)
        if not kind_of(entry.assessment).is_scored:
            raise Http404("What this phase expects cannot be checked before uploading.")
        if not has_test_set(entry):
            raise Http404("This phase has no test set yet.")
        if entry.algorithms:
            raise Http404("Teams submit algorithms to this phase, and no predictions of cases.")
        if not access_to_phase(request.user, entry).names:
            raise Http404("The cases of this phase are hidden.")
        wanted = expectation(active_test_set(entry), entry.assessment)
        # Of label images the labels stand in a place of their own.
        more = {key: value for key, value in wanted.expected.items() if key != "labels"}
        return Response(
            shapes.ExpectationSerializer(
                ({"expected": more} if more else {})
                | {
                    "problem": entry.assessment.problem,
                    "suffixes": wanted.suffixes,
                    "labels": wanted.expected.get("labels"),
                    "incomplete_allowed": entry.incomplete_allowed,
                    "missing_case": cost_of_a_missing_case(entry.assessment),
                    "beside": wanted.beside,
                    "instances": instances_of(wanted.instances),
                    "cases": [
                        {"name": case.name, "geometry": None if wanted.table else case.facts} for case in wanted.cases
                    ],
                    "table": _table(wanted.table) if wanted.table else None,
                }
            ).data
        )


class StarterKitView(APIView):
    """Starter kit of a phase, for everyone who sees the challenge."""

    @extend_schema(
        tags=["challenges"],
        operation_id="starter_kit",
        summary="Download the starter kit of a phase",
        responses={
            (200, "application/zip"): OpenApiTypes.BINARY,
            202: OpenApiResponse(
                description="The kit is being generated. Repeat the request after `Retry-After` seconds."
            ),
            404: OpenApiResponse(description="The challenge or phase is not found, or the phase has no kit."),
        },
    )
    def get(self, request: Request, slug: str, phase: int) -> HttpResponse | Response:
        """Return sample data, programs and instructions as a ZIP archive, generated from the registered design."""
        challenge = challenge_queries.visible_challenge(request.user, slug)
        kit = starter_kits.kit_of(phase_by_id(challenge, phase))
        if kit is None:
            waiting = {"detail": "The starter kit is being generated. Repeat the request."}
            return Response(waiting, status=202, headers={"Retry-After": "2"})
        if kit.problem:
            raise exceptions.NotFound(kit.problem)
        return zip_response(kit)


def _named(ids: Sequence[tuple[int | str, str]]) -> list[dict[str, int | str]]:
    return [{"id": each, "name": name} for each, name in ids]


def _table(wanted: ExpectedTable) -> dict[str, Any]:
    """Return the required content of a table and the limits within which it is read."""
    limits = TableLimits()
    return {
        "files": wanted.files,
        "columns": wanted.columns,
        "classes": wanted.classes,
        "need_scores": wanted.need_scores,
        "kind": wanted.kind[0],
        "axes": wanted.kind[1],
        "most_rows": limits.rows,
        "most_objects_of_case": limits.objects_of_case,
        **({"scores": wanted.scores} if wanted.scores else {}),
        **({"need_labels": wanted.need_labels} if wanted.need_labels else {}),
        **(
            {IMAGE_IDS: _named(wanted.image_ids), CATEGORY_IDS: _named(wanted.category_ids)} if wanted.image_ids else {}
        ),
    }
