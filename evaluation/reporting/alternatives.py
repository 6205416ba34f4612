"""The ranking seen otherwise: by subgroups of the cases, and by a model instead of a scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from evaluation.figures.groups import small_multiples
from evaluation.figures.layout import number, rank_words
from evaluation.figures.selection import label
from evaluation.ranking.case_groups import FEWEST_CASES, groupings
from evaluation.ranking.characteristics import characteristics_of
from evaluation.ranking.mixed_model import model_ranking
from evaluation.ranking.raw import raw_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment import Assessment
    from evaluation.documents import DocumentBuilder

_LARGEST = 20_000


def subgroups_section(
    page: DocumentBuilder,
    assessment: Assessment,
    document: Mapping[str, Any],
    results: pd.DataFrame,
    cases: pd.DataFrame | None,
    *,
    columns: Sequence[str],
) -> None:
    """Rank in groups of the cases by each column; nothing without columns."""
    if not columns or cases is None:
        return
    page.heading(2, "Is it the same for every subgroup?")
    known = {entry.name: entry for entry in characteristics_of(assessment, cases)}
    for column in columns:
        page.heading(3, f"By {column}")
        found = groupings(assessment, results, cases, [known[column]]) if column in known else []
        if not found:
            page.text([f"{column} does not split the cases into two groups of at least {FEWEST_CASES}."])
            continue
        [grouping] = found
        sizes = {value: part["rankings"][0]["cases"] for value, part in grouping.documents.items()}
        page.text(
            [
                f"Cases: {', '.join(f'{value} {size}' for value, size in sizes.items())}.",
                grouping.words,
                grouping.folded,
            ]
        )
        for comparison in grouping.comparison:
            what = "overall" if comparison.get("overall") else label(comparison)
            others = comparison["other_winners"]
            words = f"Elsewhere first: {', '.join(others)}." if others else "The same algorithm is first everywhere."
            chosen = {key: comparison.get(key) for key in ("name", "metric", "region", "task")}
            first = {value: grouping.documents[value] for value in grouping.shown_first(comparison)}
            figure = small_multiples(document, first, characteristic=grouping.title, **chosen)
            page.figure(figure, f"{what}: ranks by {column}. {words}")


def mixed_model_section(page: DocumentBuilder, assessment: Assessment, results: pd.DataFrame) -> None:
    """Rank by the model value ~ algorithm + (1 | case), for every metric with values of cases."""
    page.heading(2, "A ranking from a mixed model")
    words = (
        "An alternative analysis: each value is explained by its algorithm and by a random effect of its case. It gives a "
        "global test and pairwise contrasts, adjusted by Holm’s method, but assumes normal residuals, and it is about means "
        "whatever the registered scheme is."
    )
    page.text([words])
    for raw in raw_values(assessment, results):
        what = ", ".join(str(raw[key]) for key in ("task", "metric", "region") if raw[key])
        rows = [
            (name, case, value)
            for case, values in zip(raw["cases"], raw["values"], strict=True)
            for name, value in zip(raw["algorithms"], values, strict=True)
            if value is not None
        ]
        page.heading(3, f"Model: {what}")
        if len(rows) > _LARGEST:
            page.text([f"{len(rows):,} values are more than the {_LARGEST:,} that are fitted here."])
            continue
        data = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
        try:
            found = model_ranking(data, higher_is_better=raw["direction"] == "higher")
        except ValueError as error:
            page.text([f"No fit: {error}."])
            continue
        test = found["global_test"]
        verdict = (
            f"Do the algorithms differ at all? χ² = {number(test['statistic'])} with {test['df']} degrees of freedom, "
            f"p = {test['p']:.2g}."
        )
        page.text([verdict, *(f"{remark}." for remark in found["fit"]["warnings"])])
        columns = ["Rank", "Algorithm", "Estimated mean", "Standard error", "Not significantly worse than the first"]
        page.table(
            columns,
            [
                (
                    rank_words(a["rank"]),
                    a["name"],
                    number(a["estimate"]),
                    number(a["std_error"]),
                    "yes" if a["group"] else "no",
                )
                for a in found["algorithms"]
            ],
        )
