"""The network address of a visitor: the only place that reads `X-Forwarded-For`.

Each trusted proxy appends the address that connected to it, so with `n` trusted proxies the visitor's address is entry `n`
from the end. Everything before it was written by the visitor.
"""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"
"""Address of a request that came over a socket without one."""
_IPV6_PREFIX = 64
_OF_PROXIES = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")


def client_address(request: HttpRequest) -> str:
    """Return the visitor's address, according to `PODIUM_TRUSTED_PROXIES`.

    A request that did not pass all trusted proxies, or whose entry is not an address, counts as its sender's.
    """
    proxies = int(settings.PODIUM_TRUSTED_PROXIES)
    entries = request.headers.get("X-Forwarded-For", "").split(",")
    forwarded = _parsed(entries[-proxies]) if 0 < proxies <= len(entries) else None
    address = forwarded or _parsed(str(request.META.get("REMOTE_ADDR") or ""))
    return str(address) if address else UNKNOWN


def client_network(request: HttpRequest) -> str:
    """Return what rate limits count by: an IPv4 address, or the /64 network of an IPv6 address."""
    address = client_address(request)
    if ":" not in address:
        return address
    return str(ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False).network_address)


def is_from_this_machine(request: HttpRequest) -> bool:
    """Return whether a request comes from the machine that the platform runs on, without a proxy between them."""
    is_direct = not any(name in request.headers for name in _OF_PROXIES)
    return is_direct and is_loopback(str(request.META.get("REMOTE_ADDR") or ""))


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is that of the machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address, with or without a port, zone or brackets."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
