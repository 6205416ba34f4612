"""Home page, licences and the living style guide."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

from web import home as home_sections
from web import style_guide
from web.addresses import absolute
from web.client_wheel import Wheel, client_wheel
from web.figures import figure_json


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """For visitors what Podium is and why; for people signed in what waits for them, and what is theirs."""
    content: dict[str, Any] = {"sections": home_sections.sections(request)}
    if request.user.is_authenticated:
        return render(request, "web/own.html", content | {"steps": home_sections.steps(request)})
    return render(request, "web/home.html", content | {"picture": home_sections.picture(request)})


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 (the signature of a view)
    """The icon, for browsers that look for it in its old place."""
    return redirect(static("img/favicon-32.png"))


@require_safe
def client(request: HttpRequest) -> HttpResponse:
    """Show how the command `podium` is installed from this installation."""
    wheel = _wheel()
    address = absolute(reverse("web:client_wheel", args=[wheel.name]))
    return render(
        request,
        "web/client.html",
        {
            "wheel": wheel,
            "address": address,
            "origin": absolute("/").rstrip("/"),
            "size": len(wheel.content),
        },
    )


@require_safe
def client_version(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 (the signature of a view)
    """Version, address and digest of the client that this installation offers; `podium doctor` compares them."""
    wheel = _wheel()
    address = absolute(reverse("web:client_wheel", args=[wheel.name]))
    return JsonResponse({"version": wheel.version, "url": address, "sha256": wheel.sha256})


@require_safe
def client_file(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001 (the signature of a view)
    """The wheel of the client."""
    wheel = _wheel()
    if name != wheel.name:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{wheel.name}"'}
    return HttpResponse(wheel.content, content_type="application/zip", headers=headers)


def _wheel() -> Wheel:
    try:
        return client_wheel(Path(settings.ROOT))
    except FileNotFoundError as error:
        raise Http404 from error


@dataclass(frozen=True)
class Vendored:
    """A third-party file that the site serves."""

    package: str
    version: str
    licence: str
    licence_file: str


def vendored() -> list[Vendored]:
    """The rows of ``static/vendor/VENDOR.md``, which is what the licences page shows."""
    listing = finders.find("vendor/VENDOR.md")
    if listing is None:
        return []
    rows = re.findall(
        r"^\| (\S+/\S+) \| (\S+) \| (\S+) \| (\S+) \|", Path(str(listing)).read_text("utf-8"), re.MULTILINE
    )
    return [
        Vendored(package, version, licence, f"vendor/{Path(file).parent}/LICENSE")
        for file, package, version, licence in rows
    ]


@require_safe
def licences(request: HttpRequest) -> HttpResponse:
    """Show the authors and licences of third-party work that the site serves."""
    return render(request, "web/licences.html", {"vendored": vendored()})


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Show which data is stored about people, for how long, and what they can request."""
    return render(
        request,
        "web/privacy.html",
        {
            "days": settings.PODIUM_RETENTION_DAYS,
            "contact": settings.PODIUM_PRIVACY_CONTACT,
            "note": settings.PODIUM_PRIVACY_NOTE.replace("\\n", "\n"),
        },
    )


@require_safe
def imprint(request: HttpRequest) -> HttpResponse:
    """Show the operator of this installation."""
    return render(
        request,
        "web/imprint.html",
        {"imprint": settings.PODIUM_IMPRINT.replace("\\n", "\n"), "contact": settings.PODIUM_PRIVACY_CONTACT},
    )


def style_guide_shown() -> bool:
    """Return whether the style guide is available: only in debug and example mode.

    It is a page for engineers.
    """
    return bool(settings.DEBUG or getattr(settings, "PODIUM_EXAMPLE_MODE", False))


def _require_style_guide() -> None:
    if not style_guide_shown():
        raise Http404


@require_safe
def design_system(request: HttpRequest) -> HttpResponse:
    """Every component in every state."""
    _require_style_guide()
    return render(request, "web/design_system.html", style_guide.context(request))


@require_safe
def design_system_plot(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """A figure for the style guide; unknown names answer 404 so that the error state can be seen."""
    _require_style_guide()
    if name not in style_guide.FIGURES:
        raise Http404
    return figure_json(style_guide.FIGURES[name]())


@require_safe
def design_system_csv(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """The data of the style guide's figures."""
    _require_style_guide()
    if name not in style_guide.FIGURES:
        raise Http404
    return HttpResponse(style_guide.figure_csv(name), content_type="text/csv; charset=utf-8")


@require_safe
def design_system_live(request: HttpRequest, done: int) -> HttpResponse:
    """A status that renews itself until nothing changes any more; in the end it sends a toast."""
    _require_style_guide()
    total = style_guide.CASES
    done = min(done, total)
    context = {"done": done, "total": total, "next": min(done + 15, total), "finished": done == total}
    response = render(request, "web/live.html", context)
    if done == total:
        response["HX-Trigger"] = json.dumps({"podium:toast": {"text": "All cases are scored.", "kind": "ok"}})
    return response


@require_safe
def design_system_error(request: HttpRequest, status: int) -> HttpResponse:
    """An error page as the visitor would see it, with its status."""
    from web import errors

    _require_style_guide()
    if status == 500:
        return errors.server_error(request)
    if status not in errors.EXPLANATIONS:
        raise Http404
    return errors.error_page(request, status)
