"""Links stated in a registered design: addresses of its code, data and pages (REG-13)."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from evaluation.designs.catalogue import shipped
from registry.hooks import Link

# Parameters that are an address, and what stands there.
OWN = (
    ("challenge_website", "website"),
    ("evaluation_code_url", "code"),
    ("submission_instructions_url", "website"),
    ("annotation_protocol_url", "data"),
)
_CENTRES = "data_centers"


def stated_links(document: Mapping[str, Any]) -> list[Link]:
    """Links that a public document states, each address once; nothing but addresses of the web."""
    by_address: dict[str, Link] = {}
    for entries in (document["challenge"], *document["tasks"]):
        for parameter, kind in OWN:
            _keep(by_address, kind, shipped()[parameter].label, entries.get(parameter))
        for name, address in _centres(entries):
            _keep(by_address, "data", f"Data of {name}" if name else "Data", address)
    return list(by_address.values())


def _centres(entries: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for row in entries.get(_CENTRES) or ():
        if isinstance(row, Mapping):
            yield str(row.get("data_set") or row.get("center") or ""), row.get("url")


def _keep(by_address: dict[str, Link], kind: str, label: str, address: Any) -> None:
    # What is registered is text of strangers: an address with another scheme would run in the reader's browser.
    if isinstance(address, str) and urlsplit(address).scheme in ("https", "http"):
        by_address.setdefault(address, Link(kind, label, address, urlsplit(address).hostname or ""))
