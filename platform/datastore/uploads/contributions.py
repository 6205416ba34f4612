"""Contributions of this app to other apps; they are connected when the app is ready."""

from typing import Any

from django.conf import settings
from django.core import checks

from accounts import hooks as accounts_hooks
from datastore.uploads.services import form_files


def register() -> None:
    """Connect the contributions of this app."""
    accounts_hooks.leavings.register(form_files.leave)


# --- Django system checks of direct uploads, without contacting the store ---------------------------------------------
def _options() -> dict[str, Any]:
    storage: Any = settings.STORAGES["private"]
    options: dict[str, Any] = storage.get("OPTIONS", {})
    return options


@checks.register(checks.Tags.files)
def bucket_is_named(**_: Any) -> list[checks.CheckMessage]:
    """Direct uploads need a storage that they can go to."""
    if settings.PODIUM_S3_DIRECT and "bucket_name" not in _options():
        return [checks.Error("PODIUM_S3_DIRECT needs PODIUM_S3_BUCKET.", id="submissions.E001")]
    return []


@checks.register(checks.Tags.security, deploy=True)
def storage_is_reached_over_tls(**_: Any) -> list[checks.CheckMessage]:
    """A page over HTTPS may not send to an address without."""
    options = _options()
    address = settings.PODIUM_S3_PUBLIC_ENDPOINT or options.get("endpoint_url") or "https:"
    if not settings.PODIUM_S3_DIRECT or address.startswith("https:") or not settings.PODIUM_TLS:
        return []
    return [
        checks.Warning(
            f"Browsers will not send uploads to {address}: it is not reached over HTTPS.",
            hint="Set PODIUM_S3_PUBLIC_ENDPOINT to the https:// address at which browsers reach the storage.",
            id="submissions.W001",
        )
    ]
