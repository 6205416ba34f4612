"""Limits of rankings by some metrics, and results of a team that look like a mistake in its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from evaluation.assessment.model import Assessment, MetricUse

WRONG_WAY_ROUND: Final = 0.4
"""A concordance below it is rarely chance: most pairs are in the opposite order."""
_OVERLAP: Final = frozenset(
    {"dsc", "iou", "fbeta", "cldice", "nsd", "lesionwise_dsc", "lesion_f1", "aggregated_dsc", "aggregated_lesion_f1"}
)
_VOLUMES: Final = frozenset({"absolute_volume_difference", "relative_volume_error", "volume_similarity"})
_COUNTS: Final = frozenset({"lesion_count_difference", "betti_number_error", "euler_characteristic_difference"})
_CORRELATIONS: Final = frozenset({"pearson", "spearman", "kendall_tau_b"})
_BLUR: Final = frozenset({"psnr", "ssim", "ms_ssim"})
_IN_STRUCTURES: Final = frozenset({"dvh_dose_error", "dvh_volume_error", "mean_dose_error"})
_CONCORDANCES: Final = frozenset({"harrell_c", "uno_c"})
_OF_ORDER: Final = frozenset({"harrell_c", "uno_c", "time_dependent_auc"})


def ranked(assessment: Assessment) -> list[MetricUse]:
    """Metrics that a ranking uses."""
    names = {
        name
        for ranking in assessment.rankings
        for name in (ranking.metrics if ranking.metrics is not None else [use.name for use in assessment.metrics])
    }
    return [use for use in assessment.metrics if use.name in names]


def _ids(uses: Iterable[MetricUse]) -> set[str]:
    return {use.id for use in uses}


def of_volumes(assessment: Assessment) -> Iterator[str]:
    """Of segmentations: a volume may be right in the wrong place."""
    if _ids(ranked(assessment)) & _VOLUMES and not _ids(assessment.metrics) & _OVERLAP:
        yield "A volume says nothing about place: let an overlap such as DSC stand beside it."
    if _ids(ranked(assessment)) & _COUNTS and not _ids(assessment.metrics) & _OVERLAP:
        yield "Counts of lesions and topology ignore position: add an overlap metric such as DSC."


def of_similarity(assessment: Assessment) -> Iterator[str]:
    """Of images: what rewards blur."""
    ids = _ids(ranked(assessment))
    if ids and ids <= _BLUR:
        yield "PSNR and SSIM reward blur: rank something beside them that the clinical question needs."


def of_doses(assessment: Assessment) -> Iterator[str]:
    """Of doses: what a pass rate does not show (Nelms et al., Medical Physics 38, 2011; AAPM TG-218, 2018)."""
    ids = _ids(ranked(assessment))
    if "gamma_pass_rate" in ids and not ids & _IN_STRUCTURES:
        yield "A gamma pass rate does not show in which structure the dose is wrong: rank a dose-volume point as well."


def of_instances(assessment: Assessment) -> Iterator[str]:
    """Of instances: an index that counts one mistake more than once (Graham et al., Medical Image Analysis 58, 2019)."""
    ids = _ids(ranked(assessment))
    if "aji" in ids and not ids & {"aji_plus", "panoptic_quality"}:
        yield "AJI can count one mistake of a prediction more than once: rank AJI+ or panoptic quality as well."


def of_fields(assessment: Assessment) -> Iterator[str]:
    """Of registrations: folds that the spread of the logarithm hardly sees."""
    uses = ranked(assessment)
    smooth = any(use.id == "sdlogj" and use.options.get("offset", 3) > 0 for use in uses)
    if smooth and "folding_fraction" not in _ids(uses):
        yield "SDlogJ with an offset hardly sees folds: rank folding_fraction beside it, or take the offset 0."


def of_numbers(assessment: Assessment) -> Iterator[str]:
    """Of regression: what ignores scale."""
    ids = _ids(ranked(assessment))
    if ids and ids <= _CORRELATIONS:
        yield "Correlations ignore scale: twice the number plus five has correlation 1. Rank an error beside them."


def of_survival(assessment: Assessment) -> Iterator[str]:
    """Of survival: what ignores calibration."""
    ids = _ids(ranked(assessment))
    if ids and ids <= _OF_ORDER:
        yield "A concordance says nothing about calibration: rank a Brier score beside it."


def of_confidence(assessment: Assessment) -> Iterator[str]:
    """Yield the caution of failure detection for confidences that were not declared as estimates of quality."""
    is_quality = bool(assessment.settings.get("confidence_is_quality"))
    if not is_quality and any(use.id == "mae_quality" for use in assessment.metrics):
        yield (
            "mae_quality takes confidences for estimates of the quality: tell teams so, and set confidence_is_quality in the settings."
        )


def of_joint_confidence(assessment: Assessment) -> Iterator[str]:
    """The same where the risks are each team's own."""
    yield from of_confidence(assessment)
    ids = _ids(ranked(assessment))
    if ids == {"aurc"}:
        yield (
            "AURC alone lets a good segmentation with useless confidences win: rank n_aurc or augrc beside it, and say that both count."
        )


def reversed_risk(assessment: Assessment, results: pd.DataFrame) -> Iterator[str]:
    """A risk that puts most pairs in the opposite order."""
    for name in [use.name for use in assessment.metrics if use.id in _CONCORDANCES]:
        values = results.loc[(results["metric"] == name) & (results["outcome"] == "ok"), "value"]
        for value in values[values < WRONG_WAY_ROUND]:
            yield (
                f"{name} is {value:.3g}: the risk may be the wrong way round. A larger risk is to mean an earlier event, a larger time a "
                "later one."
            )


def never_hits(assessment: Assessment, results: pd.DataFrame) -> Iterator[str]:
    """Report predictions of which not one hits a reference object."""
    hits = {use.name for use in assessment.computed if use.higher_is_better and use.worst == 0}
    values = results.loc[results["metric"].isin(hits) & (results["outcome"] == "ok"), "value"]
    if len(values) and (values == 0).all():
        yield (
            "No predicted object hits a reference object. Check the unit of the coordinates, their origin and the order of the axes."
        )


def reversed_field(assessment: Assessment, results: pd.DataFrame) -> Iterator[str]:
    """A field that makes things worse than none."""
    for use in assessment.metrics if "before" in results else ():
        rows = results[(results["metric"] == use.name) & results["value"].notna() & results["before"].notna()]
        if rows.empty:
            continue
        after, before = rows["value"].mean(), rows["before"].mean()
        if (after < before) if use.higher_is_better else (after > before):
            yield (
                f"{use.name} is {after:.3g} on average and {before:.3g} without any displacement: the field may point the other way. It is to "
                "map the fixed image to the moving one."
            )
