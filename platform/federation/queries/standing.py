"""Status of the sites of a federation: one state each, and the steps that lead to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from federation.models import Enrolment, Federation, SignedMessage, Site
from federation.queries.federations import current_package

STATES: Final[Mapping[str, str]] = {
    "invited": "invited",
    "registered": "key to be confirmed",
    "confirmed": "key confirmed",
    "ready": "cases sealed",
    "tested": "tested and ready",
    "running": "scoring",
    "joined": "joined another site",
    "sent": "sent",
    "late": "late",
    "withdrawn": "withdrew",
    "left_out": "left out",
}
"""States of a site in their order, and how they are called."""
BADGES: Final[Mapping[str, str]] = {
    "sent": "ok", "joined": "info", "tested": "info", "running": "info", "late": "warn", "registered": "warn",
    "withdrawn": "muted", "left_out": "muted",
}  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """A site with what is known of it."""

    site: Site
    enrolment: Enrolment | None
    state: str
    since: datetime
    messages: tuple[SignedMessage, ...] = ()
    seal: Mapping[str, Any] = field(default_factory=dict)
    result: SignedMessage | None = None
    joined: str = ""

    @property
    def label(self) -> str:
        """Name of the state."""
        return STATES[self.state]

    @property
    def badge(self) -> str:
        """Colour of the state, shown with its name."""
        return BADGES.get(self.state, "muted")

    @property
    def counts(self) -> bool:
        """True if its result enters the ranking."""
        is_in = self.site.counts == Site.Counts.INCLUDED
        return is_in and self.result is not None and (not self.result.is_late or self.site.takes_late)

    @property
    def made_by(self) -> str:
        """Origin of the predictions that the site scored, empty before its result."""
        if self.result is None:
            return ""
        images, carried = (int(self.result.facts.get(key, 0)) for key in ("images", "carried"))
        if not images:
            return "predictions carried in"
        ran = f"{images} image{'s' if images > 1 else ''} run there"
        return f"{ran}, predictions of {carried} carried in" if carried else ran

    @property
    def guests(self) -> list[str]:
        """Small sites whose cases are among those that it sealed."""
        return list(self.seal.get("with", []))

    @property
    def waits_for_organizers(self) -> bool:
        """True if an organizer must compare a fingerprint or decide about a late result."""
        return self.state == "registered" or (self.state == "late" and self.result is not None)


def standings(federation: Federation) -> list[Standing]:
    """All sites by name, each with its state."""
    package = current_package(federation)
    sites = list(federation.sites.order_by("name"))
    enrolments = {
        row.site_id: row
        for row in Enrolment.objects.filter(site__federation=federation, revoked_at=None).select_related("site")
    }
    # What a former key signed while it was good stays: it is the site that sent it.
    messages: dict[int, list[SignedMessage]] = {site.pk: [] for site in sites}
    rows = SignedMessage.objects.filter(enrolment__site__federation=federation).select_related("enrolment")
    for message in rows.order_by("enrolment_id", "sequence"):
        messages[message.enrolment.site_id].append(message)
    return [
        _standing(federation, site, enrolments.get(site.pk), messages[site.pk], package.digest if package else "")
        for site in sites
    ]


def standing_of(site: Site) -> Standing:
    """Return the status of one site."""
    return next(entry for entry in standings(site.federation) if entry.site.pk == site.pk)


def _standing(
    federation: Federation, site: Site, enrolment: Enrolment | None, messages: list[SignedMessage], package: str
) -> Standing:
    by_kind = {message.kind: message for message in messages}
    seal = by_kind.get("manifest-seal")
    result = next((m for m in reversed(messages) if m.kind == "result" and m.facts["package"] == package), None)
    passed = by_kind.get("compatibility")
    tested = passed is not None and passed.facts["package"] == package
    state, since = "invited", enrolment.invited_at if enrolment else site.created_at
    if enrolment is not None and enrolment.registered_at:
        state, since = "registered", enrolment.registered_at
    if enrolment is not None and enrolment.confirmed_at:
        state, since = "confirmed", enrolment.confirmed_at
        if seal is not None:
            state, since = "ready", seal.received_at
        if tested and seal is not None and passed is not None:
            state, since = "tested", max(passed.received_at, seal.received_at)
            begun = by_kind.get("site-progress")
            if begun is not None and begun.facts["package"] == package:
                state, since = "running", begun.received_at
    joined = by_kind.get("site-hand-over")
    if joined is not None:
        state, since = "joined", joined.received_at
    elif result is not None:
        state, since = "late" if result.is_late else "sent", result.received_at
    elif federation.phase.is_closed:
        state, since = "late", federation.phase.ends_at
    if site.counts != Site.Counts.INCLUDED:
        state = str(site.counts)
        since = by_kind["site-withdrawal"].received_at if "site-withdrawal" in by_kind else since
    return Standing(
        site,
        enrolment,
        state,
        since,
        tuple(messages),
        seal.facts if seal else {},
        result,
        joined.facts["to"] if joined else "",
    )
