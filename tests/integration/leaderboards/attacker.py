"""An attacker with every public address: enumerates them from the URL configuration, follows every link, reads every file.

Archives are unpacked, archives in archives too (Word files are archives). Of PDF files, the text of all pages and the metadata
are read.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from itertools import product
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pypdf import PdfReader

_LINK = re.compile(r"""(?:href|src|data-[a-z-]+|action|content)\s*=\s*["']([^"'#\s]+)""")
_JSON_LINK = re.compile(r'"(/[a-z][^"\s]*)"')
_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
_KEPT_QUERY = re.compile(r"^(format=|view=|table=)")
# Tokens that identify: identifiers, digests, times of day.
_TOKENS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?|Anonymous [0-9a-f]{8}"
)
# First parts of addresses without parameters: lists, feeds and files for programs.
_PUBLIC = frozenset({"", "registry", "sitemap.xml", "robots.txt", "challenges"})
MOST_PAGES = 1500
"""Addresses of one attack; more would mean that links never end."""


@dataclass
class Loot:
    """Everything that was collected, as text by address; headers included."""

    texts: dict[str, str] = field(default_factory=dict)

    def naming(self, *names: str) -> list[str]:
        """Addresses whose answer, or which themselves, contain one of the names."""
        wanted = [name.casefold() for name in names]
        return sorted(
            address
            for address, text in self.texts.items()
            if any(name in text.casefold() or name in address.casefold() for name in wanted)
        )

    def about(self, key: str) -> dict[str, str]:
        """Return the texts collected from one phase, by address."""
        return {address: text for address, text in self.texts.items() if re.search(rf"\b{key}\b", address)}


def links_between(one: Mapping[str, str], other: Mapping[str, str], *, known: Iterable[str] = ()) -> set[str]:
    """Identifiers, digests, times and pseudonyms that documents of two phases share."""
    tokens = [set().union(*(_TOKENS.findall(text) for text in texts.values())) for texts in (one, other)]
    return (tokens[0] & tokens[1]) - set(known)


def collect(client: Client, values: Mapping[str, Iterable[Any]], *, inside: str, begins: str = "") -> Loot:
    """Read all addresses of the URL configuration for known values, and all addresses linked from them.

    Parameters
    ----------
    values
        Name of an address parameter → publicly known values.
    inside
        Part that an address contains, so that the crawl stays within one challenge.
    begins
        Beginning of the addresses to read. If set, only these are read and links are not followed.
    """
    known = [address for address in addresses(values) if address.startswith(begins)]
    loot, waiting, seen = Loot(), [*known, "/"], set[str]()
    while waiting:
        address = waiting.pop(0)
        # The form to submit shows nothing of others, and reads references that a test world does not have.
        if address in seen or "/submit/" in address:
            continue
        seen.add(address)
        assert len(seen) <= MOST_PAGES, f"more than {MOST_PAGES} addresses, the last {address}"
        response = client.get(address, headers={"accept-encoding": "identity"})
        body = b"".join(response.streaming_content) if response.streaming else response.content
        for name, text in _texts(address, body):
            loot.texts[name] = text
        loot.texts[f"{address} (headers)"] = json.dumps({**dict(response.items()), "status": response.status_code})
        if begins:
            continue
        if "location" in response:
            waiting.append(_plain(response["location"]))
        if response.status_code == 200:
            text = loot.texts.get(address, "")
            waiting += [link for link in map(_plain, _linked(text)) if inside in link and link not in seen]
    return loot


def addresses(values: Mapping[str, Iterable[Any]]) -> list[str]:
    """Every address of the URL configuration whose parameters are all known."""
    return sorted(set(_addresses(get_resolver(settings.ROOT_URLCONF), "/", values)))


def _addresses(resolver: URLResolver, before: str, values: Mapping[str, Iterable[Any]]) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern).removeprefix("^").removesuffix("$")
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern, route, values)
        elif isinstance(pattern, URLPattern):
            names = [name for _, name in _PARAMETER.findall(route)]
            is_outside = not names and route.lstrip("/").split("/")[0] not in _PUBLIC
            if is_outside or not all(name in values for name in names) or re.search(r"[()\\]", route):
                continue
            for chosen in product(*(values[name] for name in names)):
                known = dict(zip(names, map(str, chosen), strict=True))
                yield _PARAMETER.sub(lambda match, known=known: known[match[2]], route)


def _linked(text: str) -> Iterator[str]:
    yield from (unescape(link) for link in _LINK.findall(text))
    yield from _JSON_LINK.findall(text)


def _plain(link: str) -> str:
    """The path of a link, with the parts of a query that choose another document."""
    path = re.sub(r"^https?://[^/]+", "", link)
    path, _, query = path.partition("?")
    kept = [part for part in query.split("&") if _KEPT_QUERY.match(part)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _texts(address: str, body: bytes) -> Iterator[tuple[str, str]]:
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            yield address, "\n".join(archive.namelist())
            for name in archive.namelist():
                yield from _texts(f"{address}!{name}", archive.read(name))
    elif body[:4] == b"%PDF":
        reader = PdfReader(io.BytesIO(body))
        # Lines are broken in the middle of words, and a name is one word.
        yield address, "\n".join(page.extract_text() for page in reader.pages)
        yield f"{address} (metadata)", f"{reader.metadata} {reader.xmp_metadata and reader.xmp_metadata.dc_creator}"
    else:
        yield address, body.decode("utf-8", errors="replace")
