"""Conversion of a results table to matrices of values, with every outcome replaced by its policy."""

from evaluation.aggregation.columns import ResultsError, check_results, metadata_column
from evaluation.aggregation.tables import Table, build_tables

__all__ = ["ResultsError", "Table", "build_tables", "check_results", "metadata_column"]
