"""Expected results of each design of the gallery: values of its metrics and ranks, from `independent` alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tests.gallery import independent as own
from tests.gallery.samples import TEAMS, Sample

Values = Mapping[str, float]


@dataclass
class Expected:
    """Values of a phase.

    Attributes
    ----------
    scores
        Score by team of each ranking, by metric and region.
    overall
        Final rank by team of each combined ranking, by its name; a single one has the name ``""``.
    cases
        Value by team, case, metric and region, where cases have values.
    """

    scores: dict[tuple[str, str], Values] = field(default_factory=dict)
    overall: dict[str, Values] = field(default_factory=dict)
    cases: dict[tuple[str, str, str, str], float] = field(default_factory=dict)


def each(sample: Sample, value: Callable[..., float]) -> dict[str, float]:
    return {team: value(sample.references, sample.predictions(team)) for team in TEAMS}


def one_score(metric: str, region: str, values: Values, *, higher: bool = True) -> Expected:
    return Expected({(metric, region): values}, {"": own.ranks(values, higher=higher)})


def by_case(sample: Sample, metric: str, regions: Mapping[str, Any], value: Callable[..., float]) -> Expected:
    """Values of cases and their means, of a metric that compares two masks and knows the size of a voxel."""
    result = Expected()
    for region, labels in regions.items():
        means = {}
        for team in TEAMS:
            found = []
            for case in sample.cases:
                truth, prediction = own.image(sample.references, case), own.image(sample.predictions(team), case)
                size = own.spacing(sample.references, case)
                found.append(value(np.isin(truth, labels), np.isin(prediction, labels), size))
                result.cases[team, case, metric, region] = found[-1]
            means[team] = float(np.mean(found))
        result.scores[metric, region] = means
    return result


def joined(*parts: Expected) -> Expected:
    result = Expected()
    for part in parts:
        result.scores |= part.scores
        result.overall |= part.overall
        result.cases |= part.cases
    return result


def midog_2025(sample: Sample) -> Expected:
    if sample.assessment.problem == "image_classification":
        return one_score(
            "balanced_accuracy",
            "",
            each(sample, lambda truth, found: own.balanced_accuracy(truth, found, ["normal", "atypical"])),
        )
    figure = "mitotic figure"
    values = each(sample, lambda truth, found: own.pooled_f1(truth, found, [figure], radius=7.5, threshold=0.5))
    return one_score("fbeta", figure, values)


def hecktor_2025(sample: Sample) -> Expected:
    match sample.assessment.problem:
        case "survival":
            return one_score("harrell_c", "", each(sample, own.concordance))
        case "image_classification":
            values = each(sample, lambda truth, found: own.balanced_accuracy(truth, found, ["negative", "positive"]))
            return one_score("balanced_accuracy", "", values)
    result = by_case(sample, "dsc", {"GTVp": [1]}, lambda truth, found, _: own.dice(truth, found))
    aggregated = {}
    for team in TEAMS:
        pairs = [
            (own.image(sample.references, case) == 2, own.image(sample.predictions(team), case) == 2)
            for case in sample.cases
        ]
        aggregated[team] = own.aggregated_dice(pairs)
    result.scores["aggregated_dsc", "GTVn"] = aggregated
    return result


def pi_cai_2022(sample: Sample) -> Expected:
    if sample.assessment.problem == "image_classification":
        values = each(sample, lambda truth, found: own.auroc(truth, found, "significant cancer"))
        return one_score("auroc", "significant cancer", values)
    values = each(sample, lambda truth, found: own.lesion_ap(truth, found, sample.cases, overlap=0.1))
    return one_score("average_precision", "", values)


def brats_2023(sample: Sample) -> Expected:
    regions = {"WT": [1, 2, 3], "TC": [1, 3], "ET": [3]}
    parts = joined(
        by_case(
            sample,
            "lesionwise_dsc",
            regions,
            lambda truth, found, size: own.by_lesion(truth, found, size, own.dice, 0.0),
        ),
        by_case(
            sample,
            "lesionwise_hausdorff",
            regions,
            lambda truth, found, size: own.by_lesion(
                truth, found, size, lambda a, b: own.surfel_hd95(a, b, size), 374.0
            ),
        ),
    )
    return by_case_ranks(sample, parts, higher={"lesionwise_dsc": True, "lesionwise_hausdorff": False})


def by_case_ranks(sample: Sample, parts: Expected, *, higher: Mapping[str, bool]) -> Expected:
    """Replace the scores by mean ranks of cases, and combine these."""
    scores = {}
    for metric, region in parts.scores:
        values = {team: [parts.cases[team, case, metric, region] for case in sample.cases] for team in TEAMS}
        scores[metric, region] = own.case_ranks(values, higher=higher[metric])
    return Expected(scores, {"": combined(own.ranks(score, higher=False) for score in scores.values())}, parts.cases)


def combined(ranks: Any) -> dict[str, float]:
    """Ranks of mean ranks."""
    return own.ranks(own.mean_ranks(ranks), higher=False)


def by_means(parts: Expected, *, lower: frozenset[str], weights: Mapping[str, float] | None = None) -> Expected:
    """Rank the means of every metric and region, and combine the ranks."""
    ranked = {key: own.ranks(values, higher=key[0] not in lower) for key, values in parts.scores.items()}
    share = {key: (weights or {}).get(key[0], 1.0) for key in ranked}
    mean = {
        team: float(np.average([rank[team] for rank in ranked.values()], weights=list(share.values())))
        for team in TEAMS
    }
    parts.overall = {"": own.ranks(mean, higher=False)}
    return parts


def autopet_2024(sample: Sample) -> Expected:
    lesions = {"lesions": [1]}
    parts = joined(
        by_case(sample, "dsc", lesions, lambda truth, found, _: own.dice(truth, found)),
        by_case(
            sample, "false_positive_volume", lesions, lambda truth, found, size: own.missed_volume(found, truth, size)
        ),
        by_case(sample, "false_negative_volume", lesions, own.missed_volume),
    )
    volumes = frozenset({"false_positive_volume", "false_negative_volume"})
    return by_means(parts, lower=volumes, weights={"dsc": 0.5} | dict.fromkeys(volumes, 0.25))


def isles_2022(sample: Sample) -> Expected:
    lesion = {"lesion": [1]}
    parts = joined(
        by_case(sample, "dsc", lesion, lambda truth, found, _: own.dice(truth, found)),
        by_case(sample, "lesion_f1", lesion, lambda truth, found, _: own.lesion_f1(truth, found)),
        by_case(
            sample,
            "lesion_count_difference",
            lesion,
            lambda truth, found, _: abs(own.lesions(truth)[1] - own.lesions(found)[1]),
        ),
        by_case(
            sample,
            "absolute_volume_difference",
            lesion,
            lambda truth, found, size: abs(int(truth.sum()) - int(found.sum())) * float(np.prod(size)) / 1000,
        ),
    )
    higher = {
        "dsc": True,
        "lesion_f1": True,
        "lesion_count_difference": False,
        "absolute_volume_difference": False,
    }
    return by_case_ranks(sample, parts, higher=higher)


def topcow_2024(sample: Sample) -> Expected:
    regions = {region.name: [int(label) for label in region.labels] for region in sample.assessment.regions}
    parts = joined(
        by_case(sample, "dsc", regions, lambda truth, found, _: own.dice(truth, found)),
        by_case(
            sample,
            "betti_number_error",
            regions,
            lambda truth, found, _: abs(own.lesions(truth)[1] - own.lesions(found)[1]),
        ),
        by_case(sample, "hausdorff_percentile", regions, own.voxel_hd95),
    )
    return by_means(parts, lower=frozenset({"betti_number_error", "hausdorff_percentile"}))


def flare_2022(sample: Sample) -> Expected:
    """Accuracy from the images; efficiency from the measured costs, of which each run has its own."""
    regions = {region.name: [int(label) for label in region.labels] for region in sample.assessment.regions}
    parts = joined(
        by_case(sample, "dsc", regions, lambda truth, found, _: own.dice(truth, found)),
        by_case(sample, "nsd", regions, lambda truth, found, size: own.surfel_dice(truth, found, size, tolerance=1.0)),
    )
    accuracy = by_case_ranks(sample, parts, higher={"dsc": True, "nsd": True})
    assert sample.results is not None
    costs = {}
    for metric in ("Wall time", "Peak memory"):
        rows = sample.results[sample.results["metric"] == metric]
        costs[metric, ""] = {team: float(rows[rows["algorithm"] == team]["value"].mean()) for team in TEAMS}
    efficiency = combined(own.ranks(values, higher=False) for values in costs.values())
    return Expected(
        accuracy.scores | costs, {"Accuracy": accuracy.overall[""], "Efficiency": efficiency}, accuracy.cases
    )


def uls_2023(sample: Sample) -> Expected:
    lesion = {"lesion": [1]}
    parts = joined(
        by_case(sample, "dsc", lesion, lambda truth, found, _: own.dice(truth, found)),
        by_case(sample, "long_axis_error", lesion, lambda truth, found, size: own.axis_error(truth, found, size, 0)),
        by_case(sample, "short_axis_error", lesion, lambda truth, found, size: own.axis_error(truth, found, size, 1)),
    )
    return by_means(parts, lower=frozenset({"long_axis_error", "short_axis_error"}))


def monkey_2024(sample: Sample) -> Expected:
    result = Expected()
    area = sum(float(row["area_mm2"]) for row in sample.facts.values())
    kinds = (
        ("Inflammatory cells", "froc_7.5", "inflammatory cells", ["lymphocyte", "monocyte"], 0.0075),
        ("Lymphocytes", "froc_4", "lymphocytes", ["lymphocyte"], 0.004),
        ("Monocytes", "froc_10", "monocytes", ["monocyte"], 0.01),
    )
    for name, metric, region, labels, radius in kinds:
        values = {
            team: own.froc(
                sample.references,
                sample.predictions(team),
                labels,
                radius=radius,
                area=area,
                at=[10, 20, 50, 100, 200, 300],
            )
            for team in TEAMS
        }
        result.scores[metric, region] = values
        result.overall[name] = own.ranks(values, higher=True)
    return result


def synthrad_2025(sample: Sample) -> Expected:
    def of_body(value: Callable[..., float]) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for team in TEAMS:
            for case in sample.cases:
                body = own.image(sample.references / "masks", case) > 0
                truth = own.image(sample.references, case).astype(float)[body]
                made = own.image(sample.predictions(team), case).astype(float)[body]
                found.setdefault(team, {})[case] = value(truth, made)
        return found

    result = Expected()
    low, high = -1024.0, 3000.0
    metrics = {
        "image_mae": lambda truth, made: float(np.abs(truth - made).mean()),
        "psnr": lambda truth, made: float(
            10 * np.log10((high - low) ** 2 / np.mean((np.clip(truth, low, high) - np.clip(made, low, high)) ** 2))
        ),
    }
    for metric, value in metrics.items():
        found = of_body(value)
        for team, cases in found.items():
            result.cases |= {(team, case, metric, "body"): own_value for case, own_value in cases.items()}
        result.scores[metric, "body"] = {team: float(np.mean(list(cases.values()))) for team, cases in found.items()}
    return by_means(result, lower=frozenset({"image_mae"}))


def surgvu_2024(sample: Sample) -> Expected:
    values = each(sample, lambda truth, found: own.coco_map(truth, found, sample.cases))
    return one_score("mean_average_precision", "", values)


OF_DESIGNS: Final[Mapping[str, Callable[[Sample], Expected]]] = {
    "autopet_2024": autopet_2024,
    "brats_2023": brats_2023,
    "flare_2022": flare_2022,
    "hecktor_2025": hecktor_2025,
    "isles_2022": isles_2022,
    "midog_2025": midog_2025,
    "monkey_2024": monkey_2024,
    "pi_cai_2022": pi_cai_2022,
    "surgvu_2024": surgvu_2024,
    "synthrad_2025": synthrad_2025,
    "topcow_2024": topcow_2024,
    "uls_2023": uls_2023,
}
