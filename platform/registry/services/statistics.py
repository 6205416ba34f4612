"""Counting the registry for its statistics (REV-10, REP-7)."""

import statistics as stats
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.designs.catalogue import shipped
from registry.domain.historic import ROWS, SHARES
from registry.models import Listing, Statistics

SEGMENTATION = frozenset({"segmentation", "semantic_segmentation", "instance_segmentation"})
TOP = 12
# Names of metrics that count as one in the published figures.
DSC_WORDS = ("dice", "dsc")
HD_WORDS = ("hausdorff", "hd95")
Task = dict[str, Any]


@transaction.atomic
def count_registry() -> Statistics:
    """Recompute the statistics of all current versions."""
    listings = Listing.objects.select_related("registration").order_by("registration__registered_at")
    years: dict[int, list[Task]] = {}
    challenges: Counter[int] = Counter()
    for listing in listings.only("figures", "registration__registered_at"):
        year = listing.registration.registered_at.year
        years.setdefault(year, []).extend(listing.figures)
        challenges[year] += 1
    tasks = [task for year_tasks in years.values() for task in year_tasks]
    content = {
        "challenges": sum(challenges.values()),
        "tasks": len(tasks),
        "years": [{"year": year, "challenges": challenges[year], "tasks": len(years[year])} for year in sorted(years)],
        "rows": [_row(row, tasks) for row in ROWS],
        "shares": {
            "categories": _shares(tasks, "categories", "task_category", _category),
            "modalities": _shares(tasks, "modalities", "imaging_modality", str),
            "fields": _shares(tasks, "fields", "field_of_application", str),
            "life_cycle": _shares(tasks, "life_cycle", "life_cycle_type", str),
            "submission": _shares(tasks, "submission", "submission_method", str),
        },
        "metrics": [
            {"label": label, "count": count}
            for label, count in Counter(label for task in tasks for label in task["metrics"]).most_common(TOP)
        ],
        "schemes": _schemes(tasks),
        "coverage": _coverage(tasks, years),
    }
    statistics, _ = Statistics.objects.update_or_create(
        pk=1, defaults={"counted_at": timezone.now(), "content": content}
    )
    return statistics


def _row(row: Any, tasks: list[Task]) -> dict[str, Any]:
    value, words, number = _here(row.key, tasks)
    return {
        "key": row.key,
        "label": row.label,
        "here": words,
        "here_value": value,
        "number": number,
        "before": row.before,
        "since": row.since,
        "before_value": row.before_value,
        "since_value": row.since_value,
        "unit": row.unit,
    }


def _here(key: str, tasks: list[Task]) -> tuple[float | None, str, int]:
    """Return value, text and number of tasks of a row.

    Without data, the value is None, never 0.
    """
    segmenting = [task for task in tasks if SEGMENTATION & set(task["categories"])]
    ranked = [task for task in tasks if task["ranking_metrics"]]
    schemes = [scheme for task in tasks for scheme in task["schemes"]]
    match key:
        case "reported":
            return _median([100 * _share_reported(task) for task in tasks], unit=" %")
        case "ratio":
            both = [task for task in tasks if task["training"] is not None and task["test"]]
            return _median([task["training"] / task["test"] for task in both])
        case "training" | "test" | "annotators" | "centers" | "devices":
            return _median([task[key] for task in tasks if task[key] is not None])
        case "one_metric":
            return _percent(ranked, lambda task: task["ranking_metrics"] == 1)
        case "metric_based":
            return _percent(schemes, lambda scheme: scheme == "metric_based")
        case "tested":
            return _percent(tasks, lambda task: bool(task["tests"]))
        case "no_reason":
            return _percent(tasks, lambda task: not task["metric_reason"])
        case "dsc":
            return _percent(segmenting, lambda task: _uses(task, DSC_WORDS))
        case "hd":
            return _percent(segmenting, lambda task: _uses(task, HD_WORDS))
    raise ValueError(f"There is no row {key}.")


def _median(values: list[float], unit: str = "") -> tuple[float | None, str, int]:
    if not values:
        return None, "–", 0
    median = stats.median(values)
    words = f"{median:,.4g}{unit}"
    if len(values) > 1:
        low, _, high = stats.quantiles(values, n=4, method="inclusive")
        words += f" (IQR {low:,.4g}–{high:,.4g})"
    return median, words, len(values)


def _percent(items: list[Any], holds: Callable[[Any], bool]) -> tuple[float | None, str, int]:
    if not items:
        return None, "–", 0
    share = 100 * sum(holds(item) for item in items) / len(items)
    return share, f"{share:.0f} %", len(items)


def _uses(task: Task, words: Iterable[str]) -> bool:
    return any(word in label.lower() for label in task["metrics"] for word in words)


def _share_reported(task: Task) -> float:
    """Share of the entries of the published list that can be filled before a challenge."""
    asked = [int(entry.number) for entry in shipped().index_53 if int(entry.number) <= 50]
    return len(set(asked) & set(task["reported"])) / len(asked)


def _category(slug: str) -> str:
    return "segmentation" if slug in SEGMENTATION else slug


def _shares(tasks: list[Task], key: str, parameter: str, group: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the number and share of tasks per stated value; a task can state several values."""
    task_slugs = [
        {group(slug) for slug in ([task[key]] if isinstance(task[key], str) else task[key]) if slug} for task in tasks
    ]
    stated_slugs = [slugs for slugs in task_slugs if slugs]
    counts = Counter(slug for slugs in stated_slugs for slug in slugs)
    historic = SHARES.get(key, {})
    rows = []
    for slug in dict.fromkeys([*historic, *(slug for slug, _ in counts.most_common())]):
        before, since = historic.get(slug, (None, None))
        label = "Other" if slug == "other" else shipped()[parameter].label_of(slug)
        share = 100 * counts[slug] / len(stated_slugs) if stated_slugs else None
        rows.append({"label": label, "count": counts[slug], "here": share, "before": before, "since": since})
    return sorted(rows, key=lambda row: -row["count"])


def _schemes(tasks: list[Task]) -> list[dict[str, Any]]:
    column = next(item for item in shipped()["ranking_method"].item_fields if item.key == "scheme")
    labels = {choice.value: choice.label for choice in column.choices}
    counts = Counter(scheme for task in tasks for scheme in task["schemes"])
    return [{"label": labels.get(slug, slug), "count": count} for slug, count in counts.most_common()]


def _coverage(tasks: list[Task], years: dict[int, list[Task]]) -> list[dict[str, Any]]:
    """The published list: how many tasks reported each entry, then and here, year by year (REP-7)."""

    def share(number: int, counted_tasks: list[Task]) -> float | None:
        return (
            100 * sum(number in task["reported"] for task in counted_tasks) / len(counted_tasks)
            if counted_tasks
            else None
        )

    return [
        {
            "number": int(entry.number),
            "title": entry.title,
            "before": entry.coverage,
            "here": share(int(entry.number), tasks),
            "years": [share(int(entry.number), years[year]) for year in sorted(years)],
        }
        for entry in shipped().index_53
        # The last three entries are outcomes, which no design can hold.
        if int(entry.number) <= 50
    ]
