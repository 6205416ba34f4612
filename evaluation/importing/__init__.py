"""Results tables of finished challenges, as people have them: read within bounds, their columns recognised, and analysed.

`read_sheet` reads a file, `guess_roles` says what its columns are, `arrange` puts the values in the contract's form,
`suggest_metrics` and `assessment_of` make of two answers a metric (which direction is better, what a missing value counts
as) an assessment, and `analyse` computes everything from it. `read_measured` reads a table against an assessment that there is.
"""

from evaluation.importing.analysing import Analysis, analyse
from evaluation.importing.arranging import Arranged, arrange
from evaluation.importing.case_lists import read_case_list
from evaluation.importing.choices import MetricChoice, assessment_of, read_choices, suggest_metrics
from evaluation.importing.fitting import Fitting
from evaluation.importing.measured import Measured, read_measured, roles_of
from evaluation.importing.roles import ROLES, guess_roles
from evaluation.importing.sheets import Sheet, SheetLimits, TableError, read_sheet

__all__ = [
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
    "read_sheet",
    "roles_of",
    "suggest_metrics",
]
