"""The results of one submission as a table: cases × metrics × regions, worst first."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evaluation.assessment.model import Assessment
from evaluation.outcomes import Outcome
from evaluation.ranking.schemes import DEFAULT, get_scheme

LEAST_DIGITS, MOST_DECIMALS = 3, 6
OUTCOME_WORDS = {
    Outcome.OK: "",
    Outcome.BOTH_EMPTY: "both empty",
    Outcome.REF_EMPTY: "reference empty",
    Outcome.PRED_EMPTY: "nothing predicted",
    Outcome.DEGENERATE: "undefined",
    Outcome.MISSING: "missing",
    Outcome.NOT_APPLICABLE: "not applicable",
}


@dataclass(frozen=True)
class Column:
    """A metric in a region."""

    metric: str
    region: str
    unit: str
    higher_is_better: bool
    title: str
    """The metric as people call it."""
    decimals: int
    """Of every value of the column, so that they can be compared at a glance."""

    @property
    def label(self) -> str:
        return f"{self.metric}, {self.region}" if self.region else self.metric


@dataclass(frozen=True)
class Cell:
    """A value, or why there is none."""

    value: float | None
    words: str
    decimals: int

    @property
    def text(self) -> str:
        """The value with the digits of its column, or the reason."""
        return f"{self.value:.{self.decimals}f}" if self.value is not None else self.words


@dataclass(frozen=True)
class CaseLine:
    """All values of one case."""

    case: str
    cells: list[Cell]
    note: str
    mean_rank: float


def summary_lines(assessment: Assessment, summary: dict[str, Any], *, length_unit: str = "mm") -> list[dict[str, Any]]:
    """Return the aggregated values of a run as a page shows them; `length_unit` is the unit of distances in the images."""
    uses = {use.name: use for use in assessment.metrics}
    return [
        {
            "title": uses[value["metric"]].title,
            "unit": uses[value["metric"]].unit_in(length_unit),
            "higher_is_better": uses[value["metric"]].higher_is_better,
            "region": value["region"],
            "value": value["value"],
            # What was rounded on purpose is shown with the digits that are left.
            "told": "" if value["value"] is None else f"{value['value']:.10g}",
            "improved": value.get("improved"),
            "gaps": ", ".join(
                f"{count} {OUTCOME_WORDS[Outcome(outcome)]}"
                for outcome, count in value["outcomes"].items()
                if outcome != Outcome.OK
            )
            + _beside(value.get("others")),
        }
        for value in summary["values"]
    ]


def _beside(others: dict[str, Any] | None) -> str:
    """The value over the cases whose reference is not empty, where there are others."""
    if others is None or others["value"] is None:
        return ""
    return f"; {others['value']:.4f} over the {others['cases']} cases with something to find"


def of_cases(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of single cases, without those of the whole data set."""
    return frame[frame["case"] != ""]


def columns(assessment: Assessment, frame: pd.DataFrame, *, length_unit: str = "mm") -> list[Column]:
    """Return the columns in the order of the assessment; `length_unit` is the unit of distances in the images."""
    pairs = list(dict.fromkeys(zip(frame["region"], frame["metric"], strict=True)))
    regions = [region.name for region in assessment.regions]
    uses = {use.name: (position, use) for position, use in enumerate(assessment.metrics)}

    def order(pair: tuple[str, str]) -> tuple[int, int]:
        return (regions.index(pair[0]) if pair[0] in regions else len(regions), uses[pair[1]][0])

    values = {pair: rows["value"] for pair, rows in frame.groupby(["region", "metric"])}
    ordered_columns = []
    for region, metric in sorted(pairs, key=order):
        use = uses[metric][1]
        digits = decimals(values[region, metric], use.unit)
        ordered_columns.append(
            Column(metric, region, use.unit_in(length_unit), use.higher_is_better, use.title, digits)
        )
    return ordered_columns


def decimals(values: pd.Series, unit: str | None) -> int:
    """Return the number of decimals for a column of values.

    It is that of a leaderboard, zero for counts, and greater for small values.

    Examples
    --------
    >>> decimals(pd.Series([0.9, 0.85, None]), None)
    3
    >>> decimals(pd.Series([3, 14, 1]), None), decimals(pd.Series([0.0004, 0.00021]), None)
    (0, 6)
    """
    sizes = values.dropna().astype(float).abs()
    usual = get_scheme(DEFAULT).score_decimals(unit)
    if unit is None and (sizes % 1 == 0).all() and sizes.max() > 1:
        return 0
    if not (sizes > 0).any():
        return usual
    middle = float(sizes[sizes > 0].median())
    return min(MOST_DECIMALS, max(usual, LEAST_DIGITS - 1 - math.floor(math.log10(middle))))


def lines(frame: pd.DataFrame, wanted: list[Column], notes: dict[str, str]) -> list[CaseLine]:
    """Return a line a case, the worst first: by the mean of its ranks among the cases, missing values last in each."""
    cells: dict[str, dict[tuple[str, str], Any]] = {}
    keys = zip(frame["case"], frame["metric"], frame["region"], strict=True)
    for (case, metric, region), row in zip(keys, frame.itertuples(index=False), strict=True):
        cells.setdefault(case, {})[metric, region] = row
    ranks = pd.DataFrame(index=pd.Index(list(cells)))
    for column in wanted:
        values = pd.Series({case: of[column.metric, column.region].value for case, of in cells.items()}, dtype=float)
        ranks[column.label] = values.rank(ascending=not column.higher_is_better, na_option="bottom")
    means = ranks.mean(axis=1)
    result = [
        CaseLine(
            case,
            [cell(of[column.metric, column.region], column.decimals) for column in wanted],
            notes.get(case, ""),
            float(means[case]),
        )
        for case, of in cells.items()
    ]
    return sorted(result, key=lambda line: (-line.mean_rank, line.case))


def line_of(case: str, frame: pd.DataFrame, wanted: list[Column], notes: dict[str, str]) -> CaseLine:
    """Return the line of one case, without cells where all values are of the whole data set."""
    case_rows = frame[frame["case"] == case]
    rows = {(row.metric, row.region): row for row in case_rows.itertuples(index=False)}
    cells = [cell(rows[column.metric, column.region], column.decimals) for column in wanted] if rows else []
    return CaseLine(case, cells, notes.get(case, ""), 0.0)


def cell(row: Any, digits: int) -> Cell:
    """Return the cell of a table for a row of results, with `digits` decimals."""
    value = None if pd.isna(row.value) else float(row.value)
    return Cell(value, OUTCOME_WORDS[Outcome(row.outcome)], digits)
