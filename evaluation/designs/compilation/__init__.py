"""From the prose of a design to the document that is executed."""

from evaluation.designs.compilation.compiler import Compilation, NotCompilableError, compile_values
from evaluation.designs.compilation.notes import Problem
from evaluation.designs.compilation.overall import OverallPlan, compile_overall
from evaluation.designs.compilation.words import pseudo_code, worked_example

__all__ = [
    "Compilation",
    "NotCompilableError",
    "OverallPlan",
    "Problem",
    "compile_overall",
    "compile_values",
    "pseudo_code",
    "worked_example",
]
