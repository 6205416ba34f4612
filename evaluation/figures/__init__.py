"""Figures of a ranking, each answering one question; plain JSON values that Plotly draws, in a page or a report."""

from evaluation.figures.agreement import tau_table, violin_plot, with_order
from evaluation.figures.blob import blob_plot
from evaluation.figures.differences import difference_forest, difference_svg
from evaluation.figures.models import forest_plot, quantile_plot
from evaluation.figures.palette import colours, marks
from evaluation.figures.raw import dot_and_box_plot, parallel_cases, podium_plot, ranking_heatmap, summary_table
from evaluation.figures.schemes import line_plot
from evaluation.figures.significance import better_map, significance_map
from evaluation.figures.strip import interval_strip, interval_svg, rank_forest
from evaluation.figures.tasks import blob_across_tasks, blob_by_algorithm, dendrogram, stacked_frequencies

__all__ = [
    "better_map",
    "blob_across_tasks",
    "blob_by_algorithm",
    "blob_plot",
    "colours",
    "dendrogram",
    "difference_forest",
    "difference_svg",
    "dot_and_box_plot",
    "forest_plot",
    "interval_strip",
    "interval_svg",
    "line_plot",
    "marks",
    "parallel_cases",
    "podium_plot",
    "quantile_plot",
    "rank_forest",
    "ranking_heatmap",
    "significance_map",
    "stacked_frequencies",
    "summary_table",
    "tau_table",
    "violin_plot",
    "with_order",
]
