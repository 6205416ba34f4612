"""A ranking report as one self-contained page that a journal's supplement could carry, and its sections for other reports."""

from evaluation.reporting.alternatives import mixed_model_section, subgroups_section
from evaluation.reporting.analyses import across_section, copies_section, gaming_section
from evaluation.reporting.build import build_report, ranking_section, raw_section, report_blocks
from evaluation.reporting.stability import stability_section
from evaluation.reporting.subset import best_of

__all__ = [
    "across_section",
    "best_of",
    "build_report",
    "copies_section",
    "gaming_section",
    "mixed_model_section",
    "ranking_section",
    "raw_section",
    "report_blocks",
    "stability_section",
    "subgroups_section",
]
