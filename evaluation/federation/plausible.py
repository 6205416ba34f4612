"""Plausibility checks: can the numbers of a summary be true together?

A signature proves the sender of the numbers, not their plausibility.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.federation.errors import Refusal
from evaluation.federation.reading import check_form
from evaluation.federation.schemas import SUMMARY
from evaluation.federation.scheme import DISCLOSURES, SiteScheme, decimals_of, site_schemes
from evaluation.ranking.scores import rank, snap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment, MetricUse

FloatArray = npt.NDArray[np.float64]
_SLACK: Final = 1e-5
"""Relative room for numbers that were sent with 6 digits."""


def check_summary(
    assessment: Assessment,
    summary: Mapping[str, Any],
    *,
    site_column: str = "site",
    minimum: int = 10,
    allow_test: bool = False,
) -> None:
    """Check form and plausibility of the summary of a site.

    Raises
    ------
    Refusal
        ``invalid``, ``old_assessment``, ``implausible`` or ``test``; names the number that cannot be.
    """
    check_form(summary, SUMMARY)
    site = summary["site"]
    if summary["assessment"] != assessment.digest:
        raise Refusal(
            "old_assessment",
            f"site {site} evaluated the assessment {summary['assessment'][:12]}…, this is {assessment.digest[:12]}…",
        )
    if summary.get("test") or summary["minimum"] < minimum:
        if not allow_test:
            raise Refusal(
                "test",
                f"the summary of site {site} was made with a minimum of {summary['minimum']} units, not {minimum}",
            )
    elif summary["units"] < minimum:
        raise Refusal("implausible", f"site {site} has fewer than the minimum of {minimum} units")
    if summary["units"] < summary["minimum"]:
        raise Refusal("implausible", f"site {site} has fewer units than its own minimum")
    if summary["algorithms"] != sorted(summary["algorithms"]):
        raise Refusal("invalid", f"the algorithms of site {site} are not in ascending order")
    schemes = site_schemes(assessment, site_column)
    if len(schemes) != len(summary["rankings"]):
        raise Refusal("invalid", f"site {site} sent {len(summary['rankings'])} rankings; {len(schemes)} are registered")
    for index, (scheme, ranking) in enumerate(zip(schemes, summary["rankings"], strict=True)):
        _Ranking(assessment, scheme, summary, ranking, f"site {site}: rankings[{index}]").check()


class _Ranking:
    """One ranking of a summary while it is checked."""

    def __init__(
        self,
        assessment: Assessment,
        scheme: SiteScheme,
        summary: Mapping[str, Any],
        ranking: Mapping[str, Any],
        at: str,
    ) -> None:
        self.assessment, self.scheme, self.ranking, self.at = assessment, scheme, ranking, at
        self.units: int = summary["units"]
        self.width = len(summary["algorithms"])
        self.disclosure: str = summary["disclosure"]

    def check(self) -> None:
        """Check name and kind, every cell, and the values next to the cells."""
        registered = self.scheme.registered
        if self.ranking["name"] != registered.name or self.ranking["kind"] != self.scheme.kind:
            raise Refusal(
                "invalid", f"{self.at} is not the registered ranking {registered.name!r} ({self.scheme.kind})"
            )
        names = registered.metrics or tuple(metric.name for metric in self.assessment.metrics)
        metric_names = [cell["metric"] for cell in self.ranking["cells"]]
        if list(dict.fromkeys(metric_names)) != [
            metric.name for metric in self.assessment.metrics if metric.name in names
        ]:
            raise Refusal("invalid", f"{self.at}.cells: the metrics are not the registered ones")
        places = [(cell["metric"], cell["region"], cell["task"]) for cell in self.ranking["cells"]]
        if len(set(places)) < len(places):
            raise Refusal("invalid", f"{self.at}.cells: a metric and region stands there twice")
        for index, cell in enumerate(self.ranking["cells"]):
            self._cell(cell, f"{self.at}.cells[{index}]")
        if self.scheme.kind == "places":
            self._places()
        elif DISCLOSURES.index(self.disclosure) == 2:
            self._covariance(self.ranking.get("covariance"))

    def _cell(self, cell: Mapping[str, Any], at: str) -> None:
        metric = self.assessment.metric(cell["metric"])
        for key in ("missing", "n", "sum", "place", "mean", "sd", "median", "tail", "p10"):
            if key in cell and len(cell[key]) != self.width:
                raise Refusal("invalid", f"{at}.{key} has {len(cell[key])} numbers for {self.width} algorithms")
        for key in ("missing", "n"):
            for number in cell.get(key, ()):
                if number > self.units:
                    raise Refusal("implausible", f"{at}.{key}: {number} of {self.units} units")
        summed = "sum" in cell
        if summed != ("n" in cell) or summed != ("scale" in cell):
            raise Refusal("invalid", f"{at}: n, scale and sum belong together")
        if self.scheme.kind == "sums" and not summed:
            raise Refusal("disclosure_too_low", f"{at} has no sums, which this ranking is made from")
        if summed:
            low, high = self._range(metric)
            allowed = (1, 2) if self.scheme.ranks_cases else (10 ** decimals_of(metric),)
            if cell["scale"] not in allowed:
                raise Refusal("implausible", f"{at}.scale is {cell['scale']}; it is {' or '.join(map(str, allowed))}")
            for number, total in zip(cell["n"], cell["sum"], strict=True):
                if not low * number <= total / cell["scale"] <= high * number:
                    raise Refusal(
                        "implausible", f"{at}.sum: {total} / {cell['scale']} is no sum of {number} values in this range"
                    )
            if self.scheme.ranks_cases:
                self._all_ranks(cell, at)
        self._shown(cell, metric, at)

    def _all_ranks(self, cell: Mapping[str, Any], at: str) -> None:
        """Check the sum of ranks if every algorithm has a rank on all units.

        With average ties and no missing algorithm, the ranks of a case add up to m (m + 1) / 2. With other rules,
        they add up to m at least.
        """
        if any(number != self.units for number in cell["n"]):
            return
        total = sum(cell["sum"]) / cell["scale"]
        whole = self.units * self.width * (self.width + 1) / 2
        registered = self.scheme.registered
        if registered.ties == "average" and not any(cell["missing"]) and total != whole:
            raise Refusal("implausible", f"{at}.sum: ranks of {self.units} units add up to {whole:g}, not to {total:g}")
        if total < self.units * self.width:
            raise Refusal("implausible", f"{at}.sum: the ranks add up to less than first places for all")

    def _shown(self, cell: Mapping[str, Any], metric: MetricUse, at: str) -> None:
        ends = [end for end in (metric.worst, metric.best) if end is not None]
        low = min(ends) if len(ends) == 2 else -np.inf
        high = max(ends) if len(ends) == 2 else np.inf
        for key in ("mean", "median", "tail", "p10"):
            for value in cell.get(key, ()):
                if value is not None and not low - 0.01 <= value <= high + 0.01:
                    raise Refusal("implausible", f"{at}.{key}: {value} is outside the range of {metric.name}")
        for value in cell.get("sd", ()):
            if value is not None and not 0 <= value <= (high - low) / 2 * (1 + _SLACK):
                raise Refusal("implausible", f"{at}.sd: {value} is more than half the range of {metric.name}")

    def _range(self, metric: MetricUse) -> tuple[float, float]:
        if self.scheme.ranks_cases:
            return 1.0, float(self.width) + (1.0 if self.scheme.registered.missing_rank == "toolkit" else 0.0)
        numbers = [end for end in (metric.worst, metric.best) if end is not None]
        numbers += [value for value in metric.policy.document.values() if isinstance(value, (int, float))]
        low = min(numbers) if None not in (metric.worst, metric.best) else -np.inf
        high = max(numbers) if None not in (metric.worst, metric.best) else np.inf
        return float(low), float(high)

    def _places(self) -> None:
        if "covariance" in self.ranking:
            raise Refusal("invalid", f"{self.at}.covariance: a ranking made of places has none")
        score = self.ranking.get("site_score")
        if score is None or len(score) != self.width:
            raise Refusal("invalid", f"{self.at}.site_score: one number for each of {self.width} algorithms")
        cells = self.ranking["cells"]
        given = [cell["place"] for cell in cells if "place" in cell]
        for cell in cells:
            if "place" in cell:
                self._place(cell)
        self._score(np.array(score), "site_score")
        first = self.scheme.inner[0]
        plain = (
            len(self.scheme.inner) == 1 and first.operator.kind == "mean" and not first.weights and not first.fractional
        )
        if plain and len(given) == len(cells):
            expected = np.mean(np.array(given, dtype=float), axis=0)
            if np.abs(expected - np.array(score)).max() > 1e-9:
                raise Refusal("implausible", f"{self.at}.site_score is not the mean of the places in its cells")
        replicates = self.ranking.get("replicates")
        if replicates is None:
            return
        total = sum(count for count, _ in replicates["rows"])
        if total != replicates["number"]:
            raise Refusal("implausible", f"{self.at}.replicates: {total} rows, said are {replicates['number']}")
        rows = [row for _, row in replicates["rows"]]
        if any(len(row) != self.width for row in rows):
            raise Refusal("invalid", f"{self.at}.replicates: a row has not one number for each algorithm")
        if rows != sorted(rows) or len(set(map(tuple, rows))) < len(rows):
            raise Refusal("invalid", f"{self.at}.replicates: rows stand once each, in ascending order")
        self._score(np.array(rows), "replicates")

    def _score(self, scores: FloatArray, key: str) -> None:
        extra = 1 if self.scheme.registered.missing_rank == "toolkit" else 0
        if scores.min() < 1 or scores.max() > self.width + extra:
            raise Refusal("implausible", f"{self.at}.{key}: a mean of ranks lies between 1 and {self.width}")

    def _place(self, cell: Mapping[str, Any]) -> None:
        """The places have to be those that the sums give, where there are sums."""
        at = f"{self.at}: {cell['metric']}{', ' + cell['region'] if cell['region'] else ''}"
        registered = self.scheme.registered
        places = np.array(cell["place"], dtype=float)
        if "sum" not in cell:
            again = rank(places, higher_is_better=False, ties=registered.ties)
            if registered.missing_rank == "toolkit" and (again != places).any():
                raise Refusal("implausible", f"{at}: place {cell['place']} is no ranking")
            return
        counts = np.array(cell["n"], dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = np.where(counts > 0, np.array(cell["sum"], dtype=float) / (counts * cell["scale"]), np.nan)
        higher = self.assessment.metric(cell["metric"]).higher_is_better and not self.scheme.ranks_cases
        expected = rank(
            snap(scores), higher_is_better=higher, ties=registered.ties, missing_rank=registered.missing_rank
        )
        if (expected != places).any():
            raise Refusal("implausible", f"{at}: place {cell['place']} is not the ranking of the sums")

    def _covariance(self, covariance: Mapping[str, Any] | None) -> None:
        at = f"{self.at}.covariance"
        if covariance is None:
            raise Refusal("invalid", f"{at} is missing, which moments have")
        if covariance["divisor"] != self.units:
            raise Refusal("implausible", f"{at}.divisor is {covariance['divisor']}, the site has {self.units} units")
        size = self.width * len(self.ranking["cells"])
        diagonal, full = _moments(covariance, size, at)
        if full is not None and self.units < size + 10:
            raise Refusal(
                "implausible",
                f"{at}: {self.units} units are too few for a full covariance of {size} numbers; it gives cases away",
            )
        for index, variance in enumerate(diagonal):
            cell = self.ranking["cells"][index // self.width]
            low, high = self._range(self.assessment.metric(cell["metric"]))
            present = max(cell["n"][index % self.width], 1)
            # Popoviciu; an algorithm that is left out of some units stands for more of the others.
            if variance > (high - low) ** 2 / 4 * (self.units / present) * (1 + _SLACK):
                raise Refusal(
                    "implausible", f"{at}: the variance {variance:g} is more than a quarter of the squared range"
                )
        if full is not None and size:
            eigenvalues = np.linalg.eigvalsh(full)
            if eigenvalues[0] < -1e-5 * max(eigenvalues[-1], 1e-300):
                raise Refusal("implausible", f"{at} is no covariance: it has a negative eigenvalue")


def _moments(covariance: Mapping[str, Any], size: int, at: str) -> tuple[FloatArray, FloatArray | None]:
    """Variances, and the symmetric matrix if it was sent."""
    if covariance["kind"] == "variances":
        if "rows" in covariance or len(covariance.get("variances", ())) != size:
            raise Refusal("invalid", f"{at}: {size} variances and nothing else")
        return np.array(covariance["variances"], dtype=float), None
    rows: Sequence[Sequence[float]] = covariance.get("rows", ())
    if "variances" in covariance or [len(row) for row in rows] != list(range(1, size + 1)):
        raise Refusal("invalid", f"{at}: a lower triangle of {size} rows and nothing else")
    full = symmetric(rows)
    return np.diag(full), full


def symmetric(rows: Sequence[Sequence[float]]) -> FloatArray:
    """The matrix of a lower triangle."""
    full = np.zeros((len(rows), len(rows)))
    for index, row in enumerate(rows):
        full[index, : index + 1] = row
        full[: index + 1, index] = row
    return full
