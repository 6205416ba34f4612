"""The public registry over HTTP: the same records and searches as its public pages."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from api.designs.serializers import DifferenceSerializer
from api.registry import serializers as shapes
from evaluation.designs.differences import compare
from registry import hooks, queries
from registry.changes.queries.histories import histories
from registry.forms import RegistryFilter
from registry.models import Listing, Registration, RegistrationVersion

_NUMBER = OpenApiParameter("number", str, OpenApiParameter.PATH, description="number of the version, as in 1.0")


@extend_schema(tags=["registry"])
class RegistrationViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Registered designs, and nothing is changed through it.

    Everything here is public, except designs under embargo, of which `embargoed` lists dates and digests.
    """

    queryset = Listing.objects.none()
    serializer_class = shapes.RegistrationSerializer
    filterset_class = RegistryFilter
    lookup_url_kwarg = "identifier"
    lookup_value_regex = r"[-\w]+"

    def get_queryset(self) -> QuerySet[Listing]:
        return queries.listed()

    @extend_schema(responses=shapes.RegistrationDetailSerializer)
    def retrieve(self, request: Request, identifier: str) -> Response:
        """A record in its newest version, with its document."""
        registration = _registration(request, identifier)
        listing = queries.listing_of(registration)
        links = [*hooks.links_of(registration), *queries.stated_links(listing.version.document)]
        context = {**self.get_serializer_context(), "links": links}
        return Response(shapes.RegistrationDetailSerializer(listing, context=context).data)

    @extend_schema(
        responses=shapes.EmbargoedVersionSerializer(many=True), operation_id="registry_embargoed", filters=False
    )
    @action(detail=False, pagination_class=None, filterset_class=None)
    def embargoed(self, request: Request) -> Response:  # noqa: ARG002 (signature)
        """Versions under embargo: identifier, number, date and digest, the newest 500."""
        return Response(shapes.EmbargoedVersionSerializer(queries.embargoed_versions()[:500], many=True).data)

    @extend_schema(
        responses=shapes.RegistrationVersionSerializer(many=True), operation_id="registry_versions", filters=False
    )
    @action(detail=True, pagination_class=None, filterset_class=None)
    def versions(self, request: Request, identifier: str) -> Response:
        """All versions, newest first."""
        rows = _registration(request, identifier).versions.select_related("deposit").defer("canonical", "sealed")
        return Response(shapes.RegistrationVersionSerializer(rows, many=True).data)

    @extend_schema(
        parameters=[_NUMBER], responses=shapes.RegistrationVersionDocumentSerializer, operation_id="registry_version"
    )
    @action(detail=True, url_path=r"versions/(?P<number>\d{1,5}\.\d{1,5})", filterset_class=None)
    def version(self, request: Request, identifier: str, number: str) -> Response:
        """One version with its document."""
        return Response(
            shapes.RegistrationVersionDocumentSerializer(_version(_registration(request, identifier), number)).data
        )

    @extend_schema(
        parameters=[
            OpenApiParameter("from", str, description="number of a version; the one before the newest if left out"),
            OpenApiParameter("to", str, description="number of a version; the newest if left out"),
        ],
        responses=DifferenceSerializer(many=True),
        operation_id="registry_differences",
        filters=False,
    )
    @action(detail=True, pagination_class=None, filterset_class=None)
    def differences(self, request: Request, identifier: str) -> Response:
        """Any two versions compared: by word for text, by row for tables, by unit for numbers."""
        registration = _registration(request, identifier)
        newest = queries.current_version(registration)
        after = _asked(registration, request, "to", newest)
        before = _asked(registration, request, "from", newest.previous or newest)
        field_differences = compare(queries.shown_document(before), queries.shown_document(after))
        return Response(DifferenceSerializer(field_differences, many=True).data)

    @extend_schema(responses=shapes.HistorySerializer(many=True), operation_id="registry_history", filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def history(self, request: Request, identifier: str) -> Response:
        """List the values of each parameter, with the version and the request that introduced them."""
        return Response(shapes.HistorySerializer(histories(_registration(request, identifier)), many=True).data)


def _registration(request: Request, identifier: str) -> Registration:
    return _found(queries.registration_or_404, identifier, request.user)


def _version(registration: Registration, number: str) -> RegistrationVersion:
    return _found(queries.version_or_404, registration, number)


def _asked(registration: Registration, request: Request, name: str, other: RegistrationVersion) -> RegistrationVersion:
    number = request.query_params.get(name)
    return _version(registration, number) if number else other


def _found(find: Any, *arguments: Any) -> Any:
    try:
        return find(*arguments)
    except Http404 as error:
        raise NotFound(str(error)) from error
