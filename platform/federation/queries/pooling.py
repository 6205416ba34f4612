"""Inputs of the ranking of a federation: the summaries that count, and the status of every site."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from datastore.test_sets import vault
from datastore.uploads.storage import private
from federation.models import Federation, SignedMessage, Site
from federation.queries.standing import Standing, standings


@dataclass(frozen=True)
class Arrived:
    """A summary that counts."""

    site: str
    message: SignedMessage

    def envelope(self) -> bytes:
        """The signed bytes as they came."""
        return vault.read_bytes(self.message.envelope_name)

    def summary(self) -> dict[str, Any]:
        """The numbers of the site."""
        body = json.loads(base64.b64decode(json.loads(self.envelope())["payload"]))
        site_summary: dict[str, Any] = body["summary"]
        return site_summary


@dataclass(frozen=True)
class Pool:
    """All that a pooled ranking depends on."""

    federation: Federation
    arrived: tuple[Arrived, ...]
    document: dict[str, Any]
    teams: dict[str, int | None]

    @property
    def facts(self) -> list[dict[str, Any]]:
        """The inputs by digest, site by site."""
        digests = {entry.site: entry.message.digest for entry in self.arrived}
        return [{**row, "payload": digests.get(row["site"])} for row in self.document["sites"]]


def pool_of(federation: Federation) -> Pool:
    """Read which summaries count at this moment."""
    site_standings = standings(federation)
    arrived = tuple(
        Arrived(entry.site.name, entry.result) for entry in site_standings if entry.counts and entry.result is not None
    )
    rules = federation.rules
    document: dict[str, Any] = {
        "schema": "podium.federation/1",
        "sites": [{"site": entry.site.name, **_state(entry, site_standings)} for entry in site_standings],
        "if_missing": rules["if_missing"],
    }
    if rules["sites_required"] is not None:
        document["sites_required"] = rules["sites_required"]
    teams: dict[str, int | None] = dict(federation.algorithms.values_list("name", "team"))
    return Pool(federation, arrived, document, teams)


def _state(entry: Standing, site_standings: Sequence[Standing]) -> dict[str, Any]:
    site = entry.site
    if entry.joined and site.counts == Site.Counts.INCLUDED:
        return _joined(entry, next((other for other in site_standings if other.site.name == entry.joined), None))
    if entry.counts:
        return {"state": "included", "reason": site.reason or None}
    if site.counts == Site.Counts.WITHDRAWN:
        return {"state": "withdrawn", "reason": site.reason}
    if site.counts == Site.Counts.LEFT_OUT:
        return {"state": "left_out", "reason": site.reason}
    if entry.result is not None:
        return {"state": "not_arrived", "reason": "its result came after the end"}
    return {"state": "not_arrived", "reason": None}


def _joined(entry: Standing, host: Standing | None) -> dict[str, Any]:
    """Return the status of a small site that joined another site, which follows the status of that site."""
    if host is None or host.site.counts != Site.Counts.INCLUDED:
        return {"state": "left_out", "reason": f"it joined site {entry.joined}, which is not in the ranking"}
    if host.result is not None and entry.site.name not in host.guests:
        return {"state": "left_out", "reason": f"it joined site {entry.joined}, which sealed its cases without it"}
    if host.counts:
        return {"state": "joined", "reason": f"its cases are in the sums of site {entry.joined}"}
    return {"state": "not_arrived", "reason": f"it joined site {entry.joined}"}


def arrived_by_digest(phase: Phase, digest: str) -> Arrived | None:
    """A summary that entered a ranking, by the digest of its payload; nothing once its site had it removed."""
    row = (
        SignedMessage.objects.filter(enrolment__site__federation__phase=phase, kind="result", digest=digest)
        .select_related("enrolment__site")
        .first()
    )
    if row is None or not private().exists(row.envelope_name):
        return None
    return Arrived(row.enrolment.site.name, row)
