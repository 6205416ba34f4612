"""Requirements on a table: the assessment, the sealed list of cases, and the teams."""

from datastore.test_sets.queries import case_names
from evaluation.importing import Fitting
from submissions.measurements.models import Measurement
from submissions.measurements.queries.tables import teams_of


def fitting_of(table: Measurement) -> Fitting:
    """Return the current requirements against which the table is read."""
    phase = table.phase
    return Fitting(
        assessment=phase.assessment,
        cases=tuple(case_names(phase)),
        teams=tuple(teams_of(phase).values_list("name", flat=True)),
        team=table.team.name if table.team else "",
        takes_new_teams=table.makes_teams,
    )
