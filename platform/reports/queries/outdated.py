"""Check whether the rankings behind a report are still current."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboards.queries.current import Checked, check_versions
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
        """The change of the version, in sentences."""
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
    checked = check_versions({key for keys in versions.values() for key in keys})
    return {
        report.pk: _outdated(report, [checked[key] for key in versions[report.pk] if key in checked])
        for report in reports
    }


def _versions(ranking: dict[str, Any] | None, phases: list[dict[str, Any]] | None) -> list[int]:
    """Return the primary keys of the ranking versions in the facts of a report."""
    rankings = [ranking, *(phase["ranking"] for phase in phases or ())]
    return [entry["pk"] for entry in rankings if entry]


def _outdated(report: Report, checked: Sequence[Checked]) -> list[Outdated]:
    """Return the versions that are not current for the readers of a report; organizers see more than a frozen board."""
    several = len({entry.phase.task_id for entry in checked}) > 1
    outdated = []
    for entry in checked:
        current = entry.current if report.audience == Report.Audience.ORGANIZERS else entry.public
        if current != entry.number:
            outdated.append(Outdated(str(entry.phase) if several else entry.phase.name, entry.number, current))
    return outdated
