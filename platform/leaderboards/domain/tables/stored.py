"""The ranking document in the shape of a page: what a leaderboard shows, small enough for a database row.

Lists run along `teams`, so that a page of two hundred teams stays small::

    {"cases": 45, "interval": 0.95, "teams": ["unet-a", …], "missing": [0, …], "identical": [["unet-a", "unet-a-largest"]],
     "submissions": [3, …], "handed_in": ["2026-03-01T12:00:00+00:00", …], "marks": [["organizer"], …],
     "orders": [{"key": "overall", "rank": [1, …], "low": [1, …], "high": [2, …], "letters": ["a", …],
                 "share": [0.93, …], "score": [1.5, …], "score_low": […], "score_high": […], …}, …]}

An *order* is one way to sort the teams: overall, or by one metric and region. The first one is what the page opens with.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation import catalogue
from evaluation.assessment import Assessment, MetricUse, RankingScheme
from evaluation.ranking.schemes import get_scheme
from evaluation.ranking.schemes.wording import operator_name

OVERALL = "overall"


def build(
    document: Mapping[str, Any],
    assessment: Assessment,
    *,
    identical: Sequence[Sequence[str]] = (),
    entries: Mapping[str, Mapping[str, Any]] | None = None,
    length_unit: str = "mm",
) -> dict[str, Any]:
    """Shape a ranking document.

    Parameters
    ----------
    document
        As `evaluation.ranking.rank` returns it.
    assessment
        What it was ranked by.
    identical
        Groups of teams with the same result in every case.
    entries
        For each team what is known beside its scores: ``submissions`` (how many it made), ``handed_in`` (when the one
        that counts came, ISO 8601) and ``marks``.
    length_unit
        What distances are measured in, for images whose spacing is not known: ``pixels`` or ``voxels``.
    """
    rankings, combined = document["rankings"], combined_rankings(document)
    teams = sorted({entry["name"] for ranking in rankings for entry in ranking["algorithms"]})
    orders = [_combined_order(entry, teams, assessment, several=len(combined) > 1) for entry in combined]
    orders += [_single_order(entry, teams, assessment, length_unit) for entry in rankings]
    known = [(entries or {}).get(team, {}) for team in teams]
    missing = dict.fromkeys(teams, 0)
    for ranking in rankings:
        for entry in ranking["algorithms"]:
            missing[entry["name"]] = max(missing[entry["name"]], entry["missing"])
    return {
        "cases": max(ranking["cases"] for ranking in rankings),
        "interval": assessment.uncertainty.interval,
        "teams": teams,
        "missing": list(missing.values()),
        "submissions": [entry.get("submissions") for entry in known],
        "handed_in": [entry.get("handed_in") for entry in known],
        "marks": [list(entry.get("marks", ())) for entry in known],
        "identical": sorted(sorted(group) for group in identical),
        "orders": orders,
    }


def combined_rankings(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the entries of `overall`, whatever their number."""
    overall = document["overall"]
    return overall if isinstance(overall, list) else [overall] if overall else []


def _combined_order(
    entry: Mapping[str, Any], teams: list[str], assessment: Assessment, *, several: bool
) -> dict[str, Any]:
    name = entry.get("name")
    parts = [str(entry[key]) for key in ("name", "task", "metric", "region") if entry.get(key)] if several else []
    step = _scheme(assessment, name).combine[-1]
    return {
        "key": "/".join([OVERALL, *parts]),
        "label": ", ".join(["Overall", *parts]),
        "ranking": name,
        "metric": None,
        "region": None,
        "task": entry.get("task"),
        "unit": None,
        "decimals": 2,
        "statistic": f"{operator_name(step.operator)} rank",
        "higher": False,
        "winner": dict(entry["winner"]),
        **_columns(entry, teams),
    }


def _single_order(
    entry: Mapping[str, Any], teams: list[str], assessment: Assessment, length_unit: str
) -> dict[str, Any]:
    metric = assessment.metric(entry["metric"])
    name, task, region = entry.get("name"), entry.get("task"), entry.get("region")
    scheme = _scheme(assessment, name)
    title = metric_title(metric)
    chosen = get_scheme(scheme.scheme)
    of_values = chosen.aggregates_values or chosen.one_value
    return {
        "key": "/".join(str(part) for part in (name, task, metric.name, region) if part),
        "label": ", ".join(str(part) for part in (name, task, title, region) if part),
        "ranking": name,
        "metric": metric.name,
        "title": title,
        "region": region,
        "task": task,
        "unit": (length_unit if metric.unit == "mm" else metric.unit) if of_values else None,
        "decimals": chosen.score_decimals(metric.unit),
        "statistic": "value" if metric.level == "dataset" else chosen.score_name(scheme),
        "higher": entry["score_direction"] == "higher",
        "winner": dict(entry["winner"]),
        **_columns(entry, teams),
    }


def _scheme(assessment: Assessment, name: str | None) -> RankingScheme:
    return next(scheme for scheme in assessment.rankings if scheme.name == name)


def metric_title(metric: MetricUse) -> str:
    """How a metric is called in the head of a table: its name in the assessment, or what the field calls it.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> use = parse({"schema": 1, "problem": "semantic_segmentation", "regions": [{"name": "all", "labels": [1]}],
    ...              "metrics": [{"id": "hausdorff_percentile", "options": {"percentile": 90}}]}).metrics[0]
    >>> metric_title(use)
    'HD90'
    """
    if metric.name != metric.id or metric.id == "value":
        return metric.name
    if metric.id == "hausdorff_percentile":
        return f"HD{metric.options['percentile']:g}"
    return catalogue.get(metric.id).abbreviation


def _columns(entry: Mapping[str, Any], teams: list[str]) -> dict[str, list[Any]]:
    by_name = {algorithm["name"]: algorithm for algorithm in entry["algorithms"]}
    columns: dict[str, list[Any]] = {
        key: []
        for key in (
            "rank",
            "low",
            "high",
            "set_low",
            "set_high",
            "within_reach",
            "letters",
            "share",
            "score",
            "score_low",
            "score_high",
        )
    }
    for team in teams:
        algorithm = by_name.get(team, {})
        low, high = algorithm.get("rank_interval") or (None, None)
        set_low, set_high = algorithm.get("rank_set") or (None, None)
        score_low, score_high = algorithm.get("score_interval") or (None, None)
        values = (
            algorithm.get("rank"),
            low,
            high,
            set_low,
            set_high,
            algorithm.get("within_reach"),
            algorithm.get("letters"),
            algorithm.get("share_first"),
            algorithm.get("score"),
            score_low,
            score_high,
        )
        for column, value in zip(columns.values(), values, strict=True):
            column.append(float(f"{value:.6g}") if isinstance(value, float) else value)
    return columns
