"""Uploading straight to the object store: begun, resumed and ended here, while the bytes go there by signed addresses.

Browsers use these addresses with their session, programs with a token. Where the installation keeps files on disk, or
does not offer it, `POST` answers 501 and senders use tus (`uploads/`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rules import test_rule

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.uploads.views import IDEMPOTENCY_KEY, MaySubmit
from challenges.views.access import participating, phase_by_id, team_in
from datastore.uploads import object_store
from datastore.uploads.models import Upload
from datastore.uploads.services import multiparts, refusals, uploads
from datastore.uploads.views.tus import STATUS, client_token
from submissions.models import Submission
from submissions.queries.repeats import RULE, key_of_sha256, page_of_repeated, same_content, submission_of
from submissions.services import submitting


class _DigestField(serializers.CharField):
    """SHA-256 as base64."""

    def __init__(self) -> None:
        super().__init__(min_length=44, max_length=44, help_text="SHA-256 as base64")


class BeginSerializer(serializers.Serializer):
    """Description of a file before its upload."""

    phase = serializers.IntegerField()
    filename = serializers.CharField(max_length=255)
    size = serializers.IntegerField(min_value=0, max_value=2**62)
    accept_incomplete = serializers.BooleanField(default=False)
    sha256 = serializers.RegexField(
        "^[0-9a-fA-F]{64}$", allow_blank=True, default="", help_text="SHA-256 of the file, hexadecimal"
    )
    again = serializers.BooleanField(default=False, help_text="submit the same file again")


class ArrivedPartSerializer(serializers.Serializer):
    """A part that the store has."""

    number = serializers.IntegerField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField(allow_null=True)


class DirectUploadSerializer(serializers.Serializer):
    """Progress of an upload."""

    address = serializers.CharField(allow_null=True, help_text="null: the same file was submitted before")
    state = serializers.ChoiceField(Upload.State.choices)
    size = serializers.IntegerField()
    part_bytes = serializers.IntegerField()
    arrived = ArrivedPartSerializer(many=True)
    is_ending = serializers.BooleanField(help_text="all parts have arrived; only its end has to be asked for again")
    expires_at = serializers.DateTimeField()
    submission = serializers.CharField(allow_null=True, help_text="address of the submission, when whole")
    page = serializers.CharField(allow_null=True, help_text="the same for people")
    is_repeated = serializers.BooleanField(
        help_text="the same file was submitted before, so that no new submission was created"
    )


class WantedPartSerializer(serializers.Serializer):
    """A part that is to be sent next."""

    number = serializers.IntegerField(min_value=1)
    sha256 = _DigestField()


class WantedPartsSerializer(serializers.Serializer):
    """Parts that are to be sent next."""

    parts = WantedPartSerializer(many=True, allow_empty=False, max_length=multiparts.AT_ONCE)  # type: ignore[call-arg]  # of the list, as many=True takes it


class AddressSerializer(serializers.Serializer):
    """Temporary address to which a part can be sent by PUT, with exactly these headers."""

    number = serializers.IntegerField()
    url = serializers.CharField()
    headers = serializers.DictField(child=serializers.CharField())


class AddressesSerializer(serializers.Serializer):
    """Temporary addresses to which parts can be sent."""

    parts = AddressSerializer(many=True)


class EndSerializer(serializers.Serializer):
    """The digests of all parts, in order."""

    sha256 = serializers.ListField(child=_DigestField(), allow_empty=False, max_length=10_000)


class _RefusedError(exceptions.APIException):
    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status_code = status


class _DirectView(APIView):
    permission_classes = [IsAuthenticated, MaySubmit]
    write_scope = AccessToken.Scope.SUBMIT

    def load(self, slug: str, pk: Any) -> Upload:
        """Return an upload of the visitor's own."""
        challenge, _ = participating(self.request, slug)
        rows = Upload.objects.filter(pk=pk, phase__task__challenge=challenge, multipart__isnull=False)
        entry = rows.select_related("phase__task", "multipart").first()
        if entry is None or not test_rule("submissions.continue_upload", self.request.user, entry):
            raise Http404("There is no such upload.")
        return entry

    def shown(self, slug: str, entry: Upload, **more: Any) -> Response:
        """Return the progress of an upload."""
        with _told():
            going_on = entry.state == Upload.State.RECEIVING
            arrived = multiparts.arrived(multipart=entry.multipart) if going_on else []
        submission = submission_of(entry)
        content = {
            "address": reverse("api:direct-upload", args=[slug, entry.pk]),
            "state": entry.state,
            "size": entry.size,
            "part_bytes": entry.multipart.part_bytes,
            "arrived": arrived,
            "is_ending": going_on and bool(entry.multipart.checksum),
            "expires_at": entry.expires_at,
            **_became(slug, submission, is_repeated=entry.repeats is not None),
        }
        response = Response(DirectUploadSerializer(content).data, **more)
        response["Cache-Control"] = "no-store"
        return response


@extend_schema(tags=["submissions"])
class DirectUploadsView(_DirectView):
    """Start of uploads to the object store."""

    @extend_schema(
        operation_id="begin_direct_upload",
        request=BeginSerializer,
        responses={200: DirectUploadSerializer, 201: DirectUploadSerializer},
        parameters=[IDEMPOTENCY_KEY],
        description=f"Begin an upload whose bytes go to the object store; 501 where that is not offered. {RULE}",
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Begin an upload."""
        challenge, teams = participating(request, slug)
        if not object_store.is_offered():
            raise _RefusedError("This installation takes all bytes itself: upload by tus.", 501)
        wanted = _valid(BeginSerializer, request)
        phase = phase_by_id(challenge, wanted["phase"])
        team = team_in(teams, phase)
        with _told():
            if team is None:
                raise refusals.NotAllowedError(submitting.elsewhere(phase))
            sha256 = wanted["sha256"].lower()
            earlier = same_content(user=request.user, phase=phase, team=team, key=key_of_sha256(sha256))
            if earlier is not None and not wanted["again"]:
                return _of_earlier(slug, earlier)
            entry = submitting.create_upload(
                user=request.user,
                phase=phase,
                team=team,
                file_name=wanted["filename"],
                size=wanted["size"],
                accept_incomplete=wanted["accept_incomplete"],
                is_direct=True,
                again=wanted["again"],
                sha256=sha256,
                client_token=client_token(request.headers.get("Idempotency-Key")),
            )
        return self.shown(slug, entry, status=201)


@extend_schema(tags=["submissions"])
class DirectUploadView(_DirectView):
    """An upload under way to the object store."""

    @extend_schema(operation_id="direct_upload_state", responses=DirectUploadSerializer)
    def get(self, request: Request, slug: str, pk: Any) -> Response:  # noqa: ARG002 (the framework's signature)
        """List the parts that have arrived."""
        return self.shown(slug, self.load(slug, pk))

    @extend_schema(operation_id="cancel_direct_upload", responses={204: None})
    def delete(self, request: Request, slug: str, pk: Any) -> Response:  # noqa: ARG002 (the framework's signature)
        """Cancel it; what has arrived is deleted."""
        uploads.cancel(upload=self.load(slug, pk))
        return Response(status=204)


@extend_schema(tags=["submissions"])
class DirectPartsView(_DirectView):
    """Addresses for parts."""

    @extend_schema(operation_id="direct_upload_parts", request=WantedPartsSerializer, responses=AddressesSerializer)
    def post(self, request: Request, slug: str, pk: Any) -> Response:
        """Get addresses that take exactly these parts, by PUT, for ten minutes."""
        entry = self.load(slug, pk)
        wanted = [(part["number"], part["sha256"]) for part in _valid(WantedPartsSerializer, request)["parts"]]
        with _told():
            uploads.check_receiving(entry)
            given = multiparts.addresses(upload=entry, wanted=wanted)
        response = Response(AddressesSerializer({"parts": given}).data)
        response["Cache-Control"] = "no-store"
        return response


@extend_schema(tags=["submissions"])
class DirectEndView(_DirectView):
    """The end of an upload."""

    @extend_schema(operation_id="end_direct_upload", request=EndSerializer, responses=DirectUploadSerializer)
    def post(self, request: Request, slug: str, pk: Any) -> Response:
        """Assemble the parts and create the submission; a repeated request has the same response."""
        entry = self.load(slug, pk)
        with _told():
            submitting.finish(upload=entry, digests=_valid(EndSerializer, request)["sha256"])
        entry.refresh_from_db()
        return self.shown(slug, entry)


def _became(slug: str, submission: Submission | None, *, is_repeated: bool) -> dict[str, Any]:
    """Return the fields about the submission that an upload became or repeats."""
    if submission is None:
        return {"submission": None, "page": None, "is_repeated": False}
    page = page_of_repeated(slug, submission) if is_repeated else submission.get_absolute_url()
    return {
        "submission": reverse("api:submission-detail", args=[submission.pk]),
        "page": page,
        "is_repeated": is_repeated,
    }


def _of_earlier(slug: str, submission: Submission) -> Response:
    """Return that nothing has to be sent, because the same file was submitted before."""
    content = {
        "address": None,
        "state": Upload.State.COMPLETE,
        "size": submission.archive_size,
        "part_bytes": 0,
        "arrived": [],
        "is_ending": False,
        "expires_at": submission.created_at,
        **_became(slug, submission, is_repeated=True),
    }
    response = Response(DirectUploadSerializer(content).data)
    response["Cache-Control"] = "no-store"
    return response


def _valid(serializer: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    form = serializer(data=request.data)
    form.is_valid(raise_exception=True)
    return form.validated_data


@contextmanager
def _told() -> Iterator[None]:
    """Report a refusal in the text that the submit page shows."""
    try:
        yield
    except refusals.UploadError as error:
        status = STATUS.get(type(error), 400)
        raise _RefusedError(str(error), 409 if status == 460 else status) from error
