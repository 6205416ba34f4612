"""Kinds of problem: everything that differs between them, one object each.

Who scores, validates, draws or documents asks the object of the assessment's problem and compares no names. An installed
package brings further kinds under the entry point group ``podium.problems``.

Tried on paper against the kinds that are to come (`problem_kinds.md` of the reference); docs/problems.md has the outcome.
"""

from evaluation.problems.base import Problem
from evaluation.problems.opened import Opened, References
from evaluation.problems.reference_rules import MergingRules
from evaluation.problems.registry import (
    ENTRY_POINT_GROUP,
    ProblemError,
    all_problems,
    categories,
    get,
    is_known,
    kind_of,
    kinds_of_task_category,
    measured_elsewhere,
    of_task_category,
    register,
    scored_problems,
    unregister,
)

__all__ = [
    "ENTRY_POINT_GROUP",
    "MergingRules",
    "Opened",
    "Problem",
    "ProblemError",
    "References",
    "all_problems",
    "categories",
    "get",
    "is_known",
    "kind_of",
    "kinds_of_task_category",
    "measured_elsewhere",
    "of_task_category",
    "register",
    "scored_problems",
    "unregister",
]
