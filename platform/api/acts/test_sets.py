"""Acts on test sets: upload, what was read, preview, sealing, discarding, undoing."""

from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import ERRORS, Act, checked, described, done, form_data, listed, plain_request, refusals, shape_of
from challenges.models import Challenge, Phase
from challenges.queries import visible_challenge
from challenges.queries.projections import projection_of
from challenges.views.access import organizing, phase_by_id
from datastore.test_sets.forms import TestSetForm
from datastore.test_sets.models import CaseReport, SanityFinding, TestSet, TestSetArchive
from datastore.test_sets.queries.access_log import last_archives, versions_of
from datastore.test_sets.queries.case_reports import reports_for as case_reports_for
from datastore.test_sets.services import case_reports, received_archives
from datastore.test_sets.services.findings import accept
from datastore.test_sets.services.undoing import undo_sealing
from datastore.test_sets.views import decisions
from datastore.test_sets.views import uploads as pages
from datastore.uploads.views import tus

TAG = "test sets"
_REFUSAL = "Owners of the challenge seal and replace test sets."
_VERSION = OpenApiParameter("Tus-Resumable", str, "header", required=True, enum=[tus.VERSION])


def _sealing(request: Request, slug: str) -> Challenge:
    challenge = organizing(request, slug)
    if not request.user.has_perm("test_sets.seal_test_set", challenge):
        raise PermissionDenied(_REFUSAL)
    return challenge


def _page(slug: str, phase: int) -> str:
    return f"{reverse('test_sets:test_sets', args=[slug])}?phase={phase}#sending"


class ReferenceArchiveSerializer(serializers.ModelSerializer):
    """An archive of references, until it is sealed or discarded."""

    problems = serializers.ListField(child=serializers.CharField(), source="problem_lines")
    reading = serializers.JSONField(help_text="what was read: cases, labels, sizes, warnings; null before that")
    previews = serializers.SerializerMethodField(help_text="cases with a picture, in the order of their numbers")
    version = serializers.SerializerMethodField(help_text="version of the test set after sealing")

    class Meta:
        model = TestSetArchive
        fields = [
            *("id", "file_name", "size", "replaces", "reason", "state", "problems", "reading", "previews", "version"),
            *("created_at", "finished_at"),
        ]

    def get_previews(self, archive: TestSetArchive) -> list[str]:
        return [preview["case"] for preview in (archive.reading or {}).get("previews", ())]

    def get_version(self, archive: TestSetArchive) -> int | None:
        return archive.test_set.version if archive.test_set else None

    def to_representation(self, instance: TestSetArchive) -> dict[str, Any]:
        """Omit the names of stored files."""
        content = super().to_representation(instance)
        if content["reading"] is not None:
            content["reading"] = {key: value for key, value in content["reading"].items() if key != "previews"}
        return content


class SealedSerializer(serializers.Serializer):
    """A sealed version of a test set."""

    version = serializers.IntegerField(source="test_set.version")
    is_active = serializers.BooleanField(source="test_set.is_active")
    sealed_at = serializers.DateTimeField(source="test_set.sealed_at")
    manifest_digest = serializers.CharField(source="test_set.manifest_digest")
    cases = serializers.IntegerField()
    decoys = serializers.IntegerField()
    runs = serializers.IntegerField()
    reason = serializers.CharField()


class VersionsView(Act):
    """Sealed versions of the test set of a phase."""

    @described("test_set_versions", "List sealed versions", tag=TAG, answer=SealedSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """List the sealed versions of the test set of a phase, the newest first, without any reference."""
        return listed(request, versions_of(phase_by_id(organizing(request, slug), phase)), SealedSerializer)


class UndoView(Act):
    """Sealing that is undone."""

    @described("undo_sealing", "Undo the sealing of a test set", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, phase: int, version: int) -> Response:
        """Undo the sealing of the version in use, if there are no submissions yet."""
        entry = phase_by_id(_sealing(request, slug), phase)
        rows = TestSet.objects.filter(sealed_at__isnull=False).select_related("phase__task__challenge")
        test_set = get_object_or_404(rows, phase=entry, version=version)
        with refusals():
            undo_sealing(test_set=test_set, actor=request.user)
        message = f"The sealing of version {version} is undone. Upload the correct archive now."
        return done(message, _page(slug, entry.pk))


_ARCHIVE = shape_of("NewArchive", TestSetForm)


class ArchivesView(Act):
    """Archives of references for a phase."""

    parser_classes: ClassVar[list[Any]] = [MultiPartParser]  # type: ignore[misc]  # as the framework documents it

    @described("archives", "List archives", tag=TAG, answer=ReferenceArchiveSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """List the last archives that were uploaded for a phase, the newest first."""
        return listed(
            request, list(last_archives(phase_by_id(organizing(request, slug), phase))), ReferenceArchiveSerializer
        )

    @described(
        "upload_archive",
        "Upload an archive of references",
        tag=TAG,
        request={"multipart/form-data": _ARCHIVE},
        answer=ReferenceArchiveSerializer,
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Upload an archive in one request. It is read in the background; nothing is sealed before you confirm it.

        A reason is required if the archive replaces a sealed version.
        """
        challenge = _sealing(request, slug)
        entry: Phase = phase_by_id(challenge, phase)
        form = TestSetForm(
            request.data,
            request.FILES,
            replaces=TestSet.objects.filter(phase=entry, is_active=True).exists(),
            asks_for_merging=projection_of(challenge) is None,
            problem=entry.assessment.problem,
        )
        content = checked(form)
        with refusals():
            archive = received_archives.receive(
                user=request.user,
                phase=entry,
                archive=content["archive"],
                reason=content.get("reason", ""),
                merge_rule=content.get("merge_rule", ""),
            )
        return Response(ReferenceArchiveSerializer(archive).data, status=201)


class ArchiveView(Act):
    """One archive of references."""

    @described("archive", "Show an archive", tag=TAG, answer=ReferenceArchiveSerializer)
    def get(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """Return the state of an archive, its problems, and what was read."""
        return Response(ReferenceArchiveSerializer(self.find(request, slug, pk)).data)

    def find(self, request: Request, slug: str, pk: Any) -> TestSetArchive:
        """Return the archive, for owners of its challenge."""
        rows = TestSetArchive.objects.filter(phase__task__challenge=_sealing(request, slug))
        return get_object_or_404(rows.select_related("user", "phase", "test_set"), pk=pk)


class SealView(ArchiveView):
    """The confirmation of an archive."""

    http_method_names = ["post", "options"]

    @described("seal_archive", "Seal an archive", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """Confirm what was read. The archive is sealed in the background and cannot be changed then."""
        archive = self.find(request, slug, pk)
        with refusals():
            received_archives.confirm(archive=archive, actor=request.user)
        return done("The archive is being sealed.", _page(slug, archive.phase_id), key=archive.pk)


class DiscardView(ArchiveView):
    """The removal of an archive."""

    http_method_names = ["post", "options"]

    @described("discard_archive", "Discard an archive", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """Delete an archive that was read and not sealed."""
        archive = self.find(request, slug, pk)
        with refusals():
            received_archives.discard(archive=archive, actor=request.user)
        return done("The archive is deleted.", _page(slug, archive.phase_id), key=archive.pk)


class SanityFindingSerializer(serializers.ModelSerializer):
    """A finding of the check before sealing."""

    id = serializers.IntegerField(source="pk")
    check = serializers.CharField(source="check_id")
    title = serializers.CharField(source="rule.title")
    reason = serializers.CharField(source="rule.reason")
    remedy = serializers.CharField(source="rule.remedy")

    class Meta:
        model = SanityFinding
        fields = [
            *("id", "check", "case", "region", "value", "others", "title", "reason", "remedy", "answer", "answered_at")
        ]


class AcceptanceSerializer(serializers.Serializer):
    """Acceptance of one finding, or of all open findings of a check."""

    finding = serializers.IntegerField(required=False, help_text="id of the finding")
    check_id = serializers.CharField(
        required=False, default="", max_length=30, help_text="id of the check, without a finding; empty for all checks"
    )
    answer = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=1000, help_text="required for several findings"
    )


class FindingsView(ArchiveView):
    """Findings of the check before sealing."""

    http_method_names = ["get", "post", "options"]

    @described("archive_findings", "List findings", tag=TAG, answer=SanityFindingSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """List the findings about an archive. It is sealed after all of them are accepted."""
        return listed(
            request, list(self.find(request, slug, pk).findings.order_by("position")), SanityFindingSerializer
        )

    @described("accept_findings", "Accept findings", tag=TAG, request=AcceptanceSerializer)
    def post(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """Accept one finding, or all open findings of a check with an answer."""
        archive = self.find(request, slug, pk)
        content = AcceptanceSerializer(data=request.data)
        content.is_valid(raise_exception=True)
        with refusals():
            number = accept(actor=request.user, archive=archive, **content.validated_data)
        return done(f"Accepted findings: {number}.", _page(slug, archive.phase_id), key=archive.pk)


class PreviewView(Act):
    """The picture of a case that is not sealed yet."""

    @extend_schema(
        operation_id="archive_preview",
        summary="Show the picture of a case",
        tags=[TAG],
        responses={(200, "image/png"): OpenApiTypes.BINARY, 404: OpenApiTypes.OBJECT},
    )
    def get(self, request: SignedInApiRequest, slug: str, pk: Any, number: int) -> HttpResponse:
        """Return the picture of a case, only to the person who uploaded the archive."""
        return decisions.preview(plain_request(request), slug, pk, number)


class UploadsView(Act):
    """Starts of resumable uploads of archives."""

    @extend_schema(
        operation_id="begin_archive_upload",
        summary="Start a resumable upload",
        tags=[TAG],
        request=None,
        responses={
            201: None,
            **{(code, "text/plain"): OpenApiTypes.STR for code in ERRORS if code != 400},
        },
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Length", int, "header", required=True, description="bytes"),
            OpenApiParameter("Upload-Metadata", str, "header", description="`key base64` pairs: filename, reason"),
            OpenApiParameter("Location", str, "header", response=[201], description="address of the upload"),
        ],
    )
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> HttpResponse:
        """Start to upload an archive in pieces (tus 1.0, creation)."""
        response = pages.create(plain_request(request), slug, phase)
        if "Location" in response:
            key = response["Location"].rstrip("/").rpartition("/")[2]
            response["Location"] = reverse("api:archive-upload", args=[slug, key])
        return response


class UploadView(Act):
    """A resumable upload of an archive; `HEAD` returns its `Upload-Offset`."""

    @extend_schema(
        operation_id="continue_archive_upload",
        summary="Continue a resumable upload",
        tags=[TAG],
        request={"application/offset+octet-stream": OpenApiTypes.BINARY},
        responses={204: None, (409, "text/plain"): OpenApiTypes.STR},
        parameters=[_VERSION, OpenApiParameter("Upload-Offset", int, "header", required=True)],
    )
    def patch(self, request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        """Upload the next piece (tus 1.0). After the last piece, the archive is read in the background."""
        return pages.upload(plain_request(request), slug, pk)

    def head(self, request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        """Return the progress of the upload."""
        return pages.upload(plain_request(request), slug, pk)

    @extend_schema(
        operation_id="cancel_archive_upload",
        summary="Cancel a resumable upload",
        tags=[TAG],
        responses={204: None},
        parameters=[_VERSION],
    )
    def delete(self, request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        """Delete what was uploaded."""
        return pages.upload(plain_request(request), slug, pk)


class CaseReportSerializer(serializers.Serializer):
    """A report about a case."""

    id = serializers.IntegerField(source="pk")
    phase = serializers.IntegerField(source="phase_id")
    case = serializers.CharField()
    category = serializers.ChoiceField(CaseReport.Category.choices)
    text = serializers.CharField()
    state = serializers.ChoiceField(CaseReport.State.choices)
    answer = serializers.CharField()


def _answering(request: Request, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("test_sets.answer_case_report", challenge):
        raise Http404("Challenge not found, or you do not answer reports in it.")
    return challenge


def _case_report(request: Request, slug: str, pk: int) -> CaseReport:
    rows = CaseReport.objects.select_related("phase__task__challenge", "user")
    return get_object_or_404(rows, pk=pk, phase__task__challenge=_answering(request, slug))


_ANSWER = shape_of(
    "AnswerCaseReport",
    state=serializers.ChoiceField([CaseReport.State.CONFIRMED, CaseReport.State.DISMISSED]),
    answer=serializers.CharField(help_text="the person who reported the case reads it"),
)


class CaseReportsView(Act):
    """Reports about cases."""

    @described("case_reports", "List reports about cases", tag=TAG, answer=CaseReportSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the last 200 reports about cases, the newest first."""
        challenge = _answering(request, slug)
        return listed(request, list(case_reports_for(request.user, challenge)[:200]), CaseReportSerializer)


class CaseReportView(Act):
    """One report about a case."""

    @described(
        "answer_case_report",
        "Answer a report about a case",
        tag=TAG,
        request=_ANSWER,
        example={"state": "confirmed", "answer": "The reference misses the second lesion."},
    )
    def post(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Confirm or dismiss a report; its author is notified."""
        report, data = _case_report(request, slug, pk), form_data(request.data)
        with refusals():
            case_reports.answer_report(
                actor=request.user, report=report, state=data.get("state") or "", answer=data.get("answer") or ""
            )
        return done(f"The report about {report.case} is answered.", reverse("test_sets:case_reports", args=[slug]))


class CaseExclusionView(Act):
    """Exclusions of confirmed cases."""

    @described("exclude_case", "Propose to exclude a case", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Add a confirmed case to the working design as a case that does not count.

        Nothing changes until the change request is decided. `page` is the page to request the change.
        """
        report = _case_report(request, slug, pk)
        with refusals():
            page = case_reports.propose_exclusion(actor=request.user, report=report)
        return done(f"{report.case} is listed in the working design as a case that does not count.", page)
