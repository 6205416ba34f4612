"""Reads worth naming."""

from typing import Any

from django.http import Http404

from challenges.models import Challenge
from designs.models import DesignVersion
from reports.models import Report, ReportSettings, ReportText


def settings_of(challenge: Challenge) -> ReportSettings | None:
    """Return the report settings of the organizers; `None` before they choose any."""
    return (
        ReportSettings.objects.filter(challenge=challenge).select_related("published", "design_version__design").first()
    )


def chosen_design(challenge: Challenge) -> DesignVersion | None:
    """The design version that organizers named; it counts where the challenge runs no registered one."""
    settings = settings_of(challenge)
    return settings.design_version if settings is not None else None


def report_of(user: Any, challenge: Challenge, number: int) -> Report:
    """Return a report of a challenge that `user` may read.

    Raises
    ------
    Http404
        Also for a report that exists but is not for this reader.
    """
    rows = Report.objects.select_related("challenge__report_settings", "phase", "team").defer("inputs")
    report = rows.filter(challenge=challenge, number=number).first()
    if report is None or not user.has_perm("reports.view_report", report):
        raise Http404("There is no such report.")
    return report


def made_for(challenge: Challenge) -> list[Report]:
    """The reports of a challenge, the newest first; those of teams are theirs."""
    rows = Report.objects.filter(challenge=challenge, kind=Report.Kind.CHALLENGE).defer("inputs")
    return list(rows.select_related("requested_by").order_by("-number")[:MOST_LISTED])


MOST_LISTED = 20


def last_made(challenge: Challenge) -> Report | None:
    """The newest report for the organizers that is finished."""
    rows = Report.objects.filter(
        challenge=challenge, kind=Report.Kind.CHALLENGE, audience=Report.Audience.ORGANIZERS, state=Report.State.DONE
    )
    return rows.defer("inputs").order_by("-number").first()


def last_of_team(challenge: Challenge, team: int, phase: int) -> Report | None:
    """The newest report of a team about a phase."""
    rows = Report.objects.filter(challenge=challenge, kind=Report.Kind.TEAM, team=team, phase=phase)
    return rows.defer("inputs").order_by("-number").first()


def texts(challenge: Challenge) -> dict[str, ReportText]:
    """Return the texts of the authors, by item."""
    rows = ReportText.objects.filter(challenge=challenge).select_related("author")
    return {text.item: text for text in rows}


def design_versions(user: Any) -> list[DesignVersion]:
    """Return frozen versions of designs that the person works on.

    A report can be based on one of them.
    """
    rows = (
        DesignVersion.objects.filter(design__collaborators__user=user)
        .select_related("design")
        .defer("document", "sealed")
    )
    return list(rows.order_by("design__title", "-number")[:MOST_VERSIONS])


MOST_VERSIONS = 200
