"""Import of existing results tables of finished challenges: bounded reading, column recognition and analysis.

`read_results_file` reads a file (CSV, or a results file of another platform, see `evaluation.importing.formats`), `guess_roles` identifies its columns, and `arrange` converts the values to the contract's
form. `suggest_metrics` and `assessment_of` create an assessment from two answers per metric: which direction is better,
and what a missing value counts as. `analyse` computes everything from it. `read_measured` reads a table against an
existing assessment.
"""

from evaluation.importing.analysing import Analysis, analyse
from evaluation.importing.arranging import Arranged, arrange
from evaluation.importing.case_lists import read_case_list
from evaluation.importing.choices import MetricChoice, assessment_of, read_choices, suggest_metrics
from evaluation.importing.content import Measured
from evaluation.importing.fitting import Fitting
from evaluation.importing.formats import FORMATS, read_results_file
from evaluation.importing.measured import read_measured, roles_of
from evaluation.importing.roles import ROLES, guess_roles
from evaluation.importing.sheets import Sheet, SheetLimits, TableError, read_sheet

__all__ = [
    "FORMATS",
    "ROLES",
    "Analysis",
    "Arranged",
    "Fitting",
    "Measured",
    "MetricChoice",
    "Sheet",
    "SheetLimits",
    "TableError",
    "analyse",
    "arrange",
    "assessment_of",
    "guess_roles",
    "read_case_list",
    "read_choices",
    "read_measured",
    "read_results_file",
    "read_sheet",
    "roles_of",
    "suggest_metrics",
]
