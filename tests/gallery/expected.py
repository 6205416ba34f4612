"""Expected results of each design of the gallery: values of its metrics and ranks, from `independent` alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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


def by_case(
    sample: Sample, metric: str, regions: Mapping[str, Any], value: Callable[..., float], *, ignored: int = -1
) -> Expected:
    """Values of cases and their means, of a metric that compares two masks and knows the size of a voxel.

    Predictions do not count where the reference has the ignored label.
    """
    result = Expected()
    for region, labels in regions.items():
        means = {}
        for team in TEAMS:
            found = []
            for case in sample.cases:
                truth, prediction = own.image(sample.references, case), own.image(sample.predictions(team), case)
                size = own.spacing(sample.references, case)
                guess = np.isin(prediction, labels) & (truth != ignored)
                found.append(value(np.isin(truth, labels), guess, size))
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
    aggregated, found = {}, {}
    for team in TEAMS:
        pairs = [
            (own.image(sample.references, case) == 2, own.image(sample.predictions(team), case) == 2)
            for case in sample.cases
        ]
        aggregated[team] = own.aggregated_dice(pairs)
        found[team] = own.aggregated_f1(pairs, smallest=0.3)
    result.scores["aggregated_dsc", "GTVn"] = aggregated
    result.scores["aggregated_lesion_f1", "GTVn"] = found
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


def by_means(parts: Expected, *, lower: frozenset[str]) -> Expected:
    """Rank the means of every metric and region, and combine the ranks."""
    ranked = [own.ranks(values, higher=key[0] not in lower) for key, values in parts.scores.items()]
    parts.overall = {"": combined(ranked)}
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
    weights = {"dsc": 0.5, "false_positive_volume": 0.25, "false_negative_volume": 0.25}
    subsets = {sample.facts[case]["subset"] for case in sample.cases}
    by_metric = {
        metric: own.mean_ranks(
            own.ranks(means_of_subset(sample, parts, metric, subset), higher=metric == "dsc") for subset in subsets
        )
        for metric in weights
    }
    final = {team: sum(weights[metric] * by_metric[metric][team] for metric in weights) for team in TEAMS}
    parts.overall = {"": own.ranks(final, higher=False)}
    return parts


def means_of_subset(sample: Sample, parts: Expected, metric: str, subset: str) -> dict[str, float]:
    """Return the mean of a metric by team, over the cases of a subset."""
    cases = [case for case in sample.cases if sample.facts[case]["subset"] == subset]
    return {team: float(np.mean([parts.cases[team, case, metric, "lesions"] for case in cases])) for team in TEAMS}


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
    metrics: dict[str, Callable[..., float]] = {
        "dsc": lambda truth, found, _: own.dice(truth, found),
        "betti_number_error": lambda truth, found, _: abs(own.lesions(truth)[1] - own.lesions(found)[1]),
        "hausdorff_percentile": own.voxel_hd95,
    }
    assert any((own.image(sample.references, case) == 255).any() for case in sample.cases)
    parts = joined(*(by_case(sample, metric, regions, value, ignored=255) for metric, value in metrics.items()))
    return by_means(parts, lower=frozenset({"betti_number_error", "hausdorff_percentile"}))


TOLERANCES: Final = {
    "liver": 5.0,
    "right kidney": 3.0,
    "spleen": 3.0,
    "pancreas": 5.0,
    "oesophagus": 3.0,
    "stomach": 5.0,
    "duodenum": 7.0,
    "left kidney": 3.0,
}
"""Tolerances of FLARE 2022 in mm; 2 mm for other organs."""


def flare_2022(sample: Sample) -> Expected:
    """Accuracy from the images; efficiency from the measured costs, of which each run has its own."""
    regions = {region.name: [int(label) for label in region.labels] for region in sample.assessment.regions}
    parts = joined(
        by_case(sample, "dsc", regions, lambda truth, found, _: own.dice(truth, found)),
        *(
            by_case(sample, "nsd", {name: labels}, partial(own.surfel_dice, tolerance=TOLERANCES.get(name, 2.0)))
            for name, labels in regions.items()
        ),
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
    low, high = -1024.0, 3000.0

    def psnr(truth: NDArray[Any], made: NDArray[Any], body: NDArray[Any]) -> float:
        error = np.clip(truth[body], low, high) - np.clip(made[body], low, high)
        return float(10 * np.log10((high - low) ** 2 / np.mean(error**2)))

    metrics: dict[str, Callable[..., float]] = {
        "image_mae": lambda truth, made, body: float(np.abs(truth[body] - made[body]).mean()),
        "psnr": psnr,
        "ms_ssim": lambda truth, made, body: own.ms_ssim(truth, made, body, low=low, high=high),
    }
    result = Expected()
    for metric, value in metrics.items():
        means = {}
        for team in TEAMS:
            found = []
            for case in sample.cases:
                body = own.image(sample.references / "masks", case) > 0
                truth = own.image(sample.references, case).astype(float)
                made = own.image(sample.predictions(team), case).astype(float)
                found.append(value(truth, made, body))
                result.cases[team, case, metric, "body"] = found[-1]
            means[team] = float(np.mean(found))
        result.scores[metric, "body"] = means
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
