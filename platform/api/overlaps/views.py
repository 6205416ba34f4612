"""Questions of teams: how many of their training images match test images of a phase."""

from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, status
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.authentication import WithinScope
from api.overlaps import serializers as shapes
from challenges.models import Phase, Team
from challenges.views.access import participating, phase_by_id, team_in
from datastore.test_sets.queries.overlap_questions import counted_questions, questions_of
from datastore.test_sets.services import overlap_questions
from datastore.test_sets.services.replacing import TestSetError
from evaluation.test_set_quality.sketches import EPSILON, FEWEST_IMAGES, MOST_BYTES, MOST_IMAGES, STEP, noise_bound


class ConflictError(exceptions.APIException):
    """Error for a question that the phase does not permit, or not at present."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


class _OfTeams(APIView):
    """Base of the views: members of a team that takes part in the task of the phase."""

    permission_classes: ClassVar[list[Any]] = [IsAuthenticated, WithinScope]  # type: ignore[misc]  # as the framework documents it
    parser_classes: ClassVar[list[Any]] = [MultiPartParser]  # type: ignore[misc]  # as the framework documents it
    write_scope = AccessToken.Scope.SUBMIT

    def find(self, request: Request, slug: str, phase: int) -> tuple[Phase, Team]:
        """Return the phase and the team of the person."""
        challenge, teams = participating(request, slug)
        entry = phase_by_id(challenge, phase)
        team = team_in(teams, entry)
        if team is None:
            raise exceptions.PermissionDenied("Your team does not take part in the task of this phase.")
        return entry, team


@extend_schema(tags=["test sets"])
class OverlapQuestionsView(_OfTeams):
    """Questions of a team about a phase."""

    @extend_schema(
        operation_id="overlap_questions", summary="List questions about overlap", responses=shapes.OverlapRuleSerializer
    )
    def get(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Return the rule of the phase, and the questions of your team with their answers."""
        entry, team = self.find(request, slug, phase)
        most = entry.overlap_questions_per_team
        used = counted_questions(entry, team, request.user).count()
        content = {
            "per_team": most,
            "left": max((most or 0) - used, 0),
            "fewest_images": FEWEST_IMAGES,
            "most_images": MOST_IMAGES,
            "step": STEP,
            "error": noise_bound() + STEP // 2,
            "epsilon": EPSILON,
            "questions": questions_of(entry, team),
        }
        return Response(shapes.OverlapRuleSerializer(content).data)

    @extend_schema(
        operation_id="ask_overlap",
        summary="Ask how many training images match",
        request={"multipart/form-data": shapes.SketchesSerializer},
        responses={201: shapes.OverlapQuestionSerializer, 409: OpenApiTypes.OBJECT},
    )
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Ask how many images of your team match test images. The answer is one number with noise.

        The organizers and the exposure report show the answer. The sketches are deleted after it.
        """
        entry, team = self.find(request, slug, phase)
        try:
            overlap_questions.check_rule(entry)
            file = request.FILES.get("sketches")
            if not isinstance(file, UploadedFile) or file.size is None or file.size > MOST_BYTES:
                raise exceptions.ValidationError(
                    {"sketches": [f"Send a file of sketches of at most {MOST_BYTES:,} bytes."]}
                )
            question = overlap_questions.put(actor=request.user, phase=entry, team=team, content=file.read())
        except ValidationError as error:
            raise exceptions.ValidationError(error.message_dict) from error
        except TestSetError as error:
            raise ConflictError(str(error)) from error
        return Response(shapes.OverlapQuestionSerializer(question).data, status=status.HTTP_201_CREATED)


@extend_schema(tags=["test sets"])
class OverlapQuestionView(_OfTeams):
    """One question of a team."""

    @extend_schema(
        operation_id="overlap_question",
        summary="Show a question about overlap",
        responses=shapes.OverlapQuestionSerializer,
    )
    def get(self, request: SignedInApiRequest, slug: str, phase: int, pk: Any) -> Response:
        """Return the state of a question of your team, and the answer."""
        entry, team = self.find(request, slug, phase)
        return Response(shapes.OverlapQuestionSerializer(get_object_or_404(questions_of(entry, team), pk=pk)).data)
