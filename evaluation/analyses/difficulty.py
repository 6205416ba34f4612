"""Causes of difficult cases.

A model explains values, or hits in trials, by characteristics of cases, with the registered units as random effects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from evaluation.problems import kind_of
from evaluation.ranking.characteristics import Characteristic, explaining_columns
from evaluation.ranking.mixed_model import NoFitError, strengths_and_weaknesses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.scoring.evidence import Evidence

MOST_EXPLAINING: Final = 8
"""Maximum number of characteristics that explain values at once: the first in `cases.csv`."""
FEWEST_CASES: Final = 10
"""Minimum number by which the cases of a model must exceed its characteristics."""
MOST_ALGORITHMS: Final = 40
MOST_ROWS: Final = 6_000
"""A mixed model of more values takes minutes."""
MOST_VALUES_NESTED: Final = 2_000


@dataclass(frozen=True)
class Difficulty:
    """Possible causes of difficult cases.

    Attributes
    ----------
    known
        Characteristics of cases, each with its kind (`evaluation.ranking.characteristics.characteristics_of`).
    """

    assessment: Assessment
    known: Sequence[Characteristic]

    def explaining(self, cases: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
        """Return characteristics that may explain values of cases, and reasons for the excluded ones.

        Registered units are random effects and explain nothing.
        """
        units = set(self.assessment.aggregation.random)
        names = [str(case) for case in cases]
        table, left_out = explaining_columns([entry for entry in self.known if entry.name not in units], names)
        beyond = [
            f"{title} is left out: a model has at most {MOST_EXPLAINING}" for title in table.columns[MOST_EXPLAINING:]
        ]
        return table[table.columns[:MOST_EXPLAINING]], [*left_out, *beyond]

    def units(self, cases: Sequence[str], *, algorithms: int) -> list[str]:
        """Random effects from the outside in: the registered units above the case that have several cases, and the case.

        Of many values the outermost unit alone: it is what makes values alike, and a nested fit would take minutes.
        """
        by_name = {entry.name: entry.by_case.reindex([str(case) for case in cases]) for entry in self.known}
        above = [level for level in reversed(self.assessment.aggregation.random) if level in by_name]
        above = [level for level in above if 1 < by_name[level].nunique() < len(cases)]
        if above and len(cases) * algorithms > MOST_VALUES_NESTED:
            return above[:1]
        return [*above, "case"]

    def with_units(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of values with a column for each registered unit of its cases."""
        names = table["case"].astype(str)
        units = {entry.name: entry.by_case for entry in self.known if entry.name in self.assessment.aggregation.random}
        return table.assign(**{name: names.map(values.to_dict()).to_numpy() for name, values in units.items()})

    def analysis(self, data: pd.DataFrame) -> tuple[dict[str, Any], list[str]]:
        """Fit the model to `values_of` or `hits_of`.

        Returns
        -------
        dict
            From `strengths_and_weaknesses`.
        list of str
            Excluded characteristics, with the reason.

        Raises
        ------
        NoFitError
            If no characteristic is usable, there are too few cases or too many values, or effects cannot be
            estimated.
        """
        cases = list(dict.fromkeys(data["case"]))
        characteristics, left_out = self.explaining(cases)
        names = list(characteristics.columns)
        algorithms = data["algorithm"].nunique()
        if not names:
            raise NoFitError("; ".join(["nothing is known of the cases that may explain values", *left_out]))
        if len(cases) < FEWEST_CASES + len(names):
            message = f"{len(cases)} cases are too few for {len(names)} characteristics"
            raise NoFitError(message)
        if algorithms > MOST_ALGORITHMS or len(data) > MOST_ROWS:
            message = f"{len(data):,} values of {algorithms} algorithms are more than a mixed model is fitted to ({MOST_ROWS:,}, {MOST_ALGORITHMS})"
            raise NoFitError(message)
        table = self.with_units(data.merge(characteristics, left_on="case", right_index=True))
        settings: dict[str, Any] = {
            "characteristics": names,
            "random": self.units(cases, algorithms=algorithms),
        }
        if "hits" in data:
            return strengths_and_weaknesses(table, value=None, hits="hits", trials="trials", **settings), left_out
        values = data["value"].dropna()
        # Where lower is better, values come with their sign turned, and lie below 0.
        bounded = bool(values.between(0, 1).all()) and values.max() > 0
        return strengths_and_weaknesses(table, transform="logit" if bounded else "none", **settings), left_out


def values_of(raw: Mapping[str, Any]) -> pd.DataFrame:
    """One row a value of `raw_values`, higher being better: ``case``, ``algorithm``, ``value``."""
    sign = 1.0 if raw["direction"] == "higher" else -1.0
    rows = [
        {"case": str(case), "algorithm": name, "value": sign * value}
        for case, values in zip(raw["cases"], raw["values"], strict=True)
        for name, value in zip(raw["algorithms"], values, strict=True)
        if value is not None
    ]
    return pd.DataFrame(rows, columns=["case", "algorithm", "value"])


def hits_of(
    assessment: Assessment, evidence: Evidence | None, *, metric: str, region: str, excluded: Sequence[str] = ()
) -> pd.DataFrame | None:
    """Hits and trials of every algorithm and case, where a metric counts one in the other.

    Returns
    -------
    pandas.DataFrame or None
        ``case``, ``algorithm``, ``hits`` and ``trials``; cases without a trial are excluded. None where the
        metric does not count.
    """
    use = assessment.metric(metric)
    if evidence is None or use.level != "dataset" or use.name not in evidence.metrics:
        return None
    parts = []
    for name in evidence.algorithms:
        try:
            pieces = evidence.select(use.name, name, region)
        except KeyError:
            continue
        counts = kind_of(assessment).evidence.hits_and_trials(use, pieces)
        if counts is None:
            return None
        part = pd.DataFrame({"case": list(pieces.cases), "algorithm": name, "hits": counts[0], "trials": counts[1]})
        parts.append(part[(part["trials"] > 0) & ~part["case"].isin(list(excluded))])
    return pd.concat(parts, ignore_index=True) if len(parts) > 1 else None
