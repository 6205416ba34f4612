"""Reads worth naming."""

from datastore.test_sets.queries.test_sets import (
    active_test_set,
    annotators_of,
    case_metadata_frame,
    case_names,
    first_cases,
    has_test_set,
)

__all__ = ["active_test_set", "annotators_of", "case_metadata_frame", "case_names", "first_cases", "has_test_set"]
