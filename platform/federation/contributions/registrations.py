"""Pages of sites in the navigation of a challenge, and the kinds of notifications."""

from django.urls import reverse

from accounts.notifications import kinds
from challenges import hooks
from challenges.hooks import Figure
from challenges.models import Challenge
from challenges.rules import is_organizer
from executions import hooks as execution_hooks
from executions.models import AlgorithmArchive
from federation.models import Algorithm
from federation.queries.federations import has_any, of_challenge
from federation.queries.standing import standings


def register() -> None:
    """Add the pages, the figures of organizers, and the kinds of messages."""
    hooks.register_tab("Sites", "federation:sites", visible=_has_sites, order=32)
    hooks.register_organizer_page("Sites", "federation:organize", visible=is_organizer, order=27)
    hooks.figures.register(figures)
    execution_hooks.needed.register(given_to_sites)
    kinds.register("site_invited", "Your institution is invited to score algorithms on its own cases", order=16)
    kinds.register("site_registered", "A site of a challenge of yours registered its key", order=17)
    kinds.register("site_message_refused", "Messages of a site of a challenge of yours were refused", order=17)


def _has_sites(_user: object, challenge: Challenge) -> bool:
    return has_any(challenge)


def given_to_sites(archive: AlgorithmArchive) -> str:
    """Explain why an image that sites run must be kept, or return an empty text."""
    if Algorithm.objects.filter(archive=archive).exists():
        return "Sites run it; what stands behind a result is kept."
    return ""


def figures(challenge: Challenge) -> list[Figure]:
    """Count the sites that have sent results, for phases that are evaluated at sites."""
    site_figures: list[Figure] = []
    for federation in of_challenge(challenge) if has_any(challenge) else ():
        rows = standings(federation)
        sent = sum(row.result is not None for row in rows)
        site_figures.append(
            Figure(
                "Sites that have sent",
                f"{sent} of {len(rows)}",
                reverse("federation:organize", args=[challenge.slug]),
                needs_you=any(row.waits_for_organizers for row in rows),
            )
        )
    return site_figures
