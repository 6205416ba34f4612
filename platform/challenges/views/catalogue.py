"""The catalogue of public challenges."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from challenges.forms.catalogue import CatalogueFilter
from challenges.queries import catalogue
from web.spreadsheets import csv_file
from web.visitors import costly

PAGE_SIZE = 24
CSV_COLUMNS = (
    *("title", "address", "state", "phase", "closes", "host", "teams", "test_cases", "data_access"),
    *("modality", "anatomy", "task"),
)
CSV_ROWS = 5_000


class HtmxRequest(HttpRequest):
    """A request as the middleware of django-htmx passes it on, for annotations."""

    htmx: HtmxDetails


@require_safe
def challenge_list(request: HtmxRequest) -> HttpResponse:
    """Search, filter and list public challenges, and closed ones that admit the person."""
    catalogue_filter = CatalogueFilter(request.GET, queryset=catalogue.catalogued(request.user))
    page = Paginator(catalogue_filter.qs, PAGE_SIZE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    is_part = request.htmx and not request.htmx.boosted
    return render(
        request,
        "challenges/catalogue_results.html" if is_part else "challenges/list.html",
        {
            "filter": catalogue_filter,
            "page": page,
            "cards": catalogue.cards(list(page.object_list)),
            "query": query.urlencode(),
        },
    )


@require_safe
@costly
def challenge_list_csv(request: HttpRequest) -> HttpResponse:
    """The challenges of a search as a table."""
    challenges = CatalogueFilter(request.GET, queryset=catalogue.catalogued(request.user)).qs[:CSV_ROWS]
    rows = (
        [
            card.challenge.title,
            request.build_absolute_uri(card.challenge.get_absolute_url()),
            card.state,
            card.phase.name if card.phase else "",
            card.closes,
            card.host,
            card.teams,
            card.cases,
            card.access,
            "; ".join(card.modalities),
            "; ".join(card.anatomies),
            "; ".join(card.categories),
        ]
        for card in catalogue.cards(list(challenges))
    )
    return csv_file("challenges.csv", CSV_COLUMNS, rows)
