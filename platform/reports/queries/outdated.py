"""Whether the rankings that a report was made from are still current."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser

from challenges.queries import label_of
from leaderboards.queries.current import Checked, Validity, check_versions
from reports.models import Report


@dataclass(frozen=True)
class Outdated:
    """A ranking version of a report that is not current.

    Attributes
    ----------
    current
        Number of the version that replaced it; None after it was withdrawn.
    """

    phase: str
    number: int
    current: int | None

    @property
    def text(self) -> str:
        """What happened to the version, in sentences."""
        if self.current is None:
            return f"Ranking version {self.number} of {self.phase} was withdrawn. No team is ranked now."
        return f"Version {self.current} replaced ranking version {self.number} of {self.phase}."


def outdated_rankings(report: Report) -> list[Outdated]:
    """Return the ranking versions of a report that are not current."""
    return outdated_by_report([report])[report.pk]


def outdated_by_report(reports: Iterable[Report]) -> dict[int, list[Outdated]]:
    """Return the same for several reports by primary key, in a constant number of queries."""
    reports = list(reports)
    versions = {
        key: _versions(ranking, phases)
        for key, ranking, phases in Report.objects.filter(pk__in=[report.pk for report in reports]).values_list(
            "pk", "inputs__ranking", "inputs__phases"
        )
    }
    outdated: dict[int, list[Outdated]] = {}
    # Organizers also see rankings that are newer than a freeze; everyone else reads a report as a visitor.
    for reader in (None, AnonymousUser()):
        chosen = [report for report in reports if (report.audience == Report.Audience.ORGANIZERS) == (reader is None)]
        checked = check_versions({key for report in chosen for key in versions[report.pk]}, reader=reader)
        for report in chosen:
            outdated[report.pk] = [
                _outdated(checked[key])
                for key in versions[report.pk]
                if key in checked and checked[key].validity is not Validity.CURRENT
            ]
    return outdated


def _versions(ranking: dict[str, Any] | None, phases: list[dict[str, Any]] | None) -> list[int]:
    """Return the primary keys of the ranking versions in the facts of a report."""
    rankings = [ranking, *(phase["ranking"] for phase in phases or ())]
    return [entry["pk"] for entry in rankings if entry]


def _outdated(checked: Checked) -> Outdated:
    return Outdated(label_of(checked.phase), checked.number, checked.current)
