"""Baselines: methods of the organizers that are compared with the ranked teams and have no rank."""

from collections.abc import Mapping
from typing import Any

from evaluation.analyses.catalogue import orders_of
from evaluation.assessment import Assessment
from evaluation.ranking.schemes import get_scheme


def compared(
    document: Mapping[str, Any], table: Mapping[str, Any], name: str, assessment: Assessment
) -> dict[str, dict[str, Any]]:
    """Return how the ranked teams compare with a baseline, by order.

    Parameters
    ----------
    document
        Ranking document of the ranked teams and the baseline together. Their ranks are not those of the ranking.
    table
        The table of this document (`evaluation.boards.build`).
    name
        Name of the baseline in both.
    assessment
        The assessment of the ranking.

    Returns
    -------
    dict
        By key of the order: ``score``, ``low`` and ``high`` of the baseline, None if undefined or if scores depend on
        the other teams, such as mean ranks. ``decimals`` for them. ``of``: number of ranked teams, ``better`` and ``worse``: names of the teams that are significantly better or worse than the
        baseline. Both are None if pairs are not compared.

    Notes
    -----
    The registered error holds for all pairs of the teams and this baseline together.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation import boards
    >>> from evaluation.assessment import parse
    >>> from evaluation.ranking import rank
    >>> results = pd.DataFrame({"algorithm": list("aaaaaabbbbbb"), "case": list("123456") * 2})
    >>> results["value"] = [0.9, 0.91, 0.92, 0.9, 0.88, 0.93, 0.8, 0.81, 0.83, 0.79, 0.8, 0.84]
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    >>> document = rank(assessment, results)
    >>> compared(document, boards.build(document, assessment), "b", assessment)["value"]["better"]
    ['a']
    """
    position = list(table["teams"]).index(name)
    schemes = {ranking.name: get_scheme(ranking.scheme) for ranking in assessment.rankings}
    comparison = {}
    for order, entry in orders_of(document, table):
        # Combinations have no metric; their scores are ranks.
        scheme = schemes.get(order["ranking"]) if order["metric"] is not None else None
        is_own = scheme is not None and (scheme.aggregates_values or scheme.one_value)
        comparison[order["key"]] = {
            **{
                column: order[field][position] if is_own else None
                for column, field in (("score", "score"), ("low", "score_low"), ("high", "score_high"))
            },
            "decimals": order["decimals"],
            "of": len(table["teams"]) - 1,
            **_significant(entry, name),
        }
    return comparison


def _significant(entry: Mapping[str, Any], name: str) -> dict[str, list[str] | None]:
    names = [algorithm["name"] for algorithm in entry["algorithms"]]
    matrix = entry.get("shown_better")
    if matrix is None:
        return {"better": None, "worse": None}
    baseline = names.index(name)
    return {
        "better": sorted(other for other, row in zip(names, matrix, strict=True) if row[baseline]),
        "worse": sorted(other for other, is_worse in zip(names, matrix[baseline], strict=True) if is_worse),
    }
