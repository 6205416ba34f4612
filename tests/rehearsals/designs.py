"""Random designs: every kind of problem with its metrics, options, settings, regions, case columns and ranking schemes."""

from __future__ import annotations

import random
from typing import Any, Final

from evaluation import problems
from evaluation.catalogue import Metric, Option, all_metrics
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, from_json
from evaluation.problems.offered_metrics import kinds_with, options_for

KINDS: Final = [kind for kind in problems.scored_problems() if kind.task_categories and kind.source == "podium"]
NAMES: Final = ("liver", "tumour core", "Läsion", "benign", "class-3", "mitotic figure", "a, b", "T1w", "node")
TIMES: Final = (6, 12, 24)


def design(index: int) -> Document:
    """The design of that number; the same number gives the same design."""
    draw = random.Random(index)
    document, _ = from_json({"challenge": {}, "tasks": [task(draw, KINDS[index % len(KINDS)])]}, catalogue=shipped())
    return document


def task(draw: random.Random, kind: Any) -> dict[str, Any]:
    settings = settings_of(draw, kind)
    regions = regions_of(draw, kind)
    metrics = metrics_of(draw, kind, regions, settings)
    if kind.id == "image_to_image" and settings.get("data_range") is None:
        settings["data_range"] = draw.choice([[0, 255], 4000, [-1024, 3071], "reference"])
    levels = draw.choice([[], [], [{"name": "patient", "role": "random"}], [{"name": "site", "role": "fixed"}]])
    if draw.random() < 0.1:
        levels = [{"name": "patient", "role": "random"}, {"name": "site", "role": draw.choice(["fixed", "random"])}]
    return {
        "task_name": f"Generated {kind.title}",
        "task_category": [draw.choice(kind.task_categories)],
        "problem_settings": {"kind": kind.id, "settings": settings or None},
        "regions": regions or None,
        "metrics": metrics,
        "ranking_type": draw.choice(["single_ranking", "multiple_rankings"]),
        "ranking_method": [ranking_of(draw, metrics)],
        "tie_handling": draw.choice(["standard_competition", "modified_competition", "dense", "fractional"]),
        "missing_data_handling": draw.choice(["worst_value", "worst_rank", "counted_as_incorrect"]),
        "aggregation_levels": [{"name": "case"}, *levels] if levels else None,
        "case_columns": [{"column": "age", "kind": "number"}] if draw.random() < 0.2 else None,
        "uncertainty_settings": draw.choice(
            [None, {"bootstrap": 500}, {"bootstrap": 100, "interval": 0.9}, {"strata": ["scanner"]}]
        ),
    }


def ranking_of(draw: random.Random, metrics: list[dict[str, Any]]) -> dict[str, Any]:
    scheme = draw.choice(["metric_based", "metric_based", "case_based", "test_based", "data_set_score"])
    row: dict[str, Any] = {"name": "R", "scheme": scheme}
    if scheme in ("metric_based", "case_based"):
        row["operator"] = draw.choice(["mean", "mean", "median", "worst"])
    if scheme == "test_based":
        row |= {"operator": "significance_count", "statistical_test": "Wilcoxon signed rank test", "alpha": 0.05}
    row["metric_aggregation"] = (
        "single_metric" if len(metrics) == 1 else draw.choice(["mean_rank", "separate_rankings"])
    )
    if draw.random() < 0.3:
        row["region_aggregation"] = draw.choice(["with_metrics", "regions_first", "metrics_first", "separate_rankings"])
    return row


def regions_of(draw: random.Random, kind: Any) -> list[dict[str, Any]]:
    """Named unions of labels or classes; blank where the kind has none."""
    if not kind.regions.are_allowed or (kind.id == "survival"):
        return []
    if not kind.regions.are_required and draw.random() < 0.2:
        return []
    number = draw.randint(1, 4)
    names = draw.sample(NAMES, number)
    if kind.regions.have_numbered_labels:
        labels = draw.sample([1, 2, 3, 4, 5, 7, 24, 255, 300, 1200], number)
        rows = [{"name": name, "labels": [str(label)]} for name, label in zip(names, labels, strict=True)]
        if number > 1 and draw.random() < 0.4:
            rows[0]["labels"] = [str(label) for label in labels]
        return rows
    one_label = kind.id in ("multilabel_classification", "regression")
    classes = [f"c {name}" if draw.random() < 0.2 else name for name in names]
    rows = [{"name": name, "labels": [label]} for name, label in zip(names, classes, strict=True)]
    if number > 2 and not one_label and draw.random() < 0.3:
        rows[1]["labels"] = classes[1:]
        rows = rows[:2]
    return rows


def settings_of(draw: random.Random, kind: Any) -> dict[str, Any]:
    """Settings of a kind of problem, each with valid values."""
    match kind.id:
        case "semantic_segmentation":
            return draw.choice([{}, {}, {"ignore_labels": [99]}])
        case "object_detection":
            units = [{}, {"unit": "px"}, {"unit": "mm"}, {"unit": "um"}, {"unit": "px", "spacing": "cases"}]
            units += [{"unit": "px", "spacing": [0.25, 0.25], "spacing_unit": "um"}]
            units += [{"unit": "px", "spacing": [0.7, 0.7, 2.5]}]
            return draw.choice(units) | draw.choice([{}, {}, {"scores": "any"}])
        case "landmarks":
            units = [{"unit": "mm"}, {"unit": "px"}, {"unit": "px", "spacing": "cases"}]
            return draw.choice(units) | {"penalty": draw.choice([40, 12.5, "image_diagonal"])}
        case "registration":
            places = ["voxel", "mm_lps", "mm_ras"]
            return {"field": draw.choice(places)} | draw.choice([{}, {"landmarks": draw.choice(places)}])
        case "image_to_image":
            return draw.choice([{}, {"data_range": [0, 255]}, {"data_range": 1.0}, {"data_range": "reference"}])
        case "survival":
            times = list(TIMES[: draw.randint(2, 3)])
            return {"times": times} | draw.choice([{}, {"ipcw": "training"}, {"unit": "months"}])
        case "failure_detection":
            return draw.choice([{}, {"dataset": "site"}, {"dataset": "site", "pooled": True}])
        case "segmentation_with_confidence":
            risk = draw.choice([{}, {"risk": {"metric": {"id": "iou"}, "operator": "min"}}])
            return risk | draw.choice([{}, {"missing": "silent"}, {"dataset": "site", "pooled": True}])
        case _:
            return {}


def metrics_of(
    draw: random.Random, kind: Any, regions: list[dict[str, Any]], settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """Up to three metrics of a kind, with random options; rows of the design's table of metrics."""
    offered = [metric for metric in all_metrics() if kind.id in kinds_with(metric) and not metric.is_criterion]
    chosen = draw.sample(offered, min(len(offered), draw.randint(1, 3)))
    return [
        {
            "metric": metric.id,
            "options": options_of(draw, metric, kind, regions, settings) or None,
            "used_for_ranking": index == 0 or draw.random() < 0.8,
        }
        for index, metric in enumerate(chosen)
    ]


def options_of(
    draw: random.Random, metric: Metric, kind: Any, regions: list[dict[str, Any]], settings: dict[str, Any]
) -> dict[str, Any]:
    options = {}
    for option in options_for(metric, kind.id):
        if option.required or option.name in ("tolerance", "percentile") or draw.random() < 0.35:
            value = value_of(draw, option, kind, regions, settings)
            if value is not None:
                options[option.name] = value
    return options


def value_of(
    draw: random.Random, option: Option, kind: Any, regions: list[dict[str, Any]], settings: dict[str, Any]
) -> Any:
    """A valid value of an option, as far as the option alone decides; None for no value."""
    names = [region["name"] for region in regions]
    labels = [label for region in regions for label in region["labels"]]
    special = {
        "time": lambda: draw.choice(settings.get("times") or TIMES),
        "tau": lambda: draw.choice([None, 12, 24]),
        "k": lambda: 1,
        "radius": lambda: draw.choice([2, 5, 20.0]),
        "positive_class": lambda: draw.choice(labels) if labels else None,
        "tolerance_by_region": lambda: {name: draw.choice([1.0, 3]) for name in names},
        "spacing": lambda: draw.choice(["from_image", [1, 1], [1, 2, 0.5]]),
        "localization_threshold": lambda: draw.choice([0.1, 0.3, 0.5, 0.75]),
        "localization_thresholds": lambda: [0.5, 0.75],
        "fppi_points": lambda: draw.choice([[0.5, 1, 2], [0.25]]),
        "costs": lambda: "zero_one",
        "priors": lambda: draw.choice(["dataset", "uniform"]),
        "baseline_priors": lambda: "dataset",
        "weights": lambda: draw.choice(["unweighted", "linear", "quadratic"]),
        "weight_matrix": lambda: None,
        "class_weights": lambda: None,
        "bandwidth": lambda: draw.choice([None, 0.3]),
        "max_detections": lambda: None,
        "area": lambda: draw.choice([None, "medium", "large"]),
        "size": lambda: draw.choice([5, 7, 11]),
        "operator": lambda: draw.choice(["mean", "median", "max", {"percentile": 95}]),
        "percentile": lambda: draw.choice([90, 95, 95.0, 99]),
        "tolerance": lambda: draw.choice([1, 2.5]),
        "iou_threshold": lambda: draw.choice([0.5, 0.75]),
        "max_fpr": lambda: draw.choice([None, 0.2]),
        "penalty": lambda: draw.choice(["image_diagonal", 374]),
        "target_prevalence": lambda: draw.choice([None, 0.1]),
        "risk": lambda: 0.3,
        "coverage": lambda: draw.choice([0.5, 0.8]),
    }
    if option.name in special:
        return special[option.name]()
    if option.choices:
        return draw.choice(option.choices)
    if option.type == "boolean":
        return draw.random() < 0.5
    low = option.minimum if option.minimum is not None else option.exclusive_minimum
    high = option.maximum if option.maximum is not None else option.exclusive_maximum
    if option.type == "integer":
        start = int(option.default if isinstance(option.default, int) else low or 1)
        return min(max(start + draw.randint(0, 2), int(low or 0)), int(high) if high is not None else start + 2)
    if option.type == "number":
        span = (float(low or 0), float(high) if high is not None else float(low or 0) + 3)
        return round(draw.uniform(span[0] + 0.1 * (span[1] - span[0]), span[1] - 0.1 * (span[1] - span[0])), 3)
    return None
