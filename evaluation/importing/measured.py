"""Reading of externally measured values against their assessment and the registered cases.

`evaluation.importing.arrange` accepts any table. Here the cases, the metrics with their ranges, the regions and usually
the teams are known before. Therefore nothing is guessed and nothing is dropped: each mismatch is a problem of one line.
As long as there is a problem, no value counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.importing.content import Measured
from evaluation.importing.fitting import Fitting, needs_worst, takes_uncertainty
from evaluation.importing.replicates import Replicates, read_replicates
from evaluation.importing.roles import guess_roles
from evaluation.importing.sheets import DEFAULT, Sheet, SheetLimits
from evaluation.importing.table_reader import TableReader

if TYPE_CHECKING:
    from collections.abc import Mapping


def roles_of(sheet: Sheet, fitting: Fitting) -> dict[str, str]:
    """Guess the roles of a table's columns from their names and contents, and from the requirements."""
    roles = guess_roles(sheet)
    if "value" not in roles.values():
        # Not one number stands in it, and still its name says what it should hold.
        named = {"value", *(metric.name.casefold() for metric in fitting.assessment.metrics)}
        roles |= {column: "value" for column in roles if column.casefold() in named}
    return roles


def read_measured(
    sheet: Sheet,
    roles: Mapping[str, str],
    fitting: Fitting,
    *,
    replicates: Sheet | None = None,
    limits: SheetLimits = DEFAULT,
) -> Measured:
    """Read the values of a table whose columns are known.

    Parameters
    ----------
    roles
        Roles as `evaluation.importing.guess_roles` returns them.
    replicates
        An additional table of replicates for values of the whole data set.
    """
    measured = Measured(notes=list(sheet.notes))
    reader = TableReader(sheet, roles, fitting, measured)
    if reader.is_laid_out():
        reader.read(limits)
    drawn = None if replicates is None else read_replicates(replicates, fitting, measured)
    if not measured.problems:
        _settle(sheet, fitting, measured, drawn)
    if measured.problems:
        measured.values, measured.errors, measured.replicates = {}, {}, {}
    ignored = [
        column
        for column in sheet.columns
        if roles.get(column, "ignore") == "ignore" and column not in reader.read_besides
    ]
    if ignored:
        measured.notes.append(f"Not used: {', '.join(ignored[:20])}.")
    return measured


def _settle(sheet: Sheet, fitting: Fitting, measured: Measured, drawn: Replicates | None) -> None:
    """Attach replicates to their values, and refuse values that lack information required for ranking."""
    if drawn is not None:
        drawn.settle(measured)
    _check_uncertainty(sheet, fitting, measured)
    _check_worst(sheet, fitting, measured)


def _check_uncertainty(sheet: Sheet, fitting: Fitting, measured: Measured) -> None:
    """Every value of the whole data set has replicates or a standard error, and all of one metric have the same."""
    first = len(fitting.keys) - len(fitting.whole)
    for position, (region, metric) in enumerate(fitting.whole):
        named = f"{metric.name}{f' of {region}' if region else ''}"
        if not takes_uncertainty(metric):
            dropped = False
            for team in measured.values:
                dropped |= (
                    measured.errors[team][position] is not None or measured.replicates[team][position] is not None
                )
                measured.errors[team][position] = measured.replicates[team][position] = None
            if dropped:
                measured.notes.append(f"{named} is registered without uncertainty: what came with it is not used.")
            continue
        forms, without = {}, []
        for team, values in measured.values.items():
            error, replicates = measured.errors[team][position], measured.replicates[team][position]
            if not isinstance(values[first + position], float):
                measured.errors[team][position] = measured.replicates[team][position] = None
            elif error is not None and replicates is not None:
                what = f"{named} of {team} has replicates and a standard error"
                measured.refuse(sheet.file, "", what, "Send one of them.")
            elif error is None and replicates is None:
                without.append(team)
            else:
                forms[team] = "a standard error" if replicates is None else "replicates"
        if without:
            remedy = "Send replicates, or a column “se” with its standard error: without them the uncertainty of a rank is unknown."
            whose = without[0] if len(without) == 1 else f"{without[0]} and of {len(without) - 1:,} more"
            measured.refuse(sheet.file, "", f"{named} of {whose} comes without uncertainty", remedy)
        if len(set(forms.values())) > 1:
            teams = list(forms)
            other = next(team for team in teams if forms[team] != forms[teams[0]])
            what = f"{named} of {teams[0]} has {forms[teams[0]]}, and that of {other} {forms[other]}"
            measured.refuse(sheet.file, "", what, "Send the same for all teams.")


def _check_worst(sheet: Sheet, fitting: Fitting, measured: Measured) -> None:
    """Check that the table contains the worst value of a case if a missing value counts as that."""
    wanted = {metric.name for metric in fitting.assessment.metrics if needs_worst(metric)}
    if not wanted:
        return
    unknown = [key for key in fitting.keys if key[2] in wanted and key not in measured.worst]
    if unknown and measured.values:
        where = ", ".join(part for part in unknown[0] if part)
        more = f" and {len(unknown) - 1:,} others" if len(unknown) > 1 else ""
        what = f"no row says the worst value of {where}{more}, and a missing one counts as that"
        measured.refuse(sheet.file, "", what, "Fill a column “worst”.")
