"""Number of proxies in front of the web process, measured with a request of the installation to itself.

`doctor` requests the public address with a header that only this installation can sign. ``/healthz`` then reports the
number of entries in `X-Forwarded-For`. Other clients do not receive this number.
"""

import json
import ssl
import urllib.error
import urllib.request

from django.core import signing
from django.http import HttpRequest

HEADER = "X-Podium-Doctor"
_SALT = "operations.doctor"
_SECONDS = 60
_INVENTED = "192.0.2.1"
"""An address for documentation (RFC 5737): a proxy that keeps what clients send passes it on."""


def entries_for(request: HttpRequest) -> int | None:
    """Return how many entries our own proxies wrote, for a request that this installation signed; else nothing."""
    try:
        signing.TimestampSigner(salt=_SALT).unsign(request.headers.get(HEADER, ""), max_age=_SECONDS)
    except signing.BadSignature:
        return None
    entries = [entry.strip() for entry in request.headers.get("X-Forwarded-For", "").split(",") if entry.strip()]
    return len([entry for entry in entries if entry != _INVENTED])


def entries_seen(address: str) -> int | str:
    """Ask the public address; returns the number of proxies, or why there is no answer."""
    signed = signing.TimestampSigner(salt=_SALT).sign("doctor")
    request = urllib.request.Request(  # noqa: S310 (the address of this site, from the settings)
        f"{address.rstrip('/')}/healthz", headers={HEADER: signed, "X-Forwarded-For": _INVENTED}
    )
    # Whether the certificate is one that browsers know is asked for elsewhere; here the way counts.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:  # noqa: S310
            reply = json.loads(answer.read(64 * 1024))
    except urllib.error.HTTPError as problem:
        return f"it answers {problem.code}"
    except (OSError, ValueError) as problem:
        return str(getattr(problem, "reason", problem))
    return int(reply["proxies"]) if "proxies" in reply else "another installation answers there"
