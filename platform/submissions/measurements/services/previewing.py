"""Preview of the results that sealing a table would store."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from challenges.models import Phase
from challenges.services.teams import check_team_name
from datastore.test_sets.models import TestSet
from evaluation.assessment.columns import grouping_columns
from evaluation.claims.missing_cases import rule_of_a_missing_case
from evaluation.importing import Fitting
from evaluation.outcomes import Outcome
from executions.scoring.domain import results
from submissions.measurements.domain import values as domain
from submissions.measurements.models import Measurement
from submissions.measurements.queries import active_list, present_runs
from submissions.models import Run

_SHOWN: Final = 10


def of_cases(phase: Phase, cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the contents of the list of cases, and the characteristics that the ranking requires."""
    columns = [name for name in (cases[0] if cases else {}) if name != "case"]
    return {
        "cases": len(cases),
        "first_cases": [entry["case"] for entry in cases[:_SHOWN]],
        "characteristics": columns,
        "needed": list(grouping_columns(phase.assessment)),
    }


def of_values(
    table: Measurement, values: domain.Values, fitting: Fitting, *, new_teams: Mapping[str, int]
) -> dict[str, Any]:
    """Return the values that would be stored per team, their changes, and the problems that prevent storing."""
    phase, problems = table.phase, []
    present = {run.submission.team.name: run for run in present_runs(phase).values()}
    teams = []
    for name in values.teams:
        rows = domain.rows_of(values, name, fitting)
        lacking = list(dict.fromkeys(row.case or row.metric for row in rows if row.outcome == Outcome.MISSING))
        absent = sum(row.outcome == Outcome.MISSING for row in rows)
        if lacking and not phase.incomplete_allowed:
            problems.append(
                f"{table.file_name}: {name} lacks {absent:,} of {len(rows):,} values, the first of them for {lacking[0]}. "
                "By the registered rules only complete results are taken: add them."
            )
        changed = domain.changes(_standing(present[name]), rows) if name in present else []
        teams.append({
            "name": name,
            "is_new": name in new_teams,
            "values": len(rows) - absent,
            "missing": absent,
            "missing_cases": lacking[:_SHOWN],
            "more_missing_cases": max(0, len(lacking) - _SHOWN),
            "replaces": name in present,
            "changed": len(changed),
            "changes": changed[:_SHOWN],
            "digest": results.digest(rows, domain.evidence_of(values, name, fitting)),
            "uncertainty": domain.uncertainty_words(values, name, fitting),
        })  # fmt: skip
    for name, line in new_teams.items():
        try:
            with transaction.atomic():
                check_team_name(phase.challenge, name)
        except ValidationError as error:
            problems.append(f"{table.file_name}: row {line}: {' '.join(error.messages)} Correct the name of the team.")
    sealed = active_list(phase)
    untouched = {
        name: run for name, run in present.items() if name not in values.teams and run.test_set_id == _pk(sealed)
    }
    problems += _unlike(table.file_name, values, fitting, untouched)
    return {
        "problems": problems,
        "teams": teams,
        "cases": len(fitting.cases),
        "list_version": None if sealed is None else sealed.version,
        "missing_rule": rule_of_a_missing_case(phase.assessment),
        "untouched": sorted(set(present) - set(values.teams)),
    }


def _pk(sealed: TestSet | None) -> int | None:
    return None if sealed is None else sealed.pk


def _unlike(file: str, values: domain.Values, fitting: Fitting, untouched: Mapping[str, Run]) -> list[str]:
    """Describe values of the whole data set that are not comparable with the current values.

    Their uncertainty has another form.
    """
    problems = []
    for region, metric in fitting.whole:
        new_form = next(
            (form for name in values.teams if (form := domain.form_of(values, name, region, metric, fitting))), ""
        )
        for name, run in untouched.items() if new_form else ():
            evidence = results.read_evidence(run.evidence_file, algorithm=name) if run.evidence_file else None
            standing_form = "" if evidence is None else domain.form_in(evidence, name, region, metric)
            if standing_form and standing_form != new_form:
                problems.append(
                    f"{file}: {metric.name}{f' of {region}' if region else ''} comes with {domain.FORMS[new_form.partition(' ')[0]]}, and that of "
                    f"{name}, which stands, {_unlike_words(new_form, standing_form)}. Send the same for all teams, in one table."
                )
                break
    return problems


def _unlike_words(new_form: str, standing_form: str) -> str:
    kind = standing_form.partition(" ")[0]
    same_kind = kind == new_form.partition(" ")[0]
    return "with other ones" if same_kind else f"with {domain.FORMS[kind]}"


def _standing(run: Run) -> dict[tuple[str, str, str], float | None]:
    return {(row.case, row.region, row.metric): row.value for row in results.rows_of(results.read(run.result_file))}
