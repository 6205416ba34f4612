"""Metrics as pure functions of a reference and a prediction that return value and outcome.

There is one module per family. Each metric is available here by its id and is imported at first use. If a metric counts
other things in another kind of problem (pixels, objects), this package provides the function for whole images. The
other functions are in the modules.

>>> from evaluation.metrics import dsc
>>> dsc([[1, 1, 0]], [[0, 1, 1]]).value
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.matching.criterion_tables import (
        loc_approx_iou,
        loc_boundary_iou,
        loc_box_iou,
        loc_center_cover,
        loc_center_distance,
        loc_center_hit,
        loc_ior,
        loc_mask_iou,
        loc_point_in_approx,
        loc_point_in_box,
        loc_point_in_mask,
    )
    from evaluation.metrics.boundary import assd, boundary_iou, hausdorff_distance, hausdorff_percentile, masd, nsd
    from evaluation.metrics.calibration import cwce, ece, ece_kde, kce, mce, tce
    from evaluation.metrics.classification import npv, ppv, sensitivity, specificity
    from evaluation.metrics.composite_rates import fbeta, lr_plus, net_benefit
    from evaluation.metrics.detection import (
        average_recall,
        fppi,
        fppi_at_sensitivity,
        froc_score,
        mean_average_precision,
        mean_average_recall,
        sensitivity_at_fppi,
    )
    from evaluation.metrics.dose import dvh_dose_error, dvh_volume_error, gamma_pass_rate, mean_dose_error
    from evaluation.metrics.failure_detection import (
        augrc,
        aurc,
        auroc_f,
        confidence_pearson,
        confidence_spearman,
        coverage_at_risk,
        e_augrc,
        e_aurc,
        mae_quality,
        n_aurc,
        risk,
        risk_at_coverage,
    )
    from evaluation.metrics.image_similarity import image_mae, image_rmse, ms_ssim, ncc, nmse, psnr, ssim
    from evaluation.metrics.instance import (
        aji,
        aji_plus,
        detection_quality,
        mi_dsc,
        mi_nsd,
        panoptic_quality,
        segmentation_quality,
    )
    from evaluation.metrics.landmarks import identification_rate, radial_error, success_detection_rate
    from evaluation.metrics.lesions import (
        aggregated_lesion_f1,
        false_negative_volume,
        false_positive_volume,
        lesion_count_difference,
        lesion_f1,
        lesionwise_dsc,
        lesionwise_hausdorff,
    )
    from evaluation.metrics.multi_class import accuracy, balanced_accuracy, cohens_kappa, mcc, top_k_accuracy, youden_j
    from evaluation.metrics.multi_label import hamming_loss, subset_accuracy
    from evaluation.metrics.overlap import cldice, dsc, ior, iou
    from evaluation.metrics.places_and_diameters import centre_distance, long_axis_error, short_axis_error
    from evaluation.metrics.pooled_overlap import aggregated_dsc
    from evaluation.metrics.proper_scores import brier_score, brier_skill_score, nll, root_brier_score
    from evaluation.metrics.registration import folding_fraction, sdlogj, tre
    from evaluation.metrics.regression import (
        absolute_bias,
        absolute_error,
        absolute_percentage_error,
        ccc,
        icc,
        kendall_tau_b,
        loa_width,
        pearson,
        r2,
        rmse,
        spearman,
        squared_error,
    )
    from evaluation.metrics.survival import brier_at_time, harrell_c, integrated_brier_score, time_dependent_auc, uno_c
    from evaluation.metrics.thresholds import auroc, average_precision
    from evaluation.metrics.topology import betti_number_error, euler_characteristic_difference
    from evaluation.metrics.volumes import absolute_volume_difference, relative_volume_error, volume_similarity
    from evaluation.metrics.weighted_classes import (
        expected_cost,
        expected_cost_normalized,
        macro_ordinal_mae,
        ordinal_mae,
        weighted_cohens_kappa,
    )
    from evaluation.metrics.working_points import (
        npv_at_sensitivity,
        ppv_at_sensitivity,
        sensitivity_at_npv,
        sensitivity_at_ppv,
        sensitivity_at_specificity,
        specificity_at_sensitivity,
    )

__all__ = [
    "absolute_bias",
    "absolute_error",
    "absolute_percentage_error",
    "absolute_volume_difference",
    "accuracy",
    "aggregated_dsc",
    "aggregated_lesion_f1",
    "aji",
    "aji_plus",
    "assd",
    "augrc",
    "aurc",
    "auroc",
    "auroc_f",
    "average_precision",
    "average_recall",
    "balanced_accuracy",
    "betti_number_error",
    "boundary_iou",
    "brier_at_time",
    "brier_score",
    "brier_skill_score",
    "ccc",
    "centre_distance",
    "cldice",
    "cohens_kappa",
    "confidence_pearson",
    "confidence_spearman",
    "coverage_at_risk",
    "cwce",
    "detection_quality",
    "dsc",
    "dvh_dose_error",
    "dvh_volume_error",
    "e_augrc",
    "e_aurc",
    "ece",
    "ece_kde",
    "euler_characteristic_difference",
    "expected_cost",
    "expected_cost_normalized",
    "false_negative_volume",
    "false_positive_volume",
    "fbeta",
    "folding_fraction",
    "fppi",
    "fppi_at_sensitivity",
    "froc_score",
    "gamma_pass_rate",
    "hamming_loss",
    "harrell_c",
    "hausdorff_distance",
    "hausdorff_percentile",
    "icc",
    "identification_rate",
    "image_mae",
    "image_rmse",
    "integrated_brier_score",
    "ior",
    "iou",
    "kce",
    "kendall_tau_b",
    "lesion_count_difference",
    "lesion_f1",
    "lesionwise_dsc",
    "lesionwise_hausdorff",
    "loa_width",
    "loc_approx_iou",
    "loc_boundary_iou",
    "loc_box_iou",
    "loc_center_cover",
    "loc_center_distance",
    "loc_center_hit",
    "loc_ior",
    "loc_mask_iou",
    "loc_point_in_approx",
    "loc_point_in_box",
    "loc_point_in_mask",
    "long_axis_error",
    "lr_plus",
    "macro_ordinal_mae",
    "mae_quality",
    "masd",
    "mcc",
    "mce",
    "mean_average_precision",
    "mean_average_recall",
    "mean_dose_error",
    "mi_dsc",
    "mi_nsd",
    "ms_ssim",
    "n_aurc",
    "ncc",
    "net_benefit",
    "nll",
    "nmse",
    "npv",
    "npv_at_sensitivity",
    "nsd",
    "ordinal_mae",
    "panoptic_quality",
    "pearson",
    "ppv",
    "ppv_at_sensitivity",
    "psnr",
    "r2",
    "radial_error",
    "relative_volume_error",
    "risk",
    "risk_at_coverage",
    "rmse",
    "root_brier_score",
    "sdlogj",
    "segmentation_quality",
    "sensitivity",
    "sensitivity_at_fppi",
    "sensitivity_at_npv",
    "sensitivity_at_ppv",
    "sensitivity_at_specificity",
    "short_axis_error",
    "spearman",
    "specificity",
    "specificity_at_sensitivity",
    "squared_error",
    "ssim",
    "subset_accuracy",
    "success_detection_rate",
    "tce",
    "time_dependent_auc",
    "top_k_accuracy",
    "tre",
    "uno_c",
    "volume_similarity",
    "weighted_cohens_kappa",
    "youden_j",
]


def __getattr__(name: str) -> Any:
    # Modules of this package are asked for here, too, before they are imported: only ids may load anything.
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from evaluation.metrics.declaration import declared_in, metric_modules

    functions = {metric.id: metric.compute for module in metric_modules() for metric in declared_in(module)}
    globals().update({metric_id: functions[metric_id] for metric_id in __all__})
    return functions[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
