"""The same algorithms ranked in several ways: under every scheme, metric, region, annotator, site or subgroup."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import ResultsError, build_tables, check_results, metadata_column
from evaluation.assessment.ranking import EXPLORATORY, scheme_document
from evaluation.outcomes import Outcome
from evaluation.ranking.combination import combine
from evaluation.ranking.compare import kendall_tau_b
from evaluation.ranking.counted import LEVEL, of_cases, recomputable, weighted_results
from evaluation.ranking.document import rank
from evaluation.ranking.evaluate import evaluate, make_plan
from evaluation.ranking.parts import parts_of
from evaluation.ranking.schemes import all_schemes, get_scheme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, RankingScheme, Step
    from evaluation.ranking.plans import Evaluated, Plan
    from evaluation.scoring.evidence import Evidence

FloatArray = npt.NDArray[np.float64]
REGISTERED: Final = "registered"


def compare(rankings: Mapping[str, Mapping[str, float]], reference: str | None = None) -> dict[str, Any]:
    """Compare rankings of the same algorithms.

    Parameters
    ----------
    rankings
        For each label, the rank of every algorithm. Only algorithms that all rankings have are compared.
    reference
        Label of the ranking that the others are compared with; the first one if ``None``.

    Returns
    -------
    dict
        ``labels``, ``algorithms`` (by the reference ranking), ``ranks`` (labels × algorithms), ``tau`` (τ-b between
        labels, ``None`` where undefined), ``winners`` of each label, ``winner_kept`` (share of the other labels with
        the reference's winners first), ``other_winners``, and ``largest_change`` of a rank.

    Examples
    --------
    >>> found = compare({"mean": {"a": 1, "b": 2}, "median": {"a": 2, "b": 1}})
    >>> found["winner_kept"], found["other_winners"], found["tau"][0][1]
    (0.0, ['b'], -1)
    """
    labels = list(rankings)
    first = reference if reference is not None else labels[0]
    shared = set.intersection(*(set(ranks) for ranks in rankings.values()))
    algorithms = sorted(shared, key=lambda name: (rankings[first][name], name))
    ranks = np.array([[rankings[label][name] for name in algorithms] for label in labels], dtype=np.float64)
    reference_index = labels.index(first)
    winners = {
        label: [name for name, algorithm_rank in zip(algorithms, row, strict=True) if algorithm_rank == row.min()]
        for label, row in zip(labels, ranks, strict=True)
    }
    others = [label for label in labels if label != first]
    keeps_winner = [set(winners[first]) <= set(winners[label]) for label in others]
    crowned = sorted({name for label in others for name in winners[label]} - set(winners[first]))
    change = np.abs(ranks - ranks[reference_index])
    where = np.unravel_index(int(change.argmax()), change.shape)
    return {
        "reference": first,
        "labels": labels,
        "algorithms": algorithms,
        "ranks": [[_plain(algorithm_rank) for algorithm_rank in row] for row in ranks],
        "tau": [[_plain(value) for value in kendall_tau_b(row, ranks)] for row in ranks],
        "winners": winners,
        "winner_kept": sum(keeps_winner) / len(keeps_winner) if keeps_winner else None,
        "other_winners": crowned,
        "largest_change": {
            "algorithm": algorithms[int(where[1])],
            "label": labels[int(where[0])],
            "from": _plain(ranks[reference_index][where[1]]),
            "to": _plain(ranks[where]),
        },
    }


def alternative_schemes(registered: RankingScheme) -> dict[str, RankingScheme]:
    """The registered scheme and the five that are usually compared, all else being as registered.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> scheme = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}).rankings[0]
    >>> list(alternative_schemes(scheme))
    ['mean, then rank', 'median, then rank', 'rank, then mean', 'rank, then median', 'significance tests']
    """
    steps = registered.combine and tuple(
        _reranked(step) if index == 0 else step for index, step in enumerate(registered.combine)
    )
    plain = replace(registered, combine=steps, alpha=0.05, adjust="none", options={})
    schemes = {
        label: replace(plain, scheme=scheme.id, **settings)
        for scheme in all_schemes()
        for label, settings in scheme.usual_forms().items()
    }
    if not any(_same_rule(registered, scheme) for scheme in schemes.values()):
        schemes = {REGISTERED: registered, **schemes}
    return schemes


def without_pairwise(schemes: Mapping[str, RankingScheme]) -> dict[str, RankingScheme]:
    """Leave out the schemes that compare every pair of algorithms, whose cost grows with the square of their number."""
    return {label: scheme for label, scheme in schemes.items() if not get_scheme(scheme.scheme).compares_pairs}


def across_schemes(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    schemes: Mapping[str, RankingScheme] | None = None,
    name: str | None = None,
) -> list[dict[str, Any]]:
    """Would another scheme have crowned someone else? Every table and the overall ranking under each scheme.

    Parameters
    ----------
    assessment, results, cases
        As for `rank`.
    schemes
        By label; `alternative_schemes` of the registered one if ``None``.
    name
        Which of several registered rankings to vary; the first one if ``None``.

    Returns
    -------
    list of dict
        One comparison (see `compare`) a metric, region and task, named by these keys, and one for the overall ranking.
    """
    registered = next(scheme for scheme in assessment.rankings if name is None or scheme.name == name)
    checked = weighted_results(assessment, check_results(results), results)
    tables = [
        table
        for table in build_tables(assessment, checked, metrics=registered.metrics, regions=registered.regions)
        if not table.per_dataset
    ]
    if not tables:
        message = "the metrics give one value for all cases together: there are no other schemes to compare"
        raise ResultsError(message)
    chosen = alternative_schemes(registered) if schemes is None else schemes
    plans = {
        task: _on_all_cases(make_plan(assessment, task_cases, cases, bootstrap=0, seed=1))
        for task, task_cases in {table.task: table.cases for table in tables}.items()
    }
    by_label = {
        label: [evaluate(table, plans[table.task], scheme, assessment) for table in tables]
        for label, scheme in chosen.items()
    }
    reference = next(label for label, scheme in chosen.items() if _same_rule(registered, scheme))
    comparisons = []
    for index, table in enumerate(tables):
        rankings = {
            label: dict(zip(table.algorithms, evaluated[index].ranked.ranks[0], strict=True))
            for label, evaluated in by_label.items()
        }
        key = {"metric": table.metric.name, "region": table.region, "task": table.task}
        comparisons.append({**key, **compare(rankings, reference)})
    overall = {label: _overall_ranks(by_label[label], scheme, assessment) for label, scheme in chosen.items()}
    ranked = {label: ranks for label, ranks in overall.items() if ranks}
    if reference in ranked:
        comparisons.append({"overall": True, **compare(ranked, reference)})
    return comparisons


def _on_all_cases(plan: Plan) -> Plan:
    """The same without samples: only the ranks on all cases are compared."""
    return replace(plan, bootstrap=0, left_out=0, drawn=plan.design.full())


def across_rankings(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Compare the rankings of single metrics, regions and tasks in a document with one another; ``None`` for one."""
    rankings = {}
    for entry in document["rankings"]:
        keys = ("name", "task", "metric", "region")
        label = ", ".join(str(entry[key]) for key in keys if entry.get(key))
        rankings[label] = {a["name"]: a["rank"] for a in entry["algorithms"]}
    if len(rankings) < 2:
        return None
    overall = document.get("overall")
    reference = None
    if isinstance(overall, dict):
        reference = "overall"
        rankings = {"overall": {a["name"]: a["rank"] for a in overall["algorithms"]}, **rankings}
    return compare(rankings, reference)


def by_column(
    assessment: Assessment,
    results: pd.DataFrame,
    cases: pd.DataFrame,
    column: str,
    *,
    evidence: Evidence | None = None,
    bootstrap: int | None = None,
) -> dict[str, Any]:
    """Rank every subgroup or site on its own, by a column of the case table.

    These rankings are exploratory: they name no winner and state no significance.

    Parameters
    ----------
    evidence
        What data-set-level metrics are made of, case by case: their values are recomputed from the cases of each group, and
        resampled as on all cases. Metrics whose evidence is not stored have no values in groups.

    Returns
    -------
    dict
        ``column``, the ranking ``documents`` of each value, their ``comparison`` with the ranking on all cases, in
        ``unranked`` by value the reason of groups that cannot be ranked, and in ``undefined`` by value the data-set-level
        metrics that no algorithm has on the cases of the group: metric, region and outcome.

    Raises
    ------
    ResultsError
        If no group can be ranked.
    """
    checked = check_results(results)
    if LEVEL in results.columns:
        checked[LEVEL] = results[LEVEL].to_numpy()
    names = sorted(set(checked["case"]) - {""})
    stored = {metric for metric in checked["metric"].unique() if recomputable(str(metric), evidence)}
    checked = checked[(checked["case"] != "") | checked["metric"].isin(stored)].reset_index(drop=True)
    if not names and evidence is not None and not checked.empty:
        listed = set(cases["case"].astype(str))
        names = [case for case in evidence.cases if case in listed]
    values = metadata_column(cases, names, column)
    group = dict(zip(names, map(str, values), strict=True))

    exploratory = _exploratory(assessment)
    documents: dict[str, dict[str, Any]] = {}
    unranked: dict[str, str] = {}
    undefined: dict[str, list[tuple[str, str, str]]] = {}
    for value in sorted(set(group.values())):
        chosen = {case for case in names if group[case] == value}
        try:
            part, pieces = of_cases(assessment, checked, chosen, cases=cases, evidence=evidence)
            absent = sorted(_regions_of_data_set(checked) - _regions_of_data_set(part))
            if absent:
                unranked[value] = f"it has no case of the data set {', '.join(absent)}"
                continue
            if undefined_rows := _undefined_for_all(part):
                undefined[value] = undefined_rows
            documents[value] = rank(exploratory, part, cases=cases, evidence=pieces, bootstrap=bootstrap)
        except ResultsError as error:
            unranked[value] = str(error)
    if not documents:
        message = next(iter(unranked.values()), f"no case has a value in the column {column!r}")
        raise ResultsError(message)
    part, pieces = of_cases(assessment, checked, set(names), cases=cases, evidence=evidence)
    whole = rank(assessment, part, cases=cases, evidence=pieces, bootstrap=0)
    return {
        "column": column,
        "documents": documents,
        "unranked": unranked,
        "undefined": undefined,
        "comparison": compare_documents({"all cases": whole, **documents}),
    }


def _exploratory(assessment: Assessment) -> Assessment:
    """Return the assessment with exploratory rankings, as those of groups of cases are."""
    return replace(assessment, rankings=tuple(replace(one, role=EXPLORATORY) for one in assessment.rankings))


def _regions_of_data_set(results: pd.DataFrame) -> set[str]:
    """Return the regions that have values of the whole data set."""
    return set(results.loc[results["case"] == "", "region"].astype(str))


def _undefined_for_all(results: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return metric, region and outcome of the values of the whole data set that are undefined for every algorithm."""
    whole = results[(results["case"] == "") & (results["outcome"].astype(str) != Outcome.MISSING)]
    undefined_rows = []
    for (metric, region), rows in whole.groupby(["metric", "region"], observed=True):
        outcomes = set(rows["outcome"].astype(str))
        if Outcome.OK not in outcomes:
            undefined_rows.append((str(metric), str(region), min(outcomes)))
    return undefined_rows


def compare_documents(documents: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Compare ranking documents with the first one: their overall rankings, and those of every metric and region."""
    first = next(iter(documents.values()))
    comparisons = []
    for entry in first["rankings"]:
        key = {name: entry.get(name) for name in ("name", "metric", "region", "task")}
        rankings = {
            label: {a["name"]: a["rank"] for a in other["algorithms"]}
            for label, document in documents.items()
            for other in document["rankings"]
            if all(other.get(name) == value for name, value in key.items())
        }
        comparisons.append({**key, **compare(rankings)})
    if isinstance(first.get("overall"), dict):
        rankings = {
            label: {a["name"]: a["rank"] for a in document["overall"]["algorithms"]}
            for label, document in documents.items()
        }
        comparisons.append({"overall": True, **compare(rankings)})
    return comparisons


def _overall_ranks(
    evaluated: Sequence[Evaluated], scheme: RankingScheme, assessment: Assessment
) -> dict[str, float] | None:
    """Ranks over all tables, if the steps leave exactly one ranking."""
    if not scheme.combine:
        return None
    names = evaluated[0].table.algorithms
    if any(item.table.algorithms != names for item in evaluated):
        return None
    combined = combine(parts_of(evaluated, scheme, assessment), scheme.combine, scheme.missing_rank)
    return dict(zip(names, combined[0].ranks[0], strict=True)) if len(combined) == 1 else None


def _reranked(step: Step) -> Step:
    return replace(step, rerank=True)


def _same_rule(first: RankingScheme, second: RankingScheme) -> bool:
    """Return whether two schemes rank in the same way, regardless of their names and selections."""
    ignored = {"name", "metrics", "regions"}
    one, other = ({k: v for k, v in scheme_document(s).items() if k not in ignored} for s in (first, second))
    return one == other


def _plain(value: float) -> float | int | None:
    if np.isnan(value):
        return None
    return int(value) if float(value).is_integer() else float(value)
