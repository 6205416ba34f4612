"""Examples whose values are measured outside: their lists of cases sealed, and one table of values brought for all teams."""

import csv
import io
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from accounts.models import User
from challenges.models import Phase
from datastore.test_sets.services.case_lists import seal_case_list
from submissions.measurements.models import Measurement
from submissions.measurements.queries import sealed_versions
from submissions.measurements.services import tables, working

FILE: Final = "results.csv"
_PATIENCE: Final = 60.0
_PAUSE: Final = 0.2


def seal_cases(phase: Phase, described: Mapping[str, Any], *, actor: User) -> None:
    """Seal the list of the cases of a phase."""
    seal_case_list(phase=phase, metadata=pd.DataFrame({"case": described["cases"]}), actor=actor)


def bring_values(
    phase: Phase, described: Mapping[str, Any], origin: Mapping[str, str], data: Path, *, actor: User
) -> bool:
    """Bring and seal the values of a phase, unless that has been done; whether it was done now.

    A worker that runs may be quicker than this process; then it is waited for.
    """
    if sealed_versions(phase):
        return False
    with (data / FILE).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    case_column, wanted = head.index("case"), set(described["cases"])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *(row for row in rows if row[case_column] in wanted)])
    table = tables.bring_table(
        actor=actor, phase=phase, file_name=FILE, content=text.getvalue().encode(), makes_teams=True, origin=origin
    )
    tables.seal(actor=actor, table=_worked(table, Measurement.State.READING))
    return _worked(table, Measurement.State.SEALING).is_sealed


def _worked(table: Measurement, state: str) -> Measurement:
    """The table once it is in that state no more."""
    ends = time.monotonic() + _PATIENCE
    while True:
        working.work_on(measurement_id=table.pk)
        table = Measurement.objects.select_related("phase__task__challenge").get(pk=table.pk)
        if table.state != state or time.monotonic() > ends:
            return table
        time.sleep(_PAUSE)
