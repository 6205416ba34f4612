"""The visitor's address: one function for all rate limits, which nothing that a visitor writes can change."""

import re
from pathlib import Path

import pytest
from allauth.core.internal import ratelimit
from django.conf import settings as real
from django.test import RequestFactory
from rest_framework.request import Request

from api.federation.views import SitesRate
from web.clients import UNKNOWN, client_address, client_network

PLATFORM = Path(__file__).parents[3] / "platform"
# What the proxies append, behind what the visitor sends, and the peer that connects to the web process.
CHAINS = {0: ((), "198.51.100.7"), 1: (("198.51.100.7",), "10.0.0.1"), 2: (("198.51.100.7", "10.0.0.2"), "10.0.0.1")}
SPOOFED = [
    "",
    "203.0.113.9",
    "203.0.113.9, 203.0.113.10, 203.0.113.11, 203.0.113.12",
    "127.0.0.1",
    "2001:db8::1",
    "not an address",
    ",,,",
    "'; DROP TABLE",
]


def request(proxies, spoofed=""):
    appended, peer = CHAINS[proxies]
    header = ", ".join([*([spoofed] if spoofed else []), *appended])
    return RequestFactory().post("/", headers={"x-forwarded-for": header} if header else {}, REMOTE_ADDR=peer)


def keys(sent):
    """Every key by which requests are counted per address."""
    rate = ratelimit.parse_rate("10/m/ip")
    throttle = SitesRate()
    return (
        client_address(sent),
        client_network(sent),
        ratelimit.get_cache_key(sent, app="allauth.account", action="login", rate=rate),
        throttle.get_cache_key(Request(sent), None),
    )


@pytest.mark.parametrize("proxies", CHAINS)
def test_a_spoofed_header_never_changes_a_key(settings, proxies):
    settings.PODIUM_TRUSTED_PROXIES = proxies
    found = {keys(request(proxies, spoofed)) for spoofed in SPOOFED}
    assert len(found) == 1
    assert found.pop()[:2] == ("198.51.100.7", "198.51.100.7")


@pytest.mark.parametrize("proxies", [1, 2])
def test_two_visitors_behind_the_proxies_are_counted_separately(settings, proxies):
    settings.PODIUM_TRUSTED_PROXIES = proxies
    appended = ("198.51.100.8", *CHAINS[proxies][0][1:])
    other = RequestFactory().post("/", headers={"x-forwarded-for": ", ".join(appended)}, REMOTE_ADDR="10.0.0.1")
    assert not set(keys(other)) & set(keys(request(proxies)))


def test_a_request_that_passed_by_the_proxies_counts_as_its_sender(settings):
    settings.PODIUM_TRUSTED_PROXIES = 2
    found = {
        keys(RequestFactory().post("/", headers={"x-forwarded-for": f"203.0.113.{n}"}, REMOTE_ADDR="192.0.2.1"))
        for n in range(3)
    }
    assert [key[0] for key in found] == ["192.0.2.1"]


@pytest.mark.parametrize(
    ("entry", "address", "network"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::9", "2001:db8:1:2::"),
        ("203.0.113.7:51234", "203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7", "203.0.113.7"),
        ("fe80::1%eth0", "fe80::1", "fe80::"),
        ("nonsense", "192.0.2.1", "192.0.2.1"),
    ],
)
def test_forms_of_addresses(settings, entry, address, network):
    settings.PODIUM_TRUSTED_PROXIES = 1
    sent = RequestFactory().get("/", headers={"x-forwarded-for": entry}, REMOTE_ADDR="192.0.2.1")
    assert (client_address(sent), client_network(sent)) == (address, network)


def test_a_socket_without_an_address_has_one_key(settings):
    settings.PODIUM_TRUSTED_PROXIES = 0
    sent = RequestFactory().get("/", headers={"x-forwarded-for": "203.0.113.7"}, REMOTE_ADDR="")
    assert client_address(sent) == client_network(sent) == UNKNOWN


def test_libraries_get_the_same_number_of_proxies():
    assert real.REST_FRAMEWORK["NUM_PROXIES"] == real.ALLAUTH_TRUSTED_PROXY_COUNT == real.PODIUM_TRUSTED_PROXIES


def test_no_other_module_reads_the_header_or_the_peer():
    # `operations.services.proxies` counts the entries for `doctor` and uses none of them.
    allowed = {"web/clients.py", "operations/services/proxies.py"}
    reads = re.compile(r"""REMOTE_ADDR|["']X-Forwarded-For["']|HTTP_X_FORWARDED_FOR|get_ident\(""", re.IGNORECASE)
    found = {
        str(path.relative_to(PLATFORM)) for path in PLATFORM.rglob("*.py") if reads.search(path.read_text("utf-8"))
    }
    assert found == allowed | {"api/throttling.py"}
