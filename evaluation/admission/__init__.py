"""Validity of references and submissions, and the expectation of a test set.

The platform, the rehearsal of a design and the command line call the same functions.
"""

from evaluation.admission.expectation import Expectation, ExpectedCase, expectation_of
from evaluation.admission.predictions import read_case, read_table
from evaluation.admission.references import (
    check_characteristics,
    files_of_references,
    instances_beside,
    read_file,
    read_one_table,
    refusal,
    table_and_shared,
    table_file,
)

__all__ = [
    "Expectation",
    "ExpectedCase",
    "check_characteristics",
    "expectation_of",
    "files_of_references",
    "instances_beside",
    "read_case",
    "read_file",
    "read_one_table",
    "read_table",
    "refusal",
    "table_and_shared",
    "table_file",
]
