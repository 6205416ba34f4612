"""HTTP in, HTTP out."""

import hmac
import io
from dataclasses import asdict

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from accounts.queries import account_named
from accounts.requests import SignedInRequest
from operations.queries import overview as overviews
from operations.queries.health import health
from operations.queries.measuring import exposition
from operations.services.administrators import CHAIR, give_role, take_role
from operations.services.doctor import examine
from operations.services.examples import TRY_ME_NAME, image_to_try
from operations.services.proxies import entries_for


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Return status 200 as long as pages can be served.

    The parts report what does not work.
    """
    proxies = entries_for(request)
    parts = health()
    status = "ok" if all(part.ok for part in parts.values()) else "degraded"
    return JsonResponse(
        {
            "status": status,
            **{name: asdict(part) for name, part in parts.items()},
            **({} if proxies is None else {"proxies": proxies}),
        },
        status=200 if parts["database"].ok else 503,
    )


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return figures in the Prometheus format if the request contains the token of the installation.

    All other requests receive a 404 response.

    Behind a proxy, the address of the sender proves nothing, so only the token counts.
    """
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    token = settings.PODIUM_METRICS_TOKEN
    if not token or scheme.lower() != "bearer" or not hmac.compare_digest(sent.strip().encode(), token.encode()):
        raise Http404("Page not found.")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


@require_safe
def try_me(request: HttpRequest, example: str, file: str) -> FileResponse:  # noqa: ARG001 (Django's signature)
    """A file to try the submit page with; only in example mode."""
    folder = settings.ROOT / "examples" / example / "try-me"
    if not settings.PODIUM_EXAMPLE_MODE or not TRY_ME_NAME.fullmatch(file):
        raise Http404("There is no such example file.")
    if (folder / file).is_file():
        return FileResponse((folder / file).open("rb"), as_attachment=True, filename=file)
    content = image_to_try(example, file) if file.endswith(".tar.gz") else None
    if content is None:
        raise Http404("There is no such example file.")
    return FileResponse(io.BytesIO(content), as_attachment=True, filename=file)


@login_required
@never_cache
@require_safe
def operate(request: SignedInRequest) -> HttpResponse:
    """The page of administrators: roles, health, work, e-mails, storage, and the checks of `doctor` on request."""
    _require_operator(request)
    return render(
        request,
        "operations/operate.html",
        {
            "overview": overviews.overview(),
            "health": health(),
            "findings": examine() if request.GET.get("checks") == "1" else None,
        },
    )


@login_required
@require_POST
def chair(request: SignedInRequest) -> HttpResponse:
    """Add or remove a chair."""
    _require_operator(request)
    name = request.POST.get("account", "").strip()[:254]
    user = account_named(name)
    if user is None:
        messages.error(request, f"Account “{name}” not found. Enter a user name or an e-mail address.")
    elif request.POST.get("act") == "remove":
        take_role(user=user, role=CHAIR, actor=request.user)
        messages.success(request, f"{user.display_name} is no longer a chair.")
    else:
        give_role(user=user, role=CHAIR, actor=request.user)
        messages.success(request, f"{user.display_name} is a chair and can create calls.")
    return redirect("operations:operate")


def _require_operator(request: SignedInRequest) -> None:
    """Refuse everyone but administrators; the response does not reveal the page.

    Raises
    ------
    Http404
        For everyone else.
    """
    if not overviews.is_operator(request.user):
        raise Http404("Page not found.")
