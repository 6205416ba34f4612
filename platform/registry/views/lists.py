"""The registry as a whole: search, statistics, integrity, feed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.contrib.syndication.views import Feed
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from accounts.requests import SignedInRequest
from core.audit.models import Head
from core.work.services import send
from registry import queries
from registry.forms import RegistryFilter
from registry.models import RegistrationVersion, Statistics, Verification
from registry.queries.timestamps import stored_timestamps
from web.spreadsheets import csv_file

PAGE_SIZE = 20
FEED_SIZE = 50
VERIFICATIONS_SHOWN = 10
EMBARGOED_SHOWN = 50


class HtmxRequest(HttpRequest):
    """A request as the middleware of django-htmx hands it on: an annotation, never made."""

    htmx: HtmxDetails


@require_safe
def registry_list(request: HtmxRequest) -> HttpResponse:
    """Search and list."""
    registry_filter = RegistryFilter(request.GET, queryset=queries.listed())
    page = Paginator(registry_filter.qs, PAGE_SIZE).get_page(request.GET.get("page"))
    template = "registry/parts/results.html" if request.htmx and not request.htmx.boosted else "registry/list.html"
    context = {
        "filter": registry_filter,
        "page": page,
        "query": _query(request),
        "waiting": queries.waiting_for(request.user),
        "embargoed": queries.embargoed_versions()[:EMBARGOED_SHOWN],
    }
    return render(request, template, context)


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """The statistics as they were last counted."""
    stored = Statistics.objects.filter(pk=1).first()
    return render(
        request, "registry/statistics.html", {"statistics": stored, "trail": _trail(), "here_label": "Statistics"}
    )


@require_safe
def statistics_csv(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 (Django's signature)
    """The coverage of the published parameters, then and here, year by year."""
    stored = Statistics.objects.filter(pk=1).first()
    content = stored.content if stored else {"years": [], "coverage": []}
    head = ["number", "parameter", "2004-2016", "registry", *(str(year["year"]) for year in content["years"])]
    rows = [[row["number"], row["title"], row["before"], row["here"], *row["years"]] for row in content["coverage"]]
    return csv_file("registry-coverage.csv", head, rows)


@require_safe
def statistics_all_csv(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 (Django's signature)
    """Every other number of the page: practices, shares, counts and years, one row a number."""
    stored = Statistics.objects.filter(pk=1).first()
    content = stored.content if stored else {}
    tables = {
        "numbers": content.get("rows", []),
        **content.get("shares", {}),
        "metrics": content.get("metrics", []),
        "schemes": content.get("schemes", []),
        "years": content.get("years", []),
    }
    cells = [
        [table, row.get("label", row.get("year", "")), column, value]
        for table, rows in tables.items()
        for row in rows
        for column, value in row.items()
        if column not in ("label", "year", "key") and not isinstance(value, (list, dict))
    ]
    return csv_file("registry-statistics.csv", ["table", "row", "column", "value"], cells)


@require_safe
def integrity(request: HttpRequest) -> HttpResponse:
    """Show the results of the last verifications; the CSV format contains all of them."""
    verifications = Verification.objects.select_related("asked_by")
    if request.GET.get("format") == "csv":
        heads = ["finished_at", "holds", "problems", "entries", "end_of_chain"]
        rows = ((row.finished_at, row.holds, row.problems, row.head_sequence, row.head_digest) for row in verifications)
        return csv_file("registry-integrity.csv", heads, rows)
    return render(
        request,
        "registry/integrity.html",
        {
            "verifications": verifications[:VERIFICATIONS_SHOWN],
            "head": Head.objects.filter(pk=1).first(),
            "timestamps": stored_timestamps(),
            "may_verify": request.user.has_perm("registry.verify_registry"),
            "trail": _trail(),
            "here_label": "Integrity",
        },
    )


@login_required
@permission_required("registry.verify_registry", raise_exception=True)
@require_POST
def verify(request: SignedInRequest) -> HttpResponse:
    """Verify everything in a worker: it takes too long for a request."""
    if send("registry.tasks.verify", []):
        messages.success(request, "Everything is verified in the background; look again in a moment.")
    else:
        messages.error(request, "No worker took the job. Try again in a minute.")
    return redirect("registry:integrity")


class VersionFeed(Feed):
    """New registrations and new versions. Each entry carries its digest, so that every reader is a witness."""

    feed_type = Atom1Feed
    title = "Registered challenge designs"
    subtitle = "New registrations and new versions of registered designs"
    link = "/registry/"

    def items(self) -> list[RegistrationVersion]:
        return list(queries.newest_versions(FEED_SIZE))

    def item_title(self, item: RegistrationVersion) -> str:
        kind = "registered" if item.previous_id is None else item.get_level_display()
        return f"{item.registration.listing.name}, version {item.number} ({kind})"

    def item_description(self, item: RegistrationVersion) -> str:
        # A summary of Atom is HTML here, so what people wrote is escaped.
        note = item.note or item.registration.listing.abstract
        return escape(f"{note}\n\n{item.registration.identifier}, SHA-256 {item.digest}".strip())

    def item_pubdate(self, item: RegistrationVersion):
        return item.registered_at

    def item_updateddate(self, item: RegistrationVersion):
        return item.registered_at

    def item_guid(self, item: RegistrationVersion) -> str:
        return f"urn:sha256:{item.digest}"


def _trail() -> list[tuple[str, str]]:
    return [("Registry", reverse("registry:list"))]


def _query(request: HttpRequest) -> str:
    """The search as a query string without its page, for the exports."""
    data = request.GET.copy()
    data.pop("page", None)
    return data.urlencode()
