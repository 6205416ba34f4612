"""Pages by which the site is found and explained: what search engines may read, the sitemap, and the help."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from web import help_search, manual, sitemap
from web.addresses import absolute

# Pages of persons, acts, and the same content in another form.
CLOSED = ("/accounts/", "/admin/", "/api/", "/notifications/", "/calls/", "/designs/", "/analyse/", "/*/embed/")

PICTURES = {".png": "image/png", ".svg": "image/svg+xml"}


@require_safe
def robots(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 (the signature of a view)
    """Return the rules for search engines."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in CLOSED), f"Sitemap: {absolute(reverse('web:sitemap'))}"]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
def site_map(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """All public pages."""
    return HttpResponse("".join(sitemap.document()), content_type="application/xml; charset=utf-8")


@require_safe
def help_index(request: HttpRequest) -> HttpResponse:
    """The contents of the manual, or what a search finds in it."""
    asked = " ".join(request.GET.get("q", "").split())[:100]
    results = help_search.search(asked) if asked else help_search.Results([])
    context = {"parts": manual.contents(), "asked": asked, "found": results.hits, "corrected": results.corrected}
    return render(request, "web/help.html", context)


@require_safe
def help_page(request: HttpRequest, name: str) -> HttpResponse:
    """One page of the manual."""
    try:
        manual_page = manual.page(name)
    except KeyError as error:
        raise Http404("Help page not found.") from error
    return render(
        request,
        "web/help_page.html",
        {"shown": manual_page, "parts": manual.contents(), "trail": [("Help", reverse("web:help"))]},
    )


@require_safe
def help_picture(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """A picture of the manual."""
    path = manual.picture_file(name)
    if path is None:
        raise Http404("There is no such picture.")
    answer = HttpResponse(path.read_bytes(), content_type=PICTURES[path.suffix])
    answer["Cache-Control"] = "public, max-age=86400"
    return answer


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """Show the page about this site."""
    return render(request, "web/about.html")


def own_pages() -> list[sitemap.Entry]:
    """Pages of the site itself for the sitemap."""
    names = ("web:home", "web:about", "web:help", "web:privacy", "web:imprint")
    paths = [reverse(name) for name in names]
    paths += [reverse("web:help_page", args=[name]) for name in manual.NAMES]
    return [sitemap.Entry(path) for path in paths]
