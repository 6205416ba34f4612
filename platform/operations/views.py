"""HTTP in, HTTP out."""

import hmac
import io
from dataclasses import asdict

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from operations.queries.health import health
from operations.queries.measuring import exposition
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
        raise Http404("There is no such page.")
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
