"""Designs over HTTP: the same documents, checks and services as the pages, by the same permissions."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.designs import serializers as shapes
from designs import queries, services
from designs.models import Design, DesignVersion
from designs.queries.findings import all_findings
from designs.rules import role_of
from designs.views.access import design_for, is_insider, shown_document, task_of
from designs.views.versions import ENDINGS, exported
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.compiling import PHASES
from evaluation.designs.compilation import compile_values
from evaluation.designs.completeness import GATE, completeness, history
from evaluation.designs.differences import compare
from evaluation.designs.document import Document, public_document, to_json
from evaluation.designs.document.entries import BLANK
from evaluation.designs.exports import as_json

NOW = "now"
_TASK = OpenApiParameter("task", str, description="key of the task; left out for parameters of the challenge")
_PARAMETER = OpenApiParameter(
    "parameter", str, OpenApiParameter.PATH, enum=sorted(shipped().parameters), description="id of the parameter"
)
_NUMBER = OpenApiParameter("number", int, OpenApiParameter.PATH, description="number of the version")


class ConflictError(exceptions.APIException):
    """Error for a field that another person saved in between."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


@extend_schema(tags=["designs"])
class DesignViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Designs that the person works on or that are public."""

    queryset = Design.objects.none()
    write_scope = AccessToken.Scope.DESIGN
    serializer_class = shapes.DesignSerializer
    lookup_field = "slug"
    filterset_fields = ["slug", "is_public", "legacy_import"]

    def get_queryset(self) -> QuerySet[Design]:
        return queries.designs_for(self.request.user).order_by("slug")

    @extend_schema(responses=shapes.DesignDocumentSerializer)
    def retrieve(self, request: Request, slug: str) -> Response:
        """Return the current document, without personal or embargoed parts for outside readers."""
        return Response(self._document(design_for(request, slug)))

    @extend_schema(request=shapes.NewDesignSerializer, responses={201: shapes.DesignDocumentSerializer})
    def create(self, request: SignedInApiRequest) -> Response:
        """Start a design, with tasks or from an exported document. Who starts it owns it."""
        form = shapes.NewDesignSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        with _refusals():
            if "document" in data:
                named = {"slug": data["slug"]} if "slug" in data else {}
                design, _ = services.import_design(
                    actor=request.user, title=data["title"], data=data["document"], **named
                )
            else:
                design = services.create_design(owner=request.user, title=data["title"], tasks=data.get("tasks"))
        return Response(self._document(design), status=status.HTTP_201_CREATED)

    @extend_schema(
        methods=["GET"], parameters=[_TASK, _PARAMETER], responses=shapes.FieldSerializer, operation_id="design_field"
    )
    @extend_schema(
        methods=["PATCH"],
        parameters=[_TASK, _PARAMETER],
        request=shapes.FieldChangeSerializer,
        responses={200: shapes.FieldSerializer, 409: OpenApiTypes.OBJECT},
        operation_id="save_design_field",
    )
    @action(detail=True, methods=["get", "patch"], url_path=r"fields/(?P<parameter>[a-z0-9_]+)")
    def field(self, request: SignedInApiRequest, slug: str, parameter: str) -> Response:
        """Read or save one field; what a save leaves out stays as it is."""
        design = design_for(request, slug, "view_design" if request.method in SAFE_METHODS else "edit_design")
        definition = shipped().parameters.get(parameter)
        task = task_of(design, request.query_params.get("task"))
        if definition is None or (definition.visibility != "public" and not is_insider(request, design)):
            raise exceptions.NotFound("There is no such parameter.")
        if request.method in SAFE_METHODS:
            return Response(self._field(design, parameter, task.key if task else None))
        form = shapes.FieldChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        stands = self._field(design, parameter, task.key if task else None)
        try:
            with _refusals():
                services.save_field(
                    actor=request.user,
                    design=design,
                    parameter=parameter,
                    task=task,
                    **_completed(form.validated_data, stands),
                )
        except services.Conflict as conflict:
            raise ConflictError(
                f"{conflict} Its revision is {conflict.field.revision}: read it, merge, and send that revision."
            ) from conflict
        return Response(self._field(design, parameter, task.key if task else None))

    @extend_schema(methods=["GET"], responses=shapes.VersionSerializer(many=True), operation_id="design_versions")
    @extend_schema(
        methods=["POST"],
        request=shapes.VersionSerializer,
        responses={201: shapes.VersionSerializer},
        operation_id="freeze_design",
    )
    @action(detail=True, methods=["get", "post"], pagination_class=None, filterset_fields=None)
    def versions(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the frozen versions, newest first, or freeze the current design."""
        if request.method in SAFE_METHODS:
            frozen_versions = design_for(request, slug).versions.defer("document", "sealed")
            return Response(shapes.VersionSerializer(frozen_versions, many=True).data)
        design = design_for(request, slug, "manage_design")
        form = shapes.VersionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with _refusals():
            version = services.freeze_version(actor=request.user, design=design, **form.validated_data)
        return Response(shapes.VersionSerializer(version).data, status=status.HTTP_201_CREATED)

    @extend_schema(parameters=[_NUMBER], responses=shapes.VersionDocumentSerializer)
    @action(detail=True, url_path=r"versions/(?P<number>\d{1,6})")
    def version(self, request: Request, slug: str, number: str) -> Response:
        """One frozen version with its document."""
        design = design_for(request, slug)
        design_version = self._version(design, number)
        document = queries.document_of_version(design_version, sealed=False)
        if not is_insider(request, design):
            document = public_document(document, catalogue=shipped())
        metadata = shapes.VersionSerializer(design_version).data
        return Response({**metadata, "document": to_json(document, catalogue=shipped())})

    @extend_schema(
        parameters=[
            OpenApiParameter("from", str, description="number of a version, or now; the newest version if left out"),
            OpenApiParameter("to", str, description="number of a version, or now"),
        ],
        responses=shapes.DifferenceSerializer(many=True),
    )
    @action(detail=True, pagination_class=None, filterset_fields=None)
    def differences(self, request: Request, slug: str) -> Response:
        """List the changes between two versions, or since one version."""
        design = design_for(request, slug)
        newest = design.versions.values_list("number", flat=True).first()
        wanted = request.query_params.get("from", str(newest or NOW)), request.query_params.get("to", NOW)
        insider = is_insider(request, design)
        before, after = (self._state(request, design, number_or_now, insider=insider) for number_or_now in wanted)
        field_differences = [
            entry for entry in compare(before, after) if insider or entry.parameter.visibility == "public"
        ]
        return Response(shapes.DifferenceSerializer(field_differences, many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("phase", str, enum=PHASES, description="point of life; draft if left out")],
        responses=shapes.FindingSerializer(many=True),
    )
    @action(detail=True, pagination_class=None, filterset_fields=None)
    def checks(self, request: Request, slug: str) -> Response:
        """Everything that does not hold, errors first."""
        design = design_for(request, slug)
        phase = request.query_params.get("phase", "draft")
        if phase not in PHASES:
            raise exceptions.ValidationError({"phase": f"One of {', '.join(PHASES)}."})
        findings = all_findings(shown_document(request, design), design=design, phase=phase)
        return Response(shapes.FindingSerializer(findings, many=True).data)

    @extend_schema(responses=shapes.CompletenessSerializer)
    @action(detail=True)
    def completeness(self, request: Request, slug: str) -> Response:
        """Return how much is filled, next to published challenges and other designs on this installation."""
        design = design_for(request, slug)
        measured = completeness(shown_document(request, design))
        data = shapes.completeness_data(
            measured,
            required_share=GATE,
            passes=measured.passes(GATE),
            history=history(),
            drafts=queries.drafts_beside(design),
        )
        return Response(shapes.CompletenessSerializer(data).data)

    @extend_schema(
        parameters=[OpenApiParameter("task", str, OpenApiParameter.PATH, description="key of the task")],
        responses=OpenApiTypes.OBJECT,
    )
    @action(detail=True, url_path=r"assessment/(?P<task>[-\w]+)")
    def assessment(self, request: Request, slug: str, task: str) -> Response:
        """The compiled assessment document of a task; 409 names the parameters that keep it from being compiled."""
        design = design_for(request, slug)
        document = shown_document(request, design)
        if task not in document.tasks:
            raise exceptions.NotFound("There is no such task.")
        compiled = compile_values(document.values(task), assume=design.legacy_import)
        if compiled.assessment is None:
            lines = [f"{problem.parameter}: {problem}" for problem in compiled.problems]
            raise ConflictError(" ".join(lines))
        return Response(compiled.document)

    @extend_schema(
        parameters=[OpenApiParameter("ending", str, OpenApiParameter.PATH, enum=list(ENDINGS))],
        responses={200: OpenApiTypes.BINARY},
    )
    @action(detail=True, url_path=rf"export/(?P<ending>{'|'.join(ENDINGS)})")
    def export(self, request: Request, slug: str, ending: str) -> HttpResponse:
        """The whole design as canonical JSON, Markdown, Word or PDF."""
        design = design_for(request, slug)
        insider = is_insider(request, design)
        return exported(request, shown_document(request, design), design=design, ending=ending, public=not insider)

    def _document(self, design: Design) -> dict[str, Any]:
        public = not is_insider(self.request, design)
        document = shown_document(self.request, design)
        if public:
            document = public_document(document, catalogue=shipped())
        return {
            "slug": design.slug,
            "title": design.title,
            "role": role_of(self.request.user, design),
            "digest": as_json(document)[1],
            "document": to_json(document, catalogue=shipped()),
        }

    def _field(self, design: Design, parameter: str, task: str | None) -> dict[str, Any]:
        document = shown_document(self.request, design)
        if not is_insider(self.request, design):
            document = public_document(document, catalogue=shipped())
        entry = (document.tasks[task] if task else document.challenge).get(parameter, BLANK)
        revision = queries.revision_of(design, parameter, task)
        return {
            "parameter": parameter,
            "task": task,
            "value": entry.value,
            "details": entry.details,
            "reason": "",
            "until": "",
            "event": "",
            "digest": "",
            **entry.as_state(),
            "revision": revision,
        }

    def _version(self, design: Design, number: str) -> DesignVersion:
        design_version = DesignVersion.objects.filter(design=design, number=number).first()
        if design_version is None:
            raise exceptions.NotFound("There is no such version.")
        return design_version

    def _state(self, request: Request, design: Design, number_or_now: str, *, insider: bool) -> Document:
        if number_or_now == NOW:
            document = shown_document(request, design)
        elif number_or_now.isascii() and number_or_now.isdigit() and len(number_or_now) < 7:
            document = queries.document_of_version(self._version(design, number_or_now), sealed=insider)
        else:
            raise exceptions.ValidationError({"from": "Numbers of versions, or now."})
        return document if insider else public_document(document, catalogue=shipped())


def _completed(sent: Mapping[str, Any], stands: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts to save: those that were sent, and for the others the stored ones."""
    sent_names = {"value", "state"} & set(sent)
    # A new value takes the field out of “follows by …”; only where neither is sent does the state stay with its words.
    stored_names = (
        ("details", "value") if sent_names == {"state"} else ("details",) if sent_names else tuple(shapes.WORDS)
    )
    return {**{name: stands[name] for name in stored_names}, **sent}


class _refusals:  # noqa: N801 (it reads as a statement)
    """Within it, what a service refuses becomes an error of the interface, field by field."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ValidationError):
            detail = error.message_dict if hasattr(error, "error_dict") else {"non_field_errors": error.messages}
            raise exceptions.ValidationError(detail) from error
