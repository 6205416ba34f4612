"""Descriptions of a data set in published vocabularies."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from challenges.queries import visible_challenge
from datastore.datasets.queries import datasets as queries
from datastore.datasets.queries.descriptions import data_set_of
from evaluation.metadata import DataSet, croissant, datacite_record
from evaluation.metadata import dataset as schema_org

FORMS: Final[Mapping[str, Callable[[DataSet], dict[str, Any]]]] = MappingProxyType({
    "croissant": croissant,
    "schema-org": schema_org,
    "datacite": datacite_record,
})  # fmt: skip


@require_safe
@never_cache
def description(request: HttpRequest, slug: str, dataset: str, form: str) -> HttpResponse:
    """The description of the current version of a data set, as the visitor may see it."""
    challenge = visible_challenge(request.user, slug)
    build = FORMS.get(form)
    offer = next((entry for entry in queries.offers(challenge, request.user) if entry.dataset.slug == dataset), None)
    data = data_set_of(challenge, offer) if offer is not None else None
    if build is None or data is None:
        raise Http404("There is no such description.")
    kind = "application/json" if form == "datacite" else "application/ld+json"
    response = JsonResponse(build(data), json_dumps_params={"ensure_ascii": False}, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{slug}-{dataset}-{form}.json"'
    return response
