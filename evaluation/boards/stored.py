"""The ranking document in the shape of a page: what a leaderboard shows, small enough for a database row.

Lists run along `teams`, so that a page of two hundred teams stays small::

    {"cases": 45, "interval": 0.95, "teams": ["unet-a", …], "missing": [0, …], "identical": [["unet-a", "unet-a-largest"]],
     "submissions": [3, …], "handed_in": ["2026-03-01T12:00:00+00:00", …], "marks": [["organizer"], …],
     "orders": [{"key": "overall", "rank": [1, …], "set_low": [1, …], "set_high": [2, …], "letters": ["a", …],
                 "low": [1, …], "high": [2, …], "share": [0.93, …], "score": [1.5, …], …,
                 "winner": {"named": false, …}, "verdict": "open", "first_again": 0.6, "lead": {"over": "unet-b", …}, …}, …]}

Tables stored from documents of schema 2 have the verdict `clear` where a winner is named, and neither numbers about the lead
nor the level of differences.

`reported` holds metrics that no ranking uses, each with `value`, `low`, `high` and `with_value` (the cases that have one)
along the teams; tables that were stored before there were such have none. `costs` names the metrics that are costs of running,
where there are any.

An *order* is one way to sort the teams: overall, or by one metric and region. The first one is what the page opens with.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from evaluation.assessment.model import Assessment, RankingScheme
from evaluation.boards.effects import KEYS
from evaluation.claims.ranking import headline_of, letters_of, why_without_letters
from evaluation.ranking.reading import exact_end, overall, score_intervals_cover, score_range
from evaluation.ranking.schemes import DEFAULT, get_scheme
from evaluation.ranking.scores import operator_name

OVERALL = "overall"
COLUMNS: Final[Mapping[str, str]] = MappingProxyType({
    "rank": "rank",
    "set_low": "rank_set_low",
    "set_high": "rank_set_high",
    "within_reach": "within_reach",
    "letters": "letters",
    "low": "rank_low",
    "high": "rank_high",
    "share": "share_first",
    "score": "score",
    "score_low": "score_low",
    "score_high": "score_high",
    "score_bound": "score_bound",
    "difference": "difference_from_first",
    "difference_low": "difference_low",
    "difference_high": "difference_high",
    "difference_level": "difference_level",
    "difference_verdict": "difference_verdict",
    "failed": "failed",
    "failed_of": "failed_of",
    "failure_upper": "failure_rate_upper",
    "rank_after_failure": "rank_if_one_more_failed",
})  # fmt: skip
"""Values of an order for each team, with their names in files and programs."""
EFFECTS: Final = KEYS
CERTAINTY: Final = (
    "winner",
    "verdict",
    "first_again",
    *EFFECTS,
    "sets",
    "margin",
    "left_out",
    "sensitivity",
    "warnings",
)
"""Values of an order for all teams together, under the names of the ranking document.

Tables stored from documents of schema 2 lack those of `EFFECTS`.
"""


CONFIDENCE, RESAMPLING = "confidence", "resampling"
"""Kinds of score intervals: confidence intervals of all teams, or ranges of resamples of all teams."""
SHARED: Final = ("spent_level", "family")
"""Values of an order that exist where changes of the field or several rankings share the error."""


def build(
    document: Mapping[str, Any],
    assessment: Assessment,
    *,
    identical: Sequence[Sequence[str]] = (),
    entries: Mapping[str, Mapping[str, Any]] | None = None,
    length_unit: str = "mm",
) -> dict[str, Any]:
    """Convert a ranking document to the table of a leaderboard.

    Parameters
    ----------
    document
        Document returned by `evaluation.ranking.rank`.
    assessment
        Assessment by which it was ranked.
    identical
        Groups of teams with the same result in every case.
    entries
        For each team, information in addition to its scores: ``submissions`` (their number), ``handed_in`` (date
        of the submission that counts, ISO 8601), ``marks``, and ``outcomes`` (for an algorithm, reasons for
        missing predictions).
    length_unit
        Unit of distances, for images whose spacing is not known: ``pixels`` or ``voxels``.
    """
    rankings, combined = document["rankings"], overall(document)
    # Of cells that sites ranked themselves there are no scores over all sites: such a document has combined rankings alone.
    entries_of = [*rankings, *([] if rankings else combined)]
    teams = sorted({entry["name"] for ranking in entries_of for entry in ranking["algorithms"]})
    orders = [_combined_order(entry, teams, assessment, document, several=len(combined) > 1) for entry in combined]
    orders += [_single_order(entry, teams, assessment, document, length_unit) for entry in rankings]
    team_entries = [(entries or {}).get(team, {}) for team in teams]
    missing = dict.fromkeys(teams, 0)
    for ranking in entries_of:
        for entry in ranking["algorithms"]:
            missing[entry["name"]] = max(missing[entry["name"]], entry["missing"])
    return {
        "cases": max(ranking["cases"] for ranking in entries_of),
        "interval": assessment.uncertainty.interval,
        "teams": teams,
        "missing": list(missing.values()),
        "submissions": [entry.get("submissions") for entry in team_entries],
        "handed_in": [entry.get("handed_in") for entry in team_entries],
        "marks": [list(entry.get("marks", ())) for entry in team_entries],
        "outcomes": [entry.get("outcomes", "") for entry in team_entries],
        "identical": sorted(sorted(group) for group in identical),
        "orders": orders,
        "reported": [_reported(entry, teams, assessment, length_unit) for entry in document.get("reported", ())],
        **({"costs": list(document["costs"])} if document.get("costs") else {}),
    }


def _reported(entry: Mapping[str, Any], teams: list[str], assessment: Assessment, length_unit: str) -> dict[str, Any]:
    """A metric in a region that no ranking uses: its values along the teams, without ranks."""
    metric = assessment.metric(entry["metric"])
    title = metric.title
    by_name = {algorithm["name"]: algorithm for algorithm in entry["algorithms"]}
    values = [by_name.get(team, {}) for team in teams]
    intervals = [value.get("interval") or (None, None) for value in values]
    return {
        "key": "/".join(str(part) for part in (entry["task"], metric.name, entry["region"]) if part),
        "label": ", ".join(str(part) for part in (entry["task"], title, entry["region"]) if part),
        "metric": metric.name,
        "title": title,
        "region": entry["region"],
        "unit": length_unit if metric.unit == "mm" else metric.unit,
        "decimals": get_scheme(DEFAULT).score_decimals(metric.unit),
        "statistic": "value" if metric.level == "dataset" else "mean",
        "higher": metric.higher_is_better,
        "cases": entry["cases"],
        "value": [value.get("value") for value in values],
        "low": [low for low, _ in intervals],
        "high": [high for _, high in intervals],
        "with_value": [value.get("cases") for value in values],
    }


def _combined_order(
    entry: Mapping[str, Any],
    teams: list[str],
    assessment: Assessment,
    document: Mapping[str, Any],
    *,
    several: bool,
) -> dict[str, Any]:
    name = entry.get("name")
    parts = [str(entry[key]) for key in ("name", "task", "metric", "region") if entry.get(key)] if several else []
    step = (_scheme(assessment, name).combine or ())[-1]
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
        "score_interval_kind": RESAMPLING,
        **_certainty(entry, document),
        **_columns(entry, teams, covers=False),
    }


def _single_order(
    entry: Mapping[str, Any],
    teams: list[str],
    assessment: Assessment,
    document: Mapping[str, Any],
    length_unit: str,
) -> dict[str, Any]:
    metric = assessment.metric(entry["metric"])
    name, task, region = entry.get("name"), entry.get("task"), entry.get("region")
    scheme = _scheme(assessment, name)
    title = metric.title
    chosen = get_scheme(scheme.scheme)
    of_values = chosen.aggregates_values or chosen.one_value
    covers = score_intervals_cover(entry)
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
        "statistic": "value" if metric.level == "dataset" else _statistic(chosen.score_name(scheme), assessment),
        "higher": entry["score_direction"] == "higher",
        "score_interval_kind": CONFIDENCE if covers else RESAMPLING,
        **_certainty(entry, document),
        **_columns(entry, teams, covers=covers),
    }


def _statistic(words: str, assessment: Assessment) -> str:
    """Return the name of a score, which mentions weighting by level of interaction where it applies."""
    return f"{words}, weighted by level of interaction" if assessment.interaction_weights else words


def _scheme(assessment: Assessment, name: str | None) -> RankingScheme:
    return next(scheme for scheme in assessment.rankings if scheme.name == name)


def _columns(entry: Mapping[str, Any], teams: list[str], *, covers: bool) -> dict[str, list[Any]]:
    pairs = zip(entry["algorithms"], letters_of(entry), strict=True)
    by_name = {algorithm["name"]: {**algorithm, "letters": letters or None} for algorithm, letters in pairs}
    columns: dict[str, list[Any]] = {key: [] for key in COLUMNS}
    # A bound of the rate counts cases as independent.
    is_bounded = entry["winner"]["reason"] != "possible_clusters"
    for team in teams:
        values = _values(by_name.get(team, {}), covers=covers)
        if not is_bounded:
            values["failure_upper"] = None
        for key, column in columns.items():
            value = values[key]
            column.append(float(f"{value:.6g}") if isinstance(value, float) else value)
    return columns


def _values(algorithm: Mapping[str, Any], *, covers: bool) -> dict[str, Any]:
    """The values of one team by the names of the columns."""
    low, high = algorithm.get("rank_interval") or (None, None)
    set_low, set_high = algorithm.get("rank_set") or (None, None)
    score_low, score_high = score_range(algorithm, covers=covers) or (None, None)
    difference = algorithm.get("difference_from_first") or {}
    difference_low, difference_high = difference.get("interval") or (None, None)
    failure = algorithm.get("failure") or {}
    return {
        "rank": algorithm.get("rank"),
        "set_low": set_low,
        "set_high": set_high,
        "within_reach": algorithm.get("within_reach"),
        "letters": algorithm.get("letters"),
        "low": low,
        "high": high,
        "share": algorithm.get("share_first"),
        "score": algorithm.get("score"),
        "score_low": score_low,
        "score_high": score_high,
        # Also where the others have ranges of resamples: it is the only interval of this value.
        "score_bound": bound[1] if (bound := exact_end(algorithm)) else None,
        "difference": difference.get("estimate"),
        "difference_low": difference_low,
        "difference_high": difference_high,
        "difference_level": difference.get("level"),
        "difference_verdict": difference.get("verdict"),
        "failed": failure.get("failed"),
        "failed_of": failure.get("of"),
        "failure_upper": failure.get("upper"),
        "rank_after_failure": algorithm.get("rank_if_one_more_failed"),
    }


def _certainty(entry: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return statements about the order as a whole, from the ranking document.

    Of excluded teams, only the decisive facts are included.
    """
    sensitivity = entry["sensitivity"]
    return {
        "winner": dict(entry["winner"]),
        "verdict": entry["verdict"],
        "first_again": entry["first_again"],
        **{key: entry.get(key) for key in EFFECTS},
        **{key: entry[key] for key in SHARED if entry.get(key) is not None},
        "sets": dict(entry["sets"]),
        "margin": entry["margin"],
        "left_out": dict(entry["left_out"]),
        "left_out_note": why_without_letters(entry),
        "unit_of_draws": document["resampling"]["unit"],
        "sensitivity": {
            "teams": [
                {
                    "without": team["without"],
                    "winners": team["winners"],
                    "winner_changes": team["winner_changes"],
                    "reversed": len(team["reversed"]),
                }
                for team in sensitivity["teams"] or ()
            ],
            "head_to_head": sensitivity["head_to_head"],
            "duplicates": sensitivity["duplicates"],
            "without_duplicates": sensitivity["without_duplicates"],
        },
        "warnings": list(entry["warnings"]),
        "headline_so_far": headline_of(entry, document, closed=False),
    }
