"""Numbers of cases and how they fit each other."""

import re

from evaluation.designs.checks.registry import Subject, register
from evaluation.ranking.evaluate import CLUSTER_COLUMNS, plain_column

# A third of the historic and three times the recent median of training to test cases.
RATIO_LOW, RATIO_HIGH = 0.25, 7.0
SPLITS = {"number_training_cases": "training", "number_test_cases": "test"}


@register("case_table_sum", reads=("case_table", "number_training_cases", "number_test_cases"))
def case_table_sum(subject: Subject) -> str | None:
    split = SPLITS[subject.check.parameter]
    stated = subject.values.get(subject.check.parameter)
    rows = [row for row in subject.values.rows("case_table") if row.get("split") == split]
    if stated is None or not rows:
        return None
    total = sum(row.get("n_cases", 0) for row in rows)
    return None if total == stated else f"{stated:,} stated, {total:,} in the table."


@register(
    "clusters_declared",
    reads=("case_columns", "aggregation_levels", "uncertainty_settings", "site_column", "ranking_method"),
)
def clusters_declared(subject: Subject) -> str | None:
    """Check that columns of the case table that look like clusters are declared."""
    values = subject.values
    settings = values.get("uncertainty_settings") or {}
    declared = {str(row.get("name") or "").strip() for row in values.rows("aggregation_levels")}
    for key in ("resample", "strata", "independent_of"):
        declared |= set(settings.get(key) or ())
    if any(row.get("site_aggregation") for row in values.rows("ranking_method")):
        declared.add(str(values.get("site_column") or "site").strip())
    columns = [str(row.get("column") or "").strip() for row in values.rows("case_columns")]
    undeclared = [name for name in columns if name not in declared and plain_column(name) in CLUSTER_COLUMNS]
    return f"Not declared: {', '.join(undeclared)}." if undeclared else None


@register(
    "total_is_sum",
    reads=("total_number_of_cases", "number_training_cases", "number_validation_cases", "number_test_cases"),
)
def total_is_sum(subject: Subject) -> str | None:
    total = subject.values.get("total_number_of_cases")
    parts = [subject.values.get(f"number_{part}_cases") for part in ("training", "validation", "test")]
    if total is None or any(part is None for part in parts):
        return None
    return None if total == sum(parts) else f"{total:,} stated, {sum(parts):,} added up."


@register("train_test_ratio", reads=("number_training_cases", "number_test_cases"))
def train_test_ratio(subject: Subject) -> str | None:
    training, test = (subject.values.get(f"number_{part}_cases") for part in ("training", "test"))
    if not training or not test or RATIO_LOW <= training / test <= RATIO_HIGH:
        return None
    return f"{training:,} training to {test:,} test cases is a ratio of {training / test:.2g}."


@register("stratum_imbalance", reads=("case_table", "ranking_method"))
def stratum_imbalance(subject: Subject) -> str | None:
    sizes: dict[str, int] = {}
    for row in subject.values.rows("case_table"):
        if row.get("split") == "test" and row.get("n_cases"):
            key = row.get("stage") or row.get("data_set", "")
            sizes[key] = sizes.get(key, 0) + row["n_cases"]
    if len(sizes) < 2 or max(sizes.values()) <= 10 * min(sizes.values()):
        return None
    if any(row.get("task_aggregation") for row in subject.values.rows("ranking_method")):
        return None
    return f"The smallest stratum has {min(sizes.values()):,} test cases, the largest {max(sizes.values()):,}."


@register("split_counts", reads=("data_split", "number_training_cases"))
def split_counts(subject: Subject) -> str | None:
    released = subject.values.get("number_training_cases")
    text = subject.values.text("data_split")
    counts = [
        int(number.replace(",", ""))
        for number in re.findall(
            r"(\d[\d,]*)\s+(?:training|validation|train|val|hold-?out|cases for)\b", text, re.IGNORECASE
        )
    ]
    if released is None or not counts or sum(counts) <= released:
        return None
    return f"The parts add up to {sum(counts):,}; {released:,} training cases are released."
