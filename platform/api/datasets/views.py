"""Data of a challenge, and addresses of its files, by the same rules as the page."""

from typing import Any

from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AccessToken
from api.authentication import WithinScope
from challenges.queries import visible_challenge
from datastore.datasets.models import DatasetFile
from datastore.datasets.queries.datasets import locations, offers, why_not
from datastore.datasets.services import downloading


class FileSerializer(serializers.Serializer):
    """A file of the current version."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes")
    sha256 = serializers.CharField()


class DatasetSerializer(serializers.Serializer):
    """A data set, hosted or elsewhere."""

    slug = serializers.CharField(source="dataset.slug")
    name = serializers.CharField(source="dataset.name")
    split = serializers.CharField(source="dataset.split")
    access = serializers.CharField(source="dataset.access")
    licence = serializers.CharField(source="dataset.licence")
    citation = serializers.CharField(source="dataset.citation")
    url = serializers.CharField(source="dataset.url", help_text="where it is, if not hosted here")
    version = serializers.IntegerField(source="current.number", default=None)
    digest = serializers.CharField(source="current.digest", default="")
    available_from = serializers.DateTimeField(source="current.available_from", default=None)
    may_have = serializers.BooleanField(help_text="whether the one who asks gets the files")
    files = FileSerializer(many=True)


class LocationSerializer(serializers.Serializer):
    """Location of data according to the registered design."""

    task = serializers.CharField()
    split = serializers.CharField()
    place = serializers.CharField()
    url = serializers.CharField()
    access = serializers.CharField()
    licence = serializers.CharField()


class DataSerializer(serializers.Serializer):
    """All data of a challenge."""

    missing = serializers.CharField(help_text="what keeps the one who asks from files that need the agreement")
    agree_at = serializers.CharField(help_text="where to agree")
    datasets = DatasetSerializer(many=True)
    locations = LocationSerializer(many=True)


class DownloadAddressSerializer(serializers.Serializer):
    """Temporary address of a file; it accepts `Range` requests and needs no token."""

    url = serializers.CharField()
    expires_at = serializers.DateTimeField()
    name = serializers.CharField(source="file.name")
    size = serializers.IntegerField(source="file.size")
    sha256 = serializers.CharField(source="file.sha256")


class DataView(APIView):
    """The data of a challenge."""

    @extend_schema(tags=["data"], operation_id="data", responses=DataSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the available data with licence, sizes and checksums, and the current user's access."""
        challenge = visible_challenge(request.user, slug)
        missing, remedy = why_not(challenge, request.user)
        content = {
            "missing": missing,
            "agree_at": remedy,
            "datasets": offers(challenge, request.user),
            "locations": locations(challenge),
        }
        return Response(DataSerializer(content).data)


class _MayRead(WithinScope):
    """Give addresses to anyone who may read: creating an address changes only the access log."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return request.auth is None or super().has_permission(request, view)


class DataAddressView(APIView):
    """Addresses of a file."""

    permission_classes = [_MayRead]
    write_scope = AccessToken.Scope.READ

    @extend_schema(tags=["data"], operation_id="data_address", request=None, responses={201: DownloadAddressSerializer})
    def post(self, request: Request, slug: str, file: int) -> Response:
        """Make a signed address of a file; each is written down in the access log.

        A download that broke off goes on with `Range` at a new address, once the first one has expired.
        """
        challenge = visible_challenge(request.user, slug)
        rows = DatasetFile.objects.filter(version__dataset__challenge=challenge)
        dataset_file = rows.select_related("version__dataset__challenge").filter(pk=file).first()
        if dataset_file is None:
            raise exceptions.NotFound("There is no such file.")
        try:
            address = downloading.hand_out_address(user=request.user, file=dataset_file)
        except PermissionDenied as error:
            raise exceptions.PermissionDenied(str(error)) from error
        return Response(DownloadAddressSerializer(address).data, status=status.HTTP_201_CREATED)
