"""A ranking report as one self-contained page that a journal's supplement could carry, and its sections for other reports."""

from evaluation.reporting.analyses import across_section, copies_section, gaming_section
from evaluation.reporting.build import build_report, ranking_section, raw_section, report_blocks
from evaluation.reporting.costs import costs_section
from evaluation.reporting.further import groups_section, hardness_section, model_section
from evaluation.reporting.kinds import kind_section
from evaluation.reporting.stability import stability_section
from evaluation.reporting.subset import best_of

__all__ = [
    "across_section",
    "best_of",
    "build_report",
    "copies_section",
    "costs_section",
    "gaming_section",
    "groups_section",
    "hardness_section",
    "kind_section",
    "model_section",
    "ranking_section",
    "raw_section",
    "report_blocks",
    "stability_section",
]
