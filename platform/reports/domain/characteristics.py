"""What is known of cases, in the form in which it can explain values."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from leaderboards.domain.case_groups import numbers_of

MOST_CATEGORIES: Final = 3
MOST_GROUPS: Final = 8


def title_of(entry: Mapping[str, Any]) -> str:
    """Metric and region of values, with the task where there are several."""
    return ", ".join(str(entry[key]) for key in ("task", "metric", "region") if entry[key])


def explaining(metadata: pd.DataFrame | None, cases: Sequence[Any]) -> pd.DataFrame:
    """What may explain values of cases: numbers in standard deviations, and characteristics of a few categories as such.

    Returns
    -------
    pandas.DataFrame
        One row a case, in their order; no column where nothing is known that could explain anything.
    """
    names = [str(case) for case in cases]
    table = pd.DataFrame(index=pd.Index(names, name="case"))
    if metadata is None or "case" not in metadata:
        return table
    for title, known in numbers_of(metadata).items():
        series = pd.Series([known.get(case) for case in names], index=table.index, dtype=float)
        spread = series.std(ddof=0)
        if spread > 0:
            table[title] = (series - series.mean()) / spread
    indexed = metadata.set_index(metadata["case"].astype(str)).drop(columns="case")
    categories = 0
    for column in indexed.columns:
        title = str(column).replace("_", " ")
        values = indexed[column].reindex(names)
        if title in table or categories == MOST_CATEGORIES or not 2 <= values.nunique() <= MOST_GROUPS:
            continue
        table[title] = values.where(values.notna()).map(lambda value: value if value is None else str(value)).to_numpy()
        categories += 1
    return table
