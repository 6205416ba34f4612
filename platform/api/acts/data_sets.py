"""Acts on the data for participants: data sets, versions, files, publication of the registered data."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import ERRORS, Act, checked, described, done, form_data, listed, plain_request, refusals, shape_of
from challenges.models import Challenge
from challenges.queries import visible_challenge
from datastore.datasets.forms import DatasetForm, ReleaseForm, WithdrawForm
from datastore.datasets.models import Dataset, DatasetFile, DatasetVersion
from datastore.datasets.services import offering, publishing
from datastore.datasets.views import uploads as pages
from datastore.uploads.views import tus

TAG = "data"
_VERSION = OpenApiParameter("Tus-Resumable", str, "header", required=True, enum=[tus.VERSION])


def _offering(request: Request, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("datasets.offer_data", challenge):
        raise Http404("Challenge not found, or you do not offer data in it.")
    return challenge


def _version(request: Request, slug: str, dataset: str, number: int) -> DatasetVersion:
    rows = DatasetVersion.objects.select_related("dataset__challenge")
    challenge = _offering(request, slug)
    return get_object_or_404(rows, dataset__challenge=challenge, dataset__slug=dataset, number=number)


def _page(slug: str) -> str:
    return reverse("datasets:data", args=[slug])


class VersionFileSerializer(serializers.Serializer):
    """A file of a version."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    sha256 = serializers.CharField(help_text="empty until it is computed")
    state = serializers.ChoiceField(DatasetFile.State.choices)


class DataSetVersionSerializer(serializers.Serializer):
    """A version of a data set."""

    number = serializers.IntegerField()
    note = serializers.CharField()
    released_at = serializers.DateTimeField(allow_null=True)
    available_from = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawal = serializers.CharField(help_text="why it must not be used any more")
    digest = serializers.CharField()
    files = VersionFileSerializer(many=True)


class OfferedSerializer(serializers.Serializer):
    """A data set with all its versions, drafts included."""

    slug = serializers.CharField()
    name = serializers.CharField()
    split = serializers.ChoiceField(Dataset.Split.choices)
    access = serializers.ChoiceField(Dataset.Access.choices)
    licence = serializers.CharField()
    url = serializers.CharField(help_text="where it is, if not hosted here")
    versions = DataSetVersionSerializer(many=True)


_OFFER = shape_of("NewDataset", DatasetForm)


class DatasetsView(Act):
    """Data sets of a challenge."""

    @described("offered_data", "List data sets with drafts", tag=TAG, answer=OfferedSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the data sets of a challenge with all versions and files."""
        rows = Dataset.objects.filter(challenge=_offering(request, slug)).order_by("pk")
        return listed(request, list(rows.prefetch_related("versions__files")), OfferedSerializer)

    @described(
        "offer_data",
        "Add a data set",
        tag=TAG,
        request=_OFFER,
        example={"name": "Training images", "split": "training", "access": "agreement", "licence": "CC BY 4.0"},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Add a data set. With `url` it is external; otherwise version 1 is a draft that accepts files."""
        challenge = _offering(request, slug)
        content = checked(DatasetForm(form_data(request.data), challenge=challenge))
        with refusals():
            dataset = offering.offer_dataset(actor=request.user, challenge=challenge, **content)
        following = "Participants see the link now." if dataset.is_link else "Upload its files, then release version 1."
        return done(f"{dataset.name} is added. {following}", _page(slug), key=dataset.slug, created=True)


class DatasetVersionsView(Act):
    """Versions of a hosted data set."""

    @described("begin_data_version", "Start a new version", tag=TAG, created=True)
    def post(self, request: SignedInApiRequest, slug: str, dataset: str) -> Response:
        """Start the next version of a hosted data set as a draft. Returns the number of the version."""
        rows = Dataset.objects.filter(challenge=_offering(request, slug), url="")
        dataset_row = get_object_or_404(rows, slug=dataset)
        with refusals():
            version = offering.begin_version(actor=request.user, dataset=dataset_row)
        message = f"Version {version.number} of {dataset_row.name} is a draft. Upload its files."
        return done(message, _page(slug), key=version.number, created=True)


_RELEASE = shape_of("ReleaseDataVersion", ReleaseForm)
_WITHDRAW = shape_of("WithdrawDataVersion", WithdrawForm)


class ReleaseView(Act):
    """Releases of versions."""

    @described("release_data", "Release a version", tag=TAG, request=_RELEASE, example={"note": "First version."})
    def post(self, request: SignedInApiRequest, slug: str, dataset: str, number: int) -> Response:
        """Release a draft. Its files never change afterwards."""
        version = _version(request, slug, dataset, number)
        content = checked(ReleaseForm(form_data(request.data)))
        with refusals():
            offering.release_version(actor=request.user, version=version, **content)
        return done(f"Version {number} is released. Its files never change.", _page(slug))


class DataWithdrawalView(Act):
    """Withdrawals of versions."""

    @described("withdraw_data", "Withdraw a version", tag=TAG, request=_WITHDRAW, example={"reason": "Wrong labels."})
    def post(self, request: SignedInApiRequest, slug: str, dataset: str, number: int) -> Response:
        """Withdraw a released version with a reason that everyone can read. Its list of files stays."""
        version, reason = _version(request, slug, dataset, number), form_data(request.data).get("reason", "")
        with refusals():
            offering.withdraw_version(actor=request.user, version=version, reason=reason or "")
        return done(f"Version {number} is withdrawn.", _page(slug))


class DraftFileView(Act):
    """Files of drafts."""

    @described("remove_data_file", "Remove a file from a draft", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, file: int) -> Response:
        """Remove a file from a version that is not released."""
        rows = DatasetFile.objects.filter(version__dataset__challenge=_offering(request, slug))
        entry = get_object_or_404(rows.select_related("version__dataset"), pk=file)
        with refusals():
            offering.remove_file(actor=request.user, file=entry)
        return done(f"{entry.name} is removed.", _page(slug))


class PublicationView(Act):
    """Publication of the registered data after the end."""

    @described("publish_data", "Publish the registered data", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Publish the data that the design registers for publication. They are collected in the background."""
        challenge = _offering(request, slug)
        with refusals():
            publishing.ask_for_publication(actor=request.user, challenge=challenge)
        return done("The data are being collected. They will appear on the page when ready.", _page(slug))


class UploadsView(Act):
    """Starts of resumable uploads of files into a draft."""

    @extend_schema(
        operation_id="begin_data_upload",
        summary="Start a resumable upload of a data file",
        tags=[TAG],
        request=None,
        responses={201: None, **{(code, "text/plain"): OpenApiTypes.STR for code in ERRORS if code != 400}},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Length", int, "header", required=True, description="bytes"),
            OpenApiParameter("Upload-Metadata", str, "header", description="`key base64` pairs: filename"),
            OpenApiParameter("Location", str, "header", response=[201], description="address of the upload"),
        ],
    )
    def post(self, request: SignedInApiRequest, slug: str, dataset: str, number: int) -> HttpResponse:
        """Start to upload a file into a draft in pieces (tus 1.0, creation)."""
        response: HttpResponse = pages.create(plain_request(request), slug, dataset, number)
        if "Location" in response:
            key = response["Location"].rstrip("/").rpartition("/")[2]
            response["Location"] = reverse("api:data-upload", args=[slug, key])
        return response


class UploadView(Act):
    """A resumable upload of a data file; `HEAD` returns its `Upload-Offset`."""

    @extend_schema(
        operation_id="continue_data_upload",
        summary="Continue a resumable upload of a data file",
        tags=[TAG],
        request={"application/offset+octet-stream": OpenApiTypes.BINARY},
        responses={204: None, (409, "text/plain"): OpenApiTypes.STR},
        parameters=[_VERSION, OpenApiParameter("Upload-Offset", int, "header", required=True)],
    )
    def patch(self, request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        """Upload the next piece (tus 1.0). After the last piece, the checksum is computed in the background."""
        return self._continued(request, slug, pk)

    def head(self, request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        """Return the progress of the upload."""
        return self._continued(request, slug, pk)

    @extend_schema(
        operation_id="cancel_data_upload",
        summary="Cancel a resumable upload of a data file",
        tags=[TAG],
        responses={204: None},
        parameters=[_VERSION],
    )
    def delete(self, request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        """Delete what was uploaded."""
        return self._continued(request, slug, pk)

    @staticmethod
    def _continued(request: SignedInApiRequest, slug: str, pk: Any) -> HttpResponse:
        response: HttpResponse = pages.upload(plain_request(request), slug, pk)
        return response
