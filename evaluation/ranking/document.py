"""The ranking document, from which leaderboards, figures and reports of a ranking are created."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.aggregation import ResultsError, Table, build_tables, check_results
from evaluation.assessment.model import Operator
from evaluation.canonical import sha256
from evaluation.ranking.counted import (
    cases_of_evidence,
    cases_without_prediction,
    counted_results,
    draws_of_evidence,
    load_evidence,
    source_of_uncertainty,
    standard_errors_of,
    tells_missing_cases,
    version_of_given,
    weighted_results,
)
from evaluation.ranking.entries import entry_of, pending_overall_of, resampling_interval
from evaluation.ranking.evaluate import cases_of_data_set, evaluate, make_plan, unit_level
from evaluation.ranking.families import PendingEntry, computed_entries, role_of_tables
from evaluation.ranking.plans import FIRST_RULES, RULES, SCHEMA, SCHEMA_BEFORE, Evaluated, Plan
from evaluation.ranking.resampling import STRATIFIED_VERSION, VERSION
from evaluation.ranking.schemes import DEFAULT
from evaluation.ranking.uncertainty.looks import Look
from evaluation.ranking.value_checks import notes_on_values, refuse_impossible_values
from evaluation.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

    import pandas as pd

    from evaluation.aggregation import Table
    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Plan
    from evaluation.ranking.schemes import Ranked
    from evaluation.scoring.evidence import Evidence


def unranked_metrics(assessment: Assessment) -> tuple[str, ...]:
    """Names of the metrics that no ranking uses, in the order of the assessment.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> unranked_metrics(parse({"problem": "semantic_segmentation", "regions": [{"name": "all", "labels": [1]}],
    ...     "metrics": [{"id": "dsc"}, {"id": "iou"}], "ranking": {"metrics": ["dsc"]}}))
    ('iou',)
    """
    if any(scheme.metrics is None for scheme in assessment.rankings):
        return ()
    used = {name for scheme in assessment.rankings for name in scheme.metrics or ()}
    return tuple(metric.name for metric in assessment.metrics if metric.name not in used)


def reported_entry(
    table: Table, plan: Plan, assessment: Assessment, *, evidence: Evidence | None = None
) -> dict[str, Any]:
    """Return the entry of a ranking document for a metric in a region that is not used for a ranking.

    The value is the mean along the registered levels, with policies for missing values as in a ranking. A policy by
    ranks yields no value. The mean is then over the cases with a value, and ``cases`` of the algorithm contains their
    number. Algorithms are sorted by name.
    """
    mean = replace(
        assessment.rankings[0], name=None, scheme=DEFAULT, operator=Operator("mean"), metrics=None, regions=None,
        combine=None, options={},
    )  # fmt: skip
    evaluated = evaluate(table, plan, mean, assessment, evidence=evidence)
    values, intervals = evaluated.ranked.scores[0], resampling_interval(evaluated, assessment)
    cases = evaluated.cases
    with_value = np.isfinite(table.values).sum(axis=0)
    return {
        "metric": table.metric.name,
        "region": table.region,
        "task": table.task,
        "direction": table.metric.direction,
        "unit": table.metric.unit,
        "cases": cases,
        "algorithms": [
            {
                "name": name,
                "value": float(values[index]) if np.isfinite(values[index]) else None,
                "interval": intervals[index],
                "cases": cases if table.per_dataset else int(with_value[index]),
            }
            for index, name in _by_name(table.algorithms)
        ],
    }


def _by_name(names: Sequence[str]) -> list[tuple[int, str]]:
    return sorted(enumerate(names), key=lambda entry: entry[1])


DIGEST_DIGITS: Final = 10


def rank(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    evidence: Any = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    ranked_tables: MutableMapping[int, Ranked] | None = None,
    schema: int = SCHEMA,
    look: Look | None = None,
    rules: int = RULES,
) -> dict[str, Any]:
    """Rank the algorithms of a results table, with the uncertainty of every statement.

    Parameters
    ----------
    assessment
        The registered assessment.
    results
        A results table (contract, section 4); for an assessment of a ``table`` at least ``algorithm``, ``case``,
        ``value`` and, if there are several, ``task``.
    cases
        Case metadata, one row per case; needed if levels, resampling or combination name its columns.
    evidence
        Components of data-set-level metrics for each case: an `evaluation.scoring.evidence.Evidence`, a file of it, or
        several files. Without it such metrics are ranked but not resampled.
    bootstrap, seed
        Replacements for those of the assessment.
    progress
        Called with the number of tables done and their total.
    ranked_tables
        Scores and ranks of tables in all samples, by their index in the order of computation. Existing entries are
        not computed again, and new ones are stored there. It is for rankings that take too long for one run. It must be of
        the same assessment, results and seed.
    schema
        Schema of the document. With 2, winners are named by the rules of that schema, which assume symmetric differences
        and equal failure rates; only for the verification of older bundles.
    look
        The change of the field, for a phase that is still open. The board then spends only a part of the error.
    rules
        Revision of the rules within the schema; an earlier one only for the verification of older bundles.

    Returns
    -------
    dict
        The ranking document (contract, section 6), ready for JSON.

    Raises
    ------
    ResultsError
        If the table cannot be ranked; the message contains the reason.
    ValueError
        For another schema or revision of the rules.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    >>> table = pd.DataFrame({"algorithm": list("aabb"), "case": list("1212"), "value": [0.9, 0.8, 0.5, 0.6]})
    >>> document = rank(assessment, table, bootstrap=100)
    >>> [(entry["name"], entry["rank"]) for entry in document["rankings"][0]["algorithms"]]
    [('a', 1), ('b', 2)]
    """
    rules = checked_rules(schema, rules)
    samples = assessment.uncertainty.bootstrap if bootstrap is None else bootstrap
    start = assessment.uncertainty.seed if seed is None else seed
    counted = counted_results(assessment, check_results(results), cases=cases, evidence=load_evidence(evidence))
    checked, pieces = check_results(counted.results) if counted.excluded else counted.results, counted.evidence
    if schema > SCHEMA_BEFORE:
        refuse_impossible_values(assessment, checked)
    samples = draws_of_evidence(pieces, samples)
    # What ranks; metrics that are reported without a rank keep their values.
    ranked = weighted_results(assessment, checked, results)
    plans: dict[str | None, Plan] = {}
    pending: list[PendingEntry] = []
    pending_overall: list[PendingEntry] = []
    notes: list[str] = [] if schema == SCHEMA_BEFORE else notes_on_values(assessment, checked)
    given: dict[str, str] = {}
    per_scheme = [
        build_tables(assessment, ranked, metrics=scheme.metrics, regions=scheme.regions)
        for scheme in assessment.rankings
    ]
    total, done = sum(map(len, per_scheme)), 0
    registered = assessment.document["ranking"]
    several = isinstance(registered, list)
    for scheme, tables in zip(assessment.rankings, per_scheme, strict=True):
        evaluated: list[Evaluated] = []
        for table in tables:
            if table.task not in plans:
                plans[table.task] = plan_of(
                    assessment,
                    checked,
                    table,
                    metadata=cases,
                    evidence=pieces,
                    bootstrap=samples,
                    seed=start,
                    schema=schema,
                    look=look,
                    rules=rules,
                )
            evaluated.append(
                _evaluated(table, plans[table.task], scheme, assessment, pieces, ranked_tables, done + len(evaluated))
            )
            if evaluated[-1].drawn_by:
                given[table.metric.name] = evaluated[-1].drawn_by
            if progress is not None:
                progress(done + len(evaluated), total)
        done += len(evaluated)
        combined = pending_overall_of(evaluated, scheme, assessment, notes)
        role = role_of_tables(scheme, is_combined=bool(combined), parts=len(evaluated), rules=rules)
        pending += [PendingEntry(role, partial(entry_of, item, scheme, assessment)) for item in evaluated]
        pending_overall += [PendingEntry(scheme.role, compute) for compute in combined]
    computed = computed_entries([*pending, *pending_overall])
    entries, overall = computed[: len(pending)], computed[len(pending) :]
    document: dict[str, Any] = {
        "schema": schema,
        "seed": start,
        "bootstrap": samples,
        "versions": versions(),
        "assessment": assessment.digest,
        "problem": assessment.problem,
        "resampling": {
            "version": STRATIFIED_VERSION if assessment.aggregation.fixed else VERSION,
            "resample": list(assessment.uncertainty.resample),
            "unit": unit_level(assessment),
            "strata": list(assessment.uncertainty.strata),
            "interval": assessment.uncertainty.interval,
        },
        "aggregation": assessment.document["aggregation"],
        "schemes": registered if several else [registered],
        "rankings": entries,
        "overall": (overall if several or len(overall) > 1 else overall[0]) if overall else None,
    }
    if rules > FIRST_RULES:
        document["rules"] = rules
    if look is not None:
        document["look"] = look.document
    # Every ranking has a table of every task, so that there is a plan of each.
    reported = (
        [
            reported_entry(table, plans[table.task], assessment, evidence=pieces)
            for table in build_tables(assessment, checked, metrics=unranked)
        ]
        if (unranked := unranked_metrics(assessment))
        else []
    )
    if reported:
        document["reported"] = reported
    if assessment.scorer:
        document["scorer"] = {
            "image": assessment.scorer["image"],
            "metrics": [metric.name for metric in assessment.by_scorer],
        }
    if costs := [metric.name for metric in assessment.by_run]:
        document["costs"] = costs
    if counted.excluded:
        document["excluded"] = [{"case": case, "reason": reason} for case, reason in counted.excluded.items()]
    if notes:
        document["notes"] = notes
    if given:
        # Of values that were measured elsewhere: what stands for draws, and by which rule.
        document["resampling"]["given"] = {"version": version_of_given(), "metrics": given}
    return document


def checked_rules(schema: int, rules: int) -> int:
    """Return the revision of the rules, which older schemas do not have."""
    if schema not in (SCHEMA, SCHEMA_BEFORE):
        message = f"schema {schema} cannot be written; {SCHEMA_BEFORE} and {SCHEMA} can"
        raise ValueError(message)
    if rules not in (RULES, FIRST_RULES):
        message = f"rules {rules} cannot be applied; {FIRST_RULES} and {RULES} can"
        raise ValueError(message)
    return FIRST_RULES if schema == SCHEMA_BEFORE else rules


def schema_to_verify(document: Mapping[str, Any]) -> int:
    """Return the schema by whose rules a document is recomputed.

    Examples
    --------
    >>> schema_to_verify({"schema": 1}), schema_to_verify({"schema": 3})
    (2, 3)
    """
    stored = document.get("schema")
    return SCHEMA_BEFORE if isinstance(stored, int) and stored <= SCHEMA_BEFORE else SCHEMA


def rules_to_verify(document: Mapping[str, Any]) -> int:
    """Return the revision of the rules by which a document is recomputed.

    Examples
    --------
    >>> rules_to_verify({"schema": 3}), rules_to_verify({"schema": 3, "rules": 2})
    (1, 2)
    """
    stored = document.get("rules", FIRST_RULES)
    return stored if isinstance(stored, int) and FIRST_RULES <= stored <= RULES else RULES


def look_to_verify(document: Mapping[str, Any]) -> Look | None:
    """Return the change of the field at which a document was computed; ``None`` if it was computed once."""
    stored = document.get("look")
    return None if stored is None else Look(stored["change"], stored["planned"])


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a ranking document without its versions, floats rounded to 10 significant digits.

    Examples
    --------
    >>> digest({"rankings": [], "versions": {"numpy": "2"}}) == digest({"rankings": [], "versions": {}})
    True
    """
    return sha256({key: value for key, value in document.items() if key != "versions"}, digits=DIGEST_DIGITS)


def plan_of(
    assessment: Assessment,
    results: pd.DataFrame,
    table: Table,
    *,
    metadata: pd.DataFrame | None,
    evidence: Evidence | None,
    bootstrap: int,
    seed: int,
    schema: int = SCHEMA,
    look: Look | None = None,
    rules: int = RULES,
) -> Plan:
    """The samples of the task that a table is of."""
    rows = results[results["task"] == (table.task or "")]
    names = sorted(set(rows["case"]) - {""})
    if not names and evidence is not None:
        names = list(cases_of_evidence(evidence))
    if not names:
        return make_plan(assessment, (), None, bootstrap=0, seed=seed, schema=schema, look=look, rules=rules)
    return make_plan(assessment, names, metadata, bootstrap=bootstrap, seed=seed, schema=schema, look=look, rules=rules)


def _evaluated(
    table: Table,
    plan: Plan,
    scheme: RankingScheme,
    assessment: Assessment,
    evidence: Evidence | None,
    ranked_tables: MutableMapping[int, Ranked] | None,
    index: int,
) -> Evaluated:
    """The table at one place of the computation, from what is kept of it where it has been computed before."""
    if ranked_tables is not None and index in ranked_tables:
        missing, tells_missing = cases_without_prediction(table, plan, evidence), tells_missing_cases(table, evidence)
        inside, drawn_by = cases_of_data_set(table, plan, assessment), source_of_uncertainty(table, evidence)
        errors = standard_errors_of(table, evidence)
        return Evaluated(table, plan, ranked_tables[index], missing, tells_missing, inside, drawn_by, errors)
    evaluated = evaluate(table, plan, scheme, assessment, evidence=evidence)
    if ranked_tables is not None:
        ranked_tables[index] = evaluated.ranked
    return evaluated


def versions() -> dict[str, str]:
    """Versions of what computed the document: they do not enter its digest."""
    return {"podium": __version__, "python": platform.python_version(), **_package_versions()}


@cache
def _package_versions() -> dict[str, str]:
    """Reading them takes longer than ranking a small board."""
    return {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "pandas")}


__all__ = ["ResultsError", "digest", "rank"]
