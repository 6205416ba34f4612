"""Summary that one site computes and sends: sums over its units, never a value of a case.

``docs/sites.md`` describes which numbers may leave and why. Resamples made here use the operating system's randomness
and are not stored: with a known seed, every case could be reconstructed from them.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import Table, build_tables, check_results, metadata_column
from evaluation.assessment.exclusions import GRADES
from evaluation.federation.display import displayed
from evaluation.federation.errors import FederationError
from evaluation.federation.schemas import MOST_ALGORITHMS, MOST_CELLS, SITE_NAME
from evaluation.federation.scheme import (
    DISCLOSURES,
    SiteScheme,
    at_a_site,
    decimals_of,
    inner_levels,
    site_schemes,
    unit_level,
)
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of
from evaluation.ranking.combination import combine
from evaluation.ranking.counted import counted_results
from evaluation.ranking.evaluate import evaluate, make_plan
from evaluation.ranking.hierarchy import unit_values
from evaluation.ranking.parts import parts_of
from evaluation.ranking.schemes.rank_then_aggregate import case_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Plan

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
SCHEMA: Final = "podium.site-summary/1"
MINIMUM: Final = 10
REPLICATES: Final = 1000
_FEWEST_MINIMUM: Final = 2
_FREE: Final = 10
"""Number of units required beyond the numbers of a case before a full covariance leaves the site."""
_DIGITS: Final = "%.6g"


def summarise(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    site: str,
    cases: pd.DataFrame | None = None,
    site_column: str = "site",
    disclosure: str = "moments",
    minimum: int = MINIMUM,
    replicates: int = REPLICATES,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Make the summary of one site: the only document with numbers that leaves it.

    Parameters
    ----------
    assessment
        The registered assessment.
    results
        Results table of this site with all algorithms.
    site
        Name of the site; text, even if it looks like a number.
    cases
        Case metadata; needed for patients and quality grades. If it has `site_column`, every case must belong to
        `site`.
    disclosure
        ``places``, ``means`` or ``moments``: the amount of information that may leave.
    minimum
        The fewest units of a site. Below `MINIMUM`, the summary is marked as a test.
    replicates
        Number of resamples of the site's score, if the site ranks by itself. They are made without a seed and not
        stored.

    Returns
    -------
    dict
        A document of form `evaluation.federation.schemas.SUMMARY`.

    Raises
    ------
    FederationError, ResultsError
        With one line that states which input cannot be used. A refusal for small numbers contains nothing of the
        results.
    """
    _check_arguments(site, disclosure, minimum, replicates)
    schemes = site_schemes(assessment, site_column)
    metadata = None if cases is None else _own_cases(cases, site, site_column)
    checked = check_results(results)
    names = sorted({str(case) for case in checked["case"]} - {""})
    if metadata is not None:
        unknown = next((name for name in names if name not in set(metadata["case"])), None)
        if unknown is not None:
            message = f"case {unknown!r} stands in the results of site {site}, but not in its case table"
            raise FederationError(message)
    counted = counted_results(assessment, checked, cases=metadata)
    usable = check_results(counted.results) if counted.excluded else counted.results
    usable_cases = sorted({str(case) for case in usable["case"]} - {""})
    units = _number_of_units(assessment, usable_cases, metadata, site_column)
    if units < minimum:
        message = f"site {site} has fewer than the minimum of {minimum} units"
        raise FederationError(message)
    algorithms = tuple(sorted({str(name) for name in usable["algorithm"]}))
    if not 2 <= len(algorithms) <= MOST_ALGORITHMS:
        message = f"the results name {len(algorithms)} algorithms; 2 to {MOST_ALGORITHMS} can be ranked"
        raise FederationError(message)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "assessment": assessment.digest,
        "site": site,
        "units": units,
        "minimum": minimum,
        "disclosure": disclosure,
        "algorithms": list(algorithms),
        "rankings": [],
    }
    for index, scheme in enumerate(schemes):
        work = _AtSite(assessment, scheme, usable, metadata, site_column, disclosure)
        document["rankings"].append(work.document(replicates, minimum))
        if progress is not None:
            progress(index + 1, len(schemes))
    if assessment.exclusions.grade_column:
        document["grades"] = _grades(assessment.exclusions.grade_column, metadata, names)
    if minimum < MINIMUM:
        document["test"] = True
    return document


class _AtSite:
    """One ranking at one site."""

    def __init__(
        self,
        assessment: Assessment,
        scheme: SiteScheme,
        results: pd.DataFrame,
        metadata: pd.DataFrame | None,
        site_column: str,
        disclosure: str,
    ) -> None:
        self.scheme, self.disclosure = scheme, disclosure
        self.local = at_a_site(assessment, scheme, site_column)
        self.registered: RankingScheme = self.local.rankings[0]
        self.results, self.metadata = results, metadata
        tables = build_tables(self.local, results, metrics=self.registered.metrics, regions=self.registered.regions)
        if len({table.task for table in tables}) > 1:
            message = "the results hold several tasks; a summary is made for one"
            raise FederationError(message)
        if len(tables) > MOST_CELLS:
            message = f"there are {len(tables)} pairs of metric and region; a summary takes {MOST_CELLS}"
            raise FederationError(message)
        self.whole = [_whole_numbers(table) for table in tables]
        self.tables = [_on_grid(table, whole) for table, whole in zip(tables, self.whole, strict=True)]

    def document(self, replicates: int, minimum: int) -> dict[str, Any]:
        """The element of ``rankings``."""
        needed = self.scheme.kind == "sums"
        if needed and self.disclosure == "places":
            message = 'this ranking is made from sums: disclosure "places" is not enough, "means" is the least'
            raise FederationError(message)
        resamples = replicates if self.scheme.kind == "places" else 0
        plan = make_plan(
            self.local, self.tables[0].cases, self.metadata, bootstrap=resamples, seed=secrets.randbits(128)
        )
        cells, numbers = [], []
        for table, whole in zip(self.tables, self.whole, strict=True):
            cell, summands = self._cell(table, whole, plan, minimum)
            cells.append(cell)
            numbers.append(summands)
        entry: dict[str, Any] = {"name": self.registered.name, "kind": self.scheme.kind, "cells": cells}
        if self.scheme.kind == "places":
            entry |= self._places(plan, cells)
        elif self.disclosure == "moments":
            entry["covariance"] = covariance(np.hstack([x for x in numbers if x is not None]))
        return entry

    def _cell(
        self, table: Table, whole: FloatArray, plan: Plan, minimum: int
    ) -> tuple[dict[str, Any], FloatArray | None]:
        gone = _missing(table, self.results, one_metric=kind_of(self.local).metrics.is_single_metric)
        units_gone = gone if plan.hierarchy is None else _by_unit(gone.astype(float), plan, self.local) > 0
        cell: dict[str, Any] = {
            "metric": table.metric.name,
            "region": table.region,
            "task": table.task,
            "missing": units_gone.sum(axis=0).tolist(),
        }
        if self.disclosure == "places":
            return cell, None
        summands = None
        if self.scheme.sums_exist and not (self.scheme.ranks_cases and plan.hierarchy is not None):
            summands, scale = self._summed(table, whole, plan)
            present = ~np.isnan(summands)
            sums = [
                int(column[is_present].sum())
                for column, is_present in zip((summands * scale).T, present.T, strict=True)
            ]
            cell |= {"n": present.sum(axis=0).tolist(), "scale": scale, "sum": sums}
            summands = summands if self.scheme.ranks_cases else np.rint(summands * scale) / scale
        values = np.where(gone, np.nan, table.values)
        values = values if plan.hierarchy is None else _by_unit(values, plan, self.local)
        cell |= displayed(
            values, higher_is_better=table.metric.higher_is_better, minimum=minimum, share=table.metric.unit is None
        )
        return cell, summands

    def _summed(self, table: Table, whole: FloatArray, plan: Plan) -> tuple[FloatArray, int]:
        """Return the summands, units × algorithms in the unit of the score, and their scale factor.

        The scale factor is the whole number by which the summands are multiplied.
        """
        if self.scheme.ranks_cases:
            ranks = case_ranks(
                table.values, table.last_rank, self.registered, higher_is_better=table.metric.higher_is_better
            )
            halves = bool((np.rint(ranks[~np.isnan(ranks)]) != ranks[~np.isnan(ranks)]).any())
            return ranks, 2 if halves else 1
        scale = 10 ** decimals_of(table.metric)
        if plan.hierarchy is None:
            return whole / scale, scale
        return np.rint(_by_unit(table.values, plan, self.local) * scale) / scale, scale

    def _places(self, plan: Plan, cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
        evaluated = [evaluate(table, plan, self.registered, self.local) for table in self.tables]
        for cell, item in zip(cells, evaluated, strict=True):
            if self.disclosure != "places":
                cell["place"] = item.ranked.ranks[0].tolist()
        combined = combine(
            parts_of(evaluated, self.registered, self.local), self.scheme.inner, self.registered.missing_rank
        )
        if len(combined) != 1:
            message = "the steps inside a site have to lead to one score of the site: combine metrics and regions"
            raise FederationError(message)
        scores = combined[0].scores
        drawn = Counter(tuple(row) for row in scores[1 : 1 + plan.bootstrap].tolist())
        return {
            "site_score": scores[0].tolist(),
            "replicates": None
            if plan.bootstrap == 0
            else {"number": plan.bootstrap, "rows": [[count, list(row)] for row, count in sorted(drawn.items())]},
        }


def covariance(rows: FloatArray) -> dict[str, Any]:
    """Return the covariance of the units with divisor n; in full only if there are enough units for privacy.

    Parameters
    ----------
    rows
        Units × numbers; not a number if a unit is excluded from a number.

    Returns
    -------
    dict
        ``kind`` ``full`` with the lower triangle if there are at least ten units more than numbers, else ``variances``.

    Examples
    --------
    >>> import numpy as np
    >>> covariance(np.array([[0.9], [0.8], [0.7], [0.8]]))
    {'kind': 'variances', 'divisor': 4, 'variances': [0.005]}
    """
    number, width = rows.shape
    is_present = ~np.isnan(rows)
    counts = is_present.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means = np.where(is_present, rows, 0.0).sum(axis=0) / counts
        deviations = np.where(is_present, (rows - means) * (number / np.maximum(counts, 1)), 0.0)
    deviations -= deviations.mean(axis=0)
    products = deviations.T @ deviations / number
    if number >= width + _FREE:
        triangle = [[float(_DIGITS % value) for value in row[: index + 1]] for index, row in enumerate(products)]
        return {"kind": "full", "divisor": number, "rows": triangle}
    return {
        "kind": "variances",
        "divisor": number,
        "variances": [float(_DIGITS % value) for value in np.diag(products)],
    }


def _whole_numbers(table: Table) -> FloatArray:
    """The values as whole numbers on their grid; not a number where there is none."""
    if np.isinf(table.values).any():
        message = f"metric {table.metric.name!r} has an infinite value: register what it counts as"
        raise FederationError(message)
    values: FloatArray = table.values  # noqa: PD011  (no data frame)
    whole: FloatArray = np.rint(values * 10 ** decimals_of(table.metric))
    if np.nanmax(np.abs(whole), initial=0.0) * len(whole) >= 2.0**53:
        message = f"values of metric {table.metric.name!r} are too large to be summed exactly"
        raise FederationError(message)
    return whole


def _on_grid(table: Table, whole: FloatArray) -> Table:
    return replace(table, values=whole / 10 ** decimals_of(table.metric))


def _missing(table: Table, results: pd.DataFrame, *, one_metric: bool) -> BoolArray:
    """Return a mask of missing usable predictions, cases × algorithms."""
    rows = results
    if not one_metric:
        region = results["region"].astype(str) == (table.region or "")
        rows = results[(results["metric"].astype(str) == table.metric.name) & region]
    case = {name: index for index, name in enumerate(table.cases)}
    algorithm = {name: index for index, name in enumerate(table.algorithms)}
    gone = np.ones((len(case), len(algorithm)), dtype=bool)
    is_predicted = rows["outcome"].astype(str).to_numpy() != Outcome.MISSING.value
    own_cases = rows["case"].astype(str).map(case).to_numpy()[is_predicted]
    gone[own_cases, rows["algorithm"].astype(str).map(algorithm).to_numpy()[is_predicted]] = False
    return gone


def _by_unit(values: FloatArray, plan: Plan, local: Assessment) -> FloatArray:
    assert plan.hierarchy is not None
    operator = local.aggregation.operator
    return unit_values(values, plan.full, plan.hierarchy, operator, higher_is_better=True)[0]


def _number_of_units(
    assessment: Assessment, names: Sequence[str], metadata: pd.DataFrame | None, site_column: str
) -> int:
    level = unit_level(assessment, site_column)
    if level == "case":
        return len(names)
    outer = [metadata_column(metadata, names, name) for name in inner_levels(assessment, site_column)[1:]]
    return len({tuple(map(str, row)) for row in zip(*outer, strict=True)})


def _own_cases(cases: pd.DataFrame, site: str, site_column: str) -> pd.DataFrame:
    if "case" not in cases.columns:
        message = "the case table has no column 'case'"
        raise FederationError(message)
    site_cases = cases.assign(case=cases["case"].astype(str))
    if site_column in site_cases.columns:
        foreign = site_cases[site_cases[site_column].astype(str) != site]
        if len(foreign):
            row = foreign.iloc[0]
            message = (
                f"case {row['case']!r} of the case table is of site {str(row[site_column])!r}, not of {site!r}: "
                "give the cases of this site alone"
            )
            raise FederationError(message)
    return site_cases


def _grades(column: str, metadata: pd.DataFrame | None, names: Sequence[str]) -> dict[str, int]:
    counts = Counter(str(grade) for grade in metadata_column(metadata, names, column))
    return {grade: counts[grade] for grade in GRADES}


def _check_arguments(site: str, disclosure: str, minimum: int, replicates: int) -> None:
    if not re.fullmatch(SITE_NAME, site):
        message = f"{site!r} is no name of a site: 1 to 64 letters, digits, dots, underscores or hyphens"
        raise FederationError(message)
    if disclosure not in DISCLOSURES:
        message = f"disclosure {disclosure!r} is none of {', '.join(DISCLOSURES)}"
        raise FederationError(message)
    if minimum < _FEWEST_MINIMUM:
        message = f"a minimum of {minimum} units would let a single case out"
        raise FederationError(message)
    if not 200 <= replicates <= 10_000:
        message = f"{replicates} replicates: 200 to 10000 are allowed"
        raise FederationError(message)
