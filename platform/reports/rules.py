"""Permissions to create, read and publish reports."""

from typing import Any

import rules

from challenges.models import Challenge, Member
from challenges.rules import is_organizer, is_reader
from reports.models import Report
from reports.queries.naming import names_are_allowed


@rules.predicate
def organizes_report(user: Any, report: Report | None) -> bool:
    """Organizes the challenge of the report."""
    return report is not None and is_organizer(user, report.challenge)


@rules.predicate
def is_published(user: Any, report: Report | None) -> bool:
    """It is the report that the organizers have published, made for the public, of a challenge that the person sees."""
    if report is None or report.audience != Report.Audience.PUBLIC or not is_reader(user, report.challenge):
        return False
    settings = getattr(report.challenge, "report_settings", None)
    return settings is not None and settings.published_id == report.pk


@rules.predicate
def belongs_to_team(user: Any, report: Report | None) -> bool:
    """Is a member of the team that the report is about."""
    if report is None or report.team_id is None or not user.is_authenticated:
        return False
    return Member.objects.filter(team_id=report.team_id, user=user).exists()


@rules.predicate
def reads_challenge(user: Any, report: Report | None) -> bool:
    """Return whether the person sees the challenge of the report."""
    return report is not None and is_reader(user, report.challenge)


@rules.predicate
def names_allowed_teams(user: Any, report: Report | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Contains no name of a team that may not be named any more."""
    return report is not None and (not report.is_done or names_are_allowed(report))


@rules.predicate
def organizes_challenge(user: Any, challenge: Challenge | None) -> bool:
    """Organizes the challenge."""
    return is_organizer(user, challenge)


rules.add_perm(
    "reports.view_report",
    organizes_report | ((is_published | (reads_challenge & belongs_to_team)) & names_allowed_teams),
)
rules.add_perm("reports.write_report", organizes_challenge)
