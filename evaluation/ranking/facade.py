"""The stable entry point for notebooks and checks: a document in, a data frame in, a document out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.assessment import parse
from evaluation.ranking.document import rank as rank_parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd


def rank(
    assessment: Mapping[str, Any],
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    evidence: Any = None,
    bootstrap: int | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """Rank the algorithms of a results table, with the certainty of every statement.

    Parameters
    ----------
    assessment
        An assessment document.
    results
        A results table: ``algorithm``, ``case``, ``region``, ``metric``, ``value``, ``outcome``; for an assessment of a
        ``table`` at least ``algorithm``, ``case`` and ``value``. The order of its rows does not matter.
    cases
        Case metadata, one row a case; needed if levels, resampling or combination name its columns.
    evidence
        What data-set-level metrics are made of, case by case: a file, several, or an `Evidence`.
    bootstrap, seed
        In place of those of the assessment.

    Returns
    -------
    dict
        The ranking document, schema 3, ready for JSON.

    Raises
    ------
    ValueError
        For an assessment or a table that cannot be used; one line that names place, value and remedy.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("aaaaaabbbbbb"), "case": list("123456") * 2})
    >>> table["value"] = [0.9, 0.91, 0.92, 0.9, 0.88, 0.93, 0.8, 0.81, 0.83, 0.79, 0.8, 0.84]
    >>> document = rank({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}, table)
    >>> document["rankings"][0]["winner"]["algorithm"], document["rankings"][0]["verdict"]
    ('a', 'significant')
    """
    return rank_parsed(parse(assessment), results, cases=cases, evidence=evidence, bootstrap=bootstrap, seed=seed)
